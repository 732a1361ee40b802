// The board as SVG: points, checkers that glide, bar, tray, dice, cube, arrows of the last play, highlights.

import { BOTTOM, HEIGHT, MIDDLE, MOST, P, POINT_HEIGHT, R, TOP, WIDTH, makeLayout } from "./board_layout.js";
import { onChange, pips, s } from "./dom.js";
import { t } from "./texts.js";

const SIDES = ["white", "black"];
const FIELD_HEIGHT = BOTTOM - TOP;

/** own point of `side` -> the same place in White's numbering; bar and off have none. */
export function whitePoint(side, own) {
  return side === "white" ? own : 25 - own;
}

function triangle({ x, low }) {
  const base = low ? BOTTOM : TOP;
  const tip = low ? BOTTOM - POINT_HEIGHT : TOP + POINT_HEIGHT;
  return `M${x - P / 2 + 1} ${base} L${x} ${tip} L${x + P / 2 - 1} ${base} Z`;
}

function surface(layout) {
  const field = (x) => s("rect", { class: "felt", x, y: TOP, width: 6 * P, height: FIELD_HEIGHT });
  const points = [];
  for (let n = 1; n <= 24; n += 1) {
    const place = layout.point(n);
    const tone = place.label % 2 ? "tone-a" : "tone-b";
    points.push(s("path", { class: `point ${tone}`, d: triangle(place) }));
    const y = place.low ? HEIGHT - 9 : 26;
    points.push(s("text", { class: "number", x: place.x, y, "data-label": place.label }, String(place.label)));
  }
  return s(
    "g",
    {},
    s("rect", { class: "wood", width: WIDTH, height: HEIGHT, rx: 18 }),
    field(layout.left),
    field(layout.left + 6 * P + layout.barWidth),
    s("rect", { class: "bar-strip", x: layout.left + 6 * P, y: 0, width: layout.barWidth, height: HEIGHT }),
    s("path", { class: "hinge", d: `M${layout.barX} 0V${HEIGHT}` }),
    s("rect", { class: "tray", x: layout.trayX, y: TOP, width: layout.trayWidth, height: FIELD_HEIGHT, rx: 6 }),
    points,
  );
}

function checker(side) {
  return s(
    "g",
    { class: `checker ${side}` },
    s("ellipse", { class: "shade", cx: 2, cy: 4, rx: R, ry: R }),
    s("circle", { class: "body", r: R }),
    s("circle", { class: "groove", r: R * 0.72 }),
    s("circle", { class: "dish", r: R * 0.46 }),
    s("rect", { class: "slab", x: -36, y: -8, width: 72, height: 16, rx: 5 }),
  );
}

/** Keeps fifteen checkers a side; those that stay where they are do not move, the others glide. */
class Checkers {
  constructor(layer) {
    this.slots = { white: [], black: [] };
    for (const side of SIDES) {
      for (let i = 0; i < 15; i += 1) {
        const element = checker(side);
        layer.append(element);
        this.slots[side].push({ element, key: null });
      }
    }
  }

  update(side, counts, layout) {
    const wanted = new Map();
    counts.forEach((n, own) => {
      for (let i = 0; i < n; i += 1) wanted.set(`${own}.${i}`, { own, i, ...layout.place(side, own, i) });
    });
    const free = [];
    for (const slot of this.slots[side]) {
      if (slot.key && wanted.has(slot.key)) {
        this.set(slot, wanted.get(slot.key));
        wanted.delete(slot.key);
      } else free.push(slot);
    }
    for (const slot of free) {
      const [key, place] = wanted.entries().next().value ?? [null, null];
      slot.key = key;
      wanted.delete(key);
      slot.element.classList.toggle("gone", !place);
      if (place) {
        slot.element.parentNode.append(slot.element);
        this.set(slot, place);
      }
    }
  }

  set({ element }, { x, y, own, i }) {
    element.style.transform = `translate(${x}px, ${y}px)`;
    element.classList.remove("gone");
    element.classList.toggle("off", own === 0);
    element.classList.toggle("buried", i >= (own === 25 ? 4 : MOST) && own !== 0);
  }
}

