/** Which tool was called in place of which: a table of expected and called tools as a heat map. */

import { ToolName, toolText } from "./reasons.js";
import { cellKey } from "./selection.js";
import { visibleText } from "./text.js";
import { html, useMemo, useState } from "./vendor/preact-htm.js";
import { number, plural, t } from "./words.js";

/** Tools that are shown at first, those with the most errors; some more are not worth a button. */
const FIRST_TOOLS = 12;
const FEW_MORE = 3;

/** Tools that are shown at all: a table of more is of no use to anybody. */
const MOST_TOOLS = 60;

/** The weakest colour that is still seen, in percent of the strongest. */
const LEAST_HEAT = 14;

/**
 * A row or column: a tool, nothing (`null`), or all tools that are not shown (`REST`).
 * @typedef {string | null | symbol} Side
 */
const REST = Symbol("the tools that are not shown");

/**
 * @typedef {object} Matrix
 * @property {Side[]} sides rows and columns
 * @property {Map<Side, Map<Side, number>>} counts by expected, then by called tool
 * @property {Record<string, number>} most the largest number of each kind of cell
 */

/**
 * Tools of the confusion matrix, those with the most errors first.
 * @param {import("./types").Confusion[]} confusion
 * @returns {string[]}
 */
function toolsByErrors(confusion) {
  /** @type {Map<string, number>} */
  const errors = new Map();
  for (const { expected, called, count } of confusion) {
    const wrong = expected === called ? 0 : count;
    for (const tool of [expected, called]) if (tool !== null) errors.set(tool, (errors.get(tool) ?? 0) + wrong);
  }
  return [...errors.keys()].sort((one, other) => (errors.get(other) ?? 0) - (errors.get(one) ?? 0));
}

/**
 * @param {import("./types").Confusion[]} confusion
 * @param {string[]} tools those that are shown
 * @returns {Matrix}
 */
function makeMatrix(confusion, tools) {
  const shown = new Set(tools);
  const sideOf = (/** @type {string | null} */ name) => (name === null || shown.has(name) ? name : REST);
  /** @type {Map<Side, Map<Side, number>>} */
  const counts = new Map();
  let hasRest = false;
  for (const { expected, called, count } of confusion) {
    const row = sideOf(expected);
    const column = sideOf(called);
    hasRest ||= row === REST || column === REST;
    if (row === REST && expected === called) continue; // what is right is not among the errors of all the rest
    const cells = counts.get(row) ?? new Map();
    cells.set(column, (cells.get(column) ?? 0) + count);
    counts.set(row, cells);
  }
  /** @type {Record<string, number>} */
  const most = {};
  for (const [row, cells] of counts) {
    for (const [column, count] of cells) {
      const kind = cellKind(row, column);
      most[kind] = Math.max(most[kind] ?? 1, count);
    }
  }
  return { sides: [...tools, ...(hasRest ? [REST] : []), null], counts, most };
}

/**
 * Each kind of cell has a colour of its own, as deep as the number is large among its kind.
 * @param {Side} row
 * @param {Side} column
 */
function cellKind(row, column) {
  if (row === column && row !== REST) return "good";
  if (column === null) return "missed";
  return row === null ? "extra" : "bad";
}

