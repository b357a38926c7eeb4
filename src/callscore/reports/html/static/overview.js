/** What a reader sees first: verdict, score with interval, counts, and what to do next. */

import { CallsBar, Distribution, Trend, shareInterval } from "./charts.js";
import { toggled } from "./filters.js";
import { STATUSES, StatusMark } from "./marks.js";
import { DataTable } from "./table.js";
import { Text } from "./text.js";
import { copyText } from "./values.js";
import { html, useState } from "./vendor/preact-htm.js";
import { decimal, number, percent, plural, seconds, t } from "./words.js";

/** Names of a note that are listed. */
const MOST_NAMES = 20;

/** How long a button says that it copied, in milliseconds. */
const COPIED_TIME = 2000;

/**
 * @param {object} properties
 * @param {import("./types").Source} properties.source
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
export function Overview({ source, view, onChange }) {
  const { document: document_, index } = source;
  return html`<section class="section overview" aria-label=${t("overview.title")}>
    <div class="overview-column">
      <div class="card overview-verdict">
        <${Verdict} verdict=${document_.verdict} />
        <${Headline} headline=${document_.headline} />
        <${Facts} facts=${document_.facts} />
        ${document_.calls ? html`<${CallsBar} calls=${document_.calls} />` : null}
        <${GateNotes} gate=${document_.comparison ? null : document_.gate} />
      </div>
      <${NextSteps} steps=${document_.next} />
      <${Notes} notes=${document_.notes} notShown=${document_.not_shown} />
      <${Settings} settings=${document_.settings} />
    </div>
    <div class="overview-column">
      <div class="card">
        <${Counts} document=${document_} view=${view} onChange=${onChange} />
        <${Distribution} index=${index} />
      </div>
      <${RepeatedTrials} trials=${document_.trials} />
      <${Metrics} metrics=${document_.metrics} />
    </div>
    <${Evaluations} parts=${document_.evaluations} />
  </section>`;
}

/** @type {Record<string, string>} */
const VERDICT_MARKS = { good: "✓", bad: "✗", neutral: "i" };

/** @param {{verdict: import("./types").Document["verdict"]}} properties */
function Verdict({ verdict }) {
  return html`<div class=${`verdict is-${verdict.status}`}>
    <span class="verdict-mark" aria-hidden="true">${VERDICT_MARKS[verdict.status]}</span>
    <div>
      <p class="verdict-text">
        <span class="visually-hidden">${t(`overview.verdict_${verdict.status}`)}</span> <${Text} value=${verdict.text} />
      </p>
      ${verdict.details.length
        ? html`<ul class="verdict-details">
            ${verdict.details.map((detail, at) => html`<li key=${at}><${Text} value=${detail} /></li>`)}
          </ul>`
        : null}
    </div>
  </div>`;
}

/** @param {{headline: import("./types").Document["headline"]}} properties */
function Headline({ headline }) {
  if (!headline) return null;
  const { label, value, interval, rating, meaning } = headline;
  return html`<div class="headline">
    <p class="headline-label muted"><${Text} value=${label} /></p>
    <p class="headline-value">
      <span class="headline-number">${percent(value)}</span>
      ${rating ? html`<span class="headline-rating"><${Text} value=${rating} /></span>` : null}
    </p>
    ${value === null ? null : html`<${IntervalBar} value=${value} interval=${interval} />`}
    <p class="muted"><${Text} value=${meaning} /></p>
  </div>`;
}

/**
 * Where a score is between 0 and 1, with its interval.
 * @param {{value: number, interval: import("./types").Interval | null}} properties
 */
function IntervalBar({ value, interval }) {
  const share = (/** @type {number} */ part) => `${Math.min(Math.max(part, 0), 1) * 100}%`;
  const [low, high] = interval ?? [value, value];
  return html`<div class="interval">
    <div class="interval-track" aria-hidden="true">
      <span class="interval-band" style=${{ left: share(low), width: share(high - low) }}></span>
      <span class="interval-value" style=${{ left: share(value) }}></span>
    </div>
    ${interval
      ? html`<p class="interval-text muted">${t("overview.interval", { interval: shareInterval(interval) })}</p>`
      : null}
  </div>`;
}

/** @param {{gate: import("./types").Document["gate"]}} properties */
function GateNotes({ gate }) {
  if (!gate?.reasons.length) return null;
  return html`<div class="gate-reasons">
    <h3>${t("overview.gate_reasons")}</h3>
    <ul class="plain-list">
      ${gate.reasons.map((reason, at) => html`<li key=${at}><${Text} value=${reason} /></li>`)}
    </ul>
  </div>`;
}

