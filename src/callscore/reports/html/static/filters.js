/** The bar above the list: search, filters and sort. */

import { CHANGES, ChangeMark, STATUSES, StatusMark, changeWord, statusWord } from "./marks.js";
import { rankNames } from "./rankings.js";
import { failureWord } from "./reasons.js";
import { keyParts } from "./selection.js";
import { visibleText } from "./text.js";
import { html, useMemo, useState } from "./vendor/preact-htm.js";
import { number, plural, t } from "./words.js";

/** Choices of one list; the search finds the others. */
const MOST_CHOICES = 500;

/** Characters of one choice. */
const LONGEST_CHOICE = 80;

/**
 * A filter with a list of choices.
 * @typedef {object} Facet
 * @property {"tool" | "problem" | "argument" | "failure" | "tag" | "evaluation"} name
 * @property {{value: string, text: string}[]} choices
 */

/**
 * The lists of choices; a filter with nothing to choose is left out.
 * @param {import("./selection").Prepared} prepared
 * @param {import("./rankings").Rankings} rankings
 * @returns {Facet[]}
 */
function facetsOf(prepared, rankings) {
  const { index, document: document_ } = prepared;
  /** @type {Facet[]} */
  const facets = [
    { name: "tool", choices: rankNames(index.tool_names, prepared.tools).map(nameChoice) },
    {
      name: "argument",
      choices: rankings.arguments.map(({ key, problem, count }) => ({
        value: key,
        text: choiceText(`${problem.tool}: ${problem.argument || t("list.all_arguments")}`, count),
      })),
    },
    {
      name: "failure",
      choices: rankings.failures.map(({ key, problem, count }) => ({
        value: key,
        text: choiceText(failureWord(problem), count),
      })),
    },
    { name: "tag", choices: prepared.tags ? rankNames(index.tag_names, prepared.tags).map(nameChoice) : [] },
    {
      name: "evaluation",
      choices: document_.evaluations.map(({ label, cases }) => ({ value: label, text: choiceText(label, cases) })),
    },
  ];
  const least = (/** @type {Facet} */ { name }) => (name === "evaluation" ? 2 : 1);
  return facets.filter((facet) => facet.choices.length >= least(facet));
}

/** @param {{name: string, count: number}} named */
function nameChoice({ name, count }) {
  return { value: name, text: choiceText(name, count) };
}

/**
 * @param {string} name
 * @param {number} count
 */
function choiceText(name, count) {
  const visible = visibleText(name.slice(0, LONGEST_CHOICE)) || '""';
  return `${visible}${name.length > LONGEST_CHOICE ? "…" : ""} (${number(count)})`;
}

/**
 * The bar of filters.
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./rankings").Rankings} properties.rankings
 * @param {import("./address").View} properties.view
 * @param {import("./selection").Found} properties.found
 * @param {(patch: Partial<import("./address").View>, isQuick?: boolean) => void} properties.onChange
 */
export function FilterBar({ prepared, rankings, view, found, onChange }) {
  const facets = useMemo(() => facetsOf(prepared, rankings), [prepared, rankings]);
  const [isUnfolded, setUnfolded] = useState(false);
  const chosen = facets.filter(({ name }) => view[name] !== null).length;
  return html`<div class="filters no-print" role="search" aria-label=${t("filters.title")}>
    <div class="filters-row">
      <${SearchField} text=${view.text} onChange=${onChange} />
      ${prepared.change
        ? html`<${ChangeChips} view=${view} found=${found} onChange=${onChange} />`
        : html`<${StatusChips} view=${view} found=${found} onChange=${onChange} />`}
      <button
        type="button"
        class="button filters-unfold"
        aria-expanded=${isUnfolded}
        onClick=${() => setUnfolded(!isUnfolded)}
      >
        ${chosen ? t("filters.more_chosen", { count: chosen }) : t("filters.more")}
      </button>
    </div>
    <div class=${`filters-row filters-lists${isUnfolded ? " is-unfolded" : ""}`}>
      ${facets.map(
        (facet) =>
          html`<${FacetList} key=${facet.name} facet=${facet} value=${view[facet.name]} onChange=${onChange} />`,
      )}
      <${SortList} prepared=${prepared} sort=${view.sort} onChange=${onChange} />
    </div>
  </div>`;
}

