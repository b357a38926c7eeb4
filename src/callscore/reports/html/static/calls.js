/** Calls beside the calls that were expected: of one run, or of two runs that are compared. */

import { parseJson } from "./data.js";
import { alignLines, comparedParts } from "./differing.js";
import { shortText } from "./reasons.js";
import { Text } from "./text.js";
import {
  Download,
  Fold,
  LinkButton,
  Segments,
  Sentences,
  ValueView,
  isLarge,
  isSameJson,
  prettyLines,
  shortJson,
  useMore,
} from "./values.js";
import { html, useMemo, useState } from "./vendor/preact-htm.js";
import { number, percent, plural, t } from "./words.js";

/** @typedef {import("./types").Call} Call */
/** @typedef {import("./types").Row} Row */
/** @typedef {import("./types").Json} Json */
/** @typedef {import("./types").Turn} Turn */

/**
 * The calls of one trial, with the turns and the state that are shown as parts of it.
 * @typedef {{rows: Row[], turns?: Turn[], state?: string}} Side
 */

/**
 * A part of the calls with a title: a turn, or the state at the end. Without a title it is all of them.
 * @typedef {{title?: string, words: {text: string, passed: boolean}[], rows: Row[][]}} Block
 */

/**
 * A call in its column; `row` says how it is scored, the expected one has none.
 * @typedef {{call?: Call, index?: number, row?: Row, isParting?: boolean}} Cell
 */

/**
 * A row of the table: an expected call, and what each run made of it. `parting` is on the first row at which they part.
 * @typedef {{cells: Cell[], parting?: number}} GridRow
 */

/** Characters of the arguments of a call on one line; longer ones can be opened. */
const LINE_LENGTH = 120;
/** Rows, and lines of an argument, that are shown at first. */
const MOST_LINES = 300;
/** Larger values are not divided into lines. */
const LARGEST_ALIGNED = 200_000;
/** Rows of a table that has no folds. */
const SHORT_TABLE = 100;
/** Quiet items in a row that are folded, and those around others that are not. */
const FEWEST_FOLDED = 5;
const CONTEXT = 2;

/** The worst first. */
const ROW_KINDS = /** @type {const} */ ({ "!": "forbidden", "~": "incorrect", "-": "missed", "+": "extra", "=": "correct" });

/**
 * The calls of one trial or of two beside the expected ones, row by row. The first call at which two part is marked.
 * @param {object} properties
 * @param {Side[]} properties.sides
 * @param {string[]} properties.labels
 * @param {number | null} [properties.partsAt]
 * @param {boolean} [properties.isCheck] whether there are no expected calls
 */
export function Calls({ sides, labels, partsAt = null, isCheck = false }) {
  const [first, second] = sides;
  const blocks = useMemo(
    () =>
      callBlocks(sides).map((block) => {
        const [before, after] = block.rows;
        const rows = after ? mergedRows(before, after, partsAt) : before.map((row) => ({ cells: gridRow([row], null).cells.slice(Number(isCheck)) }));
        return { ...block, rows };
      }),
    [first.rows, second?.rows, partsAt],
  );
  const count = blocks.reduce((sum, { rows }) => sum + rows.length, 0);
  const names = [t("calls.expected"), ...labels].slice(Number(isCheck));
  if (!count && blocks.length < 2) return html`<p class="muted">${t("calls.none")}</p>`;
  const show = (/** @type {GridRow} */ row, /** @type {number} */ at) => html`<${CallRow} key=${at} row=${row} names=${names} />`;
  return html`<div class="calls" style=${{ "--sides": names.length }}>
    <div class="call-line calls-head" aria-hidden="true">
      <span></span>${names.map((name, at) => html`<span key=${at}>${name}</span>`)}
    </div>
    ${blocks.map(
      ({ title, words, rows }, at) =>
        html`<section key=${at} class="calls-part">
          ${title && html`<${BlockTitle} title=${title} words=${words} />`}
          <ol>
            <${FoldedList} items=${rows} isQuiet=${count > SHORT_TABLE && isQuietRow} label="calls.correct_calls" show=${show} tag="li" />
          </ol>
        </section>`,
    )}
  </div>`;
}

/**
 * The title of a turn or of the end state, and how it went on each side.
 * @param {{title: string, words: Block["words"]}} properties
 */
function BlockTitle({ title, words }) {
  return html`<div class="call-line calls-title">
    <span></span>
    <h4>
      ${title}
      ${words.map(({ text, passed }, at) => html` <span key=${at} class=${passed ? "muted" : "is-wrong"}>${at ? "→ " : ""}${text}</span>`)}
    </h4>
  </div>`;
}

