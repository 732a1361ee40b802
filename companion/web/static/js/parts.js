// The pieces that several pages show: status line, player plates, banner, play list.

import { api, onSession, send, session, sheet } from "./app.js";
import { dieIcon, h, icon } from "./dom.js";
import { ruleName, say, seconds, t } from "./texts.js";

const STATUS_ICON = {
  no_match: "ask",
  calibrate: "camera",
  watching: "eye",
  hands: "hand",
  waiting_roll: "dice",
  rolled: "dice",
  reroll: "warn",
  illegal: "stop",
  doubt: "ask",
  double_offered: "cube",
  camera_lost: "off",
  paused: "pause",
  game_over: "trophy",
  match_over: "trophy",
};
const LOUD = { reroll: "warn", illegal: "bad", doubt: "ask", camera_lost: "bad", premature: "warn" };

export function statusLine(view, line = "live") {
  if (line === "offline") return h("p", { class: "status offline" }, icon("off"), h("span", {}, t("status.offline")));
  const tone = LOUD[view.status] ?? "calm";
  return h("p", { class: `status ${tone}` }, icon(STATUS_ICON[view.status] ?? "eye"), h("span", {}, say(view.status_text)));
}

export function disc(side) {
  return h("span", { class: `disc ${side}`, role: "img", "aria-label": t(`side.${side}`) });
}

export function scoreOf(view, side) {
  return view.score[side === "white" ? 0 : 1];
}

export function matchLine(view) {
  const length = view.length ? t("match.to", { n: view.length }) : t("match.money");
  const crawford = view.crawford ? t("match.crawford") : view.post_crawford ? t("match.post_crawford") : "";
  return [view.game ? t("match.game", { game: view.game }) : "", length, crawford].filter(Boolean).join(" · ");
}

function timeLeft(view, side) {
  const { kind, left, running, flag } = view.clock;
  if (kind === "none") return null;
  const mine = left[side === "white" ? 0 : 1];
  const classes = ["time", running === side ? "running" : "", flag === side ? "fallen" : ""].join(" ");
  return h("span", { class: classes }, seconds(mine));
}

export function plate(view, side) {
  const turn = view.on_roll === side;
  const pips = view.pips?.[side === "white" ? 0 : 1];
  return h(
    "div",
    { class: `plate ${side}${turn ? " turn" : ""}` },
    disc(side),
    h("strong", { class: "name" }, view[side]),
    h("span", { class: "whose" }, turn ? t("table.to_move") : ""),
    timeLeft(view, side),
    pips === undefined ? null : h("span", { class: "pips" }, t("table.pips", { n: pips })),
    h("span", { class: "score", "aria-label": t("table.score", { n: scoreOf(view, side) }) }, String(scoreOf(view, side))),
  );
}

function evidenceUrl(view, name) {
  return `/api/matches/${encodeURIComponent(view.match_id)}/evidence/${encodeURIComponent(name)}`;
}

export function showEvidence(view, names) {
  return sheet(
    t("evidence.title"),
    () => h("div", { class: "stack" }, names.map((name) => h("img", { class: "evidence", src: evidenceUrl(view, name), alt: t("evidence.alt") }))),
    { wide: true },
  );
}

export function evidencePicture(view, names) {
  if (!names?.length) return null;
  const open = () => showEvidence(view, names);
  const image = h("img", { src: evidenceUrl(view, names[0]), alt: t("evidence.alt"), loading: "lazy" });
  const button = h("button", { type: "button", class: "thumb", onclick: open, "aria-label": t("evidence.show") }, image);
  image.addEventListener("error", () => button.remove());
  return button;
}

export function choiceButton(choice, main = false) {
  return h("button", { type: "button", class: main ? "primary" : "", onclick: () => send(choice.command) }, say(choice.text));
}

export function ruleTags(rules) {
  return rules?.length
    ? h("ul", { class: "rules", "aria-label": t("banner.rules") }, rules.map((id) => h("li", {}, ruleName(id))))
    : null;
}

export function bannerTone(kind) {
  return { illegal: "bad", camera_lost: "bad", reroll: "warn", premature: "warn", doubt: "ask", double: "ask" }[kind] ?? "good";
}

/** The unmistakable thing; null while there is nothing to say. */
export function bannerBox(view, { choices = true } = {}) {
  const banner = view.banner;
  if (!banner) return null;
  const tone = bannerTone(banner.kind);
  const mark = { bad: "stop", warn: "warn", ask: "ask", good: "trophy" }[tone];
  const until = banner.until ? h("p", { class: "until" }, t("banner.until", { until: t(`until.${banner.until}`) })) : null;
  const buttons = choices && banner.choices.length ? h("div", { class: "row choices" }, banner.choices.map((c, i) => choiceButton(c, i === 0))) : null;
  return h(
    "section",
    { class: `banner ${tone}`, "aria-labelledby": "banner-title" },
    icon(banner.kind === "camera_lost" ? "off" : mark),
    h(
      "div",
      { class: "stack" },
      h("h2", { id: "banner-title" }, t(`banner.${banner.kind}`)),
      h("p", { class: "sentence" }, say(banner.text)),
      ruleTags(banner.rules),
      until,
      buttons,
    ),
    evidencePicture(view, banner.evidence),
  );
}

/** What a screen reader hears at once. */
export function bannerWords(view) {
  return view.banner ? `${t(`banner.${view.banner.kind}`)}. ${say(view.banner.text)}` : "";
}

const VERDICT = { illegal: "stop", reroll: "warn", premature: "warn" };

/** A note that says by itself what was done ("doubles to 4"). */
function speaks(turn) {
  return Boolean(turn.note?.code.startsWith("turn."));
}

export function turnWords(turn) {
  const dice = turn.dice ? turn.dice.join("-") : "";
  const what = turn.kind === "play" ? turn.play : speaks(turn) ? say(turn.note) : t(`turn.${turn.kind}`);
  return [dice && `${dice}:`, what].filter(Boolean).join(" ");
}

function verdict(turn) {
  if (turn.legal && !VERDICT[turn.kind]) return null;
  const mark = VERDICT[turn.kind] ?? "stop";
  const words = turn.rules.length ? turn.rules.map(ruleName).join("; ") : t(turn.legal ? `banner.${turn.kind}` : "verdict.illegal");
  return h("span", { class: `verdict ${mark}`, title: words }, icon(mark), h("span", { class: "hidden" }, words));
}

export function turnLine(view, turn, open) {
  const what = turn.kind === "play" ? turn.play : turnWords({ ...turn, dice: null });
  const inner = [
    h("span", { class: "turn-number" }, String(turn.turn + 1)),
    disc(turn.side),
    h("span", { class: `turn-dice ${turn.side}` }, turn.dice ? turn.dice.map((value) => dieIcon(value)) : null),
    turn.dice ? h("span", { class: "hidden" }, t("turn.rolled", { dice: turn.dice.join("-") })) : null,
    h("span", { class: "turn-play" }, what, turn.note && !speaks(turn) ? h("small", {}, ` ${say(turn.note)}`) : null),
    verdict(turn),
  ];
  const classes = `turn-line ${turn.kind}${turn.legal ? "" : " wrong"}`;
  return h("li", {}, h("button", { type: "button", class: classes, onclick: () => open(turn), "data-key": `turn${turn.seq}` }, inner));
}

/** One more look whenever the operator locks or unlocks. */
export function redrawOnSession(draw) {
  onSession(() => draw());
  return session.operator;
}

export async function legalPlays(id, dice) {
  return (await api("POST", "legal", { id, dice })).results;
}
