/** Three or more runs: their outcomes case by case, at first only where they differ. */

import { StatusMark, statusWord } from "/static/report/marks.js";
import { Text, visibleText } from "/static/report/text.js";
import { html, useMemo, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { number, percent, plural, t } from "/static/report/words.js";
import { Baselines, Commit, Moment, runLabel } from "./figures.js";
import { Link, casePath, runCasePath, runPath } from "./router.js";

/** Height of a row in pixels: all are equal, so that only those in sight need to be in the document. */
const ROW_HEIGHT = 36;

/** Rows above and below those in sight. */
const ROWS_AROUND = 12;

/** Rows in sight before the height is known. */
const ROWS_AT_FIRST = 40;

/** @typedef {import("./types").CompareMatrix["cases"][number]} MatrixCase */

/**
 * The status of a case in a run; null if the run has not the case.
 * @param {[number, number] | null} outcome
 */
export function outcomeStatus(outcome) {
  if (outcome === null) return null;
  const [passed, trials] = outcome;
  if (!trials) return "unscored";
  if (passed === trials) return "passed";
  return passed ? "mixed" : "failed";
}

/**
 * Which runs have any case of each evaluation.
 * @param {MatrixCase[]} cases
 * @returns {boolean[][]} of each evaluation, one per run
 */
export function runsWith(cases) {
  /** @type {boolean[][]} */
  const found = [];
  for (const { evaluation, outcomes } of cases) {
    const runs = (found[evaluation] ??= outcomes.map(() => false));
    outcomes.forEach((outcome, at) => {
      if (outcome !== null) runs[at] = true;
    });
  }
  return found;
}

/**
 * Whether the runs differ in a case: one passes more of its trials than another, or has not the case. Runs without
 * the evaluation do not count.
 * @param {MatrixCase} item
 * @param {boolean[]} counts of each run, whether it has the evaluation
 */
export function isDiffering({ outcomes }, counts) {
  const shares = outcomes.filter((_, at) => counts[at]).map((outcome) => (outcome === null ? null : outcome[0] / outcome[1]));
  return shares.some((share) => !Object.is(share, shares[0])); // without trials it is NaN
}

/**
 * The cases to show.
 * @param {MatrixCase[]} cases
 * @param {{differing: boolean, text: string, evaluation: number | null}} filter
 */
export function chosenCases(cases, { differing, text, evaluation }) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = differing ? runsWith(cases) : [];
  return cases.filter(
    (item) =>
      (evaluation === null || item.evaluation === evaluation) &&
      words.every((word) => item.id.toLowerCase().includes(word)) &&
      (!differing || isDiffering(item, counts[item.evaluation])),
  );
}

/**
 * The table of cases and runs, with its filters.
 * @param {{matrix: import("./types").CompareMatrix}} properties
 */
export function Matrix({ matrix }) {
  const [filter, setFilter] = useState({ differing: true, text: "", evaluation: /** @type {number | null} */ (null) });
  const found = useMemo(() => chosenCases(matrix.cases, filter), [matrix, filter]);
  return html`<section aria-label=${t("page.matrix")}>
    <${MatrixFilter} matrix=${matrix} filter=${filter} count=${found.length} onChange=${setFilter} />
    ${found.length
      ? html`<${MatrixTable} matrix=${matrix} cases=${found} />`
      : html`<p class="card page-notice">${filter.differing && !filter.text ? t("page.matrix_same") : t("page.matrix_none")}</p>`}
  </section>`;
}

/**
 * @param {object} properties
 * @param {import("./types").CompareMatrix} properties.matrix
 * @param {{differing: boolean, text: string, evaluation: number | null}} properties.filter
 * @param {number} properties.count
 * @param {(filter: {differing: boolean, text: string, evaluation: number | null}) => void} properties.onChange
 */
function MatrixFilter({ matrix, filter, count, onChange }) {
  return html`<div class="matrix-filter">
    <label class="matrix-differing">
      <input type="checkbox" checked=${filter.differing} onChange=${() => onChange({ ...filter, differing: !filter.differing })} />
      ${t("page.matrix_differing")}
    </label>
    <input
      class="field"
      type="search"
      placeholder=${t("page.matrix_search")}
      aria-label=${t("page.matrix_search")}
      value=${filter.text}
      onInput=${(/** @type {Event & {currentTarget: HTMLInputElement}} */ event) => onChange({ ...filter, text: event.currentTarget.value })}
    />
    ${matrix.evaluations.length > 1
      ? html`<select
          class="field"
          aria-label=${t("page.evaluation")}
          onChange=${(/** @type {Event & {currentTarget: HTMLSelectElement}} */ event) => {
            const { value } = event.currentTarget;
            onChange({ ...filter, evaluation: value === "" ? null : Number(value) });
          }}
        >
          <option value="">${t("page.matrix_all_evaluations")}</option>
          ${matrix.evaluations.map(({ key, label }, at) => html`<option key=${key} value=${at}>${visibleText(label)}</option>`)}
        </select>`
      : null}
    <span class="muted" role="status">
      ${t("page.matrix_count", { shown: number(count), cases: plural("page.of_cases", matrix.cases.length) })}
    </span>
  </div>`;
}

