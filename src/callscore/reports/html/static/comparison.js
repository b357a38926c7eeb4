/** Two runs compared: the difference and its interval, what changed, and each case against its expectation. */

import { Calls, partingCall } from "./calls.js";
import { CaseFacts, CaseFailure, CaseHeading } from "./case.js";
import { CHANGES, ChangeMark, StatusMark, changeWord } from "./marks.js";
import { ToolName, shortText } from "./reasons.js";
import { DataTable } from "./table.js";
import { visibleText } from "./text.js";
import { Fold, Sentences, useMore } from "./values.js";
import { html, useState } from "./vendor/preact-htm.js";
import { date, decimal, number, percent, t } from "./words.js";

/** @typedef {import("./types").MeasuredDifference} MeasuredDifference */
/** @typedef {import("./types").ComparedSide} ComparedSide */
/** @typedef {import("./types").CaseView} CaseView */

const VERDICT_LOOKS = /** @type {Record<string, string>} */ ({ improved: "good", regressed: "bad" });
const SIDES = /** @type {const} */ (["before", "after"]);

/**
 * What a comparison found, above the cases.
 * @param {{source: import("./types").Source}} properties
 */
export function ComparisonOverview({ source }) {
  const { comparison, gate } = source.document;
  if (!comparison) return null;
  const { before, after, main, others, counts, slices, settings, alarms } = comparison;
  return html`<section class="card comparison" aria-label=${t("comparison.title")}>
    <${Sentences} title=${t("overview.gate_reasons")} texts=${gate?.reasons} />
    <div class="comparison-sides">
      <${MainDifference} main=${main} />
      <${BothSides} sides=${[before, after]} />
    </div>
    <${ChangeCounts} counts=${counts} />
    <${Sentences} title=${t("comparison.alarms")} texts=${alarms} kind="case-box" />
    <${Sentences} title=${t("comparison.settings")} texts=${settings.map(({ text }) => text)} />
    <${Differences} rows=${[...others.map((difference) => ({ kind: "", name: "", difference })), ...slices]} />
  </section>`;
}

/** @param {{main: MeasuredDifference}} properties */
function MainDifference({ main }) {
  const { before, after, interval, p_value: value } = main;
  const certainty = [
    interval && t("comparison.interval", { interval: intervalText(main) }),
    value !== null && `p ${pText(value, "= ")}`,
  ];
  return html`<div>
    <p class="muted">${measureName(main)}: ${measureText(before)} → ${measureText(after)}</p>
    <p class=${`comparison-difference is-${VERDICT_LOOKS[main.verdict]}`}>${pointsText(main)}</p>
    <p>${certainty.filter(Boolean).join(", ")}</p>
    <${IntervalPicture} difference=${main.difference} interval=${interval} />
  </div>`;
}

/**
 * @param {number | null} value
 * @param {string} [sign]
 */
function pText(value, sign = "") {
  return value !== null && value < 0.001 ? `< ${decimal(0.001)}` : sign + decimal(value);
}

/** @param {MeasuredDifference} found */
function measureName({ measure }) {
  const known = measure === "passed" || measure === "f1";
  return known ? t(`comparison.measure_${measure}`) : shortText(measure);
}

/** @param {number | null} value */
function measureText(value) {
  return value !== null && Math.abs(value) > 1 ? number(value) : percent(value);
}

/**
 * A difference of shares in points, with its sign.
 * @param {number} value
 */
function signedText(value) {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${number(Math.round(Math.abs(value) * 1000) / 10)}`;
}

/** @param {MeasuredDifference} found */
function pointsText({ difference }) {
  return difference === null ? "–" : t("comparison.points", { points: signedText(difference) });
}

/** @param {MeasuredDifference} found */
function intervalText({ interval }) {
  return interval ? t("comparison.range", { low: signedText(interval[0]), high: signedText(interval[1]) }) : "–";
}

/**
 * The interval on a line with zero: whether it is on one side of it can be seen at once.
 * @param {Pick<MeasuredDifference, "difference" | "interval">} properties
 */
function IntervalPicture({ difference, interval }) {
  if (difference === null || !interval) return null;
  const reach = 1.15 * Math.max(...[...interval, difference, 0.01].map(Math.abs));
  const [low, high, point] = [...interval, difference].map((value) => `${50 + (value / reach) * 48}%`);
  const line = (/** @type {string} */ kind, /** @type {string} */ from, /** @type {string} */ to, half = 0) =>
    html`<line class=${kind} x1=${from} x2=${to} y1=${20 - half} y2=${20 + half} />`;
  return html`<svg class="comparison-picture" aria-hidden="true" height="52">
    ${line("", "0", "100%")} ${line("is-zero", "50%", "50%", 16)}
    <text x="50%" y="50" text-anchor="middle">0</text>
    ${line("is-interval", low, high)}
    <circle cx=${point} cy="20" r="6" />
  </svg>`;
}

/** @param {{sides: ComparedSide[]}} properties */
function BothSides({ sides }) {
  const counts = /** @type {const} */ (["cases", "trials", "passed", "failed", "errors"]);
  const rows = /** @type {[string, (side: ComparedSide) => unknown][]} */ ([
    ["run", ({ label }) => shortText(label)],
    ["date", ({ at }) => at && date(at)],
    ["commit", ({ commit }) => commit && shortText(commit.slice(0, 10))],
    ...counts.map((name) => [name, (/** @type {ComparedSide} */ side) => side[name] && number(side[name])]),
    ["measure_f1", ({ f1 }) => f1 !== null && percent(f1)],
  ])
    .filter(([, cell]) => sides.some(cell)) // what neither side has is left out
    .map(([name, cell]) => [t(`comparison.${name}`), ...sides.map((side) => cell(side) || "–")]);
  return html`<${DataTable} label=${t("comparison.title")} head=${[t("comparison.runs"), t("comparison.before"), t("comparison.after")]} rows=${rows} />`;
}

/** @param {{counts: import("./types").Comparison["counts"]}} properties */
function ChangeCounts({ counts }) {
  const shown = CHANGES.filter((change) => counts[change] || change === "broken" || change === "fixed");
  return html`<ul class="row comparison-counts">
    ${shown.map(
      (change) => html`<li key=${change}>
        <a class="button" href=${filterLink("change", change)}>
          <span class=${`word is-${change}`}><${ChangeMark} change=${change} silent /> <strong>${number(counts[change])}</strong></span>
          ${changeWord(change)}
        </a>
      </li>`,
    )}
  </ul>`;
}

/**
 * The address of the list of cases with one filter.
 * @param {string} name
 * @param {string} value
 */
function filterLink(name, value) {
  return `#${name}=${encodeURIComponent(value)}`;
}