function stackNumbers(view, layout) {
  const labels = [];
  for (const side of SIDES) {
    view[`${side}_position`].forEach((n, own) => {
      if (own === 0 ? !n : n <= (own === 25 ? 4 : MOST)) return;
      const place = layout.place(side, own, own === 0 ? 14 : n - 1);
      const y = own === 0 ? place.y + (side === layout.bottom ? -26 : 32) : place.y + 11;
      labels.push(s("text", { class: own === 0 ? "stack-number off-number" : `stack-number on-${side}`, x: place.x, y }, String(n)));
    });
  }
  return labels;
}

function die(die, x, y, tilt) {
  const bad = !["flat", "moving", "unsure"].includes(die.state);
  return s(
    "g",
    { class: `die ${die.side ?? "white"} ${bad ? "bad" : die.state}`, transform: `translate(${x} ${y}) rotate(${tilt})` },
    s("rect", { class: "shade", x: -28, y: -24, width: 60, height: 60, rx: 13 }),
    s("rect", { class: "face", x: -30, y: -30, width: 60, height: 60, rx: 13 }),
    die.value
      ? pips(die.value).map(([px, py]) => s("circle", { class: "pip", cx: px * 16, cy: py * 16, r: 5.6 }))
      : s("text", { class: "unread", y: 14 }, "?"),
    bad ? s("rect", { class: "bad-ring", x: -37, y: -37, width: 74, height: 74, rx: 17 }) : null,
  );
}

function diceShapes(dice, onRoll, layout) {
  const opening = dice.length === 2 && dice[0].side && dice[1].side && dice[0].side !== dice[1].side;
  return dice.map((each, i) => {
    const side = each.side ?? onRoll ?? layout.bottom;
    const centre = layout.half(side, opening ? null : each.half);
    const spread = opening ? 0 : (i - (dice.length - 1) / 2) * 84;
    const cocked = each.state === "cocked" || each.state === "stacked";
    return die({ ...each, side }, centre.x + spread, centre.y, cocked ? 27 : i % 2 ? -5 : 6);
  });
}

function cubeShape(cube, layout) {
  if (!cube.in_play) return [];
  const { x, y, size } = layout.cube(cube.owner, cube.offered_by);
  const face = cube.offered_by || cube.value > 1 ? cube.value : 64;
  const half = size / 2;
  return s(
    "g",
    { class: `cube ${cube.offered_by ? "offered" : ""}`, transform: `translate(${x} ${y})` },
    s("rect", { class: "shade", x: -half + 2, y: -half + 5, width: size, height: size, rx: 11 }),
    s("rect", { class: "face", x: -half, y: -half, width: size, height: size, rx: 11 }),
    s("text", { y: size * 0.18, "font-size": size * 0.52 }, String(face)),
  );
}

/** From the place a checker left to where it lies now. */
function arrow(side, step, counts, layout) {
  const from = layout.place(side, step.start, Math.min(counts[step.start] ?? 0, MOST - 1));
  const to = layout.place(side, step.end, Math.max(0, Math.min((counts[step.end] ?? 1) - 1, step.end === 0 ? 14 : MOST - 1)));
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = Math.hypot(dx, dy) || 1;
  const bend = Math.min(70, length * 0.18) * (from.y > MIDDLE === to.y > MIDDLE ? 1 : 0.5);
  const towards = (from.y + to.y) / 2 > MIDDLE ? -1 : 1;
  const mid = [(from.x + to.x) / 2 + (Math.abs(dx) < 5 ? bend : 0), (from.y + to.y) / 2 + towards * (Math.abs(dx) < 5 ? 0 : bend)];
  const end = [to.x - ((to.x - mid[0]) / length) * 20, to.y - ((to.y - mid[1]) / length) * 20];
  const d = `M${from.x} ${from.y} Q${mid[0]} ${mid[1]} ${end[0]} ${end[1]}`;
  return s(
    "g",
    { class: "arrow" },
    s("circle", { class: "ghost", cx: from.x, cy: from.y, r: R - 5 }),
    s("path", { class: "halo", d }),
    s("path", { class: "line", d, "marker-end": "url(#arrow-head)" }),
  );
}

