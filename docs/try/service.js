// The service worker: keeps the files of the page, so that it works without a network. What comes packed is kept
// unpacked, so that a later visit takes it as it is, and the browser keeps what it compiled of it.
"use strict";
const KEPT = "prowess-{{MARK}}", HERE = new URL(".", location).href;
const FILES = {{FILES}};
const NAMES = ["", ...FILES.filter((name) => name !== "service.js").map((name) => name.replace(/\.(js|wasm|zip|tar)\.gz$/, ".$1"))];

async function take(kept, name) { // from the server
  const packed = FILES.includes(`${name}.gz`), file = await fetch(`${HERE}${name}${packed ? ".gz" : ""}`);
  if (!file.ok) throw new Error(`${file.url}: ${file.status}`);
  const headers = name.endsWith(".wasm") ? { "Content-Type": "application/wasm" } : {};
  await kept.put(HERE + name, packed ? new Response(file.body.pipeThrough(new DecompressionStream("gzip")), { headers }) : file);
  return kept.match(HERE + name);
}

// All that is not kept, and once at a time: of a page whose files are lost the browser may have some in memory, and
// then it does not ask for these.
let taking = null;
const takeAll = (kept) => taking ??= Promise.allSettled(NAMES.map(async (name) => await kept.match(HERE + name) ?? take(kept, name)))
  .finally(() => { taking = null; });

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then(takeAll).then((files) => {
    const lost = files.find((file) => file.status === "rejected");
    if (lost) throw lost.reason;
  }));
});
addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(
    names.filter((name) => name.startsWith("prowess-") && name !== KEPT).map((name) => caches.delete(name)))));
});
addEventListener("fetch", (event) => {
  const name = event.request.url.split("#")[0].replace(HERE, "");
  if (event.request.method !== "GET" || !NAMES.includes(name)) return;
  event.respondWith(caches.open(KEPT).then(async (kept) => {
    if (!await kept.match(HERE + name)) await takeAll(kept);
    return await kept.match(HERE + name) ?? fetch(event.request);
  }));
});
