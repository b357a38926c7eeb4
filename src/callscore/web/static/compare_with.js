/** Choose the run that another one is compared with. */

import { Text } from "/static/report/text.js";
import { html, useState } from "/static/report/vendor/preact-htm.js";
import { t } from "/static/report/words.js";
import { apiPath, useAnswer, withQuery } from "./api.js";
import { Baselines, Moment, Share } from "./figures.js";
import { Answered, Question } from "./notices.js";
import { comparePath, navigate } from "./router.js";

/** Runs to choose from; the search of the page finds the others. */
const RUNS_OFFERED = 30;

/**
 * A button, and a dialog with the newest runs.
 * @param {{run: import("./types").RunSummary}} properties
 */
export function CompareWith({ run }) {
  const [isOpen, setOpen] = useState(false);
  return html`<button type="button" class="button" onClick=${() => setOpen(true)}>${t("page.compare_with")}</button>
    ${isOpen ? html`<${RunChoice} run=${run} onClose=${() => setOpen(false)} />` : null}`;
}

/** @param {{run: import("./types").RunSummary, onClose: () => void}} properties */
function RunChoice({ run, onClose }) {
  /** @type {import("./api").Asked<import("./types").RunsPage>} */
  const asked = useAnswer(withQuery(apiPath("runs"), { limit: RUNS_OFFERED + 1 }));
  const others = (asked.answer?.runs ?? []).filter(({ id }) => id !== run.id);
  const [chosen, setChosen] = useState(/** @type {string | null} */ (null));
  const first = likelyChoice(run, others);
  const id = chosen ?? first;
  const compare = () => {
    const other = others.find((candidate) => candidate.id === id);
    if (!other) return;
    const isOlder = other.started_at <= run.started_at;
    navigate(comparePath(isOlder ? [other.id, run.id] : [run.id, other.id]));
  };
  return html`<${Question}
    title=${t("page.compare_with_title")}
    confirm=${t("page.compare")}
    isBusy=${id === null}
    onConfirm=${compare}
    onClose=${onClose}
  >
    <${Answered} asked=${asked}>
      ${() =>
        others.length
          ? html`<ul class="run-choices">
              ${others.map(
                (other) => html`<li key=${other.id}>
                  <label>
                    <input type="radio" name="run" checked=${other.id === id} onChange=${() => setChosen(other.id)} />
                    <span class="run-choice">
                      <span><${Text} value=${other.name ?? other.id} /> <${Baselines} names=${other.baselines} /></span>
                      <span class="muted"><${Moment} at=${other.started_at} /></span>
                    </span>
                    ${other.evaluations.length === 1
                      ? html`<${Share} share=${other.evaluations[0].share} interval=${null} />`
                      : null}
                  </label>
                </li>`,
              )}
            </ul>`
          : html`<p>${t("page.compare_with_none")}</p>`}
    </${Answered}>
  </${Question}>`;
}

/**
 * The run that is chosen at first: the one whose answers it scores again, or the nearest older one with an evaluation
 * in common.
 * @param {import("./types").RunSummary} run
 * @param {import("./types").RunSummary[]} others the newest first
 * @returns {string | null}
 */
export function likelyChoice(run, others) {
  if (others.some(({ id }) => id === run.parent)) return run.parent;
  const keys = new Set(run.evaluations.map(({ key }) => key));
  const isLike = (/** @type {import("./types").RunSummary} */ other) => other.evaluations.some(({ key }) => keys.has(key));
  const older = others.filter((other) => other.started_at < run.started_at);
  return (older.find(isLike) ?? others.find(isLike) ?? others[0])?.id ?? null;
}
