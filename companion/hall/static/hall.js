// The director's page: asks for news, waits for the answer (a long poll), draws what changed.

import { h, onChange, put } from "/static/js/dom.js";
import { boot, number, say, t } from "/static/js/texts.js";

const RETRY_MS = 2000;
const SILENT_MS = 20000; // the server answers within ten seconds, with or without news
const place = (id) => document.getElementById(id);

const idOf = (card) => `table-${card.key.replace(/[^\w-]/g, "_")}`;

function player(card, side, points) {
  const turn = card.on_roll === side && card.match_id !== "";
  return [
    h("span", { class: `hall-man ${side}`, role: "img", "aria-label": t(`side.${side}`) }),
    h("span", { class: turn ? "name turn" : "name" }, card[side], turn && h("span", { "aria-hidden": "true" }, " ◂"), turn && h("span", { class: "hidden" }, `: ${t("hall.on_roll", { name: card[side] })}`)),
    h("span", { class: "points" }, String(points)),
  ];
}

function state(card) {
  if (!card.online) return [t("hall.offline"), true];
  if (card.status === "camera_lost") return [t("hall.camera_lost"), true];
  if (card.needs_you) return [`${t("hall.needs")}: ${say(card.banner ?? card.status_text)}`, true];
  return [say(card.status_text), false];
}

function cube(card) {
  return card.cube_owner ? t("hall.cube", { value: card.cube, owner: card[card.cube_owner] }) : t("hall.cube_centre");
}

function health(card) {
  const free = number(card.health.free_gb, 1);
  if (card.health.temperature_c === null) return t("hall.health_disk", { free });
  return t("hall.health", { free, temperature: number(card.health.temperature_c) });
}

function drawCard(card) {
  const [text, alarm] = state(card);
  const goal = card.length ? t("hall.to_points", { n: card.length }) : t("hall.money");
  const link = card.online && /^https?:\/\//.test(card.address);
  const name = link ? h("a", { href: card.address, title: t("hall.open", { table: card.table }) }, card.table) : card.table;
  const kind = alarm ? (card.online ? "needs" : "offline") : "";
  return h("li", { class: `hall-card ${kind}`, id: idOf(card) },
    h("h2", {}, name, card.match_id && h("small", {}, goal, card.crawford && `, ${t("hall.crawford")}`)),
    card.match_id && h("div", { class: "hall-players" }, player(card, "white", card.score[0]), player(card, "black", card.score[1])),
    h("p", { class: alarm ? "hall-state alarm" : "hall-state" }, text),
    card.match_id && h("p", { class: "small" }, cube(card), card.last_play && ` · ${t(card.last_legal ? "hall.last" : "hall.last_illegal", { play: card.last_play })}`),
    h("p", { class: "small" }, health(card)),
  );
}

function needing(tables) {
  const waiting = tables.filter((card) => !card.online || card.needs_you);
  return waiting.sort((a, b) => (b.waiting_s ?? 0) - (a.waiting_s ?? 0));
}

const drawCards = new Map();

/** Only cards that changed are drawn anew: links keep their focus, fifty tables cost nothing. */
function drawTables(tables) {
  const list = place("tables");
  for (const [key, kept] of drawCards) if (!tables.some((card) => card.key === key)) { kept.element.remove(); drawCards.delete(key); }
  tables.forEach((card, index) => {
    const { waiting_s, ...shown } = card;
    const text = JSON.stringify(shown);
    const kept = drawCards.get(card.key);
    if (kept?.text === text) return;
    const element = drawCard(card);
    if (kept) kept.element.replaceWith(element);
    else list.insertBefore(element, list.children[index] ?? null);
    drawCards.set(card.key, { text, element });
  });
}

const drawNeeds = onChange((waiting) => {
  put(place("needs"), waiting.map((card) => h("a", { href: `#${card.id}`, "data-key": card.key }, h("span", { "aria-hidden": "true" }, "⚠"), `${card.table}: ${card.text}`)));
  place("said").textContent = waiting.map((card) => `${card.table}: ${card.text}`).join(". ");
});

function draw(report) {
  const waiting = needing(report.tables);
  const names = waiting.map((card) => ({ key: card.key, id: idOf(card), table: card.table, text: state(card)[0] }));
  drawNeeds(names);
  drawTables(report.tables);
  place("count").textContent = report.tables.length ? t("hall.tables", { n: report.tables.length }) : t("hall.none");
  place("well").textContent = report.tables.length && !waiting.length ? t("hall.all_well") : "";
  trouble(report.connected ? "" : t("hall.no_broker", { broker: boot.broker }));
}

function trouble(text) {
  place("trouble").hidden = !text;
  place("trouble").textContent = text;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function follow(seen) {
  for (;;) {
    try {
      const answer = await fetch(`/api/tables?seen=${seen}`, { signal: AbortSignal.timeout(SILENT_MS) });
      if (!answer.ok) throw new Error(String(answer.status));
      const report = await answer.json();
      seen = report.revision;
      draw(report);
      await pause(200);
    } catch {
      trouble(t("hall.no_server"));
      await pause(RETRY_MS);
      seen = "";
    }
  }
}

draw(boot.report);
follow(boot.report.revision);
