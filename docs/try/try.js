// The page: it takes a file, asks the worker, and draws what comes back. Nothing is computed here.
"use strict";
const byId = (id) => document.getElementById(id);
const FIRST = 25, FIRST_GAMES = 10; // rows of the leaderboard and of a player in sight
const waiting = new Map();
let worker = null, options = {}, number = 0, current = "", sides = 2;

// A later visit gets files from the service worker, which keeps them unpacked.
const packed = navigator.serviceWorker?.controller?.scriptURL !== new URL("service.js", location.href).href;

async function load(name) {
  const { body } = await fetch(name);
  return new Response(name.endsWith(".gz") ? body.pipeThrough(new DecompressionStream("gzip")) : body).text();
}

// The worker is made of texts of this page, so that the page's policy holds for it as well.
const ready = Promise.all([packed ? "pyodide.asm.js.gz" : "pyodide.asm.js", "pyodide.js", "worker.js"].map(load)).then((texts) => {
  const parts = texts.map((text) => `${text}\n`);
  worker = new Worker(URL.createObjectURL(new Blob(parts, { type: "text/javascript" })));
  worker.onmessage = ({ data }) => {
    if (data.doing !== undefined) return tell(data.doing, data.share);
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  worker.postMessage({ base: new URL(".", location.href).href, packed });
});

function tell(words, share = null) {
  byId("state").textContent = words;
  const bar = byId("progress");
  bar.hidden = share === null;
  if (share !== null) bar.value = share;
}

async function send(message, transfer = []) {
  await ready;
  number += 1;
  const id = number;
  const data = await new Promise((done) => {
    waiting.set(id, done);
    worker.postMessage({ id, ...message }, transfer);
  });
  if (data.failed) throw new Error(data.failed);
  return data.answer;
}

async function ask(act, given, words) {
  tell(words, 0.5);
  try {
    const found = await send({ act, given: JSON.stringify(given) });
    tell("");
    return found;
  } catch (error) {
    tell(`Try a smaller file, or the command line: ${error.message}`);
    return null;
  } finally {
    byId("progress").hidden = true;
  }
}

function fill(table, rows, { most = Infinity, name = null } = {}) {
  const [head, ...body] = rows;
  const numeric = head.map((_, k) => body.every((row) => /^[-+\u2212]?[\d.,:%]*$/.test(row[k])));
  const line = (cells, tag) => {
    const row = document.createElement("tr");
    cells.forEach((text, k) => {
      const cell = row.appendChild(document.createElement(tag));
      if (tag === "th") cell.scope = "col";
      if (!numeric[k]) cell.className = "word";
      if (tag === "td" && head[k] === name) {
        const button = cell.appendChild(document.createElement("button"));
        button.type = "button";
        button.textContent = text;
        button.addEventListener("click", () => showPlayer(text, true));
      } else cell.textContent = text;
    });
    return row;
  };
  const top = document.createElement("thead"), rest = document.createElement("tbody");
  top.append(line(head, "th"));
  rest.append(...body.slice(0, most).map((row) => line(row, "td")));
  table.replaceChildren(top, rest);
}

function show(...ids) {
  for (const id of ["question", "reading", "leaderboard", "player", "forecast", "keep"]) {
    byId(id).hidden = !ids.includes(id);
  }
}

async function open(name, content) {
  options = {};
  show();
  tell("Starting Python ...", 0);
  try {
    await send({ name, content }, [content]);
  } catch (error) {
    return tell(`Load the page again, or use the command line: ${error.message}`);
  }
  await read();
}

async function read() {
  const found = await ask("read", { options }, "Reading the table ...");
  if (!found) return;
  if (found.refused) return askReader(found);
  byId("answers").textContent = Object.keys(options).length
    ? `with ${Object.entries(options).map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join(", ")}` : "";
  byId("lines").replaceChildren(...found.lines.map((text) => {
    const row = document.createElement("div"), what = document.createElement("dt"), how = document.createElement("dd");
    what.textContent = text.slice(0, 10).trim();
    how.textContent = text.slice(10);
    row.append(what, how);
    return row;
  }));
  const heads = found.games.length ? Object.keys(found.games[0]) : [];
  fill(byId("first"), [heads, ...found.games.map((game) => heads.map((head) => String(game[head] ?? "")))]);
  byId("noted").replaceChildren(...found.notes.map((note) => Object.assign(document.createElement("li"), { textContent: note })));
  show("reading");
  await rate();
}

function fold(table, cells, button, first, name) { // the first rows, and a button for all
  const draw = (most) => fill(byId(table), cells, { most, name });
  const more = byId(button), count = cells.length - 1;
  draw(first);
  more.hidden = count <= first;
  more.textContent = `All ${count.toLocaleString("en")}`;
  more.onclick = () => { draw(Infinity); more.hidden = true; };
}

function askReader(found) {
  byId("asked").textContent = found.refused;
  byId("read-as").textContent = found.read_as ?? "";
  byId("read-as").hidden = !found.read_as;
  byId("choices").replaceChildren(...found.choices.map((choice) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button plain";
    button.textContent = choice.words;
    button.addEventListener("click", () => {
      options = { ...options, ...choice.options };
      read();
    });
    return button;
  }));
  const names = Object.entries(found.columns ?? {});
  byId("naming").hidden = !names.length;
  byId("columns").replaceChildren(...names.map(([name, headings]) => {
    const label = document.createElement("label"), select = document.createElement("select");
    label.textContent = name.replaceAll("_", " ");
    select.name = name;
    select.append(new Option("", ""), ...headings.map((heading) => new Option(heading, heading)));
    label.append(select);
    return label;
  }));
  tell("");
  show("question");
  byId("question").scrollIntoView({ block: "nearest" });
}

