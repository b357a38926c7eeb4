/** The cases: filters, the list on the left, and the detail of one on the right. */

import { caseKeys } from "./address.js";
import { Detail } from "./detail.js";
import { ChosenFilters, FilterBar, clearedFilters, countText, isNarrowed } from "./filters.js";
import { useKeys } from "./keys.js";
import { CaseList, MOST_ROWS, PrintedList, entriesOf, itemOfEntry, trialEntry } from "./list.js";
import { html, useEffect, useMemo, useState } from "./vendor/preact-htm.js";
import { number, t } from "./words.js";

/** From this width on, list and detail are side by side; as in `report.css`. */
const WIDE = "(min-width: 1000px)";

const PRINTED_ROWS = 200;

/** How far the keys of a list go. */
const KEY_STEPS = /** @type {Record<string, number>} */ ({
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
});

/**
 * Whether a media query holds, kept up to date.
 * @param {string} query
 */
function useMedia(query) {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => setHolds(list.matches);
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, []);
  return holds;
}

/**
 * What all parts of this module get.
 * @typedef {object} CasesProperties
 * @property {import("./types").Source} source
 * @property {import("./selection").Prepared} prepared
 * @property {import("./rankings").Rankings} rankings
 * @property {import("./address").View} view
 * @property {import("./selection").Found} found
 * @property {(patch: Partial<import("./address").View>, isQuick?: boolean) => void} onChange
 * @property {import("./detail").Actions} [actions]
 */

/** @param {CasesProperties} properties */
export function Cases(properties) {
  const { source, prepared, view, found, onChange, actions } = properties;
  const isPrinting = useMedia("print");
  const browsing = useBrowsing(properties);
  const { lines, shown, isOpened } = browsing;
  useKeys({
    j: () => showCases(browsing.move(1)),
    k: () => showCases(browsing.move(-1)),
    o: browsing.open,
    Enter: browsing.open,
    "/": () => elementOf("search")?.focus(),
    Escape: browsing.close,
  });
  const { unfolded, current, pick, fold, press } = browsing;
  const list = html`<${CaseList}
    ...${{ prepared, found, lines, unfolded, current, onOpen: pick, onFold: fold, onKeyDown: press }}
  />`;
  return html`<section id="cases" class=${`section cases${isOpened ? " is-opened" : ""}`} aria-labelledby="cases-title">
    <div class="row cases-heading">
      <h2 id="cases-title" tabindex="-1">${t("list.title")}</h2>
      <${ChosenFilters} ...${properties} />
    </div>
    ${isPrinting ? html`<p>${countText(prepared, found)}</p>` : null}
    <${FilterBar} ...${properties} />
    ${isPrinting ? html`<${PrintedList} prepared=${prepared} found=${found} most=${PRINTED_ROWS} />` : null}
    <div class=${`cases-panes${isPrinting && view.case === null ? " no-print" : ""}`}>
      <div class="card cases-pane cases-list no-print">
        ${lines.entries.length ? list : html`<${NothingFound} ...${properties} />`}
        ${found.rows.length > MOST_ROWS
          ? html`<p class="muted">${t("list.cut", { count: number(MOST_ROWS) })}</p>`
          : null}
      </div>
      ${shown === null
        ? null
        : html`<${Detail}
            ...${{ source, prepared, actions, item: shown, place: current + 1, count: lines.entries.length }}
            onMove=${browsing.move}
            onPick=${(/** @type {number} */ item) => onChange({ case: caseKeys(source).nameOf[item] })}
            onBack=${browsing.close}
          />`}
    </div>
  </section>`;
}

/**
 * Which line is the current one, which case is shown, and how to go on from there.
 * @param {CasesProperties} properties
 */
function useBrowsing({ source, prepared, view, found, onChange }) {
  const isWide = useMedia(WIDE);
  const [unfolded, setUnfolded] = useState(() => /** @type {Set<number>} */ (new Set()));
  const [cursor, setCursor] = useState(/** @type {number | null} */ (null));
  const lines = useMemo(() => entriesOf(prepared, found, unfolded), [prepared, found, unfolded]);
  const opened = view.case === null ? null : (caseKeys(source).itemOf.get(view.case) ?? null);
  const first = isWide && lines.entries.length ? itemOfEntry(prepared, found, lines.entries[0]) : null;
  const shown = opened ?? first;
  const current = lines.entries.indexOf(currentEntry(prepared, unfolded, shown, cursor));

  /**
   * @param {number} at
   * @param {boolean} isQuick
   */
  function openAt(at, isQuick) {
    const entry = lines.entries[at];
    setCursor(entry);
    onChange({ case: caseKeys(source).nameOf[itemOfEntry(prepared, found, entry)] }, isQuick);
  }
  /** @param {number} to */
  function moveTo(to) {
    const at = Math.min(Math.max(to, 0), lines.entries.length - 1);
    if (at < 0) return;
    if (isWide || opened !== null) openAt(at, true);
    else setCursor(lines.entries[at]);
  }
  /** @param {number} row */
  function fold(row) {
    const next = new Set(unfolded);
    if (!next.delete(row)) next.add(row);
    setUnfolded(next);
    setCursor(row);
  }
  const move = (/** @type {number} */ steps) => moveTo(current + steps);
  return {
    lines,
    unfolded,
    shown,
    current,
    isOpened: opened !== null,
    fold,
    move,
    pick: (/** @type {number} */ entry) => {
      openAt(lines.entries.indexOf(entry), false);
      if (!isWide) focusDetail();
    },
    open: () => {
      if (current >= 0) openAt(current, false);
      focusDetail();
    },
    close: () => {
      if (!isWide) onChange({ case: null });
      setTimeout(() => elementOf("case-list")?.focus({ preventScroll: isWide }));
    },
    press: listKeys(prepared, { lines, unfolded, current, moveTo, fold }),
  };
}

