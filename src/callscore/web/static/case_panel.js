/** What the page adds to the detail of a case: accept, notes, and the same case elsewhere. */

import { Text } from "/static/report/text.js";
import { html, useEffect, useState } from "/static/report/vendor/preact-htm.js";
import { number, t } from "/static/report/words.js";
import { Accept } from "./accept.js";
import { runLabel } from "./figures.js";
import { Notes } from "./notes.js";
import { Link, casePath, runCasePath } from "./router.js";

/**
 * The panel of a case of a run.
 * @param {object} properties
 * @param {string} properties.run
 * @param {import("./sources").RunSource} properties.source
 * @param {number} properties.position
 */
export function CasePanel({ run, source, position }) {
  const [answer, setAnswer] = useState(/** @type {import("./types").CaseAnswer | null} */ (null));
  useEffect(() => {
    let isCurrent = true;
    setAnswer(null);
    source.answerAt(position).then(
      (found) => isCurrent && setAnswer(found),
      () => {}, // the detail itself says what failed
    );
    return () => void (isCurrent = false);
  }, [source, position]);
  if (answer === null) return null;
  const { view, evaluation, notes } = answer;
  const isWrong = view.status === "failed" || view.status === "unscored";
  return html`<${Link} class="button" to=${casePath(evaluation.key, view.id)}>${t("page.case_in_runs")}</${Link}>
    ${isWrong
      ? html`<${Accept}
          key=${position}
          run=${run}
          evaluation=${source.index.evaluation?.[position] ?? 0}
          case=${view.id}
          trial=${view.trial}
        />`
      : null}
    <details class="page-panel no-print" open=${notes.length > 0}>
      <summary>${notes.length ? t("page.notes_counted", { count: number(notes.length) }) : t("page.notes")}</summary>
      <${Notes}
        key=${position}
        evaluation=${evaluation.key}
        case=${view.id}
        notes=${notes}
        onChange=${() => source.forget(position)}
      />
    </details>`;
}

/**
 * Links of a case in a comparison: over all runs, and in each of the two.
 * @param {object} properties
 * @param {import("./types").EvaluationName | undefined} properties.evaluation
 * @param {string} properties.id
 * @param {import("./types").RunSummary[]} properties.runs
 */
export function CaseLinks({ evaluation, id, runs }) {
  if (!evaluation) return null;
  return html`<${Link} class="button" to=${casePath(evaluation.key, id)}>${t("page.case_in_runs")}</${Link}>
    ${runs
      .filter((run) => run.id)
      .map(
        (run) => html`<${Link} key=${run.id} class="button button-quiet" to=${runCasePath(run.id, evaluation.key, id)}>
          ${t("page.case_in_run")} <${Text} value=${runLabel(run)} />
        </${Link}>`,
      )}`;
}
