/** Values as text: short, in lines, folded; what differs marked; copied and downloaded. */

import { jsonText } from "./data.js";
import { Text } from "./text.js";
import { html, useState } from "./vendor/preact-htm.js";
import { number, plural, t } from "./words.js";

/** @typedef {import("./types").Json} Json */

/** Characters of one value that are put into the document, as of any text; the rest can be downloaded. */
const LONGEST_SHOWN = 20_000;
/** A value with more lines or characters is folded at first. */
const FOLDED_LINES = 14;
const FOLDED_CHARACTERS = 1200;
/** Levels of objects and arrays that are written; the stack of a browser holds more. */
const DEEPEST_LEVEL = 1000;
/** Equal text around what differs, and text that differs, before its middle is left out. */
const LONGEST_EQUAL = 240;
const LONGEST_DIFFERING = 2000;

/**
 * Whether two JSON values are the same; objects in any order of their keys.
 * @param {any} left
 * @param {any} right
 * @returns {boolean}
 */
export function isSameJson(left, right) {
  if (typeof left !== "object" || typeof right !== "object" || !left || !right) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]))
  );
}

/**
 * The beginning of a text; no character is divided.
 * @param {string} text
 * @param {number} limit
 */
export function cutText(text, limit) {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, text.length > limit ? "" : "$&");
}

/**
 * A value as JSON on one line; only the beginning of a longer one is written, so that it takes no longer.
 * @param {Json | undefined} value
 * @param {number} limit
 * @returns {string} at most `limit` characters and an ellipsis
 */
export function shortJson(value, limit) {
  let text = "";
  const visit = (/** @type {any} */ found, /** @type {number} */ level) => {
    if (typeof found === "string") text += JSON.stringify(cutText(found, limit + 1));
    else if (typeof found !== "object" || !found) text += String(found);
    else if (level > DEEPEST_LEVEL) text += "…";
    else {
      const isArray = Array.isArray(found);
      const start = text.length + 1;
      text += isArray ? "[" : "{";
      for (const key of isArray ? found.keys() : Object.keys(found)) {
        if (text.length > limit) return;
        if (text.length > start) text += ", ";
        if (!isArray) text += `${JSON.stringify(cutText(String(key), limit + 1))}: `;
        visit(found[key], level + 1);
      }
      text += isArray ? "]" : "}";
    }
  };
  visit(value, 0);
  return text.length > limit ? `${cutText(text, limit)}…` : text;
}

/**
 * A value as JSON in lines: what fits into `width` characters stays on one line, and strings have the line breaks of
 * their text.
 * @param {Json | undefined} value
 * @param {number} [width]
 * @returns {string[]}
 */
export function prettyLines(value, width = 72) {
  const lines = [""];
  const add = (/** @type {string} */ text) => {
    lines[lines.length - 1] += text;
  };
  const visit = (/** @type {any} */ found, /** @type {number} */ level) => {
    const indent = "  ".repeat(Math.min(level, 20));
    const room = Math.max(width - indent.length, 20);
    if (typeof found === "string") {
      const [first, ...rest] = JSON.stringify(found).split(/(?<=(?<!\\)(?:\\\\)*\\n)/);
      add(first);
      for (const line of rest) lines.push(`${indent}  ${line}`);
      return;
    }
    if (typeof found !== "object" || !found) return add(String(found));
    const short = shortJson(found, room);
    if (short.length <= room || level > DEEPEST_LEVEL) return add(short);
    const isArray = Array.isArray(found);
    add(isArray ? "[" : "{");
    const keys = Object.keys(found);
    keys.forEach((key, at) => {
      lines.push(`${indent}  ${isArray ? "" : `${JSON.stringify(key)}: `}`);
      visit(found[key], level + 1);
      if (at < keys.length - 1) add(",");
    });
    lines.push(`${indent}${isArray ? "]" : "}"}`);
  };
  visit(value, 0);
  return lines;
}

/**
 * A value in full: text as it is, everything else as JSON in lines. Long ones are folded, and those that are too large
 * to show can be downloaded.
 * @param {{value: Json | undefined, name: string}} properties `name` is that of the file to download
 */
