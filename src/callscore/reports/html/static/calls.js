/** Calls beside the calls that were expected: of one run, or of two runs that are compared. */

import { parseJson } from "./data.js";
import { alignLines, commonItems, markDifferences } from "./differing.js";
import { Text } from "./text.js";
import { Download, Fold, LONGEST_SHOWN, Segments, ValueView, isSameJson, prettyLines, shortJson } from "./values.js";
import { html, useMemo, useState } from "./vendor/preact-htm.js";
import { plural, t } from "./words.js";

/** @typedef {import("./types").Call} Call */
/** @typedef {import("./types").Row} Row */
/** @typedef {import("./types").Difference} Difference */
/** @typedef {import("./types").Json} Json */
/** @typedef {import("./differing").Segment} Segment */

/**
 * A row of the table: an expected call, and what each run made of it.
 * @typedef {{expected?: Call, expectedIndex?: number, sides: (Row | undefined)[], parts?: boolean}} GridRow
 */

/**
 * How the table is divided: the names of its columns, and whether the first one is for expected calls.
 * @typedef {{labels: string[], hasExpected: boolean}} Columns
 */

/** Rows that are shown at first, and with each press of a button. */
const FIRST_ROWS = 100;
const MORE_ROWS = 300;
/** Rows around a problem that are shown in a long table. */
const CONTEXT_ROWS = 3;
/** Characters of a call on one line, and of one that has no partner. */
const LINE_LENGTH = 160;
const SINGLE_LENGTH = 260;
/** A call that is longer can be opened. */
const SHORT_CALL = 56;
/** Arguments of a call, and reasons below an argument, that are shown at once. */
const MOST_ARGUMENTS = 100;
const MOST_REASONS_SHOWN = 12;
/** Larger objects and arrays are shown only where they differ. */
const LARGEST_ALIGNED = 30_000;
/** Equal lines in a row that are folded. */
const FEWEST_FOLDED = 5;
const CONTEXT_LINES = 1;
const MOST_LINES = 300;

const ROW_KINDS = /** @type {const} */ ({ "=": "correct", "~": "incorrect", "-": "missed", "+": "extra", "!": "forbidden" });

/**
 * The calls of one trial: expected on the left, actual on the right, row by row.
 * @param {{rows: Row[], sides?: "both" | "actual"}} properties `actual` for calls without expected ones
 */
export function Calls({ rows, sides = "both" }) {
  const grid = useMemo(() => rows.map(gridRow), [rows]);
  const columns = { hasExpected: sides === "both", labels: [t("calls.actual")] };
  return html`<${CallGrid} rows=${grid} columns=${columns} />`;
}

/**
 * @param {Row} row
 * @returns {GridRow}
 */
function gridRow(row) {
  return { expected: row.expected, expectedIndex: row.expected_index, sides: [row] };
}

/**
 * The calls of two runs beside the same expected calls. The first call at which they part is marked.
 * @param {{before: Row[], after: Row[], labels: [string, string], partsAt: number | null}} properties
 */
export function ComparedCalls({ before, after, labels, partsAt }) {
  const grid = useMemo(() => mergedRows(before, after, partsAt), [before, after, partsAt]);
  return html`<${CallGrid} rows=${grid} columns=${{ hasExpected: true, labels }} />`;
}

/**
 * The actual call of a row: a correct one may be written only once.
 * @param {Row | undefined} row
 * @returns {Call | undefined}
 */
export function actualCall(row) {
  return row?.actual ?? (row?.mark === "=" ? row.expected : undefined);
}

/**
 * The actual calls of rows, in the order in which they were made.
 * @param {Row[]} rows
 * @returns {Call[]}
 */
export function actualCalls(rows) {
  /** @type {[number, Call][]} */
  const found = [];
  rows.forEach((row, at) => {
    const call = actualCall(row);
    if (call) found.push([row.actual_index ?? at, call]);
  });
  return found.sort((one, other) => one[0] - other[0]).map(([, call]) => call);
}

/**
 * The position of the first call at which two trials part; null if all their calls are the same.
 * @param {Row[]} before
 * @param {Row[]} after
 * @returns {number | null}
 */
