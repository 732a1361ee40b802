// The way in for phones: a code to scan and the address in large letters.

import { app } from "./app.js";
import { h, put } from "./dom.js";
import { boot, t } from "./texts.js";

const addresses = boot.addresses?.length ? boot.addresses : [location.origin];
put(
  app,
  h(
    "div",
    { class: "card join" },
    h("img", { src: "/join.svg", alt: t("join.qr"), width: 320, height: 320 }),
    h("div", { class: "stack" }, h("p", {}, t("join.text")), addresses.map((address) => h("p", { class: "address" }, h("a", { href: address }, address))), h("p", { class: "small" }, t("join.network")), h("p", {}, h("a", { href: "/screen" }, t("page.screen")), " · ", h("a", { href: "/clock" }, t("page.clock")))),
  ),
);
