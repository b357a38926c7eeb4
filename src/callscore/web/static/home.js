/** The home page: runs in progress, evaluations with their trends, and the newest runs. */

import { Sparkline } from "./sparkline.js";
import { Text } from "/static/report/text.js";
import { html, useEffect, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { t } from "/static/report/words.js";
import { apiPath, ask, useAction, useAnswer, withQuery } from "./api.js";
import { ChangeNote, RunState, Share, casesText } from "./figures.js";
import { RunningCard } from "./live.js";
import { Answered, Problem } from "./notices.js";
import { Link, evaluationPath, runPath } from "./router.js";
import { CompareBar, RunTable, usePicked } from "./run_table.js";
import { Screen } from "./shell.js";

/** Milliseconds between two looks for new runs. */
const HOME_PERIOD = 4000;

/** Runs in progress that are followed; each needs a connection. */
const MOST_FOLLOWED = 3;

/** Evaluations that are shown before "all". */
const EVALUATIONS_SHOWN = 12;

/** @param {{boot: import("./types").Boot}} properties */
export function HomeScreen({ boot }) {
  /** @type {import("./api").Asked<import("./types").Home>} */
  const asked = useAnswer(withQuery(apiPath("home")));
  useLooking(asked.reload);
  return html`<${Screen}
    name=${boot.project}
    heading=${html`<${Text} value=${boot.project} />`}
    about=${t("page.home_about")}
    isReady=${!asked.isLoading}
  >
    <${Answered} asked=${asked}>
      ${(/** @type {import("./types").Home} */ home) => html`<${HomeContent} home=${home} onFinished=${asked.reload} />`}
    </${Answered}>
  </${Screen}>`;
}

/**
 * Look for new runs from time to time, and when the window is seen again.
 * @param {() => void} look
 */
function useLooking(look) {
  useEffect(() => {
    const lookIfSeen = () => {
      if (!globalThis.document.hidden) look();
    };
    const timer = setInterval(lookIfSeen, HOME_PERIOD);
    globalThis.document.addEventListener("visibilitychange", lookIfSeen);
    return () => {
      clearInterval(timer);
      globalThis.document.removeEventListener("visibilitychange", lookIfSeen);
    };
  }, [look]);
}

/** @param {{home: import("./types").Home, onFinished: () => void}} properties */
function HomeContent({ home, onFinished }) {
  if (!home.runs.length && !home.running.length) {
    return html`<${NothingYet} />`;
  }
  return html`${home.running.length ? html`<${Running} running=${home.running} onFinished=${onFinished} />` : null}
    ${home.evaluations.length ? html`<${Evaluations} home=${home} />` : null}
    <${NewestRuns} home=${home} />`;
}

/** What to type in an empty history. */
function NothingYet() {
  const steps = /** @type {const} */ ([
    ["callscore init", "page.empty_init"],
    ["callscore run", "page.empty_run"],
    ["callscore score cases.jsonl --save first", "page.empty_score"],
  ]);
  return html`<section class="card home-empty">
    <h2>${t("page.empty")}</h2>
    <p>${t("page.empty_next")}</p>
    <dl class="home-empty-steps">
      ${steps.map(
        ([command, key]) => html`<div key=${command}>
          <dt class="command"><code>${command}</code></dt>
          <dd>${t(key)}</dd>
        </div>`,
      )}
    </dl>
    <p class="muted">${t("page.empty_updates")}</p>
  </section>`;
}

/** @param {{running: import("./types").Progress[], onFinished: () => void}} properties */
function Running({ running, onFinished }) {
  const rest = running.slice(MOST_FOLLOWED);
  return html`<section aria-labelledby="running-title">
    <h2 id="running-title">${t("page.running")}</h2>
    <div class="page-stack">
      ${running
        .slice(0, MOST_FOLLOWED)
        .map((progress) => html`<${RunningCard} key=${progress.run} first=${progress} onFinished=${onFinished} />`)}
      ${rest.length
        ? html`<ul class="card">
            ${rest.map(({ run, name }) => html`<li key=${run}><${Link} to=${runPath(run)}><${Text} value=${name ?? run} /></${Link}></li>`)}
          </ul>`
        : null}
    </div>
  </section>`;
}

/** @param {{home: import("./types").Home}} properties */
function Evaluations({ home: { evaluations, runs } }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? evaluations : evaluations.slice(0, EVALUATIONS_SHOWN);
  return html`<section aria-labelledby="evaluations-title">
    <h2 id="evaluations-title">${t("page.evaluations")}</h2>
    <ul class="evaluation-cards">
      ${shown.map(
        (evaluation) => html`<${EvaluationCard}
          key=${evaluation.key}
          evaluation=${evaluation}
          run=${runs.find(({ id }) => id === evaluation.latest_run)}
        />`,
      )}
    </ul>
    ${shown.length < evaluations.length
      ? html`<button type="button" class="button" onClick=${() => setOpen(true)}>
          ${t("page.all_evaluations", { count: evaluations.length })}
        </button>`
      : null}
  </section>`;
}

/**
 * @param {object} properties
 * @param {import("./types").EvaluationSummary} properties.evaluation
 * @param {import("./types").RunSummary} [properties.run] the newest one, if it is among the newest runs
 */
function EvaluationCard({ evaluation, run }) {
  const { latest, trend } = evaluation;
  return html`<li class="card evaluation-card">
    <div class="evaluation-card-head">
      <h3><${Link} to=${evaluationPath(evaluation.key)} class="card-link"><${Text} value=${evaluation.label} /></${Link}></h3>
      ${trend.length > 1 ? html`<${Sparkline} points=${trend} />` : null}
    </div>
    <p class="evaluation-card-share"><${Share} share=${latest.share} interval=${latest.interval} /></p>
    <p>
      ${run && (run.status !== "finished" || run.is_partial)
        ? html`<${RunState} run=${run} />`
        : html`<${ChangeNote} of=${latest} />`}
    </p>
    <p class="muted evaluation-card-foot">
      <span>${casesText(latest)}</span>
      ${evaluation.place ? html`<span class="mono"><${Text} value=${evaluation.place} /></span>` : null}
    </p>
  </li>`;
}

/**
 * The newest runs, followed by the older ones that are known: a run that a newer one displaces stays in the list.
 * @param {import("./types").RunSummary[]} newest
 * @param {import("./types").RunSummary[]} known
 */
export function mergeRuns(newest, known) {
  const ids = new Set(newest.map(({ id }) => id));
  const end = newest[newest.length - 1]?.started_at ?? Infinity;
  return [...newest, ...known.filter(({ id, started_at }) => !ids.has(id) && started_at <= end)];
}

/** @param {{home: import("./types").Home}} properties */
function NewestRuns({ home }) {
  const picked = usePicked();
  const known = useRef(/** @type {import("./types").RunSummary[]} */ ([]));
  const [next, setNext] = useState(home.next);
  const more = useAction(async () => {
    /** @type {import("./types").RunsPage} */
    const page = await ask(withQuery(apiPath("runs"), { before: next }));
    known.current = mergeRuns(known.current, page.runs);
    setNext(page.next);
  });
  const runs = (known.current = mergeRuns(home.runs, known.current));
  return html`<section>
    <div class="section-head">
      <h2>${t("page.runs")}</h2>
      <${CompareBar} picked=${picked} />
    </div>
    <div class="card card-table">
      <${RunTable} runs=${runs} picked=${picked} />
    </div>
    ${next === null
      ? null
      : html`<button type="button" class="button" disabled=${more.isBusy} onClick=${more.start}>${t("page.older_runs")}</button>`}
    <${Problem} text=${more.error} />
  </section>`;
}
