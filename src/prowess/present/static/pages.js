// Times in the reader's zone, the player one follows, news, and what a chart holds where one points.
// Without this script times are UTC, and the table of games has the numbers of the chart.
"use strict";

const room = document.querySelector("[data-home]");
const me = room && readMe();
showTimes();
showMe();
if (room?.dataset.me) offerToFollow();
document.querySelectorAll(".career[data-first]").forEach(readChart);
document.addEventListener("htmx:after:swap", () => { showTimes(); showMe(); });
setTimeout(listen, 3000); // a page that is soon left opens no stream

function showTimes() {
  for (const one of document.querySelectorAll("time[datetime$=Z]")) {
    const at = new Date(one.dateTime);
    if (isNaN(at)) continue;
    const local = new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16).replace("T", " ");
    const long = { day: "numeric", month: "long", year: "numeric" };
    if (one.title) one.title = local;
    else one.textContent = `${at.toLocaleDateString("en-GB", long)}, ${local.slice(11)}`;
  }
  const zone = document.querySelector("[data-zone]");
  if (zone) zone.textContent = `Times in ${Intl.DateTimeFormat().resolvedOptions().timeZone.replace(/_/g, " ")}`;
}

function keyOfMe() {
  return "prowess me " + new URL(room.dataset.home, location);
}

function readMe() {
  try {
    return JSON.parse(localStorage.getItem(keyOfMe()));
  } catch { /* a browser that keeps nothing */ }
}

function showMe() { // the own row stays in sight; on another page of the table a link leads to it
  if (!me || room.dataset.me) return;
  const names = [...document.querySelectorAll("#board tbody th bdi")];
  names.find((one) => one.textContent === me.name)?.closest("tr").classList.add("mine");
  if (room.firstChild) return;
  const link = document.createElement("a");
  const name = document.createElement("bdi");
  link.href = me.place;
  name.textContent = me.name;
  link.append("Jump to ", name);
  room.append(link);
  room.hidden = false;
}

function offerToFollow() {
  const label = document.createElement("label");
  const input = document.createElement("input");
  const place = new URL(room.dataset.me, location).href;
  input.type = "checkbox";
  input.checked = me?.place === place;
  input.addEventListener("change", () => {
    if (!input.checked) localStorage.removeItem(keyOfMe());
    else localStorage.setItem(keyOfMe(), JSON.stringify({ name: room.dataset.name, place }));
  });
  label.className = "beside";
  label.append(input, "Follow");
  room.append(label);
  room.hidden = false;
}

function listen() { // "3 new results. Show": nothing moves under the eye
  const place = document.querySelector("[data-events]");
  if (!place) return;
  const events = new EventSource(place.dataset.events);
  let count = 0;
  for (const kind of ["record", "accept", "correct", "void", "restore"]) events.addEventListener(kind, (event) => {
    count += JSON.parse(event.data).results_total || 1;
    place.querySelector("output").textContent = `${count} new ${count === 1 ? "result" : "results"}.`;
    place.hidden = false;
  });
  addEventListener("pagehide", () => events.close());
}

function readChart(chart) { // by pointer, by touch, by arrow keys
  const { first, last, low, high, dated, names } = chart.dataset;
  const plot = chart.querySelector("svg");
  const lines = ["", "second", "third"].map((kind) => listLine(plot, kind)).filter((line) => line.length);
  const mark = makeElement("path", { class: "dashed" }), words = makeElement("text", { class: "strong" }), said = document.createElement("output");
  const games = [...document.querySelectorAll(dated ? ".games time" : "none")].map((one) => (
    { x: Date.parse(one.dateTime) / 864e5, row: one.closest("tr") })); // of this page
  let at = lines[0].length - 1;
  plot.append(mark);
  chart.append(words);
  chart.after(said);
  said.className = "visually-hidden";
  chart.tabIndex = 0;
  for (const kind of ["pointermove", "pointerdown"]) chart.addEventListener(kind, point);
  chart.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") leave(); });
  chart.addEventListener("blur", leave);
  chart.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: lines[0].length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(Math.max(0, Math.min(to, lines[0].length - 1)));
    said.textContent = words.textContent;
  });

  function point(event) {
    const box = chart.getBoundingClientRect();
    show(nearestPlace(lines[0], 1000 * (event.clientX - box.left) / box.width));
  }

  function show(place) {
    at = place;
    const x = lines[0][at].x, step = (last - first) / 1000, when = +first + step * x;
    const game = games[nearestPlace(games, when)], near = game && Math.abs(game.x - when) <= 1 + step;
    const date = dated ? new Date((near ? game.x : when) * 864e5).toISOString().slice(0, 10) : `Game ${Math.round(when)}`;
    const ratings = lines.map((line, k) => {
      const rating = high - (high - low) * line[k ? nearestPlace(line, x) : at].y / 1000;
      return (names ? `${names.split("\n")[k]} ` : "") + rating.toFixed(high - low > 50 ? 0 : 2);
    });
    const against = near ? `, against ${game.row.querySelector("th bdi").textContent}` : "";
    mark.setAttribute("d", `M${x} 0V1000`);
    words.textContent = `${date}: ${ratings.join(", ")}${against}`;
    words.setAttribute("x", `${x / 10}%`);
    words.setAttribute("y", 12);
    words.setAttribute("text-anchor", x > 700 ? "end" : x < 300 ? "start" : "middle");
  }

  function leave() {
    mark.removeAttribute("d");
    words.textContent = "";
  }
}

function listLine(plot, kind) { // in order of time, and what two of its parts share once
  const not = kind ? "" : ":not(.second,.third)", own = kind && `.${kind}`;
  const paths = [".gap", ".curve"].flatMap((one) => [...plot.querySelectorAll(one + own + not)]);
  const points = paths.flatMap(listPoints).sort((one, other) => one.x - other.x);
  return points.filter((one, k, all) => one.x !== all[k - 1]?.x || one.y !== all[k - 1].y);
}
