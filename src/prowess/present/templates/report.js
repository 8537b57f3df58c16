// Any two players beside one another, and what a pointer is on. Without this script the first two stand there.
{
  const versus = document.getElementById("versus");
  const rows = [...document.querySelectorAll("#board tbody tr")];
  const known = new Map(rows.map((row, place) => [plainLetters(row.querySelector("bdi").textContent), { row, place }]));
  if (versus) preparePickers();
  document.querySelectorAll(".history").forEach(readPointer);
  prepareThemes(document.querySelector("[data-theme-switch]"));
  addEventListener("scroll", markSection, { passive: true });
  markSection();

  function prepareThemes(button) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const root = document.documentElement, dark = matchMedia("(prefers-color-scheme:dark)").matches;
      root.dataset.theme = (root.dataset.theme ?? (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
    });
  }

  function markSection() { // the last one that begins in the upper third
    const links = [...document.querySelectorAll(".pages>nav a")];
    const begun = links.filter((link) => document.querySelector(link.hash).getBoundingClientRect().top < innerHeight / 3);
    for (const link of links) link.toggleAttribute("aria-current", link === (begun.at(-1) ?? links[0]));
  }

  function preparePickers() {
    const list = document.createElement("datalist");
    list.id = "players";
    for (const row of rows) list.append(new Option(row.querySelector("bdi").textContent));
    versus.append(list);
    for (const place of versus.querySelectorAll(".picks bdi")) {
      const input = document.createElement("input");
      input.setAttribute("list", "players");
      input.setAttribute("aria-label", "Player");
      input.value = place.textContent;
      place.replaceWith(input);
      input.addEventListener("focus", () => input.select());
      input.addEventListener("change", comparePlayers);
    }
    const beside = versus.querySelector(".beside");
    if (beside) {
      beside.hidden = false;
      beside.addEventListener("change", comparePlayers);
    }
  }

  function findPlayer(text) {
    const asked = plainLetters(text.trim());
    if (known.has(asked)) return known.get(asked);
    const some = [...known].filter(([name]) => name.startsWith(asked));
    return some.length === 1 ? some[0][1] : undefined;
  }

  function comparePlayers() {
    const inputs = [...versus.querySelectorAll(".picks input")];
    const found = inputs.map((input) => findPlayer(input.value));
    inputs.forEach((input, k) => { input.setAttribute("aria-invalid", !found[k]); });
    const say = versus.querySelector("output");
    const wrong = found.indexOf(undefined);
    say.textContent = wrong < 0 ? "" : `No player "${inputs[wrong].value}": choose one of the table.`;
    if (wrong >= 0) return;
    const names = found.map((one) => one.row.querySelector("bdi").textContent);
    inputs.forEach((input, k) => { input.value = names[k]; });
    for (const class_ of ["curve", "end"]) {
      const paths = versus.querySelectorAll(`.history .${class_}`);
      found.forEach((one, k) => {
        paths[k]?.setAttribute("d", one.row.querySelector(`.spark .${class_}`)?.getAttribute("d") ?? "");
      });
    }
    const picture = versus.querySelector(".history");
    if (picture) {
      picture.setAttribute("aria-label", `Histories of ${names[0]} and ${names[1]}.`);
      showHeights(picture);
    }
    showChances(expectedScore(found[0].place, found[1].place), names);
    const groups = versus.dataset.groups?.split(" ");
    if (groups) versus.querySelector(".apart").hidden = groups[found[0].place] === groups[found[1].place];
  }

  function showHeights(picture) { // from the lowest to the highest point, with a few round levels
    const plot = picture.querySelector("svg");
    const points = [...plot.querySelectorAll(".curve")].flatMap(listPoints);
    const heights = points.map((point) => point.y);
    const room = Math.max(4, (Math.max(...heights) - Math.min(...heights)) * 0.04);
    const top = Math.min(...heights) - room, tall = Math.max(...heights) + room - top;
    const { first, last, low, high, dated } = versus.dataset;
    const wide = dated === undefined ? Math.max(1, ...points.map((point) => point.x)) : 1000; // up to the last game
    plot.setAttribute("viewBox", `${-0.025 * wide} ${top} ${1.05 * wide} ${tall}`);
    const games = Number(first) + (last - first) * wide / 1000 - 1;
    if (dated === undefined) picture.parentElement.querySelector(".ends span:last-child").textContent = `game ${Math.round(games)}`;
    const unit = (high - low) / 1000;
    const rough = tall * unit / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
    plot.querySelectorAll(".rule").forEach((one) => one.remove());
    picture.querySelectorAll("text").forEach((one) => one.remove());
    for (let level = Math.ceil((high - (top + tall) * unit) / step) * step; level <= high - top * unit; level += step) {
      const y = (high - level) / unit;
      plot.prepend(makeElement("path", { class: "rule", d: `M-25 ${y}H1025` }));
      const text = makeElement("text", { x: -6, y: `${100 * (y - top) / tall}%`, dy: 4 });
      text.textContent = Number(level.toPrecision(6));
      picture.append(text);
    }
  }

  function expectedScore(one, other) {
    const count = Number(versus.dataset.count);
    if (one === other || one >= count || other >= count) return null;
    const [low, high] = one < other ? [one, other] : [other, one];
    const at = low * count - low * (low + 1) / 2 + high - low - 1;
    const beside = versus.querySelector(".beside")?.checked; // with the members that players share
    const percent = Number((beside ? versus.dataset.beside : versus.dataset.chances).substr(2 * at, 2));
    return one < other ? percent : 100 - percent;
  }

  function showChances(percent, names) {
    const share = versus.querySelector(".share");
    share.hidden = percent === null;
    if (percent === null) {
      const count = Number(versus.dataset.count);
      if (count) versus.querySelector("output").textContent = `Forecasts are on this page for two of the first ${count}.`;
      return;
    }
    share.querySelector("path:last-child").setAttribute("d", `M0 3H${percent}`);
    share.querySelector("svg").setAttribute("aria-label", `${percent} % expected of ${names[0]}`);
    const [first, second] = share.querySelectorAll("strong");
    first.textContent = `${percent} %`;
    second.textContent = `${100 - percent} %`;
  }

  function readPointer(picture) {
    const { first, last, low, high, dated } = picture.closest("[data-first]").dataset;
    const say = picture.closest("figure").querySelector("output") ?? versus.querySelector("output");
    const plot = picture.querySelector("svg");
    const still = say.textContent;
    const mark = makeElement("path", { class: "dashed" });
    plot.append(mark);
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect(), aside = parseFloat(getComputedStyle(picture).paddingLeft);
      const view = plot.viewBox.baseVal;
      const at = view.x + view.width * (event.clientX - box.left - aside) / (box.width - aside);
      const found = [...plot.querySelectorAll(".curve")].map((path) => nearestPoint(path, at));
      mark.setAttribute("d", `M${found[0].x} ${view.y}v${view.height}`);
      say.textContent = found.map((point) => {
        const rating = high - (high - low) * point.y / 1000;
        const when = Number(first) + (last - first) * point.x / 1000;
        return `${rating.toFixed(high - low > 50 ? 0 : 2)}, ${point.now ? "now" : dated === undefined ? `before game ${Math.round(when)}` : isoDay(when)}`;
      }).join("; ");
    });
    picture.addEventListener("pointerleave", () => { say.textContent = still; mark.removeAttribute("d"); });
  }

  function isoDay(day) {
    return new Date(Math.round(day) * 86400000).toISOString().slice(0, 10);
  }

  function nearestPoint(path, at) {
    const points = listPoints(path);
    return points[nearestPlace(points, at)] ?? { x: at, y: 0 };
  }
}
