/** The detail of a case: its score, its calls, why it lost points, and all that is known of it. */

import { CallText, Calls, actualCalls } from "./calls.js";
import { jsonText } from "./data.js";
import { StatusMark, statusWord } from "./marks.js";
import { DataTable } from "./table.js";
import { Text, visibleText } from "./text.js";
import { Fold, ValueView, copyText, useMore } from "./values.js";
import { html, useState } from "./vendor/preact-htm.js";
import { decimal, number, percent, plural, seconds, t } from "./words.js";

/** @typedef {import("./types").CaseView} CaseView */
/** @typedef {import("./types").Json} Json */

/** Milliseconds for which a button says that it copied. */
const COPIED_SHOWN = 2500;
/** Notes, messages, steps and calls that do not count, before a button shows more. */
const MOST_SHOWN = 100;

/**
 * One trial of a case.
 * @param {object} properties
 * @param {import("./types").Source} properties.source
 * @param {number} properties.position
 * @param {CaseView} properties.view
 * @param {unknown} [properties.actions] further buttons
 */
export function CaseDetail({ source, position, view, actions }) {
  const isCheck = source.document.kind === "check";
  return html`<article class="case" key=${position}>
    <${CaseHeading} view=${view} passMark=${source.document.pass_mark} />
    <${CaseActions} view=${view} isCheck=${isCheck}>${actions}<//>
    <${CaseFailure} failure=${view.failure} />
    ${(view.rows.length > 0 || !view.failure) &&
    html`<${CasePart} title=${t("case.calls")}>
      <${Calls} rows=${view.rows} sides=${isCheck ? "actual" : "both"} />
      <${CaseNotes} notes=${view.notes} />
    <//>`}
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
  const { status } = view;
  return html`<header class="case-heading">
    ${!isShort && html`<h2 class="case-id"><${Text} value=${String(view.id)} limit=${400} /></h2>`}
    <p class="case-about">
      <strong class=${`word case-status is-${status}`}><${StatusMark} status=${status} silent /> ${outcomeWord(view)}</strong>
      ${view.trial !== null && html`<span>${t("case.trial", { trial: visibleText(String(view.trial)) })}</span>`}
      ${!isShort && view.evaluation && html`<span><${Text} value=${view.evaluation} limit=${200} /></span>`}
      ${!isShort && view.tags.map((tag) => html`<span key=${tag} class="case-tag"><${Text} value=${String(tag)} limit=${100} /></span>`)}
      ${view.seconds !== undefined && html`<span class="muted">${seconds(view.seconds)}</span>`}
      ${view.usage && html`<span class="muted">${usageText(view.usage)}</span>`}
    </p>
    ${view.score !== null &&
    html`<dl class="case-numbers">
      <${CaseNumber} name=${t("case.score")} value=${view.score} />
      <${CaseNumber} name="Precision" value=${view.precision} />
      <${CaseNumber} name="Recall" value=${view.recall} />
      ${status === "failed" && passMark > 0 && view.score < passMark && html`<${CaseNumber} name=${t("case.required")} value=${passMark} sign="≥ " />`}
      ${!isShort && view.rating && html`<div><dt>${t("case.rating")}</dt><dd>${view.rating}</dd></div>`}
    </dl>`}
    ${!isShort && view.summary && html`<p class="case-summary muted">${view.summary}</p>`}
  </header>`;
}

/**
 * The status in words. In Russian, a trial and a case have a different gender.
 * @param {CaseView} view
 */
function outcomeWord({ status, trial }) {
  if (status === "error" || status === "unscored") return statusWord(status);
  return t(`case.${trial === null ? "case" : "trial"}_${status}`);
}

/** @param {{name: string, value: number | null, sign?: string}} properties */
function CaseNumber({ name, value, sign = "" }) {
  if (value === null) return null;
  return html`<div><dt>${name}</dt><dd>${sign}${percent(value)}</dd></div>`;
}

/** @param {NonNullable<CaseView["usage"]>} usage */
function usageText({ requests, input_tokens, output_tokens }) {
  const tokens = t("case.tokens", { read: number(input_tokens), written: number(output_tokens) });
  return requests > 1 ? `${plural("case.requests", requests)}, ${tokens}` : tokens;
}