/**
 * Which rows are in sight, from how far the table is scrolled.
 * @param {number} count
 */
function useRowsInSight(count) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [first, setFirst] = useState(0);
  const [seen, setSeen] = useState(ROWS_AT_FIRST);
  const onScroll = () => {
    if (!box.current) return;
    setFirst(Math.floor(box.current.scrollTop / ROW_HEIGHT));
    setSeen(Math.ceil(box.current.clientHeight / ROW_HEIGHT));
  };
  const from = Math.max(Math.min(first, count - 1) - ROWS_AROUND, 0);
  const to = Math.min(from + seen + 2 * ROWS_AROUND, count);
  return { box, onScroll, from, to };
}

/** @param {{matrix: import("./types").CompareMatrix, cases: MatrixCase[]}} properties */
function MatrixTable({ matrix, cases }) {
  const { box, onScroll, from, to } = useRowsInSight(cases.length);
  const columns = matrix.runs.length + 1;
  const space = (/** @type {number} */ rows) =>
    rows ? html`<tr aria-hidden="true" style=${{ height: `${rows * ROW_HEIGHT}px` }}><td colspan=${columns}></td></tr>` : null;
  return html`<div class="card card-table matrix" ref=${box} onScroll=${onScroll} role="region" tabindex="0" aria-label=${t("page.matrix")}>
    <table class="table matrix-table" aria-rowcount=${cases.length + 1}>
      <thead>
        <tr aria-rowindex="1">
          <th scope="col" class="matrix-corner">${t("page.case_title")}</th>
          ${matrix.runs.map((run, at) => html`<${RunHead} key=${run.id} run=${run} cases=${matrix.cases} at=${at} />`)}
        </tr>
      </thead>
      <tbody>
        ${space(from)}
        ${cases.slice(from, to).map(
          (item, at) => html`<${MatrixRow} key=${from + at} matrix=${matrix} item=${item} row=${from + at} />`,
        )}
        ${space(cases.length - to)}
      </tbody>
    </table>
  </div>`;
}

/**
 * The head of a column: the run, and how many of its cases pass in all their trials.
 * @param {{run: import("./types").RunSummary, cases: MatrixCase[], at: number}} properties
 */
function RunHead({ run, cases, at }) {
  const [passed, all] = useMemo(() => {
    const statuses = cases.map(({ outcomes }) => outcomeStatus(outcomes[at])).filter((status) => status !== null);
    return [statuses.filter((status) => status === "passed").length, statuses.length];
  }, [cases, at]);
  return html`<th scope="col" class="matrix-run">
    <${Link} to=${runPath(run.id)}><${Text} value=${runLabel(run)} /></${Link}>
    <span class="matrix-run-note muted"><${Moment} at=${run.started_at} /></span>
    <span class="matrix-run-note muted"><${Commit} commit=${run.commit} isDirty=${run.is_dirty} /> <${Baselines} names=${run.baselines} /></span>
    <span class="matrix-run-note">
      ${t("page.matrix_passed", { passed: number(passed), all: number(all), share: percent(all ? passed / all : null) })}
    </span>
  </th>`;
}

/** @param {{matrix: import("./types").CompareMatrix, item: MatrixCase, row: number}} properties */
function MatrixRow({ matrix, item, row }) {
  const evaluation = matrix.evaluations[item.evaluation];
  return html`<tr class="matrix-row" aria-rowindex=${row + 2}>
    <th scope="row" title=${visibleText(item.id)}>
      <${Link} to=${casePath(evaluation.key, item.id)}><${Text} value=${item.id} limit=${200} /></${Link}>
      ${matrix.evaluations.length > 1 ? html`<span class="muted matrix-evaluation"><${Text} value=${evaluation.label} /></span>` : null}
    </th>
    ${item.outcomes.map(
      (outcome, at) => html`<td key=${at}><${Outcome} outcome=${outcome} to=${runCasePath(matrix.runs[at].id, evaluation.key, item.id)} /></td>`,
    )}
  </tr>`;
}

/**
 * The outcome of a case in a run, as a link to it there.
 * @param {{outcome: [number, number] | null, to: string}} properties
 */
export function Outcome({ outcome, to }) {
  const status = outcomeStatus(outcome);
  if (outcome === null || status === null) {
    return html`<span class="muted" title=${t("page.not_in_run")}>–<span class="visually-hidden">${t("page.not_in_run")}</span></span>`;
  }
  const [passed, trials] = outcome;
  return html`<${Link} to=${to} class=${`run-outcome is-${status}`} title=${statusWord(status)}>
    <${StatusMark} status=${status} />${trials > 1 ? html` <span>${number(passed)}/${number(trials)}</span>` : null}
  </${Link}>`;
}
