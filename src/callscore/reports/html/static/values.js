/** Values as text: short, in lines, folded; what differs marked; copied and downloaded. */

import { jsonText } from "./data.js";
import { Text } from "./text.js";
import { html, useState } from "./vendor/preact-htm.js";
import { number, plural, t } from "./words.js";

/** @typedef {import("./types").Json} Json */
/** @typedef {import("./differing").Segment} Segment */

/** Characters of one value that are put into the document; the rest can be downloaded. */
export const LONGEST_SHOWN = 20_000;
/** Lines and characters of a value that are shown before it is opened. */
const FOLDED_LINES = 14;
const FOLDED_CHARACTERS = 1200;
/** Levels of objects and arrays that are written; the stack of a browser holds more. */
const DEEPEST_LEVEL = 1000;
/** Equal text around what differs, and text that differs, before it is cut. */
const LONGEST_EQUAL = 240;
const LONGEST_DIFFERING = 2000;
const CUT_EQUAL = 80;

/**
 * Whether two JSON values are the same; objects in any order of their keys.
 * @param {Json | undefined} left
 * @param {Json | undefined} right
 * @returns {boolean}
 */
export function isSameJson(left, right) {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || !left || !right) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  const [one, other] = [objectOf(left), objectOf(right)];
  return keys.every((key) => Object.hasOwn(right, key) && isSameJson(one[key], other[key]));
}

/**
 * @param {object} value
 * @returns {Record<string, Json>}
 */
function objectOf(value) {
  return /** @type {Record<string, Json>} */ (value);
}

/**
 * The beginning of a text; no character is divided.
 * @param {string} text
 * @param {number} limit
 */
export function cutText(text, limit) {
  if (text.length <= limit) return text;
  const code = text.charCodeAt(limit - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? limit - 1 : limit);
}

/**
 * A value as JSON on one line; only the beginning of a longer one is written, so that it takes no longer.
 * @param {Json | undefined} value
 * @param {number} limit
 * @returns {string} at most `limit` characters and an ellipsis
 */
export function shortJson(value, limit) {
  /** @type {string[]} */
  const parts = [];
  let room = limit;
  const write = (/** @type {string} */ text) => {
    parts.push(text);
    room -= text.length;
  };
  const visit = (/** @type {Json | undefined} */ found, /** @type {number} */ level) => {
    if (room < 0) return;
    if (found === null || typeof found !== "object") return write(scalarText(found, room + 1));
    if (level > DEEPEST_LEVEL) return write("…");
    const keys = Array.isArray(found) ? null : Object.keys(found);
    const { length: count } = keys ?? /** @type {Json[]} */ (found);
    write(keys ? "{" : "[");
    for (let at = 0; at < count && room >= 0; at += 1) {
      if (at) write(", ");
      if (keys) write(`${scalarText(keys[at], room + 1)}: `);
      visit(objectOf(found)[keys ? keys[at] : at], level + 1);
    }
    write(keys ? "}" : "]");
  };
  visit(value, 0);
  const text = parts.join("");
  return text.length > limit ? `${cutText(text, limit)}…` : text;
}

/**
 * @param {Json | undefined} value
 * @param {number} limit characters of a string that are needed
 */
function scalarText(value, limit) {
  if (typeof value === "string") return JSON.stringify(cutText(value, Math.max(limit, 1)));
  return String(value);
}

/**
 * A value as JSON in lines: what fits into `width` characters stays on one line, and long strings have the line
 * breaks of their text.
 * @param {Json | undefined} value
 * @param {number} [width]
 * @returns {string[]}
 */
export function prettyLines(value, width = 72) {
  /** @type {string[]} */
  const lines = [""];
  const add = (/** @type {string} */ text) => {
    lines[lines.length - 1] += text;
  };
  const visit = (/** @type {Json | undefined} */ found, /** @type {number} */ level) => {
    const indent = "  ".repeat(Math.min(level, 20));
    const room = Math.max(width - indent.length, 20);
    if (typeof found === "string") return addString(lines, found, indent, width);
    const short = shortJson(found, room);
    if (found === null || typeof found !== "object" || short.length <= room || level > DEEPEST_LEVEL) {
      return add(typeof found === "object" ? short : String(found));
    }
    const isArray = Array.isArray(found);
    const keys = Object.keys(found);
    add(isArray ? "[" : "{");
    keys.forEach((key, at) => {
      lines.push(`${indent}  ${isArray ? "" : `${JSON.stringify(key)}: `}`);
      visit(objectOf(found)[key], level + 1);
      if (at < keys.length - 1) add(",");
    });
    lines.push(`${indent}${isArray ? "]" : "}"}`);
  };
  visit(value, 0);
  return lines;
}

/**
 * @param {string[]} lines
 * @param {string} text
 * @param {string} indent
 * @param {number} width
 */
function addString(lines, text, indent, width) {
  if (text.length <= width || !text.includes("\n")) {
    lines[lines.length - 1] += JSON.stringify(text);
    return;
  }
  const parts = text.split("\n").map((part) => `${JSON.stringify(part).slice(1, -1)}\\n`);
  const last = parts.length - 1;
  parts[0] = `"${parts[0]}`;
  parts[last] = `${parts[last].slice(0, -2)}"`;
  lines[lines.length - 1] += parts[0];
  for (const part of parts.slice(1)) lines.push(`${indent}  ${part}`);
}

/**
 * Lines of JSON, with their keys in a quiet colour.
 * @param {string[]} lines
 */
