/** The small parts of all screens: names of runs, shares with their intervals, changes, statuses. */

import { shareInterval } from "/static/report/charts.js";
import { Text, visibleText } from "/static/report/text.js";
import { html } from "/static/report/vendor/preact-htm.js";
import { date, number, percent, plural, t } from "/static/report/words.js";
import { Link, runPath } from "./router.js";

/** Characters of a commit that are shown. */
const COMMIT_LENGTH = 8;

/** @type {Record<string, string>} */
const ARROWS = { up: "▲", down: "▼", same: "=" };

/** @type {Record<string, string>} */
const RUN_MARKS = { running: "▸", finished: "✓", interrupted: "■", abandoned: "!" };

/**
 * What a run is called: its name, or its id.
 * @param {{id: string, name: string | null}} run
 */
export function runLabel(run) {
  return visibleText(run.name ?? run.id);
}

/**
 * A link to a run, with its id if it has a name, and its names as a baseline.
 * @param {{run: import("./types").RunSummary}} properties
 */
export function RunName({ run }) {
  return html`<span class="run-name">
    <${Link} to=${runPath(run.id)}><${Text} value=${run.name ?? run.id} /></${Link}>
    ${run.name === null ? null : html`<span class="mono muted run-id"><${Text} value=${run.id} /></span>`}
    <${Baselines} names=${run.baselines} />
  </span>`;
}

/**
 * The names of a run as a baseline.
 * @param {{names: string[]}} properties
 */
export function Baselines({ names }) {
  return names.map(
    (name) => html`<span class="run-badge" key=${name} title=${t("page.baseline")}>
      <span aria-hidden="true">⚑</span> <span class="visually-hidden">${t("page.baseline")}</span>
      <${Text} value=${name} />
    </span>`,
  );
}

/**
 * The commit of a run, and whether the files differed from it.
 * @param {{commit: string | null, isDirty: boolean | null}} properties
 */
export function Commit({ commit, isDirty }) {
  if (commit === null) return html`<span class="muted">–</span>`;
  return html`<span class="run-commit"
    ><span class="mono" title=${visibleText(commit)}><${Text} value=${commit.slice(0, COMMIT_LENGTH)} /></span
    >${isDirty ? html`<span class="muted" title=${t("page.dirty_meaning")}>${" "}${t("page.dirty")}</span>` : null}</span
  >`;
}

/**
 * A time, exact for programs.
 * @param {{at: number}} properties
 */
export function Moment({ at }) {
  return html`<time class="page-moment" datetime=${new Date(at * 1000).toISOString()}>${date(at)}</time>`;
}

/**
 * A share of passed cases, with its interval below.
 * @param {{share: number | null, interval: import("/static/report/types").Interval | null}} properties
 */
export function Share({ share, interval }) {
  if (share === null) return html`<span class="muted">–</span>`;
  return html`<span class="run-share"
    ><span class="run-share-value">${percent(share)}</span>${interval
      ? html`<span class="run-share-interval muted" title=${t("page.interval_meaning")}>${shareInterval(interval)}</span>`
      : null}</span
  >`;
}

/**
 * A difference of two shares in points, with its sign.
 * @param {number} change
 */
function signedPoints(change) {
  const points = number(Math.round(Math.abs(change) * 1000) / 10);
  return change < 0 ? `−${points}` : `+${points}`;
}

/**
 * The change from the run before: an arrow, how much, and a word.
 * @param {{of: import("./types").Change, isCell?: boolean}} properties `isCell`: in a table, where most rows have one
 */
export function ChangeNote({ of, isCell = false }) {
  if (of.direction === null) {
    if (of.has_other_cases) return html`<span class="run-change muted">${t("page.change_other_cases")}</span>`;
    const why = t("page.change_none");
    if (!isCell) return html`<span class="run-change muted">${why}</span>`;
    return html`<span class="muted" title=${why}>–<span class="visually-hidden"> ${why}</span></span>`;
  }
  const tone = of.direction === "same" ? "muted" : of.direction === "up" ? "is-good" : "is-bad";
  return html`<span class="run-change">
    <span class=${of.is_outside ? `${tone} run-change-clear` : tone}>
      <span aria-hidden="true">${ARROWS[of.direction]}</span>
      ${of.direction === "same" ? null : ` ${t("comparison.points", { points: signedPoints(of.change ?? 0) })}`} ${t(`page.change_${of.direction}`)}
    </span>
    ${of.is_outside ? html`<span class="run-change-outside muted">${t("page.change_outside")}</span>` : null}
  </span>`;
}

/**
 * The status of a run: a mark and a word.
 * @param {{run: {status: import("./types").RunStatus, is_partial?: boolean, unreadable?: number}}} properties
 */
export function RunState({ run }) {
  const notes = [];
  if (run.is_partial) notes.push(t("page.partial"));
  if (run.unreadable) notes.push(plural("page.unreadable", run.unreadable));
  return html`<span class=${`run-state is-${run.status}`}>
    <span class="mark" aria-hidden="true">${RUN_MARKS[run.status]}</span>${" "}${t(`page.status_${run.status}`)}
    ${notes.map((note) => html`<span class="run-state-note muted" key=${note}>${note}</span>`)}
  </span>`;
}

/**
 * How many cases, and how many trials if there are several per case.
 * @param {{cases: number, trials: number}} counts
 */
export function casesText({ cases, trials }) {
  const counted = plural("page.case", cases);
  return trials > cases ? t("page.cases_and_trials", { cases: counted, trials: plural("page.trial", trials) }) : counted;
}

/**
 * How many cases, for a column of that name: trials and errors stand below.
 * @param {{counts: {cases: number, trials: number, errors: number}}} properties
 */
export function CaseCount({ counts: { cases, trials, errors } }) {
  return html`${number(cases)}
    ${trials > cases ? html`<span class="cell-note muted">${plural("page.trial", trials)}</span>` : null}
    ${errors ? html`<span class="cell-note is-bad">${plural("page.errors", errors)}</span>` : null}`;
}
