/** An evaluation over time: the trend with its interval band, and the runs behind it. */

import { Trend } from "/static/report/charts.js";
import { Text, visibleText } from "/static/report/text.js";
import { html, useMemo } from "/static/report/vendor/preact-htm.js";
import { decimal, plural, t } from "/static/report/words.js";
import { apiPath, useAnswer, withQuery } from "./api.js";
import { Baselines, CaseCount, ChangeNote, Commit, Moment, RunState, Share } from "./figures.js";
import { Answered } from "./notices.js";
import { HOME, Link, navigate, runPath } from "./router.js";
import { CompareBar, PickBox, usePicked } from "./run_table.js";
import { Screen } from "./shell.js";

/** @param {{id: string}} properties `id` is the key of the evaluation */
export function EvaluationScreen({ id }) {
  /** @type {import("./api").Asked<import("./types").EvaluationHistory>} */
  const asked = useAnswer(withQuery(apiPath("evaluations", id)));
  const { answer } = asked;
  const name = answer ? visibleText(answer.label) : t("page.evaluation");
  return html`<${Screen}
    name=${name}
    heading=${name}
    about=${answer?.place ? html`<span class="mono"><${Text} value=${answer.place} /></span>` : null}
    trail=${[{ text: t("page.home"), to: HOME }]}
    isReady=${!asked.isLoading}
  >
    <${Answered} asked=${asked}>
      ${(/** @type {import("./types").EvaluationHistory} */ history) => html`<${EvaluationContent} history=${history} />`}
    </${Answered}>
  </${Screen}>`;
}

/** @param {{history: import("./types").EvaluationHistory}} properties */
function EvaluationContent({ history }) {
  const picked = usePicked();
  const newest = useMemo(() => [...history.points].reverse(), [history]);
  const trend = history.points.filter(({ counts }) => counts).map((point) => ({ ...point, is_this: picked.has(point.run) }));
  const left = history.points.length - trend.length;
  return html`<section class="card" aria-labelledby="trend-title">
      <h2 id="trend-title">${t("page.trend")}</h2>
      <p class="muted">${t("page.trend_meaning")}</p>
      ${trend.length
        ? html`<${Trend} points=${trend} onPick=${(/** @type {{run: string}} */ { run }) => navigate(runPath(run))} />`
        : html`<p>${t("page.trend_none")}</p>`}
      ${left ? html`<p class="muted">${plural("page.not_in_trend", left)}</p>` : null}
    </section>
    <section>
      <div class="section-head">
        <h2>${t("page.runs")}</h2>
        <${CompareBar} picked=${picked} />
      </div>
      <div class="card card-table"><${PointTable} points=${newest} picked=${picked} /></div>
      ${history.not_shown ? html`<p class="muted">${plural("page.older_left_out", history.not_shown)}</p>` : null}
    </section>`;
}

/**
 * The runs of an evaluation, the newest first.
 * @param {{points: import("./types").EvaluationPoint[], picked: import("./run_table").Picked}} properties
 */
function PointTable({ points, picked }) {
  return html`<div class="table-scroll" role="region" tabindex="0" aria-label=${t("page.runs")}>
    <table class="table run-table">
      <thead>
        <tr>
          <th scope="col"><span class="visually-hidden">${t("page.pick_column")}</span></th>
          <th scope="col">${t("page.run")}</th>
          <th scope="col" class="wide-only">${t("page.started")}</th>
          <th scope="col" class="wide-only">${t("page.commit")}</th>
          <th scope="col" class="number wide-only">${t("page.cases")}</th>
          <th scope="col" class="number">${t("page.passed")}</th>
          <th scope="col" class="number wide-only">${t("page.mean_f1")}</th>
          <th scope="col">${t("page.change")}</th>
          <th scope="col" class="wide-only">${t("page.status")}</th>
        </tr>
      </thead>
      <tbody>
        ${points.map((point) => html`<${PointRow} key=${point.run} point=${point} picked=${picked} />`)}
      </tbody>
    </table>
  </div>`;
}

/** @param {{point: import("./types").EvaluationPoint, picked: import("./run_table").Picked}} properties */
function PointRow({ point, picked }) {
  const label = visibleText(point.name ?? point.run);
  return html`<tr class=${picked.has(point.run) ? "point-row is-picked" : "point-row"}>
    <td class="pick-cell"><${PickBox} id=${point.run} label=${label} at=${point.at} picked=${picked} /></td>
    <th scope="row" class="run-cell">
      <${Link} to=${runPath(point.run)} class="run-link"><${Text} value=${point.name ?? point.run} /></${Link}>
      <span class="run-notes">
        ${point.name === null ? null : html`<span class="mono muted"><${Text} value=${point.run} /></span>`}
        ${point.command === "run" ? null : html`<span class="muted">${t("page.by_command", { command: point.command })}</span>`}
        <${Baselines} names=${point.baselines} />
      </span>
      <span class="narrow-only run-notes muted">
        <${Moment} at=${point.at} /> <${Commit} commit=${point.commit} isDirty=${point.is_dirty} />
      </span>
    </th>
    <td class="wide-only"><${Moment} at=${point.at} /></td>
    <td class="wide-only"><${Commit} commit=${point.commit} isDirty=${point.is_dirty} /></td>
    <td class="number wide-only"><${CaseCount} counts=${point} /></td>
    <td class="number share-cell"><${Share} share=${point.share} interval=${point.interval} /></td>
    <td class="number wide-only">${decimal(point.f1)}</td>
    <td class="change-cell"><${ChangeNote} of=${point} isCell=${true} /></td>
    <td class="wide-only"><${RunState} run=${point} /></td>
  </tr>`;
}
