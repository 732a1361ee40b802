// How the companion is: camera, disk, temperature, versions, last errors.

import { api, app } from "./app.js";
import { h, icon, put } from "./dom.js";
import { has, number, t, when } from "./texts.js";

const EVERY_MS = 5000;

function fact(label, value, ok = null) {
  const mark = ok === null ? null : h("span", { class: ok ? "good-mark" : "bad-mark" }, icon(ok ? "ok" : "warn"), h("span", { class: "hidden" }, t(ok ? "health.ok" : "health.bad")));
  return h("div", { class: "fact" }, h("dt", {}, label), h("dd", {}, mark, " ", value));
}

function duration(total) {
  const hours = Math.floor(total / 3600);
  return t("health.hours", { hours, minutes: Math.floor((total % 3600) / 60) });
}

function facts(report) {
  const { camera = {}, disk = {}, versions = {} } = report;
  const age = camera.frame_age_s;
  const problems = (camera.problems ?? []).map((name) => (has(`view.${name}`) ? t(`view.${name}`) : name)).join(", ");
  return [
    fact(t("health.camera"), camera.source || "–", Boolean(camera.ok)),
    fact(t("health.view"), problems || t("health.clear"), !problems),
    fact(t("health.age"), age === null || age === undefined ? "–" : t("health.seconds", { n: number(age, 1) }), age !== null && age !== undefined && age < 5),
    fact(t("health.fps"), number(camera.fps ?? 0, 1)),
    fact(t("health.disk"), disk.free_gb === undefined ? "–" : t("health.free", { free: number(disk.free_gb, 1), total: number(disk.total_gb, 1) }), disk.free_gb === undefined ? null : disk.free_gb > 1),
    fact(t("health.temperature"), report.temperature_c ? `${number(report.temperature_c, 1)} °C` : t("health.unknown"), report.temperature_c ? report.temperature_c < 80 : null),
    fact(t("health.viewers"), t("health.of", { n: number(report.viewers), most: number(report.viewers_most) })),
    fact(t("health.uptime"), duration(report.uptime_s ?? 0)),
    ...Object.entries(versions).map(([name, version]) => fact(name, version)),
  ];
}

function errors(list) {
  if (!list?.length) return h("p", {}, t("health.no_errors"));
  return h("ul", { class: "stack" }, [...list].reverse().map(({ t: time, text }) => h("li", {}, h("span", { class: "small" }, when(time)), " ", text)));
}

const box = h("div", { class: "stack" }, h("p", {}, t("load.wait")));
put(app, box);

async function draw() {
  try {
    const report = await api("GET", "health");
    put(box, h("dl", { class: "card facts" }, facts(report)), h("section", { class: "card stack" }, h("h2", {}, t("health.errors")), errors(report.errors)));
  } catch (error) {
    put(box, h("p", { class: "problem", role: "alert" }, error.message));
  }
}

draw();
setInterval(() => !document.hidden && draw(), EVERY_MS);
