// Sorting and finding in tables. Without this script tables stand as they were served.
"use strict";

prepare();
document.addEventListener("htmx:after:swap", prepare);
for (const box of document.querySelectorAll("[data-finds]")) finding(box);

function prepare() {
  for (const table of document.querySelectorAll("table[data-sorts]:not([data-ready])")) {
    table.dataset.ready = "";
    sortable(table);
  }
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim() || "fixed" in head.dataset) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const upwards = head.getAttribute("aria-sort") === "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      const keys = new Map(rows.map((row) => [row, key(row.cells[column])]));
      rows.sort((one, other) => compared(keys.get(one), keys.get(other)) * (upwards ? 1 : -1));
      table.tBodies[0].append(...rows);
    });
  });
}

function key(cell) {
  const given = cell.dataset.key ?? cell.querySelector("time")?.dateTime ?? nameOf(cell).trim();
  const plain = given.replace(/\u2212/g, "-").replace(/[, %+\u00b1]/g, "");
  return plain !== "" && isFinite(plain) ? Number(plain) : given;
}

function compared(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one !== typeof other) return typeof one === "number" ? 1 : -1;
  return one.localeCompare(other);
}

function finding(box) {
  const table = document.querySelector(box.dataset.finds);
  const rows = [...table.tBodies[0].rows];
  const names = rows.map((row) => plainLetters(nameOf(row.querySelector("th"))));
  box.hidden = false;
  box.querySelector("input").addEventListener("input", (event) => {
    const asked = plainLetters(event.target.value);
    table.classList.toggle("finding", asked !== "");
    rows.forEach((row, k) => { row.hidden = !names[k].includes(asked); });
  });
}

function nameOf(cell) {
  return cell.dataset.key ?? (cell.querySelector("bdi, b") ?? cell).textContent;
}

function plainLetters(text) { // e finds é
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}