/**
 * The rows of all sides by turn, and the state at the end; one part without a title if there is neither.
 * @param {Side[]} sides
 * @returns {Block[]}
 */
export function callBlocks(sides) {
  const isState = (/** @type {Row} */ { expected, actual }) => (expected ?? actual)?.kind === "state";
  const calls = sides.map(({ rows }) => rows.filter((row) => !isState(row)));
  const states = sides.map(({ rows }) => rows.filter(isState));
  const numbers = [...new Set(sides.flatMap(({ turns = [] }) => turns.map(({ number: turn }) => turn)))].sort((one, other) => one - other);
  const found = numbers.map((turn) => ({
    title: t("calls.turn", { number: number(turn) }),
    words: wordsOf(sides.map(({ turns = [] }) => turns.find((each) => each.number === turn))),
    rows: calls.map((rows) => rows.filter((row) => row.turn === turn)),
  }));
  // one of two runs may have been compared without its turns
  const others = calls.map((rows) => rows.filter((row) => row.turn === undefined));
  /** @type {Block[]} */
  const blocks = others.some((rows) => rows.length) || !found.length ? [{ words: [], rows: others }, ...found] : found;
  if (!states.some((rows) => rows.length)) return blocks;
  const passed = states.map((rows) => rows.every(({ mark }) => mark === "="));
  const words = wordsOf(sides.map(({ state }, at) => state && { word: state, passed: passed[at] }));
  return [...blocks, { title: t("calls.end_state"), words, rows: states }];
}

/**
 * What a title says; once if all sides are the same. Of two sides, the one that needs no word has its score.
 * @param {({word: string, passed: boolean} | undefined | "")[]} sides
 * @returns {Block["words"]}
 */
function wordsOf(sides) {
  const words = sides.map((side) => (side ? { text: side.word, passed: side.passed } : { text: "–", passed: true }));
  if (words.every(({ text }) => text === words[0].text)) return words[0].text ? words.slice(-1) : [];
  return words.map(({ text, passed }) => ({ text: text || percent(1), passed }));
}

/**
 * The actual calls of rows, in the order in which they were made.
 * @param {Row[]} rows
 * @returns {Call[]}
 */
export function actualCalls(rows) {
  return [...rows]
    .sort((one, other) => (one.actual_index ?? 0) - (other.actual_index ?? 0))
    .flatMap((row) => actualCall(row) ?? []);
}

/**
 * The actual call of a row: a correct one may be written only once.
 * @param {Row | undefined} row
 * @returns {Call | undefined}
 */
function actualCall(row) {
  return row?.actual ?? (row?.mark === "=" ? row.expected : undefined);
}

/**
 * The position of the first call at which two trials part; null if all their calls are the same.
 * @param {Row[][]} sides
 * @returns {number | null}
 */
export function partingCall(sides) {
  const [left, right] = sides.map((rows) => actualCalls(rows).map((call) => [call.name, call.arguments]));
  const longer = left.length > right.length ? left : right;
  const at = longer.findIndex((_, each) => !isSameJson(left[each], right[each]));
  return at < 0 ? null : at;
}

/**
 * The rows of two trials as one table: first by the expected calls, then by equal calls between them, then by tools.
 * @param {Row[]} before
 * @param {Row[]} after
 * @param {number | null} partsAt
 * @returns {GridRow[]}
 */
export function mergedRows(before, after, partsAt) {
  const merged = alignedRows(before, after, 0).map((rows) => gridRow(rows, partsAt));
  const first = merged.find(({ cells }) => cells.some(({ isParting }) => isParting));
  if (first && partsAt !== null) first.parting = partsAt;
  return merged;
}

/**
 * @param {Row[]} before
 * @param {Row[]} after
 * @param {number} level
 * @returns {(Row | undefined)[][]}
 */
function alignedRows(before, after, level) {
  if (level > 2) return [...before.map((row) => [row, undefined]), ...after.map((row) => [undefined, row])];
  return comparedParts(before, after, (row) => alignmentKey(row, level) ?? row).flatMap(({ left, right, isSame }) =>
    isSame ? left.map((row, at) => [row, right[at]]) : alignedRows(left, right, level + 1),
  );
}

/**
 * What two rows of different trials have in common to stand beside each other; undefined if nothing can.
 * @param {Row} row
 * @param {number} level
 */
function alignmentKey({ expected, actual }, level) {
  if (expected) return level ? undefined : callKey(expected);
  return [undefined, actual && callKey(actual), actual?.name][level];
}