/**
 * Buttons that copy the case in several forms.
 * @param {{view: CaseView, isCheck: boolean, children?: unknown}} properties
 */
function CaseActions({ view, isCheck, children }) {
  const [outcome, setOutcome] = useState("");
  const copy = async (/** @type {string} */ text) => {
    setOutcome(t((await copyText(text)) ? "case.copied" : "case.not_copied"));
    setTimeout(() => setOutcome(""), COPIED_SHOWN);
  };
  const button = (/** @type {string} */ key, /** @type {() => string} */ text) =>
    html`<button type="button" class="button" onClick=${() => copy(text())}>${t(key)}</button>`;
  return html`<div class="case-actions no-print">
    ${view.command && button("case.copy_command", () => view.command ?? "")}
    ${!isCheck && view.status !== "error" && button("case.copy_expectation", () => expectationText(view))}
    ${button("case.copy_json", () => jsonText(/** @type {Json} */ (/** @type {unknown} */ (view)), 2))}
    ${children}
    <span role="status" class="case-copied">${outcome}</span>
  </div>`;
}

/**
 * The actual calls as the `expected` list of a case file.
 * @param {CaseView} view
 */
export function expectationText(view) {
  const calls = actualCalls(view.rows).map(({ name, arguments: given }) => ({ name, ...(given && { arguments: given }) }));
  return jsonText(calls, 2);
}

/**
 * @param {{title: unknown, children?: unknown}} properties
 */
function CasePart({ title, children }) {
  return html`<section class="case-part">
    <h3>${title}</h3>
    ${children}
  </section>`;
}

/**
 * Why there is no answer.
 * @param {{failure: CaseView["failure"]}} properties
 */
export function CaseFailure({ failure }) {
  if (!failure) return null;
  const { title, problem, details, attempts } = failure;
  return html`<section class="case-failure">
    <h3><span aria-hidden="true">! </span><${Text} value=${title} /></h3>
    <${ValueView} value=${problem} name="problem" />
    ${attempts > 1 && html`<p class="muted">${plural("case.attempts", attempts)}</p>`}
    ${details &&
    details !== problem &&
    html`<${Fold} label=${t("case.details")} show=${() => html`<pre class="value-lines"><${Text} value=${details} /></pre>`} />`}
  </section>`;
}

/** @param {{notes?: string[]}} properties */
function CaseNotes({ notes = [] }) {
  const { limit, more } = useMore(MOST_SHOWN);
  if (!notes.length) return null;
  return html`<ul class="case-notes">
    ${notes.slice(0, limit).map((note, at) => html`<li key=${at}><${Text} value=${note} limit=${2000} /></li>`)}
    ${notes.length > limit && html`<li>${more(notes.length)}</li>`}
  </ul>`;
}

/** @param {{values?: import("./types").Value[]}} properties */
function CaseValues({ values = [] }) {
  if (!values.length) return null;
  const title = t("case.values");
  const hasReasons = values.some(({ reason }) => reason);
  const head = [t("case.scorer"), t("case.value"), ...(hasReasons ? [t("case.reason")] : [])];
  const rows = values.map(({ name, value, reason, broken }) => [
    html`<${Text} value=${name} limit=${200} />`,
    value === null ? t(broken ? "case.broken" : "case.no_value") : decimal(value),
    ...(hasReasons ? [reason && html`<${Text} value=${reason} limit=${4000} />`] : []),
  ]);
  return html`<${CasePart} title=${title}>
    <${DataTable} label=${title} head=${head} rows=${rows} texts=${Number(hasReasons)} />
  <//>`;
}

/**
 * What else there is: how the score was calculated, the input, the answer, and what a case file has.
 * @param {{view: CaseView, isShort?: boolean}} properties `isShort`: only what two runs have in common
 */
