/** Calls beside the calls that were expected: of one run, or of two runs that are compared. */

import { parseJson } from "./data.js";
import { alignLines, commonItems, markDifferences } from "./differing.js";
import { Text } from "./text.js";
import {
  Download,
  Fold,
  LONGEST_SHOWN,
  Segments,
  ValueView,
  isSameJson,
  prettyLines,
  shortJson,
  useMore,
} from "./values.js";
import { html, useMemo, useState } from "./vendor/preact-htm.js";
import { number, plural, t } from "./words.js";

/** @typedef {import("./types").Call} Call */
/** @typedef {import("./types").Row} Row */
/** @typedef {import("./types").Difference} Difference */
/** @typedef {import("./types").Json} Json */
/** @typedef {import("./differing").Segment} Segment */
/** @typedef {import("./differing").AlignedLine} AlignedLine */

/**
 * A row of the table: an expected call, and what each run made of it. `parts` is the position of the call at which the
 * runs part, if one of them made it here; the first such row has the label.
 * @typedef {object} GridRow
 * @property {Call} [expected]
 * @property {number} [expectedIndex]
 * @property {(Row | undefined)[]} sides
 * @property {number} [parts]
 * @property {boolean} [isLabelled]
 */

/**
 * A column of the table: the position of its run, or -1 for the expected calls.
 * @typedef {{label: string, side: number}} Column
 */

/** Rows that are shown at first, and with each press of a button. */
const FIRST_ROWS = 100;
const MORE_ROWS = 300;
/** Rows around a problem that are shown in a long table. */
const CONTEXT_ROWS = 3;
/** Characters of the arguments of a call on one line, and of a call that has no partner. */
const LINE_LENGTH = 160;
const SINGLE_LENGTH = 260;
/** A call with longer arguments can be opened. */
const SHORT_CALL = 56;
/** Arguments, lines of an argument and reasons that are shown at first. */
const MOST_ARGUMENTS = 100;
const MOST_LINES = 300;
const MOST_REASONS_SHOWN = 12;
/** Larger objects and arrays are shown only where they differ. */
const LARGEST_ALIGNED = 30_000;
/** Equal lines in a row that are folded, and those around what differs that are not. */
const FEWEST_FOLDED = 5;
const CONTEXT_LINES = 1;
const LONGEST_TOOL_NAME = 300;

const ROW_KINDS = /** @type {const} */ ({ "!": "forbidden", "~": "incorrect", "-": "missed", "+": "extra", "=": "correct" });

/**
 * The calls of one trial: expected on the left, actual on the right, row by row.
 * @param {{rows: Row[], sides?: "both" | "actual"}} properties `actual` for calls without expected ones
 */
export function Calls({ rows, sides = "both" }) {
  const grid = useMemo(
    () => rows.map((row) => ({ expected: row.expected, expectedIndex: row.expected_index, sides: [row] })),
    [rows],
  );
  return html`<${CallGrid} rows=${grid} labels=${[t("calls.actual")]} hasExpected=${sides === "both"} />`;
}

/**
 * The calls of two runs beside the same expected calls. The first call at which they part is marked.
 * @param {{before: Row[], after: Row[], labels: [string, string], partsAt: number | null}} properties
 */
