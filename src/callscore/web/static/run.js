/** A run: the report's own components over the server; while it is in progress, live. */

import { caseKeys } from "/static/report/address.js";
import { CaseDetail } from "/static/report/case.js";
import { Report } from "/static/report/frame.js";
import { Text } from "/static/report/text.js";
import { html, useEffect, useMemo, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { t } from "/static/report/words.js";
import { apiPath, ask, sentence, useAnswer, withQuery } from "./api.js";
import { CasePanel } from "./case_panel.js";
import { CompareWith } from "./compare_with.js";
import { Baselines, Commit, Moment, RunState, runLabel } from "./figures.js";
import { LivePanel } from "./live.js";
import { Answered, Loading, Problem } from "./notices.js";
import { RescoreScreen } from "./rescore.js";
import { HOME, Link, evaluationPath, noteAddress, runPath } from "./router.js";
import { Screen } from "./shell.js";
import { runSource } from "./sources.js";

/**
 * @param {{place: Extract<import("./router").Place, {name: "run"}>}} properties
 */
export function RunScreen({ place }) {
  /** @type {import("./api").Asked<import("./types").RunPage>} */
  const asked = useAnswer(withQuery(apiPath("runs", place.id)));
  const { answer } = asked;
  if (answer && place.panel === "rescore") return html`<${RescoreScreen} run=${answer.run} />`;
  const isLive = answer?.progress && !answer.progress.is_finished;
  return html`<${Screen}
    name=${answer ? runLabel(answer.run) : t("page.run")}
    heading=${answer ? html`<${Text} value=${answer.run.name ?? answer.run.id} />` : t("page.run")}
    about=${answer ? html`<${RunAbout} page=${answer} />` : null}
    actions=${answer ? html`<${RunActions} page=${answer} />` : null}
    trail=${[{ text: t("page.home"), to: HOME }]}
    isReady=${!asked.isLoading}
  >
    <${Answered} asked=${asked}>
      ${(/** @type {import("./types").RunPage} */ page) =>
        isLive
          ? html`<${LiveRun} key=${page.run.id} page=${page} onFinished=${asked.reload} />`
          : html`<${RunReport} key=${page.run.id} page=${page} place=${place} />`}
    </${Answered}>
  </${Screen}>`;
}

/**
 * What the run is, below its name.
 * @param {{page: import("./types").RunPage}} properties
 */
function RunAbout({ page }) {
  const { run } = page;
  return html`<ul class="page-facts">
    ${run.name === null ? null : html`<li class="mono"><${Text} value=${run.id} /></li>`}
    <li><${RunState} run=${run} /></li>
    <li><${Moment} at=${run.started_at} /></li>
    ${run.commit === null ? null : html`<li>${t("page.commit")} <${Commit} commit=${run.commit} isDirty=${run.is_dirty} /></li>`}
    ${page.evaluations.map(
      ({ key, label }) => html`<li key=${key}><${Link} to=${evaluationPath(key)}><${Text} value=${label} /></${Link}></li>`,
    )}
    ${run.parent === null
      ? null
      : html`<li>${t("page.rescored")} <${Link} to=${runPath(run.parent)}><${Text} value=${run.parent} /></${Link}></li>`}
    ${run.baselines.length ? html`<li><${Baselines} names=${run.baselines} /></li>` : null}
  </ul>`;
}

/** @param {{page: import("./types").RunPage}} properties */
function RunActions({ page }) {
  const { run } = page;
  return html`<${CompareWith} run=${run} />
    ${run.status === "running" ? null : html`<${Link} class="button" to=${runPath(run.id, "rescore")}>${t("page.rescore")}</${Link}>`}`;
}

/**
 * The report of a run. An address with `?evaluation=&case=` opens the case: it becomes the name of the case in the
 * hash, as the report writes it.
 * @param {{page: import("./types").RunPage, place: Extract<import("./router").Place, {name: "run"}>}} properties
 */
function RunReport({ page, place }) {
  const source = useMemo(() => {
    const made = runSource(page);
    openCase(made, page, place);
    return made;
  }, [page]);
  useEffect(noteAddress, [source]);
  return html`<${Report}
    source=${source}
    embedded=${true}
    heading=${null}
    actions=${(/** @type {number} */ position) => html`<${CasePanel} run=${page.run.id} source=${source} position=${position} />`}
  />`;
}

/**
 * @param {import("./sources").RunSource} source
 * @param {import("./types").RunPage} page
 * @param {Extract<import("./router").Place, {name: "run"}>} place
 */
function openCase(source, page, place) {
  if (place.case === null) return;
  const evaluation = page.evaluations.findIndex(({ key }) => key === place.evaluation);
  const position = source.index.id.findIndex(
    (id, at) => id === place.case && (source.index.evaluation?.[at] ?? 0) === Math.max(evaluation, 0),
  );
  if (position < 0 || globalThis.location.hash) return;
  const name = encodeURIComponent(caseKeys(source).nameOf[position]);
  globalThis.history.replaceState(globalThis.history.state, "", `${runPath(place.id)}#case=${name}`);
}

/**
 * A run in progress. The results so far can be opened one by one; the report follows when the run has finished.
 * @param {{page: import("./types").RunPage, onFinished: () => void}} properties
 */
function LiveRun({ page, onFinished }) {
  const [opened, setOpened] = useState(/** @type {import("./types").Progress["newest"][number] | null} */ (null));
  return html`<${LivePanel}
    first=${page.progress}
    evaluations=${page.evaluations.length}
    onFinished=${onFinished}
    onOpen=${setOpened}
  >
    ${opened === null ? null : html`<${LiveCase} run=${page.run.id} page=${page} result=${opened} onClose=${() => setOpened(null)} />`}
  </${LivePanel}>`;
}

/**
 * A result of a run in progress.
 * @param {object} properties
 * @param {string} properties.run
 * @param {import("./types").RunPage} properties.page
 * @param {import("./types").Progress["newest"][number]} properties.result
 * @param {() => void} properties.onClose
 */
function LiveCase({ run, page, result, onClose }) {
  const [answer, setAnswer] = useState(/** @type {import("./types").CaseAnswer | null} */ (null));
  const [error, setError] = useState(/** @type {string | null} */ (null));
  useEffect(() => {
    const controller = new AbortController();
    setAnswer(null);
    setError(null);
    const query = { evaluation: result.evaluation, case: result.case, trial: result.trial };
    ask(withQuery(apiPath("runs", run, "case"), query), controller.signal).then(setAnswer, (problem) => {
      if (!controller.signal.aborted) setError(sentence(problem));
    });
    return () => controller.abort();
  }, [run, result.evaluation, result.case, result.trial]);
  const source = useMemo(() => runSource(page), [page]);
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    pane.current?.focus({ preventScroll: true });
    pane.current?.scrollIntoView({ block: "nearest" });
  }, [answer]);
  return html`<section class="live-case" aria-label=${t("page.case_title")} tabindex="-1" ref=${pane}>
    <button type="button" class="button live-close" onClick=${onClose}>${t("page.close")}</button>
    <${Problem} text=${error} />
    ${answer === null && error === null ? html`<${Loading} />` : null}
    ${answer ? html`<${CaseDetail} source=${source} position=${0} view=${answer.view} />` : null}
  </section>`;
}
