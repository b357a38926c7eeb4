/**
 * Which cases a filter lets through, and in which order. Columns are prepared once, and each filter is one loop over
 * numbers without any allocation per case: 100,000 cases take milliseconds.
 */

import { CHANGES, STATUSES } from "./marks.js";

/**
 * Lists of numbers, one list per item, in two flat arrays: those of item `i` are `at[start[i]]` to `at[start[i + 1] - 1]`.
 * @typedef {{start: Int32Array, at: Int32Array}} Lists
 */

/**
 * The columns of the index, ready for filters. An *item* is a trial of a case; a *row* is a case with all its trials.
 * @typedef {object} Prepared
 * @property {import("./types").Document} document
 * @property {import("./types").Index} index
 * @property {number} count items
 * @property {number} rows
 * @property {boolean} hasTrials whether a row has more than one item
 * @property {boolean} hasScores
 * @property {Lists} itemsOf of each row
 * @property {Int32Array} rowOf of each item
 * @property {Uint8Array} status of each item: a position in STATUSES
 * @property {Uint8Array | null} change of each item: a position in CHANGES
 * @property {Lists} problems
 * @property {Lists} tools
 * @property {Lists} tags
 * @property {string[] | null} texts id and input of each item in lower case, made when they are needed
 * @property {string[]} problemTexts what can be searched for, of each kind of problem
 * @property {Map<string, Int32Array>} orders rows in the order of a sort, made when they are needed
 */

/**
 * What to show. Everything but `status` has at most one value; null and empty let everything through.
 * @typedef {object} Filters
 * @property {string[]} status
 * @property {string | null} tool expected or called in the case
 * @property {string | null} problem the tool that went wrong, or was called in place of another one
 * @property {string | null} argument `argumentKey` of a problem
 * @property {string | null} failure `failureKey` of a problem
 * @property {string | null} cell `cellKey` of an expected and a called tool
 * @property {string | null} turn number of the first turn that went wrong
 * @property {string | null} tag
 * @property {string | null} evaluation label of an evaluation
 * @property {string} text words that must all occur
 * @property {string} change `only` (what changed), `all`, or one of CHANGES; of no effect without a comparison
 * @property {string} sort one of SORTS
 */

/**
 * What a filter finds.
 * @typedef {object} Found
 * @property {Int32Array} rows in the order of the sort
 * @property {Uint8Array} matches 1 for each item that matches
 * @property {number} items how many items match
 * @property {number[]} statuses how many items there are of each status, whatever statuses are chosen
 * @property {number[]} changes how many items there are of each change, whatever change is chosen
 */

export const SORTS = /** @type {const} */ (["change", "order", "score", "best", "id", "seconds"]);

/** Between the parts of a key; `%` keeps it apart from the same character in a name. */
const KEY_SIGNS = /[%:>]/g;

/**
 * @param {string | null | undefined} name
 */