export function ComparedCalls({ before, after, labels, partsAt }) {
  const grid = useMemo(() => mergedRows(before, after, partsAt), [before, after, partsAt]);
  return html`<${CallGrid} rows=${grid} labels=${labels} hasExpected />`;
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
 * The actual calls of rows, in the order in which they were made.
 * @param {Row[]} rows
 * @returns {Call[]}
 */
export function actualCalls(rows) {
  return rows
    .filter(actualCall)
    .sort((one, other) => (one.actual_index ?? 0) - (other.actual_index ?? 0))
    .map((row) => /** @type {Call} */ (actualCall(row)));
}

/**
 * The position of the first call at which two trials part; null if all their calls are the same.
 * @param {Row[]} before
 * @param {Row[]} after
 * @returns {number | null}
 */
export function partingCall(before, after) {
  const [left, right] = [actualCalls(before), actualCalls(after)];
  const isSame = (/** @type {Call | undefined} */ one, /** @type {Call | undefined} */ other) =>
    one?.name === other?.name && isSameJson(one?.arguments, other?.arguments);
  let at = 0;
  while (at < left.length && at < right.length && isSame(left[at], right[at])) at += 1;
  return at < Math.max(left.length, right.length) ? at : null;
}

/**
 * The rows of two trials as one table: first by the expected calls, then by equal calls between them, then by tools.
 * @param {Row[]} before
 * @param {Row[]} after
 * @param {number | null} partsAt
 * @returns {GridRow[]}
 */
export function mergedRows(before, after, partsAt) {
  /** @type {GridRow[]} */
  const merged = [];
  addAligned(before, after, 0, (one, other) => {
    const { expected, expected_index } = one ?? other ?? {};
    merged.push({ expected, expectedIndex: expected_index, sides: [one, other] });
  });
  if (partsAt === null) return merged;
  const parting = merged.filter((row) => row.sides.some((side) => side?.actual_index === partsAt));
  parting.forEach((row, at) => Object.assign(row, { parts: partsAt, isLabelled: !at }));
  return merged;
}

/**
 * @param {Row[]} before
 * @param {Row[]} after
 * @param {number} level
 * @param {(one: Row | undefined, other: Row | undefined) => void} add
 */
function addAligned(before, after, level, add) {
  if (level > 2 || !before.length || !after.length) {
    for (const row of before) add(row, undefined);
    for (const row of after) add(undefined, row);
    return;
  }
  const left = before.map((row) => alignmentKey(row, level) ?? row);
  const right = after.map((row) => alignmentKey(row, level) ?? row);
  let x = 0;
  let y = 0;
  for (const [one, other] of commonItems(left, right)) {
    addAligned(before.slice(x, one), after.slice(y, other), level + 1, add);
    add(before[one], after[other]);
    x = one + 1;
    y = other + 1;
  }
  addAligned(before.slice(x), after.slice(y), level + 1, add);
}

/**
 * What two rows of different trials have in common to stand beside each other; null if nothing can.
 * @param {Row} row
 * @param {number} level
 */
function alignmentKey({ expected, actual }, level) {
  if (expected) return level ? null : callKey(expected);
  if (!level || !actual) return null;
  return level === 1 ? callKey(actual) : actual.name;
}

/** @param {Call} call */
function callKey({ name, arguments: given }) {
  return shortJson([name, given ?? null], LARGEST_ALIGNED);
}

/** @param {{rows: GridRow[], labels: string[], hasExpected: boolean}} properties */
function CallGrid({ rows, labels, hasExpected }) {
  const { limit, more } = useMore(FIRST_ROWS, MORE_ROWS);
  const [opened, setOpened] = useState(/** @type {Record<number, number>} */ ({}));
  // a row that is there already is not made again
  const nodes = useMemo(() => /** @type {Map<number, unknown>} */ (new Map()), [rows]);
  if (!rows.length) return html`<p class="muted">${t("calls.none")}</p>`;
  const columns = labels.map((label, side) => ({ label, side }));
  if (hasExpected) columns.unshift({ label: t("calls.expected"), side: -1 });
  const parts = visibleParts(rows, opened);
  /** @param {number} at */
  const rowAt = (at) => {
    const node = nodes.get(at) ?? html`<${CallRow} key=${at} row=${rows[at]} columns=${columns} />`;
    nodes.set(at, node);
    return node;
  };
  return html`<div class=${`calls has-${columns.length}-columns`}>
    <div class="call-line calls-head" aria-hidden="true">
      <span></span>${columns.map(({ label }) => html`<span key=${label}>${label}</span>`)}
    </div>
    <ol>
      ${parts.slice(0, limit).map(({ from, to, end }) =>
        end
          ? html`<li key=${-end} class="calls-gap">
              <button type="button" class="link" onClick=${() => setOpened({ ...opened, [end]: (opened[end] ?? 0) + MORE_ROWS })}>
                ${plural("calls.correct_calls", to - from)}
              </button>
            </li>`
          : rowAt(from),
      )}
    </ol>
    ${parts.length > limit && html`<p class="calls-gap">${more(parts.length)}</p>`}
  </div>`;
}

/**
 * Which rows of a long table are shown: problems and what is around them; correct calls between them are a gap.
 * @param {GridRow[]} rows
 * @param {Record<number, number>} opened how many rows of a gap are shown, by where it ends
 * @returns {{from: number, to: number, end: number}[]} a row has no `end`
 */
export function visibleParts(rows, opened) {
  /** @type {{from: number, to: number, end: number}[]} */
  const parts = [];
  const add = (/** @type {number} */ from, /** @type {number} */ to) => {
    for (let at = from; at < to; at += 1) parts.push({ from: at, to: at + 1, end: 0 });
  };
  const isShort = rows.length <= FIRST_ROWS;
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && isQuiet(rows[end])) end += 1;
    const from = isShort ? end : Math.min(at + CONTEXT_ROWS + (opened[end] ?? 0), end);
    const to = end === rows.length ? end : Math.max(end - CONTEXT_ROWS, from);
    add(at, from);
    if (to > from) parts.push({ from, to, end });
    add(to, Math.min(end + 1, rows.length));
    at = end + 1;
  }
  return parts;
}