async function rate() {
  const found = await ask("rate", { system: byId("system").value }, "Rating the games ...");
  if (!found) return;
  current = ""; // the player is shown anew, as another file may have the name too
  if (found.refused) {
    byId("head").textContent = found.refused;
    byId("board").replaceChildren();
    byId("all").hidden = true;
    show("reading", "leaderboard"); // where another system is chosen
    return tell("");
  }
  byId("head").textContent = [found.headline, ...found.notes].join(" \u00b7 ");
  fold("board", found.board, "all", FIRST, "player");
  byId("names").replaceChildren(...found.players.map((name) => new Option(name)));
  byId("command").textContent = found.command;
  byId("page").hidden = true;
  byId("chances").replaceChildren();
  drawSides(found.players);
  show("reading", "leaderboard", "player", "forecast", "keep");
  await showPlayer(found.players[0], false);
  tell("Done. Nothing has left this computer.");
}

async function showPlayer(name, move) {
  if (!name || name === current && !move) return;
  current = name;
  byId("who").value = name;
  const found = await ask("show_player", { player: name }, `Looking at ${name} ...`);
  if (!found) return;
  byId("player-head").textContent = found.refused ?? found.headline;
  byId("figure").innerHTML = found.figure ?? ""; // drawn here, its names escaped; scripts are not let in
  if (found.table) fold("history", found.table, "earlier", FIRST_GAMES);
  if (move) byId("player").scrollIntoView();
}

function drawSides(players) {
  byId("sides").replaceChildren(...Array.from({ length: sides }, (_, k) => {
    const label = document.createElement("label"), input = document.createElement("input");
    label.textContent = `Side ${k + 1}`;
    input.setAttribute("list", "names");
    input.value = players[k] ?? "";
    label.append(input);
    return label;
  }));
}

function showForecast(found) {
  const said = byId("unknown");
  said.hidden = !found?.refused;
  said.textContent = found?.refused ?? "";
  if (found?.table) fill(byId("chances"), found.table);
}

function keep(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

const take = async (file) => file && open(file.name, await file.arrayBuffer());
byId("file").addEventListener("change", ({ target }) => {
  take(target.files[0]);
  target.value = ""; // else the same file, chosen again, would be no change
});
byId("example").addEventListener("click", async () => {
  const file = await fetch("{{EXAMPLE}}");
  open("{{EXAMPLE}}", await file.arrayBuffer());
});
byId("paste").addEventListener("click", () => {
  const hidden = !byId("pasting").hidden;
  byId("pasting").hidden = hidden;
  byId("paste").setAttribute("aria-expanded", String(!hidden));
  if (!hidden) byId("text").focus();
});
byId("take").addEventListener("click", () => {
  const text = byId("text").value;
  if (text.trim()) open("pasted.csv", new TextEncoder().encode(text).buffer);
});
byId("system").addEventListener("change", rate);
byId("who").addEventListener("change", (event) => showPlayer(event.target.value, true));
byId("more").addEventListener("click", () => {
  const named = [...byId("sides").querySelectorAll("input")].map((input) => input.value);
  sides += 1;
  drawSides(named);
});
byId("game").addEventListener("submit", async (event) => {
  event.preventDefault();
  const named = [...byId("sides").querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
  showForecast(await ask("forecast", { sides: named }, "Forecasting ..."));
});
byId("fixtures").addEventListener("submit", async (event) => {
  event.preventDefault();
  showForecast(await ask("fixtures", { text: byId("games").value }, "Forecasting ..."));
});
byId("naming").addEventListener("submit", (event) => {
  event.preventDefault();
  for (const select of byId("columns").querySelectorAll("select")) {
    if (select.value) options[select.name] = select.value;
  }
  read();
});
byId("report").addEventListener("click", async () => {
  const found = await ask("make_report", {}, "Writing the report ...");
  if (!found) return;
  if (found.refused) return tell(found.refused);
  byId("page").srcdoc = found.page;
  byId("page").hidden = false;
});
for (const button of document.querySelectorAll("[data-keep]")) {
  button.addEventListener("click", async () => {
    const found = await ask("download", { what: button.dataset.keep }, "Writing the file ...");
    if (!found) return;
    if (found.refused) return tell(found.refused);
    keep(found.name, found.text);
  });
}
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("over"); });
addEventListener("dragleave", () => document.body.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("over");
  take(event.dataTransfer.files[0]);
});
navigator.serviceWorker?.register("service.js").catch(() => {});
