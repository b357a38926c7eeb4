/**
 * The list of cases. Only the rows that can be seen are in the document, so it has any number of them. All rows have
 * the same height, as in `report.css`.
 */

import { CHANGES, ChangeMark, STATUSES, StatusMark } from "./marks.js";
import { Reasons } from "./reasons.js";
import { Text } from "./text.js";
import { html, useLayoutEffect, useRef, useState } from "./vendor/preact-htm.js";
import { number, percent, t } from "./words.js";

/** Pixels of a row. */
const ROW_HEIGHT = 60;

/** Rows beyond the visible ones, above and below. */
const SPARE_ROWS = 6;

/** Rows of a list: browsers draw no element higher than about 33 million pixels. */
export const MOST_ROWS = 500_000;

/** Characters of an id or an input in a row. */
const LONGEST_ID = 300;

/**
 * The lines of the list: a row is its number, and a trial of an unfolded row is `trialEntry` of its item.
 * @typedef {object} Entries
 * @property {Int32Array} entries
 * @property {Int32Array | null} places of the row or trial among its like, from 1; null if no row is unfolded
 */

/**
 * The line of a trial.
 * @param {number} item
 */
export function trialEntry(item) {
  return -item - 1;
}

/**
 * All lines of the list.
 * @param {import("./selection").Prepared} prepared
 * @param {import("./selection").Found} found
 * @param {Set<number>} unfolded rows
 * @returns {Entries}
 */
export function entriesOf({ itemsOf }, found, unfolded) {
  const rows = found.rows.subarray(0, MOST_ROWS);
  if (!unfolded.size) return { entries: rows, places: null };
  const { start, at } = itemsOf;
  /** @type {number[]} */
  const entries = [];
  /** @type {number[]} */
  const places = [];
  rows.forEach((row, place) => {
    entries.push(row);
    places.push(place + 1);
    if (!unfolded.has(row)) return;
    for (let next = start[row]; next < start[row + 1]; next += 1) {
      entries.push(trialEntry(at[next]));
      places.push(next - start[row] + 1);
    }
  });
  return { entries: Int32Array.from(entries), places: Int32Array.from(places) };
}

/**
 * The item that a line opens: the trial; of a row the first one that matches, and did not pass if there is one.
 * @param {import("./selection").Prepared} prepared
 * @param {import("./selection").Found} found
 * @param {number} entry
 */
export function itemOfEntry({ itemsOf: { start, at }, status }, found, entry) {
  if (entry < 0) return -entry - 1;
  let first = -1;
  for (let next = start[entry]; next < start[entry + 1]; next += 1) {
    if (!found.matches[at[next]]) continue;
    if (status[at[next]] !== 0) return at[next];
    if (first < 0) first = at[next];
  }
  return first < 0 ? at[start[entry]] : first;
}

/**
 * The list itself.
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./selection").Found} properties.found
 * @param {Entries} properties.lines
 * @param {Set<number>} properties.unfolded
 * @param {number} properties.current position of the current line, or -1
 * @param {(entry: number) => void} properties.onOpen
 * @param {(row: number) => void} properties.onFold
 * @param {(event: KeyboardEvent) => void} properties.onKeyDown
 */
export function CaseList({ prepared, found, lines, unfolded, current, onOpen, onFold, onKeyDown }) {
  const { entries } = lines;
  const [list, range] = useVisibleRows(entries.length);
  useLayoutEffect(() => showRow(list.current, current), [current, entries]);
  const shown = [];
  for (let at = range.first; at < Math.min(range.last, entries.length); at += 1) shown.push(at);
  if (current >= 0 && (current < range.first || current >= range.last)) shown.push(current); // the one with the focus
  const row = (/** @type {number} */ at) =>
    html`<${CaseRow}
      key=${entries[at]}
      ...${{ prepared, found, lines, at, onOpen, onFold }}
      isUnfolded=${unfolded.has(entries[at])}
      isCurrent=${at === current}
    />`;
  return html`<div
    ref=${list}
    id="case-list"
    class="case-list"
    role=${prepared.hasTrials ? "tree" : "listbox"}
    aria-label=${t("list.title")}
    tabindex="0"
    aria-activedescendant=${current < 0 ? null : `case-row-${entries[current]}`}
    onKeyDown=${onKeyDown}
  >
    <div role="presentation" class="case-list-room" style=${{ height: `${entries.length * ROW_HEIGHT}px` }}>
      ${shown.map(row)}
    </div>
  </div>`;
}