export function partingCall(before, after) {
  const [left, right] = [actualCalls(before), actualCalls(after)];
  const longer = Math.max(left.length, right.length);
  for (let at = 0; at < longer; at += 1) {
    const [one, other] = [left[at], right[at]];
    if (!one || !other || one.name !== other.name || !isSameJson(one.arguments, other.arguments)) return at;
  }
  return null;
}

/**
 * The rows of two trials as one table: first by the expected calls, then by equal calls between them, then by tools.
 * @param {Row[]} before
 * @param {Row[]} after
 * @param {number | null} partsAt
 * @returns {GridRow[]}
 */
function mergedRows(before, after, partsAt) {
  /** @type {GridRow[]} */
  const merged = [];
  const add = (/** @type {Row | undefined} */ one, /** @type {Row | undefined} */ other) => {
    const { expected, expected_index } = one ?? other ?? {};
    merged.push({ expected, expectedIndex: expected_index, sides: [one, other] });
  };
  addAligned(before, after, 0, add);
  const parting = merged.find((row) => row.sides.some((side) => side && side.actual_index === partsAt));
  if (parting && partsAt !== null) parting.parts = true;
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
  const left = before.map((row, at) => alignmentKey(row, level) ?? `before ${at}`);
  const right = after.map((row, at) => alignmentKey(row, level) ?? `after ${at}`);
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
function alignmentKey(row, level) {
  if (row.expected) return level ? null : callKey(row.expected);
  if (!level || !row.actual) return null;
  return level === 1 ? callKey(row.actual) : row.actual.name;
}

/** @param {Call} call */
function callKey({ name, arguments: given }) {
  return shortJson([name, given ?? null], LARGEST_ALIGNED);
}

/** @param {{rows: GridRow[], columns: Columns}} properties */
function CallGrid({ rows, columns }) {
  const [limit, setLimit] = useState(FIRST_ROWS);
  const [opened, setOpened] = useState(/** @type {Record<number, number>} */ ({}));
  if (!rows.length) return html`<p class="muted">${t("calls.none")}</p>`;
  const parts = visibleParts(rows, opened);
  const shown = parts.slice(0, limit);
  const rest = parts.slice(limit).reduce((sum, { from, to }) => sum + to - from, 0);
  const open = (/** @type {number} */ end) => setOpened({ ...opened, [end]: (opened[end] ?? 0) + MORE_ROWS });
  const count = columns.labels.length + Number(columns.hasExpected);
  return html`<div class=${`calls has-${count}-columns`}>
    <div class="call-line calls-head" aria-hidden="true">
      <span class="call-gutter"></span>
      ${columns.hasExpected && html`<span class="call-cell">${t("calls.expected")}</span>`}
      ${columns.labels.map((label, at) => html`<span key=${at} class="call-cell"><${Text} value=${label} /></span>`)}
    </div>
    <ol class="calls-list">
      ${shown.map(({ from, to, isGap, end }) =>
        isGap
          ? html`<li key=${`gap ${end}`} class="calls-gap">
              <button type="button" class="link" onClick=${() => open(end)}>${plural("calls.correct_calls", to - from)}</button>
            </li>`
          : html`<${CallRow} key=${from} row=${rows[from]} columns=${columns} />`,
      )}
    </ol>
    ${rest > 0 &&
    html`<button type="button" class="button calls-more no-print" onClick=${() => setLimit(limit + MORE_ROWS)}>
      ${plural("calls.more_calls", rest)}
    </button>`}
  </div>`;
}

/**
 * Which rows of a long table are shown: problems and what is around them; correct calls between them are folded.
 * @param {GridRow[]} rows
 * @param {Record<number, number>} opened how many rows of a gap are shown, by where it ends
 * @returns {{from: number, to: number, isGap: boolean, end: number}[]}
 */
function visibleParts(rows, opened) {
  /** @type {{from: number, to: number, isGap: boolean, end: number}[]} */
  const parts = [];
  const add = (/** @type {number} */ from, /** @type {number} */ to) => {
    for (let at = from; at < to; at += 1) parts.push({ from: at, to: at + 1, isGap: false, end: 0 });
  };
  if (rows.length <= FIRST_ROWS) {
    add(0, rows.length);
    return parts;
  }
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && isQuiet(rows[end])) end += 1;
    const from = Math.min(at + CONTEXT_ROWS + (opened[end] ?? 0), end);
    const to = end === rows.length ? end : Math.max(end - CONTEXT_ROWS, from);
    add(at, from);
    if (to > from) parts.push({ from, to, isGap: true, end });
    add(to, Math.min(end + 1, rows.length));
    at = end + 1;
  }
  return parts;
}

