/** What differs inside two texts: segments for both sides, and lines that stand beside each other. */

/** @typedef {{text: string, differs: boolean}} Segment */
/** @typedef {{expected: Segment[] | null, sides: (Segment[] | null)[], same: boolean}} AlignedLine */
/** @typedef {{expected: string, actual: string, differs: boolean}} Block */

/** More edits than these are not looked for: then all between the common beginning and end differs. */
const MOST_EDITS = 500;
/** Characters between the common beginning and end that are compared word by word. */
const LONGEST_COMPARED = 20_000;
/** Pairs of lines that are compared with each other to find those that belong together. */
const MOST_PAIRED_LINES = 900;
/** How much two lines have in common to belong together, and what others count that stand beside each other. */
const ALIKE = 0.3;
const UNLIKE = 0.01;

/**
 * The same items in both lists, in order, as pairs of positions.
 * A list of edits that is not the shortest one is returned if the lists have little in common.
 * @template T
 * @param {readonly T[]} left
 * @param {readonly T[]} right
 * @returns {[number, number][]}
 */
export function commonItems(left, right) {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  /** @type {[number, number][]} */
  const pairs = [];
  for (let at = 0; at < start; at += 1) pairs.push([at, at]);
  const middle = shortestEdits(left.slice(start, left.length - end), right.slice(start, right.length - end));
  for (const [one, other] of middle) pairs.push([start + one, start + other]);
  for (let at = end; at > 0; at -= 1) pairs.push([left.length - at, right.length - at]);
  return pairs;
}

/**
 * The algorithm of Myers: how far each diagonal reaches with 0, 1, 2... edits, and then the way back.
 * @template T
 * @param {readonly T[]} left
 * @param {readonly T[]} right
 * @returns {[number, number][]}
 */