/**
 * @param {{text: string, onChange: (patch: object, isQuick?: boolean) => void}} properties
 */
function SearchField({ text, onChange }) {
  return html`<input
    type="search"
    class="field filters-search"
    id="search"
    aria-label=${t("filters.search")}
    aria-keyshortcuts="/"
    placeholder=${t("filters.search_in")}
    autocomplete="off"
    spellcheck="false"
    value=${text}
    onInput=${(/** @type {{currentTarget: HTMLInputElement}} */ event) =>
      onChange({ text: event.currentTarget.value, case: null }, true)}
  />`;
}

/**
 * @param {{view: import("./address").View, found: import("./selection").Found, onChange: (patch: object) => void}} properties
 */
function StatusChips({ view, found, onChange }) {
  const shown = STATUSES.filter((status, at) => found.statuses[at] || view.status.includes(status));
  if (shown.length < 2 && !view.status.length) return null;
  return html`<div class="filters-chips" role="group" aria-label=${t("filters.status")}>
    ${shown.map(
      (status) =>
        html`<button
          type="button"
          key=${status}
          class="chip"
          aria-pressed=${view.status.includes(status)}
          onClick=${() => onChange({ status: toggled(view.status, status), case: null })}
        >
          <${StatusMark} status=${status} silent /> ${statusWord(status)}
          <span class="chip-count">${number(found.statuses[STATUSES.indexOf(status)])}</span>
        </button>`,
    )}
  </div>`;
}

/**
 * @param {string[]} chosen
 * @param {string} name
 */
export function toggled(chosen, name) {
  return chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name];
}

/**
 * In a comparison: what changed, one change, or everything.
 * @param {{view: import("./address").View, found: import("./selection").Found, onChange: (patch: object) => void}} properties
 */
function ChangeChips({ view, found, onChange }) {
  const total = found.changes.reduce((sum, count) => sum + count, 0);
  const chip = (/** @type {string} */ name, /** @type {unknown} */ words, /** @type {number} */ count) =>
    html`<button
      type="button"
      key=${name}
      class="chip"
      aria-pressed=${view.change === name}
      onClick=${() => onChange({ change: name, case: null })}
    >
      ${words} <span class="chip-count">${number(count)}</span>
    </button>`;
  return html`<div class="filters-chips" role="group" aria-label=${t("filters.change")}>
    ${chip("only", t("filters.only_changed"), total - found.changes[CHANGES.indexOf("same")])}
    ${CHANGES.map((change, at) => {
      if (!found.changes[at] && view.change !== change) return null;
      return chip(change, html`<${ChangeMark} change=${change} silent /> ${changeWord(change)}`, found.changes[at]);
    })}
    ${chip("all", t("filters.all"), total)}
  </div>`;
}

/**
 * @param {object} properties
 * @param {Facet} properties.facet
 * @param {string | null} properties.value
 * @param {(patch: object) => void} properties.onChange
 */
function FacetList({ facet, value, onChange }) {
  const choices = facet.choices.slice(0, MOST_CHOICES);
  const options = useMemo(
    () => choices.map((choice, at) => html`<option key=${at} value=${String(at)}>${choice.text}</option>`),
    [facet],
  );
  const isListed = value === null || choices.some((choice) => choice.value === value);
  const chosen = value === null ? -1 : choices.findIndex((choice) => choice.value === value);
  // the value is a position: names can be empty or the same as another value
  return html`<label class="filters-list">
    <span class="filters-label">${t(`filters.${facet.name}`)}</span>
    <select
      class="field"
      value=${isListed ? String(chosen) : "other"}
      onChange=${(/** @type {{currentTarget: HTMLSelectElement}} */ event) => {
        const at = Number(event.currentTarget.value);
        onChange({ [facet.name]: at < 0 ? null : choices[at].value, case: null });
      }}
    >
      <option value="-1">${t("filters.any")}</option>
      ${isListed ? null : html`<option value="other" disabled>${choiceText(String(value), 0)}</option>`}
      ${options}
    </select>
  </label>`;
}

/**
 * @param {{prepared: import("./selection").Prepared, sort: string, onChange: (patch: object) => void}} properties
 */
