/** What is copied from a case: the command that shows it, and its calls as an expectation. */

import assert from "node:assert/strict";
import test from "node:test";

import { caseCommand, expectationText } from "../../src/callscore/reports/html/static/case.js";

const command = (kind, id, trial, start = "callscore explain a.jsonl --case") =>
  caseCommand({ document: { kind, case_command: start } }, { id, trial });

test("the command ends with the case and its trial", () => {
  assert.equal(command("score", "trip-1", null), "callscore explain a.jsonl --case trip-1");
  assert.equal(command("score", "trip-1", 3), "callscore explain a.jsonl --case trip-1 --trial 3");
  assert.equal(command("run", "trip-1", 3, "callscore show r1"), "callscore show r1 trip-1");
});

test("a name that a shell would read otherwise is quoted", () => {
  assert.equal(command("score", "a b", null), "callscore explain a.jsonl --case 'a b'");
  assert.equal(command("score", "it's $HOME", null), `callscore explain a.jsonl --case 'it'"'"'s $HOME'`);
  assert.equal(command("score", "", "x;y"), "callscore explain a.jsonl --case '' --trial 'x;y'");
});

test("a case that has a command keeps it, and without a beginning there is none", () => {
  const view = { id: "a", trial: null, command: "callscore show r a" };
  assert.equal(caseCommand({ document: { kind: "score", case_command: "other" } }, view), "callscore show r a");
  assert.equal(command("score", "a", null, ""), undefined);
  assert.equal(caseCommand({ document: { kind: "run", pass_mark: 0 } }, { id: "a", trial: 0 }), undefined);
});

test("the calls as an expectation have names and arguments only, with integers of any size", () => {
  const rows = [
    { mark: "+", actual: { name: "b", arguments: { n: 12345678901234567890n }, id: "x", result: "ok" }, actual_index: 1 },
    { mark: "=", expected: { name: "a", arguments: {} }, expected_index: 0, actual_index: 0 },
    { mark: "-", expected: { name: "c" }, expected_index: 1 },
    { mark: "!", actual: { name: "d", raw: "{", error: "cut" }, actual_index: 2 },
  ];
  assert.equal(
    expectationText({ rows }).replace(/\s+/g, " "),
    '[ { "name": "a", "arguments": {} }, { "name": "b", "arguments": { "n": 12345678901234567890 } }, { "name": "d" } ]',
  );
});
