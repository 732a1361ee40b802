// Form fields with their labels.

import { h } from "./dom.js";

export function choice(id, label, options, value) {
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    h("select", { id, name: id }, options.map(([key, text]) => h("option", { value: key, selected: key === value }, text))),
  );
}

/** A labelled input; `help` is said under it. */
export function input(id, label, props, help = "") {
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    h("input", { id, name: id, ...props, "aria-describedby": help ? `${id}-help` : null }),
    help ? h("span", { class: "small", id: `${id}-help` }, help) : null,
  );
}

export function check(name, label, value, help = "") {
  return h(
    "div",
    { class: "field" },
    h("label", { class: "check" }, h("input", { type: "checkbox", name, id: name, checked: value, "aria-describedby": help ? `${name}-help` : null }), label),
    help ? h("span", { class: "small", id: `${name}-help` }, help) : null,
  );
}