/** @param {GridRow} row */
function isQuiet({ parts, sides }) {
  return parts === undefined && sides.every((side) => side?.mark === "=" && !side.actual?.failed);
}

/**
 * One row: the calls, the arguments that differ, why, and what the tools returned.
 * @param {{row: GridRow, columns: Column[]}} properties
 */
function CallRow({ row, columns }) {
  const [isOpen, setOpen] = useState(false);
  const compared = useMemo(() => comparedArguments(row), [row]);
  const differing = compared.filter(isDiffering);
  const quiet = compared.filter((argument) => !isDiffering(argument));
  const canOpen = !differing.length && isLongRow(row);
  const isSingle = row.sides.length === 1;
  const marks = row.sides.map((side) => side?.mark);
  const worst = /** @type {(keyof typeof ROW_KINDS)[]} */ (Object.keys(ROW_KINDS)).find((mark) => marks.includes(mark)) ?? "=";
  const toggle = () => setOpen(!isOpen);
  /** @param {(side: Row, at: number) => string[] | undefined} textsOf */
  const texts = (textsOf, /** @type {string} */ kind) =>
    html`<${SideTexts} texts=${row.sides.map((side, at) => (side && textsOf(side, at)) ?? [])} columns=${columns} kind=${kind} />`;
  /** @param {ComparedArgument[]} listed */
  const lines = (listed) => html`<${ArgumentList} arguments=${listed} row=${row} columns=${columns} />`;
  return html`<li class=${`call-row is-${ROW_KINDS[worst]} ${canOpen && !isOpen ? "is-closed" : ""}`}>
    ${row.isLabelled && html`<p class="calls-parting">${t("calls.parting", { number: number((row.parts ?? 0) + 1) })}</p>`}
    <div class="call-line call-heading">
      <span class="call-gutter">
        ${isSingle && html`<${CallMark} mark=${worst} isChecked=${columns.length === 1} />`}
        ${canOpen &&
        html`<button
          type="button"
          class="call-toggle no-print"
          aria-expanded=${isOpen}
          aria-label=${t("calls.arguments")}
          onClick=${toggle}
        ></button>`}
      </span>
      ${columns.map((column) => html`<${HeadingCell} key=${column.side} row=${row} column=${column} isNamed=${isOpen || differing.length > 0} />`)}
    </div>
    ${lines(differing)}
    ${differing.length > 0 && quiet.length > 0 && html`<${QuietArguments} quiet=${quiet} isOpen=${isOpen} onOpen=${toggle} />`}
    ${isOpen && lines(quiet)}
    ${texts((side) => side.differences?.filter((found) => !differing.some(({ name }) => name === found.argument)).map(reasonOf), "call-reason")}
    ${texts((side) => (actualCall(side) && (row.expected || !isSingle || columns.length === 1) ? side.notes : []), "call-note")}
    <${CallResults} row=${row} columns=${columns} />
  </li>`;
}

