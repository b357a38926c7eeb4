import assert from "node:assert/strict";
import test from "node:test";

import { jsonText, parseJson } from "../../src/callscore/reports/html/static/data.js";

test("a value becomes the text of it", () => {
  assert.equal(jsonText({ a: [1, "ж", null, true] }), '{"a":[1,"ж",null,true]}');
  assert.equal(jsonText({ a: 1 }, 2), '{\n  "a": 1\n}');
  assert.equal(jsonText(undefined), "");
});

test("an integer that a double cannot hold is written in full", () => {
  assert.equal(jsonText([12345678901234567890n, -1n, { a: 2n }]), '[12345678901234567890,-1,{"a":2}]');
});

test("a text that looks like the place of an integer stays a text", () => {
  assert.equal(jsonText([7n, "\u00000"]), '[7,"\\u00000"]');
});

test("ordinary JSON is read as ever", () => {
  assert.deepEqual(parseJson('{"a": [1, 2.5, "12345678901234567890"]}'), { a: [1, 2.5, "12345678901234567890"] });
});
