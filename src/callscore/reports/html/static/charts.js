/** Charts as SVG: distribution of scores, bars per tool, trend, sparkline. Each has a table behind it. */

import { DataTable } from "./table.js";
import { Text, visibleText } from "./text.js";
import { html, useLayoutEffect, useRef, useState } from "./vendor/preact-htm.js";
import { date, number, percent, plural, t } from "./words.js";

/** Bars of scores between 0 and 1; 0 and 1 themselves have bars of their own. */
const INNER_BARS = 10;

const DISTRIBUTION_HEIGHT = 148;
const TREND_HEIGHT = 220;

/** Space for the labels of a trend. */
const TREND_LEFT = 52;
const TREND_RIGHT = 16;
const TREND_TOP = 12;
const TREND_BOTTOM = 30;

/** Steps between the lines of a scale. */
const SCALE_STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25];
const MOST_SCALE_LINES = 6;

/** Points up to which each is drawn. */
const MOST_DOTS = 120;

/** The parts of a bar of a tool, in their order. */
export const CALL_PARTS = /** @type {const} */ (["correct", "incorrect", "missed", "extra", "forbidden"]);

let patternSets = 0;

/**
 * Ids of patterns that no other chart has: patterns tell the parts apart without colour.
 * @returns {(name: string) => string}
 */
export function usePatternIds() {
  const [set] = useState(() => (patternSets += 1));
  return (name) => `pattern-${set}-${name}`;
}

/**
 * The patterns themselves, in a drawing without size.
 * @param {{idOf: (name: string) => string}} properties
 */
export function Patterns({ idOf }) {
  const pattern = (/** @type {string} */ name, /** @type {string} */ path) =>
    html`<pattern id=${idOf(name)} class=${`chart-pattern is-${name}`} width="6" height="6" patternUnits="userSpaceOnUse">
      <rect width="6" height="6" />
      <path d=${path} />
    </pattern>`;
  return html`<svg class="chart-patterns" width="0" height="0" aria-hidden="true">
    <defs>
      ${pattern("correct", "")} ${pattern("incorrect", "M-1 7 L7 -1 M-1 1 L1 -1 M5 7 L7 5")}
      ${pattern("missed", "M3 0 V6")} ${pattern("extra", "M2 2 h2 v2 h-2 z")}
      ${pattern("forbidden", "M-1 7 L7 -1 M-1 -1 L7 7")}
    </defs>
  </svg>`;
}

/**
 * What the patterns mean.
 * @param {{parts: readonly string[], idOf: (name: string) => string, words: (part: string) => string}} properties
 */
export function Legend({ parts, idOf, words }) {
  return html`<ul class="chart-legend">
    ${parts.map(
      (part) =>
        html`<li key=${part}>
          <svg width="14" height="14" aria-hidden="true" class="chart-key">
            <${Part} name=${part} idOf=${idOf} width="14" height="14" rx="3" />
          </svg>
          ${words(part)}
        </li>`,
    )}
  </ul>`;
}

/**
 * The numbers of a chart, folded.
 * @param {{head: string[], rows: unknown[][], label: string}} properties
 */
export function ChartTable({ head, rows, label }) {
  return html`<details class="chart-table no-print">
    <summary>${t("charts.table")}</summary>
    <${DataTable} label=${label} head=${head} rows=${rows} />
  </details>`;
}

/**
 * The width of an element, kept up to date: a drawing in its own pixels has text of the right size.
 * @param {number} first the width until it is known
 * @returns {[{current: HTMLElement | null}, number]}
 */
function useWidth(first) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return undefined;
    const measure = () => setWidth(Math.max(160, Math.floor(measured.clientWidth)) || first);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}

/**
 * How many items have which score: 0, ten equal parts between 0 and 1, and 1.
 * @param {import("./types").Index} index
 * @returns {{label: string, passed: number, other: number}[]}
 */
export function scoreBars(index) {
  const inner = Array.from({ length: INNER_BARS }, (_, at) =>
    t("charts.between", { low: number(at / INNER_BARS), high: number((at + 1) / INNER_BARS) }),
  );
  const bars = [number(0), ...inner, number(1)].map((label) => ({ label, passed: 0, other: 0 }));
  for (let item = 0; item < index.count; item += 1) {
    const score = index.score[item];
    if (score === null) continue;
    const bar = bars[scoreBar(score)];
    if (index.status[item] === 0) bar.passed += 1;
    else bar.other += 1;
  }
  return bars;
}

