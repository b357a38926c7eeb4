/** Runs in progress: how far they are, as the server tells it, and a button that stops them. */

import { parseJson } from "/static/report/data.js";
import { StatusMark } from "/static/report/marks.js";
import { Text } from "/static/report/text.js";
import { html, useEffect, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { decimal, number, percent, seconds, t } from "/static/report/words.js";
import { apiPath, send, useAction, withQuery } from "./api.js";
import { runLabel } from "./figures.js";
import { Problem, Question } from "./notices.js";
import { Link, runPath } from "./router.js";

/** Seconds between two looks at the clock. */
const TICK = 1;

/**
 * The progress of a run, kept up to date by server-sent events. The stream is closed while the window is hidden: a
 * browser has only six connections to a server.
 * @param {import("./types").Progress} first
 * @param {() => void} onFinished
 * @returns {{progress: import("./types").Progress, isLost: boolean, problem: string | null}} `isLost`: the browser
 *   connects again by itself; with a problem it does not
 */
export function useProgress(first, onFinished) {
  const [progress, setProgress] = useState(first);
  const [isLost, setLost] = useState(false);
  const [problem, setProblem] = useState(/** @type {string | null} */ (null));
  const finished = useRef(onFinished);
  finished.current = onFinished;
  useEffect(() => {
    setProgress(first);
    return followRun(first.run, {
      onProgress: (next) => {
        setLost(false);
        setProgress(next);
        if (next.is_finished) finished.current();
      },
      onLost: () => setLost(true),
      onProblem: setProblem,
    });
  }, [first.run]);
  return { progress, isLost, problem };
}

/**
 * Listen to the events of a run while the window can be seen.
 * @param {string} run
 * @param {object} handlers
 * @param {(progress: import("./types").Progress) => void} handlers.onProgress
 * @param {() => void} handlers.onLost
 * @param {(problem: string) => void} handlers.onProblem
 * @returns {() => void} ends it
 */
function followRun(run, { onProgress, onLost, onProblem }) {
  /** @type {EventSource | null} */
  let stream = null;
  let isDone = false;
  const close = () => {
    stream?.close();
    stream = null;
  };
  const open = () => {
    if (stream || isDone || globalThis.document.hidden) return;
    stream = new EventSource(withQuery(apiPath("events"), { run }));
    stream.addEventListener("progress", (event) => {
      const progress = parseJson(event.data);
      if (progress.is_finished) {
        isDone = true;
        close();
      }
      onProgress(progress);
    });
    stream.addEventListener("problem", (event) => {
      isDone = true;
      close();
      onProblem(parseJson(event.data).error);
    });
    stream.addEventListener("error", onLost); // the browser connects again by itself
  };
  const onVisible = () => (globalThis.document.hidden ? close() : open());
  globalThis.document.addEventListener("visibilitychange", onVisible);
  open();
  return () => {
    globalThis.document.removeEventListener("visibilitychange", onVisible);
    isDone = true;
    close();
  };
}

/** The current time in seconds since 1970, updated while a component is shown. */
function useClock() {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), TICK * 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/**
 * The share that is done; null if the total is unknown.
 * @param {import("./types").Progress} progress
 */
function shareDone({ done, total }) {
  return total ? Math.min(done / total, 1) : null;
}

/**
 * A bar with what is done: passed, failed, errors, and the rest. The numbers stand beside it.
 * @param {{progress: import("./types").Progress}} properties
 */
function ProgressBar({ progress }) {
  const total = Math.max(progress.total ?? progress.done, 1);
  const parts = /** @type {const} */ (["passed", "failed", "errors", "undecided"]);
  const share = shareDone(progress);
  const text = doneText(progress);
  return html`<div
    class=${share === null ? "live-bar is-open" : "live-bar"}
    role="progressbar"
    aria-label=${t("page.progress")}
    aria-valuemin="0"
    aria-valuemax="100"
    aria-valuenow=${share === null ? null : Math.floor(share * 100)}
    aria-valuetext=${text}
  >
    ${parts.map(
      (part) =>
        progress[part]
          ? html`<span key=${part} class=${`live-bar-part is-${part}`} style=${{ width: `${(progress[part] / total) * 100}%` }}></span>`
          : null,
    )}
  </div>`;
}

/** @param {import("./types").Progress} progress */
function doneText({ done, total }) {
  return total === null
    ? t("page.done", { done: number(done) })
    : t("page.done_of", { done: number(done), total: number(total) });
}

/**
 * What the results are so far, each with mark and word.
 * @param {{progress: import("./types").Progress}} properties
 */
function ProgressCounts({ progress }) {
  const counts = /** @type {const} */ ([
    ["passed", "passed"],
    ["failed", "failed"],
    ["error", "errors"],
    ["unscored", "undecided"],
  ]);
  return html`<ul class="live-counts">
    ${counts
      .filter(([status, name]) => progress[name] || status === "passed" || status === "failed")
      .map(
        ([status, name]) => html`<li key=${name}>
          <${StatusMark} status=${status} silent=${true} /> <strong>${number(progress[name])}</strong>
          ${" "}${t(`page.count_${name}`)}
        </li>`,
      )}
    ${progress.f1 === null ? null : html`<li key="f1"><strong>${decimal(progress.f1)}</strong> ${t("page.mean_score")}</li>`}
  </ul>`;
}

/**
 * How long it has been running, and about how long it will.
 * @param {{progress: import("./types").Progress}} properties
 */
function ProgressTime({ progress }) {
  const passed = Math.max(Math.round(useClock() - progress.started_at), 0);
  const share = shareDone(progress);
  const left = share && share < 1 && progress.done > 2 ? Math.round((passed * (1 - share)) / share) : null;
  return html`<span class="muted"
    >${left === null
      ? t("page.elapsed", { time: seconds(passed) })
      : t("page.elapsed_and_left", { time: seconds(passed), left: seconds(left) })}</span
  >`;
}

/**
 * A run in progress in a list.
 * @param {{first: import("./types").Progress, onFinished: () => void}} properties
 */
export function RunningCard({ first, onFinished }) {
  const { progress, problem } = useProgress(first, onFinished);
  return html`<article class="card running-run">
    <div class="running-head">
      <h3>
        <span class="live-pulse" aria-hidden="true"></span>
        <${Link} to=${runPath(progress.run)}><${Text} value=${runLabel({ id: progress.run, name: progress.name })} /></${Link}>
      </h3>
      <span><strong>${doneText(progress)}</strong> <${ProgressTime} progress=${progress} /></span>
    </div>
    <${ProgressBar} progress=${progress} />
    <${ProgressCounts} progress=${progress} />
    <${Problem} text=${problem} />
  </article>`;
}

/**
 * A run in progress on its own screen: the bar, the newest results, and the button that stops it.
 * @param {object} properties
 * @param {import("./types").Progress} properties.first
 * @param {() => void} properties.onFinished
 * @param {(result: import("./types").Progress["newest"][number]) => void} properties.onOpen opens a result
 * @param {number} properties.evaluations how many the run has
 * @param {unknown} [properties.children] the result that is open
 */
export function LivePanel({ first, onFinished, onOpen, evaluations, children }) {
  const { progress, isLost, problem } = useProgress(first, onFinished);
  const share = shareDone(progress);
  return html`<section class="card live" aria-label=${t("page.progress")}>
    <div class="running-head">
      <p class="live-share">
        <span class="live-pulse" aria-hidden="true"></span>
        ${share === null ? doneText(progress) : html`<strong>${percent(share)}</strong> ${doneText(progress)}`}
      </p>
      <${ProgressTime} progress=${progress} />
      <${CancelButton} progress=${progress} />
    </div>
    <${ProgressBar} progress=${progress} />
    <${ProgressCounts} progress=${progress} />
    ${isLost && problem === null ? html`<p class="muted" role="status">${t("page.connection_lost")}</p>` : null}
    <${Problem} text=${problem} onRetry=${onFinished} />
    <div class=${children ? "live-panes is-open" : "live-panes"}>
      <div>
        <h2>${t("page.newest")}</h2>
        ${progress.newest.length
          ? html`<${NewestResults} newest=${progress.newest} hasLabels=${evaluations > 1} onOpen=${onOpen} />`
          : html`<p class="muted">${t("page.newest_none")}</p>`}
      </div>
      ${children}
    </div>
  </section>`;
}

/**
 * @param {object} properties
 * @param {import("./types").Progress["newest"]} properties.newest
 * @param {boolean} properties.hasLabels
 * @param {(result: import("./types").Progress["newest"][number]) => void} properties.onOpen
 */
function NewestResults({ newest, hasLabels, onOpen }) {
  return html`<ol class="live-newest">
    ${newest.map(
      (result) => html`<li key=${`${result.evaluation}/${result.case}/${result.trial}`}>
        <button type="button" class="live-newest-row" onClick=${() => onOpen(result)}>
          <${StatusMark} status=${result.status} />
          <span class="live-newest-name"
            ><${Text} value=${result.case} />${result.trial > 1
              ? html` <span class="muted">${t("page.trial_number", { trial: result.trial })}</span>`
              : null}</span
          >
          ${hasLabels ? html`<span class="live-newest-label muted"><${Text} value=${result.label} /></span>` : null}
          ${result.problem === null
            ? html`<span class="live-newest-score">${decimal(result.score)}</span>`
            : html`<span class="live-newest-problem is-bad"><${Text} value=${result.problem} limit=${200} /></span>`}
          <span class="live-newest-time muted">${seconds(result.seconds)}</span>
        </button>
      </li>`,
    )}
  </ol>`;
}

/**
 * Stops a run, after a question.
 * @param {{progress: import("./types").Progress}} properties
 */
function CancelButton({ progress }) {
  const [isAsking, setAsking] = useState(false);
  const [isRequested, setRequested] = useState(false);
  const cancel = useAction(async () => {
    await send(apiPath("runs", progress.run, "cancel"));
    setRequested(true);
    setAsking(false);
  });
  if (progress.is_finished) return null;
  if (progress.is_cancelled || isRequested) return html`<span class="run-badge" role="status">${t("page.cancel_requested")}</span>`;
  return html`<button type="button" class="button" onClick=${() => setAsking(true)}>${t("page.cancel_run")}</button>
    ${isAsking
      ? html`<${Question}
          title=${t("page.cancel_question")}
          confirm=${t("page.cancel_confirm")}
          isBusy=${cancel.isBusy}
          error=${cancel.error}
          onConfirm=${cancel.start}
          onClose=${() => setAsking(false)}
        >
          <p>${t("page.cancel_meaning")}</p>
        </${Question}>`
      : null}`;
}
