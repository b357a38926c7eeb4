/** Keys of the report, and the dialog that lists them. */

import { html, useEffect, useRef } from "./vendor/preact-htm.js";
import { t } from "./words.js";

/** The keys of the help dialog, and the words for what they do. */
const LISTED_KEYS = [
  [["j", "↓"], "keys.next"],
  [["k", "↑"], "keys.previous"],
  [["Enter", "o"], "keys.open"],
  [["→", "←"], "keys.trials"],
  [["/"], "keys.search"],
  [["Esc"], "keys.back"],
  [["?"], "keys.help"],
];

/** Keys by their place on the keyboard, for layouts without Latin letters. */
const LETTER_PLACES = /** @type {Record<string, string>} */ ({ KeyJ: "j", KeyK: "k", KeyO: "o" });

/**
 * The name of a pressed key: also of `j` in the Cyrillic layout, where it is `о`, and of `/` and `?`, which are `.` and `,`.
 * @param {KeyboardEvent} event
 */
function keyName(event) {
  const { key, code } = event;
  if (/^[^\u0000-\u024f]$/u.test(key)) return LETTER_PLACES[code] ?? key;
  if (code === "Slash" && (key === "." || key === ",")) return event.shiftKey ? "?" : "/";
  return key;
}

/**
 * Call functions by key, never while somebody types or a dialog is open.
 * @param {Record<string, () => void>} actions by the name of the key
 */
export function useKeys(actions) {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    /** @param {KeyboardEvent} event */
    function press(event) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : null;
      const name = keyName(event);
      const isButton = target?.closest("button, a, summary, [role=button]");
      if (target?.closest("input, textarea, select, dialog[open], [contenteditable]")) return;
      if (isButton && name === "Enter") return;
      const action = Object.hasOwn(latest.current, name) ? latest.current[name] : null;
      if (!action) return;
      event.preventDefault();
      action();
    }
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

/**
 * The list of keys.
 * @param {{isOpen: boolean, onClose: () => void}} properties
 */
export function KeyHelp({ isOpen, onClose }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return html`<dialog ref=${dialog} class="card key-help" aria-labelledby="keys-title" onClose=${onClose}>
    <h2 id="keys-title">${t("keys.title")}</h2>
    <dl>
      ${LISTED_KEYS.map(
        ([keys, words]) =>
          html`<dt>${/** @type {string[]} */ (keys).map((key) => html`<kbd key=${key}>${key}</kbd>`)}</dt>
            <dd>${t(/** @type {string} */ (words))}</dd>`,
      )}
    </dl>
    <button class="button" onClick=${onClose}>${t("keys.close")}</button>
  </dialog>`;
}