function shortestEdits(left, right) {
  if (!left.length || !right.length) return [];
  const most = Math.min(left.length + right.length, MOST_EDITS);
  const reached = new Int32Array(2 * most + 3);
  const middle = most + 1;
  /** @type {Int32Array[]} */
  const rounds = [];
  for (let edits = 0; edits <= most; edits += 1) {
    rounds.push(reached.slice(middle - edits - 1, middle + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isDown(reached, middle, diagonal, edits)
        ? reached[middle + diagonal + 1]
        : reached[middle + diagonal - 1] + 1;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x += 1;
      reached[middle + diagonal] = x;
      if (x >= left.length && x - diagonal >= right.length) return wayBack(rounds, left.length, right.length);
    }
  }
  return [];
}

/**
 * Whether a diagonal is reached from the one above it, by an item of the right list.
 * @param {Int32Array} reached
 * @param {number} middle
 * @param {number} diagonal
 * @param {number} edits
 */
function isDown(reached, middle, diagonal, edits) {
  if (diagonal === -edits) return true;
  return diagonal !== edits && reached[middle + diagonal - 1] < reached[middle + diagonal + 1];
}

/**
 * @param {Int32Array[]} rounds
 * @param {number} x
 * @param {number} y
 * @returns {[number, number][]}
 */
function wayBack(rounds, x, y) {
  /** @type {[number, number][]} */
  const pairs = [];
  for (let edits = rounds.length - 1; edits >= 0; edits -= 1) {
    const before = rounds[edits];
    const middle = edits + 1;
    const diagonal = x - y;
    const from = isDown(before, middle, diagonal, edits) ? diagonal + 1 : diagonal - 1;
    const startX = edits ? before[middle + from] : 0;
    const startY = edits ? startX - from : 0;
    while (x > startX && y > startY) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    x = startX;
    y = startY;
  }
  return pairs.reverse();
}

/**
 * Two texts in segments; those that differ are marked. Compared by words, numbers and signs.
 * Between a long common beginning and end, only a limited part is compared; a longer one differs as a whole.
 * @param {string} expected
 * @param {string} actual
 * @returns {{expected: Segment[], actual: Segment[]}}
 */
export function markDifferences(expected, actual) {
  const blocks = comparedBlocks(expected, actual);
  return { expected: segmentsOf(blocks, "expected"), actual: segmentsOf(blocks, "actual") };
}

/**
 * @param {string} expected
 * @param {string} actual
 * @returns {Block[]}
 */
function comparedBlocks(expected, actual) {
  if (expected === actual) return [{ expected, actual, differs: false }];
  const [start, end] = commonEnds(expected, actual);
  const left = expected.slice(start, expected.length - end);
  const right = actual.slice(start, actual.length - end);
  /** @type {Block[]} */
  const blocks = [];
  addBlock(blocks, expected.slice(0, start), actual.slice(0, start), false);
  if (Math.max(left.length, right.length) > LONGEST_COMPARED) addBlock(blocks, left, right, true);
  else compareTokens(blocks, tokensOf(left), tokensOf(right));
  addBlock(blocks, expected.slice(expected.length - end), actual.slice(actual.length - end), false);
  return withoutIslands(blocks);
}

/**
 * @param {Block[]} blocks
 * @param {string[]} left
 * @param {string[]} right
 */
function compareTokens(blocks, left, right) {
  let x = 0;
  let y = 0;
  for (const [one, other] of [...commonItems(left, right), [left.length, right.length]]) {
    addBlock(blocks, left.slice(x, one).join(""), right.slice(y, other).join(""), true);
    if (one < left.length) addBlock(blocks, left[one], right[other], false);
    x = one + 1;
    y = other + 1;
  }
}

/**
 * Add to the last block if that is of the same kind.
 * @param {Block[]} blocks
 * @param {string} expected
 * @param {string} actual
 * @param {boolean} differs
 */
function addBlock(blocks, expected, actual, differs) {
  if (!expected && !actual) return;
  const last = blocks[blocks.length - 1];
  if (last?.differs === differs) {
    last.expected += expected;
    last.actual += actual;
  } else {
    blocks.push({ expected, actual, differs });
  }
}

/** Words, numbers, blanks, escapes such as `\n`, and other characters one by one. */
const TOKEN = /\\(?:u[0-9a-fA-F]{4}|.)|[\p{L}\p{M}]+|(?:(?<![\p{L}\p{N}])-)?\p{N}+|\s+|[^]/gu;

/** @param {string} text */
function tokensOf(text) {
  return text.match(TOKEN) ?? [];
}

/**
 * Two sentences that share only a few short words are two different sentences: an equal part that is not longer
 * than what differs on both sides of it is hard to read, and belongs to it.
 * @param {Block[]} blocks
 */
function withoutIslands(blocks) {
  /** @type {Block[]} */
  const kept = [];
  for (const block of blocks) {
    kept.push(block);
    while (kept.length > 2 && block.differs && isIsland(kept)) {
      const [before, island, after] = kept.splice(-3);
      kept.push({
        expected: before.expected + island.expected + after.expected,
        actual: before.actual + island.actual + after.actual,
        differs: true,
      });
    }
  }
  return kept;
}

/** @param {Block[]} kept */
function isIsland(kept) {
  const [before, island, after] = kept.slice(-3);
  const longest = (/** @type {Block} */ block) => Math.max(block.expected.length, block.actual.length);
  return before.differs && !island.differs && longest(island) <= Math.min(longest(before), longest(after), 20);
}

/**
 * @param {Block[]} blocks
 * @param {"expected" | "actual"} side
 * @returns {Segment[]}
 */
function segmentsOf(blocks, side) {
  return blocks.filter((block) => block[side]).map((block) => ({ text: block[side], differs: block.differs }));
}

const IN_WORD = /[\p{L}\p{M}\p{N}\\\uD800-\uDFFF]/u;
const LONGEST_WORD = 100;

/**
 * How many characters two texts have in common at the beginning and then at the end; a word is not divided.
 * @param {string} left
 * @param {string} right
 * @returns {[number, number]}
 */
function commonEnds(left, right) {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left.charCodeAt(start) === right.charCodeAt(start)) start += 1;
  for (let most = LONGEST_WORD; most && start && IN_WORD.test(left[start - 1]); most -= 1) start -= 1;
  const [x, y, rest] = [left.length - 1, right.length - 1, shorter - start];
  let end = 0;
  while (end < rest && left.charCodeAt(x - end) === right.charCodeAt(y - end)) end += 1;
  for (let most = LONGEST_WORD; most && end && IN_WORD.test(left[x - end + 1]); most -= 1) end -= 1;
  return [start, end];
}