function SortList({ prepared, sort, onChange }) {
  const { index } = prepared;
  const sorts = [
    ...(index.change ? ["change"] : []),
    "order",
    ...(index.score.some((score) => score !== null) ? ["score", "best"] : []),
    "id",
    ...(index.seconds ? ["seconds"] : []),
  ];
  return html`<label class="filters-list filters-sort">
    <span class="filters-label">${t("filters.sort")}</span>
    <select
      class="field"
      value=${sorts.includes(sort) ? sort : "order"}
      onChange=${(/** @type {{currentTarget: HTMLSelectElement}} */ event) =>
        onChange({ sort: event.currentTarget.value, case: null })}
    >
      ${sorts.map((name) => html`<option key=${name} value=${name}>${t(`filters.sort_${name}`)}</option>`)}
    </select>
  </label>`;
}

/** Filters without a control of their own, and those that are easily overlooked. */
const NAMED_FILTERS = /** @type {const} */ (["problem", "cell", "tool", "argument", "failure", "tag", "evaluation"]);

/**
 * How many cases match, and the chosen filters, each of which can be taken away.
 * @param {object} properties
 * @param {import("./selection").Prepared} properties.prepared
 * @param {import("./rankings").Rankings} properties.rankings
 * @param {import("./address").View} properties.view
 * @param {import("./selection").Found} properties.found
 * @param {(patch: Partial<import("./address").View>) => void} properties.onChange
 */
export function ChosenFilters({ prepared, rankings, view, found, onChange }) {
  const chosen = NAMED_FILTERS.filter((name) => view[name] !== null);
  const isFiltered = isNarrowed(view);
  return html`<div class="filters-row filters-chosen no-print">
    <p class="filters-count" role="status">${countText(prepared, found)}</p>
    ${chosen.map(
      (name) =>
        html`<button
          type="button"
          key=${name}
          class="chip"
          aria-pressed="true"
          title=${t("filters.remove")}
          onClick=${() => onChange({ [name]: null, case: null })}
        >
          ${t(`filters.chosen_${name}`, { name: chosenText(name, String(view[name]), rankings) })}
          <span aria-hidden="true">✕</span>
        </button>`,
    )}
    ${isFiltered
      ? html`<button type="button" class="button button-quiet" onClick=${() => onChange(clearedFilters())}>
          ${t("filters.clear")}
        </button>`
      : null}
  </div>`;
}

/**
 * Whether filters are chosen; the choice of changes does not count.
 * @param {import("./address").View} view
 */
export function isNarrowed(view) {
  return view.status.length > 0 || view.text.trim() !== "" || NAMED_FILTERS.some((name) => view[name] !== null);
}

/** The patch that takes all filters away. */
export function clearedFilters() {
  return {
    ...Object.fromEntries(NAMED_FILTERS.map((name) => [name, null])),
    status: [],
    text: "",
    case: null,
  };
}

/**
 * `12 of 50 cases`, and the trials if there are several per case.
 * @param {import("./selection").Prepared} prepared
 * @param {import("./selection").Found} found
 */
export function countText(prepared, found) {
  const cases =
    found.rows.length === prepared.rows
      ? plural("filters.cases", prepared.rows)
      : t("filters.of", { count: number(found.rows.length), total: plural("filters.of_cases", prepared.rows) });
  if (!prepared.hasTrials) return cases;
  const trials =
    found.items === prepared.count
      ? plural("filters.trials", prepared.count)
      : t("filters.of", { count: number(found.items), total: plural("filters.of_trials", prepared.count) });
  return t("filters.cases_and_trials", { cases, trials });
}

/**
 * The value of a filter for people: keys are for addresses.
 * @param {typeof NAMED_FILTERS[number]} name
 * @param {string} value
 * @param {import("./rankings").Rankings} rankings
 */
function chosenText(name, value, rankings) {
  const { problem } =
    (name === "failure" ? rankings.failures : name === "argument" ? rankings.arguments : []).find(
      ({ key }) => key === value,
    ) ?? {};
  let text = value;
  if (problem) text = name === "failure" ? failureWord(problem) : `${problem.tool}: ${problem.argument}`;
  if (name === "cell") text = keyParts(value).map((part) => part ?? t("problems.none")).join(" → ");
  return visibleText(text.slice(0, LONGEST_CHOICE)) || '""';
}
