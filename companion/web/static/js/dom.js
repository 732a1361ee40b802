// Making elements: h("button", {class: "x", onclick: f}, "text", child) and the same for SVG.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** Replace the children only where something differs, so that focus and hover survive an update. */
export function put(parent, ...children) {
  const fresh = children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);
  const focused = parent.contains(document.activeElement) ? document.activeElement.dataset?.key : undefined;
  parent.replaceChildren(...fresh);
  if (focused) parent.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  return parent;
}

/** Run `draw` only when its inputs changed; returns true when it did. */
export function onChange(draw) {
  let last;
  return (...inputs) => {
    const key = JSON.stringify(inputs);
    if (key === last) return false;
    last = key;
    draw(...inputs);
    return true;
  };
}

const ICONS = {
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12Z M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  hand: "M7 12V6a1.5 1.5 0 0 1 3 0v5V4.500a1.500 1.500 0 0 1 3 0V11V5.500a1.500 1.500 0 0 1 3 0V12V8a1.500 1.500 0 0 1 3 0v7a6 6 0 0 1-6 6h-2a6 6 0 0 1-5-3l-3-5a1.600 1.600 0 0 1 2.700-1.700Z",
  dice: "M4 4h16v16H4Z M8.500 8.500h.01 M15.500 8.500h.01 M12 12h.01 M8.500 15.500h.01 M15.500 15.500h.01",
  warn: "M12 3 2 20h20Z M12 9v5 M12 17h.01",
  stop: "M8 2h8l6 6v8l-6 6H8l-6-6V8Z M12 7v6 M12 16.500h.01",
  ask: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400 M12 17.500h.01 M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Z",
  off: "M3 3l18 18 M8 5h8l2 3h3v10 M16 19H3V8h3",
  camera: "M3 8h4l2-3h6l2 3h4v11H3Z M12 10a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7Z",
  pause: "M8 5v14 M16 5v14",
  trophy: "M7 4h10v6a5 5 0 0 1-10 0Z M7 6H3c0 4 2 5 4 5 M17 6h4c0 4-2 5-4 5 M12 15v5 M8 20h8",
  undo: "M9 7 4 12l5 5 M4 12h10a6 6 0 0 1 6 6",
  redo: "M15 7l5 5-5 5 M20 12H10a6 6 0 0 0-6 6",
  edit: "M4 20l4-1L19 8l-3-3L5 16Z",
  turn: "M4 12a8 8 0 0 1 14-5l2 2 M20 4v5h-5 M20 12a8 8 0 0 1-14 5l-2-2 M4 20v-5h5",
  lock: "M6 11h12v10H6Z M8 11V7a4 4 0 0 1 8 0v4",
  unlock: "M6 11h12v10H6Z M8 11V7a4 4 0 0 1 7.500-2",
  ok: "M4 12l5 5L20 6",
  cube: "M4 4h16v16H4Z M9 9h6 M9 15h6 M9 9v6 M15 9v6",
  more: "M5 12h.01 M12 12h.01 M19 12h.01",
  sun: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z M12 1v3 M12 20v3 M1 12h3 M20 12h3 M4 4l2 2 M18 18l2 2 M20 4l-2 2 M6 18l-2 2",
};

export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: ICONS[name] ?? ICONS.ask }));
}

/** A die as a small picture, for lists and buttons. */
export function dieIcon(value, label) {
  const props = { viewBox: "0 0 24 24", class: "die-icon" };
  if (label) Object.assign(props, { role: "img", "aria-label": label });
  else props["aria-hidden"] = "true";
  return s(
    "svg",
    props,
    s("rect", { x: 1.5, y: 1.5, width: 21, height: 21, rx: 4.5 }),
    pips(value).map(([x, y]) => s("circle", { cx: 12 + x * 6, cy: 12 + y * 6, r: 2.1 })),
  );
}

const C = [0, 0];
const CORNERS = [[-1, -1], [1, 1], [1, -1], [-1, 1]];
const SIDES = [[-1, 0], [1, 0]];
const FACES = [[], [C], CORNERS.slice(0, 2), [C, ...CORNERS.slice(0, 2)], CORNERS, [C, ...CORNERS], [...CORNERS, ...SIDES]];

/** Centres of a face's pips, in -1 … 1. */
export function pips(value) {
  return FACES[value] ?? [];
}