/** @param {Call} call */
function callKey({ name, arguments: given }) {
  return shortJson([name, given ?? null], LARGEST_ALIGNED);
}

/**
 * @param {(Row | undefined)[]} rows of the same expected call, one for each run
 * @param {number | null} partsAt
 * @returns {GridRow}
 */
function gridRow(rows, partsAt) {
  const any = rows.find(Boolean);
  const sides = rows.map((row) => {
    const index = row?.actual_index;
    return { row, call: actualCall(row), index, isParting: index === partsAt };
  });
  return { cells: [{ call: any?.expected, index: any?.expected_index }, ...sides] };
}

/** @param {GridRow} row */
function isQuietRow({ cells }) {
  return cells.every(({ row, call, isParting }) => !isParting && !call?.failed && (row?.mark ?? "=") === "=");
}

/**
 * A list in which many quiet items in a row are a button that opens them.
 * @template T
 * @param {object} properties
 * @param {T[]} properties.items
 * @param {false | ((item: T) => boolean)} [properties.isQuiet]
 * @param {string} [properties.label] of the catalogue, for the number of folded items
 * @param {(item: T, at: number) => unknown} properties.show
 * @param {string} [properties.tag] around buttons
 */
function FoldedList({ items, isQuiet = false, label = "", show, tag = "p" }) {
  const [opened, setOpened] = useState(/** @type {number[]} */ ([]));
  const { shown, more } = useMore(foldedParts(items, isQuiet, opened), MOST_LINES);
  return html`${shown.map(({ from, to }) =>
    to - from > 1
      ? html`<${tag} key=${`fold-${from}`} class="calls-fold">
          <${LinkButton} isOpen=${false} onClick=${() => setOpened([...opened, from])}>${plural(label, to - from)}<//>
        <//>`
      : show(items[from], from),
  )}
  ${more && html`<${tag} class="calls-fold">${more}<//>`}`;
}

/**
 * The positions of items that are shown, and between them those of quiet ones that are folded.
 * @template T
 * @param {T[]} items
 * @param {false | ((item: T) => boolean)} isQuiet
 * @param {number[]} opened where folds start that are open
 * @returns {{from: number, to: number}[]} a fold has several items
 */
export function foldedParts(items, isQuiet, opened) {
  const parts = [];
  for (let at = 0; at < items.length; ) {
    let end = at;
    while (isQuiet && end < items.length && isQuiet(items[end])) end += 1;
    const [from, to] = [at + CONTEXT, end - CONTEXT];
    const isFolded = to - from >= FEWEST_FOLDED && !opened.includes(from);
    for (; at <= end && at < items.length; at += 1) {
      if (isFolded && at === from) {
        parts.push({ from, to });
        at = to;
      }
      parts.push({ from: at, to: at + 1 });
    }
  }
  return parts;
}

/**
 * One row: the calls, the arguments that differ, why, and what the tools returned.
 * @param {{row: GridRow, names: string[]}} properties
 */
function CallRow({ row: { cells, parting }, names }) {
  const [isOpen, setOpen] = useState(false);
  const compared = useMemo(() => comparedArguments(cells), [cells]);
  const hasDiffering = compared.some(({ isDiffering }) => isDiffering);
  const equal = compared.filter(({ isEqual }) => isEqual).length;
  const isLong = cells.some(({ call }) => shortJson(call?.arguments, LINE_LENGTH).length > LINE_LENGTH);
  const marks = cells.map(({ row }) => row?.mark);
  const worst = /** @type {(keyof typeof ROW_KINDS)[]} */ (Object.keys(ROW_KINDS)).find((mark) => marks.includes(mark)) ?? "=";
  return html`<li class=${`call-row is-${ROW_KINDS[worst]}`}>
    ${parting !== undefined && html`<p class="calls-parting">${t("calls.parting", { number: number(parting + 1) })}</p>`}
    <div class="call-line">
      <span>${cells.length < 3 && html`<${CallMark} mark=${worst} isCheck=${cells.length === 1} />`}</span>
      ${cells.map((cell, at) => html`<${HeadingCell} key=${at} cell=${cell} cells=${cells} label=${names[at]} isNamed=${isOpen || hasDiffering} />`)}
    </div>
    <${FoldedList}
      items=${compared.filter(({ isEqual }) => isOpen || (hasDiffering && !isEqual))}
      show=${(/** @type {ComparedArgument} */ argument) =>
        html`<${ArgumentLines} key=${argument.name} argument=${argument} cells=${cells} names=${names} />`}
    />
    ${cellLine(cells, "", (cell) => html`<${Sentences} texts=${cellReasons(cell, cells)} kind="call-reasons" />`)}
    ${(hasDiffering ? equal > 0 : isLong) &&
    html`<p class="calls-fold">
      <${LinkButton} isOpen=${isOpen} onClick=${() => setOpen(!isOpen)}>${hasDiffering ? plural("calls.equal_arguments", equal) : t("calls.arguments")}<//>
    </p>`}
    ${cellLine(cells, "", ({ row, call }) => row && html`<${CallResult} call=${call} />`)}
  </li>`;
}

/**
 * A line with something in each column.
 * @param {Cell[]} cells
 * @param {string} kind
 * @param {(cell: Cell, at: number) => unknown} show
 */
function cellLine(cells, kind, show) {
  return html`<div class=${`call-line is-indented ${kind}`}>
    <span></span>${cells.map((cell, at) => html`<div key=${at} class="call-cell">${show(cell, at)}</div>`)}
  </div>`;
}

/**
 * Why points are lost. What stands in place of a call that is not there is not said again.
 * @param {Cell} cell
 * @param {Cell[]} cells
 */
function cellReasons({ row, call }, cells) {
  const isSaid = !call || (cells.length === 2 && !cells[0].call);
  return [...(row?.differences ?? []).map(({ reason }) => reason), ...((!isSaid && row?.notes) || [])];
}

/** @param {{mark: keyof typeof ROW_KINDS, isCheck?: boolean}} properties */
function CallMark({ mark, isCheck = false }) {
  const word = t(`calls.${isCheck ? (mark === "=" ? "valid" : "faulty") : ROW_KINDS[mark]}`);
  return html`<span class=${`call-mark is-${ROW_KINDS[mark]}`} title=${word}>
    <span aria-hidden="true">${mark === "-" ? "−" : mark}</span><span class="visually-hidden">${word}</span>
  </span>`;
}

/**
 * A call in its column, with its number; in place of a call that is not there, what that means, and why.
 * @param {{cell: Cell, cells: Cell[], label: string, isNamed: boolean}} properties `isNamed` if its arguments are below
 */
function HeadingCell({ cell: { call, row, index, isParting }, cells, label, isNamed }) {
  const name = html`<span class="call-label visually-hidden">${label}</span>`;
  if (!call) {
    const about = row ?? (cells.length === 2 ? cells[1].row : undefined);
    const kind = about && ROW_KINDS[about.mark];
    return html`<div class="call-cell is-absent">
      ${kind && html`${cells.length > 2 && name}<strong class=${`is-${kind}`}>${t(`calls.${kind}`)}</strong> <${Sentences} texts=${about.notes} />`}
    </div>`;
  }
  const isState = call.kind === "state";
  const facts = [call.caller, !isState && call.kind, call.warning].flatMap((fact) => fact || []);
  return html`<div class=${`call-cell ${row?.mark === "=" && !row.actual ? "is-repeated" : ""}`}>
    ${name}${row && cells.length > 2 && html`<${CallMark} mark=${row.mark} />`}
    <code class="call-text">
      ${index !== undefined && !isState && html`<span class=${isParting ? "call-number is-parting" : "call-number"}>${index + 1}</span>`}
      <span><span class="call-name">${isState ? t("calls.state") : shortText(call.name || "''")}</span>${
        !(isNamed && call.arguments) && html`<span class="muted">(<${Text} value=${argumentsText(call, !row)} />)</span>`
      }
      ${facts.map((fact) => html` <span key=${fact} class="call-fact">${shortText(fact)}</span>`)}
      ${call.failed && html` <span class="call-fact word is-error"><span aria-hidden="true">!</span> ${t("calls.failed_call")}</span>`}</span>
    </code>
  </div>`;
}

/**
 * A call on one line as text.
 * @param {Call} call
 * @param {boolean} isExpected
 */
export function callText(call, isExpected) {
  return `${call.name}(${argumentsText(call, isExpected)})`;
}

/**
 * Arguments on one line: `query="AI news", limit=3`.
 * @param {Call} call
 * @param {boolean} isExpected
 */
function argumentsText(call, isExpected) {
  if (!call.arguments && call.raw === undefined) return isExpected ? t("calls.any_arguments") : "?";
  let text = call.raw ?? "";
  for (const name in call.arguments) {
    if (text.length > LINE_LENGTH) break;
    const value = shortJson(call.arguments[name], LINE_LENGTH);
    text += `${text && ", "}${call.positional ? value : `${name}=${value}`}`;
  }
  return text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH)}…` : text;
}

