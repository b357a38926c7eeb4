/** What is shown in place of content: loading, errors, nothing; and a question before something is done. */

import { Text } from "/static/report/text.js";
import { html, useEffect, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { t } from "/static/report/words.js";

/** Milliseconds after which a reader wonders. */
const LONG_WAIT = 2500;

/** Said while an answer is awaited: the server scores a large run when it is opened for the first time. */
export function Loading() {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_WAIT);
    return () => clearTimeout(timer);
  }, []);
  return html`<p class="page-notice muted" role="status">
    <span class="page-spinner" aria-hidden="true"></span> ${isLong ? t("page.loading_long") : t("page.loading")}
  </p>`;
}

/**
 * A sentence about what failed, near the action. Nothing without a sentence.
 * @param {{text: string | null, onRetry?: () => void}} properties
 */
export function Problem({ text, onRetry }) {
  if (text === null) return null;
  return html`<div class="page-notice page-notice-bad" role="alert">
    <p><span class="mark is-error" aria-hidden="true">!</span> <${Text} value=${text} /></p>
    ${onRetry ? html`<button type="button" class="button" onClick=${onRetry}>${t("page.retry")}</button>` : null}
  </div>`;
}

/**
 * Sentences that are not errors.
 * @param {{texts: string[]}} properties
 */
export function Remarks({ texts }) {
  if (!texts.length) return null;
  return html`<ul class="page-notice page-remarks">
    ${texts.map((text) => html`<li key=${text}><${Text} value=${text} /></li>`)}
  </ul>`;
}

/**
 * What to show of an answer: that it is awaited, why there is none, or the content.
 * @template T
 * @param {{asked: import("./api").Asked<T>, children: (answer: T) => unknown}} properties
 */
export function Answered({ asked, children }) {
  const { answer, error, reload } = asked;
  if (answer === null) return error === null ? html`<${Loading} />` : html`<${Problem} text=${error} onRetry=${reload} />`;
  return html`${error === null ? null : html`<${Problem} text=${error} onRetry=${reload} />`}${children(answer)}`;
}

/**
 * A question above the page. Escape and the second button answer "no".
 * @param {object} properties
 * @param {string} properties.title
 * @param {string} properties.confirm the name of what is done
 * @param {boolean} [properties.isBusy]
 * @param {string | null} [properties.error]
 * @param {() => void} properties.onConfirm
 * @param {() => void} properties.onClose
 * @param {unknown} [properties.children]
 */
export function Question({ title, confirm, isBusy = false, error = null, onConfirm, onClose, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return html`<dialog class="page-dialog" ref=${dialog} aria-labelledby="dialog-title" onCancel=${onClose} onClose=${onClose}>
    <h2 id="dialog-title">${title}</h2>
    <div class="page-dialog-body">${children}</div>
    <${Problem} text=${error} />
    <div class="page-buttons">
      <button type="button" class="button button-main" disabled=${isBusy} onClick=${onConfirm}>${confirm}</button>
      <button type="button" class="button" onClick=${onClose}>${t("page.close")}</button>
    </div>
  </dialog>`;
}
