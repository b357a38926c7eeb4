/** A case across runs: its outcomes over time, each with its detail, and its notes. */

import { CaseDetail } from "/static/report/case.js";
import { StatusMark, statusWord } from "/static/report/marks.js";
import { Text, visibleText } from "/static/report/text.js";
import { html, useMemo, useState } from "/static/report/vendor/preact-htm.js";
import { date, decimal, number, plural, t } from "/static/report/words.js";
import { apiPath, ask, useAction, useAnswer, withQuery } from "./api.js";
import { Baselines, Commit, Moment, runLabel } from "./figures.js";
import { outcomeStatus } from "./matrix.js";
import { Answered, Problem } from "./notices.js";
import { Notes } from "./notes.js";
import { HOME, Link, evaluationPath, runCasePath } from "./router.js";
import { Screen } from "./shell.js";

/** @typedef {import("./types").CasePage["runs"][number]} CaseRun */

/** @param {{evaluation: string, id: string}} properties */
export function CaseScreen({ evaluation, id }) {
  /** @type {import("./api").Asked<import("./types").CasePage>} */
  const asked = useAnswer(withQuery(apiPath("cases"), { evaluation, case: id }));
  const { answer } = asked;
  const trail = [{ text: t("page.home"), to: HOME }];
  if (answer) trail.push({ text: answer.evaluation.label, to: evaluationPath(evaluation) });
  return html`<${Screen}
    name=${visibleText(id)}
    heading=${html`<${Text} value=${id} limit=${300} />`}
    about=${t("page.case_about")}
    trail=${trail}
    isReady=${!asked.isLoading}
  >
    <${Answered} asked=${asked}>
      ${(/** @type {import("./types").CasePage} */ page) => html`<${CaseContent} key=${`${evaluation}/${id}`} page=${page} />`}
    </${Answered}>
  </${Screen}>`;
}

/** @param {{page: import("./types").CasePage}} properties */
function CaseContent({ page }) {
  const [older, setOlder] = useState({ runs: /** @type {CaseRun[]} */ ([]), next: page.next });
  const [opened, setOpened] = useState(() => new Set(page.runs.slice(0, 1).map(({ run }) => run.id)));
  const more = useAction(async () => {
    const query = { evaluation: page.evaluation.key, case: page.case, before: older.next };
    /** @type {import("./types").CasePage} */
    const next = await ask(withQuery(apiPath("cases"), query));
    setOlder((before) => ({ runs: [...before.runs, ...next.runs], next: next.next }));
  });
  const runs = [...page.runs, ...older.runs];
  const show = (/** @type {string} */ id) => {
    setOpened((before) => new Set(before).add(id));
    // The detail is in the document after the next frame.
    setTimeout(() => globalThis.document.getElementById(rowId(id))?.scrollIntoView({ block: "start" }), 50);
  };
  const toggle = (/** @type {string} */ id) =>
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  if (!runs.length) return html`<p class="card">${t("page.case_nowhere")}</p>`;
  return html`<section class="card" aria-labelledby="outcomes-title">
      <h2 id="outcomes-title">${t("page.outcomes")}</h2>
      <p class="muted">${outcomesText(runs)}</p>
      <${OutcomeStrip} runs=${runs} onPick=${show} />
    </section>
    <section class="card" aria-labelledby="notes-title">
      <h2 id="notes-title">${t("page.notes")}</h2>
      <${Notes} evaluation=${page.evaluation.key} case=${page.case} notes=${page.notes} />
    </section>
    <section>
      <h2>${t("page.runs")}</h2>
      <ol class="history-runs">
        ${runs.map(
          (item) => html`<${CaseRunItem}
            key=${item.run.id}
            page=${page}
            item=${item}
            isOpen=${opened.has(item.run.id)}
            onToggle=${() => toggle(item.run.id)}
          />`,
        )}
      </ol>
      ${older.next === null
        ? null
        : html`<button type="button" class="button" disabled=${more.isBusy} onClick=${more.start}>${t("page.older_runs")}</button>`}
      <${Problem} text=${more.error} />
    </section>`;
}

/** @param {string} id of a run */
function rowId(id) {
  return `case-in-${id}`;
}

/** @param {CaseRun[]} runs */
function outcomesText(runs) {
  const passing = runs.filter(({ passed, trials }) => outcomeStatus([passed, trials]) === "passed").length;
  return t("page.outcomes_text", { passed: number(passing), runs: plural("page.of_runs", runs.length) });
}