/**
 * The arguments of all calls of a row, and whether they are equal or differ; others are not equal, and accepted.
 * @typedef {{name: string, isEqual: boolean, isDiffering: boolean}} ComparedArgument
 * @param {Cell[]} cells
 * @returns {ComparedArgument[]}
 */
function comparedArguments(cells) {
  const given = cells.flatMap(({ call }) => (call?.arguments ? [call.arguments] : []));
  const wrong = new Set(cells.flatMap(({ row }) => row?.differences ?? []).map(({ argument }) => argument));
  return [...new Set(given.flatMap((each) => Object.keys(each)))].map((name) => {
    const isDiffering = given.length > 1 && wrong.has(name);
    const isEqual = given.every((each) => Object.hasOwn(each, name) && isSameJson(each[name], given[0][name]));
    return { name, isDiffering, isEqual: isEqual && !isDiffering };
  });
}

/**
 * One argument on all sides, line beside line, with what differs marked.
 * @param {{argument: ComparedArgument, cells: Cell[], names: string[]}} properties
 */
function ArgumentLines({ argument: { name, isDiffering }, cells, names }) {
  const lines = useMemo(() => {
    const [first, ...others] = cells.map(({ call }) => valueLines(argumentOf(call, name), cells.length > 2 ? 40 : 56));
    return alignLines(first, others);
  }, [cells, name]);
  const show = (/** @type {import("./differing").AlignedLine} */ { columns, same }, /** @type {number} */ at) =>
    cellLine(
      cells,
      same ? "is-same" : "",
      (cell, side) => html`<${ValueLine} segments=${columns[side]} cell=${cell} label=${names[side]} name=${at ? null : name} />`,
    );
  return html`<div class=${isDiffering ? "call-argument is-differing" : "call-argument"}>
    <${FoldedList} items=${lines} isQuiet=${isDiffering && isSameLine} label="calls.equal_lines" show=${show} />
  </div>`;
}

