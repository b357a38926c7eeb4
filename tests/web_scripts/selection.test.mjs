import assert from "node:assert/strict";
import test from "node:test";

import { readAddress, startView, writeAddress } from "../../src/callscore/reports/html/static/address.js";
import { rankProblems } from "../../src/callscore/reports/html/static/rankings.js";
import {
  argumentKey,
  cellKey,
  failureKey,
  prepareIndex,
  problemCell,
  select,
} from "../../src/callscore/reports/html/static/selection.js";

const PROBLEMS = [
  { class: "value", tool: "book", argument: "date" },
  { class: "missed", tool: "pay" },
  { class: "wrong_tool", tool: "search", called: "lookup" },
  { class: "schema", tool: "pay", kind: "unknown_tool", title: "unknown tool" },
];

/** Five items: two trials of `trip`, and three cases. */
const INDEX = {
  count: 5,
  id: ["trip", "Case-10", "case-2", "trip", "case-1"],
  trial: [1, null, null, 2, null],
  evaluation: null,
  status: [0, 1, 1, 1, 2],
  score: [1, 0.5, 0.25, 0, null],
  tag_names: ["fast", "slow"],
  tags: [[0], [1], [], [0], [0, 1]],
  tool_names: ["book", "pay", "search"],
  tools: [[0], [0, 1], [2], [0], [1]],
  problem_kinds: PROBLEMS,
  problems: [[], [0, 1], [2], [0], [3]],
  about: ["Fly to Rome", "Pay the bill", "Look it up", "Fly to Rome", ""],
  seconds: [1, 2, 3, 4, null],
  turn: [null, 1, 2, 2, null],
};
const DOCUMENT = { comparison: null, evaluations: [] };
const prepared = prepareIndex({ document: DOCUMENT, index: INDEX }, (problem) => problem.class);

/** The ids of the rows that a filter finds, in order. */
function found(filters, from = prepared) {
  const { rows } = select(from, { ...startView(from.change !== null), ...filters });
  return [...rows].map((row) => from.index.id[from.itemsOf.at[from.itemsOf.start[row]]]);
}

test("trials of a case are one row, where the first of them is", () => {
  assert.deepEqual(found({}), ["trip", "Case-10", "case-2", "case-1"]);
  assert.equal(prepared.hasTrials, true);
});

test("each filter keeps the rows with an item that matches", () => {
  const expected = [
    [{ status: ["failed"] }, ["trip", "Case-10", "case-2"]],
    [{ status: ["passed", "error"] }, ["trip", "case-1"]],
    [{ turn: "2" }, ["trip", "case-2"]],
    [{ turn: "7" }, []],
    [{ tool: "pay" }, ["Case-10", "case-1"]],
    [{ problem: "pay" }, ["Case-10", "case-1"]],
    [{ argument: argumentKey("book", "date") }, ["trip", "Case-10"]],
    [{ failure: failureKey(PROBLEMS[3]) }, ["case-1"]],
    [{ failure: "missed" }, ["Case-10"]],
    [{ cell: cellKey("search", "lookup") }, ["case-2"]],
    [{ cell: cellKey("pay", null) }, ["Case-10"]],
    [{ tag: "slow" }, ["Case-10", "case-1"]],
    [{ text: "ROME" }, ["trip"]],
    [{ text: "fly book" }, ["trip"]],
    [{ text: "wrong_tool" }, ["case-2"]],
    [{ text: "fast case" }, ["case-1"]],
    [{ tag: "fast", status: ["failed"] }, ["trip"]],
    [{ tool: "nothing of the kind" }, []],
  ];
  for (const [filters, ids] of expected) assert.deepEqual(found(filters), ids, JSON.stringify(filters));
});

test("a call that could not be paired is in the cell of what was called in its place", () => {
  assert.equal(problemCell({ class: "turn", tool: "pay" }), cellKey("pay", null));
  assert.equal(problemCell({ class: "caller", tool: "pay", called: "pay" }), cellKey("pay", "pay"));
  assert.equal(problemCell({ class: "value", tool: "pay", argument: "n" }), null);
});

test("filters about problems must hold for the same problem", () => {
  assert.deepEqual(found({ problem: "pay", failure: "value" }), []);
  assert.deepEqual(found({ problem: "book", failure: "value" }), ["trip", "Case-10"]);
});

test("a sort orders the rows, and those without a value come last", () => {
  assert.deepEqual(found({ sort: "score" }), ["case-2", "trip", "Case-10", "case-1"]);
  assert.deepEqual(found({ sort: "best" }), ["trip", "Case-10", "case-2", "case-1"]);
  assert.deepEqual(found({ sort: "id" }), ["case-1", "case-2", "Case-10", "trip"]);
  assert.deepEqual(found({ sort: "seconds" }), ["case-2", "trip", "Case-10", "case-1"]);
  assert.deepEqual(found({ sort: "of another report" }), found({}));
});

test("how many items have a status is counted whatever statuses are chosen", () => {
  const { statuses, items } = select(prepared, { ...startView(false), tag: "fast", status: ["passed"] });

  assert.deepEqual([statuses, items], [[1, 1, 1, 0], 1]);
});

test("a comparison shows what changed, and the worst change first", () => {
  const index = { ...INDEX, trial: null, change: [3, 1, 0, 2, 5] };
  const compared = prepareIndex({ document: { ...DOCUMENT, comparison: {} }, index }, () => "");

  assert.deepEqual(found({}, compared), ["case-2", "Case-10", "trip", "case-1"]);
  assert.deepEqual(found({ change: "all" }, compared), ["case-2", "Case-10", "trip", "trip", "case-1"]);
  assert.deepEqual(found({ change: "fixed" }, compared), ["Case-10"]);
});

test("rankings count items, the most frequent first", () => {
  const { tools, arguments: ranked, failures, cells } = rankProblems(prepared);

  assert.deepEqual(tools.map(({ key, count }) => [key, count]), [["book", 2], ["pay", 2], ["search", 1]]);
  assert.deepEqual(ranked.map(({ key, count }) => [key, count]), [["book:date", 2]]);
  assert.equal(failures[0].key, "value");
  assert.deepEqual([...cells], ["pay>", "search>lookup"]);
});

test("names with the signs of keys stay apart", () => {
  const names = ["", ":", ">", "%", "%3a", "a:b", null];
  const cells = names.flatMap((expected) => names.map((called) => cellKey(expected, called)));
  const keys = names.flatMap((tool) => ["", ":", "a:b", "%"].map((name) => argumentKey(tool, name)));

  assert.equal(new Set(cells).size, cells.length);
  assert.equal(new Set(keys).size, keys.length);
});

test("every view survives the way through the address", () => {
  const start = startView(false);
  const views = [
    start,
    { ...start, status: ["failed", "error"], sort: "id", text: "a b&c=d#e%" },
    { ...start, tool: "", problem: "жук", argument: "a:b", failure: "schema:x", cell: ">b", case: "trip#1" },
    { ...start, tag: "\u202e<script>", evaluation: "a/b [c]", change: "all" },
  ];
  for (const view of views) assert.deepEqual(readAddress(writeAddress(view, start), start), view);
  assert.equal(writeAddress(start, start), "");
});

test("a broken address is no error, and what it does not know is left out", () => {
  const start = startView(false);

  assert.deepEqual(readAddress("#text=%E0%A4%A&constructor=x&__proto__=y&=z&&a", start), { ...start, text: "%E0%A4%A" });
});
