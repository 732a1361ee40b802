// Teaching the camera the board: see, put the corners right, say where White sits, try, keep.

import { api, app, login, onSession, session, toast } from "./app.js";
import { h, icon, put, s } from "./dom.js";
import { Handles } from "./handles.js";
import { has, percent, t } from "./texts.js";

const EVERY_MS = 1000;
const SEATS = ["top", "left", "right", "bottom"];
const HOMES = ["right", "left"];
const METERS = ["light", "sharpness", "size"];
const state = { seat: null, home: null, moved: false, corners: null, found: null, address: null };
const image = h("img", { alt: t("cal.picture"), class: "cal-picture" });
const overlay = s("svg", { class: "cal-overlay", role: "group", "aria-label": t("cal.corners") });
const handles = new Handles(overlay, (corners) => {
  state.corners = corners;
  state.moved = true;
});
const outcome = h("div", { class: "stack", "aria-live": "polite" });
const meters = h("div", { class: "stack" });
const seats = h("div", { class: "cal-view" });
const homes = h("div", { class: "chips", role: "group", "aria-label": t("cal.home") });
let timer = 0;

async function refresh() {
  clearTimeout(timer);
  if (!session.operator || document.hidden) return;
  try {
    const answer = await fetch("/api/camera.jpg", { cache: "no-store" });
    if (answer.ok) showPicture(await answer.blob());
    else put(outcome, h("p", { class: "notice" }, t("cal.no_picture")));
  } finally {
    timer = setTimeout(refresh, EVERY_MS);
  }
}

function showPicture(blob) {
  const old = state.address;
  state.address = URL.createObjectURL(blob);
  image.src = state.address;
  image.onload = () => {
    if (old) URL.revokeObjectURL(old);
    if (!state.corners) placeCorners();
  };
}

/** Before anything is found: a frame in the middle of the picture to start from. */
function placeCorners() {
  const [w, height] = [image.naturalWidth, image.naturalHeight];
  if (w > 1) handles.set([w, height], state.address, [[0.15, 0.15], [0.85, 0.15], [0.85, 0.85], [0.15, 0.85]].map(([x, y]) => [x * w, y * height]));
}

const seatButtons = SEATS.map((name) => h("button", { type: "button", class: `seat ${name}`, "data-key": `seat-${name}`, onclick: () => choose("seat", name) }, t("cal.white_here"), h("span", { class: "hidden" }, ` ${t(`cal.seat.${name}`)}`)));
const homeButtons = HOMES.map((name) => h("button", { type: "button", class: "chip", "data-key": `home-${name}`, onclick: () => choose("home", name) }, t(`cal.home.${name}`)));
put(seats, seatButtons, h("div", { class: "cal-stage" }, image, overlay));
put(homes, homeButtons);

/** The buttons stay the same ones: a finger that is on one must find it when it is lifted. */
function showChoices() {
  SEATS.forEach((name, i) => seatButtons[i].setAttribute("aria-pressed", String(state.seat === name)));
  HOMES.forEach((name, i) => homeButtons[i].setAttribute("aria-pressed", String(state.home === name)));
}

/** One tap says it, a second one on the same button changes nothing: fingers tap twice. */
function choose(what, value) {
  state[what] = value;
  showChoices();
}

function meter(name, value) {
  const label = t(`cal.meter.${name}`);
  return h("div", { class: "meter" }, h("span", {}, label), h("meter", { min: 0, max: 1, low: 0.35, high: 0.6, optimum: 1, value, "aria-label": label }), h("span", {}, percent(value, 0)));
}

function showMeters(found) {
  put(meters, METERS.filter((name) => found.meters?.[name] !== undefined).map((name) => meter(name, found.meters[name])), (found.advice ?? []).map((code) => h("p", { class: "small" }, has(`cal.advice.${code}`) ? t(`cal.advice.${code}`) : code)));
}

/** The refusal in the reader's language; the engine's own words where there is no text for it. */
function reasonOf(found) {
  const code = `cal.reason.${found.reason_code}`;
  return has(code) ? t(code) : found.reason;
}

function showOutcome(found) {
  if (found.corners) {
    state.corners = found.corners;
    handles.set(found.size, state.address, found.corners, found.grid ?? []);
  }
  state.seat = found.white_side ?? state.seat;
  state.home = found.home ?? state.home;
  showChoices();
  showMeters(found);
  if (!found.ok) {
    put(outcome, h("div", { class: "banner warn" }, icon("warn"), h("div", { class: "stack" }, h("h2", {}, t("cal.failed")), h("p", { class: "sentence" }, reasonOf(found)), h("p", {}, t("cal.failed_help")))));
    return;
  }
  put(
    outcome,
    h("div", { class: "banner good" }, icon("ok"), h("div", { class: "stack" }, h("h2", {}, t("cal.found")), h("p", { class: "sentence" }, t("cal.sure", { share: percent(found.confidence, 0) })),
      h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: keepIt }, t("cal.keep")), h("button", { type: "button", onclick: discard }, t("cal.discard"))))),
  );
}

async function attempt(withCorners) {
  if (!session.operator && !(await login())) return;
  put(outcome, h("p", {}, t("cal.trying")));
  try {
    showOutcome(await api("POST", "calibration/try", { corners: withCorners ? state.corners : null, white_side: state.seat, home: state.home }));
  } catch (error) {
    put(outcome, h("p", { class: "problem", role: "alert" }, error.message));
  }
}

async function keepIt() {
  try {
    await api("POST", "calibration/keep");
    toast(t("cal.kept"));
    put(outcome, h("p", {}, t("cal.kept"), " ", h("a", { href: "/" }, t("error.home"))));
  } catch (error) {
    toast(error.message, "bad");
  }
}

async function discard() {
  await api("POST", "calibration/discard").catch((error) => toast(error.message, "bad"));
  put(outcome);
  state.corners = null;
}

function page(operator) {
  if (!operator) {
    put(app, h("div", { class: "card stack" }, h("p", {}, t("cal.text")), h("p", {}, h("button", { type: "button", class: "primary", onclick: login }, t("pin.unlock")))));
    return;
  }
  put(
    app,
    h(
      "div",
      { class: "table" },
      h("div", { class: "table-main" }, h("p", {}, t("cal.text")), seats),
      h("div", { class: "table-side" },
        h("section", { class: "card stack" }, h("h2", {}, t("cal.step1")), h("p", {}, t("cal.step1_text")), h("button", { type: "button", class: "primary", onclick: () => attempt(false) }, t("cal.find"))),
        outcome,
        meters,
        h("section", { class: "card stack" }, h("h2", {}, t("cal.step2")), h("p", {}, t("cal.step2_text")), h("p", {}, t("cal.home")), homes, h("button", { type: "button", onclick: () => attempt(true) }, t("cal.use_corners")))),
    ),
  );
  showChoices();
  refresh();
}

document.addEventListener("visibilitychange", refresh);
onSession(page);
