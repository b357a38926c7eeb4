import assert from "node:assert/strict";
import test from "node:test";

import {
  currentLanguage,
  date,
  decimal,
  number,
  percent,
  plural,
  seconds,
  setWords,
  t,
} from "../../src/callscore/reports/html/static/words.js";

const ENGLISH = { lang: "en", words: { greeting: "{name} has {count}", cases: ["case", "cases"] } };
const RUSSIAN = { lang: "ru", words: { greeting: "{name}: {count}", cases: ["случай", "случая", "случаев"] } };

/** Spaces of all kinds as a plain one: which of them a locale uses depends on its version. */
const plain = (text) => text.replace(/[\u00a0\u2009\u202f]/g, " ");

test("a text has its values put in", () => {
  setWords(ENGLISH);

  assert.equal(t("greeting", { name: "{count}", count: 3 }), "{count} has 3");
  assert.equal(currentLanguage(), "en");
});

test("a value that looks like a pattern of a replacement is put in as it is", () => {
  setWords(ENGLISH);

  assert.equal(t("greeting", { name: "$&$1", count: 0 }), "$&$1 has 0");
});

test("a key that is not in the catalogue is an error", () => {
  setWords(ENGLISH);

  assert.throws(() => t("missing"), /no such text: missing/);
  assert.throws(() => t("cases"), /no such text: cases/);
  assert.throws(() => plural("greeting", 1), /no such noun: greeting/);
});

test("a counted noun has the form of its language", () => {
  setWords(ENGLISH);
  const english = [0, 1, 2, 21].map((count) => plural("cases", count));
  setWords(RUSSIAN);
  const russian = [0, 1, 2, 5, 11, 21, 22, 112].map((count) => plural("cases", count));

  assert.deepEqual(english, ["0 cases", "1 case", "2 cases", "21 cases"]);
  assert.deepEqual(russian, [
    "0 случаев",
    "1 случай",
    "2 случая",
    "5 случаев",
    "11 случаев",
    "21 случай",
    "22 случая",
    "112 случаев",
  ]);
});

test("numbers follow the locale", () => {
  setWords(ENGLISH);
  assert.deepEqual([number(1234567), decimal(0.5), percent(0.4321)].map(plain), ["1,234,567", "0.500", "43.2%"]);

  setWords(RUSSIAN);
  assert.deepEqual([number(1234567), decimal(0.5), percent(0.4321)].map(plain), ["1 234 567", "0,500", "43,2 %"]);
});

test("only what is perfect is shown as perfect, and only nothing as nothing", () => {
  setWords(ENGLISH);

  assert.deepEqual([1, 0.99999, 0.00001, 0].map(percent), ["100.0%", "99.9%", "0.1%", "0.0%"]);
  assert.deepEqual([1, 0.99999, 0.00001, 0].map(decimal), ["1.000", "0.999", "0.001", "0.000"]);
});

test("a difference has its sign, and what is missing a dash", () => {
  setWords(ENGLISH);

  assert.deepEqual([decimal(null), percent(null), seconds(null), date(null)], Array(4).fill("–"));
});

test("a duration is in seconds, and from a minute on in minutes and seconds", () => {
  setWords(ENGLISH);

  assert.deepEqual([0.31, 12.3, 60, 125].map(seconds), ["0.3 sec", "12 sec", "1 min", "2 min 5 sec"]);
});

test("a duration just below a full minute is not shown as sixty seconds", () => {
  setWords(ENGLISH);

  assert.deepEqual([59.9, 119.9].map(seconds), ["1 min", "2 min"]);
});
