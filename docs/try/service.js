// The service worker: keeps the files of the page, so that it works without a network. What comes packed is kept
// unpacked, so that a later visit takes it as it is, and the browser keeps what it compiled of it.
"use strict";
const KEPT = "prowess-{{MARK}}";
const FILES = {{FILES}};

const PACKED = /\.(js|wasm|zip|tar)\.gz$/;

async function keep() {
  const kept = await caches.open(KEPT);
  await kept.addAll([".", ...FILES.filter((name) => name !== "service.js" && !PACKED.test(name))]);
  await Promise.all(FILES.filter((name) => PACKED.test(name)).map(async (packed) => {
    const { body } = await fetch(packed), name = packed.slice(0, -3);
    const headers = name.endsWith(".wasm") ? { "Content-Type": "application/wasm" } : {};
    await kept.put(name, new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers }));
  }));
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(
    names.filter((name) => name.startsWith("prowess-") && name !== KEPT).map((name) => caches.delete(name)))));
});
addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(KEPT).then(async (kept) => await kept.match(event.request) ?? fetch(event.request)));
});
