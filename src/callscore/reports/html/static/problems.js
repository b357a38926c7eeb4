/** What went wrong, before any list: tools, arguments, failure classes and confusions. Each is a filter of the list. */

import { ToolBars, wrongCalls } from "./charts.js";
import { ConfusionMatrix, showMoreText } from "./confusion.js";
import { ArgumentName, ToolName, failureWord } from "./reasons.js";
import { Text } from "./text.js";
import { html, useMemo, useState } from "./vendor/preact-htm.js";
import { number, t } from "./words.js";

/** Lines of a ranking that are shown at first, and at all. */
const FIRST_LINES = 8;
const MOST_RANKED = 200;

/** Failure classes about arguments and about calls, in the order of the report. */
const ARGUMENT_CLASSES = ["value", "type", "missing", "unexpected", "matcher", "malformed"];

/**
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./rankings").Rankings} properties.rankings
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
export function Problems({ prepared, rankings, view, onChange }) {
  const { document: document_ } = prepared;
  const hasConfusion = document_.confusion.some(({ expected, called }) => expected !== called);
  if (!rankings.failures.length && !hasConfusion) return null;
  return html`<section class="section" aria-labelledby="problems-title">
    <h2 id="problems-title">${t("problems.title")}</h2>
    <p class="section-lead muted no-print">${t("problems.lead")}</p>
    <div class="problems">
      <${ToolPanel} prepared=${prepared} rankings=${rankings} view=${view} onChange=${onChange} />
      ${rankings.arguments.length
        ? html`<${Ranking}
            kind="argument"
            title=${t("problems.arguments")}
            lead=${countLead(prepared)}
            ranked=${rankings.arguments}
            noun="problems.arguments_noun"
            view=${view}
            onChange=${onChange}
          />`
        : null}
      <${Ranking}
        kind="failure"
        title=${t("problems.failures")}
        lead=${countLead(prepared)}
        ranked=${rankings.failures}
        noun="problems.failures_noun"
        view=${view}
        onChange=${onChange}
      />
      ${hasConfusion
        ? html`<div class="card problems-confusion">
            <h3>${t("problems.confusion")}</h3>
            <${ConfusionMatrix} confusion=${document_.confusion} cells=${rankings.cells} view=${view} onChange=${onChange} />
          </div>`
        : null}
    </div>
  </section>`;
}

/**
 * What the numbers of the rankings count.
 * @param {import("./selection").Prepared} prepared
 */
function countLead({ hasTrials }) {
  return t(hasTrials ? "problems.by_trials" : "problems.by_cases");
}

/**
 * The tools with the most wrong calls as bars; without counts of calls, by the cases that they went wrong in.
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./rankings").Rankings} properties.rankings
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
function ToolPanel({ prepared, rankings, view, onChange }) {
  const { tools } = prepared.document;
  const [isWhole, setWhole] = useState(false);
  const wrong = useMemo(
    () => tools.filter(wrongCalls).sort((one, other) => wrongCalls(other) - wrongCalls(one)),
    [tools],
  );
  if (!wrong.length) {
    return html`<${Ranking}
      kind="problem"
      title=${t("problems.tools")}
      lead=${countLead(prepared)}
      ranked=${rankings.tools}
      noun="problems.tools_noun"
      view=${view}
      onChange=${onChange}
    />`;
  }
  return html`<div class="card problems-tools">
    <h3>${t("problems.tools")}</h3>
    <p class="muted panel-lead">${t("problems.by_calls")}</p>
    <${ToolBars}
      tools=${wrong.slice(0, isWhole ? MOST_RANKED : FIRST_LINES)}
      allTools=${tools.slice(0, MOST_RANKED)}
      picked=${view.problem}
      onPick=${(/** @type {string} */ tool) => onChange({ problem: view.problem === tool ? null : tool, case: null })}
    />
    <${MoreButton} count=${wrong.length} noun="problems.tools_noun" isWhole=${isWhole} onToggle=${() => setWhole(!isWhole)} />
  </div>`;
}

/**
 * @param {{count: number, noun: string, isWhole: boolean, onToggle: () => void}} properties
 */
function MoreButton({ count, noun, isWhole, onToggle }) {
  if (count <= FIRST_LINES) return null;
  return html`<button type="button" class="button button-quiet no-print" aria-expanded=${isWhole} onClick=${onToggle}>
    ${isWhole ? t("problems.fewer") : showMoreText(count, MOST_RANKED, noun)}
  </button>`;
}

/**
 * A ranking with a bar per line; each line is a filter.
 * @param {object} properties
 * @param {"problem" | "argument" | "failure"} properties.kind the filter
 * @param {string} properties.title
 * @param {string} properties.lead
 * @param {import("./rankings").Ranked[]} properties.ranked
 * @param {string} properties.noun
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
function Ranking({ kind, title, lead, ranked, noun, view, onChange }) {
  const [isWhole, setWhole] = useState(false);
  if (!ranked.length) return null;
  const most = ranked[0].count;
  return html`<div class="card">
    <h3>${title}</h3>
    <p class="muted panel-lead">${lead}</p>
    <ol class="ranking">
      ${ranked.slice(0, isWhole ? MOST_RANKED : FIRST_LINES).map(
        ({ key, problem, count }) =>
          html`<li key=${key}>
            <button
              type="button"
              class="pick"
              aria-pressed=${view[kind] === key}
              onClick=${() => onChange({ [kind]: view[kind] === key ? null : key, case: null })}
            >
              <span class="ranking-name"><${RankedName} kind=${kind} problem=${problem} /></span>
              <span class="ranking-count">${number(count)}</span>
              <span class="ranking-bar" aria-hidden="true"
                ><span class=${`ranking-fill ${fillName(kind, problem)}`} style=${{ width: `${(count / most) * 100}%` }}></span
              ></span>
            </button>
          </li>`,
      )}
    </ol>
    <${MoreButton} count=${ranked.length} noun=${noun} isWhole=${isWhole} onToggle=${() => setWhole(!isWhole)} />
  </div>`;
}

/**
 * Failure classes have the colours of the outcomes that they belong to.
 * @param {string} kind
 * @param {import("./types").Problem} problem
 */
function fillName(kind, problem) {
  if (kind !== "failure" || ARGUMENT_CLASSES.includes(problem.class)) return "is-incorrect";
  if (problem.class === "missed" || problem.class === "extra") return `is-${problem.class}`;
  return problem.class === "forbidden" || problem.class === "error" ? "is-forbidden" : "is-incorrect";
}

/**
 * @param {{kind: string, problem: import("./types").Problem}} properties
 */
function RankedName({ kind, problem }) {
  if (kind === "failure") return html`<${Text} value=${failureWord(problem)} limit=${200} />`;
  const tool = html`<${ToolName} name=${problem.tool ?? ""} />`;
  if (kind === "problem") return tool;
  return html`<${ArgumentName} name=${problem.argument ?? ""} /> <span class="ranking-of">${tool}</span>`;
}
