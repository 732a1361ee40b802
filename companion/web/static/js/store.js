// The live view: server-sent events, reconnecting by itself; polling where no stream is to be had.

import { boot } from "./texts.js";

const SILENCE_MS = 12_000; // Heartbeats come every 5 s: after this long without one the line is dead.
const POLL_MS = 2_000;
const LONGEST_WAIT_MS = 8_000;

export const store = { view: boot.view, state: "connecting", receivedAt: performance.now() };
const watchers = new Set();
let source = null;
let wait = 500;
let timer = 0;
let watchdog = 0;

export function watch(draw) {
  watchers.add(draw);
  draw(store.view, store.state);
  return () => watchers.delete(draw);
}

function tell() {
  for (const draw of watchers) draw(store.view, store.state);
}

function setState(state) {
  if (store.state === state) return;
  store.state = state;
  document.documentElement.dataset.line = state;
  tell();
}

function alive() {
  clearTimeout(watchdog);
  watchdog = setTimeout(lost, SILENCE_MS);
  wait = 500;
}

function take(view) {
  store.view = view;
  store.receivedAt = performance.now();
  if (store.state === "live") tell();
  else setState("live");
}

/** The server was exchanged for one with other files: start afresh with them. */
function newServer(now) {
  return now.split("-")[0] !== boot.boot.split("-")[0];
}

function lost() {
  source?.close();
  source = null;
  clearTimeout(watchdog);
  clearTimeout(timer);
  setState("offline");
  timer = setTimeout(retry, wait + Math.random() * 250);
  wait = Math.min(wait * 2, LONGEST_WAIT_MS);
}

/** A stream that was refused (too many viewers) still leaves single answers. */
async function retry() {
  try {
    const answer = await fetch("/api/view", { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    take(await answer.json());
    connect();
  } catch {
    lost();
  }
}

async function poll() {
  clearTimeout(timer);
  timer = setTimeout(retry, POLL_MS);
}

export function connect() {
  source?.close();
  clearTimeout(timer);
  source = new EventSource("/api/stream");
  source.addEventListener("hello", (event) => {
    alive();
    if (newServer(JSON.parse(event.data).boot)) location.reload();
  });
  source.addEventListener("view", (event) => {
    alive();
    take(JSON.parse(event.data));
  });
  source.addEventListener("patch", (event) => {
    alive();
    take({ ...store.view, ...JSON.parse(event.data) });
  });
  source.addEventListener("here", alive);
  source.onerror = () => (source.readyState === EventSource.CLOSED && store.state === "live" ? poll() : lost());
}

addEventListener("pagehide", () => {
  source?.close();
  source = null;
  clearTimeout(timer);
  clearTimeout(watchdog);
});
addEventListener("pageshow", (event) => event.persisted && connect());
addEventListener("online", () => !source && retry());