function arrowHead() {
  return s(
    "defs",
    {},
    s(
      "marker",
      { id: "arrow-head", viewBox: "0 0 12 12", refX: 7, refY: 6, markerWidth: 4.6, markerHeight: 4.6, orient: "auto" },
      s("path", { class: "head", d: "M0 0 L12 6 L0 12 Z" }),
    ),
  );
}

/** What a point holds, in words. `n`: White's point, 0/25: trays and bars have words of their own. */
export function pointWords(view, n) {
  const white = view.white_position[n];
  const black = view.black_position[25 - n];
  if (white) return t("board.point.men", { point: n, n: white, side: "white" });
  if (black) return t("board.point.men", { point: n, n: black, side: "black" });
  return t("board.point.empty", { point: n });
}

function placeWords(view, place) {
  if (typeof place === "number") return pointWords(view, place);
  const [kind, side] = place.split(".");
  return t(`board.${kind}`, { side, n: view[`${side}_position`][kind === "bar" ? 25 : 0] });
}

/** A transparent button over a point, a bar half or a tray half. */
function spot(layout, place) {
  let box;
  if (typeof place === "number") {
    const { x, low } = layout.point(place);
    box = { x: x - P / 2, y: low ? MIDDLE + 6 : TOP, width: P, height: FIELD_HEIGHT / 2 - 6 };
  } else {
    const [kind, side] = place.split(".");
    const bottom = side === layout.bottom;
    const lower = kind === "bar" ? !bottom : bottom;
    const x = kind === "bar" ? layout.barX - layout.barWidth / 2 : layout.trayX;
    const width = kind === "bar" ? layout.barWidth : layout.trayWidth;
    box = { x, y: lower ? MIDDLE + 40 : TOP, width, height: FIELD_HEIGHT / 2 - 40 };
  }
  return s(
    "g",
    { class: "spot", "data-place": place },
    s("rect", { ...box, rx: 8, class: "spot-area" }),
    s("circle", { class: "spot-dot", cx: box.x + box.width / 2, cy: box.y < MIDDLE - 10 ? box.y + box.height - 16 : box.y + 16, r: 11 }),
  );
}

/** All places in reading order: round the board as the bottom player counts, then bars and trays. */
function places(bottom) {
  const points = Array.from({ length: 24 }, (_, i) => (bottom === "white" ? i + 1 : 24 - i));
  return [...points, "bar.white", "bar.black", "off.white", "off.black"];
}

