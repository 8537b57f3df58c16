// "3 new results. Show": what came since the page was made. Nothing moves under the eye.
"use strict";

const place = document.querySelector("[data-events]");
let count = 0;
// a page that is soon left opens no stream
setTimeout(() => {
  const events = new EventSource(place.dataset.events);
  for (const kind of ["record", "accept"]) events.addEventListener(kind, tell);
  for (const kind of ["correct", "void", "restore"]) events.addEventListener(kind, tell);
  addEventListener("pagehide", () => events.close());
}, 3000);

function tell(event) {
  count += JSON.parse(event.data).results_total || 1;
  place.querySelector("output").textContent = `${count} new ${count === 1 ? "result" : "results"}.`;
  place.hidden = false;
}