/**
 * Cases and trials by status; each status is a filter.
 * @param {object} properties
 * @param {import("./types").Document} properties.document
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
function Counts({ document: document_, view, onChange }) {
  const { counts } = document_;
  const numbers = { passed: counts.passed, failed: counts.failed, error: counts.errors, unscored: counts.unscored };
  const shown = STATUSES.filter((status) => numbers[status]);
  const total = shown.reduce((sum, status) => sum + numbers[status], 0);
  return html`<h2 class="counts-title">${totalText(counts)}</h2>
    ${total
      ? html`<div class="counts-bar" aria-hidden="true">
          ${shown.map(
            (status) => html`<span key=${status} class=${`counts-part is-${status}`} style=${{ flexGrow: numbers[status] }}></span>`,
          )}
        </div>`
      : null}
    <ul class="counts">
      ${shown.map(
        (status) =>
          html`<li key=${status}>
            <button
              type="button"
              class="pick count"
              aria-pressed=${view.status.includes(status)}
              onClick=${() => onChange({ status: toggled(view.status, status), case: null })}
            >
              <span class="count-number">${number(numbers[status])}</span>
              <span class=${`word is-${status}`}><${StatusMark} status=${status} silent /> ${t(`overview.count_${status}`)}</span>
              <span class="muted">${percent(numbers[status] / total)}</span>
            </button>
          </li>`,
      )}
    </ul>`;
}

/**
 * `50 cases, 200 trials`; trials only if there are several per case.
 * @param {import("./types").Document["counts"]} counts
 */
function totalText({ cases, trials }) {
  if (trials <= cases) return plural("filters.cases", cases);
  return t("filters.cases_and_trials", {
    cases: plural("filters.cases", cases),
    trials: plural("filters.trials", trials),
  });
}

/**
 * A number with its name, by its format.
 * @param {import("./types").Fact} fact
 */
function factText({ value, format }) {
  if (value === null) return "–";
  if (typeof value === "string") return html`<${Text} value=${value} />`;
  if (format === "percent") return percent(value);
  return format === "seconds" ? seconds(value) : number(value);
}

/** @param {{facts: import("./types").Fact[]}} properties */
function Facts({ facts }) {
  if (!facts.length) return null;
  return html`<dl class="facts">
    ${facts.map(
      (fact, at) =>
        html`<div key=${at} class="fact">
          <dt><${Text} value=${fact.label} /></dt>
          <dd>
            ${factText(fact)}
            ${fact.interval ? html` <span class="fact-interval muted">${shareInterval(fact.interval)}</span>` : null}
          </dd>
        </div>`,
    )}
  </dl>`;
}

/** @param {{steps: import("./types").Document["next"]}} properties */
function NextSteps({ steps }) {
  if (!steps.length) return null;
  return html`<div class="card next-steps no-print">
    <h2>${t("overview.next")}</h2>
    <ul>
      ${steps.map(
        ({ command, why }, at) =>
          html`<li key=${at}>
            <p><${Text} value=${why} /></p>
            <${CommandLine} command=${command} />
          </li>`,
      )}
    </ul>
  </div>`;
}

/**
 * A command with a button that copies it.
 * @param {{command: string}} properties
 */
export function CommandLine({ command }) {
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    const isCopied = await copyText(command);
    setOutcome(t(isCopied ? "overview.copied" : "overview.not_copied"));
    setTimeout(() => setOutcome(""), COPIED_TIME);
  };
  return html`<div class="command">
    <code tabindex="0"><${Text} value=${command} /></code>
    <button type="button" class="button no-print" onClick=${copy}>${t("overview.copy")}</button>
    <span role="status" class="muted">${outcome}</span>
  </div>`;
}

/** @param {{notes: import("./types").Document["notes"], notShown: number}} properties */
function Notes({ notes, notShown }) {
  if (!notes.length && !notShown) return null;
  return html`<ul class="notes">
    ${notes.map(
      (note, at) =>
        html`<li key=${at} class=${note.is_warning ? "note is-warning" : "note"}>
          <span class="note-mark" aria-hidden="true">${note.is_warning ? "!" : "i"}</span>
          <div>
            <p>
              ${note.is_warning ? html`<span class="visually-hidden">${t("overview.warning")}</span> ` : null}<${Text} value=${note.text} />
            </p>
            <${NoteNames} names=${note.names} />
          </div>
        </li>`,
    )}
    ${notShown
      ? html`<li class="note">
          <span class="note-mark" aria-hidden="true">i</span>
          <p>${t("overview.not_shown", { cases: plural("filters.cases", notShown) })}</p>
        </li>`
      : null}
  </ul>`;
}