/**
 * @param {Call | undefined} call
 * @param {string} name
 */
function argumentOf(call, name) {
  return call?.arguments && Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined;
}

/** @param {import("./differing").AlignedLine} line */
function isSameLine({ same }) {
  return same;
}

/**
 * @param {Json | undefined} value
 * @param {number} width
 * @returns {string[]}
 */
function valueLines(value, width) {
  if (value === undefined) return [];
  if (shortJson(value, LARGEST_ALIGNED).length <= LARGEST_ALIGNED) return prettyLines(value, width);
  return [typeof value === "string" ? JSON.stringify(value) : shortJson(value, LINE_LENGTH)];
}

/**
 * A line of an argument on one side; the first one has the name of the argument.
 * @param {object} properties
 * @param {import("./differing").Segment[] | null} properties.segments
 * @param {Cell} properties.cell
 * @param {string} properties.label
 * @param {string | null} properties.name
 */
function ValueLine({ segments, cell: { call, row }, label, name }) {
  const value = name === null ? undefined : argumentOf(call, name);
  return html`${name !== null &&
    call?.arguments &&
    html`<span class="call-label visually-hidden">${label}</span>
      <code class="muted">${shortText(name || "''")}${value === undefined ? html` <em>${t(row ? "calls.not_actual" : "calls.not_expected")}</em>` : " = "}</code>`}
    ${segments && html`<code><${Segments} segments=${segments} isExpected=${!row} /></code>`}
    ${isLarge(value) && html`<${Download} value=${value} name=${name} />`}`;
}

/**
 * What a tool returned: folded, unless it is an error.
 * @param {{call?: Call}} properties
 */
function CallResult({ call }) {
  const result = call?.result ?? null;
  if (!call || result === null) return null;
  const preview = typeof result === "string" ? result.slice(0, 80) : shortJson(result, 80);
  return html`<${Fold}
    label=${html`${t("calls.result")} <span class="mono"><${Text} value=${preview} /></span>`}
    open=${call.failed}
    show=${() => html`<${ValueView} value=${readableResult(result)} name=${`${call.name}-result`} />`}
  />`;
}

/**
 * A result that is the text of a JSON object or array is easier to read as such.
 * @param {Json} result
 * @returns {Json}
 */
function readableResult(result) {
  if (typeof result !== "string" || !/^\s*[[{]/.test(result) || isLarge(result)) return result;
  try {
    return parseJson(result);
  } catch {
    return result;
  }
}
