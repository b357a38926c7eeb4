/** What is shown, as the hash of the address: a link opens the same view, and the back button works. */

import { useCallback, useEffect, useRef, useState } from "./vendor/preact-htm.js";

/**
 * The filters, and the case that is open: one of `caseKeys`.
 * @typedef {import("./selection").Filters & {case: string | null}} View
 */

/** Milliseconds without a change before a quick series of changes, such as typing, reaches the address. */
const ADDRESS_DELAY = 250;

/** Parts of the address with at most one value, and the part of the view that they are. */
const SINGLE_PARTS = /** @type {const} */ ({
  tool: "tool",
  problem: "problem",
  argument: "argument",
  class: "failure",
  cell: "cell",
  turn: "turn",
  tag: "tag",
  evaluation: "evaluation",
  text: "text",
  change: "change",
  sort: "sort",
  case: "case",
});

/**
 * The view that an empty address stands for.
 * @param {boolean} isComparison
 * @returns {View}
 */
export function startView(isComparison) {
  return {
    status: [],
    tool: null,
    problem: null,
    argument: null,
    failure: null,
    cell: null,
    turn: null,
    tag: null,
    evaluation: null,
    text: "",
    change: "only",
    sort: isComparison ? "change" : "order",
    case: null,
  };
}

/**
 * The view of an address. What it does not know is left out.
 * @param {string} hash `#status=failed&tool=book_flight`
 * @param {View} start
 * @returns {View}
 */
export function readAddress(hash, start) {
  const view = { ...start, status: /** @type {string[]} */ ([]) };
  for (const part of hash.replace(/^#/, "").split("&")) {
    const sign = part.indexOf("=");
    if (sign < 0) continue;
    const name = part.slice(0, sign);
    const value = decoded(part.slice(sign + 1));
    if (name === "status") view.status.push(value);
    else if (Object.hasOwn(SINGLE_PARTS, name)) {
      view[SINGLE_PARTS[/** @type {keyof typeof SINGLE_PARTS} */ (name)]] = value;
    }
  }
  return view;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a link that was cut or written by hand
  }
}

/**
 * The address of a view, without what is as at the start.
 * @param {View} view
 * @param {View} start
 * @returns {string} empty, or with a `#`
 */
export function writeAddress(view, start) {
  const parts = view.status.map((status) => `status=${encodeURIComponent(status)}`);
  for (const [name, property] of Object.entries(SINGLE_PARTS)) {
    const value = view[property];
    if (value !== null && value !== start[property]) parts.push(`${name}=${encodeURIComponent(value)}`);
  }
  return parts.length ? `#${parts.join("&")}` : "";
}

/**
 * The view of the address, and a function that changes it. Other filters close the case. Each change is a step for the back button, unless it is
 * one of a quick series (`isQuick`), such as typing.
 * @param {boolean} isComparison
 * @returns {[View, (patch: Partial<View>, isQuick?: boolean) => void]}
 */
export function useAddress(isComparison) {
  const start = startView(isComparison);
  const [view, setView] = useState(() => readAddress(location.hash, start));
  const state = useRef({ view, timer: 0 });

  useEffect(() => {
    const follow = () => {
      clearTimeout(state.current.timer);
      if (writeAddress(state.current.view, start) === location.hash) return;
      state.current.view = readAddress(location.hash, start);
      setView(state.current.view);
    };
    window.addEventListener("hashchange", follow);
    return () => {
      clearTimeout(state.current.timer);
      window.removeEventListener("hashchange", follow);
    };
  }, []);

  // the same function for as long as the view is shown: parts that got an older one use it, too
  const update = useCallback((/** @type {Partial<View>} */ patch, /** @type {boolean} */ isQuick = false) => {
    const before = writeAddress(state.current.view, start);
    state.current.view = { ...state.current.view, case: null, ...patch };
    const after = writeAddress(state.current.view, start);
    setView(state.current.view);
    clearTimeout(state.current.timer);
    if (isQuick) {
      state.current.timer = setTimeout(() => showAddress(after, "replaceState"), ADDRESS_DELAY);
    } else if (after !== before) {
      if (before !== location.hash) showAddress(before, "replaceState");
      showAddress(after, "pushState");
    }
  }, []);

  return [view, update];
}

/**
 * Put a view into the address. A frame without an address of its own goes without.
 * @param {string} hash
 * @param {"pushState" | "replaceState"} how
 */
function showAddress(hash, how) {
  try {
    history[how](history.state, "", hash || location.pathname + location.search);
  } catch {
    // the frame is sandboxed, or the browser limits how often the address changes: the view itself works
  }
}

/**
 * The names of cases in addresses: `trip`, `trip#1` for a trial, `evaluation/trip` if there are several evaluations.
 * @typedef {{nameOf: string[], itemOf: Map<string, number>}} CaseKeys
 */

/** @type {WeakMap<import("./types").Index, CaseKeys>} */
const keysOfIndexes = new WeakMap();

/**
 * The names of all cases of a source; made once.
 * @param {import("./types").Source} source
 * @returns {CaseKeys}
 */
export function caseKeys({ document: document_, index }) {
  const known = keysOfIndexes.get(index);
  if (known) return known;
  /** @type {CaseKeys} */
  const keys = { nameOf: [], itemOf: new Map() };
  /** @type {Map<string, number>} */
  const times = new Map(); // of names that occur again: 100,000 cases of the same name are no reason to wait
  for (let item = 0; item < index.count; item += 1) {
    const trial = index.trial?.[item] ?? null;
    const label = index.evaluation ? `${document_.evaluations[index.evaluation[item]].label}/` : "";
    const name = trial === null ? label + index.id[item] : `${label}${index.id[item]}#${trial}`;
    let free = name;
    while (keys.itemOf.has(free)) {
      times.set(name, (times.get(name) ?? 1) + 1);
      free = `${name}~${times.get(name)}`;
    }
    keys.nameOf.push(free);
    keys.itemOf.set(free, item);
  }
  keysOfIndexes.set(index, keys);
  return keys;
}
