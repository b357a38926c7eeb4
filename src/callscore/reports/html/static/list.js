/**
 * The list of cases. Only the rows that can be seen are in the document, so it has any number of them. All rows have
 * the same height, as in `report.css`.
 */

import { CHANGES, ChangeMark, STATUSES, StatusMark } from "./marks.js";
import { Reasons, shortText } from "./reasons.js";
import { visibleText } from "./text.js";
import { html, useLayoutEffect, useRef, useState } from "./vendor/preact-htm.js";
import { number, percent, t } from "./words.js";

/** Pixels of a row. */
const ROW_HEIGHT = 60;

/** Rows beyond the visible ones, above and below. */
const SPARE_ROWS = 6;

/** Rows of a list: browsers draw no element higher than about 33 million pixels. */
export const MOST_ROWS = 500_000;

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
    element.onscroll = measure;
    return () => observer.disconnect();
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
  const { start } = prepared.itemsOf;
  const item = itemOfEntry(prepared, found, entry);
  const row = prepared.rowOf[item];
  const size = start[row + 1] - start[row];
  const canFold = size > 1 && !isTrial;
  const isDim = isTrial && !found.matches[item];
  return html`<div
    id=${`case-row-${entry}`}
    class=${`case-row${isTrial ? " is-trial" : ""}${isDim ? " is-dim" : ""}`}
    style=${{ top: `${at * ROW_HEIGHT}px` }}
    role=${prepared.hasTrials ? "treeitem" : "option"}
    aria-selected=${isCurrent}
    aria-setsize=${isTrial ? size : found.rows.length}
    aria-posinset=${lines.places ? lines.places[at] : at + 1}
    aria-level=${prepared.hasTrials ? (isTrial ? 2 : 1) : null}
    aria-expanded=${canFold ? isUnfolded : null}
    onClick=${() => onOpen(entry)}
  >
    ${canFold
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
    <${RowLines} prepared=${prepared} entry=${entry} item=${item} />
  </div>`;
}

/**
 * What a row says: a mark, a name and a number, and below what is wrong.
 * @param {{prepared: import("./selection").Prepared, entry: number, item: number}} properties
 */
function RowLines({ prepared, entry, item }) {
  const { index, hasScores, itemsOf } = prepared;
  const trial = index.trial?.[item] ?? null;
  const { passed, total, status } = trialCounts(prepared, entry, item);
  const words = total > 1 ? t("list.trials_passed", { passed: number(passed), total: number(total) }) : null;
  const items = entry < 0 ? [item] : itemsOf.at.subarray(itemsOf.start[entry], itemsOf.start[entry + 1]);
  return html`${index.change
      ? html`<${ChangeMark} change=${CHANGES[index.change[item]]} />`
      : html`<${StatusMark} status=${status} />`}
    <span class="one-line case-row-id">
      ${entry < 0 ? null : html`<${CaseId} prepared=${prepared} item=${item} />`}
      ${trial === null || words ? null : html`<span class="muted">${t("list.trial", { trial: visibleText(String(trial)) })}</span>`}
    </span>
    <span class="case-row-score" title=${words}
      >${words
        ? html`<span aria-hidden="true">${passed}/${total}</span><span class="visually-hidden">${words}</span>`
        : index.change
          ? beforeAfter(index, item)
          : hasScores && percent(index.score[item])}</span
    >
    <span class="one-line case-row-reasons"><${RowReasons} prepared=${prepared} items=${items} item=${item} /></span>`;
}

/**
 * How many trials of a line there are and passed, and its status: `mixed` if some of them passed.
 * @param {import("./selection").Prepared} prepared
 * @param {number} entry
 * @param {number} item
 */
function trialCounts({ itemsOf: { start, at }, status }, entry, item) {
  const counts = STATUSES.map(() => 0);
  const total = entry < 0 ? 1 : start[entry + 1] - start[entry];
  if (total === 1) counts[status[item]] = 1;
  else for (let next = start[entry]; next < start[entry + 1]; next += 1) counts[status[at[next]]] += 1;
  const same = counts.indexOf(total);
  return { passed: counts[0], total, status: same >= 0 ? STATUSES[same] : counts[0] ? "mixed" : "failed" };
}

/**
 * The id of a case, and its evaluation if there are several.
 * @param {{prepared: import("./selection").Prepared, item: number}} properties
 */
function CaseId({ prepared: { document: document_, index }, item }) {
  const id = index.id[item];
  const label = index.evaluation && document_.evaluations[index.evaluation[item]].label;
  return html`${id ? shortText(id) : html`<em>${t("list.no_id")}</em>`}${label
    ? html` <span class="muted case-row-of">${shortText(label)}</span>`
    : null}`;
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
 * @param {{prepared: import("./selection").Prepared, items: ArrayLike<number>, item: number}} properties
 */
function RowReasons({ prepared, items, item }) {
  const problems = problemsOf(prepared, items);
  const turn = items.length === 1 && prepared.index.turn?.[item];
  if (problems.length) {
    return html`${turn ? html`<span class="muted">${t("list.turn", { turn: number(turn) })} · </span>` : null}<${Reasons} problems=${problems} />`;
  }
  const about = prepared.index.about?.[item];
  return about ? html`<span class="muted">${shortText(about)}</span>` : null;
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
  return html`${[...found.rows.subarray(0, most)].map(
    (row) =>
      html`<div key=${row} class="printed-row">
        <${RowLines} prepared=${prepared} entry=${row} item=${itemOfEntry(prepared, found, row)} />
      </div>`,
  )}
  ${found.rows.length > most ? html`<p>${t("list.not_printed", { count: number(found.rows.length - most) })}</p>` : null}`;
}
