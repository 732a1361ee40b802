// Nothing is here: say so and show the way home.

import { app } from "./app.js";
import { h, put } from "./dom.js";
import { boot, has, t } from "./texts.js";

const code = `error.http_${boot.error_status}`;
document.querySelector("h1").textContent = t(has(code) ? code : "error.unknown");
put(app, h("a", { class: "button primary", href: "/" }, t("error.home")));