/**
 * Lines of one or several sides beside the lines that were expected.
 * What is expected is marked only if there is one side.
 * @param {string[]} expected
 * @param {string[][]} sides
 * @returns {AlignedLine[]}
 */
export function alignLines(expected, sides) {
  const columns = sides.map((lines) => linesByExpected(expected, lines));
  /** @type {AlignedLine[]} */
  const rows = [];
  for (let at = 0; at <= expected.length; at += 1) {
    const added = Math.max(...columns.map((column) => column.added[at].length));
    for (let each = 0; each < added; each += 1) {
      const texts = columns.map((column) => column.added[at][each]);
      rows.push({ expected: null, sides: texts.map(wholeSegment), same: false });
    }
    if (at < expected.length) {
      rows.push(alignedLine(expected[at], columns.map((column) => column.beside[at])));
    }
  }
  return rows;
}

/** @param {string | undefined} text */
function wholeSegment(text) {
  return text === undefined ? null : [{ text, differs: true }];
}

/**
 * @param {string} expected
 * @param {(string | undefined)[]} texts
 * @returns {AlignedLine}
 */
function alignedLine(expected, texts) {
  const marked = texts.map((text) => (text === undefined ? null : markDifferences(expected, text)));
  const isMarked = texts.length === 1;
  const plain = [{ text: expected, differs: isMarked && !marked[0] }];
  return {
    expected: (isMarked && marked[0]?.expected) || plain,
    sides: marked.map((found) => found && found.actual),
    same: texts.every((text) => text === expected),
  };
}

/**
 * Which line stands beside each expected one, and which lines stand before it alone.
 * @param {string[]} expected
 * @param {string[]} lines
 */
function linesByExpected(expected, lines) {
  /** @type {(string | undefined)[]} */
  const beside = new Array(expected.length).fill(undefined);
  /** @type {string[][]} */
  const added = Array.from({ length: expected.length + 1 }, () => []);
  let x = 0;
  let y = 0;
  for (const [one, other] of [...commonItems(expected, lines), [expected.length, lines.length]]) {
    const pairs = alikeLines(expected.slice(x, one), lines.slice(y, other));
    const partners = new Map(pairs.map(([left, right]) => [right, left]));
    let place = x;
    for (let at = y; at < other; at += 1) {
      const partner = partners.get(at - y);
      if (partner === undefined) {
        added[place].push(lines[at]);
      } else {
        beside[x + partner] = lines[at];
        place = x + partner + 1;
      }
    }
    if (one < expected.length) beside[one] = lines[other];
    x = one + 1;
    y = other + 1;
  }
  return { beside, added };
}

/**
 * Which of different lines stand beside each other, in order: the pairs that have most in common together.
 * @param {string[]} left
 * @param {string[]} right
 * @returns {[number, number][]}
 */
function alikeLines(left, right) {
  if (left.length * right.length > MOST_PAIRED_LINES) {
    return left.slice(0, right.length).map((_, at) => [at, at]);
  }
  const best = Array.from({ length: left.length + 1 }, () => new Float64Array(right.length + 1));
  for (let x = left.length - 1; x >= 0; x -= 1) {
    for (let y = right.length - 1; y >= 0; y -= 1) {
      const paired = likeness(left[x], right[y]) + best[x + 1][y + 1];
      best[x][y] = Math.max(paired, best[x + 1][y], best[x][y + 1]);
    }
  }
  /** @type {[number, number][]} */
  const pairs = [];
  for (let x = 0, y = 0; x < left.length && y < right.length; ) {
    if (best[x][y] === best[x + 1][y]) x += 1;
    else if (best[x][y] === best[x][y + 1]) y += 1;
    else pairs.push([x++, y++]);
  }
  return pairs;
}

/**
 * The share of a line that is the same at its beginning and end.
 * @param {string} left
 * @param {string} right
 */
function likeness(left, right) {
  const [one, other] = [left.trim(), right.trim()];
  const [start, end] = commonEnds(one, other);
  const share = (start + end) / Math.max(one.length, other.length, 1);
  return share < ALIKE ? UNLIKE : share;
}
