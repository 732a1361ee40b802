// Where things lie in the drawing. One place for all numbers; the board is drawn from one seat, never by turning text.

export const P = 70; // width of a point
export const R = 32; // radius of a checker
const RIM = 16; // wooden rim
const EDGE = 34; // rim with the point numbers
const BAR = 62;
const TRAY = 84;
const FIELD = 720; // height of the playing surface
const STEP = 63; // between the centres of a stack
const SLAB = 16; // a borne-off checker seen from its edge
export const MOST = 5; // drawn one beside the other; above that a number tells

export const HEIGHT = FIELD + 2 * EDGE;
export const WIDTH = 2 * RIM + 12 * P + BAR + RIM + TRAY;
export const TOP = EDGE;
export const BOTTOM = EDGE + FIELD;
export const MIDDLE = HEIGHT / 2;
export const POINT_HEIGHT = 296;

/** `bottom`: the side that sits at the lower edge; `homeRight`: are the home boards on its right? */
export function makeLayout(bottom, homeRight) {
  const left = homeRight ? RIM : RIM + TRAY + RIM;
  const trayX = homeRight ? left + 12 * P + BAR + RIM : RIM;
  const barX = left + 6 * P + BAR / 2;
  const column = (c) => left + c * P + (c >= 6 ? BAR : 0) + P / 2;

  function point(whitePoint) {
    const q = bottom === "white" ? whitePoint : 25 - whitePoint;
    const low = q <= 12;
    const c = low ? 12 - q : q - 13;
    return { x: column(homeRight ? c : 11 - c), low, label: q };
  }

  /** Centre of the i-th checker (from 0) of `side` on its own point 1 … 24, 25 = bar, 0 = off. */
  function place(side, own, i) {
    if (own === 25) return { x: barX, y: MIDDLE + (side === bottom ? -1 : 1) * (R + 46 + Math.min(i, 3) * STEP) };
    if (own === 0) return slab(side, i);
    const { x, low } = point(side === "white" ? own : 25 - own);
    const depth = R + 2 + Math.min(i, MOST - 1) * STEP;
    return { x, y: low ? BOTTOM - depth : TOP + depth };
  }

  function slab(side, i) {
    const depth = 6 + SLAB / 2 + i * (SLAB + 1);
    return { x: trayX + TRAY / 2, y: side === bottom ? BOTTOM - depth : TOP + depth };
  }

  /** Middle of the right-hand half of the side that throws (or of a half named as White sees it). */
  function half(side, named) {
    const right = named ? (named === "right") === (bottom === "white") : side === bottom;
    return { x: left + (right ? 9 * P + BAR : 3 * P), y: MIDDLE };
  }

  function cube(owner, offeredBy) {
    if (offeredBy) return { ...half(offeredBy === "white" ? "black" : "white"), size: 88 };
    const shift = owner ? (owner === bottom ? 92 : -92) : 0;
    return { x: trayX + TRAY / 2, y: MIDDLE + shift, size: 62 };
  }

  return { bottom, homeRight, left, trayX, barX, point, place, half, cube, trayWidth: TRAY, barWidth: BAR, rim: RIM };
}
