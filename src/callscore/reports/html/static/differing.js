/** What differs in two lists or texts: parts that are the same and parts that are not, and lines beside each other. */

/** @typedef {{text: string, differs: boolean}} Segment */
/** @typedef {{columns: (Segment[] | null)[], same: boolean}} AlignedLine the expected column is the first one */
/**
 * @template T
 * @typedef {{left: T[], right: T[], isSame: boolean}} Part
 */
/** @typedef {{x: number, diagonal: number, length: number, before: Run | null}} Run items that are the same in a row */

/** More edits than these are not looked for: what follows then differs as a whole. */
const MOST_EDITS = 500;
/** Characters between the common beginning and end that are compared word by word. */
const LONGEST_COMPARED = 20_000;
/** An equal part that is longer is shown as such, whatever is around it. */
const LONGEST_ISLAND = 20;
/** Pairs of lines that are compared with each other to find those that belong together. */
const MOST_PAIRED_LINES = 900;
/** How much two lines have in common to belong together. */
const ALIKE = 0.3;
/** Words, numbers, blanks, escapes such as `\n`, and other characters one by one. */
const TOKEN = /\\(?:u[0-9a-fA-F]{4}|.)|[\p{L}\p{M}]+|(?:(?<![\p{L}\p{N}])-)?\p{N}+|\s+|[^]/gu;
const IN_WORD = /[\p{L}\p{M}\p{N}\\\uD800-\uDFFF]/u;
const LONGEST_WORD = 100;

/**
 * Two lists in parts that are the same and parts that are not, by turns.
 * @template T
 * @param {T[]} left
 * @param {T[]} right
 * @param {(item: T) => unknown} [keyOf] items with the same key are the same
 * @returns {Part<T>[]}
 */
export function comparedParts(left, right, keyOf = (item) => item) {
  /** @type {Part<T>[]} */
  const parts = [];
  let x = 0;
  let y = 0;
  const add = (/** @type {number} */ toX, /** @type {number} */ toY, /** @type {boolean} */ isSame) => {
    if (toX > x || toY > y) parts.push({ left: left.slice(x, toX), right: right.slice(y, toY), isSame });
    x = toX;
    y = toY;
  };
  for (const { x: start, diagonal, length } of sameRuns(left.map(keyOf), right.map(keyOf))) {
    add(start, start - diagonal, false);
    add(start + length, start + length - diagonal, true);
  }
  add(left.length, right.length, false);
  return parts;
}

/**
 * The algorithm of Myers: how far each diagonal reaches with 0, 1, 2... edits, and by which runs of equal items.
 * @param {unknown[]} left
 * @param {unknown[]} right
 * @returns {Run[]}
 */
function sameRuns(left, right) {
  /** @type {Record<number, {x: number, run: Run | null}>} */
  const reached = { 1: { x: 0, run: null } };
  let isDone = false;
  let last = reached[1];
  for (let edits = 0; edits <= MOST_EDITS && !isDone; edits += 1) {
    for (let diagonal = -edits; diagonal <= edits && !isDone; diagonal += 2) {
      const [below, above] = [reached[diagonal - 1], reached[diagonal + 1]];
      const isDown = diagonal === -edits || (diagonal !== edits && below.x < above.x);
      const start = isDown ? above.x : below.x + 1;
      let { run } = isDown ? above : below;
      let x = start;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x += 1;
      if (x > start) run = { x: start, diagonal, length: x - start, before: run };
      last = reached[diagonal] = { x, run };
      isDone = x >= left.length && x - diagonal >= right.length;
    }
  }
  /** @type {Run[]} */
  const runs = [];
  for (let { run } = isDone ? last : reached[0]; run; run = run.before) runs.unshift(run);
  return runs;
}

/**
 * Two texts in segments; those that differ are marked. Compared by words, numbers and signs.
 * Between a long common beginning and end, only a limited part is compared; a longer one differs as a whole.
 * @param {string} expected
 * @param {string} actual
 * @returns {{expected: Segment[], actual: Segment[]}}
 */
export function markDifferences(expected, actual) {
  const [start, end] = commonEnds(expected, actual);
  const texts = [expected, actual].map((text) => text.slice(start, text.length - end));
  const isLong = Math.max(texts[0].length, texts[1].length) > LONGEST_COMPARED;
  const [left, right] = texts.map((text) => (isLong ? [text] : (text.match(TOKEN) ?? [])));
  const [first, last] = [expected.slice(0, start), expected.slice(expected.length - end)];
  const parts = withoutIslands([
    { left: [first], right: [first], isSame: true },
    ...comparedParts(left, right),
    { left: [last], right: [last], isSame: true },
  ]);
  const segments = (/** @type {"left" | "right"} */ side) =>
    parts.map((part) => ({ text: part[side].join(""), differs: !part.isSame })).filter(({ text }) => text);
  return { expected: segments("left"), actual: segments("right") };
}

