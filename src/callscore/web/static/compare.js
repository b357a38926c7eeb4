/** Runs compared: two with the components of a report, more as a table of cases and runs. */

import { Report } from "/static/report/frame.js";
import { Text } from "/static/report/text.js";
import { html, useMemo } from "/static/report/vendor/preact-htm.js";
import { plural, t } from "/static/report/words.js";
import { apiPath, useAnswer, withQuery } from "./api.js";
import { CaseLinks } from "./case_panel.js";
import { Baselines, Commit, Moment, runLabel } from "./figures.js";
import { Matrix } from "./matrix.js";
import { Answered, Problem } from "./notices.js";
import { HOME, Link, comparePath, runPath } from "./router.js";
import { MOST_COMPARED } from "./run_table.js";
import { Screen } from "./shell.js";
import { compareSource } from "./sources.js";

/** @param {{ids: string[]}} properties */
export function CompareScreen({ ids }) {
  const isPossible = ids.length >= 2 && ids.length <= MOST_COMPARED;
  /** @type {import("./api").Asked<import("./types").ComparePage | import("./types").CompareMatrix>} */
  const asked = useAnswer(isPossible ? withQuery(apiPath("compare"), { runs: ids.join(",") }) : null);
  const trail = [{ text: t("page.home"), to: HOME }];
  if (!isPossible) {
    return html`<${Screen} name=${t("page.compare")} heading=${t("page.compare")} trail=${trail}>
      <${Problem} text=${t("page.compare_count", { most: MOST_COMPARED })} />
    </${Screen}>`;
  }
  const { answer } = asked;
  const pair = answer !== null && "index" in answer ? answer.runs : null;
  const many = t("page.compare_many", { runs: plural("page.runs_counted", ids.length) });
  return html`<${Screen}
    name=${pair ? t("page.compare_pair", { before: runLabel(pair[0]), after: runLabel(pair[1]) }) : many}
    heading=${pair ? html`<${PairTitle} runs=${pair} />` : many}
    about=${pair ? html`<${PairAbout} runs=${pair} />` : null}
    actions=${pair
      ? html`<${Link} class="button" to=${comparePath([pair[1].id, pair[0].id])}>
          <span aria-hidden="true">⇄</span> ${t("page.swap")}
        </${Link}>`
      : null}
    trail=${trail}
    isReady=${!asked.isLoading}
  >
    <${Answered} asked=${asked}>
      ${(/** @type {import("./types").ComparePage | import("./types").CompareMatrix} */ found) =>
        "index" in found ? html`<${Pair} key=${ids.join()} page=${found} />` : html`<${Matrix} matrix=${found} />`}
    </${Answered}>
  </${Screen}>`;
}

/** @param {{runs: [import("./types").RunSummary, import("./types").RunSummary]}} properties */
function PairTitle({ runs: [before, after] }) {
  return html`<${Text} value=${before.name ?? before.id} /> <span class="muted" aria-hidden="true">→</span>
    <span class="visually-hidden">${t("page.compared_with")}</span> <${Text} value=${after.name ?? after.id} />`;
}

/** @param {{runs: [import("./types").RunSummary, import("./types").RunSummary]}} properties */
function PairAbout({ runs }) {
  const [before, after] = runs.map(
    (run) => html`<span>
      <${Link} to=${runPath(run.id)}><${Moment} at=${run.started_at} /></${Link}>${" "}
      ${run.commit === null ? null : html`<${Commit} commit=${run.commit} isDirty=${run.is_dirty} />`} <${Baselines} names=${run.baselines} />
    </span>`,
  );
  return html`${before} <span aria-hidden="true">→</span> ${after}`;
}

/** @param {{page: import("./types").ComparePage}} properties */
function Pair({ page }) {
  const source = useMemo(() => compareSource(page), [page]);
  return html`<${Report}
    source=${source}
    embedded=${true}
    heading=${null}
    actions=${(/** @type {number} */ position) => html`<${CaseLinks}
      evaluation=${page.evaluations[page.evaluation_of[position]]}
      id=${page.index.id[position]}
      runs=${page.runs}
    />`}
  />`;
}
