/** Where the reader is: the addresses of the screens, links between them, and the back button. */

import { html, useEffect, useState } from "/static/report/vendor/preact-htm.js";

/**
 * A screen and what it is about, from the address.
 * @typedef {(
 *   | {name: "home"}
 *   | {name: "run", id: string, panel: string | null, evaluation: string | null, case: string | null}
 *   | {name: "evaluation", key: string}
 *   | {name: "compare", ids: string[]}
 *   | {name: "case", evaluation: string, id: string}
 *   | {name: "search", query: string}
 *   | {name: "unknown"}
 * )} Place
 */

/** The address of the home page. */
export const HOME = "/";

/**
 * The address of a run; a panel such as `rescore` is opened above its report.
 * @param {string} id
 * @param {string} [panel]
 */
export function runPath(id, panel) {
  return `/runs/${encodeURIComponent(id)}${panel ? `?panel=${encodeURIComponent(panel)}` : ""}`;
}

/**
 * The address of a case in a run: the screen puts it into the hash, as the report names it.
 * @param {string} run
 * @param {string} evaluation its key
 * @param {string} id
 */
export function runCasePath(run, evaluation, id) {
  return `${runPath(run)}?evaluation=${encodeURIComponent(evaluation)}&case=${encodeURIComponent(id)}`;
}

/** @param {string} key */
export function evaluationPath(key) {
  return `/evaluations/${encodeURIComponent(key)}`;
}

/** @param {string[]} ids */
export function comparePath(ids) {
  return `/compare?runs=${ids.map(encodeURIComponent).join(",")}`;
}

/**
 * The address of a case over all runs.
 * @param {string} evaluation its key
 * @param {string} id
 */
export function casePath(evaluation, id) {
  return `/cases?evaluation=${encodeURIComponent(evaluation)}&case=${encodeURIComponent(id)}`;
}

/** @param {string} query */
export function searchPath(query) {
  return `/search?q=${encodeURIComponent(query)}`;
}

/**
 * The screen that an address means.
 * @param {string} path
 * @param {string} search
 * @returns {Place}
 */
export function placeOf(path, search) {
  const query = new URLSearchParams(search);
  const [first = "", second = "", ...rest] = path.split("/").slice(1).map(decodedPart);
  if (rest.length) return { name: "unknown" };
  if (second) {
    if (first === "runs") return runPlace(second, query);
    if (first === "evaluations") return { name: "evaluation", key: second };
    return { name: "unknown" };
  }
  switch (first) {
    case "":
      return { name: "home" };
    case "compare":
      return { name: "compare", ids: listedRuns(search) };
    case "cases":
      return { name: "case", evaluation: query.get("evaluation") ?? "", id: query.get("case") ?? "" };
    case "search":
      return { name: "search", query: query.get("q") ?? "" };
    default:
      return { name: "unknown" };
  }
}

/**
 * @param {string} id
 * @param {URLSearchParams} query
 * @returns {Place}
 */
function runPlace(id, query) {
  return {
    name: "run",
    id,
    panel: query.get("panel"),
    evaluation: query.get("evaluation"),
    case: query.get("case"),
  };
}

/** @param {string} part */
function decodedPart(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a stray percent sign
  }
}

/**
 * The ids of `runs=a,b`, each once. Mail programs escape commas.
 * @param {string} search
 */
function listedRuns(search) {
  const found = /[?&]runs=([^&]*)/.exec(search);
  const ids = (found?.[1] ?? "").split(/,|%2C/i).map(decodedPart);
  return ids.filter((id, at) => id && ids.indexOf(id) === at);
}

/** @type {Set<() => void>} */
const listeners = new Set();

/** Whether the next screen moves the focus to its heading, and how far down it was when it was left. */
const arrival = { isFocused: false, scroll: 0 };

/**
 * Go to another screen, as a link does.
 * @param {string} to an address from one of the functions above
 * @param {{replace?: boolean, keepFocus?: boolean}} [options] `keepFocus` for a search while it is typed
 */
export function navigate(to, { replace = false, keepFocus = false } = {}) {
  const { history, scrollY } = globalThis;
  if (replace) {
    history.replaceState(null, "", to);
  } else {
    history.replaceState({ scroll: scrollY }, "");
    history.pushState(null, "", to);
  }
  if (!keepFocus) arrive(0);
  noteAddress();
}

/** Take note of an address that was replaced without `navigate`. */
export function noteAddress() {
  for (const listener of listeners) listener();
}

/** @param {number} scroll */
function arrive(scroll) {
  arrival.isFocused = true;
  arrival.scroll = scroll;
}

/**
 * After a navigation, once the screen has its content: scroll to where the reader was, and focus the heading.
 * Screen readers then read the name of the screen. With a hash, the report shows the case of the link by itself.
 */
export function settle() {
  if (!arrival.isFocused) return;
  arrival.isFocused = false;
  if (globalThis.location.hash) return;
  globalThis.scrollTo({ top: arrival.scroll, behavior: "instant" });
  const heading = globalThis.document.querySelector("h1");
  if (heading instanceof HTMLElement) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
}

/** The address in use, without the hash: that belongs to the filters of a report. */
function currentAddress() {
  const { pathname, search } = globalThis.location;
  return pathname + search;
}

/**
 * The screen to show. A change of the hash alone changes nothing.
 * @returns {Place & {address: string}}
 */
export function usePlace() {
  const [address, setAddress] = useState(currentAddress);
  useEffect(() => {
    let last = currentAddress();
    const update = () => {
      last = currentAddress();
      setAddress(last);
    };
    const onPopState = (/** @type {PopStateEvent} */ event) => {
      if (currentAddress() === last) return;
      arrive(Number(event.state?.scroll ?? 0));
      update();
    };
    globalThis.history.scrollRestoration = "manual";
    listeners.add(update);
    globalThis.addEventListener("popstate", onPopState);
    return () => {
      listeners.delete(update);
      globalThis.removeEventListener("popstate", onPopState);
    };
  }, []);
  const [path, search] = splitAddress(address);
  return { ...placeOf(path, search), address };
}

/** @param {string} address */
function splitAddress(address) {
  const at = address.indexOf("?");
  return at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at)];
}

/**
 * A link to another screen. Without a modifier key it does not load the page again.
 * @param {{to: string, children?: unknown, [attribute: string]: unknown}} properties
 */
export function Link({ to, children, ...attributes }) {
  const onClick = (/** @type {MouseEvent} */ event) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return html`<a ...${attributes} href=${to} onClick=${onClick}>${children}</a>`;
}
