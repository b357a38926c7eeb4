/** What went wrong how often: tools, arguments and failure classes by the number of trials that they occur in. */

import { argumentKey, failureKey, problemCell } from "./selection.js";

/**
 * Something that went wrong, and in how many items. `key` is the value of its filter.
 * @typedef {{key: string, problem: import("./types").Problem, count: number}} Ranked
 */

/**
 * @typedef {object} Rankings
 * @property {Ranked[]} tools
 * @property {Ranked[]} arguments
 * @property {Ranked[]} failures
 * @property {Set<string>} cells cells of the confusion matrix that have problems
 */

/**
 * All rankings, the most frequent first.
 * @param {import("./selection").Prepared} prepared
 * @returns {Rankings}
 */
export function rankProblems(prepared) {
  const cells = prepared.index.problem_kinds.map(problemCell).filter((cell) => cell !== null);
  return {
    tools: rankBy(prepared, (problem) => problem.tool),
    arguments: rankBy(prepared, (problem) =>
      problem.argument === undefined ? null : argumentKey(problem.tool, problem.argument),
    ),
    failures: rankBy(prepared, failureKey),
    cells: new Set(cells),
  };
}

/**
 * @param {import("./selection").Prepared} prepared
 * @param {(problem: import("./types").Problem) => string | null} keyOf
 * @returns {Ranked[]}
 */
function rankBy({ index, problems }, keyOf) {
  /** @type {Map<string, number>} */
  const groups = new Map();
  /** @type {Ranked[]} */
  const ranked = [];
  const groupOf = index.problem_kinds.map((problem) => {
    const key = keyOf(problem);
    if (key === null) return -1;
    const known = groups.get(key);
    if (known !== undefined) return known;
    groups.set(key, ranked.length);
    return ranked.push({ key, problem, count: 0 }) - 1;
  });
  const seenIn = new Int32Array(ranked.length).fill(-1); // an item counts once, however many of its problems belong here
  const { start, at } = problems;
  for (let item = 0; item < index.count; item += 1) {
    for (let next = start[item]; next < start[item + 1]; next += 1) {
      const group = groupOf[at[next]];
      if (group < 0 || seenIn[group] === item) continue;
      seenIn[group] = item;
      ranked[group].count += 1;
    }
  }
  return ranked.filter(({ count }) => count).sort((one, other) => other.count - one.count);
}

/**
 * Names with the number of items that have them, the most frequent first.
 * @param {string[]} names
 * @param {import("./selection").Lists} lists
 * @returns {{name: string, count: number}[]}
 */
export function rankNames(names, { at }) {
  const counts = new Int32Array(names.length);
  for (const position of at) counts[position] += 1;
  return names
    .map((name, position) => ({ name, count: counts[position] }))
    .sort((one, other) => other.count - one.count);
}