/**
 * Which rows can be seen.
 * @param {number} count
 * @returns {[{current: HTMLElement | null}, {first: number, last: number}]}
 */
function useVisibleRows(count) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const [range, setRange] = useState({ first: 0, last: 30 });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const measure = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / ROW_HEIGHT) + SPARE_ROWS;
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [count]);
  return [list, range];
}

/**
 * Scroll the list, and only the list, so that a row can be seen.
 * @param {HTMLElement | null} list
 * @param {number} at
 */
function showRow(list, at) {
  if (!list || at < 0) return;
  const top = at * ROW_HEIGHT;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
}

/**
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./selection").Found} properties.found
 * @param {Entries} properties.lines
 * @param {number} properties.at
 * @param {boolean} properties.isUnfolded
 * @param {boolean} properties.isCurrent
 * @param {(entry: number) => void} properties.onOpen
 * @param {(row: number) => void} properties.onFold
 */
function CaseRow({ prepared, found, lines, at, isUnfolded, isCurrent, onOpen, onFold }) {
  const entry = lines.entries[at];
  const isTrial = entry < 0;
  const size = isTrial ? 0 : prepared.itemsOf.start[entry + 1] - prepared.itemsOf.start[entry];
  const item = itemOfEntry(prepared, found, entry);
  const isDim = isTrial && !found.matches[item];
  return html`<div
    id=${`case-row-${entry}`}
    class=${`case-row${isTrial ? " is-trial" : ""}${isDim ? " is-dim" : ""}`}
    style=${{ top: `${at * ROW_HEIGHT}px` }}
    role=${prepared.hasTrials ? "treeitem" : "option"}
    aria-selected=${isCurrent}
    aria-setsize=${isTrial ? trialsBeside(prepared, item) : found.rows.length}
    aria-posinset=${lines.places ? lines.places[at] : at + 1}
    aria-level=${prepared.hasTrials ? (isTrial ? 2 : 1) : null}
    aria-expanded=${size > 1 ? isUnfolded : null}
    onClick=${() => onOpen(entry)}
  >
    ${size > 1
      ? html`<span
          class="case-row-fold"
          aria-hidden="true"
          onClick=${(/** @type {Event} */ event) => {
            event.stopPropagation();
            onFold(entry);
          }}
          >${isUnfolded ? "▾" : "▸"}</span
        >`
      : null}
    ${size > 1
      ? html`<${TrialsLine} prepared=${prepared} row=${entry} item=${item} />`
      : html`<${ItemLine} prepared=${prepared} item=${item} isTrial=${isTrial} />`}
    <span class="one-line case-row-reasons"><${RowReasons} prepared=${prepared} entry=${entry} item=${item} /></span>
  </div>`;
}

/**
 * @param {import("./selection").Prepared} prepared
 * @param {number} item
 */
function trialsBeside({ rowOf, itemsOf: { start } }, item) {
  return start[rowOf[item] + 1] - start[rowOf[item]];
}

/**
 * The first line of a row with one trial, or of a trial.
 * @param {{prepared: import("./selection").Prepared, item: number, isTrial: boolean}} properties
 */
function ItemLine({ prepared, item, isTrial }) {
  const { index } = prepared;
  const trial = index.trial?.[item] ?? null;
  return html`${index.change
      ? html`<${ChangeMark} change=${CHANGES[index.change[item]]} />`
      : html`<${StatusMark} status=${STATUSES[index.status[item]]} />`}
    <span class="one-line case-row-id">
      ${isTrial ? null : html`<${CaseId} id=${index.id[item]} />`}
      ${trial === null ? null : html`<span class=${isTrial ? "" : "muted"}>${t("list.trial", { trial })}</span>`}
    </span>
    <span class="case-row-score">${index.change ? beforeAfter(index, item) : prepared.hasScores ? percent(index.score[item]) : null}</span>`;
}

/**
 * The first line of a row with several trials: how many passed.
 * @param {{prepared: import("./selection").Prepared, row: number, item: number}} properties
 */