/**
 * Two sentences that share only a few short words are two different sentences: an equal part that is not longer
 * than what differs on both sides of it is hard to read, and belongs to it.
 * @param {Part<string>[]} parts
 */
function withoutIslands(parts) {
  const sizeOf = (/** @type {Part<string>} */ part) => Math.max(part.left.join("").length, part.right.join("").length);
  /** @type {Part<string>[]} */
  const kept = [];
  for (const part of parts) {
    kept.push(part);
    while (kept.length > 2) {
      const [before, island, after] = kept.slice(-3);
      if (before.isSame || !island.isSame || after.isSame) break;
      if (sizeOf(island) > Math.min(sizeOf(before), sizeOf(after), LONGEST_ISLAND)) break;
      const joined = (/** @type {"left" | "right"} */ side) => [...before[side], ...island[side], ...after[side]];
      kept.splice(-3, 3, { left: joined("left"), right: joined("right"), isSame: false });
    }
  }
  return kept;
}

/**
 * How many characters two texts have in common at the beginning and then at the end; a word is not divided.
 * @param {string} left
 * @param {string} right
 * @returns {[number, number]}
 */
function commonEnds(left, right) {
  const count = (/** @type {number} */ most, /** @type {(text: string, at: number) => number} */ placeOf) => {
    const isSame = (/** @type {number} */ at) => left.charCodeAt(placeOf(left, at)) === right.charCodeAt(placeOf(right, at));
    let common = 0;
    while (common < most && isSame(common)) common += 1;
    if (common === left.length && common === right.length) return common;
    for (let each = LONGEST_WORD; each && common && IN_WORD.test(left[placeOf(left, common - 1)]); each -= 1) common -= 1;
    return common;
  };
  const shorter = Math.min(left.length, right.length);
  const start = count(shorter, (_, at) => at);
  return [start, count(shorter - start, (text, at) => text.length - 1 - at)];
}

/**
 * Lines of one or several sides beside the lines that were expected; those alone if there is no side.
 * What is expected is marked only if there is one side.
 * @param {string[]} expected
 * @param {string[][]} sides
 * @returns {AlignedLine[]}
 */
export function alignLines(expected, sides) {
  const waiting = (sides.length ? sides : [expected]).map((lines) =>
    comparedParts(expected, lines)
      .flatMap(({ left, right, isSame }) => (isSame ? beside(left, right) : pairedLines(left, right)))
      .reverse(),
  );
  /** @type {AlignedLine[]} */
  const rows = [];
  while (waiting.some((pairs) => pairs.length)) {
    const isAdded = (/** @type {LinePair[]} */ pairs) => pairs.length > 0 && pairs[pairs.length - 1][0] === undefined;
    const hasAdded = waiting.some(isAdded);
    const taken = waiting.map((pairs) => (!hasAdded || isAdded(pairs) ? pairs.pop() : undefined));
    rows.push(markedLine(taken[0]?.[0], taken.map((pair) => pair?.[1])));
  }
  return rows;
}

/** @typedef {[string | undefined, string | undefined]} LinePair an expected line, and the line beside it */

/**
 * @param {string[]} left
 * @param {string[]} right
 * @returns {LinePair[]}
 */
function beside(left, right) {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [left[at], right[at]]);
}

/**
 * Different lines beside those that they have most in common with, in order.
 * @param {string[]} left
 * @param {string[]} right
 * @returns {LinePair[]}
 */
function pairedLines(left, right) {
  const count = left.length * right.length;
  if (!count || count > MOST_PAIRED_LINES) return beside(left, right);
  let [best, x, y] = [ALIKE, 0, 0];
  left.forEach((one, atX) =>
    right.forEach((other, atY) => {
      const [start, end] = commonEnds(one.trim(), other.trim());
      const share = (start + end) / Math.max(one.length, other.length);
      if (share > best) [best, x, y] = [share, atX, atY];
    }),
  );
  return [
    ...pairedLines(left.slice(0, x), right.slice(0, y)),
    [left[x], right[y]],
    ...pairedLines(left.slice(x + 1), right.slice(y + 1)),
  ];
}

/**
 * @param {string | undefined} expected
 * @param {(string | undefined)[]} texts
 * @returns {AlignedLine}
 */
function markedLine(expected, texts) {
  const marked = texts.map((text) => markDifferences(expected ?? "", text ?? ""));
  const first = texts.length > 1 ? [{ text: expected ?? "", differs: false }] : marked[0].expected;
  return {
    columns: [expected === undefined ? null : first, ...texts.map((text, at) => (text === undefined ? null : marked[at].actual))],
    same: texts.every((text) => text === expected),
  };
}