/** @param {number} score */
function scoreBar(score) {
  if (score <= 0) return 0;
  if (score >= 1) return INNER_BARS + 1;
  return 1 + Math.min(Math.floor(score * INNER_BARS), INNER_BARS - 1);
}

/**
 * The distribution of scores. The bars of exactly 0 and exactly 1 stand apart.
 * @param {{index: import("./types").Index}} properties
 */
export function Distribution({ index }) {
  const idOf = usePatternIds();
  const [element, width] = useWidth(420);
  const bars = scoreBars(index);
  const most = Math.max(...bars.map(({ passed, other }) => passed + other));
  if (!most) return null;
  const parts = [
    ...(bars.some(({ passed }) => passed) ? ["correct"] : []),
    ...(bars.some(({ other }) => other) ? ["incorrect"] : []),
  ];
  const words = (/** @type {string} */ part) => t(part === "correct" ? "charts.passed" : "charts.not_passed");
  return html`<figure class="chart">
    <figcaption class="muted small">${t("charts.distribution")}</figcaption>
    <${Patterns} idOf=${idOf} />
    <div ref=${element} class="chart-drawing">
      <svg viewBox=${`0 0 ${width} ${DISTRIBUTION_HEIGHT}`} width=${width} height=${DISTRIBUTION_HEIGHT} aria-hidden="true">
        ${bars.map((bar, at) => html`<${ScoreBar} key=${at} bar=${bar} at=${at} width=${width} most=${most} idOf=${idOf} />`)}
      </svg>
    </div>
    <${Legend} parts=${parts} idOf=${idOf} words=${words} />
    <${ChartTable}
      label=${t("charts.distribution")}
      head=${[t("charts.score"), t("charts.passed"), t("charts.not_passed")]}
      rows=${bars.map(({ label, passed, other }) => [label, number(passed), number(other)])}
    />
  </figure>`;
}

/**
 * One bar: what passed below, the rest on it, the number above and the score below.
 * @param {object} properties
 * @param {{label: string, passed: number, other: number}} properties.bar
 * @param {number} properties.at
 * @param {number} properties.width
 * @param {number} properties.most
 * @param {(name: string) => string} properties.idOf
 */
function ScoreBar({ bar, at, width, most, idOf }) {
  const gap = 10; // between the bars of exactly 0 or 1 and the others
  const slot = (width - 2 * gap) / (INNER_BARS + 2);
  const left = at * slot + (at > 0 ? gap : 0) + (at > INNER_BARS ? gap : 0);
  const floor = DISTRIBUTION_HEIGHT - 22;
  const scale = (floor - 18) / most;
  const total = bar.passed + bar.other;
  const height = (/** @type {number} */ count) => (count ? Math.max(count * scale, 2) : 0);
  const passed = height(bar.passed);
  const other = height(bar.other);
  const top = floor - passed - other;
  const part = (/** @type {string} */ name, /** @type {number} */ y, /** @type {number} */ tall) =>
    tall ? html`<${Part} name=${name} idOf=${idOf} x=${left + 1} width=${slot - 2} y=${y} height=${tall} />` : null;
  const isEnd = at === 0 || at > INNER_BARS;
  return html`<g>
    ${part("correct", floor - passed, passed)} ${part("incorrect", top, other)}
    <line x1=${left} x2=${left + slot} y1=${floor} y2=${floor} class="chart-axis" />
    ${total
      ? html`<text x=${left + slot / 2} y=${top - 4} class="chart-value">${shortNumber(total)}</text>`
      : null}
    ${isEnd || at % 2
      ? html`<text x=${isEnd ? left + slot / 2 : left} y=${floor + 15} class=${isEnd ? "chart-label is-end" : "chart-label"}
          >${isEnd ? bar.label : at === 1 ? "" : number((at - 1) / INNER_BARS)}</text
        >`
      : null}
    <title>${bar.label}: ${number(total)}</title>
  </g>`;
}

/**
 * A count that fits above a bar: `12K`.
 * @param {number} count
 */
function shortNumber(count) {
  if (count < 10_000) return number(count);
  return t("charts.thousands", { count: number(Math.round(count / 1000)) });
}

