/** The bar above the list: search, filters and sort. */

import { CHANGES, ChangeMark, STATUSES, StatusMark, changeWord, statusWord } from "./marks.js";
import { rankNames } from "./rankings.js";
import { failureWord, toolText } from "./reasons.js";
import { SORTS, keyParts } from "./selection.js";
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
 * @property {"tool" | "problem" | "argument" | "failure" | "turn" | "tag" | "evaluation"} name
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
  const choice = (/** @type {string} */ value, /** @type {string} */ text, /** @type {number} */ count) => ({
    value,
    text: choiceText(text, count),
  });
  const names = (/** @type {string[]} */ all, /** @type {import("./selection").Lists} */ lists) =>
    rankNames(all, lists).map(({ name, count }) => choice(name, name, count));
  /** @type {Facet[]} */
  const facets = [
    {
      name: "tool",
      choices: rankNames(index.tool_names, prepared.tools).map(({ name, count }) => choice(name, toolText(name), count)),
    },
    {
      name: "argument",
      choices: rankings.arguments.map(({ key, problem, count }) => choice(key, argumentText(problem), count)),
    },
    {
      name: "failure",
      choices: rankings.failures.map(({ key, problem, count }) => choice(key, failureWord(problem), count)),
    },
    { name: "turn", choices: turnCounts(index).map(([turn, count]) => choice(String(turn), String(turn), count)) },
    { name: "tag", choices: names(index.tag_names, prepared.tags) },
    {
      name: "evaluation",
      choices: document_.evaluations.map(({ label, cases }) => choice(label, label, cases)),
    },
  ];
  return facets.filter(({ name, choices }) => choices.length > (name === "evaluation" ? 1 : 0));
}

/**
 * The turns that went wrong first, in order, and in how many trials.
 * @param {import("./types").Index} index
 * @returns {[number, number][]}
 */
export function turnCounts({ turn }) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const number_ of turn ?? []) if (number_ !== null) counts.set(number_, (counts.get(number_) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one - other);
}

/** @param {import("./types").Problem} problem */
function argumentText({ tool, argument }) {
  return `${toolText(tool ?? "")}: ${argument || t("list.all_arguments")}`;
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
  return html`<div class="filters no-print" role="search" aria-label=${t("filters.title")}>
    <div class="row filters-row">
      <${SearchField} text=${view.text} onChange=${onChange} />
      ${prepared.change
        ? html`<${ChangeChips} view=${view} found=${found} onChange=${onChange} />`
        : html`<${StatusChips} view=${view} found=${found} onChange=${onChange} />`}
      <button
        class="button filters-unfold"
        aria-expanded=${isUnfolded}
        onClick=${() => setUnfolded(!isUnfolded)}
      >
        ${t("filters.more")}
      </button>
    </div>
    <div class=${`row filters-row filters-lists${isUnfolded ? " is-unfolded" : ""}`}>
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
      onChange({ text: event.currentTarget.value }, true)}
  />`;
}

/**
 * A button that stays pressed, with a number.
 * @param {{words: unknown, count: number, isPressed: boolean, onClick: () => void}} properties
 */
function Chip({ words, count, isPressed, onClick }) {
  return html`<button class="chip" aria-pressed=${isPressed} onClick=${onClick}>
    ${words} <span class="chip-count">${number(count)}</span>
  </button>`;
}

/**
 * @param {{view: import("./address").View, found: import("./selection").Found, onChange: (patch: object) => void}} properties
 */
function StatusChips({ view, found, onChange }) {
  const shown = STATUSES.filter((status, at) => found.statuses[at] || view.status.includes(status));
  if (shown.length < 2 && !view.status.length) return null;
  return html`<div class="row" role="group" aria-label=${t("filters.status")}>
    ${shown.map(
      (status) =>
        html`<${Chip}
          key=${status}
          words=${html`<${StatusMark} status=${status} silent /> ${statusWord(status)}`}
          count=${found.statuses[STATUSES.indexOf(status)]}
          isPressed=${view.status.includes(status)}
          onClick=${() => onChange({ status: toggled(view.status, status) })}
        />`,
    )}
  </div>`;
}

