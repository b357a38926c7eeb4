/** Charts: distribution of scores, bars of calls, trend. Each has a table behind it. */

import { shortText } from "./reasons.js";
import { DataTable } from "./table.js";
import { visibleText } from "./text.js";
import { html } from "./vendor/preact-htm.js";
import { date, number, percent, plural, t } from "./words.js";

/** Bars of scores between 0 and 1; 0 and 1 themselves have bars of their own. */
const INNER_BARS = 10;

/** Pixels of the highest bar. */
const HIGHEST_BAR = 108;

/** Steps between the lines of a scale, in percent, and how many lines it has. */
const SCALE_STEPS = [1, 2, 5, 10, 20];
const MOST_SCALE_LINES = 6;

/** Points up to which each is drawn. */
const MOST_DOTS = 120;

/** The parts of a bar of calls, in their order. */
export const CALL_PARTS = /** @type {const} */ (["correct", "incorrect", "missed", "extra", "forbidden"]);

/** The lines of the patterns, which tell the parts apart without colour. */
const PATTERN_LINES = /** @type {Record<string, string>} */ ({
  correct: "",
  incorrect: "M-1 7 L7 -1 M-1 1 L1 -1 M5 7 L7 5",
  missed: "M3 0 V6",
  extra: "M2 2 h2 v2 h-2 z",
  forbidden: "M-1 7 L7 -1 M-1 -1 L7 7",
});