/**
 * All calls as one bar, with the numbers in its legend.
 * @param {{calls: NonNullable<import("./types").Document["calls"]>}} properties
 */
export function CallsBar({ calls }) {
  const idOf = usePatternIds();
  const parts = CALL_PARTS.filter((part) => calls[part]);
  const words = (/** @type {string} */ part) =>
    t("charts.part", { name: t(`charts.${part}`), count: number(calls[/** @type {"extra"} */ (part)]) });
  return html`<figure class="chart">
    <figcaption class="muted small">
      ${t("charts.calls", { expected: number(calls.expected), actual: number(calls.actual) })}
    </figcaption>
    <${Patterns} idOf=${idOf} />
    <${PartsBar} row=${calls} most=${callsOf(calls)} idOf=${idOf} />
    <${Legend} parts=${parts} idOf=${idOf} words=${words} />
  </figure>`;
}

/**
 * A bar of calls by their outcomes.
 * @param {object} properties
 * @param {Record<typeof CALL_PARTS[number], number>} properties.row
 * @param {number} properties.most calls of a bar of full length
 * @param {(name: string) => string} properties.idOf
 */
export function PartsBar({ row, most, idOf }) {
  let end = 0;
  return html`<svg class="parts-bar" height="14" aria-hidden="true">
    ${CALL_PARTS.map((part) => {
      const share = (row[part] / most) * 100;
      end += share;
      return share
        ? html`<${Part} key=${part} name=${part} idOf=${idOf} x=${`${end - share}%`} width=${`${share}%`} height="14" />`
        : null;
    })}
  </svg>`;
}

/**
 * A rectangle with the pattern of an outcome.
 * @param {{name: string, idOf: (name: string) => string}} properties and where it is
 */