function colouredLines(lines) {
  return lines.map((line, at) => {
    const key = /^\s*"(?:[^"\\]|\\.)*": /.exec(line)?.[0] ?? "";
    return html`<span key=${at}><span class="muted"><${Text} value=${key} /></span><${Text} value=${line.slice(key.length)} />${"\n"}</span>`;
  });
}

/**
 * A value in full: text as it is, everything else as JSON in lines. Long ones are folded, and those that are too large
 * to show can be downloaded.
 * @param {{value: Json | undefined, name?: string}} properties `name` is that of the file to download
 */
export function ValueView({ value, name = "value" }) {
  const [isOpen, setOpen] = useState(false);
  const isText = typeof value === "string";
  const { lines, isHuge } = linesUpTo(value, LONGEST_SHOWN);
  const short = foldedLines(lines);
  const isFolded = short.length < lines.length || short.at(-1) !== lines.at(-1);
  const shown = isFolded && !isOpen ? short : lines;
  return html`<div class="value">
    <pre class=${isText ? "value-lines value-prose" : "value-lines"}>${
      isText ? html`<${Text} value=${shown.join("\n")} />` : colouredLines(shown)
    }${isHuge && shown === lines ? "…" : null}</pre>
    <div class="value-actions no-print">
      ${isFolded &&
      html`<button type="button" class="link" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
        ${isOpen ? t("values.less") : lines.length > FOLDED_LINES ? plural("values.all_lines", lines.length) : t("values.all")}
      </button>`}
      ${isHuge && html`<${Download} value=${value} name=${name} />`}
    </div>
  </div>`;
}

/**
 * Lines of text or of JSON; of a large value only those at the beginning.
 * @param {Json | undefined} value
 * @param {number} limit
 * @returns {{lines: string[], isHuge: boolean}}
 */
function linesUpTo(value, limit) {
  if (typeof value === "string") return { lines: cutText(value, limit).split("\n"), isHuge: value.length > limit };
  const short = shortJson(value, limit);
  if (short.length <= limit) return { lines: prettyLines(value), isHuge: false };
  return { lines: short.slice(0, limit).match(/[^]{1,100}/gu) ?? [], isHuge: true };
}

/** @param {string[]} lines */
function foldedLines(lines) {
  const short = lines.slice(0, FOLDED_LINES);
  let room = FOLDED_CHARACTERS;
  for (let at = 0; at < short.length; at += 1) {
    if (short[at].length > room) {
      return [...short.slice(0, at), `${cutText(short[at], Math.max(room, 100))}…`];
    }
    room -= short[at].length;
  }
  return short;
}

/**
 * Text in segments, with those that differ marked. Long equal parts, and huge ones that differ, are cut.
 * @param {{segments: Segment[], side: "expected" | "actual"}} properties
 */
export function Segments({ segments, side }) {
  return segments.map(({ text, differs }, at) =>
    differs
      ? html`<mark key=${at} class=${`value-differs is-${side}`}><${CutMiddle} text=${text} most=${LONGEST_DIFFERING} /></mark>`
      : html`<${CutMiddle} key=${at} text=${text} most=${LONGEST_EQUAL} />`,
  );
}

/**
 * A text whose middle is left out if it is long; it opens on demand.
 * @param {{text: string, most: number}} properties
 */
function CutMiddle({ text, most }) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= most || isOpen) return html`<${Text} value=${text} />`;
  const kept = Math.max(CUT_EQUAL, most / 4);
  const start = cutText(text, kept);
  const end = text.slice(cutText(text, text.length - kept).length);
  return html`<${Text} value=${start} />
    <button type="button" class="link value-cut" onClick=${() => setOpen(true)}>
      ${`… ${plural("values.more_characters", text.length - start.length - end.length)} …`}
    </button>
    <${Text} value=${end} />`;
}

/**
 * The beginning of a list, and a button for more of it.
 * @param {number} first how many are shown at first
 * @param {number} [step] how many are added, if they are costly; else ten times as many are shown
 * @returns {{limit: number, more: (total: number) => unknown}}
 */
export function useMore(first, step) {
  const [limit, setLimit] = useState(first);
  const more = (/** @type {number} */ total) =>
    total > limit &&
    html`<button type="button" class="link no-print" onClick=${() => setLimit(step ? limit + step : limit * 10)}>
      ${t("values.more", { count: number(total - limit) })}
    </button>`;
  return { limit, more };
}

/**
 * A part of the document that is made when it is opened.
 * @param {{label: unknown, show: () => unknown, open?: boolean, kind?: string}} properties
 */
export function Fold({ label, show, open = false, kind = "" }) {
  const [isOpen, setOpen] = useState(open);
  return html`<details
    class=${`fold ${kind}`}
    open=${isOpen}
    onToggle=${(/** @type {{currentTarget: HTMLDetailsElement}} */ event) => setOpen(event.currentTarget.open)}
  >
    <summary>${label}</summary>
    ${isOpen ? html`<div class="fold-inside">${show()}</div>` : null}
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
  return html`<button type="button" class="link no-print" onClick=${save}>${t("values.download")}</button>`;
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
    return copySelected(text);
  }
}

/** @param {string} text */
function copySelected(text) {
  const page = globalThis.document;
  const focused = page.activeElement;
  const field = page.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "visually-hidden";
  field.style.whiteSpace = "pre"; // else indents are not copied
  page.body.append(field);
  field.select();
  const isCopied = page.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