/**
 * Other measures, and the tools and tags that changed.
 * @param {{rows: {kind: string, name: string, difference: MeasuredDifference}[]}} properties
 */
function Differences({ rows }) {
  const { shown, more } = useMore(rows, 20);
  if (!rows.length) return null;
  const title = t("comparison.differences");
  const head = ["measure", "before", "after", "difference", "interval_name", "p_value", "verdict"].map((name) => t(`comparison.${name}`));
  const cells = shown.map(({ kind, name, difference: found }) => [
    kind
      ? html`<span class="muted">${t(`comparison.slice_${kind}`)}</span> <a href=${filterLink(kind, name)}>${kind === "tool" ? html`<${ToolName} name=${name} />` : shortText(name || "''")}</a>`
      : measureName(found),
    measureText(found.before),
    measureText(found.after),
    pointsText(found),
    intervalText(found),
    pText(found.p_value),
    html`<span class=${`is-${VERDICT_LOOKS[found.verdict]}`}>${shortText(found.verdict_text)}</span>`,
  ]);
  return html`<${Fold} label=${title} open show=${() => html`<${DataTable} label=${title} head=${head} rows=${cells} texts=${1} />${more}`} />`;
}

/**
 * A case of both runs against its expectation.
 * @param {object} properties
 * @param {import("./types").Source} properties.source
 * @param {number} properties.position
 * @param {import("./types").ComparedCase} properties.view
 * @param {unknown} [properties.actions] buttons below the headings
 */
export function ComparedDetail({ source, position, view, actions }) {
  const [chosen, setChosen] = useState({ before: 0, after: 0 });
  const [before, after] = SIDES.map((side) => view[side][chosen[side]]);
  const any = after ?? before;
  if (!any) return null;
  const sides = [before, after].map((side) => side?.rows ?? []);
  const isFirst = !chosen.before && !chosen.after;
  const partsAt = !before || !after ? null : isFirst ? view.parts_at : partingCall(sides);
  const labels = SIDES.map((side) =>
    t(`comparison.${side}_of`, { label: visibleText((source.document.comparison?.[side].label ?? "").slice(0, 60)) }),
  );
  return html`<article class="case" key=${position}>
    <h2 class="case-id">${shortText(any.id)}</h2>
    <${Sentences} texts=${view.reasons} />
    <div class="comparison-sides">
      ${SIDES.map(
        (side, at) =>
          html`<${ComparedHeading} key=${side} title=${labels[at]} views=${view[side]} chosen=${chosen[side]} onChoose=${(/** @type {number} */ trial) => setChosen({ ...chosen, [side]: trial })} />`,
      )}
    </div>
    ${actions && html`<div class="row no-print">${actions}</div>`}
    <section>
      <h3>${t("case.calls")}</h3>
      ${before && after && partsAt === null && html`<p class="muted">${t("comparison.same_calls")}</p>`}
      <${Calls} sides=${[before, after].map((side) => side ?? { rows: [] })} labels=${labels} partsAt=${partsAt} />
    </section>
    <${CaseFacts} view=${any} isShort />
  </article>`;
}

/**
 * One side: its trials to choose from, and the score of the chosen one.
 * @param {{title: string, views: CaseView[], chosen: number, onChoose: (at: number) => void}} properties
 */
function ComparedHeading({ title, views, chosen, onChoose }) {
  const view = views[chosen];
  return html`<section class="card">
    <h3>${title}</h3>
    ${views.length > 1 &&
    html`<div class="row no-print" role="group" aria-label=${t("comparison.trials")}>
      ${views.map(
        ({ status, trial }, at) =>
          html`<button type="button" key=${at} class="chip" aria-pressed=${at === chosen} onClick=${() => onChoose(at)}>
            <${StatusMark} status=${status} /> ${visibleText(String(trial ?? at + 1))}
          </button>`,
      )}
    </div>`}
    ${view
      ? html`<${CaseHeading} view=${view} isShort /><${CaseFailure} failure=${view.failure} />`
      : html`<p class="muted">${t("comparison.no_case")}</p>`}
  </section>`;
}
