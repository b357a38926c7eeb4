/** What the screens of the page decide: addresses, which cases differ, which settings are sent, what is asked once. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { setWords } from "../../src/callscore/reports/html/static/words.js";
import { withQuery } from "../../src/callscore/web/static/api.js";
import { likelyChoice } from "../../src/callscore/web/static/compare_with.js";
import { mergeRuns } from "../../src/callscore/web/static/home.js";
import { chosenCases, isDiffering, outcomeStatus, runsWith } from "../../src/callscore/web/static/matrix.js";
import { casePath, comparePath, placeOf, runCasePath, runPath, searchPath } from "../../src/callscore/web/static/router.js";
import { EMPTY_DRAFT, rescoringOf, startingValue } from "../../src/callscore/web/static/settings_form.js";
import { runSource } from "../../src/callscore/web/static/sources.js";

setWords({ lang: "ru", words: { "page.bad_options": "not JSON: {pattern}", "page.no_answer": "no answer" } });

const place = (address) => {
  const at = address.indexOf("?");
  return at < 0 ? placeOf(address, "") : placeOf(address.slice(0, at), address.slice(at));
};

test("an address that is written is read as the same screen", () => {
  const odd = 'a/b?c=d&e#f %2F,"<x>';
  assert.deepEqual(place(runPath(odd)), { name: "run", id: odd, panel: null, evaluation: null, case: null });
  assert.deepEqual(place(runPath("r", "rescore")), { name: "run", id: "r", panel: "rescore", evaluation: null, case: null });
  assert.deepEqual(place(runCasePath("r", "k", odd)), { name: "run", id: "r", panel: null, evaluation: "k", case: odd });
  assert.deepEqual(place(casePath("k", odd)), { name: "case", evaluation: "k", id: odd });
  assert.deepEqual(place(searchPath(odd)), { name: "search", query: odd });
  assert.deepEqual(place(comparePath(["a", "b", "c"])), { name: "compare", ids: ["a", "b", "c"] });
});

test("no address of the page leaves the page", () => {
  for (const path of [runPath("//evil.example"), runPath("data:text/html,x"), casePath("..", "//x"), searchPath("//x")]) {
    assert.equal(new URL(path, "http://127.0.0.1:1/").origin, "http://127.0.0.1:1");
    assert.match(path, /^\/[a-z]/);
  }
});

test("runs to compare may be escaped, and count once", () => {
  assert.deepEqual(place("/compare?lang=ru&runs=a%2Cb,a,"), { name: "compare", ids: ["a", "b"] });
  assert.deepEqual(place("/compare"), { name: "compare", ids: [] });
});

test("an address that means nothing is unknown, and never a fault", () => {
  for (const address of ["/nothing", "/runs/a/b", "/compare/a", "/evaluations/a/b/c"]) {
    assert.equal(place(address).name, "unknown");
  }
  assert.equal(place("/runs/%E0%A4%A").id, "%E0%A4%A");
  assert.equal(place("/").name, "home");
});

test("requests carry the language of the words, and escape what they are given", () => {
  assert.equal(withQuery("/api/x", { a: "b&c=d", none: null, zero: 0 }), "/api/x?lang=ru&a=b%26c%3Dd&zero=0");
});

test("a case with some trials that pass is mixed", () => {
  assert.deepEqual(
    [null, [0, 0], [3, 3], [0, 3], [1, 3]].map(outcomeStatus),
    [null, "unscored", "passed", "failed", "mixed"],
  );
});

test("runs differ in a case if shares differ, or one has not the case", () => {
  const differ = (...outcomes) => isDiffering({ evaluation: 0, id: "x", outcomes }, outcomes.map(() => true));
  assert.equal(differ([1, 1], [3, 3], [2, 2]), false);
  assert.equal(differ([1, 2], [2, 4]), false);
  assert.equal(differ([1, 1], [0, 1]), true);
  assert.equal(differ([1, 1], null), true);
  assert.equal(differ(null, null), false);
  assert.equal(differ([0, 0], [0, 0]), false);
});

test("a run without the evaluation does not make its cases differ", () => {
  const cases = [
    { evaluation: 0, id: "a", outcomes: [[1, 1], null, [1, 1]] },
    { evaluation: 0, id: "b", outcomes: [[1, 1], null, null] },
    { evaluation: 1, id: "a", outcomes: [null, [0, 1], null] },
  ];
  assert.deepEqual(runsWith(cases), [[true, false, true], [false, true, false]]);
  assert.deepEqual(chosenCases(cases, { differing: true, text: "", evaluation: null }).map(({ id }) => id), ["b"]);
});

test("cases are chosen by all words of the text, the evaluation, and whether they differ", () => {
  const cases = [
    { evaluation: 0, id: "Flight-1", outcomes: [[1, 1], [1, 1]] },
    { evaluation: 0, id: "flight-2", outcomes: [[1, 1], [0, 1]] },
    { evaluation: 1, id: "hotel-2", outcomes: [[1, 1], [0, 1]] },
  ];
  const ids = (filter) => chosenCases(cases, { differing: false, text: "", evaluation: null, ...filter }).map(({ id }) => id);
  assert.deepEqual(ids({}), ["Flight-1", "flight-2", "hotel-2"]);
  assert.deepEqual(ids({ differing: true }), ["flight-2", "hotel-2"]);
  assert.deepEqual(ids({ text: " 2  FLIGHT" }), ["flight-2"]);
  assert.deepEqual(ids({ evaluation: 1 }), ["hotel-2"]);
});

const run = (id, started_at, keys = ["k"], parent = null) => ({ id, started_at, parent, evaluations: keys.map((key) => ({ key })) });

test("a run that a newer one displaces stays in the list, and a deleted one does not", () => {
  const known = [run("c", 3), run("b", 2), run("a", 1)];
  assert.deepEqual(mergeRuns([run("d", 4), run("c", 3)], known).map(({ id }) => id), ["d", "c", "b", "a"]);
  assert.deepEqual(mergeRuns([run("d", 4), run("b", 2)], known).map(({ id }) => id), ["d", "b", "a"]);
  assert.deepEqual(mergeRuns([], known).map(({ id }) => id), ["c", "b", "a"]);
});

test("a run is at first compared with its parent, or the nearest older run of the same evaluation", () => {
  const others = [run("new", 9), run("other", 4, ["z"]), run("old", 3), run("older", 2)];
  assert.equal(likelyChoice(run("x", 5, ["k"], "older"), others), "older");
  assert.equal(likelyChoice(run("x", 5), others), "old");
  assert.equal(likelyChoice(run("x", 1), others), "new");
  assert.equal(likelyChoice(run("x", 5, ["none"]), others), "new");
  assert.equal(likelyChoice(run("x", 5), []), null);
});

const field = (name, kind, default_, choices = []) => ({ name, kind, default: default_, choices, title: "", help: "" });
const SETTINGS = {
  presets: [{ name: "flexible", title: "", values: { mode: "flexible" } }],
  settings: [
    field("mode", "choice", "strict", ["strict", "flexible"]),
    field("prefixes", "texts", []),
    field("effects", "effects", {}, ["read", "write"]),
    field("arguments", "arguments", {}, ["date", "text"]),
  ],
  current: [
    { evaluation: { key: "a" }, values: { mode: "flexible" } },
    { evaluation: { key: "b" }, values: {} },
  ],
};

test("a setting starts as in the run, and a preset overrides that", () => {
  const [mode, prefixes] = SETTINGS.settings;
  assert.deepEqual(startingValue(SETTINGS, mode, ""), { value: "flexible", isMixed: true });
  assert.deepEqual(startingValue(SETTINGS, prefixes, ""), { value: [], isMixed: false });
  assert.deepEqual(startingValue(SETTINGS, mode, "flexible"), { value: "flexible", isMixed: false });
  assert.deepEqual(startingValue({ ...SETTINGS, current: [] }, mode, ""), { value: "strict", isMixed: false });
});

test("only what was changed is sent", () => {
  assert.deepEqual(rescoringOf(SETTINGS, EMPTY_DRAFT), { settings: {} });
  const changed = {
    mode: "strict",
    prefixes: [" mcp__*__ ", "", "x"],
    effects: [{ pattern: "get_*", rule: "read", options: "" }, { pattern: " ", rule: "write", options: "" }],
    arguments: [
      { pattern: "*.date", rule: "date", options: " " },
      { pattern: "*.query", rule: "text", options: '{"similarity": 0.85}' },
    ],
  };
  assert.deepEqual(rescoringOf(SETTINGS, { preset: "flexible", changed }), {
    preset: "flexible",
    settings: {
      mode: "strict",
      prefixes: ["mcp__*__", "x"],
      effects: { "get_*": "read" },
      arguments: { "*.date": "date", "*.query": { text: { similarity: 0.85 } } },
    },
  });
});

test("options that are not JSON are refused with the pattern", () => {
  const changed = { arguments: [{ pattern: "*.query", rule: "text", options: "{similarity" }] };
  assert.throws(() => rescoringOf(SETTINGS, { preset: "", changed }), /not JSON: \*\.query/);
});

test("a case is asked for once, and again after a failure", async (context) => {
  const addresses = [];
  let isUp = false;
  context.mock.method(globalThis, "fetch", async (address) => {
    addresses.push(address);
    if (!isUp) throw new TypeError("refused");
    return new Response('{"view": {"id": "a"}, "notes": []}');
  });
  const index = { id: ["a", "b&c"], evaluation: [0, 2], trial: [null, 3] };
  const source = runSource({ run: { id: "r/1" }, document: {}, index });
  await assert.rejects(source.open(1), /no answer/);
  isUp = true;
  assert.deepEqual(await source.open(1), { id: "a" });
  assert.deepEqual((await source.answerAt(1)).notes, []);
  assert.deepEqual(addresses, Array(2).fill("/api/runs/r%2F1/case?lang=ru&evaluation=2&case=b%26c&trial=3"));
  source.forget(1);
  await source.open(1);
  assert.equal(addresses.length, 3);
});