export class Board {
  /** `onPick(place)`: makes the places buttons. `onDice`, `onCube`: the same for those. */
  constructor({ label = t("board.label") } = {}) {
    this.layers = Object.fromEntries(["back", "numbers", "checkers", "arrows", "labels", "spots", "cube", "dice"].map((name) => [name, s("g", { class: `layer-${name}` })]));
    this.svg = s("svg", { class: "board", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": label }, arrowHead(), Object.values(this.layers));
    this.checkers = new Checkers(this.layers.checkers);
    this.pick = null;
    this.marks = { from: new Set(), to: new Set(), chosen: null };
    this.drawBack = onChange((bottom, homeRight) => {
      this.layout = makeLayout(bottom, homeRight);
      this.layers.back.replaceChildren(surface(this.layout));
      this.makeSpots(bottom);
    });
    this.drawCheckers = onChange((white, black) => {
      this.checkers.update("white", white, this.layout);
      this.checkers.update("black", black, this.layout);
      this.layers.labels.replaceChildren(...stackNumbers(this.view, this.layout));
    });
    this.drawArrows = onChange((side, steps) => {
      const counts = side ? this.view[`${side}_position`] : [];
      this.layers.arrows.replaceChildren(...(steps ?? []).map((step) => arrow(side, step, counts, this.layout)));
    });
    this.drawDice = onChange((dice, onRoll) => this.layers.dice.replaceChildren(...diceShapes(dice, onRoll, this.layout)));
    this.drawCube = onChange((cube) => this.layers.cube.replaceChildren(...[cubeShape(cube, this.layout)].flat()));
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  makeSpots(bottom) {
    this.order = places(bottom);
    this.spots = new Map(this.order.map((place) => [String(place), spot(this.layout, place)]));
    this.layers.spots.replaceChildren(...this.spots.values());
    this.current = String(this.order[0]);
  }

  /** `bottom`: who sits at the lower edge of the screen. */
  update(view, bottom = "white", { arrows = true } = {}) {
    this.view = view;
    const homeRight = (view.home === "right") === (bottom === "white");
    this.drawBack(bottom, homeRight);
    const seat = `${bottom}${homeRight}`;
    this.drawCheckers(view.white_position, view.black_position, seat);
    const turn = arrows ? view.last_play : null;
    this.drawArrows(turn?.side ?? null, turn ? view.last_steps : [], seat, view.white_position, view.black_position);
    this.drawDice(view.dice, view.on_roll, seat);
    this.drawCube(view.cube, seat);
    this.label();
    return this;
  }

  /** Make the places buttons (a function) or plain pictures (null). */
  interactive(pick) {
    this.pick = pick;
    this.svg.classList.toggle("live", Boolean(pick));
    if (this.view) this.label();
  }

  /** `from`, `to`: places as strings; `chosen`: one of them. */
  mark({ from = [], to = [], chosen = null } = {}) {
    this.marks = { from: new Set(from.map(String)), to: new Set(to.map(String)), chosen: chosen === null ? null : String(chosen) };
    this.label();
  }

  label() {
    for (const [place, element] of this.spots) {
      const words = placeWords(this.view, /^\d+$/.test(place) ? Number(place) : place);
      const { from, to, chosen } = this.marks;
      const extra = chosen === place ? t("board.chosen") : to.has(place) ? t("board.target") : from.has(place) ? t("board.movable") : "";
      element.setAttribute("aria-label", extra ? `${words}, ${extra}` : words);
      element.setAttribute("role", this.pick ? "button" : "img");
      if (this.pick) element.setAttribute("tabindex", place === this.current ? "0" : "-1");
      else element.removeAttribute("tabindex");
      element.classList.toggle("from", from.has(place));
      element.classList.toggle("to", to.has(place));
      element.classList.toggle("chosen", chosen === place);
    }
  }

  /** What a tap on the dice or the cube does; nothing when left out. */
  handles({ dice = null, cube = null }) {
    for (const [name, action] of [["dice", dice], ["cube", cube]]) {
      const layer = this.layers[name];
      layer.onclick = action;
      layer.onkeydown = (event) => {
        if (!action || !["Enter", " "].includes(event.key)) return; // Never the value false: that would swallow Tab.
        event.preventDefault();
        event.stopPropagation();
        action();
      };
      layer.classList.toggle("handle", Boolean(action));
      for (const attribute of ["role", "tabindex", "aria-label"]) layer.removeAttribute(attribute);
      if (!action) continue;
      layer.setAttribute("role", "button");
      layer.setAttribute("tabindex", "0");
      layer.setAttribute("aria-label", t(`board.set_${name}`));
    }
  }

  clicked(event) {
    const element = event.target.closest(".spot");
    if (element && this.pick) this.choose(element.dataset.place);
  }

  choose(place) {
    this.current = place;
    this.pick(/^\d+$/.test(place) ? Number(place) : place);
    this.label();
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!this.pick) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose(this.current);
    } else if (step) {
      event.preventDefault();
      const at = this.order.findIndex((place) => String(place) === this.current);
      this.current = String(this.order[(at + step + this.order.length) % this.order.length]);
      this.label();
      this.spots.get(this.current).focus();
    }
  }
}
