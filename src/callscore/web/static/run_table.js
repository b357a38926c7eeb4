/** A table of runs, from which runs can be picked to compare them. */

import { Text, visibleText } from "/static/report/text.js";
import { html, useState } from "/static/report/vendor/preact-htm.js";
import { plural, t } from "/static/report/words.js";
import { Baselines, CaseCount, ChangeNote, Commit, Moment, RunState, Share, runLabel } from "./figures.js";
import { Link, comparePath, evaluationPath, navigate, runPath } from "./router.js";

/** How many runs can be compared at once. */
export const MOST_COMPARED = 10;

/** Evaluations of one run that are listed before "more". */
const EVALUATIONS_SHOWN = 4;

/**
 * The runs that are picked, and functions that change them. The oldest comes first: what changed is
 * told from the older to the newer run, in whatever order they are picked.
 * @returns {{ids: string[], has: (id: string) => boolean, toggle: (id: string, at: number) => void, clear: () => void}}
 */
export function usePicked() {
  const [picked, setPicked] = useState(/** @type {Map<string, number>} */ (new Map()));
  const toggle = (/** @type {string} */ id, /** @type {number} */ at) =>
    setPicked((before) => {
      const after = new Map(before);
      if (!after.delete(id) && after.size < MOST_COMPARED) after.set(id, at);
      return after;
    });
  const ids = [...picked].sort((one, other) => one[1] - other[1]).map(([id]) => id);
  return { ids, has: (id) => picked.has(id), toggle, clear: () => setPicked(new Map()) };
}

/** @typedef {ReturnType<typeof usePicked>} Picked */

/**
 * How many runs are picked, and the button that compares them.
 * @param {{picked: Picked}} properties
 */
export function CompareBar({ picked }) {
  const count = picked.ids.length;
  const say = () => {
    if (!count) return t("page.pick_hint");
    if (count === 1) return t("page.pick_one_more");
    return count === MOST_COMPARED ? t("page.pick_most", { count }) : plural("page.runs_picked", count);
  };
  return html`<div class=${count ? "compare-bar is-active" : "compare-bar"}>
    <span role="status" class=${count ? null : "muted"}>${say()}</span>
    <button
      type="button"
      class="button button-main"
      disabled=${count < 2}
      onClick=${() => navigate(comparePath(picked.ids))}
    >
      ${t("page.compare")}
    </button>
    ${count
      ? html`<button type="button" class="button button-quiet" onClick=${picked.clear}>${t("page.pick_clear")}</button>`
      : null}
  </div>`;
}

/**
 * The box that picks a run.
 * @param {{id: string, label: string, at: number, picked: Picked}} properties
 */
export function PickBox({ id, label, at, picked }) {
  const isPicked = picked.has(id);
  return html`<label class="run-pick">
    <input
      type="checkbox"
      checked=${isPicked}
      disabled=${!isPicked && picked.ids.length >= MOST_COMPARED}
      aria-label=${t("page.pick", { run: label })}
      onChange=${() => picked.toggle(id, at)}
    />
  </label>`;
}

/**
 * Runs, the newest first, one row per evaluation.
 * @param {{runs: import("./types").RunSummary[], picked: Picked}} properties
 */
export function RunTable({ runs, picked }) {
  return html`<div class="table-scroll" role="region" tabindex="0" aria-label=${t("page.runs")}>
    <table class="table run-table">
      <thead>
        <tr>
          <th scope="col"><span class="visually-hidden">${t("page.pick_column")}</span></th>
          <th scope="col">${t("page.run")}</th>
          <th scope="col" class="wide-only">${t("page.started")}</th>
          <th scope="col" class="wide-only">${t("page.commit")}</th>
          <th scope="col">${t("page.evaluation")}</th>
          <th scope="col" class="number wide-only">${t("page.cases")}</th>
          <th scope="col" class="number">${t("page.passed")}</th>
          <th scope="col">${t("page.change")}</th>
          <th scope="col" class="wide-only">${t("page.status")}</th>
        </tr>
      </thead>
      ${runs.map((run) => html`<${RunRows} key=${run.id} run=${run} picked=${picked} />`)}
    </table>
  </div>`;
}

