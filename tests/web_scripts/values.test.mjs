/** Values as text: short, in lines, and compared. */

import assert from "node:assert/strict";
import test from "node:test";

import { cutText, isSameJson, prettyLines, shortJson } from "../../src/callscore/reports/html/static/values.js";

test("a short value is JSON on one line", () => {
  const value = { a: [1, 2.5, null, true], "b c": { d: 'say "hi"\n' }, e: 12345678901234567890n };
  assert.equal(
    shortJson(value, 1000),
    '{"a": [1, 2.5, null, true], "b c": {"d": "say \\"hi\\"\\n"}, "e": 12345678901234567890}',
  );
  assert.equal(shortJson([], 10), "[]");
  assert.equal(shortJson({}, 10), "{}");
});

test("a long value is cut, and only its beginning is written", () => {
  let read = 0;
  const value = new Proxy(Array.from({ length: 1_000_000 }, (_, at) => at), {
    get(array, name) {
      read += 1;
      return Reflect.get(array, name);
    },
  });
  assert.equal(shortJson(value, 12), "[0, 1, 2, 3,…");
  assert.ok(read < 1000, `${read} members were read`);
  assert.equal(shortJson("x".repeat(10_000_000), 5), '"xxxx…');
});

test("no character is divided", () => {
  assert.equal(cutText("a😀b", 2), "a");
  assert.equal(cutText("a😀b", 3), "a😀");
  assert.equal(cutText("abc", 5), "abc");
});

test("what fits stays on one line, and the rest is divided", () => {
  const value = { flights: [{ number: "HAT136", date: "2024-05-20" }, { number: "HAT039", date: "2024-05-20" }], cabin: "economy" };
  assert.deepEqual(prettyLines(value, 60), [
    "{",
    '  "flights": [',
    '    {"number": "HAT136", "date": "2024-05-20"},',
    '    {"number": "HAT039", "date": "2024-05-20"}',
    "  ],",
    '  "cabin": "economy"',
    "}",
  ]);
  assert.deepEqual(prettyLines({ a: 1 }), ['{"a": 1}']);
  assert.deepEqual(prettyLines(9007199254740993n), ["9007199254740993"]);
});

test("a long text has the lines of its text, with escapes", () => {
  const text = `Dear John,\n\nthe path is C:\\new\n${"long ".repeat(20)}"end"`;
  const lines = prettyLines(text, 40);
  assert.equal(lines.length, 4);
  assert.equal(lines[0], '"Dear John,\\n');
  assert.equal(lines[2], "  the path is C:\\\\new\\n");
  assert.equal(JSON.parse(lines.map((line) => line.trimStart()).join("")), text);
});

test("lines are the JSON of the value", () => {
  const values = [
    [[[[]]], {}, ""],
    { "": { "a\u0000": ["\u2028", -0.5, 1e21] }, long: ["x".repeat(90), "y".repeat(90)] },
    Array.from({ length: 50 }, (_, at) => ({ at, name: `row ${at}` })),
  ];
  for (const value of values) assert.deepEqual(JSON.parse(prettyLines(value, 30).join("\n")), value);
});

test("a value that is nested deeply is shown as far as it can be", () => {
  let value = 1;
  for (let level = 0; level < 3000; level += 1) value = [value];
  assert.ok(shortJson(value, 100_000).includes("…"));
  assert.ok(prettyLines(value).length > 500);
});

test("objects are the same in any order of their keys", () => {
  assert.ok(isSameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }));
  assert.ok(isSameJson(10n ** 30n, 10n ** 30n));
  for (const [one, other] of [
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: undefined }, { b: undefined }],
    [[1, 2], [2, 1]],
    [[], {}],
    [null, {}],
    [1, "1"],
    [undefined, null],
    [{ toString: 1 }, { x: 1 }],
  ]) {
    assert.ok(!isSameJson(one, other), JSON.stringify([one, other]));
  }
});