function keyPart(name) {
  if (name === null || name === undefined) return "";
  return name === "" ? "%" : name.replace(KEY_SIGNS, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}

/**
 * The names that a key was made of; null where there was none.
 * @param {string} key
 * @returns {(string | null)[]}
 */
export function keyParts(key) {
  return key.split(/[:>]/).map((part) => {
    if (part === "") return null;
    return part === "%" ? "" : part.replace(/%([0-9a-f]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
  });
}

/**
 * The name of an argument of a tool in a filter: `book_flight:date`.
 * @param {string | null} tool
 * @param {string} argument
 */
export function argumentKey(tool, argument) {
  return `${keyPart(tool)}:${keyPart(argument)}`;
}

/**
 * The name of a cell of the confusion matrix in a filter: `search>lookup`, `search>` if nothing was called.
 * @param {string | null} expected
 * @param {string | null} called
 */
export function cellKey(expected, called) {
  return `${keyPart(expected)}>${keyPart(called)}`;
}

/**
 * The name of the failure class of a problem in a filter: `missed`, `schema:unknown_tool`.
 * @param {import("./types").Problem} problem
 */
export function failureKey(problem) {
  return problem.kind === undefined ? problem.class : `${problem.class}:${problem.kind}`;
}

/**
 * The cell of the confusion matrix that a problem belongs to; null if it is about arguments.
 * @param {import("./types").Problem} problem
 */
export function problemCell(problem) {
  switch (problem.class) {
    case "wrong_tool":
    case "order":
    case "turn":
    case "caller":
      return cellKey(problem.tool, problem.called ?? null);
    case "missed":
      return cellKey(problem.tool, null);
    case "extra":
    case "forbidden":
      return cellKey(null, problem.tool);
    default:
      return null;
  }
}

/**
 * Prepare the columns of an index.
 * @param {import("./types").Source} source
 * @param {(problem: import("./types").Problem) => string} wordsOf a problem as text, for the search
 * @returns {Prepared}
 */
export function prepareIndex({ document: document_, index }, wordsOf) {
  const rowOf = rowsOfItems(index);
  /** @type {number[][]} */
  const items = [];
  rowOf.forEach((row, item) => (items[row] ??= []).push(item));
  const rows = items.length;
  return {
    document: document_,
    index,
    count: index.count,
    rows,
    hasTrials: rows < index.count,
    hasScores: index.score.some((score) => score !== null),
    itemsOf: flatLists(items),
    rowOf,
    status: Uint8Array.from(index.status),
    change: index.change ? Uint8Array.from(index.change) : null,
    problems: flatLists(index.problems),
    tools: flatLists(index.tools),
    tags: flatLists(index.tags ?? index.id.map(() => [])),
    texts: null,
    problemTexts: index.problem_kinds.map((problem) => wordsOf(problem).toLowerCase()),
    orders: new Map(),
  };
}

/**
 * The row of each item: trials of the same case are one row, where the first of them is.
 * @param {import("./types").Index} index
 */
function rowsOfItems(index) {
  const { count, id, trial, evaluation } = index;
  const rowOf = new Int32Array(count);
  /** @type {Map<string, number>[]} */
  const known = [];
  let rows = 0;
  for (let item = 0; item < count; item += 1) {
    if (!trial || trial[item] === null) {
      rowOf[item] = rows++;
      continue;
    }
    const cases = (known[evaluation ? evaluation[item] : 0] ??= new Map());
    const row = cases.get(id[item]);
    if (row === undefined) cases.set(id[item], rows);
    rowOf[item] = row ?? rows++;
  }
  return rowOf;
}

/**
 * @param {number[][]} lists
 * @returns {Lists}
 */
function flatLists(lists) {
  const start = new Int32Array(lists.length + 1);
  for (let item = 0; item < lists.length; item += 1) start[item + 1] = start[item] + lists[item].length;
  const at = new Int32Array(start[lists.length]);
  for (let item = 0; item < lists.length; item += 1) at.set(lists[item], start[item]);
  return { start, at };
}

/**
 * Id and input of each item in lower case. The first search needs them; the report makes them when it is idle.
 * @param {Prepared} prepared
 * @returns {string[]}
 */
export function searchTexts(prepared) {
  const { id, about } = prepared.index;
  prepared.texts ??= id.map((name, item) => (about ? `${name}\n${about[item]}` : name).toLowerCase());
  return prepared.texts;
}

/**
 * All rows that have an item which passes all filters.
 * @param {Prepared} prepared
 * @param {Filters} filters
 * @returns {Found}
 */
export function select(prepared, filters) {
  const { document: document_, index } = prepared;
  const { evaluation, tool, tag, turn } = filters;
  const matches = new Uint8Array(prepared.count).fill(1);
  if (evaluation !== null && index.evaluation) {
    keepEqual(index.evaluation, document_.evaluations.findIndex(({ label }) => label === evaluation), matches);
  }
  if (tool !== null) keepListed(prepared.tools, marked(index.tool_names, (name) => name === tool), matches);
  if (tag !== null) keepListed(prepared.tags, marked(index.tag_names, (name) => name === tag), matches);
  if (turn !== null) keepEqual(index.turn ?? [], Number(turn), matches);
  keepProblems(prepared, filters, matches);
  for (const word of filters.text.toLowerCase().split(/\s+/)) {
    if (word) keepWord(prepared, word, matches);
  }
  const { change, status } = filters;
  const changes = keepNamed(prepared.change, CHANGES, (name) => isChosenChange(change, name), matches);
  const statuses = keepNamed(prepared.status, STATUSES, (name) => !status.length || status.includes(name), matches);
  const items = matches.reduce((sum, match) => sum + match, 0);
  const rows = rowOrder(prepared, filters.sort).filter((row) => hasMarked(prepared.itemsOf, row, matches));
  return { rows, matches, items, statuses, changes };
}

/**
 * 1 for each name that is meant.
 * @template T
 * @param {T[]} names
 * @param {(name: T) => boolean} isMeant
 */
function marked(names, isMeant) {
  const found = new Uint8Array(names.length);
  names.forEach((name, at) => {
    if (isMeant(name)) found[at] = 1;
  });
  return found;
}

/**
 * Keep the items whose list has a marked number.
 * @param {Lists} lists
 * @param {Uint8Array} wanted
 * @param {Uint8Array} matches
 */
function keepListed(lists, wanted, matches) {
  for (let item = 0; item < matches.length; item += 1) {
    if (matches[item]) matches[item] = hasMarked(lists, item, wanted);
  }
}

/**
 * 1 if the list of an item has a marked number.
 * @param {Lists} lists
 * @param {number} item
 * @param {Uint8Array} wanted
 */
function hasMarked({ start, at }, item, wanted) {
  for (let next = start[item]; next < start[item + 1]; next += 1) if (wanted[at[next]]) return 1;
  return 0;
}

/**
 * Keep the items that have a number in a column.
 * @param {(number | null)[]} column
 * @param {number} wanted
 * @param {Uint8Array} matches
 */
function keepEqual(column, wanted, matches) {
  for (let item = 0; item < matches.length; item += 1) {
    if (column[item] !== wanted) matches[item] = 0;
  }
}

/**
 * Keep the items that have a problem which is all that the filters ask for: of this class, in this argument.
 * @param {Prepared} prepared
 * @param {Filters} filters
 * @param {Uint8Array} matches
 */
function keepProblems({ problems, index }, { problem, argument, failure, cell }, matches) {
  if (problem === null && argument === null && failure === null && cell === null) return;
  const wanted = marked(
    index.problem_kinds,
    (kind) =>
      (problem === null || kind.tool === problem || kind.called === problem) &&
      (argument === null || (kind.argument !== undefined && argumentKey(kind.tool, kind.argument) === argument)) &&
      (failure === null || failureKey(kind) === failure) &&
      (cell === null || problemCell(kind) === cell),
  );
  keepListed(problems, wanted, matches);
}

/**
 * Keep the items in which a word occurs: in id, input, tags, tools or problems.
 * @param {Prepared} prepared
 * @param {string} word in lower case
 * @param {Uint8Array} matches
 */
function keepWord(prepared, word, matches) {
  const texts = searchTexts(prepared);
  const hasWord = (/** @type {string} */ name) => name.toLowerCase().includes(word);
  const tools = marked(prepared.index.tool_names, hasWord);
  const problems = marked(prepared.problemTexts, hasWord);
  const tags = marked(prepared.index.tag_names, hasWord);
  for (let item = 0; item < matches.length; item += 1) {
    if (!matches[item] || texts[item].includes(word)) continue;
    matches[item] =
      hasMarked(prepared.tools, item, tools) ||
      hasMarked(prepared.problems, item, problems) ||
      hasMarked(prepared.tags, item, tags);
  }
}

/**
 * Keep the items of the chosen names, and count those of each name before.
 * @param {Uint8Array | null} codes positions in `names`, one per item
 * @param {readonly string[]} names
 * @param {(name: string) => boolean} isChosen
 * @param {Uint8Array} matches
 */
function keepNamed(codes, names, isChosen, matches) {
  const counts = names.map(() => 0);
  if (!codes) return counts;
  const wanted = names.map((name) => Number(isChosen(name)));
  for (let item = 0; item < matches.length; item += 1) {
    if (!matches[item]) continue;
    counts[codes[item]] += 1;
    matches[item] = wanted[codes[item]];
  }
  return counts;
}

/**
 * Whether a change is to be shown.
 * @param {string} chosen
 * @param {string} change
 */
function isChosenChange(chosen, change) {
  if (chosen === "only") return change !== "same";
  return chosen === change || !CHANGES.some((name) => name === chosen);
}

/**
 * All rows in the order of a sort; kept for the next filter.
 * @param {Prepared} prepared
 * @param {string} sort
 */
function rowOrder(prepared, sort) {
  const found = prepared.orders.get(sort);
  if (found) return found;
  const order = Int32Array.from({ length: prepared.rows }, (_, row) => row);
  const compare = rowComparison(prepared, sort);
  if (compare) order.sort((one, other) => compare(one, other) || one - other);
  prepared.orders.set(sort, order);
  return order;
}

/**
 * How two rows compare; null for the order of the report.
 * @param {Prepared} prepared
 * @param {string} sort
 * @returns {((one: number, other: number) => number) | null}
 */
function rowComparison(prepared, sort) {
  const { index } = prepared;
  if (sort === "id") {
    const { start, at } = prepared.itemsOf;
    const { compare } = new Intl.Collator("en", { numeric: true }); // `case-2` before `case-10`
    return (one, other) => compare(index.id[at[start[one]]], index.id[at[start[other]]]);
  }
  /** @type {Record<string, (number | null)[] | null | undefined>} */
  const columns = { score: index.score, best: index.score, seconds: index.seconds, change: index.change };
  const column = Object.hasOwn(columns, sort) ? columns[sort] : null; // an address can have anything
  if (!column) return null;
  const means = rowMeans(prepared, column, sort === "best" || sort === "seconds" ? -1 : 1);
  return (one, other) => means[one] - means[other];
}

/**
 * The mean of a column over the items of each row; rows without any value come last.
 * @param {Prepared} prepared
 * @param {(number | null)[]} column
 * @param {1 | -1} sign
 */
function rowMeans({ rows, itemsOf: { start, at } }, column, sign) {
  const means = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    let sum = 0;
    let count = 0;
    for (let next = start[row]; next < start[row + 1]; next += 1) {
      const value = column[at[next]];
      if (value === null) continue;
      sum += value;
      count += 1;
    }
    means[row] = count ? (sign * sum) / count : Number.MAX_VALUE;
  }
  return means;
}