/** @param {Difference} found */
function reasonOf({ reason }) {
  return reason;
}

/** @param {{mark: keyof typeof ROW_KINDS, isChecked?: boolean}} properties */
function CallMark({ mark, isChecked = false }) {
  const word = t(`calls.${isChecked ? (mark === "=" ? "valid" : "faulty") : ROW_KINDS[mark]}`);
  return html`<span class=${`call-mark is-${ROW_KINDS[mark]}`} title=${word}>
    <span aria-hidden="true">${mark === "-" ? "−" : mark}</span><span class="visually-hidden">${word}</span>
  </span>`;
}

/** @param {GridRow} row */
function isLongRow(row) {
  const calls = [row.expected, ...row.sides.map(actualCall)];
  return calls.some((call) => call?.arguments && shortJson(call.arguments, SHORT_CALL).length > SHORT_CALL);
}

/**
 * A call in its column; in place of a call that is not there, what that means, and why.
 * @param {{row: GridRow, column: Column, isNamed: boolean}} properties
 */
function HeadingCell({ row, column: { label, side }, isNamed }) {
  const isExpected = side < 0;
  const isSingle = row.sides.length === 1;
  const found = row.sides[Math.max(side, 0)];
  const call = isExpected ? row.expected : actualCall(found);
  if (!call) {
    const isBlank = !found || (isExpected && !isSingle);
    return html`<div class="call-cell call-nothing">${!isBlank && html`<${Absence} row=${found} label=${isSingle ? "" : label} />`}</div>`;
  }
  const isRepeated = !isExpected && found?.mark === "=" && !found.actual;
  return html`<div class=${`call-cell ${isRepeated ? "is-repeated" : ""}`}>
    ${!isSingle && !isExpected && found && html`<${CallMark} mark=${found.mark} />`}
    <${CallText}
      call=${call}
      label=${label}
      index=${isExpected ? row.expectedIndex : found?.actual_index}
      isParting=${!isExpected && row.parts !== undefined && found?.actual_index === row.parts}
      isNamed=${isNamed}
      isExpected=${isExpected}
      length=${found?.mark === "=" ? LINE_LENGTH : SINGLE_LENGTH}
    />
  </div>`;
}

/** @param {{row: Row, label: string}} properties */
function Absence({ row: { mark, notes = [] }, label }) {
  const kind = ROW_KINDS[mark];
  return html`<span class="call-label">${label}</span>
    <strong class=${`is-${kind}`}>${t(`calls.${kind}`)}</strong>
    ${notes.map((note, at) => html` <span key=${at}><${Text} value=${note} limit=${2000} /></span>`)}`;
}

/**
 * A call on one line, with its number.
 * @param {object} properties
 * @param {Call} properties.call
 * @param {string} properties.label the side it is on
 * @param {number} [properties.index]
 * @param {boolean} [properties.isParting] whether the runs part at this call
 * @param {boolean} [properties.isNamed] whether its arguments are shown below
 * @param {boolean} [properties.isExpected]
 * @param {number} [properties.length] of its arguments
 */
