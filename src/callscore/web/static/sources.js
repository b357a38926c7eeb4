/** Where the components of the report get their data on the page: the server. */

import { apiPath, ask, withQuery } from "./api.js";

/** Details that stay in memory, per source. */
const DETAILS_IN_MEMORY = 50;

/**
 * A function that asks once for each position; the details used last stay in memory.
 * @template T
 * @param {(position: number) => Promise<T>} load
 * @returns {{open: (position: number) => Promise<T>, forget: (position: number) => void}}
 */
function remembering(load) {
  /** @type {Map<number, Promise<T>>} */
  const known = new Map();
  const open = (/** @type {number} */ position) => {
    const found = known.get(position) ?? load(position);
    known.delete(position);
    known.set(position, found); // the last one is the one used last
    found.catch(() => known.delete(position)); // the next click asks again
    if (known.size > DETAILS_IN_MEMORY) known.delete(/** @type {number} */ (known.keys().next().value));
    return found;
  };
  return { open, forget: (position) => void known.delete(position) };
}

/**
 * A source whose details come with notes.
 * @typedef {import("/static/report/types").Source & {
 *   answerAt: (position: number) => Promise<import("./types").CaseAnswer>,
 *   forget: (position: number) => void,
 * }} RunSource
 */

/**
 * The cases of a run.
 * @param {import("./types").RunPage} page
 * @returns {RunSource}
 */
export function runSource({ run, document: document_, index }) {
  const { open: answerAt, forget } = remembering((position) => {
    const query = {
      evaluation: index.evaluation?.[position] ?? 0,
      case: index.id[position],
      trial: index.trial?.[position],
    };
    return /** @type {Promise<import("./types").CaseAnswer>} */ (ask(withQuery(apiPath("runs", run.id, "case"), query)));
  });
  return { document: document_, index, answerAt, forget, open: async (position) => (await answerAt(position)).view };
}

/**
 * The cases of a comparison of two runs.
 * @param {import("./types").ComparePage} page
 * @returns {import("/static/report/types").Source}
 */
export function compareSource({ runs, document: document_, index }) {
  const ids = runs.map(({ id }) => id).join(",");
  return comparedSource(document_, index, (position) => withQuery(apiPath("compare", "case"), { runs: ids, position }));
}

/**
 * The cases of a preview, compared with those of the run.
 * @param {import("./types").Preview} preview
 * @returns {import("/static/report/types").Source}
 */
export function previewSource({ preview, document: document_, index }) {
  return comparedSource(document_, index, (position) => withQuery(apiPath("previews", preview, "case"), { position }));
}

/**
 * @param {import("/static/report/types").Document} document_
 * @param {import("/static/report/types").Index} index
 * @param {(position: number) => string} addressOf
 * @returns {import("/static/report/types").Source}
 */
function comparedSource(document_, index, addressOf) {
  const { open } = remembering((position) => ask(addressOf(position)));
  return { document: document_, index, open };
}
