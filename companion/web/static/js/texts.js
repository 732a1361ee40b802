// The page's words. `t(code, args)` fills {name}; where n is 1 and the text `code.one` exists, that one is taken.

export const boot = JSON.parse(document.getElementById("boot").textContent);

const SIDES = new Set(["side", "winner", "loser", "by", "owner", "other", "opponent", "whose", "this"]);
const PLACES = new Set(["where", "start", "end"]);

/** "on the 8-point", "on the bar" as the rules engine writes it. */
function place(raw) {
  const point = /^on the (\d+)-point$/.exec(raw);
  if (point) return t("where.point", { point: point[1] });
  return raw === "on the bar" ? t("where.bar") : raw === "borne off" ? t("where.off") : raw;
}

function value(name, raw) {
  const text = String(raw);
  const side = text.toLowerCase();
  if (SIDES.has(name) && (side === "white" || side === "black")) return boot.texts[`side.${side}`];
  if (PLACES.has(name)) return place(text);
  if (name === "problem" && has(`view.${text}`)) return boot.texts[`view.${text}`];
  return text;
}

export function has(code) {
  return Object.hasOwn(boot.texts, code);
}

export function t(code, args = {}) {
  const text = Number(args.n) === 1 && has(`${code}.one`) ? boot.texts[`${code}.one`] : boot.texts[code];
  if (text === undefined) return args.text ? String(args.text) : code;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in args ? value(name, args[name]) : whole));
}

/** A Message of the view. */
export function say(message) {
  return message ? t(message.code, message.args) : "";
}

export function ruleName(id) {
  return has(`rule.${id}`) ? `${id}: ${t(`rule.${id}`)}` : id;
}

export function number(n, digits = 0) {
  return new Intl.NumberFormat(boot.language, { maximumFractionDigits: digits, minimumFractionDigits: digits }).format(n);
}

export function percent(p, digits = 2) {
  return new Intl.NumberFormat(boot.language, { style: "percent", maximumFractionDigits: digits, minimumFractionDigits: digits }).format(p);
}

export function when(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return new Intl.DateTimeFormat(boot.language, { dateStyle: "medium", timeStyle: "short" }).format(date);
}

export function seconds(total) {
  const sign = total < 0 ? "−" : "";
  const whole = Math.max(0, Math.ceil(Math.abs(total)));
  return `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
