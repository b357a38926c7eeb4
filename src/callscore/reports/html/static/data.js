/** Opens the data of a report: the document, the index of its cases, and chunks of cases on demand. */

/** How many chunks stay unpacked. */
const CHUNKS_IN_MEMORY = 8;

/**
 * The data of the file that this script is in.
 * @returns {Promise<import("./types").Source>}
 */
export async function openReport() {
  /** @type {import("./types").Document} */
  const document_ = JSON.parse(textOf("report"));
  /** @type {import("./types").Index} */
  const index = JSON.parse(await unpack(textOf("index")));
  return { document: document_, index, open: chunkOpener(document_.starts) };
}

/** @param {string} id */
function textOf(id) {
  return globalThis.document.getElementById(id)?.textContent ?? "";
}

/** Waits until the file is read to its end: the chunks are behind this script. */
function whenRead() {
  return new Promise((resolve) => {
    if (globalThis.document.readyState !== "loading") resolve(null);
    else globalThis.document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });
}

/**
 * The text of a chunk; those at the start of the file may be there before the others.
 * @param {number} chunk
 */
async function chunkText(chunk) {
  const isComplete = globalThis.document.getElementById(`chunk-${chunk}`)?.nextElementSibling;
  if (!isComplete) await whenRead();
  return textOf(`chunk-${chunk}`);
}

/**
 * A function that opens the case at a position; the chunks used last stay in memory.
 * @param {number[]} starts
 */
function chunkOpener(starts) {
  /** @type {Map<number, Promise<string[]>>} */
  const unpacked = new Map();

  /** @param {number} chunk */
  function linesOf(chunk) {
    const found = unpacked.get(chunk) ?? chunkText(chunk).then(unpack).then((text) => text.split("\n"));
    unpacked.delete(chunk);
    unpacked.set(chunk, found); // the last one is the one used last
    if (unpacked.size > CHUNKS_IN_MEMORY) {
      unpacked.delete(/** @type {number} */ (unpacked.keys().next().value));
    }
    return found;
  }

  return async (/** @type {number} */ position) => {
    const chunk = chunkAt(starts, position);
    const lines = await linesOf(chunk);
    return parseJson(lines[position - starts[chunk]]);
  };
}

/**
 * The last chunk that starts at or before a position.
 * @param {number[]} starts
 * @param {number} position
 */
function chunkAt(starts, position) {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Text from Base64 of raw deflate.
 * @param {string} packed
 */
async function unpack(packed) {
  const binary = atob(packed);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

/**
 * A JSON value in which integers that a double cannot hold are `bigint`: they are shown as they were written.
 * @param {string} text
 * @returns {any}
 */
export function parseJson(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  /** @type {any} the third argument of the function is newer than the types */
  const parse = JSON.parse;
  return parse(text, (/** @type {string} */ _, /** @type {any} */ value, /** @type {any} */ context) => {
    const source = context?.source;
    const isCut = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? "");
    return isCut ? BigInt(source) : value;
  });
}

/**
 * A value as JSON text, with integers of any size.
 * @param {import("./types").Json | undefined} value
 * @param {number} [indent]
 * @returns {string}
 */
export function jsonText(value, indent = 0) {
  return value === undefined ? "" : writtenJson(value, indent, "\n");
}

/**
 * @param {import("./types").Json} value
 * @param {number} indent
 * @param {string} line the line break before the end of this value
 * @returns {string}
 */
function writtenJson(value, indent, line) {
  if (value === null || typeof value !== "object") {
    return typeof value === "bigint" ? String(value) : JSON.stringify(value);
  }
  const inner = line + " ".repeat(indent);
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => writtenJson(item, indent, inner))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}:${indent ? " " : ""}${writtenJson(item, indent, inner)}`,
      );
  const [open, close] = isList ? "[]" : "{}";
  if (!items.length) return open + close;
  return indent ? open + inner + items.join(`,${inner}`) + line + close : open + items.join(",") + close;
}
