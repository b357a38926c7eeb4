/** The detail of a case: its score, its calls, why it lost points, and all that is known of it. */

import { Calls, actualCalls, callText } from "./calls.js";
import { jsonText } from "./data.js";
import { StatusMark, statusWord } from "./marks.js";
import { shortText } from "./reasons.js";
import { DataTable } from "./table.js";
import { Text, visibleText } from "./text.js";
import { Fold, Sentences, ValueView, copyText, useMore } from "./values.js";
import { html, useState } from "./vendor/preact-htm.js";
import { decimal, number, percent, plural, seconds, t } from "./words.js";

/** @typedef {import("./types").CaseView} CaseView */
/** @typedef {import("./types").Source} Source */
/** @typedef {import("./types").Json} Json */

/** Milliseconds for which it is shown that something was copied. */
const COPIED_SHOWN = 2500;

/**
 * One trial of a case.
 * @param {object} properties
 * @param {Source} properties.source
 * @param {number} properties.position
 * @param {CaseView} properties.view
 * @param {unknown} [properties.actions] further buttons
 * @param {boolean} [properties.isShort] without what is above it already
 */
export function CaseDetail({ source, position, view, actions, isShort = false }) {
  const isCheck = source.document.kind === "check";
  return html`<article class="case" key=${position}>
    <${CaseHeading} view=${view} passMark=${source.document.pass_mark} isShort=${isShort} />
    <${CaseActions} source=${source} view=${view} isCheck=${isCheck}>${actions}<//>
    <${CaseFailure} failure=${view.failure} />
    ${(view.rows.length > 0 || !view.failure) &&
    html`<section>
      <h3>${t("case.calls")}</h3>
      <${Calls} sides=${[view]} labels=${[t("calls.actual")]} isCheck=${isCheck} />
      <${Sentences} texts=${view.notes} />
    </section>`}
    <${CaseValues} values=${view.values} />
    <${CaseFacts} view=${view} />
  </article>`;
}

/**
 * The id, the status and the numbers of a trial.
 * @param {object} properties
 * @param {CaseView} properties.view
 * @param {number} [properties.passMark]
 * @param {boolean} [properties.isShort] only the status and the numbers
 */
export function CaseHeading({ view, passMark = 0, isShort = false }) {
  const { status, trial, score, usage } = view;
  const isRequired = status === "failed" && score !== null && score < passMark;
  const numbers = [
    [t("case.score"), percent(score)],
    ["Precision", view.precision !== null && percent(view.precision)],
    ["Recall", view.recall !== null && percent(view.recall)],
    [t("case.required"), isRequired && `≥ ${percent(passMark)}`],
    [t("case.rating"), !isShort && view.rating],
    [t("case.first_wrong_turn"), wrongTurn(view)],
  ];
  return html`<header>
    ${!isShort && html`<h2 class="case-id">${shortText(view.id)}</h2>`}
    <p class="row case-about">
      <strong class=${`word is-${status}`}><${StatusMark} status=${status} silent /> ${statusWord(status)}</strong>
      ${trial !== null && html`<span>${t("case.trial", { trial: visibleText(String(trial)) })}</span>`}
      ${!isShort &&
      [view.evaluation, ...view.tags].map((tag, at) => tag && html`<span key=${at} class="call-fact">${shortText(tag)}</span>`)}
      ${view.seconds !== undefined && html`<span class="muted">${seconds(view.seconds)}</span>`}
      ${usage && html`<span class="muted">${t("case.tokens", { read: number(usage.input_tokens), written: number(usage.output_tokens) })}</span>`}
    </p>
    ${score !== null &&
    html`<dl class="row case-numbers">
      ${numbers.map(([name, value]) => value && html`<div key=${name}><dt class="muted">${name}</dt><dd>${value}</dd></div>`)}
    </dl>`}
    ${!isShort && html`<p class="muted small">${view.summary}</p>`}
  </header>`;
}

/**
 * Which turn is the first that went wrong: `2 of 3`.
 * @param {CaseView} view
 */
function wrongTurn({ first_wrong_turn: turn, turns = [] }) {
  return turn && t("case.turn_of", { turn: number(turn), turns: number(turns[turns.length - 1]?.number ?? turn) });
}

/**
 * Buttons that copy the case in several forms.
 * @param {{source: Source, view: CaseView, isCheck: boolean, children?: unknown}} properties
 */
function CaseActions({ source, view, isCheck, children }) {
  const [outcome, setOutcome] = useState("");
  const copy = async (/** @type {string} */ text) => {
    setOutcome(t((await copyText(text)) ? "case.copied" : "case.not_copied"));
    setTimeout(() => setOutcome(""), COPIED_SHOWN);
  };
  const button = (/** @type {string} */ key, /** @type {() => string} */ text, title = "") =>
    html`<button type="button" class="button" title=${title} onClick=${() => copy(text())}>${t(key)}</button>`;
  const command = caseCommand(source, view);
  return html`<div class="row no-print">
    ${command && button("case.copy_command", () => command, visibleText(command))}
    ${!isCheck && view.status !== "error" && button("case.copy_expectation", () => expectationText(view))}
    ${button("case.copy_json", () => jsonText(/** @type {any} */ (view), 2))}
    ${children}
    <span role="status" class="is-good">${outcome}</span>
  </div>`;
}

