/** What differs inside two texts is marked, nothing is lost, and large texts take little time. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { alignLines, comparedParts, markDifferences } from "../../src/callscore/reports/html/static/differing.js";

const shown = (segments) => segments?.map(({ text, differs }) => (differs ? `[${text}]` : text)).join("") ?? null;
const marked = (expected, actual) => {
  const found = markDifferences(expected, actual);
  return [shown(found.expected), shown(found.actual)];
};
const plain = (segments) => segments.map(({ text }) => text).join("");

test("a part of a date is marked", () => {
  assert.deepEqual(marked('"2024-05-20"', '"2024-05-21"'), ['"2024-05-[20]"', '"2024-05-[21]"']);
});

test("a word or a number is never divided", () => {
  assert.deepEqual(marked("mia_li_3668", "mia_li_3669"), ["mia_li_[3668]", "mia_li_[3669]"]);
  assert.deepEqual(marked("to Paris now", "to Prague now"), ["to [Paris] now", "to [Prague] now"]);
  assert.deepEqual(marked("x😀y", "x😁y"), ["x[😀]y", "x[😁]y"]);
  assert.deepEqual(marked("Ёлка е\u0301", "Ёлка е"), ["Ёлка [е\u0301]", "Ёлка [е]"]);
});

test("a sign belongs to its number", () => {
  assert.deepEqual(marked("50", "-50"), ["[50]", "[-50]"]);
  assert.deepEqual(marked("2024-05-20", "2024-06-20"), ["2024-[05]-20", "2024-[06]-20"]);
});

test("an escape is one sign", () => {
  assert.deepEqual(marked('"a\\nHow"', '"a\\nHew"'), ['"a\\n[How]"', '"a\\n[Hew]"']);
  assert.deepEqual(marked('"a\\u0001b"', '"a\\u0002b"'), ['"a[\\u0001]b"', '"a[\\u0002]b"']);
});

test("an invisible character is marked", () => {
  assert.deepEqual(marked("pay", "pay\u200b"), ["pay", "pay[\u200b]"]);
});

test("what is only on one side is marked there", () => {
  assert.deepEqual(marked("one two", "one very two"), ["one two", "one [very ]two"]);
  assert.deepEqual(marked("", "x"), ["", "[x]"]);
  assert.deepEqual(marked("same", "same"), ["same", "same"]);
});

test("sentences with nothing but short words in common differ as a whole", () => {
  const [left, right] = marked(
    "Customer wants a refund for an order of shoes",
    "Passenger requests a change for an itinerary of flights",
  );
  assert.equal(left, "[Customer wants a refund for an order of shoes]");
  assert.equal(right, "[Passenger requests a change for an itinerary of flights]");
});

test("the texts are complete, whatever they are", () => {
  let seed = 1;
  const next = (limit) => {
    seed = (seed * 48271) % 2147483647;
    return seed % limit;
  };
  const alphabet = ["a", "b", " ", "1", "\\", "n", "😀", "\ud800", "\udc00", "é", "\n", '"', ","];
  for (let round = 0; round < 3000; round += 1) {
    const text = () => Array.from({ length: next(14) }, () => alphabet[next(alphabet.length)]).join("");
    const [left, right] = [text(), text()];
    const found = markDifferences(left, right);
    assert.equal(plain(found.expected), left);
    assert.equal(plain(found.actual), right);
    const same = (segments) => plain(segments.filter(({ differs }) => !differs));
    assert.equal(same(found.expected), same(found.actual));
    const isMarked = [...found.expected, ...found.actual].some(({ differs }) => differs);
    assert.equal(isMarked, left !== right);
  }
});

test("the items in common are as many as there can be", () => {
  const longest = (left, right) => {
    const best = Array.from({ length: left.length + 1 }, () => new Array(right.length + 1).fill(0));
    for (let x = left.length - 1; x >= 0; x -= 1) {
      for (let y = right.length - 1; y >= 0; y -= 1) {
        best[x][y] = left[x] === right[y] ? 1 + best[x + 1][y + 1] : Math.max(best[x + 1][y], best[x][y + 1]);
      }
    }
    return best[0][0];
  };
  let seed = 7;
  const next = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
  for (let round = 0; round < 2000; round += 1) {
    const list = () => Array.from({ length: next(12) }, () => next(4));
    const [left, right] = [list(), list()];
    const parts = comparedParts(left, right);
    const same = parts.filter(({ isSame }) => isSame);
    assert.equal(same.flatMap((part) => part.left).length, longest(left, right), `${left} | ${right}`);
    for (const part of same) assert.deepEqual(part.left, part.right);
    assert.deepEqual(parts.flatMap((part) => part.left), left);
    assert.deepEqual(parts.flatMap((part) => part.right), right);
    parts.forEach(({ isSame }, at) => assert.ok(!at || isSame !== parts[at - 1].isSame, "by turns"));
  }
});

test("lines stand beside the lines that they belong to", () => {
  const expected = ["[", '  {"flight": "HAT136", "date": "2024-05-20"},', '  {"flight": "HAT039", "date": "2024-05-20"}', "]"];
  const actual = ["[", '  {"flight": "HAT039", "date": "2024-05-21"}', "]"];
  const rows = alignLines(expected, [actual]);
  assert.deepEqual(
    rows.map((row) => row.columns.map(shown)),
    [
      ["[", "["],
      ['[  {"flight": "HAT136", "date": "2024-05-20"},]', null],
      ['  {"flight": "HAT039", "date": "2024-05-[20]"}', '  {"flight": "HAT039", "date": "2024-05-[21]"}'],
      ["]", "]"],
    ],
  );
  assert.deepEqual(rows.map((row) => row.same), [true, false, false, true]);
});

test("lines without anything in common stand beside each other, too", () => {
  const rows = alignLines(["0"], [["1"]]);
  assert.deepEqual(
    rows.map((row) => row.columns.map(shown)),
    [["[0]", "[1]"]],
  );
});

test("two sides stand beside one expectation", () => {
  const rows = alignLines(["a = 1", "b = 2"], [["a = 1", "b = 3"], ["a = 1", "new", "b = 2"]]);
  assert.deepEqual(
    rows.map((row) => row.columns.map(shown)),
    [
      ["a = 1", "a = 1", "a = 1"],
      [null, null, "[new]"],
      ["b = 2", "b = [3]", "b = 2"],
    ],
  );
});

test("lines without a side are shown as they are", () => {
  assert.deepEqual(alignLines(["a", "b"], []).map(({ columns, same }) => [shown(columns[0]), same]), [["a", true], ["b", true]]);
});

test("of lists with little in common, nothing is lost, and the beginning is compared", () => {
  const left = Array.from({ length: 3000 }, (_, at) => (at < 10 ? at : `left ${at}`));
  const right = left.map((item) => (typeof item === "number" ? item : `other ${item}`));
  const parts = comparedParts(left, right);
  assert.deepEqual(parts.map(({ isSame }) => isSame), [true, false]);
  assert.equal(parts[0].left.length, 10);
  assert.deepEqual(parts.flatMap((part) => part.right), right);
});

test("no line is lost", () => {
  let seed = 3;
  const next = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
  const list = () => Array.from({ length: next(9) }, () => ["{", "}", "aaa b", "aaa c", "x"][next(5)]);
  for (let round = 0; round < 1000; round += 1) {
    const [expected, ...sides] = [list(), list(), list()];
    const rows = alignLines(expected, sides);
    const column = (segments) => segments.filter((each) => each !== null).map(plain);
    [expected, ...sides].forEach((lines, at) => assert.deepEqual(column(rows.map(({ columns }) => columns[at])), lines));
  }
});

test("ten megabytes are compared", () => {
  const huge = "word ".repeat(2_000_000);
  const near = markDifferences(`${huge}left ${huge}`, `${huge}right ${huge}`);
  assert.deepEqual(near.expected.filter(({ differs }) => differs), [{ text: "left", differs: true }]);
  const far = markDifferences("a".repeat(10_000_000), "b".repeat(10_000_000));
  assert.equal(far.actual.length, 1);
  const other = Array.from({ length: 10_000 }, (_, at) => `${at}`).join(" ");
  const mixed = markDifferences(other, [...other].reverse().join(""));
  assert.equal(plain(mixed.expected), other);
});