/**
 * The outcomes from the oldest to the newest run, each a button that opens it below.
 * @param {{runs: CaseRun[], onPick: (id: string) => void}} properties
 */
function OutcomeStrip({ runs, onPick }) {
  return html`<ol class="run-outcome-strip">
    ${[...runs].reverse().map(({ run, passed, trials, is_expectation_changed: isChanged }) => {
      const status = outcomeStatus([passed, trials]) ?? "unscored";
      const label = t("page.outcome_label", { run: runLabel(run), date: date(run.started_at), outcome: statusWord(status) });
      return html`<li key=${run.id} class=${isChanged ? "is-changed" : null}>
        ${isChanged ? html`<span class="run-outcome-changed" title=${t("page.expectation_changed")} aria-hidden="true">✎</span>` : null}
        <button type="button" class=${`run-outcome is-${status}`} title=${label} onClick=${() => onPick(run.id)}>
          <span class="visually-hidden">${label}</span>
          <${StatusMark} status=${status} silent=${true} />${trials > 1
            ? html`<span class="run-outcome-count">${number(passed)}/${number(trials)}</span>`
            : null}
        </button>
      </li>`;
    })}
  </ol>`;
}

/**
 * The case in one run: a line that opens to its detail.
 * @param {object} properties
 * @param {import("./types").CasePage} properties.page
 * @param {CaseRun} properties.item
 * @param {boolean} properties.isOpen
 * @param {() => void} properties.onToggle
 */
function CaseRunItem({ page, item, isOpen, onToggle }) {
  const { run, passed, trials, score } = item;
  const status = outcomeStatus([passed, trials]) ?? "unscored";
  return html`<li class="card history-run" id=${rowId(run.id)}>
    <div class="history-run-head">
      <button type="button" class="history-run-button" aria-expanded=${isOpen} onClick=${onToggle}>
        <span class="page-fold" aria-hidden="true">${isOpen ? "▾" : "▸"}</span>
        <${StatusMark} status=${status} />
        <span class="history-run-name"><${Text} value=${run.name ?? run.id} /></span>
        ${trials > 1 ? html`<span>${t("page.trials_passed", { passed: number(passed), trials: plural("page.of_trials", trials) })}</span>` : null}
        <span class="muted">${t("page.score_value", { score: decimal(score) })}</span>
        <span class="muted"><${Moment} at=${run.started_at} /></span>
      </button>
      <span class="history-run-notes muted">
        <${Commit} commit=${run.commit} isDirty=${run.is_dirty} /> <${Baselines} names=${run.baselines} />
      </span>
      <${Link} class="button" to=${runCasePath(run.id, page.evaluation.key, page.case)}>${t("page.in_run")}</${Link}>
    </div>
    ${item.is_expectation_changed
      ? html`<p class="history-run-changed"><span aria-hidden="true">✎</span> ${t("page.expectation_changed")}</p>`
      : null}
    ${isOpen ? html`<${CaseTrials} item=${item} />` : null}
  </li>`;
}

/**
 * The trials of a case in one run; one of them is shown, at first one that did not pass.
 * @param {{item: CaseRun}} properties
 */
function CaseTrials({ item }) {
  const { views } = item;
  const worst = views.findIndex(({ status }) => status !== "passed");
  const [at, setAt] = useState(Math.max(worst, 0));
  const source = useMemo(() => viewSource(item), [item]);
  const view = views[at];
  if (!view) return html`<p class="muted">${t("page.no_results")}</p>`;
  return html`${views.length > 1
      ? html`<div class="history-trials" role="group" aria-label=${t("page.trials")}>
          ${views.map(
            ({ status, trial }, place) => html`<button
              type="button"
              key=${place}
              class="chip"
              aria-pressed=${place === at}
              onClick=${() => setAt(place)}
            >
              <${StatusMark} status=${status} /> ${t("page.trial_number", { trial: trial ?? place + 1 })}
            </button>`,
          )}
        </div>`
      : null}
    <${CaseDetail} key=${at} source=${source} position=${at} view=${view} isShort=${true} />`;
}

/**
 * The views of a case as a source, for the components of the report.
 * @param {CaseRun} item
 */
function viewSource({ views }) {
  return { document: { kind: "run", pass_mark: 0 }, open: async (/** @type {number} */ position) => views[position] };
}
