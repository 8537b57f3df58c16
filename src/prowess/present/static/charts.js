// What the lines of a chart hold: the points of their paths, and the one nearest to a place.
"use strict";

function listPoints(path) { // the first two numbers are a place, the others are steps
  const numbers = (path.getAttribute("d").match(/-?\d+/g) ?? []).map(Number);
  let x = 0, y = 0;
  const found = [];
  for (let k = 0; k + 1 < numbers.length; k += 2) {
    x += numbers[k];
    y += numbers[k + 1];
    found.push({ x, y, now: k + 3 >= numbers.length });
  }
  return found;
}

function nearestPlace(points, x) {
  return points.reduce((best, one, k) => Math.abs(one.x - x) < Math.abs(points[best].x - x) ? k : best, 0);
}

function makeElement(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
