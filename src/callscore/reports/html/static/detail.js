/** The pane with the detail of a case: opens it, and goes to its neighbours and its other trials. */

import { CaseDetail } from "./case.js";
import { ComparedDetail } from "./comparison.js";
import { STATUSES, StatusMark } from "./marks.js";
import { Text, visibleText } from "./text.js";
import { html, useEffect, useErrorBoundary, useRef, useState } from "./vendor/preact-htm.js";
import { number, t } from "./words.js";

/** Trials that have a button each. */
const MOST_TRIALS = 100;

/** Milliseconds before a case is opened while a key is held down: those that are passed over are not. */
const OPEN_DELAY = 40;

/**
 * What else the detail of a case shows, such as the buttons of the page.
 * @typedef {(position: number, view: import("./types").CaseView | import("./types").ComparedCase) => unknown} Actions
 */

/**
 * @typedef {{item: number, view: import("./types").CaseView | import("./types").ComparedCase | null, problem: string}} Opened
 */

/**
 * The detail of an item. The last one stays until the next one is there.
 * @param {import("./types").Source} source
 * @param {number} item
 * @returns {Opened | null}
 */
function useOpened(source, item) {
  const [opened, setOpened] = useState(/** @type {Opened | null} */ (null));
  const last = useRef(-Infinity);
  useEffect(() => {
    let isStale = false;
    const show = (/** @type {Opened} */ next) => isStale || setOpened(next);
    const open = () =>
      source.open(item).then(
        (view) => show({ item, view, problem: "" }),
        (error) => show({ item, view: null, problem: String(error) }),
      );
    const isSeries = performance.now() - last.current < 3 * OPEN_DELAY;
    last.current = performance.now();
    const timer = setTimeout(open, isSeries ? OPEN_DELAY : 0);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [source, item]);
  return opened;
}

/**
 * @param {object} properties
 * @param {import("./types").Source} properties.source
 * @param {import("./selection").Prepared} properties.prepared
 * @param {number} properties.item
 * @param {Actions} [properties.actions]
 * @param {number} properties.place in the list, from 1; 0 if it is not in the list
 * @param {number} properties.count
 * @param {(steps: number) => void} properties.onMove
 * @param {(item: number) => void} properties.onPick
 * @param {() => void} properties.onBack
 */
export function Detail({ source, prepared, item, actions, place, count, onMove, onPick, onBack }) {
  const opened = useOpened(source, item);
  const pane = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (pane.current) pane.current.scrollTop = 0;
  }, [opened]);
  return html`<div class="card cases-pane cases-detail">
    <div class="row detail-bar no-print">
      <button class="button detail-back" onClick=${onBack}><span aria-hidden="true">←</span> ${t("list.back")}</button>
      <${TrialButtons} prepared=${prepared} item=${item} onPick=${onPick} />
      <span class="muted small detail-place">${place ? t("list.place", { place: number(place), count: number(count) }) : ""}</span>
      <button class="button" aria-keyshortcuts="k" disabled=${place === 1} onClick=${() => onMove(-1)}>
        <span aria-hidden="true">↑</span> ${t("list.previous")}
      </button>
      <button class="button" aria-keyshortcuts="j" disabled=${place === count} onClick=${() => onMove(1)}>
        <span aria-hidden="true">↓</span> ${t("list.next")}
      </button>
    </div>
    <div
      ref=${pane}
      id="case-detail"
      class="detail-pane"
      role="region"
      aria-label=${t("list.detail")}
      aria-busy=${opened?.item !== item}
      tabindex="0"
    >
      ${opened ? html`<${OpenedCase} key=${opened.item} source=${source} opened=${opened} actions=${actions} />` : null}
    </div>
  </div>`;
}

/** @param {unknown} error */
function errorText(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {{source: import("./types").Source, opened: Opened, actions?: Actions}} properties
 */
function OpenedCase({ source, opened, actions }) {
  const [error] = useErrorBoundary();
  const problem = error ? errorText(error) : opened.problem;
  if (!opened.view || problem) {
    return html`<p class="card note is-warning" role="alert">${t("list.unreadable")} <${Text} value=${problem} limit=${500} /></p>`;
  }
  const shown = "before" in opened.view ? ComparedDetail : CaseDetail;
  return html`<${shown} source=${source} position=${opened.item} view=${opened.view} actions=${actions?.(opened.item, opened.view)} />`;
}

/**
 * The trials of the case; one of them is shown.
 * @param {{prepared: import("./selection").Prepared, item: number, onPick: (item: number) => void}} properties
 */
function TrialButtons({ prepared, item, onPick }) {
  const { index, rowOf, itemsOf } = prepared;
  const row = rowOf[item];
  const trials = itemsOf.at.subarray(itemsOf.start[row], itemsOf.start[row + 1]);
  if (trials.length < 2) return null;
  return html`<div class="row detail-trials" role="group" aria-label=${t("list.trials")}>
    <span class="muted" aria-hidden="true">${t("list.trials")}</span>
    ${[...trials.subarray(0, MOST_TRIALS)].map(
      (trial) =>
        html`<button key=${trial} class="chip" aria-pressed=${trial === item} onClick=${() => onPick(trial)}>
          <${StatusMark} status=${STATUSES[index.status[trial]]} /> ${visibleText(String(index.trial?.[trial]))}
        </button>`,
    )}
  </div>`;
}