export function CaseFacts({ view, isShort = false }) {
  const { id } = view;
  const explanation = isShort ? undefined : view.explanation;
  const ignored = isShort ? undefined : view.ignored;
  return html`
    <${CaseFact} title=${t("case.input")} value=${view.input} name=${`${id}-input`} isOpen />
    <${CaseFact} title=${t("case.answer")} value=${isShort ? undefined : view.answer} name=${`${id}-answer`} isOpen />
    ${explanation &&
    html`<${Fold}
      kind="case-part"
      label=${html`<h3>${t("case.explanation")}</h3>`}
      open=${view.status !== "passed"}
      show=${() => html`<${Explanation} text=${explanation} />`}
    />`}
    <${CaseFact} title=${t("case.expectation")} value=${view.expectation} name=${`${id}-expectation`} />
    ${ignored?.length &&
    html`<${Fold}
      kind="case-part"
      label=${html`<h3>${t("case.ignored", { calls: plural("case.count_of_calls", ignored.length) })}</h3>`}
      show=${() => html`<${IgnoredCalls} ignored=${ignored} />`}
    />`}
    <${CaseFact} title=${t("case.metadata")} value=${view.metadata} name=${`${id}-metadata`} />
  `;
}

/** @param {{title: string, value?: Json, name: string, isOpen?: boolean}} properties */
function CaseFact({ title, value, name, isOpen = false }) {
  if (value === undefined || value === null || value === "") return null;
  const messages = chatMessages(value);
  const show = () =>
    messages
      ? html`<${ChatMessages} messages=${messages} name=${name} />`
      : html`<${ValueView} value=${value} name=${name} />`;
  return html`<${Fold} kind="case-part" label=${html`<h3>${title}</h3>`} open=${isOpen} show=${show} />`;
}

/**
 * The messages of a chat, if a value is nothing else.
 * @param {Json} value
 * @returns {Record<string, Json>[] | null}
 */
function chatMessages(value) {
  const isMessage = (/** @type {Json} */ item) =>
    typeof item === "object" && item !== null && !Array.isArray(item) && typeof item.role === "string" && "content" in item;
  if (!Array.isArray(value) || !value.length || !value.every(isMessage)) return null;
  return /** @type {Record<string, Json>[]} */ (value);
}

/** @param {{messages: Record<string, Json>[], name: string}} properties */
function ChatMessages({ messages, name }) {
  const { limit, more } = useMore(MOST_SHOWN);
  return html`<dl class="case-chat">
    ${messages.slice(0, limit).map(({ role, content, ...others }, at) => {
      const hasOthers = Object.keys(others).length > 0;
      return html`<div key=${at}>
        <dt><${Text} value=${String(role)} limit=${80} /></dt>
        <dd>
          ${content !== null && content !== "" && html`<${ValueView} value=${content} name=${name} />`}
          ${hasOthers && html`<${ValueView} value=${others} name=${name} />`}
        </dd>
      </div>`;
    })}
  </dl>
  ${more(messages.length)}`;
}

/**
 * The three steps: each is a heading and its lines.
 * @param {{text: string}} properties
 */
function Explanation({ text }) {
  return html`<div class="case-explanation">
    ${text
      .trim()
      .split(/\n\n+/)
      .map((step, at) => html`<${ExplanationStep} key=${at} lines=${step.split("\n")} />`)}
  </div>`;
}

/** @param {{lines: string[]}} properties */
function ExplanationStep({ lines }) {
  const { limit, more } = useMore(MOST_SHOWN);
  const [first, ...rest] = lines;
  return html`<div>
    <h4><${Text} value=${first} limit=${2000} /></h4>
    ${rest.slice(0, limit).map((line, at) => {
      const isDeeper = /^ {5}/.test(line);
      return html`<p key=${at} class=${isDeeper ? "is-deeper" : ""}><${Text} value=${line.trim()} limit=${2000} /></p>`;
    })}
    ${more(rest.length)}
  </div>`;
}

/** @param {{ignored: NonNullable<CaseView["ignored"]>}} properties */
function IgnoredCalls({ ignored }) {
  const { limit, more } = useMore(MOST_SHOWN);
  return html`<ul class="case-ignored">
    ${ignored.slice(0, limit).map(
      ({ side, why, call }, at) =>
        html`<li key=${at}>
          <${CallText} call=${call} label=${t(`calls.${side}`)} isExpected=${side === "expected"} />
          ${" "}<span class="muted">${t(`case.why_${why}`)}</span>
        </li>`,
    )}
    ${ignored.length > limit && html`<li>${more(ignored.length)}</li>`}
  </ul>`;
}