/** @param {GridRow} row */
function isQuiet(row) {
  return !row.parts && row.sides.every((side) => side?.mark === "=" && !actualCall(side)?.failed);
}

/**
 * One row: the calls, the arguments that differ, why, and what the tools returned.
 * @param {{row: GridRow, columns: Columns}} properties
 */
function CallRow({ row, columns }) {
  const [isOpen, setOpen] = useState(false);
  const marks = row.sides.map((side) => side?.mark);
  const kind = kindOf(marks, columns);
  const compared = useMemo(() => comparedArguments(row), [row]);
  const hasDifferences = compared.some(({ kind: found }) => found === "differing");
  const isListed = isOpen || hasDifferences;
  const quiet = hasDifferences ? compared.filter(({ kind: found }) => found !== "differing") : compared;
  const canOpen = quiet.length > 0 && !hasDifferences && isLongRow(row);
  const toggle = () => setOpen(!isOpen);
  const isSingle = columns.labels.length === 1;
  return html`<li class=${`call-row is-${kind}`}>
    ${row.parts && html`<p class="calls-parting"><span>${t("calls.parting")}</span></p>`}
    <div class="call-line call-heading">
      <span class="call-gutter">
        ${isSingle && html`<${CallMark} mark=${marks[0]} word=${kindWord(kind, columns)} />`}
        ${canOpen &&
        html`<button
          type="button"
          class="call-toggle no-print"
          aria-expanded=${isOpen}
          aria-label=${t(isOpen ? "calls.close" : "calls.open", { name: toolNameOf(row) })}
          onClick=${toggle}
        ></button>`}
      </span>
      ${columns.hasExpected && html`<${ExpectedCell} row=${row} isNamed=${isListed} isSingle=${isSingle} />`}
      ${row.sides.map(
        (side, at) =>
          html`<${SideCell} key=${at} side=${side} label=${columns.labels[at]} isNamed=${isListed} isMarked=${!isSingle} />`,
      )}
    </div>
    ${hasDifferences &&
    compared
      .filter(({ kind: found }) => found === "differing")
      .slice(0, MOST_ARGUMENTS)
      .map((argument) => html`<${ArgumentLines} key=${argument.name} argument=${argument} row=${row} columns=${columns} />`)}
    ${hasDifferences && quiet.length > 0 && html`<${QuietArguments} arguments=${quiet} isOpen=${isOpen} onOpen=${toggle} />`}
    ${isOpen &&
    quiet
      .slice(0, MOST_ARGUMENTS)
      .map((argument) => html`<${ArgumentLines} key=${argument.name} argument=${argument} row=${row} columns=${columns} />`)}
    ${isOpen && quiet.length > MOST_ARGUMENTS && html`<p class="call-note muted">${plural("calls.more_arguments", quiet.length - MOST_ARGUMENTS)}</p>`}
    <${ReasonLine} row=${row} columns=${columns} of=${(/** @type {Difference} */ found) => !isAbout(found, compared)} />
    <${NoteLine} row=${row} columns=${columns} />
    <${ResultLine} row=${row} columns=${columns} />
  </li>`;
}

/**
 * The kind of a row: the worst of its sides.
 * @param {(string | undefined)[]} marks
 * @param {Columns} columns
 */
function kindOf(marks, columns) {
  const worst = /** @type {const} */ (["!", "~", "-", "+"]).find((mark) => marks.includes(mark)) ?? "=";
  return worst === "!" && !columns.hasExpected ? "faulty" : ROW_KINDS[worst];
}

/**
 * @param {string} kind
 * @param {Columns} columns
 */
function kindWord(kind, columns) {
  return !columns.hasExpected && kind === "correct" ? t("calls.valid") : t(`calls.${kind}`);
}

/** @param {{mark: string | undefined, word: string}} properties */
function CallMark({ mark, word }) {
  return html`<span class="call-mark" title=${word}>
    <span aria-hidden="true">${mark === "-" ? "−" : mark}</span><span class="visually-hidden">${word}</span>
  </span>`;
}

