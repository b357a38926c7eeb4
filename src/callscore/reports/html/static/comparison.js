/** Two runs compared: the difference and its interval, what changed, and each case against its expectation. */

import { ComparedCalls, partingCall } from "./calls.js";
import { CaseFacts, CaseFailure, CaseHeading } from "./case.js";
import { CHANGES, ChangeMark, StatusMark, changeWord } from "./marks.js";
import { DataTable } from "./table.js";
import { Text, visibleText } from "./text.js";
import { Fold, useMore } from "./values.js";
import { html, useState } from "./vendor/preact-htm.js";
import { date, decimal, number, percent, plural, t } from "./words.js";

/** @typedef {import("./types").MeasuredDifference} MeasuredDifference */
/** @typedef {import("./types").ComparedSide} ComparedSide */
/** @typedef {import("./types").CaseView} CaseView */

const VERDICT_LOOKS = /** @type {Record<string, string>} */ ({ improved: "good", regressed: "bad" });
/** Slices, settings, alarms and trials, before a button shows more. */
const MOST_LISTED = 50;

/**
 * What a comparison found, above the cases.
 * @param {object} properties
 * @param {import("./types").Source} properties.source
 * @param {(filter: {change?: string, tool?: string, tag?: string}) => void} [properties.onFilter]
 */
export function ComparisonOverview({ source, onFilter }) {
  const { comparison, gate } = source.document;
  if (!comparison) return null;
  const { before, after, main, others, slices, settings, alarms } = comparison;
  return html`<section class="card comparison" aria-label=${t("comparison.title")}>
    ${gate && html`<${GateReasons} gate=${gate} />`}
    <div class="comparison-top">
      <${MainDifference} main=${main} />
      <${BothSides} before=${before} after=${after} />
    </div>
    <${ChangeCounts} counts=${comparison.counts} onFilter=${onFilter} />
    <${TextList} title=${t("comparison.alarms")} texts=${alarms} kind="is-warning" />
    <${TextList} title=${t("comparison.settings")} texts=${settings.map(({ text }) => text)} />
    <${Slices} slices=${slices} onFilter=${onFilter} />
    ${others.length > 0 &&
    html`<${Fold}
      label=${t("comparison.others")}
      show=${() => html`<${Differences} rows=${others.map((difference) => ({ difference, name: measureName(difference) }))} first=${t("comparison.measure")} />`}
    />`}
  </section>`;
}

/**
 * The tools and tags that changed; the others are folded.
 * @param {{slices: import("./types").Comparison["slices"], onFilter?: (filter: object) => void}} properties
 */
function Slices({ slices, onFilter }) {
  const rows = slices.map(({ kind, name, difference }) => ({
    difference,
    name: html`<${SliceName} kind=${kind} name=${name} onFilter=${onFilter} />`,
  }));
  const changed = rows.filter(({ difference }) => VERDICT_LOOKS[difference.verdict]);
  const others = rows.filter(({ difference }) => !VERDICT_LOOKS[difference.verdict]);
  const first = t("comparison.slice");
  return html`${changed.length > 0 &&
    html`<div>
      <h3>${t("comparison.slices")}</h3>
      <${Differences} rows=${changed} first=${first} />
    </div>`}
    ${others.length > 0 &&
    html`<${Fold}
      label=${t(changed.length ? "comparison.other_slices" : "comparison.all_slices")}
      show=${() => html`<${Differences} rows=${others} first=${first} />`}
    />`}`;
}

/** @param {{gate: {passed: boolean, reasons: string[]}}} properties */
function GateReasons({ gate }) {
  return html`<div class=${`comparison-gate is-${gate.passed ? "good" : "bad"}`}>
    <strong>${t(gate.passed ? "comparison.gate_passed" : "comparison.gate_failed")}</strong>
    <ul>${gate.reasons.map((reason, at) => html`<li key=${at}><${Text} value=${reason} limit=${2000} /></li>`)}</ul>
  </div>`;
}

/** @param {{main: MeasuredDifference}} properties */
function MainDifference({ main }) {
  const look = VERDICT_LOOKS[main.verdict] ?? "neutral";
  return html`<div class="comparison-main">
    <p class="comparison-measure muted">${measureName(main)}: ${measureText(main.before)} → ${measureText(main.after)}</p>
    <p class=${`comparison-difference is-${look}`}>${pointsText(main)}</p>
    ${main.interval && html`<p>${t("comparison.interval", { interval: intervalText(main) })}</p>`}
    <${IntervalPicture} difference=${main} />
    <p><strong class=${`is-${look}`}><${Text} value=${main.verdict_text} limit=${1000} /></strong></p>
    <p class="muted">${[plural("comparison.paired", main.cases), ...(main.p_value === null ? [] : [`p ${pText(main.p_value, "= ")}`])].join(", ")}</p>
  </div>`;
}

/**
 * @param {number} value
 * @param {string} [sign]
 */
function pText(value, sign = "") {
  return value < 0.001 ? `< ${decimal(0.001)}` : sign + decimal(value);
}

