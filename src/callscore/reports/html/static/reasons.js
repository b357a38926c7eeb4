/** Why a case lost points, in few words: `book_flight: date, seats`, `missed search`, `search → lookup`. */

import { Text } from "./text.js";
import { html } from "./vendor/preact-htm.js";
import { t } from "./words.js";

/** Characters of a name; names of megabytes would be slow. */
const LONGEST_NAME = 300;

/** Reasons of a row; what follows is only counted. */
const MOST_REASONS = 6;

/** Failure classes, the worst first: what an agent did wrong says more than what it did besides. */
const WORST_FIRST = [
  ["error"],
  ["forbidden"],
  ["malformed", "wrong_tool", "missed"],
  ["value", "type", "missing", "unexpected", "matcher", "order", "turn", "caller", "schema"],
  ["extra"],
];

/** Failure classes that have a colour of their own. */
const COLOURED_CLASSES = ["missed", "extra", "forbidden", "error"];

/**
 * The name of the colour of a problem.
 * @param {import("./types").Problem} problem
 */
export function problemLook(problem) {
  return COLOURED_CLASSES.includes(problem.class) ? `is-${problem.class}` : "is-bad";
}

/**
 * A text of the catalogue with nodes in place of its `{names}`.
 * @param {string} key
 * @param {Record<string, unknown>} nodes
 * @returns {unknown[]}
 */
export function phraseWith(key, nodes) {
  const names = Object.keys(nodes);
  const signs = Object.fromEntries(names.map((name, at) => [name, `\u0001${at}\u0001`]));
  return t(key, signs)
    .split("\u0001")
    .map((part, at) => (at % 2 ? nodes[names[Number(part)]] : part));
}

/**
 * The failure class of a problem in words: `Wrong value`; for faults and errors, what kind it is.
 * @param {import("./types").Problem} problem
 */
export function failureWord(problem) {
  return problem.title ?? t(`problems.class_${problem.class}`);
}

/**
 * A problem as text, for the search.
 * @param {import("./types").Problem} problem
 */
export function problemText(problem) {
  const { tool, argument, called, kind } = problem;
  return [failureWord(problem), tool && toolText(tool), argument, called, kind].filter(Boolean).join(" ");
}

/**
 * Foreign text that has to be short.
 * @param {string} value
 */
export function shortText(value) {
  return html`<${Text} value=${value} limit=${LONGEST_NAME} />`;
}

/** The name under which the end state is among the tools. */
const END_STATE = "end_state";

/**
 * The name of a tool as text; the end state is no tool, and has words of its own.
 * @param {string} name
 */
export function toolText(name) {
  return name === END_STATE ? t("calls.end_state") : name;
}

/**
 * The name of a tool; an empty name is shown as such.
 * @param {{name: string}} properties
 */
export function ToolName({ name }) {
  if (name === END_STATE) return toolText(name);
  return html`<span class="tool-name">${shortText(name || '""')}</span>`;
}

/**
 * The name of an argument; the whole of the arguments has no name.
 * @param {{name: string}} properties
 */
export function ArgumentName({ name }) {
  if (name === "") return t("list.all_arguments");
  return html`<span class="tool-name">${shortText(name)}</span>`;
}

/**
 * The problems of a row. Wrong arguments of one tool are one reason.
 * @param {{problems: import("./types").Problem[]}} properties
 */
export function Reasons({ problems }) {
  const reasons = reasonsOf(problems);
  const shown = reasons.slice(0, MOST_REASONS).map(
    ([problem, names], at) =>
      html`${at ? html`<span class="muted"> · </span>` : null}<span
          class=${`reason ${problemLook(problem)}`}
          >${reasonWords(problem, names)}</span
        >`,
  );
  if (reasons.length > MOST_REASONS) {
    shown.push(html`<span class="muted"> · ${t("list.more_reasons", { count: reasons.length - MOST_REASONS })}</span>`);
  }
  return shown;
}

/**
 * @param {import("./types").Problem[]} problems
 * @returns {[import("./types").Problem, string[]][]} a problem, and the arguments of all problems like it
 */
function reasonsOf(problems) {
  /** @type {[import("./types").Problem, string[]][]} */
  const reasons = [];
  const rank = (/** @type {import("./types").Problem} */ problem) =>
    WORST_FIRST.findIndex((classes) => classes.includes(problem.class));
  for (const problem of [...problems].sort((one, other) => rank(one) - rank(other))) {
    const same =
      problem.argument !== undefined &&
      reasons.find(([other]) => other.argument !== undefined && other.tool === problem.tool);
    if (!same) reasons.push([problem, problem.argument === undefined ? [] : [problem.argument]]);
    else if (!same[1].includes(problem.argument ?? "")) same[1].push(problem.argument ?? "");
  }
  return reasons;
}

/**
 * @param {import("./types").Problem} problem
 * @param {string[]} names
 */
function reasonWords(problem, names) {
  const tool = html`<${ToolName} name=${problem.tool ?? ""} />`;
  if (names.length) {
    const listed = names.map((name, at) => html`${at ? ", " : ""}<${ArgumentName} name=${name} />`);
    return phraseWith("list.reason_in_tool", { tool, what: listed });
  }
  switch (problem.class) {
    case "missed":
    case "extra":
    case "forbidden":
      return phraseWith(`list.reason_${problem.class}`, { tool });
    case "wrong_tool":
      return phraseWith("list.reason_wrong_tool", { tool, called: html`<${ToolName} name=${problem.called ?? ""} />` });
    default: {
      const what = shortText(failureWord(problem));
      return problem.tool === null ? what : phraseWith("list.reason_in_tool", { tool, what });
    }
  }
}