/** The patterns of all charts: a drawing without size, once in a document. */
export function ChartPatterns() {
  return html`<svg class="chart-patterns" width="0" height="0" aria-hidden="true">
    ${CALL_PARTS.map(
      (name) =>
        html`<pattern key=${name} id=${`pattern-${name}`} class=${`chart-pattern is-${name}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" />
          <path d=${PATTERN_LINES[name]} />
        </pattern>`,
    )}
  </svg>`;
}

/**
 * A rectangle with the pattern of a part.
 * @param {{name: string}} properties and where it is
 */
function Part({ name, ...place }) {
  return html`<rect ...${place} fill=${`url(#pattern-${name})`} class=${`chart-part is-${name}`} />`;
}

/**
 * What the patterns mean.
 * @param {{parts: readonly string[], words: (part: string) => string}} properties
 */
export function Legend({ parts, words }) {
  return html`<ul class="row chart-legend">
    ${parts.map(
      (part) =>
        html`<li key=${part} class="row">
          <svg width="14" height="14" aria-hidden="true"><${Part} name=${part} width="14" height="14" rx="3" /></svg>
          ${words(part)}
        </li>`,
    )}
  </ul>`;
}

/**
 * The numbers of a chart, folded.
 * @param {{head: string[], rows: unknown[][], label: string}} properties
 */
export function ChartTable(properties) {
  return html`<details class="chart-table no-print">
    <summary>${t("charts.table")}</summary>
    <${DataTable} ...${properties} />
  </details>`;
}

/**
 * How many items have which score: 0, ten equal parts between 0 and 1, and 1.
 * @param {import("./types").Index} index
 */
function scoreBars({ count, score, status }) {
  const bars = Array.from({ length: INNER_BARS + 2 }, () => ({ passed: 0, other: 0 }));
  for (let item = 0; item < count; item += 1) {
    const value = score[item];
    if (value === null) continue;
    const inner = 1 + Math.min(Math.floor(value * INNER_BARS), INNER_BARS - 1);
    const bar = bars[value <= 0 ? 0 : value >= 1 ? INNER_BARS + 1 : inner];
    bar[status[item] === 0 ? "passed" : "other"] += 1;
  }
  return bars;
}

/**
 * The distribution of scores. The bars of exactly 0 and exactly 1 stand apart.
 * @param {{index: import("./types").Index, label: string}} properties `label`: what is distributed
 */
export function Distribution({ index, label: title }) {
  const bars = scoreBars(index);
  const most = Math.max(...bars.map(({ passed, other }) => passed + other));
  if (!most) return null;
  const isEnd = (/** @type {number} */ at) => at === 0 || at > INNER_BARS;
  const label = (/** @type {number} */ at) =>
    isEnd(at)
      ? number(at && 1)
      : t("charts.between", { low: number((at - 1) / INNER_BARS), high: number(at / INNER_BARS) });
  const height = (/** @type {number} */ count) => count && Math.max((count / most) * HIGHEST_BAR, 2);
  return html`<figure>
    <figcaption class="muted small">${title}</figcaption>
    <div class="score-bars" aria-hidden="true">
      ${bars.map(({ passed, other }, at) => {
        const below = height(passed);
        const above = height(other);
        return html`<div key=${at} class="score-bar" title=${label(at)}>
          ${passed + other ? shortNumber(passed + other) : ""}
          <svg width="100%" height=${below + above}>
            ${above ? html`<${Part} name="incorrect" width="100%" height=${above} />` : null}
            ${below ? html`<${Part} name="correct" y=${above} width="100%" height=${below} />` : null}
          </svg>
          <span class=${isEnd(at) ? "score-end" : "score-inner"}
            >${isEnd(at) ? label(at) : at > 1 && at % 2 ? number((at - 1) / INNER_BARS) : "\u00a0"}</span
          >
        </div>`;
      })}
    </div>
    <${Legend}
      parts=${CALL_PARTS.slice(0, 2).filter((part) => bars.some((bar) => (part === "correct" ? bar.passed : bar.other)))}
      words=${(/** @type {string} */ part) => t(part === "correct" ? "charts.passed" : "charts.not_passed")}
    />
    <${ChartTable}
      label=${title}
      head=${["score", "passed", "not_passed"].map((name) => t(`charts.${name}`))}
      rows=${bars.map(({ passed, other }, at) => [label(at), number(passed), number(other)])}
    />
  </figure>`;
}

/**
 * A count that fits above a bar: `12K`.
 * @param {number} count
 */
function shortNumber(count) {
  if (count < 10_000) return number(count);
  return t("charts.thousands", { count: number(Math.round(count / 1000)) });
}

/** @typedef {Record<typeof CALL_PARTS[number], number>} CallCounts */

/**
 * All calls as one bar, with the numbers in its legend.
 * @param {{calls: NonNullable<import("./types").Document["calls"]>}} properties
 */
export function CallsBar({ calls }) {
  return html`<figure>
    <figcaption class="muted small">
      ${t("charts.calls", { expected: number(calls.expected), actual: number(calls.actual) })}${calls.free > 0 && t("charts.calls_free", { free: number(calls.free) })}
    </figcaption>
    <${PartsBar} row=${calls} most=${callsOf(calls)} />
    <${Legend}
      parts=${CALL_PARTS.filter((part) => calls[part])}
      words=${(/** @type {typeof CALL_PARTS[number]} */ part) => partText(calls, part)}
    />
  </figure>`;
}

/**
 * A bar of calls by their outcomes.
 * @param {{row: CallCounts, most: number}} properties `most`: calls of a bar of full length
 */
export function PartsBar({ row, most }) {
  let end = 0;
  return html`<svg class="parts-bar" height="14" aria-hidden="true">
    ${CALL_PARTS.map((part) => {
      const share = (row[part] / most) * 100;
      end += share;
      return share ? html`<${Part} key=${part} name=${part} x=${`${end - share}%`} width=${`${share}%`} height="14" />` : null;
    })}
  </svg>`;
}

/**
 * All calls of a bar.
 * @param {CallCounts} row
 */
export function callsOf(row) {
  return CALL_PARTS.reduce((sum, part) => sum + row[part], 0);
}

/**
 * How many calls of a tool went wrong.
 * @param {import("./types").ToolRow} row
 */
export function wrongCalls(row) {
  return callsOf(row) - row.correct;
}

/**
 * @param {CallCounts} row
 * @param {typeof CALL_PARTS[number]} part
 */
function partText(row, part) {
  return t("charts.part", { name: t(`charts.${part}`), count: number(row[part]) });
}

/**
 * The parts of a bar in words: `correct 1, missed 2`.
 * @param {CallCounts} row
 */
export function partsText(row) {
  return CALL_PARTS.filter((part) => row[part])
    .map((part) => partText(row, part))
    .join(", ");
}

/**
 * A share over time with its interval as a band.
 * @param {object} properties
 * @param {import("./types").TrendPoint[]} properties.points oldest first
 * @param {(point: import("./types").TrendPoint) => void} [properties.onPick]
 */
export function Trend({ points, onPick }) {
  const known = points.filter(({ share }) => share !== null);
  if (!known.length) return null;
  const last = points.length - 1;
  const { lines, y } = trendScale(points);
  const x = (/** @type {number} */ at) => (last ? (at / last) * 100 : 50);
  const label = t("charts.trend_label", {
    runs: plural("charts.runs", points.length),
    first: percent(known[0].share),
    last: percent(known[known.length - 1].share),
  });
  return html`<figure>
    <div class="trend">
      ${lines.map((share) => html`<span key=${share} class="trend-label" style=${{ top: `${y(share)}%` }}>${percent(share)}</span>`)}
      <svg width="100%" height="100%" role=${onPick ? "group" : "img"} aria-label=${label}>
        ${lines.map((share) => html`<line key=${share} x2="100%" y1=${`${y(share)}%`} y2=${`${y(share)}%`} class="chart-grid" />`)}
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
          <path d=${bandPath(points, x, y)} class="chart-band" />
          <path d=${linePath(points, x, y)} class="chart-line" />
        </svg>
        ${points.map((point, at) =>
          point.share === null || (last > MOST_DOTS && !point.is_this && !onPick)
            ? null
            : html`<${TrendDot} key=${at} point=${point} x=${`${x(at)}%`} y=${`${y(point.share)}%`} onPick=${onPick} />`,
        )}
      </svg>
    </div>
    <p class="row muted small trend-dates"><span>${date(points[0].at)}</span><span>${last ? date(points[last].at) : ""}</span></p>
    <${ChartTable}
      label=${t("charts.trend")}
      head=${["run", "date", "commit", "share", "interval", "cases"].map((name) => t(`charts.${name}`))}
      rows=${points.map((point) => [
        shortText(point.name ?? point.run),
        date(point.at),
        shortText((point.commit ?? "–").slice(0, 12)),
        percent(point.share),
        shareInterval(point.interval),
        number(point.cases),
      ])}
    />
  </figure>`;
}

/**
 * An interval of shares: `26.8% – 44.1%`.
 * @param {import("./types").Interval | null | undefined} interval
 */
export function shareInterval(interval) {
  if (!interval) return "–";
  return t("charts.low_to_high", { low: percent(interval[0]), high: percent(interval[1]) });
}

/**
 * The lines of the scale, and how far below the top a share is, in percent.
 * @param {import("./types").TrendPoint[]} points
 * @returns {{lines: number[], y: (share: number) => number}}
 */
function trendScale(points) {
  const shares = points.flatMap(({ share, interval }) => [...(share === null ? [] : [share]), ...(interval ?? [])]);
  const low = Math.max(0, Math.min(...shares) * 100 - 2);
  const high = Math.min(100, Math.max(...shares) * 100 + 2);
  const step = SCALE_STEPS.find((size) => (high - low) / size <= MOST_SCALE_LINES) ?? 20;
  const first = Math.floor(low / step);
  const last = Math.max(Math.ceil(high / step), first + 1);
  return {
    lines: Array.from({ length: last - first + 1 }, (_, at) => ((first + at) * step) / 100),
    y: (share) => 100 - ((share * 100) / step - first) * (100 / (last - first)),
  };
}

/**
 * Positions of points that have something, by parts without gaps.
 * @param {import("./types").TrendPoint[]} points
 * @param {(point: import("./types").TrendPoint) => boolean} has
 */
function partsWithoutGaps(points, has) {
  /** @type {number[][]} */
  const parts = [];
  points.forEach((point, at) => {
    if (!has(point)) return;
    if (at && has(points[at - 1])) parts[parts.length - 1].push(at);
    else parts.push([at]);
  });
  return parts;
}

/**
 * @param {import("./types").TrendPoint[]} points
 * @param {(at: number) => number} x
 * @param {(share: number) => number} y
 */
function linePath(points, x, y) {
  return partsWithoutGaps(points, ({ share }) => share !== null)
    .map((part) => `M${part.map((at) => `${x(at)} ${y(points[at].share ?? 0)}`).join("L")}`)
    .join("");
}

/**
 * The band of the intervals: along the upper ends, and back along the lower ones.
 * @param {import("./types").TrendPoint[]} points
 * @param {(at: number) => number} x
 * @param {(share: number) => number} y
 */
function bandPath(points, x, y) {
  const end = (/** @type {0 | 1} */ side) => (/** @type {number} */ at) => `${x(at)} ${y(points[at].interval?.[side] ?? 0)}`;
  return partsWithoutGaps(points, ({ interval }) => interval !== null)
    .map((part) => `M${[...part.map(end(1)), ...part.reverse().map(end(0))].join("L")}Z`)
    .join("");
}

/**
 * @param {object} properties
 * @param {import("./types").TrendPoint} properties.point
 * @param {string} properties.x
 * @param {string} properties.y
 * @param {((point: import("./types").TrendPoint) => void) | undefined} properties.onPick
 */
function TrendDot({ point, x, y, onPick }) {
  const title = t("charts.point", {
    run: visibleText(point.name ?? point.run),
    date: date(point.at),
    share: percent(point.share),
    interval: shareInterval(point.interval),
  });
  const pick = onPick && {
    role: "button",
    tabindex: "0",
    "aria-label": title,
    onClick: () => onPick(point),
    onKeyDown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      onPick(point);
    },
  };
  return html`<g class="chart-pick" ...${pick}>
    <circle cx=${x} cy=${y} r="14" class="chart-target" />
    <circle cx=${x} cy=${y} r=${point.is_this ? 6 : 4} class=${point.is_this ? "chart-dot is-this" : "chart-dot"} />
    <title>${title}</title>
  </g>`;
}
