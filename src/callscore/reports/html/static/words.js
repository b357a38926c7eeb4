/** Words, numbers and dates in the language of the document. */

/** @type {import("./types").Words} */
let catalogue = {};
let language = "en";

/**
 * Choose the words of a document.
 * @param {{words: import("./types").Words, lang: string}} chosen
 */
export function setWords(chosen) {
  catalogue = chosen.words;
  language = chosen.lang;
  formatters.clear();
}

/** The language in use: `en` or `ru`. */
export function currentLanguage() {
  return language;
}

/**
 * A text of the catalogue, with the values put in.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = catalogue[key];
  if (typeof found !== "string") {
    throw new Error(`no such text: ${key}`);
  }
  return found.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * A number and its noun in the right form: `1 case`, `2 cases`.
 * @param {string} key
 * @param {number} count
 * @returns {string}
 */
export function plural(key, count) {
  const forms = catalogue[key];
  if (!Array.isArray(forms)) {
    throw new Error(`no such noun: ${key}`);
  }
  const form = pluralRules().select(count);
  const position = form === "one" ? 0 : form === "few" || forms.length === 2 ? 1 : 2;
  return `${number(count)} ${forms[position]}`;
}

/** @type {Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.PluralRules>} */
const formatters = new Map();

/** @returns {Intl.PluralRules} */
function pluralRules() {
  const found = formatters.get("plural") ?? new Intl.PluralRules(language);
  formatters.set("plural", found);
  return /** @type {Intl.PluralRules} */ (found);
}

/**
 * @param {string} name
 * @param {Intl.NumberFormatOptions} options
 */
function numberFormat(name, options) {
  const found = formatters.get(name) ?? new Intl.NumberFormat(language, options);
  formatters.set(name, found);
  return /** @type {Intl.NumberFormat} */ (found);
}

/**
 * A number with separators.
 * @param {number} value
 * @returns {string}
 */
export function number(value) {
  return numberFormat("number", { maximumFractionDigits: 3 }).format(value);
}

/**
 * A number with three decimals, such as a score.
 * @param {number | null} value
 * @returns {string}
 */
export function decimal(value) {
  if (value === null) return "–";
  return numberFormat("decimal", { minimumFractionDigits: 3, maximumFractionDigits: 3 }).format(
    roundInside(value, 1000),
  );
}

/**
 * A share in percent with one decimal; only 0 and 1 themselves are shown as 0 % and 100 %.
 * @param {number | null} value
 * @returns {string}
 */
export function percent(value) {
  if (value === null) return "–";
  return numberFormat("percent", {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(roundInside(value, 1000));
}

/**
 * Rounded, but never to 0 or 1 if it is not: 0.99999 is not perfect.
 * @param {number} value
 * @param {number} steps
 */
function roundInside(value, steps) {
  if (value <= 0 || value >= 1) return value;
  return Math.min(Math.max(Math.round(value * steps), 1), steps - 1) / steps;
}

/**
 * A duration: `0.3 s`, `2 min 5 s`.
 * @param {number | null} value
 * @returns {string}
 */
export function seconds(value) {
  if (value === null) return "–";
  const unit = (/** @type {string} */ name, /** @type {number} */ amount, /** @type {number} */ digits) =>
    new Intl.NumberFormat(language, {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: digits,
    }).format(amount);
  if (value < 10) return unit("second", value, 1);
  const whole = Math.round(value);
  if (whole < 60) return unit("second", whole, 0);
  const minutes = unit("minute", Math.floor(whole / 60), 0);
  return whole % 60 ? `${minutes} ${unit("second", whole % 60, 0)}` : minutes;
}

/**
 * A date with the time, in the zone of the reader.
 * @param {number | null} value seconds since 1970
 * @returns {string}
 */
export function date(value) {
  if (value === null) return "–";
  const found =
    formatters.get("date") ?? new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  formatters.set("date", found);
  return /** @type {Intl.DateTimeFormat} */ (found).format(new Date(value * 1000));
}