/** @param {{names: string[]}} properties */
function NoteNames({ names }) {
  if (!names.length) return null;
  return html`<details>
    <summary>${plural("overview.names", names.length)}</summary>
    <ul class="note-names mono">
      ${names.slice(0, MOST_NAMES).map((name, at) => html`<li key=${at}><${Text} value=${name} limit=${300} /></li>`)}
      ${names.length > MOST_NAMES
        ? html`<li class="muted">${t("overview.more_names", { count: number(names.length - MOST_NAMES) })}</li>`
        : null}
    </ul>
  </details>`;
}

/**
 * Each evaluation with its scorers, if there is more to say than above, and how it went over time.
 * @param {{parts: import("./types").EvaluationPart[]}} properties
 */
function Evaluations({ parts }) {
  const isTable = parts.length > 1 || parts.some(({ scorers }) => scorers.length > 1);
  const trends = parts.filter(({ trend }) => trend.length > 1);
  return html`${isTable
    ? html`<div class="card">
        <h2>${t("overview.evaluations")}</h2>
        <${EvaluationTable} parts=${parts} />
      </div>`
    : null}
  ${trends.map(
    (part) =>
      html`<div key=${part.label} class="card">
        <h2>
          ${parts.length > 1 ? html`<${Text} value=${part.label} limit=${200} />: ` : null}${t("overview.trend")}
        </h2>
        <${Trend} points=${part.trend} />
      </div>`,
  )}`;
}

/** @param {{parts: import("./types").EvaluationPart[]}} properties */
function EvaluationTable({ parts }) {
  const names = ["evaluation", "cases", "passed", "failed", "errors", "scorers"];
  return html`<${DataTable}
    label=${t("overview.evaluations")}
    head=${names.map((name) => t(`overview.${name}`))}
    texts=${1}
    rows=${parts.map((part) => [
      html`<${Text} value=${part.label} limit=${200} />`,
      number(part.cases),
      number(part.passed),
      number(part.failed),
      number(part.errors),
      html`<${Scorers} scorers=${part.scorers} />`,
    ])}
  />`;
}

/** @param {{scorers: import("./types").EvaluationPart["scorers"]}} properties */
function Scorers({ scorers }) {
  return html`<ul class="scorers">
    ${scorers.map(
      (scorer, at) =>
        html`<li key=${at}>
          <span class="mono"><${Text} value=${scorer.name} limit=${200} /></span>${" "}
          <strong>${decimal(scorer.mean)}</strong>
          ${scorer.fail_under === null
            ? null
            : html` <span class=${scorer.is_below ? "is-bad" : "is-good"}
                ><span aria-hidden="true">${scorer.is_below ? "✗ " : "✓ "}</span
                >${t("overview.required", { value: decimal(scorer.fail_under) })}</span
              >`}
        </li>`,
    )}
  </ul>`;
}

/** @param {{trials: import("./types").TrialRates | null}} properties */
function RepeatedTrials({ trials }) {
  if (!trials) return null;
  const line = (/** @type {string} */ name, /** @type {string} */ meaning, /** @type {number[]} */ rates) => [
    html`<span class="mono">${name}</span> <span class="muted trial-meaning">${meaning}</span>`,
    ...rates.map(percent),
  ];
  return html`<div class="card">
    <h2>${t("overview.trials")}</h2>
    <${DataTable}
      label=${t("overview.trials")}
      head=${[plural("filters.cases", trials.cases), ...trials.pass_at_k.map((_, at) => `k=${at + 1}`)]}
      rows=${[
        line("pass@k", t("overview.pass_at_k"), trials.pass_at_k),
        line("pass^k", t("overview.pass_hat_k"), trials.pass_hat_k),
      ]}
    />
  </div>`;
}

/** @param {{metrics: import("./types").Document["metrics"]}} properties */
function Metrics({ metrics }) {
  if (!metrics.length) return null;
  return html`<div class="card">
    <h2>${t("overview.metrics")}</h2>
    <${DataTable}
      label=${t("overview.metrics")}
      head=${["metric", "mean", "scored", "not_scorable"].map((name) => t(`overview.${name}`))}
      rows=${metrics.map(({ name, mean, scored, not_scorable: unscorable }) => [
        html`<span class="mono"><${Text} value=${name} limit=${200} /></span>`,
        decimal(mean),
        number(scored),
        number(unscorable),
      ])}
    />
  </div>`;
}

/** @param {{settings: string[]}} properties */
function Settings({ settings }) {
  if (!settings.length) return null;
  return html`<p class="settings muted">
    ${t("overview.settings")}
    ${settings.map((setting, at) => html`<code key=${at} class="setting"><${Text} value=${setting} limit=${300} /></code>`)}
  </p>`;
}
