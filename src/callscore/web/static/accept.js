/** Accept the calls of an answer as the expected ones: first the lines of the file that change, then a button. */

import { Text } from "/static/report/text.js";
import { html, useEffect, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { plural, t } from "/static/report/words.js";
import { apiPath, send, useAction } from "./api.js";
import { Problem, Remarks } from "./notices.js";

/** Lines of one change that are shown at once. */
const LINES_SHOWN = 400;

/**
 * @param {object} properties
 * @param {string} properties.run
 * @param {number} properties.evaluation position in the run
 * @param {string} properties.case
 * @param {number | string | null} properties.trial
 */
export function Accept({ run, evaluation, case: id, trial }) {
  const [answer, setAnswer] = useState(/** @type {import("./types").AcceptanceAnswer | null} */ (null));
  const request = useAction(async (/** @type {boolean} */ write) => {
    const body = { evaluation, case: id, trial, write, ...(write ? { digest: answer?.digest } : {}) };
    setAnswer(await send(apiPath("runs", run, "accept"), body));
  });
  const close = () => {
    setAnswer(null);
    request.clear();
  };
  return html`<div class=${answer === null && request.error === null ? "accept" : "accept is-open"}>
    ${answer === null
      ? html`<button type="button" class="button" disabled=${request.isBusy} onClick=${() => request.start(false)}>
          ${request.isBusy ? t("page.busy") : t("page.accept")}
        </button>`
      : html`<${AcceptancePanel} answer=${answer} isBusy=${request.isBusy} onWrite=${() => request.start(true)} onClose=${close} />`}
    <${Problem} text=${request.error} />
  </div>`;
}

/**
 * What would be written or was written, and what is refused.
 * @param {object} properties
 * @param {import("./types").AcceptanceAnswer} properties.answer
 * @param {boolean} properties.isBusy
 * @param {() => void} properties.onWrite
 * @param {() => void} properties.onClose
 */
function AcceptancePanel({ answer, isBusy, onWrite, onClose }) {
  const { changes, refused, messages, is_written: isWritten, digest } = answer;
  const canWrite = !isWritten && digest !== "";
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const panel = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: "nearest" });
  }, [answer]);
  return html`<section class="card accept-panel" ref=${panel} aria-label=${t("page.accept")}>
    <h3 tabindex="-1" ref=${heading}>
      ${isWritten ? t("page.accept_written") : changes.length ? t("page.accept_preview") : t("page.accept_nothing")}
    </h3>
    ${changes.map((change) => html`<${FileChange} key=${`${change.file}:${change.line}`} change=${change} />`)}
    ${refused.map(
      ({ label, problem }) => html`<div class="page-notice page-notice-bad" key=${label} role="alert">
        <p><strong><${Text} value=${label} /></strong>: <${Text} value=${problem} /></p>
      </div>`,
    )}
    <${Remarks} texts=${isWritten ? [...messages, t("page.accept_next")] : messages} />
    <div class="page-buttons">
      ${canWrite
        ? html`<button type="button" class="button button-main" disabled=${isBusy} onClick=${onWrite}>${isBusy ? t("page.busy") : t("page.accept_write")}</button>`
        : null}
      <button type="button" class="button" onClick=${onClose}>${canWrite ? t("page.cancel") : t("page.close")}</button>
    </div>
  </section>`;
}

/** @param {{change: import("./types").AcceptanceAnswer["changes"][number]}} properties */
function FileChange({ change }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? change.lines : change.lines.slice(0, LINES_SHOWN);
  return html`<figure class="file-change">
    <figcaption>
      <${Text} value=${change.label} />${" "}
      <span class="mono muted"><${Text} value=${`${change.file}:${change.line}`} /></span>
    </figcaption>
    <div class="file-lines" role="region" tabindex="0" aria-label=${t("page.file_change")}>
      ${shown.map((line, at) => html`<${FileLine} key=${at} line=${line} />`)}
    </div>
    ${shown.length < change.lines.length
      ? html`<button type="button" class="button button-quiet" onClick=${() => setOpen(true)}>
          ${plural("page.more_lines", change.lines.length - shown.length)}
        </button>`
      : null}
  </figure>`;
}

/**
 * A line of a diff: the sign stands in a column of its own, and screen readers get a word for it.
 * @param {{line: string}} properties
 */
function FileLine({ line }) {
  const sign = line[0] === "+" || line[0] === "-" ? line[0] : " ";
  const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "kept";
  return html`<div class=${`file-line is-${kind}`}>
    <span class="file-sign" aria-hidden="true">${sign === "-" ? "−" : sign}</span>
    ${sign === " " ? null : html`<span class="visually-hidden">${t(`page.line_${kind}`)}</span>`}
    <code><${Text} value=${sign === " " ? line.replace(/^ /, "") : line.slice(1)} /></code>
  </div>`;
}
