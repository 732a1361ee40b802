// The score sheet on paper: both players' plays side by side, game by game.

import { api, app } from "./app.js";
import { h, put } from "./dom.js";
import { boot, say, t, when } from "./texts.js";

/** Steps of one game as rows: White's cell, Black's cell. */
function rows(steps) {
  const lines = [];
  for (const step of steps) {
    if (!step.side || step.type === "game_start") continue;
    const cell = `${step.dice ? `${step.dice.join("")}: ` : ""}${say(step.text)}${step.legal === false ? ` (${t("verdict.illegal")})` : ""}`;
    const column = step.side === "white" ? 0 : 1;
    if (!lines.length || lines.at(-1)[column] || (column === 0 && lines.at(-1)[1])) lines.push([null, null]);
    lines.at(-1)[column] = cell;
  }
  return lines;
}

function game(match, number) {
  const steps = match.steps.filter((step) => step.game === number);
  return h(
    "section",
    { class: "sheet-game" },
    h("h2", {}, t("match.game", { game: number })),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "№"), h("th", { scope: "col" }, match.white), h("th", { scope: "col" }, match.black))),
      h("tbody", {}, rows(steps).map(([white, black], i) => h("tr", {}, h("th", { scope: "row" }, String(i + 1)), h("td", {}, white ?? ""), h("td", {}, black ?? "")))),
    ),
  );
}

async function draw() {
  const match = await api("GET", `matches/${encodeURIComponent(boot.match_id)}`);
  const games = [...new Set(match.steps.map((step) => step.game).filter(Boolean))];
  document.querySelector("h1").textContent = `${t("page.sheet")}: ${match.white} – ${match.black}`;
  put(
    app,
    h("p", {}, [match.date ? when(match.date) : "", match.length ? t("match.to", { n: match.length }) : t("match.money"), t("replay.score", { score: match.score.join("–") })].filter(Boolean).join(" · ")),
    h("div", { class: "row no-print" }, h("button", { type: "button", class: "primary", onclick: () => print() }, t("do.print")), h("a", { class: "button", href: "/matches" }, t("do.back"))),
    games.map((number) => game(match, number)),
    h("div", { class: "signatures" }, h("p", {}, match.white), h("p", {}, match.black)),
  );
}

draw().catch((error) => put(app, h("p", { class: "problem", role: "alert" }, error.message)));