/** @param {string} id */
function elementOf(id) {
  return globalThis.document.getElementById(id);
}

/**
 * Scroll to the cases, unless they are in view.
 * @param {unknown} [_] what was done before
 */
function showCases(_) {
  elementOf("cases")?.scrollIntoView({ block: "nearest" });
}

/** Move the focus to the detail, once it is there; on narrow screens it is in place of the list. */
function focusDetail() {
  setTimeout(() => {
    showCases();
    elementOf("case-detail")?.focus({ preventScroll: true });
  });
}

/**
 * The line that is the current one: where the cursor is, unless another case is shown.
 * @param {import("./selection").Prepared} prepared
 * @param {Set<number>} unfolded
 * @param {number | null} shown
 * @param {number | null} cursor
 * @returns {number} an entry, or one that no list has
 */
function currentEntry({ rowOf }, unfolded, shown, cursor) {
  const none = -(2 ** 31);
  if (shown === null) return cursor ?? none;
  if (cursor !== null && (cursor < 0 ? cursor === trialEntry(shown) : cursor === rowOf[shown])) return cursor;
  return unfolded.has(rowOf[shown]) ? trialEntry(shown) : rowOf[shown];
}

/**
 * The keys of the list itself, as in any list or tree.
 * @param {import("./selection").Prepared} prepared
 * @param {object} browsing
 * @param {import("./list").Entries} browsing.lines
 * @param {Set<number>} browsing.unfolded
 * @param {number} browsing.current
 * @param {(to: number) => void} browsing.moveTo
 * @param {(row: number) => void} browsing.fold
 */
function listKeys({ rowOf, itemsOf: { start } }, { lines, unfolded, current, moveTo, fold }) {
  const entry = lines.entries[current] ?? -1;
  const row = current < 0 ? -1 : entry < 0 ? rowOf[-entry - 1] : entry;
  const hasTrials = row >= 0 && start[row + 1] - start[row] > 1;
  return (/** @type {KeyboardEvent} */ event) => {
    const { key } = event;
    const isFold = key === "ArrowRight" || key === "ArrowLeft";
    if (!(isFold || Object.hasOwn(KEY_STEPS, key)) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!isFold) moveTo(current + KEY_STEPS[key]);
    else if (hasTrials && unfolded.has(row) === (key === "ArrowLeft")) fold(row);
  };
}

/**
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
function NothingFound({ prepared, view, onChange }) {
  if (!prepared.count) return html`<p class="cases-empty muted">${t("list.empty")}</p>`;
  const isUnchanged = prepared.change !== null && view.change === "only" && !isNarrowed(view);
  return html`<div class="cases-empty">
    <p>${t(isUnchanged ? "list.nothing_changed" : "list.nothing_found")}</p>
    <button class="button" onClick=${() => onChange({ ...clearedFilters(), change: "all" })}>
      ${t(isUnchanged ? "filters.all" : "filters.clear")}
    </button>
  </div>`;
}

/**
 * While filters are chosen and the list is out of sight: the way to it.
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./address").View} properties.view
 * @param {import("./selection").Found} properties.found
 */
export function ListReminder({ prepared, view, found }) {
  const [isSeen, setSeen] = useState(true);
  useEffect(() => {
    const cases = elementOf("cases");
    if (!cases) return undefined;
    const observer = new IntersectionObserver(([entry]) => setSeen(entry.isIntersecting), { rootMargin: "-80px" });
    observer.observe(cases);
    return () => observer.disconnect();
  }, []);
  if (isSeen || !isNarrowed(view)) return null;
  return html`<button class="button button-main list-reminder no-print" onClick=${showList}>
    ${t("list.show", { cases: countText(prepared, found) })}
  </button>`;
}

/** Scroll to the list and focus its heading. */
export function showList() {
  elementOf("cases")?.scrollIntoView({ behavior: "instant" });
  elementOf("cases-title")?.focus({ preventScroll: true });
}