/** @param {GridRow} row */
function toolNameOf(row) {
  const call = row.expected ?? row.sides.map(actualCall).find(Boolean);
  return shortJson(call?.name ?? "", 80);
}

/** @param {GridRow} row */
function isLongRow(row) {
  const calls = [row.expected, ...row.sides.map(actualCall)];
  return calls.some((call) => call?.arguments && shortJson(call.arguments, SHORT_CALL).length > SHORT_CALL);
}

/** @param {{row: GridRow, isNamed: boolean, isSingle: boolean}} properties */
function ExpectedCell({ row, isNamed, isSingle }) {
  const side = row.sides[0];
  if (!row.expected) {
    if (!isSingle) return html`<div class="call-cell call-nothing"><span>${t("calls.not_expected")}</span></div>`;
    return html`<div class="call-cell call-nothing"><${Absence} kind=${side?.mark === "!" ? "forbidden" : "extra"} notes=${side?.notes} /></div>`;
  }
  const length = isSingle && side?.mark === "-" ? SINGLE_LENGTH : LINE_LENGTH;
  return html`<div class="call-cell">
    <${CallText} call=${row.expected} label=${t("calls.expected")} index=${row.expectedIndex} isNamed=${isNamed} isExpected length=${length} />
  </div>`;
}

/** @param {{side: Row | undefined, label: string, isNamed: boolean, isMarked: boolean}} properties */
function SideCell({ side, label, isNamed, isMarked }) {
  if (!side) return html`<div class="call-cell"></div>`;
  const call = actualCall(side);
  const kind = ROW_KINDS[side.mark];
  if (!call) {
    return html`<div class="call-cell call-nothing">
      <span class="call-label">${label}</span><${Absence} kind=${kind} notes=${side.notes} />
    </div>`;
  }
  const isRepeated = side.mark === "=" && !side.actual;
  return html`<div class=${`call-cell is-actual ${isRepeated ? "is-repeated" : ""} ${isMarked ? `is-${kind}` : ""}`}>
    ${isMarked && html`<${CallMark} mark=${side.mark} word=${t(`calls.${kind}`)} />`}
    <${CallText}
      call=${call}
      label=${label}
      index=${side.actual_index}
      isNamed=${isNamed}
      length=${side.mark === "=" ? LINE_LENGTH : SINGLE_LENGTH}
    />
  </div>`;
}

/**
 * In place of a call that is not there: what that means, and why.
 * @param {{kind: string, notes?: string[]}} properties
 */
function Absence({ kind, notes = [] }) {
  return html`<p class="call-absence">
    <strong>${t(`calls.${kind}`)}</strong>
    ${notes.map((note, at) => html`<span key=${at}><${Text} value=${note} /></span>`)}
  </p>`;
}

/**
 * A call on one line, with its number.
 * @param {object} properties
 * @param {Call} properties.call
 * @param {string} properties.label the side it is on
 * @param {number} [properties.index]
 * @param {boolean} [properties.isNamed] whether its arguments are shown below
 * @param {boolean} [properties.isExpected]
 * @param {number} [properties.length] of its arguments
 */