/**
 * The confusion matrix. Each number is a button that filters the list, where the list can be filtered by it.
 * @param {object} properties
 * @param {import("./types").Confusion[]} properties.confusion
 * @param {Set<string>} properties.cells cells by which the list can be filtered
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
export function ConfusionMatrix({ confusion, cells, view, onChange }) {
  const tools = useMemo(() => toolsByErrors(confusion), [confusion]);
  const [isWhole, setWhole] = useState(false);
  const isFolded = tools.length > FIRST_TOOLS + FEW_MORE;
  const shown = isWhole || !isFolded ? MOST_TOOLS : FIRST_TOOLS;
  const matrix = useMemo(() => makeMatrix(confusion, tools.slice(0, shown)), [confusion, tools, shown]);
  return html`<div class="confusion">
    <div class="table-scroll" tabindex="0" role="region" aria-label=${t("problems.confusion")}>
      <table class="confusion-table">
        <thead>
          <tr>
            <th class="muted" scope="col">
              <div>${t("problems.expected")} ↓</div>
              <div>${t("problems.called")} →</div>
            </th>
            ${matrix.sides.map(
              (side, at) =>
                html`<th key=${at} scope="col"><span class="one-line confusion-column"><${SideName} side=${side} /></span></th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${matrix.sides.map(
            (row, at) =>
              html`<tr key=${at}>
                <th scope="row" class="one-line"><${SideName} side=${row} /></th>
                ${matrix.sides.map(
                  (column, next) =>
                    html`<${Cell} key=${next} ...${{ row, column, matrix, cells, view, onChange }} />`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <div class="confusion-legend">
    <p class="muted small">${t("problems.confusion_meaning")}</p>
    <ul class="row chart-legend">
      ${["good", "bad", "missed", "extra"].map(
        (kind) =>
          html`<li key=${kind} class="row">
            <span class=${`confusion-key hue is-${kind}`} aria-hidden="true"></span>${t(`problems.cell_${kind}`)}
          </li>`,
      )}
    </ul>
    ${isFolded &&
    html`<${MoreButton} ...${{ count: tools.length, most: MOST_TOOLS, noun: "problems.tools_noun", isWhole, setWhole }} />`}
    </div>
  </div>`;
}

/**
 * A button that shows the rest of something, or hides it again.
 * @param {object} properties
 * @param {number} properties.count
 * @param {number} properties.most that are shown at all
 * @param {string} properties.noun
 * @param {boolean} properties.isWhole
 * @param {(isWhole: boolean) => void} properties.setWhole
 */
export function MoreButton({ count, most, noun, isWhole, setWhole }) {
  const what = plural(noun, Math.min(count, most));
  return html`<button class="button button-quiet no-print" aria-expanded=${isWhole} onClick=${() => setWhole(!isWhole)}>
    ${isWhole ? t("problems.fewer") : t(count > most ? "problems.more" : "problems.all", { what })}
  </button>`;
}

/** @param {{side: Side}} properties */
function SideName({ side }) {
  return typeof side === "string" ? html`<${ToolName} name=${side} />` : html`<em>${sideText(side)}</em>`;
}

/** @param {Side} side */
function sideText(side) {
  if (side === null) return t("problems.none");
  return typeof side === "symbol" ? t("problems.rest") : visibleText(toolText(side)) || '""';
}

/**
 * @param {object} properties
 * @param {Side} properties.row
 * @param {Side} properties.column
 * @param {Matrix} properties.matrix
 * @param {Set<string>} properties.cells
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
function Cell({ row, column, matrix, cells, view, onChange }) {
  const count = matrix.counts.get(row)?.get(column) ?? 0;
  if (row === null && column === null) return html`<td></td>`;
  if (!count) return html`<td class="confusion-cell"></td>`;
  const kind = cellKind(row, column);
  const share = Math.sqrt(count / matrix.most[kind]);
  const heat = { "--heat": `${LEAST_HEAT + (100 - LEAST_HEAT) * share}%` };
  const name = `confusion-cell hue is-${kind}`;
  const [part, value] = filterOf(row, column, cells);
  if (value === null) return html`<td class=${name} style=${heat}>${number(count)}</td>`;
  const isPressed = view[part] === value;
  const label = t("problems.cell", { expected: sideText(row), called: sideText(column), times: number(count) });
  return html`<td class=${name} style=${heat}>
    <button
      aria-pressed=${isPressed}
      aria-label=${label}
      title=${label}
      onClick=${() => onChange({ [part]: isPressed ? null : value })}
    >
      ${number(count)}
    </button>
  </td>`;
}

/**
 * The filter of a cell: on the diagonal the cases with the tool, elsewhere those with this error, if it is one of `cells`.
 * @param {Side} row
 * @param {Side} column
 * @param {Set<string>} cells
 * @returns {["tool" | "cell", string | null]}
 */
function filterOf(row, column, cells) {
  if (typeof row === "symbol" || typeof column === "symbol") return ["cell", null];
  if (row === column) return ["tool", row];
  const key = cellKey(row, column);
  return ["cell", cells.has(key) ? key : null];
}
