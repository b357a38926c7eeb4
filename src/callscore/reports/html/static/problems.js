/** What went wrong, before any list: tools, arguments, failure classes and confusions. Each is a filter of the list. */

import {
  CALL_PARTS,
  ChartTable,
  Legend,
  PartsBar,
  callsOf,
  partsText,
  wrongCalls,
} from "./charts.js";
import { ConfusionMatrix, MoreButton } from "./confusion.js";
import { ArgumentName, ToolName, failureWord, problemLook, shortText } from "./reasons.js";
import { html, useState } from "./vendor/preact-htm.js";
import { number, t } from "./words.js";

/** Lines of a ranking that are shown at first, and at all. */
const FIRST_LINES = 8;
const MOST_RANKED = 200;

/** What a filter ranks. */
const RANKED = /** @type {const} */ ({ problem: "tools", argument: "arguments", failure: "failures" });

/** @typedef {keyof typeof RANKED} Kind */

/**
 * The section, if anything went wrong.
 * @param {PanelProperties} properties
 */
export function Problems(properties) {
  const { prepared, rankings, view, onChange } = properties;
  const { confusion } = prepared.document;
  const hasConfusion = confusion.some(({ expected, called }) => expected !== called);
  if (!rankings.failures.length && !hasConfusion) return null;
  return html`<section class="section" aria-labelledby="problems-title">
    <h2 id="problems-title">${t("problems.title")}</h2>
    <p class="muted no-print">${t("problems.lead")}</p>
    <div class="problems">
      <${ToolPanel} ...${properties} />
      <${Ranking} ...${properties} kind="argument" />
      <${Ranking} ...${properties} kind="failure" />
      ${hasConfusion
        ? html`<div class="card problems-confusion">
            <h3>${t("problems.confusion")}</h3>
            <${ConfusionMatrix} confusion=${confusion} cells=${rankings.cells} view=${view} onChange=${onChange} />
          </div>`
        : null}
    </div>
  </section>`;
}

/**
 * What the parts of this module get.
 * @typedef {object} PanelProperties
 * @property {import("./selection").Prepared} prepared
 * @property {import("./rankings").Rankings} rankings
 * @property {import("./address").View} view
 * @property {(patch: Partial<import("./address").View>) => void} onChange
 */

/**
 * A line of a panel; `key` is the value of its filter.
 * @typedef {{key: string, name: unknown, count: number, bar: unknown, words?: string}} Line
 */

/**
 * The tools with the most wrong calls as bars; without counts of calls, by the cases that they went wrong in.
 * @param {PanelProperties} properties
 */
function ToolPanel(properties) {
  const { tools } = properties.prepared.document;
  const wrong = tools.filter(wrongCalls).sort((one, other) => wrongCalls(other) - wrongCalls(one));
  if (!wrong.length) return html`<${Ranking} ...${properties} kind="problem" />`;
  const most = Math.max(...wrong.map(callsOf));
  const lines = wrong.slice(0, MOST_RANKED).map((row) => ({
    key: row.tool,
    name: html`<${ToolName} name=${row.tool} />`,
    count: wrongCalls(row),
    bar: html`<${PartsBar} row=${row} most=${most} />`,
    words: partsText(row),
  }));
  const parts = CALL_PARTS.filter((part) => tools.some((row) => row[part]));
  const words = (/** @type {string} */ part) => t(`charts.${part}`);
  return html`<${Panel} ...${properties} kind="problem" lead=${t("problems.by_calls")} lines=${lines} count=${wrong.length}>
    <${Legend} parts=${parts} words=${words} />
    <${ChartTable}
      label=${t("charts.tools")}
      head=${["tool", "expected", ...CALL_PARTS].map(words)}
      rows=${tools
        .slice(0, MOST_RANKED)
        .map((row) => [
          html`<${ToolName} name=${row.tool} />`,
          number(row.expected),
          ...CALL_PARTS.map((part) => number(row[part])),
        ])}
    />
  <//>`;
}

/**
 * A ranking by the number of cases or trials.
 * @param {PanelProperties & {kind: Kind}} properties
 */
function Ranking(properties) {
  const { kind, rankings, prepared } = properties;
  const ranked = rankings[RANKED[kind]];
  if (!ranked.length) return null;
  const most = ranked[0].count;
  const lines = ranked.slice(0, MOST_RANKED).map(({ key, problem, count }) => ({
    key,
    name: html`<${RankedName} kind=${kind} problem=${problem} />`,
    count,
    bar: html`<span class="ranking-bar" aria-hidden="true"
      ><span class=${`fill ${kind === "failure" ? problemLook(problem) : "is-bad"}`} style=${{ width: `${(count / most) * 100}%` }}></span
    ></span>`,
  }));
  const lead = t(prepared.hasTrials ? "problems.by_trials" : "problems.by_cases");
  return html`<${Panel} ...${properties} lead=${lead} lines=${lines} count=${ranked.length} />`;
}

/**
 * Lines that filter the list, the first ones of them until more are asked for.
 * @param {object} properties
 * @param {Kind} properties.kind the filter
 * @param {string} properties.lead
 * @param {Line[]} properties.lines
 * @param {number} properties.count how many there are
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 * @param {unknown} [properties.children]
 */
function Panel({ kind, lead, lines, count, view, onChange, children }) {
  const [isWhole, setWhole] = useState(false);
  return html`<div class="card">
    <h3>${t(`problems.${RANKED[kind]}`)}</h3>
    <p class="muted small">${lead}</p>
    <ol class="ranking">
      ${lines.slice(0, isWhole ? MOST_RANKED : FIRST_LINES).map(
        (line) =>
          html`<li key=${line.key}>
            <button
              class="pick"
              title=${line.words}
              aria-pressed=${view[kind] === line.key}
              onClick=${() => onChange({ [kind]: view[kind] === line.key ? null : line.key })}
            >
              <span class="one-line">${line.name}</span> <span>${number(line.count)}</span>
              ${line.bar}${line.words ? html`<span class="visually-hidden">${line.words}</span>` : null}
            </button>
          </li>`,
      )}
    </ol>
    ${children}
    ${count > FIRST_LINES && html`<${MoreButton} ...${{ count, most: MOST_RANKED, noun: `problems.${RANKED[kind]}_noun`, isWhole, setWhole }} />`}
  </div>`;
}

/**
 * @param {{kind: string, problem: import("./types").Problem}} properties
 */
function RankedName({ kind, problem }) {
  if (kind === "failure") return shortText(failureWord(problem));
  const tool = html`<${ToolName} name=${problem.tool ?? ""} />`;
  if (kind === "problem") return tool;
  return html`<${ArgumentName} name=${problem.argument ?? ""} /> <span class="muted">${tool}</span>`;
}