export function CallText({ call, label, index, isNamed = false, isExpected = false, length = SINGLE_LENGTH }) {
  const isWhole = isNamed && call.arguments !== undefined;
  const facts = [call.caller, call.kind, call.warning].filter((fact) => fact !== undefined);
  const isFailed = call.failed && (call.result === undefined || call.result === null);
  return html`<span class="call-label">${label}</span>
    <code class="call-text"
      >${index !== undefined && html`<span class="call-number">${index + 1}</span>`}<span
        ><span class="call-name"><${Text} value=${call.name || "''"} limit=${300} /></span>${
          !isWhole && html`<span class="call-brackets">(<${Text} value=${argumentsText(call, isExpected, length)} />)</span>`
        }</span
      ></code
    >${facts.map((fact) => html`<span key=${fact} class="call-fact"><${Text} value=${String(fact)} limit=${80} /></span>`)}${isFailed && html`<${FailedCall} />`}`;
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
  if (call.raw !== undefined) return call.raw.length > limit ? `${call.raw.slice(0, limit)}…` : call.raw;
  if (!call.arguments) return isExpected ? t("calls.any_arguments") : "?";
  let text = "";
  for (const name in call.arguments) {
    if (text.length > limit) break;
    const before = text ? `${text}, ` : "";
    text = `${before}${call.positional ? "" : `${name}=`}${shortJson(call.arguments[name], limit)}`;
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
  const calls = row.sides.map(actualCall);
  const given = [row.expected, ...calls].flatMap((call) => (call?.arguments ? [call.arguments] : []));
  const isPaired = row.expected?.arguments && calls.some((call) => call?.arguments);
  const names = new Set(given.flatMap((each) => Object.keys(each)));
  const differences = row.sides.map(differencesByArgument);
  return [...names].map((name) => {
    const found = differences.map((each) => each.get(name) ?? []);
    if (isPaired && found.some((each) => each.length)) return { name, kind: "differing", differences: found };
    const isEqual = given.every((each) => Object.hasOwn(each, name) && isSameJson(each[name], given[0][name]));
    return { name, kind: isEqual ? "equal" : "accepted", differences: found };
  });
}

/** @param {Row | undefined} side */
function differencesByArgument(side) {
  /** @type {Map<string, Difference[]>} */
  const groups = new Map();
  for (const found of side?.differences ?? []) groups.set(found.argument, [...(groups.get(found.argument) ?? []), found]);
  return groups;
}

/**
 * Whether a difference is shown with an argument.
 * @param {Difference} found
 * @param {ComparedArgument[]} compared
 */
function isAbout(found, compared) {
  return compared.some(({ name, kind }) => kind === "differing" && name === found.argument);
}

/** @param {{arguments: ComparedArgument[], isOpen: boolean, onOpen: () => void}} properties */
function QuietArguments({ arguments: quiet, isOpen, onOpen }) {
  const equal = quiet.filter(({ kind }) => kind === "equal").length;
  const accepted = quiet.length - equal;
  return html`<p class="call-quiet">
    <button type="button" class="link has-arrow" aria-expanded=${isOpen} onClick=${onOpen}>
      ${equal > 0 && plural("calls.equal_arguments", equal)}${equal > 0 && accepted > 0 ? ", " : null}${accepted > 0 &&
      plural("calls.accepted_arguments", accepted)}
    </button>
  </p>`;
}

/**
 * One argument on all sides, line beside line, with what differs marked, and the reasons below.
 * @param {{argument: ComparedArgument, row: GridRow, columns: Columns}} properties
 */
function ArgumentLines({ argument, row, columns }) {
  const [isOpen, setOpen] = useState(false);
  const { name, kind } = argument;
  const lines = useMemo(() => argumentLines(argument, row), [argument, row]);
  const folded = isOpen ? lines.slice(0, 10 * MOST_LINES) : foldEqualLines(lines).slice(0, MOST_LINES);
  const calls = [...(columns.hasExpected ? [row.expected] : []), ...row.sides.map(actualCall)];
  const labels = [...(columns.hasExpected ? [t("calls.expected")] : []), ...columns.labels];
  return html`<div class=${`call-argument is-${kind}`}>
    ${folded.map((line, at) =>
      typeof line === "number"
        ? html`<p key=${at} class="call-quiet">
            <button type="button" class="link" onClick=${() => setOpen(true)}>${plural("calls.equal_lines", line)}</button>
          </p>`
        : html`<div key=${at} class=${line.same ? "call-line is-same" : "call-line"}>
            <span class="call-gutter"></span>
            ${calls.map((call, column) => {
              const segments = columns.hasExpected && column === 0 ? line.expected : line.sides[column - Number(columns.hasExpected)];
              const side = columns.hasExpected && column === 0 ? "expected" : "actual";
              return html`<div key=${column} class=${`call-cell call-value is-${side} ${segments ? "" : "is-blank"}`}>
                ${at === 0 && call && html`<span class="call-label">${labels[column]}</span>`}
                ${segments && html`<code>${at === 0 && html`<span class="call-key"><${Text} value=${name} limit=${300} /></span>`}<${Segments} segments=${segments} side=${side} /></code>`}
                ${at === 0 && !segments && call && html`<span class="call-not-given">${absentArgument(argument, side)}</span>`}
                ${at === 0 && segments && html`<${LargeArgument} value=${call?.arguments?.[name]} name=${name} />`}
              </div>`;
            })}
          </div>`,
    )}
    <${ReasonLine} row=${row} columns=${columns} of=${(/** @type {Difference} */ found) => kind === "differing" && found.argument === name} />
  </div>`;
}

/**
 * @param {ComparedArgument} argument
 * @param {string} side
 */
function absentArgument(argument, side) {
  return html`<code><span class="call-key"><${Text} value=${argument.name} limit=${300} /></span></code>
    ${t(side === "expected" ? "calls.argument_not_expected" : "calls.argument_not_given")}`;
}

/** @param {{value: Json | undefined, name: string}} properties */
function LargeArgument({ value, name }) {
  const isLarge = typeof value === "string" ? value.length > LONGEST_SHOWN : shortJson(value, LARGEST_ALIGNED).length > LARGEST_ALIGNED;
  return isLarge ? html` <${Download} value=${value} name=${name} />` : null;
}

/**
 * @param {ComparedArgument} argument
 * @param {GridRow} row
 * @returns {import("./differing").AlignedLine[]}
 */
function argumentLines({ name, kind, differences }, row) {
  const width = row.sides.length > 1 ? 40 : 56;
  const expected = ownValue(row.expected, name);
  const sides = row.sides.map((side) => ownValue(actualCall(side), name));
  const all = [expected, ...sides];
  if (all.some((value) => typeof value === "object" && value && shortJson(value, LARGEST_ALIGNED).length > LARGEST_ALIGNED)) {
    return differences.some((each) => each.length) ? differingParts(differences) : [cutLine(all)];
  }
  const texts = all.map((value) => (value === undefined ? null : prettyLines(value, width)));
  const [left, ...others] = texts;
  const isOther = kind !== "differing" || differences.some((each) => each.some((found) => isWhole(found, name)));
  if (left && !isOther) return alignLines(left, others.map((lines) => lines ?? []));
  return besideEachOther(texts, (at) => kind === "differing" && Boolean(differences[at - 1]?.length || (!at && differences.length === 1)));
}

/**
 * Whether a value is not to be compared with another one: there is none, or a rule stands in its place.
 * @param {Difference} found
 * @param {string} name
 */
function isWhole(found, name) {
  const isAll = found.path === `$.${name}` || !found.path.startsWith(`$.${name}`);
  return isAll && ["missing", "unexpected", "matcher", "malformed"].includes(found.kind);
}

/**
 * @param {Call | undefined} call
 * @param {string} name
 */
function ownValue(call, name) {
  return call?.arguments && Object.hasOwn(call.arguments, name) ? call.arguments[name] : undefined;
}

/**
 * Lines of values that are not compared; those of a side that differs are marked.
 * @param {(string[] | null)[]} texts
 * @param {(at: number) => boolean} isMarked
 * @returns {import("./differing").AlignedLine[]}
 */
function besideEachOther(texts, isMarked) {
  const count = Math.max(...texts.map((lines) => lines?.length ?? 0));
  return Array.from({ length: count }, (_, line) => {
    const [expected, ...sides] = texts.map((lines, at) =>
      lines?.[line] === undefined ? null : [{ text: lines[line], differs: isMarked(at) }],
    );
    return { expected, sides, same: sides.every((side) => side?.[0].text === expected?.[0].text) };
  });
}

/**
 * Only the parts of large values that differ, each with its path.
 * @param {Difference[][]} differences
 * @returns {import("./differing").AlignedLine[]}
 */
function differingParts(differences) {
  return differences.flatMap((found, at) =>
    found.slice(0, MOST_REASONS_SHOWN).map((difference) => {
      const { path } = difference;
      const [expected, actual] = [partText(difference.expected), partText(difference.actual)];
      const marked = markDifferences(expected ?? "", actual ?? "");
      const withPath = (/** @type {Segment[]} */ segments) => [{ text: ` … ${path.replace(/^\$\.?/, "")}: `, differs: false }, ...segments];
      /** @type {(Segment[] | null)[]} */
      const sides = differences.map(() => null);
      sides[at] = actual === null ? null : withPath(marked.actual);
      return { expected: expected === null ? null : withPath(marked.expected), sides, same: false };
    }),
  );
}

/** @param {Json | undefined} value */
function partText(value) {
  if (value === undefined) return null;
  return typeof value === "string" ? JSON.stringify(value) : shortJson(value, LARGEST_ALIGNED);
}

/**
 * @param {(Json | undefined)[]} values
 * @returns {import("./differing").AlignedLine}
 */
function cutLine(values) {
  const [expected, ...sides] = values.map((value) =>
    value === undefined ? null : [{ text: shortJson(value, LINE_LENGTH), differs: false }],
  );
  return { expected, sides, same: true };
}

/**
 * Lines with a number in place of each long run of equal ones.
 * @param {import("./differing").AlignedLine[]} lines
 * @returns {(import("./differing").AlignedLine | number)[]}
 */
function foldEqualLines(lines) {
  /** @type {(import("./differing").AlignedLine | number)[]} */
  const folded = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && lines[end].same) end += 1;
    const start = at + CONTEXT_LINES;
    const stop = end - CONTEXT_LINES;
    if (stop - start >= FEWEST_FOLDED) folded.push(...lines.slice(at, start), stop - start, ...lines.slice(stop, end));
    else folded.push(...lines.slice(at, end));
    if (end < lines.length) folded.push(lines[end]);
    at = end + 1;
  }
  return folded;
}