export function CallText({ call, label, index, isParting, isNamed = false, isExpected = false, length = SINGLE_LENGTH }) {
  const facts = [call.caller, call.kind, call.warning].filter(Boolean);
  const hasBrackets = !isNamed || !call.arguments;
  return html`<span class="call-label">${label}</span>
    <code class="call-text"
      >${index !== undefined && html`<span class=${isParting ? "call-number is-parting" : "call-number"}>${index + 1}</span>`}<span
        ><span class="call-name"><${NameText} name=${call.name} /></span>${
          hasBrackets && html`<span class="muted">(<${Text} value=${argumentsText(call, isExpected, length)} />)</span>`
        }</span
      ></code
    >${facts.map((fact) => html`<span key=${fact} class="call-fact"><${Text} value=${fact} limit=${80} /></span>`)}${
      call.failed && !hasResult(call) && html`<${FailedCall} />`
    }`;
}

/**
 * The name of a tool or an argument; quoted if there is nothing to see.
 * @param {{name: string}} properties
 */
function NameText({ name }) {
  return html`<${Text} value=${name.trim() ? name : `'${name}'`} limit=${LONGEST_TOOL_NAME} />`;
}

/** A call whose result is an error. */
function FailedCall() {
  return html`<span class="call-failed"><span aria-hidden="true">!</span> ${t("calls.failed_call")}</span>`;
}

/**
 * Arguments on one line: `query="AI news", limit=3`.
 * @param {Call} call
 * @param {boolean} isExpected
 * @param {number} limit
 */