export function ValueView({ value, name }) {
  const [isOpen, setOpen] = useState(false);
  const isText = typeof value === "string";
  const isCut = isLarge(value);
  const text = isText ? value : isCut ? shortJson(value, LONGEST_SHOWN - 1) : prettyLines(value).join("\n");
  const isLong = text.length > FOLDED_CHARACTERS || text.split("\n", FOLDED_LINES + 1).length > FOLDED_LINES;
  return html`<div>
    <pre class=${`value ${isText ? "is-text" : ""} ${isLong && !isOpen ? "is-folded" : ""}`}><${Text} value=${text} /></pre>
    ${isLong && html`<${LinkButton} onClick=${() => setOpen(!isOpen)} isOpen=${isOpen}>${t(isOpen ? "values.less" : "values.all")}<//>`}
    ${isCut && html`<${Download} value=${value} name=${name} />`}
  </div>`;
}

/**
 * Whether a value is too large to be put into the document.
 * @param {Json | undefined} value
 */
export function isLarge(value) {
  return shortJson(value, LONGEST_SHOWN).length > LONGEST_SHOWN;
}

/**
 * A button that looks like a link.
 * @param {{onClick: () => void, isOpen?: boolean, children?: unknown}} properties `isOpen` if it opens something
 */
export function LinkButton({ onClick, isOpen, children }) {
  return html`<button type="button" class="link no-print" aria-expanded=${isOpen} onClick=${onClick}>${children}</button>`;
}

/**
 * Text in segments, with those that differ marked. Long equal parts, and huge ones that differ, are cut.
 * @param {{segments: import("./differing").Segment[], isExpected: boolean}} properties
 */
export function Segments({ segments, isExpected }) {
  return segments.map(({ text, differs }, at) => {
    const shown = html`<${CutMiddle} key=${at} text=${text} most=${differs ? LONGEST_DIFFERING : LONGEST_EQUAL} />`;
    return differs ? html`<mark key=${at} class=${isExpected && "is-expected"}>${shown}</mark>` : shown;
  });
}

/**
 * A text whose middle is left out if it is long; it opens on demand.
 * @param {{text: string, most: number}} properties
 */
function CutMiddle({ text, most }) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= most || isOpen) return html`<${Text} value=${text} />`;
  const start = cutText(text, most / 3);
  const end = text.slice(cutText(text, text.length - most / 3).length);
  return html`<${Text} value=${start} />
    <${LinkButton} onClick=${() => setOpen(true)}>${`… ${plural("values.more_characters", text.length - start.length - end.length)} …`}<//>
    <${Text} value=${end} />`;
}

/**
 * The beginning of a list, and a button that shows ten times as much of it.
 * @template T
 * @param {T[]} items
 * @param {number} [first] how many are shown at first
 * @returns {{shown: T[], more: unknown}}
 */
export function useMore(items, first = 100) {
  const [limit, setLimit] = useState(first);
  const rest = items.length - limit;
  const more =
    rest > 0 && html`<${LinkButton} onClick=${() => setLimit(limit * 10)}>${t("values.more", { count: number(rest) })}<//>`;
  return { shown: items.slice(0, limit), more };
}

/**
 * Sentences in a list.
 * @param {{texts?: string[], title?: string, kind?: string}} properties
 */
export function Sentences({ texts = [], title, kind = "" }) {
  const { shown, more } = useMore(texts, 50);
  if (!texts.length) return null;
  return html`<div class=${kind}>
    ${title && html`<h3>${title}</h3>`}
    <ul class="bullets">
      ${shown.map((text, at) => html`<li key=${at}><${Text} value=${text} /></li>`)}
      ${more && html`<li>${more}</li>`}
    </ul>
  </div>`;
}

/**
 * A part of the document that is made when it is opened.
 * @param {{label: unknown, show: () => unknown, open?: boolean}} properties
 */
export function Fold({ label, show, open }) {
  const [isOpen, setOpen] = useState(open);
  const follow = (/** @type {{currentTarget: HTMLDetailsElement}} */ event) => setOpen(event.currentTarget.open);
  return html`<details open=${isOpen} onToggle=${follow}>
    <summary>${label}</summary>
    ${isOpen && show()}
  </details>`;
}

/**
 * A button that saves a value as a file.
 * @param {{value: Json | undefined, name: string}} properties
 */
export function Download({ value, name }) {
  const save = () => {
    const isText = typeof value === "string";
    const link = globalThis.document.createElement("a");
    link.href = URL.createObjectURL(new Blob([isText ? value : jsonText(value, 2)], { type: "application/octet-stream" }));
    link.download = `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80)}.${isText ? "txt" : "json"}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  return html`<${LinkButton} onClick=${save}>${t("values.download")}<//>`;
}

/**
 * Put a text on the clipboard. A page from disk may have no clipboard; then by the older way.
 * @param {string} text
 * @returns {Promise<boolean>} whether it is there
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const page = globalThis.document;
    const focused = page.activeElement;
    const field = page.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    field.style.whiteSpace = "pre"; // else indents are not copied
    page.body.append(field);
    field.select();
    const isCopied = page.execCommand("copy");
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isCopied;
  }
}