/**
 * Why points are lost: below both columns, or below the run that lost them.
 * @param {{row: GridRow, columns: Columns, of: (found: Difference) => boolean}} properties
 */
function ReasonLine({ row, columns, of }) {
  const reasons = row.sides.map((side) => (side?.differences ?? []).filter(of).map(({ reason }) => reason));
  return html`<${TextsBySide} texts=${reasons} columns=${columns} kind="call-reason" />`;
}

/** @param {{row: GridRow, columns: Columns}} properties */
function NoteLine({ row, columns }) {
  const isShown = (/** @type {Row | undefined} */ side) => actualCall(side) && (row.expected || columns.labels.length > 1 || !columns.hasExpected);
  const notes = row.sides.map((side) => (isShown(side) ? side?.notes ?? [] : []));
  return html`<${TextsBySide} texts=${notes} columns=${columns} kind="call-note" />`;
}

/** @param {{texts: string[][], columns: Columns, kind: string}} properties */
function TextsBySide({ texts, columns, kind }) {
  const [isOpen, setOpen] = useState(false);
  if (!texts.some((each) => each.length)) return null;
  const list = (/** @type {string[]} */ each) => html`<ul class=${kind}>
    ${each.slice(0, isOpen ? 500 : MOST_REASONS_SHOWN).map((text, at) => html`<li key=${at}><${Text} value=${text} limit=${2000} /></li>`)}
    ${each.length > MOST_REASONS_SHOWN &&
    !isOpen &&
    html`<li><button type="button" class="link" onClick=${() => setOpen(true)}>${plural("calls.more_reasons", each.length - MOST_REASONS_SHOWN)}</button></li>`}
  </ul>`;
  if (texts.length === 1) return list(texts[0]);
  return html`<div class="call-line">
    <span class="call-gutter"></span>
    ${columns.hasExpected && html`<div class="call-cell"></div>`}
    ${texts.map((each, at) => html`<div key=${at} class="call-cell">${each.length > 0 && list(each)}</div>`)}
  </div>`;
}

/** @param {{row: GridRow, columns: Columns}} properties */
function ResultLine({ row, columns }) {
  const calls = row.sides.map(actualCall);
  if (!calls.some((call) => call?.result !== undefined && call.result !== null)) return null;
  return html`<div class="call-line call-results">
    <span class="call-gutter"></span>
    ${columns.hasExpected && html`<div class="call-cell"></div>`}
    ${calls.map((call, at) => html`<div key=${at} class="call-cell">${call && html`<${CallResult} call=${call} />`}</div>`)}
  </div>`;
}

/**
 * What the tool returned: folded, unless it is an error.
 * @param {{call: Call}} properties
 */
function CallResult({ call }) {
  const { failed: isFailed = false, result } = call;
  if (result === undefined || result === null) return null;
  const preview = typeof result === "string" ? result.slice(0, 80) : shortJson(result, 80);
  const label = isFailed
    ? html`<${FailedCall} />`
    : html`${t("calls.result")} <span class="call-preview"><${Text} value=${preview} /></span>`;
  const show = () => html`<${ValueView} value=${readableResult(result)} name=${`${call.name}-result`} />`;
  return html`<${Fold} label=${label} open=${isFailed} kind="call-result" show=${show} />`;
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
