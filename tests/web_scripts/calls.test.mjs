/** The calls of rows, where two trials part, and how two runs are put beside each other. */

import assert from "node:assert/strict";
import test from "node:test";

import { actualCalls, callBlocks, foldedParts, mergedRows, partingCall } from "../../src/callscore/reports/html/static/calls.js";
import { setWords } from "../../src/callscore/reports/html/static/words.js";

const call = (name, n = 1) => ({ name, arguments: { n } });
const same = (name, expected, actual, n) => ({ mark: "=", expected: call(name, n), expected_index: expected, actual_index: actual });
const extra = (name, actual, n) => ({ mark: "+", actual: call(name, n), actual_index: actual });
const missed = (name, expected) => ({ mark: "-", expected: call(name), expected_index: expected });
const names = (rows) =>
  rows.map(({ cells: [{ call: expected }, ...sides] }) => [
    expected?.name ?? null,
    ...sides.map(({ row }) => row && `${row.mark}${(row.actual ?? row.expected).name}`),
  ]);

test("the actual calls are in the order in which they were made", () => {
  const rows = [same("a", 0, 2), missed("b", 1), extra("c", 0), { mark: "~", expected: call("d"), actual: call("d", 2), expected_index: 2, actual_index: 1 }];
  const before = JSON.stringify(rows);
  assert.deepEqual(actualCalls(rows), [call("c"), call("d", 2), call("a")]);
  assert.equal(JSON.stringify(rows), before);
});

test("two trials part at the first call that is not the same", () => {
  assert.equal(partingCall([[same("a", 0, 0)], [same("a", 0, 0)]]), null);
  assert.equal(partingCall([[], []]), null);
  assert.equal(partingCall([[same("a", 0, 0), extra("b", 1)], [same("a", 0, 0), extra("b", 1, 2)]]), 1);
  assert.equal(partingCall([[same("a", 0, 0)], [same("a", 0, 0), extra("b", 1)]]), 1);
  assert.equal(partingCall([[same("a", 0, 0)], [extra("a", 0)]]), null, "how they are scored does not matter");
});

test("two runs stand beside the same expected calls", () => {
  const before = [extra("look", 0), same("a", 0, 1), missed("b", 1)];
  const after = [same("a", 0, 0), extra("other", 1), same("b", 1, 2)];
  assert.deepEqual(names(mergedRows(before, after, 0)), [
    [null, "+look", undefined],
    ["a", "=a", "=a"],
    [null, undefined, "+other"],
    ["b", "-b", "=b"],
  ]);
});

test("the same extra calls of both runs share a row, and then those of the same tool", () => {
  const before = [extra("think", 0, 1), extra("look", 1, 5)];
  const after = [extra("look", 0, 5), extra("think", 1, 2)];
  assert.deepEqual(names(mergedRows(before, after, null)), [
    [null, "+think", undefined],
    [null, "+look", "+look"],
    [null, undefined, "+think"],
  ]);
  assert.deepEqual(names(mergedRows([extra("think", 0, 1)], [extra("think", 0, 2)], null)), [[null, "+think", "+think"]]);
});

test("an expected call is never shown twice, wherever other calls are", () => {
  const before = [extra("x", 0), extra("y", 1), same("a", 0, 2)];
  const after = [same("a", 0, 0), extra("x", 1), extra("y", 2)];
  const merged = mergedRows(before, after, null);
  assert.equal(merged.filter(({ cells }) => cells[0].call).length, 1);
});

test("the call at which the runs part is marked on both sides, with one label", () => {
  const merged = mergedRows([same("a", 0, 0), same("b", 1, 1)], [same("a", 0, 1), same("b", 1, 0)], 0);
  assert.deepEqual(merged.map(({ parting }) => parting), [0, undefined]);
  assert.deepEqual(merged.map(({ cells }) => cells.map(({ isParting }) => isParting === true)), [
    [false, true, false],
    [false, false, true],
  ]);
});