/**
 * A list of names without a name, or with it.
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
  /** @type {[string, unknown, number][]} */
  const chips = [
    ["only", t("filters.only_changed"), total - found.changes[CHANGES.indexOf("same")]],
    ...CHANGES.map(
      (change, at) =>
        /** @type {[string, unknown, number]} */ ([
          change,
          html`<${ChangeMark} change=${change} silent /> ${changeWord(change)}`,
          found.changes[at],
        ]),
    ),
    ["all", t("filters.all"), total],
  ];
  const always = ["only", "all", view.change];
  return html`<div class="row" role="group" aria-label=${t("filters.change")}>
    ${chips
      .filter(([name, , count]) => count || always.includes(name))
      .map(
        ([name, words, count]) =>
          html`<${Chip}
            key=${name}
            words=${words}
            count=${count}
            isPressed=${view.change === name}
            onClick=${() => onChange({ change: name })}
          />`,
      )}
  </div>`;
}

/**
 * A list to choose from.
 * @param {object} properties
 * @param {string} properties.label
 * @param {string} properties.value
 * @param {unknown} properties.options
 * @param {(value: string) => void} properties.onPick
 */
function ListField({ label, value, options, onPick }) {
  return html`<label class="filters-list">
    <span class="muted">${label}</span>
    <select
      class="field"
      value=${value}
      onChange=${(/** @type {{currentTarget: HTMLSelectElement}} */ event) => onPick(event.currentTarget.value)}
    >
      ${options}
    </select>
  </label>`;
}

/**
 * The values of its options are positions: names can be empty or anything.
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
  const at = choices.findIndex((choice) => choice.value === value);
  const isOther = value !== null && at < 0;
  return html`<${ListField}
    label=${t(`filters.${facet.name}`)}
    value=${isOther ? "other" : String(at)}
    options=${[
      html`<option value="-1">${t("filters.any")}</option>`,
      isOther ? html`<option value="other" disabled>${choiceText(value, 0)}</option>` : null,
      options,
    ]}
    onPick=${(/** @type {string} */ picked) =>
      onChange({ [facet.name]: choices[Number(picked)]?.value ?? null })}
  />`;
}

/**
 * @param {{prepared: import("./selection").Prepared, sort: string, onChange: (patch: object) => void}} properties
 */
function SortList({ prepared: { index, hasScores }, sort, onChange }) {
  const sorts = SORTS.filter(
    (name) =>
      ({ change: index.change, score: hasScores, best: hasScores, seconds: index.seconds, order: true, id: true })[name],
  );
  return html`<${ListField}
    label=${t("filters.sort")}
    value=${sort}
    options=${sorts.map((name) => html`<option key=${name} value=${name}>${t(`filters.sort_${name}`)}</option>`)}
    onPick=${(/** @type {string} */ picked) => onChange({ sort: picked })}
  />`;
}

/** Filters without a control of their own, and those that are easily overlooked. */
const NAMED_FILTERS = /** @type {const} */ (["problem", "cell", "tool", "argument", "failure", "turn", "tag", "evaluation"]);

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
  return html`<div class="row filters-chosen no-print">
    <p class="muted filters-count" role="status">${countText(prepared, found)}</p>
    ${chosen.map(
      (name) =>
        html`<button
          key=${name}
          class="chip"
          aria-pressed="true"
          title=${t("filters.remove")}
          onClick=${() => onChange({ [name]: null })}
        >
          ${t(`filters.chosen_${name}`, { name: chosenText(name, String(view[name]), rankings) })}
          <span aria-hidden="true">✕</span>
        </button>`,
    )}
    ${isFiltered
      ? html`<button class="button button-quiet" onClick=${() => onChange(clearedFilters())}>
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
  return { ...Object.fromEntries(NAMED_FILTERS.map((name) => [name, null])), status: [], text: "" };
}

/**
 * `12 of 50 cases`, and the trials if there are several per case.
 * @param {import("./selection").Prepared} prepared
 * @param {import("./selection").Found} found
 */
export function countText(prepared, found) {
  const cases = shareText(found.rows.length, prepared.rows, "cases");
  if (!prepared.hasTrials) return cases;
  return t("filters.cases_and_trials", { cases, trials: shareText(found.items, prepared.count, "trials") });
}

/**
 * `50 cases`, `12 of 50 cases`.
 * @param {number} count
 * @param {number} total
 * @param {"cases" | "trials"} noun
 */
function shareText(count, total, noun) {
  if (count === total) return plural(`filters.${noun}`, total);
  return t("filters.of", { count: number(count), total: plural(`filters.of_${noun}`, total) });
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
  if (problem) text = name === "failure" ? failureWord(problem) : argumentText(problem);
  if (name === "cell") text = keyParts(value).map((part) => (part === null ? t("problems.none") : toolText(part))).join(" → ");
  if (name === "tool" || name === "problem") text = toolText(value);
  return visibleText(text.slice(0, LONGEST_CHOICE)) || '""';
}
