/** What a reader sees first: verdict, score with interval, counts, and what to do next. */

import { CallsBar, Distribution, Trend, shareInterval } from "./charts.js";
import { toggled } from "./filters.js";
import { STATUSES, StatusMark } from "./marks.js";
import { shortText } from "./reasons.js";
import { DataTable } from "./table.js";
import { Text } from "./text.js";
import { copyText } from "./values.js";
import { html, useState } from "./vendor/preact-htm.js";
import { decimal, number, percent, plural, seconds, t } from "./words.js";

/** Names of a note that are listed. */
const MOST_NAMES = 20;

/** Evaluations whose trends are drawn. */
const MOST_TRENDS = 20;

/** How long a button says that it copied, in milliseconds. */
const COPIED_TIME = 2000;

/** @type {Record<string, string>} */
const VERDICT_MARKS = { good: "✓", bad: "✗", neutral: "i" };

/**
 * @param {object} properties
 * @param {import("./types").Source} properties.source
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
export function Overview({ source, view, onChange }) {
  const { document: document_, index } = source;
  const { verdict, headline, facts, calls, next, notes, settings, trials, metrics, evaluations } = document_;
  return html`<section class="section overview" aria-label=${t("overview.title")}>
    <div class="overview-column">
      <div class="card overview-verdict">
        <${Verdict} verdict=${verdict} />
        ${headline && html`<${Headline} headline=${headline} />`}
        ${facts.length > 0 && html`<${Facts} facts=${facts} />`}
        ${calls && html`<${CallsBar} calls=${calls} />`}
      </div>
      ${next.length > 0 && html`<${NextSteps} steps=${next} />`}
      <${Notes} notes=${notes} notShown=${document_.not_shown} />
      ${settings.length > 0 &&
      html`<p class="muted small">
        ${t("overview.settings")}
        ${settings.map((setting, at) => html`<code key=${at} class="setting">${shortText(setting)}</code>`)}
      </p>`}
    </div>
    <div class="overview-column">
      <div class="card">
        <${Counts} counts=${document_.counts} view=${view} onChange=${onChange} />
        <${Distribution} index=${index} label=${t(isOfCases(document_) ? "charts.distribution_of_cases" : "charts.distribution")} />
      </div>
      ${trials && html`<${RepeatedTrials} trials=${trials} />`}
      ${metrics.length > 0 && html`<${Metrics} metrics=${metrics} />`}
      <${Evaluations} parts=${evaluations} />
    </div>
    <${Trends} parts=${evaluations} />
  </section>`;
}

/** @param {{verdict: import("./types").Document["verdict"]}} properties */
function Verdict({ verdict: { status, text, details } }) {
  return html`<div class=${`verdict is-${status}`}>
    <span class="round-mark" aria-hidden="true">${VERDICT_MARKS[status]}</span>
    <div>
      <p class="verdict-text">
        <span class="visually-hidden">${t(`overview.verdict_${status}`)}</span> <${Text} value=${text} />
      </p>
      ${details.map((detail, at) => html`<p key=${at} class="muted"><${Text} value=${detail} /></p>`)}
    </div>
  </div>`;
}