test("no call of a run is lost", () => {
  let seed = 5;
  const next = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
  const rows = () => {
    let actual = 0;
    return Array.from({ length: next(8) }, (_, at) =>
      [same("s", at, actual++, next(3)), extra("e", actual++, next(3)), missed("m", at)][next(3)],
    );
  };
  for (let round = 0; round < 500; round += 1) {
    const [before, after] = [rows(), rows()];
    const merged = mergedRows(before, after, null);
    assert.deepEqual(merged.flatMap(({ cells }) => cells[1].row ?? []), before);
    assert.deepEqual(merged.flatMap(({ cells }) => cells[2].row ?? []), after);
  }
});

test("of many quiet items, only those around others are shown at first", () => {
  const items = Array.from({ length: 1000 }, (_, at) => at);
  const isQuiet = (item) => item !== 500;
  const folds = (opened) => foldedParts(items, isQuiet, opened).filter(({ from, to }) => to - from > 1);
  assert.deepEqual(folds([]), [
    { from: 2, to: 498 },
    { from: 503, to: 998 },
  ]);
  assert.deepEqual(folds([2]), [{ from: 503, to: 998 }]);
  for (const opened of [[], [2], [2, 503]]) {
    const shown = foldedParts(items, isQuiet, opened).flatMap(({ from, to }) => items.slice(from, to));
    assert.deepEqual(shown, items);
  }
  assert.deepEqual(foldedParts(items.slice(0, 8), isQuiet, []).length, 8);
  assert.deepEqual(foldedParts([], isQuiet, []), []);
});

test("calls without turns are one part without a title", () => {
  const rows = [same("a", 0, 0), extra("b", 1)];
  assert.deepEqual(callBlocks([{ rows }]), [{ words: [], rows: [rows] }]);
});

test("turns and the state at the end are parts of their own, also a turn without calls", () => {
  const state = { mark: "~", expected: { name: "end_state", kind: "state" }, actual: { name: "end_state", kind: "state" } };
  const rows = [{ ...same("a", 0, 0), turn: 1 }, { ...missed("b", 1), turn: 2 }, state];
  const turns = [
    { number: 1, passed: true, word: "" },
    { number: 2, passed: false, word: "0.0%" },
    { number: 3, passed: true, word: "no calls" },
  ];
  setWords({ lang: "en", words: { "calls.turn": "Turn {number}", "calls.end_state": "End state" } });
  const parts = callBlocks([{ rows, turns, state: "differs" }]);
  assert.deepEqual(
    parts.map(({ title, words, rows: [part] }) => [title, words.map(({ text }) => text).join(), part.length]),
    [["Turn 1", "", 1], ["Turn 2", "0.0%", 1], ["Turn 3", "no calls", 0], ["End state", "differs", 1]],
  );
  const both = callBlocks([{ rows, turns, state: "differs" }, { rows: [same("a", 0, 0)] }]);
  assert.deepEqual(both.map(({ rows: sides }) => sides.map((side) => side.length)), [[0, 1], [1, 0], [1, 0], [0, 0], [1, 0]]);
  assert.deepEqual(both.map(({ words }) => words.map(({ text }) => text)), [[], ["100.0%", "–"], ["0.0%", "–"], ["no calls", "–"], ["differs", "–"]]);
});

test("a turn that went wrong in one of two runs has the scores of both", () => {
  setWords({ lang: "en", words: { "calls.turn": "Turn {number}" } });
  const side = (word) => ({ rows: [{ ...same("a", 0, 0), turn: 1 }], turns: [{ number: 1, passed: !word, word }] });
  const words = (...sides) => callBlocks(sides.map(side))[0].words.map(({ text }) => text);
  assert.deepEqual(words("66.7%", ""), ["66.7%", "100.0%"]);
  assert.deepEqual(words("66.7%", "50.0%"), ["66.7%", "50.0%"]);
  assert.deepEqual(words("50.0%", "50.0%"), ["50.0%"]);
  assert.deepEqual(words("", ""), []);
  assert.deepEqual(words("50.0%"), ["50.0%"]);
});