/** @param {{run: import("./types").RunSummary, picked: Picked}} properties */
function RunRows({ run, picked }) {
  const [isOpen, setOpen] = useState(false);
  const all = run.evaluations;
  const isCut = !isOpen && all.length > EVALUATIONS_SHOWN + 1;
  const shown = isCut ? all.slice(0, EVALUATIONS_SHOWN) : all;
  const rows = Math.max(shown.length, 1) + (isCut ? 1 : 0);
  const more = html`<tr class="run-more">
    <td colspan="4">
      <button type="button" class="button button-quiet" onClick=${() => setOpen(true)}>
        ${plural("page.more_evaluations", all.length - shown.length)}
      </button>
    </td>
  </tr>`;
  return html`<tbody class=${picked.has(run.id) ? "run-rows is-picked" : "run-rows"}>
    ${(shown.length ? shown : [null]).map(
      (evaluation, at) => html`<tr key=${evaluation?.key ?? ""}>
        ${at === 0 ? html`<${RunCells} run=${run} picked=${picked} rows=${rows} />` : null}
        <${EvaluationCells} evaluation=${evaluation} />
        ${at === 0 ? html`<td class="wide-only" rowspan=${rows}><${RunState} run=${run} /></td>` : null}
      </tr>`,
    )}
    ${isCut ? more : null}
  </tbody>`;
}

/** @param {{run: import("./types").RunSummary, picked: Picked, rows: number}} properties */
function RunCells({ run, picked, rows }) {
  return html`<td class="pick-cell" rowspan=${rows}>
      <${PickBox} id=${run.id} label=${runLabel(run)} at=${run.started_at} picked=${picked} />
    </td>
    <th scope="rowgroup" class="run-cell" rowspan=${rows}>
      <${Link} to=${runPath(run.id)} class="run-link"><${Text} value=${run.name ?? run.id} /></${Link}>
      <span class="run-notes">
        ${run.name === null ? null : html`<span class="mono muted">${visibleText(run.id)}</span>`}
        ${run.command === "run" ? null : html`<span class="muted">${commandText(run)}</span>`}
        <${Baselines} names=${run.baselines} />
      </span>
      <span class="narrow-only run-notes muted">
        <${Moment} at=${run.started_at} /> <${Commit} commit=${run.commit} isDirty=${run.is_dirty} />
        <${RunState} run=${run} />
      </span>
    </th>
    <td class="wide-only" rowspan=${rows}><${Moment} at=${run.started_at} /></td>
    <td class="wide-only" rowspan=${rows}><${Commit} commit=${run.commit} isDirty=${run.is_dirty} /></td>`;
}

/**
 * How a run came to be, if not by `callscore run`.
 * @param {import("./types").RunSummary} run
 */
function commandText(run) {
  return run.parent === null
    ? t("page.by_command", { command: run.command })
    : t("page.rescored_from", { run: visibleText(run.parent) });
}

/** @param {{evaluation: import("./types").RunEvaluation | null}} properties */
function EvaluationCells({ evaluation }) {
  if (evaluation === null) {
    return html`<td colspan="4" class="muted no-evaluation">${t("page.no_evaluations")}</td>`;
  }
  return html`<td class="evaluation-cell">
      <${Link} to=${evaluationPath(evaluation.key)}><${Text} value=${evaluation.label} /></${Link}>
    </td>
    <td class="number wide-only"><${CaseCount} counts=${evaluation} /></td>
    <td class="number share-cell"><${Share} share=${evaluation.share} interval=${evaluation.interval} /></td>
    <td class="change-cell"><${ChangeNote} of=${evaluation} isCell=${true} /></td>`;
}
