/** Why a case lost points: the names of tools in it. */

import assert from "node:assert/strict";
import test from "node:test";

import { problemText, toolText } from "../../src/callscore/reports/html/static/reasons.js";
import { setWords } from "../../src/callscore/reports/html/static/words.js";

test("the end state has words of its own, and is no tool", () => {
  setWords({ lang: "en", words: { "calls.end_state": "End state", "problems.class_value": "Wrong value" } });
  assert.equal(toolText("end_state"), "End state");
  assert.equal(toolText("end_states"), "end_states");
  assert.equal(problemText({ class: "value", tool: "end_state", argument: "n" }), "Wrong value End state n");
});
