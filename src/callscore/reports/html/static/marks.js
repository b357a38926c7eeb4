/** Statuses of cases and changes between two runs: their order, marks and words. */

import { html } from "./vendor/preact-htm.js";
import { t } from "./words.js";

/** The statuses, as the index numbers them. */
export const STATUSES = /** @type {const} */ (["passed", "failed", "error", "unscored"]);

/** What happened to a case between two runs, as the index numbers it. */
export const CHANGES = /** @type {const} */ (["broken", "fixed", "changed", "same", "only_before", "only_after"]);

/** `mixed` is for a case of which some trials passed. */
const STATUS_SIGNS = /** @type {Record<string, string>} */ ({
  passed: "✓",
  failed: "✗",
  mixed: "◐",
  error: "!",
  unscored: "·",
});

const CHANGE_SIGNS = /** @type {Record<string, string>} */ ({
  broken: "▼",
  fixed: "▲",
  changed: "~",
  same: "=",
  only_before: "−",
  only_after: "+",
});

/**
 * A status in words.
 * @param {string} status
 */
export function statusWord(status) {
  return t(`marks.${status}`);
}

/**
 * A change in words.
 * @param {string} change
 */
export function changeWord(change) {
  return t(`marks.${change}`);
}

/**
 * The mark of a status; with its word for screen readers, unless that is beside it already.
 * @param {{status: string, silent?: boolean}} properties
 */
export function StatusMark({ status, silent = false }) {
  return signWithWord(status, STATUS_SIGNS[status], silent ? null : statusWord(status));
}

/**
 * The mark of a change, likewise.
 * @param {{change: string, silent?: boolean}} properties
 */
export function ChangeMark({ change, silent = false }) {
  return signWithWord(change, CHANGE_SIGNS[change], silent ? null : changeWord(change));
}

/**
 * @param {string} kind
 * @param {string} sign
 * @param {string | null} word
 */
function signWithWord(kind, sign, word) {
  return html`<span class=${`mark is-${kind}`} title=${word}><span aria-hidden="true">${sign}</span>${
    word && html`<span class="visually-hidden">${word}</span>`
  }</span>`;
}