function argumentsText(call, isExpected, limit) {
  if (!call.arguments && call.raw === undefined) return isExpected ? t("calls.any_arguments") : "?";
  let text = call.raw ?? "";
  for (const name in call.arguments) {
    if (text.length > limit) break;
    const value = shortJson(call.arguments[name], limit);
    text = `${text && `${text}, `}${call.positional ? value : `${name}=${value}`}`;
  }
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/**
 * The arguments of a row, and whether they are equal on all sides, accepted although they are not, or differ.
 * @typedef {{name: string, kind: "equal" | "accepted" | "differing", differences: Difference[][]}} ComparedArgument
 * @param {GridRow} row
 * @returns {ComparedArgument[]}
 */
function comparedArguments(row) {
  const given = [row.expected, ...row.sides.map(actualCall)].flatMap((call) => (call?.arguments ? [call.arguments] : []));
  const byName = row.sides.map((side) => {
    /** @type {Map<string, Difference[]>} */
    const groups = new Map();
    for (const found of side?.differences ?? []) {
      const group = groups.get(found.argument);
      if (group) group.push(found);
      else groups.set(found.argument, [found]);
    }
    return groups;
  });
  return [...new Set(given.flatMap((each) => Object.keys(each)))].map((name) => {
    const differences = byName.map((groups) => groups.get(name) ?? []);
    if (given.length > 1 && differences.some((each) => each.length)) return { name, kind: "differing", differences };
    const isEqual = given.every((each) => Object.hasOwn(each, name) && isSameJson(each[name], given[0][name]));
    return { name, kind: isEqual ? "equal" : "accepted", differences };
  });
}

/** @param {ComparedArgument} argument */
function isDiffering({ kind }) {
  return kind === "differing";
}

/** @param {{arguments: ComparedArgument[], row: GridRow, columns: Column[]}} properties */
function ArgumentList({ arguments: listed, row, columns }) {
  const { limit, more } = useMore(MOST_ARGUMENTS);
  return html`${listed
    .slice(0, limit)
    .map((argument) => html`<${ArgumentLines} key=${argument.name} argument=${argument} row=${row} columns=${columns} />`)}
  ${listed.length > limit && html`<p class="call-quiet">${more(listed.length)}</p>`}`;
}

/** @param {{quiet: ComparedArgument[], isOpen: boolean, onOpen: () => void}} properties */
function QuietArguments({ quiet, isOpen, onOpen }) {
  const counts = /** @type {const} */ (["equal", "accepted"]).flatMap((kind) => {
    const count = quiet.filter((argument) => argument.kind === kind).length;
    return count ? [plural(`calls.${kind}_arguments`, count)] : [];
  });
  return html`<p class="call-quiet">
    <button type="button" class="link has-arrow" aria-expanded=${isOpen} onClick=${onOpen}>${counts.join(", ")}</button>
  </p>`;
}

/**
 * One argument on all sides, line beside line, with what differs marked, and the reasons below.
 * @param {{argument: ComparedArgument, row: GridRow, columns: Column[]}} properties
 */
function ArgumentLines({ argument, row, columns }) {
  const [isOpen, setOpen] = useState(!isDiffering(argument));
  const { limit, more } = useMore(MOST_LINES);
  const lines = useMemo(() => argumentLines(argument, row), [argument, row]);
  const shown = isOpen ? lines : foldEqualLines(lines);
  const open = () => setOpen(true);
  return html`<div class=${`call-argument is-${argument.kind}`}>
    ${shown.slice(0, limit).map((line, at) =>
      typeof line === "number"
        ? html`<p key=${at} class="call-quiet"><button type="button" class="link" onClick=${open}>${plural("calls.equal_lines", line)}</button></p>`
        : html`<div key=${at} class=${line.same ? "call-line is-same" : "call-line"}>
            <span></span>
            ${columns.map(
              (column) => html`<${ValueCell} key=${column.side} line=${line} row=${row} column=${column} name=${at ? null : argument.name} />`,
            )}
          </div>`,
    )}
    ${shown.length > limit && html`<p class="call-quiet">${more(shown.length)}</p>`}
    ${isDiffering(argument) && html`<${SideTexts} texts=${argument.differences.map((each) => each.map(reasonOf))} columns=${columns} kind="call-reason" />`}
  </div>`;
}

/**
 * A line of an argument on one side; the first one has the name of the argument.
 * @param {{line: AlignedLine, row: GridRow, column: Column, name: string | null}} properties
 */
function ValueCell({ line, row, column: { label, side }, name }) {
  const kind = side < 0 ? "expected" : "actual";
  const segments = side < 0 ? line.expected : line.sides[side];
  const given = (side < 0 ? row.expected : actualCall(row.sides[side]))?.arguments;
  const key = name !== null && html`<span class="call-key"><${NameText} name=${name} /></span>`;
  if (!segments) {
    return html`<div class="call-cell call-value is-blank">${key && given && html`<code>${key} <em>${t(`calls.not_${kind}`)}</em></code>`}</div>`;
  }
  return html`<div class="call-cell call-value">
    ${key && html`<span class="call-label">${label}</span>`}
    <code>${key}${key && " = "}<${Segments} segments=${segments} side=${kind} /></code>
    ${name !== null && isLargeValue(given?.[name]) && html`<${Download} value=${given?.[name]} name=${name} />`}
  </div>`;
}

/** @param {Json | undefined} value */
function isLargeValue(value) {
  if (typeof value === "string") return value.length > LONGEST_SHOWN;
  return typeof value === "object" && shortJson(value, LARGEST_ALIGNED).length > LARGEST_ALIGNED;
}

/**
 * @param {ComparedArgument} argument
 * @param {GridRow} row
 * @returns {AlignedLine[]}
 */
function argumentLines({ name, differences }, row) {
  const values = [row.expected, ...row.sides.map(actualCall)].map((call) =>
    call?.arguments && Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined,
  );
  const isLarge = values.some((value) => typeof value === "object" && isLargeValue(value));
  if (isLarge && differences.some((each) => each.length)) return differingParts(differences);
  const [expected, ...sides] = values.map((value) => {
    if (value === undefined) return [];
    return isLarge ? [shortJson(value, LINE_LENGTH)] : prettyLines(value, columnWidth(row));
  });
  return alignLines(expected, sides);
}

/**
 * Characters that fit into a column.
 * @param {GridRow} row
 */
function columnWidth(row) {
  return row.sides.length > 1 ? 40 : 56;
}

/**
 * Only the parts of large values that differ, each with its path.
 * @param {Difference[][]} differences
 * @returns {AlignedLine[]}
 */
function differingParts(differences) {
  return differences.flatMap((found, at) =>
    found.map(({ path, expected, actual }) => {
      const [left, right] = [expected, actual].map((value) =>
        typeof value === "string" ? JSON.stringify(value) : value === undefined ? "" : shortJson(value, LARGEST_ALIGNED),
      );
      const marked = markDifferences(left, right);
      const start = { text: `… ${path.replace(/^\$\.?/, "")}: `, differs: false };
      return {
        expected: left ? [start, ...marked.expected] : null,
        sides: differences.map((_, side) => (side === at && right ? [start, ...marked.actual] : null)),
        same: false,
      };
    }),
  );
}

/**
 * Lines with a number in place of each long run of equal ones.
 * @param {AlignedLine[]} lines
 * @returns {(AlignedLine | number)[]}
 */
function foldEqualLines(lines) {
  /** @type {(AlignedLine | number)[]} */
  const folded = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && lines[end].same) end += 1;
    const start = at + CONTEXT_LINES;
    const stop = end - CONTEXT_LINES;
    if (stop - start >= FEWEST_FOLDED) folded.push(...lines.slice(at, start), stop - start, ...lines.slice(stop, end + 1));
    else folded.push(...lines.slice(at, end + 1));
    at = end + 1;
  }
  return folded;
}