function Part({ name, idOf, ...place }) {
  return html`<rect ...${place} fill=${`url(#${idOf(name)})`} class=${`chart-part is-${name}`} />`;
}

/**
 * All calls of a bar.
 * @param {Record<typeof CALL_PARTS[number], number>} row
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
 * The parts of a bar in words: `correct 1, missed 2`.
 * @param {Record<typeof CALL_PARTS[number], number>} row
 */
export function partsText(row) {
  return CALL_PARTS.filter((part) => row[part])
    .map((part) => t("charts.part", { name: t(`charts.${part}`), count: number(row[part]) }))
    .join(", ");
}

/**
 * A share over time with its interval as a band.
 * @param {object} properties
 * @param {import("./types").TrendPoint[]} properties.points oldest first
 * @param {(point: import("./types").TrendPoint) => void} [properties.onPick]
 */
export function Trend({ points, onPick }) {
  const [element, width] = useWidth(640);
  if (!points.some(({ share }) => share !== null)) return null;
  const place = trendPlaces(points, width);
  return html`<figure class="chart">
    <div ref=${element} class="chart-drawing">
      <svg
        viewBox=${`0 0 ${width} ${TREND_HEIGHT}`}
        width=${width}
        height=${TREND_HEIGHT}
        role=${onPick ? "group" : "img"}
        aria-label=${trendLabel(points)}
      >
        ${place.lines.map(
          (share) =>
            html`<g key=${share}>
              <line x1=${TREND_LEFT} x2=${width - TREND_RIGHT} y1=${place.y(share)} y2=${place.y(share)} class="chart-grid" />
              <text x=${TREND_LEFT - 8} y=${place.y(share) + 4} class="chart-label is-left">${percent(share)}</text>
            </g>`,
        )}
        <path d=${bandPath(points, place)} class="chart-band" />
        <path d=${linePath(points, place)} class="chart-line" />
        ${points.map(
          (point, at) => html`<${TrendDot} key=${at} point=${point} at=${at} count=${points.length} place=${place} onPick=${onPick} />`,
        )}
        <text x=${TREND_LEFT} y=${TREND_HEIGHT - 8} class="chart-label is-right">${date(points[0].at)}</text>
        ${points.length > 1
          ? html`<text x=${width - TREND_RIGHT} y=${TREND_HEIGHT - 8} class="chart-label is-left">
              ${date(points[points.length - 1].at)}
            </text>`
          : null}
      </svg>
    </div>
    <${ChartTable}
      label=${t("charts.trend")}
      head=${[t("charts.run"), t("charts.date"), t("charts.commit"), t("charts.share"), t("charts.interval"), t("charts.cases")]}
      rows=${points.map((point) => [
        html`<${Text} value=${point.name ?? point.run} />`,
        date(point.at),
        html`<${Text} value=${(point.commit ?? "–").slice(0, 12)} />`,
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

/** @param {import("./types").TrendPoint[]} points */
function trendLabel(points) {
  const known = points.filter(({ share }) => share !== null);
  return t("charts.trend_label", {
    runs: plural("charts.runs", points.length),
    first: percent(known[0].share),
    last: percent(known[known.length - 1].share),
  });
}

/**
 * Where a position and a share are in the drawing.
 * @typedef {{x: (at: number) => number, y: (share: number) => number, lines: number[]}} Places
 */

/**
 * @param {import("./types").TrendPoint[]} points
 * @param {number} width
 * @returns {Places}
 */
function trendPlaces(points, width) {
  const shares = points.flatMap(({ share, interval }) => [...(share === null ? [] : [share]), ...(interval ?? [])]);
  const low = Math.max(0, Math.min(...shares) - 0.02);
  const high = Math.min(1, Math.max(...shares, low + 0.1) + 0.02);
  const step = SCALE_STEPS.find((size) => (high - low) / size <= MOST_SCALE_LINES) ?? 0.25;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const lines = Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
  const inner = width - TREND_LEFT - TREND_RIGHT;
  const tall = TREND_HEIGHT - TREND_TOP - TREND_BOTTOM;
  return {
    x: (at) => TREND_LEFT + (points.length > 1 ? (at / (points.length - 1)) * (inner - 12) + 6 : inner / 2),
    y: (share) => TREND_TOP + (1 - (share - first * step) / ((last - first) * step)) * tall,
    lines,
  };
}

/**
 * @param {import("./types").TrendPoint[]} points
 * @param {Places} place
 */
function linePath(points, place) {
  let isOpen = false;
  let path = "";
  points.forEach(({ share }, at) => {
    if (share === null) isOpen = false;
    else {
      path += `${isOpen ? "L" : "M"}${place.x(at)} ${place.y(share)}`;
      isOpen = true;
    }
  });
  return path;
}

/**
 * The band of the intervals: along the upper ends and back along the lower ones, for each part without gaps.
 * @param {import("./types").TrendPoint[]} points
 * @param {Places} place
 */
function bandPath(points, place) {
  let path = "";
  let from = 0;
  while (from < points.length) {
    let to = from;
    while (to < points.length && points[to].interval) to += 1;
    const upper = [];
    const lower = [];
    for (let at = from; at < to; at += 1) {
      const [low, high] = points[at].interval ?? [0, 0];
      upper.push(`${place.x(at)} ${place.y(high)}`);
      lower.unshift(`${place.x(at)} ${place.y(low)}`);
    }
    if (upper.length > 1) path += `M${[...upper, ...lower].join("L")}Z`;
    from = to + 1;
  }
  return path;
}

/**
 * @param {object} properties
 * @param {import("./types").TrendPoint} properties.point
 * @param {number} properties.at
 * @param {number} properties.count
 * @param {Places} properties.place
 * @param {((point: import("./types").TrendPoint) => void) | undefined} properties.onPick
 */
function TrendDot({ point, at, count, place, onPick }) {
  if (point.share === null || (count > MOST_DOTS && !point.is_this && !onPick)) return null;
  const title = t("charts.point", {
    run: visibleText(point.name ?? point.run),
    date: date(point.at),
    share: percent(point.share),
    interval: shareInterval(point.interval),
  });
  const x = place.x(at);
  const y = place.y(point.share);
  const [low, high] = point.interval ?? [point.share, point.share];
  const drawing = html`<line x1=${x} x2=${x} y1=${place.y(low)} y2=${place.y(high)} class="chart-whisker" />
    <circle cx=${x} cy=${y} r=${point.is_this ? 6 : 4} class=${point.is_this ? "chart-dot is-this" : "chart-dot"} />
    <title>${title}</title>`;
  if (!onPick) return html`<g>${drawing}</g>`;
  const pick = () => onPick(point);
  return html`<g
    role="button"
    tabindex="0"
    class="chart-pick"
    aria-label=${title}
    onClick=${pick}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pick();
    }}
  >
    <rect x=${x - 12} y=${y - 12} width="24" height="24" class="chart-target" />
    ${drawing}
  </g>`;
}