function TrialsLine({ prepared, row, item }) {
  const { passed, total, status } = trialCounts(prepared, row);
  const words = t("list.trials_passed", { passed: number(passed), total: number(total) });
  return html`<${StatusMark} status=${status} />
    <span class="one-line case-row-id"><${CaseId} id=${prepared.index.id[item]} /></span>
    <span class="case-row-score" title=${words}
      ><span aria-hidden="true">${passed}/${total}</span><span class="visually-hidden">${words}</span></span
    >`;
}

/**
 * How many trials of a row passed, and the status of the row: `mixed` if some of them.
 * @param {import("./selection").Prepared} prepared
 * @param {number} row
 */
export function trialCounts({ itemsOf: { start, at }, status }, row) {
  const total = start[row + 1] - start[row];
  const counts = STATUSES.map(() => 0);
  for (let next = start[row]; next < start[row + 1]; next += 1) counts[status[at[next]]] += 1;
  const passed = counts[0];
  const worst = STATUSES.findLastIndex((_, code) => counts[code] === total);
  return { passed, total, status: worst >= 0 ? STATUSES[worst] : passed ? "mixed" : "failed" };
}

/** @param {{id: string}} properties */
export function CaseId({ id }) {
  if (id === "") return html`<em class="muted">${t("list.no_id")}</em>`;
  return html`<${Text} value=${id} limit=${LONGEST_ID} />`;
}

/**
 * In a comparison: how many trials passed before and after; marks if there is one trial.
 * @param {import("./types").Index} index
 * @param {number} item
 */
function beforeAfter(index, item) {
  const side = (/** @type {[number, number] | null | undefined} */ counts) => {
    if (!counts) return html`<span class="muted">–</span>`;
    const [passed, total] = counts;
    const status = passed === total ? "passed" : passed ? "mixed" : "failed";
    return html`<${StatusMark} status=${status} />${total > 1 ? html` ${passed}/${total}` : null}`;
  };
  return html`${side(index.before?.[item])} <span class="muted" aria-hidden="true">→</span> ${side(index.after?.[item])}`;
}

/**
 * The second line: what is wrong; if nothing is, the beginning of the input.
 * @param {{prepared: import("./selection").Prepared, entry: number, item: number}} properties
 */
function RowReasons({ prepared, entry, item }) {
  const problems = entry < 0 ? problemsOf(prepared, [item]) : problemsOf(prepared, rowItems(prepared, entry));
  if (problems.length) return html`<${Reasons} problems=${problems} />`;
  const about = prepared.index.about?.[item];
  return about ? html`<span class="muted"><${Text} value=${about} limit=${LONGEST_ID} /></span>` : null;
}

/**
 * @param {import("./selection").Prepared} prepared
 * @param {number} row
 */
function rowItems({ itemsOf: { start, at } }, row) {
  return at.subarray(start[row], start[row + 1]);
}

/**
 * The problems of some items, the most frequent first; those of one item in their own order.
 * @param {import("./selection").Prepared} prepared
 * @param {ArrayLike<number>} items
 */
function problemsOf({ index }, items) {
  /** @type {Map<number, number>} */
  const times = new Map();
  for (let at = 0; at < items.length; at += 1) {
    for (const kind of index.problems[items[at]]) times.set(kind, (times.get(kind) ?? 0) + 1);
  }
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .map(([kind]) => index.problem_kinds[kind]);
}

/**
 * The rows on paper: as many as are of use there.
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./selection").Found} properties.found
 * @param {number} properties.most
 */
export function PrintedList({ prepared, found, most }) {
  const rows = [...found.rows.subarray(0, most)];
  return html`<div class="printed-list">
    ${rows.map((row) => {
      const item = itemOfEntry(prepared, found, row);
      const size = prepared.itemsOf.start[row + 1] - prepared.itemsOf.start[row];
      return html`<div key=${row} class="printed-row">
        ${size > 1
          ? html`<${TrialsLine} prepared=${prepared} row=${row} item=${item} />`
          : html`<${ItemLine} prepared=${prepared} item=${item} isTrial=${false} />`}
        <span class="one-line case-row-reasons"><${RowReasons} prepared=${prepared} entry=${row} item=${item} /></span>
      </div>`;
    })}
    ${found.rows.length > most ? html`<p>${t("list.not_printed", { count: number(found.rows.length - most) })}</p>` : null}
  </div>`;
}