/** @param {MeasuredDifference} found */
function measureName({ measure }) {
  const known = measure === "passed" || measure === "f1";
  return known ? t(`comparison.measure_${measure}`) : html`<${Text} value=${measure} limit=${200} />`;
}

/** @param {number | null} value */
function measureText(value) {
  return value !== null && Math.abs(value) > 1 ? number(value) : percent(value);
}

/**
 * A difference of shares in points, with its sign; of other numbers as they are.
 * @param {number} value
 */
function signedText(value) {
  const sign = value > 0 ? "+" : value < 0 ? "−" : "";
  return `${sign}${number(Math.round(Math.abs(value) * 1000) / 10)}`;
}

/** @param {MeasuredDifference} found */
function pointsText({ difference }) {
  return difference === null ? "–" : t("comparison.points", { points: signedText(difference) });
}

/** @param {MeasuredDifference} found */
function intervalText({ interval }) {
  if (!interval) return "–";
  return t("comparison.range", { low: signedText(interval[0]), high: signedText(interval[1]) });
}

/**
 * The interval on a line with zero: whether it is on one side of it can be seen at once.
 * @param {{difference: MeasuredDifference}} properties
 */
function IntervalPicture({ difference: found }) {
  const { difference, interval } = found;
  if (difference === null || !interval) return null;
  const reach = 1.15 * Math.max(...[...interval, difference, 0.01].map(Math.abs));
  const at = (/** @type {number} */ value) => `${50 + (value / reach) * 48}%`;
  const [low, high] = interval;
  const label = t("comparison.picture", { points: pointsText(found), interval: intervalText(found) });
  return html`<svg class="comparison-picture" role="img" aria-label=${label} height="58">
    <line class="comparison-axis" x1="0" x2="100%" y1="24" y2="24" />
    <line class="comparison-zero" x1="50%" x2="50%" y1="6" y2="42" />
    <text x="50%" y="55" text-anchor="middle">0</text>
    <line class="comparison-bar" x1=${at(low)} x2=${at(high)} y1="24" y2="24" />
    ${[low, high].map((end, each) => html`<line key=${each} class="comparison-end" x1=${at(end)} x2=${at(end)} y1="17" y2="31" />`)}
    <circle class="comparison-point" cx=${at(difference)} cy="24" r="6" />
    ${[low, high]
      .filter((end) => Math.abs(end) > reach / 8)
      .map((end, each) => html`<text key=${each} x=${at(end)} y="55" text-anchor=${end < 0 ? "start" : "end"}>${signedText(end)}</text>`)}
  </svg>`;
}

/** @param {{before: ComparedSide, after: ComparedSide}} properties */
function BothSides({ before, after }) {
  const sides = [before, after];
  /** What is the same as nothing on both sides is left out. */
  const rows = /** @type {[string, (side: ComparedSide) => unknown][]} */ ([
    ["run", ({ label }) => html`<${Text} value=${label} limit=${100} />`],
    ["date", ({ at }) => at && date(at)],
    ["commit", ({ commit }) => commit && html`<code><${Text} value=${commit.slice(0, 10)} /></code>`],
    ["cases", ({ cases }) => number(cases)],
    ["trials", ({ cases, trials }) => trials > cases && number(trials)],
    ["passed", ({ passed }) => number(passed)],
    ["failed", ({ failed }) => number(failed)],
    ["errors", ({ errors }) => errors && number(errors)],
    ["measure_f1", ({ f1 }) => f1 !== null && percent(f1)],
  ])
    .filter(([, cell]) => sides.some(cell))
    .map(([name, cell]) => [t(`comparison.${name}`), ...sides.map((side) => cell(side) || "–")]);
  return html`<${DataTable} label=${t("comparison.title")} head=${[t("comparison.runs"), t("comparison.before"), t("comparison.after")]} rows=${rows} />`;
}

/**
 * @param {{counts: import("./types").Comparison["counts"], onFilter?: (filter: {change: string}) => void}} properties
 */
function ChangeCounts({ counts, onFilter }) {
  const shown = CHANGES.filter((change) => counts[change] || change === "broken" || change === "fixed");
  return html`<ul class="comparison-counts">
    ${shown.map(
      (change) => html`<li key=${change}>
        <${FilterLink} filter=${{ change }} onFilter=${onFilter} kind="comparison-count">
          <span class=${`word is-${change}`}><${ChangeMark} change=${change} silent /> <strong>${number(counts[change])}</strong></span>
          <span>${changeWord(change)}</span>
        <//>
      </li>`,
    )}
  </ul>`;
}

/**
 * A link that filters the list of cases.
 * @param {object} properties
 * @param {Record<string, string>} properties.filter
 * @param {(filter: any) => void} [properties.onFilter]
 * @param {string} [properties.kind]
 * @param {unknown} [properties.children]
 */
function FilterLink({ filter, onFilter, kind = "", children }) {
  const choose = (/** @type {Event} */ event) => {
    if (!onFilter) return;
    event.preventDefault();
    onFilter(filter);
  };
  return html`<a class=${kind} href=${`#${new URLSearchParams(filter)}`} onClick=${choose}>${children}</a>`;
}

