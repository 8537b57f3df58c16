// The service worker: keeps the files of the page, so that it works without a network.
"use strict";
const KEPT = "prowess-{{MARK}}";
const FILES = {{FILES}};

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll([".", ...FILES.filter((name) => name !== "service.js")])));
});
addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(
    names.filter((name) => name.startsWith("prowess-") && name !== KEPT).map((name) => caches.delete(name)))));
});
addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(KEPT).then(async (kept) => await kept.match(event.request) ?? fetch(event.request)));
});
