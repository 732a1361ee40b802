// Stored matches: look again, download, print, delete.

import { api, app, session, onSession, toast } from "./app.js";
import { h, put } from "./dom.js";
import { disc } from "./parts.js";
import { deleteMatch } from "./referee.js";
import { t, when } from "./texts.js";

const FORMS = ["mat", "sgf", "json", "html"];

function result(match) {
  if (match.winner) return t("matches.won", { who: match[match.winner], score: match.score.join("–") });
  return t("matches.open", { score: match.score.join("–") });
}

function row(match) {
  const path = `/matches/${encodeURIComponent(match.id)}`;
  const remove = async () => {
    if (!(await deleteMatch(match.id))) return;
    toast(t("done.deleted"));
    draw();
  };
  return h(
    "li",
    { class: "card match-row" },
    h("div", { class: "stack" },
      h("h2", {}, h("a", { href: path }, disc("white"), " ", match.white, " – ", disc("black"), " ", match.black)),
      h("p", {}, result(match), " · ", match.length ? t("match.to", { n: match.length }) : t("match.money")),
      h("p", { class: "small" }, match.date ? when(match.date) : "", " · ", t("matches.turns", { n: match.turns }))),
    h("div", { class: "row" },
      h("a", { class: "button", href: path }, t("matches.watch")),
      h("a", { class: "button", href: `${path}/sheet` }, t("page.sheet")),
      FORMS.map((form) => h("a", { class: "button", href: `/api${path}/export/${form}`, download: true, "aria-label": t("matches.download", { form: `.${form}` }) }, `.${form}`)),
      session.operator ? h("button", { type: "button", class: "danger", onclick: remove }, t("do.delete")) : null),
  );
}

async function draw() {
  try {
    const matches = await api("GET", "matches");
    put(app, matches.length ? h("ul", { class: "stack" }, matches.map(row)) : h("p", { class: "notice" }, t("matches.none")));
  } catch (error) {
    put(app, h("p", { class: "problem", role: "alert" }, error.message), h("button", { type: "button", onclick: draw }, t("do.retry")));
  }
}

put(app, h("p", {}, t("load.wait")));
onSession(draw);