/** @param {{kind: "tool" | "tag", name: string, onFilter?: (filter: object) => void}} properties */
function SliceName({ kind, name, onFilter }) {
  return html`<span class="muted">${t(`comparison.slice_${kind}`)}</span>${" "}
    <${FilterLink} filter=${{ [kind]: name }} onFilter=${onFilter}><${Text} value=${name || "''"} limit=${200} /><//>`;
}

/**
 * @param {{title: string, texts: string[], kind?: string}} properties
 */
function TextList({ title, texts, kind = "" }) {
  const { limit, more } = useMore(MOST_LISTED);
  if (!texts.length) return null;
  return html`<div class=${`comparison-texts ${kind}`}>
    <h3>${title}</h3>
    <ul>
      ${texts.slice(0, limit).map((text, at) => html`<li key=${at}><${Text} value=${text} limit=${2000} /></li>`)}
    </ul>
    ${more(texts.length)}
  </div>`;
}

/** @param {{rows: {name: unknown, difference: MeasuredDifference}[], first: string}} properties */
function Differences({ rows, first }) {
  const { limit, more } = useMore(MOST_LISTED);
  const names = ["before", "after", "difference", "interval_name", "p_value", "verdict"];
  const cells = rows.slice(0, limit).map(({ name, difference: found }) => [
    name,
    measureText(found.before),
    measureText(found.after),
    pointsText(found),
    intervalText(found),
    found.p_value === null ? "–" : pText(found.p_value),
    html`<span class=${`is-${VERDICT_LOOKS[found.verdict]}`}><${Text} value=${found.verdict_text} limit=${300} /></span>`,
  ]);
  return html`<${DataTable} label=${first} head=${[first, ...names.map((name) => t(`comparison.${name}`))]} rows=${cells} texts=${1} />
    ${more(rows.length)}`;
}

/**
 * A case of both runs against its expectation.
 * @param {object} properties
 * @param {import("./types").Source} properties.source
 * @param {number} properties.position
 * @param {import("./types").ComparedCase} properties.view
 */
export function ComparedDetail({ source, position, view }) {
  const [chosen, setChosen] = useState({ before: 0, after: 0 });
  const before = view.before[chosen.before];
  const after = view.after[chosen.after];
  const any = after ?? before;
  if (!any) return null;
  const isFirst = chosen.before === 0 && chosen.after === 0;
  const partsAt = isFirst ? view.parts_at : partingCall(before?.rows ?? [], after?.rows ?? []);
  const comparison = source.document.comparison;
  const labels = [
    sideLabel("comparison.before_of", comparison?.before.label),
    sideLabel("comparison.after_of", comparison?.after.label),
  ];
  const choose = (/** @type {object} */ patch) => setChosen({ ...chosen, ...patch });
  return html`<article class="case case-compared" key=${position}>
    <h2 class="case-id"><${Text} value=${String(any.id)} limit=${400} /></h2>
    ${view.reasons.length > 0 &&
    html`<ul class="compared-reasons">
      ${view.reasons.map((reason, at) => html`<li key=${at}><${Text} value=${reason} limit=${2000} /></li>`)}
    </ul>`}
    <div class="compared-sides">
      <${ComparedHeading} title=${labels[0]} views=${view.before} chosen=${chosen.before} onChoose=${(/** @type {number} */ at) => choose({ before: at })} />
      <${ComparedHeading} title=${labels[1]} views=${view.after} chosen=${chosen.after} onChoose=${(/** @type {number} */ at) => choose({ after: at })} />
    </div>
    <section class="case-part">
      <h3>${t("case.calls")}</h3>
      ${before && after && partsAt === null && html`<p class="muted">${t("comparison.same_calls")}</p>`}
      <${ComparedCalls} before=${before?.rows ?? []} after=${after?.rows ?? []} labels=${labels} partsAt=${before && after ? partsAt : null} />
    </section>
    <${CaseFacts} view=${any} isShort />
  </article>`;
}

/**
 * @param {string} key
 * @param {string | undefined} label
 */
function sideLabel(key, label) {
  return t(key, { label: visibleText((label ?? "").slice(0, 60)) });
}

/**
 * One side: its trials to choose from, and the score of the chosen one.
 * @param {{title: string, views: CaseView[], chosen: number, onChoose: (at: number) => void}} properties
 */
function ComparedHeading({ title, views, chosen, onChoose }) {
  const { limit, more } = useMore(MOST_LISTED);
  const view = views[chosen];
  return html`<section class="compared-side">
    <h3>${title}</h3>
    ${views.length > 1 &&
    html`<div class="compared-trials no-print" role="group" aria-label=${t("comparison.trials")}>
      ${views.slice(0, limit).map(
        ({ status, trial }, at) =>
          html`<button type="button" key=${at} class="chip" aria-pressed=${at === chosen} onClick=${() => onChoose(at)}>
            <${StatusMark} status=${status} /> ${visibleText(String(trial ?? at + 1))}
          </button>`,
      )}
      ${more(views.length)}
    </div>`}
    ${view
      ? html`<${CaseHeading} view=${view} isShort /><${CaseFailure} failure=${view.failure} />`
      : html`<p class="muted">${t("comparison.no_case")}</p>`}
  </section>`;
}