/**
 * Sentences below the runs that they are about.
 * @param {{texts: string[][], columns: Column[], kind: string}} properties
 */
function SideTexts({ texts, columns, kind }) {
  const { limit, more } = useMore(MOST_REASONS_SHOWN);
  if (!texts.some((each) => each.length)) return null;
  return sideLine(columns, "call-texts", (side) => {
    const each = texts[side];
    if (!each.length) return null;
    return html`<ul class=${kind}>
      ${each.slice(0, limit).map((text, at) => html`<li key=${at}><${Text} value=${text} limit=${2000} /></li>`)}
      ${each.length > limit && html`<li>${more(each.length)}</li>`}
    </ul>`;
  });
}

/**
 * @param {Column[]} columns
 * @param {string} kind
 * @param {(side: number) => unknown} cell
 */
function sideLine(columns, kind, cell) {
  return html`<div class=${`call-line ${kind}`}>
    <span></span>
    ${columns.map(({ side }) => html`<div key=${side} class="call-cell">${side >= 0 && cell(side)}</div>`)}
  </div>`;
}

/** @param {Call | undefined} call */
function hasResult(call) {
  return call?.result !== undefined && call.result !== null;
}

/**
 * What the tools returned: folded, unless it is an error.
 * @param {{row: GridRow, columns: Column[]}} properties
 */
function CallResults({ row, columns }) {
  const calls = row.sides.map(actualCall);
  if (!calls.some(hasResult)) return null;
  return sideLine(columns, "call-results", (side) => {
    const call = calls[side];
    if (!call || !hasResult(call)) return null;
    const result = /** @type {Json} */ (call.result);
    const preview = typeof result === "string" ? result.slice(0, 80) : shortJson(result, 80);
    const label = call.failed
      ? html`<${FailedCall} />`
      : html`${t("calls.result")} <span class="mono"><${Text} value=${preview} /></span>`;
    const show = () => html`<${ValueView} value=${readableResult(result)} name=${`${call.name}-result`} />`;
    return html`<${Fold} label=${label} open=${call.failed === true} kind="call-result" show=${show} />`;
  });
}

/**
 * A result that is the text of a JSON object or array is easier to read as such.
 * @param {Json} result
 * @returns {Json}
 */
function readableResult(result) {
  if (typeof result !== "string" || !/^\s*[[{]/.test(result) || result.length > LARGEST_ALIGNED) return result;
  try {
    return parseJson(result);
  } catch {
    return result;
  }
}