/** @param {{headline: NonNullable<import("./types").Document["headline"]>}} properties */
function Headline({ headline: { label, value, interval, rating, meaning } }) {
  return html`<div>
    <p class="muted">${shortText(label)}</p>
    <p>
      <span class="headline-number">${percent(value)}</span>
      ${rating && html`<span class="headline-rating">${shortText(rating)}</span>`}
    </p>
    ${value !== null && html`<${IntervalBar} value=${value} interval=${interval} />`}
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
  return html`<div class="interval" aria-hidden="true">
      <span class="interval-band" style=${{ left: share(low), width: share(high - low) }}></span>
      <span class="interval-value" style=${{ left: share(value) }}></span>
    </div>
    ${interval && html`<p class="muted interval-text">${t("overview.interval", { interval: shareInterval(interval) })}</p>`}`;
}

/**
 * Cases and trials by status; each status is a filter.
 * @param {object} properties
 * @param {import("./types").Document["counts"]} properties.counts
 * @param {import("./address").View} properties.view
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
function Counts({ counts, view, onChange }) {
  const numbers = { passed: counts.passed, failed: counts.failed, error: counts.errors, unscored: counts.unscored };
  const shown = STATUSES.filter((status) => numbers[status]);
  const total = shown.reduce((sum, status) => sum + numbers[status], 0);
  return html`<h2 class="counts-title">${totalText(counts)}</h2>
    <div class="counts-bar" aria-hidden="true">
      ${shown.map((status) => html`<span key=${status} class=${`fill is-${status}`} style=${{ flexGrow: numbers[status] }}></span>`)}
    </div>
    <ul class="row counts">
      ${shown.map(
        (status) =>
          html`<li key=${status}>
            <button
              class="pick count"
              aria-pressed=${view.status.includes(status)}
              onClick=${() => onChange({ status: toggled(view.status, status) })}
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
 * Whether an item of the list is a case with all its trials, while the counts are those of trials.
 * @param {import("./types").Document} document_
 */
function isOfCases({ comparison, counts }) {
  return comparison !== null && counts.trials > counts.cases;
}

/**
 * `50 cases, 200 trials`; trials only if there are several per case.
 * @param {import("./types").Document["counts"]} counts
 */
function totalText({ cases, trials }) {
  const counted = plural("filters.cases", cases);
  if (trials <= cases) return counted;
  return t("filters.cases_and_trials", { cases: counted, trials: plural("filters.trials", trials) });
}

/**
 * A number by its format.
 * @param {import("./types").Fact} fact
 */
function factText({ value, format }) {
  if (value === null) return "–";
  if (typeof value === "string") return shortText(value);
  return format === "percent" ? percent(value) : format === "seconds" ? seconds(value) : number(value);
}

/** @param {{facts: import("./types").Fact[]}} properties */
function Facts({ facts }) {
  return html`<dl class="row facts">
    ${facts.map(
      (fact, at) =>
        html`<div key=${at}>
          <dt class="muted small">${shortText(fact.label)}</dt>
          <dd>
            <span class="fact-value">${factText(fact)}</span>
            ${fact.interval ? html` <span class="muted small">${shareInterval(fact.interval)}</span>` : null}
          </dd>
        </div>`,
    )}
  </dl>`;
}

/** @param {{steps: import("./types").Document["next"]}} properties */
function NextSteps({ steps }) {
  return html`<div class="card next-steps no-print">
    <h2>${t("overview.next")}</h2>
    <ul>
      ${steps.map(({ command, why }, at) => html`<li key=${at}><p>${shortText(why)}</p><${CommandLine} command=${command} /></li>`)}
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
    setOutcome(t((await copyText(command)) ? "overview.copied" : "overview.not_copied"));
    setTimeout(() => setOutcome(""), COPIED_TIME);
  };
  return html`<div class="command">
    <code tabindex="0"><${Text} value=${command} /></code>
    <button class="button no-print" onClick=${copy}>${t("overview.copy")}</button>
    <span role="status" class="muted">${outcome}</span>
  </div>`;
}

/** @param {{notes: import("./types").Document["notes"], notShown: number}} properties */
function Notes({ notes, notShown }) {
  const cut = { text: t("overview.not_shown", { cases: plural("filters.cases", notShown) }), names: [], is_warning: false };
  const all = notShown ? [...notes, cut] : notes;
  return (
    all.length > 0 &&
    html`<ul class="notes">
      ${all.map(
        ({ text, names, is_warning: isWarning }, at) =>
          html`<li key=${at} class=${`card note${isWarning ? " is-warning" : ""}`}>
            <span class="round-mark" aria-hidden="true">${isWarning ? "!" : "i"}</span>
            <div>
              <p>
                ${isWarning && html`<span class="visually-hidden">${t("overview.warning")}</span> `}<${Text} value=${text} />
              </p>
              ${names.length > 0 && html`<${NoteNames} names=${names} />`}
            </div>
          </li>`,
      )}
    </ul>`
  );
}

/** @param {{names: string[]}} properties */
function NoteNames({ names }) {
  const rest = names.length - MOST_NAMES;
  return html`<details>
    <summary>${plural("overview.names", names.length)}</summary>
    <ul class="mono">
      ${names.slice(0, MOST_NAMES).map((name, at) => html`<li key=${at}>${shortText(name)}</li>`)}
      ${rest > 0 && html`<li class="muted">${t("overview.more_names", { count: number(rest) })}</li>`}
    </ul>
  </details>`;
}

/**
 * Each evaluation with its scorers, if there is more to say than above.
 * @param {{parts: import("./types").EvaluationPart[]}} properties
 */
function Evaluations({ parts }) {
  if (parts.length < 2 && !parts.some(({ scorers }) => scorers.length > 1)) return null;
  const hasScorers = parts.some(({ scorers }) => scorers.length);
  const names = ["evaluation", "cases", "passed", "failed", "errors", ...(hasScorers ? ["scorers"] : [])];
  return html`<${TableCard}
    title=${t("overview.evaluations")}
    head=${names.map((name) => t(`overview.${name}`))}
    texts=${hasScorers ? 1 : 0}
    rows=${parts.map(({ label, cases, passed, failed, errors, scorers }) => [
      shortText(label),
      ...[cases, passed, failed, errors].map(number),
      html`<${Scorers} scorers=${scorers} />`,
    ])}
  />`;
}

/**
 * How the evaluations went over time.
 * @param {{parts: import("./types").EvaluationPart[]}} properties
 */
function Trends({ parts }) {
  const shown = parts.filter(({ trend }) => trend.length > 1).slice(0, MOST_TRENDS);
  return (
    shown.length > 0 &&
    html`<div class="card">
      <h2>${t("charts.trend")}</h2>
      <div class="trends">
        ${shown.map(
          ({ label, trend }) =>
            html`<div key=${label}>${parts.length > 1 && html`<h3>${shortText(label)}</h3>`}<${Trend} points=${trend} /></div>`,
        )}
      </div>
    </div>`
  );
}

/** @param {{scorers: import("./types").EvaluationPart["scorers"]}} properties */
function Scorers({ scorers }) {
  return scorers.map(
    ({ name, mean, fail_under: least, is_below: isBelow }, at) =>
      html`<div key=${at}>
        <span class="mono">${shortText(name)}</span> <strong>${decimal(mean)}</strong>
        ${least === null
          ? null
          : html` <span class=${isBelow ? "is-bad" : "is-good"}
              ><span aria-hidden="true">${isBelow ? "✗ " : "✓ "}</span>${t("overview.required", { value: decimal(least) })}</span
            >`}
      </div>`,
  );
}

/** @param {{trials: import("./types").TrialRates}} properties */
function RepeatedTrials({ trials }) {
  const line = (/** @type {string} */ name, /** @type {string} */ meaning, /** @type {number[]} */ rates) => [
    html`<span class="mono">${name}</span> <span class="muted trial-meaning">${meaning}</span>`,
    ...rates.map(percent),
  ];
  return html`<${TableCard}
    title=${t("overview.trials")}
    head=${[plural("filters.cases", trials.cases), ...trials.pass_at_k.map((_, at) => `k=${at + 1}`)]}
    rows=${[
      line("pass@k", t("overview.pass_at_k"), trials.pass_at_k),
      line("pass^k", t("overview.pass_hat_k"), trials.pass_hat_k),
    ]}
  />`;
}

/** @param {{metrics: import("./types").Document["metrics"]}} properties */
function Metrics({ metrics }) {
  return html`<${TableCard}
    title=${t("overview.metrics")}
    head=${["metric", "mean", "scored", "not_scorable"].map((name) => t(`overview.${name}`))}
    rows=${metrics.map(({ name, mean, scored, not_scorable: unscorable }) => [
      html`<span class="mono">${shortText(name)}</span>`,
      decimal(mean),
      number(scored),
      number(unscorable),
    ])}
  />`;
}

/**
 * A table with a title.
 * @param {{title: string, head: string[], rows: unknown[][], texts?: number}} properties
 */
function TableCard({ title, ...table }) {
  return html`<div class="card">
    <h2>${title}</h2>
    <${DataTable} label=${title} ...${table} />
  </div>`;
}
