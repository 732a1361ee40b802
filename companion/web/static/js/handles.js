// Four corners on a picture that can be dragged by finger, mouse or arrow keys, with a magnifier above the finger.

import { s } from "./dom.js";
import { t } from "./texts.js";

const STEP = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const NAMES = ["corner.top_left", "corner.top_right", "corner.bottom_right", "corner.bottom_left"];
const ZOOM = 3;

export class Handles {
  /** `svg`: an overlay whose units are the picture's pixels. `changed(corners)`: after each drag. */
  constructor(svg, changed) {
    this.svg = svg;
    this.changed = changed;
    this.corners = null;
    this.frame = s("polygon", { class: "cal-frame" });
    this.grid = s("g", { class: "cal-grid" });
    this.handles = NAMES.map((name, i) => this.handle(name, i));
    this.glass = s("g", { class: "cal-glass" });
    svg.replaceChildren(this.grid, this.frame, ...this.handles, this.glass);
  }

  handle(name, i) {
    const group = s("g", { class: "cal-handle", tabindex: 0, role: "button", "aria-label": t(name) }, s("circle", { class: "cal-grip" }), s("circle", { class: "cal-centre" }));
    group.addEventListener("pointerdown", (event) => {
      group.setPointerCapture(event.pointerId);
      this.moved = (move) => this.drag(i, move);
      group.addEventListener("pointermove", this.moved);
    });
    for (const end of ["pointerup", "pointercancel"]) group.addEventListener(end, () => this.release(group));
    group.addEventListener("keydown", (event) => this.key(i, event));
    return group;
  }

  release(group) {
    if (!this.moved) return;
    group.removeEventListener("pointermove", this.moved);
    this.moved = null;
    this.glass.replaceChildren();
    this.changed(this.corners);
  }

  key(i, event) {
    const step = STEP[event.key];
    if (!step) return;
    event.preventDefault();
    const by = event.shiftKey ? 10 : 1;
    this.put(i, this.corners[i][0] + step[0] * by, this.corners[i][1] + step[1] * by);
    this.changed(this.corners);
  }

  drag(i, event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    this.put(i, point.x, point.y);
    this.magnify(i);
  }

  put(i, x, y) {
    const [width, height] = this.size;
    this.corners[i] = [Math.max(0, Math.min(width, x)), Math.max(0, Math.min(height, y))];
    this.grid.replaceChildren();
    this.draw();
  }

  /** What lies under the finger, three times as large, in the opposite corner of the picture. */
  magnify(i) {
    const [x, y] = this.corners[i];
    const [width, height] = this.size;
    const r = width * 0.13;
    const cx = x < width / 2 ? width - r : r;
    const cy = y < height / 2 ? height - r : r;
    const picture = s("image", { href: this.picture, width, height, transform: `translate(${cx} ${cy}) scale(${ZOOM}) translate(${-x} ${-y})` });
    this.glass.replaceChildren(
      s("clipPath", { id: "glass" }, s("circle", { cx, cy, r })),
      s("g", { "clip-path": "url(#glass)" }, picture),
      s("circle", { class: "cal-rim", cx, cy, r }),
      s("path", { class: "cal-cross", d: `M${cx - 14} ${cy}h28M${cx} ${cy - 14}v28` }),
    );
  }

  /** `size`: width and height of the picture; `picture`: its address, for the magnifier. */
  set(size, picture, corners, grid = []) {
    this.size = size;
    this.picture = picture;
    this.corners = corners.map(([x, y]) => [x, y]);
    this.svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    this.grid.replaceChildren(...grid.map((line) => s("polyline", { points: line.map((point) => point.join(",")).join(" ") })));
    this.draw();
  }

  draw() {
    const unit = this.size[0] / 100;
    this.frame.setAttribute("points", this.corners.map((corner) => corner.join(",")).join(" "));
    this.handles.forEach((handle, i) => {
      const [x, y] = this.corners[i];
      handle.setAttribute("transform", `translate(${x} ${y})`);
      handle.children[0].setAttribute("r", 4.2 * unit);
      handle.children[1].setAttribute("r", 0.7 * unit);
    });
  }
}
