// "This is me" on a player's page, "Jump to me" on the leaderboard; kept in this browser only.
"use strict";

for (const place of document.querySelectorAll("[data-home]")) {
  const key = "prowess me " + new URL(place.dataset.home, location);
  try {
    if (place.dataset.me === undefined) jump(place, JSON.parse(localStorage.getItem(key)));
    else choose(place, key);
  } catch { /* a browser that keeps nothing */ }
}

function jump(place, me) {
  if (!me) return;
  const link = document.createElement("a");
  const name = document.createElement("bdi");
  link.href = me.place;
  name.textContent = me.name;
  link.append("Jump to me, ", name);
  place.append(link);
  place.hidden = false;
}

function choose(place, key) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  const address = new URL(place.dataset.me, location).href;
  input.type = "checkbox";
  input.checked = JSON.parse(localStorage.getItem(key))?.place === address;
  input.addEventListener("change", () => {
    if (!input.checked) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ name: place.dataset.name, place: address }));
  });
  label.className = "beside";
  label.append(input, "This is me");
  place.append(label);
  place.hidden = false;
}
