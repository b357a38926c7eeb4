/** Foreign text: invisible characters are shown as escapes, and very long texts are cut. */

import { html } from "./vendor/preact-htm.js";
import { t } from "./words.js";

/** @type {RegExp} */
let hiddenCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** Characters of one text that are put into the document. */
const LONGEST_TEXT = 20_000;

/**
 * Choose which characters are shown as escapes.
 * @param {string} ranges a part of a regular expression
 */
export function setHiddenCharacters(ranges) {
  hiddenCharacters = new RegExp(`[${ranges}]`, "gu");
}

/**
 * How a character is written as an escape: `\u202e`.
 * @param {string} character
 */
export function escapeOf(character) {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/**
 * The same text without invisible characters, for attributes and titles.
 * @param {string} text
 */
export function visibleText(text) {
  return text.replace(hiddenCharacters, escapeOf);
}

/**
 * Foreign text as nodes: invisible characters are marked escapes.
 * @param {{value: string, limit?: number}} properties
 */
export function Text({ value, limit = LONGEST_TEXT }) {
  const shown = value.length > limit ? value.slice(0, limit) : value;
  /** @type {unknown[]} */
  const parts = [];
  let end = 0;
  for (const found of shown.matchAll(hiddenCharacters)) {
    if (found.index > end) parts.push(shown.slice(end, found.index));
    parts.push(html`<span class="hidden-character" title=${t("text.hidden")}>${escapeOf(found[0])}</span>`);
    end = found.index + found[0].length;
  }
  parts.push(shown.slice(end));
  if (shown.length < value.length) {
    parts.push(html`<span class="text-more">… ${t("text.more", { count: value.length - limit })}</span>`);
  }
  return parts;
}