/**
 * The command that explains or shows a case.
 * @param {Pick<Source, "document">} source
 * @param {Pick<CaseView, "id" | "trial" | "command">} view
 * @returns {string | undefined}
 */
export function caseCommand({ document: { case_command: start, kind } }, { id, trial, command }) {
  if (command || !start) return command;
  return `${start} ${quoted(id)}${trial === null || kind === "run" ? "" : ` --trial ${quoted(String(trial))}`}`;
}

/**
 * A word of a shell.
 * @param {string} text
 */
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/**
 * The actual calls as the `expected` list of a case file, turn by turn if the case has turns. A state is not a call.
 * @param {CaseView} view
 */
export function expectationText({ rows, turns }) {
  const calls = actualCalls(rows).filter(({ kind }) => kind !== "state");
  const written = (/** @type {import("./types").Call} */ { name, arguments: given }) => ({ name, ...(given && { arguments: given }) });
  if (!turns) return jsonText(calls.map(written), 2);
  const last = turns[turns.length - 1].number;
  const inTurn = (/** @type {number} */ at) => calls.filter(({ turn }) => (turn ?? 0) === at).map(written);
  return jsonText(Array.from({ length: last }, (_, at) => ({ turn: inTurn(at) })), 2);
}

/**
 * Why there is no answer.
 * @param {{failure: CaseView["failure"]}} properties
 */
export function CaseFailure({ failure }) {
  if (!failure) return null;
  const { title, problem, details, attempts } = failure;
  return html`<section class="case-box is-error">
    <h3><span aria-hidden="true">! </span>${shortText(title)}</h3>
    ${attempts > 1 && html`<p class="muted">${plural("case.attempts", attempts)}</p>`}
    ${[...new Set([problem, details])].map((text) => text && html`<${ValueView} key=${text} value=${text} name="problem" />`)}
  </section>`;
}

/** @param {{values?: import("./types").Value[]}} properties */
function CaseValues({ values = [] }) {
  if (!values.length) return null;
  const rows = values.map(({ name, value, reason, broken }) => [
    shortText(name),
    value === null ? t(broken ? "case.broken" : "case.no_value") : decimal(value),
    reason && html`<${Text} value=${reason} limit=${4000} />`,
  ]);
  return html`<section>
    <h3>${t("case.values")}</h3>
    <${DataTable} label=${t("case.values")} head=${[t("case.scorer"), t("case.value"), t("case.reason")]} rows=${rows} texts=${1} />
  </section>`;
}

/**
 * What else there is: how the score was calculated, the input, the answer, and what a case file has.
 * @param {{view: CaseView, isShort?: boolean}} properties `isShort`: only what two runs have in common
 */
export function CaseFacts({ view, isShort = false }) {
  const { ignored = [] } = view;
  const uncounted = ignored.map(({ side, why, call }) =>
    t("case.ignored_call", { side: t(`calls.${side}`), call: callText(call, side === "expected"), why: t(`case.why_${why}`) }),
  );
  const own = isShort ? null : view;
  /** @type {[string, unknown, boolean?, unknown?][]} a title, a value, whether it is open, and what shows it */
  const facts = [
    [t("case.input"), view.input, true],
    [t("case.answer"), own?.answer, true],
    [t("case.explanation"), own?.explanation, view.status !== "passed", Explanation],
    [t("case.expectation"), view.expectation],
    [t("case.ignored", { calls: plural("case.count_of_calls", ignored.length) }), own && ignored.length ? uncounted : null, false, Sentences],
    [t("case.metadata"), view.metadata],
  ];
  return facts.map(([title, value, isOpen, shown = InputValue]) => {
    if (value === undefined || value === null || value === "") return null;
    const show = () => html`<${shown} value=${value} texts=${value} name=${`${view.id}-${title}`} />`;
    return html`<${Fold} key=${title} label=${html`<h3>${title}</h3>`} open=${isOpen} show=${show} />`;
  });
}

/**
 * A value; the messages of a chat are shown one by one.
 * @param {{value: Json, name: string}} properties
 */
function InputValue({ value, name }) {
  const isMessage = (/** @type {any} */ item) => typeof item?.role === "string" && "content" in item;
  const isChat = Array.isArray(value) && value.length > 0 && value.every(isMessage);
  const { shown, more } = useMore(isChat ? /** @type {Record<string, Json>[]} */ (value) : []);
  if (!isChat) return html`<${ValueView} value=${value} name=${name} />`;
  return html`<dl class="case-chat case-parts">
      ${shown.map(
        ({ role, content, ...others }, at) =>
          html`<div key=${at}>
            <dt class="muted small">${shortText(String(role))}</dt>
            ${[content, Object.keys(others).length ? others : null].map(
              (part, each) => part !== null && part !== "" && html`<dd key=${each}><${ValueView} value=${part} name=${name} /></dd>`,
            )}
          </div>`,
      )}
    </dl>
    ${more}`;
}

/**
 * The three steps: each is a heading and its lines.
 * @param {{value: string}} properties
 */
function Explanation({ value }) {
  const steps = value.trim().split(/\n\n+/).map((step) => step.split("\n"));
  return html`<div class="case-parts small">
    ${steps.map(([first, ...lines], at) => html`<div key=${at}><h4><${Text} value=${first} /></h4><p><${Text} value=${lines.join("\n")} /></p></div>`)}
  </div>`;
}
