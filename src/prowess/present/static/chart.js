// The chart of a player's page. Without this script the still picture beside it stays.
"use strict";

const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6]; // games between ticks

for (const place of document.querySelectorAll("[data-chart]")) draw(place);

function draw(place) {
  const columns = JSON.parse(place.dataset.chart);
  const still = place.parentElement.querySelector(".still");
  const box = document.createElement("div");
  const controls = document.createElement("div");
  const options = { by: columns.day ? "day" : "number", band: false };
  controls.className = "switch";
  if (columns.day) {
    controls.append(choice("day", "by date"), choice("number", "by number of the game"));
  }
  if (columns.low) controls.append(switched("with its interval"));
  place.append(controls, box);
  if (still) still.hidden = true;
  let plot = null;
  redraw();
  new ResizeObserver(() => plot.setSize(size())).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  function choice(value, words) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "radio";
    input.name = "by";
    input.checked = options.by === value;
    input.addEventListener("change", () => { options.by = value; redraw(); });
    label.append(input, words);
    return label;
  }

  function switched(words) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "checkbox";
    input.addEventListener("change", () => { options.band = input.checked; redraw(); });
    label.append(input, words);
    return label;
  }

  function size() {
    return { width: Math.max(280, place.clientWidth), height: 300 };
  }

  function redraw() {
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const dated = options.by === "day";
    const x = dated ? columns.day.map((day) => day * 86400) : columns.number;
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--rule"), width: 1 },
      ticks: { stroke: colour("--rule"), width: 1 } };
    const line = { label: place.dataset.rating, stroke: colour("--data"), width: 1.6,
      points: { show: x.length < 40 }, value: (self, value) => value == null ? "" : value.toFixed(1) };
    const edge = { stroke: colour("--ghost"), width: 1, points: { show: false }, value: line.value };
    const banded = options.band && columns.low;
    const when = dated ? (self, value) => value == null ? "" : iso(value) : undefined;
    const series = [{ label: dated ? "date" : "game", value: when }, line];
    const days = { ...axis, space: 90, values: (self, splits, at, space, step) =>
      splits.map((second) => iso(second).slice(0, step >= 360 * 86400 ? 4 : step >= 28 * 86400 ? 7 : 10)) };
    const data = [x, columns.rating];
    if (banded) {
      series.push({ ...edge, label: "low" }, { ...edge, label: "high" });
      data.push(columns.low, columns.high);
    }
    if (plot) plot.destroy();
    plot = new uPlot({
      ...size(),
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
      scales: { x: { time: dated } },
      axes: [dated ? days : { ...axis, incrs: WHOLE }, { ...axis, size: 60 }],
      series,
      bands: banded ? [{ series: [3, 2], fill: colour("--data") + "33" }] : [],
    }, data, box);
    requestAnimationFrame(rest);
    plot.over.addEventListener("mouseleave", () => requestAnimationFrame(rest));
  }

  function iso(seconds) {
    return new Date(seconds * 1000).toISOString().slice(0, 10);
  }

  function rest() { // while no pointer is there, the legend tells the last point
    plot.setLegend({ idx: plot.data[0].length - 1 }, false);
  }
}
