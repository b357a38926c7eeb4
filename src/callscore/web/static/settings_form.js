/** The settings of a score as fields of a form. What is not changed stays as it is in the run. */

import { jsonText, parseJson } from "/static/report/data.js";
import { visibleText } from "/static/report/text.js";
import { html, useEffect, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { t } from "/static/report/words.js";

/** @typedef {import("/static/report/types").Json} Json */
/** @typedef {{[setting: string]: Json}} Values */

/**
 * A pattern and what it stands for, while it is typed.
 * @typedef {{pattern: string, rule: string, options: string}} PatternRow
 */

/**
 * What the form holds: the preset, and each setting that was changed; lists of patterns as rows.
 * @typedef {{preset: string, changed: {[setting: string]: Json | PatternRow[]}}} Draft
 */

/** @type {Draft} */
export const EMPTY_DRAFT = { preset: "", changed: {} };

/**
 * The value of a setting if nothing is changed by hand: of the preset, of the run, or the default.
 * @param {import("./types").SettingsPage} page
 * @param {import("./types").SettingField} field
 * @param {string} preset
 * @returns {{value: Json, isMixed: boolean}} `isMixed` if the evaluations of the run differ
 */
export function startingValue(page, field, preset) {
  const chosen = page.presets.find(({ name }) => name === preset);
  if (chosen) return { value: chosen.values[field.name] ?? field.default, isMixed: false };
  const found = page.current.map(({ values }) => (field.name in values ? values[field.name] : field.default));
  const texts = new Set(found.map((value) => jsonText(value)));
  return { value: found[0] ?? field.default, isMixed: texts.size > 1 };
}

/**
 * The request of a draft.
 * @param {import("./types").SettingsPage} page
 * @param {Draft} draft
 * @returns {import("./types").Rescoring}
 * @throws {Error} with a sentence, if options of a rule are not JSON
 */
export function rescoringOf(page, draft) {
  /** @type {Values} */
  const settings = {};
  for (const field of page.settings) {
    if (Object.hasOwn(draft.changed, field.name)) settings[field.name] = settingOf(field, draft.changed[field.name]);
  }
  return draft.preset ? { preset: draft.preset, settings } : { settings };
}

/**
 * @param {import("./types").SettingField} field
 * @param {any} drafted
 * @returns {Json}
 */
function settingOf(field, drafted) {
  if (field.kind === "texts") return drafted.map((/** @type {string} */ text) => text.trim()).filter(Boolean);
  if (field.kind !== "effects" && field.kind !== "arguments") return drafted;
  const rows = drafted.filter((/** @type {PatternRow} */ { pattern }) => pattern.trim());
  return Object.fromEntries(rows.map((/** @type {PatternRow} */ row) => [row.pattern.trim(), ruleOf(field, row)]));
}

/**
 * @param {import("./types").SettingField} field
 * @param {PatternRow} row
 * @returns {Json}
 */
function ruleOf(field, { pattern, rule, options }) {
  if (field.kind === "effects" || !options.trim()) return rule;
  try {
    return { [rule]: parseJson(options) };
  } catch {
    throw new Error(t("page.bad_options", { pattern: visibleText(pattern) }));
  }
}

/**
 * The patterns of a setting as rows.
 * @param {Json} value
 * @returns {PatternRow[]}
 */
function rowsOf(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
  return Object.entries(value).map(([pattern, rule]) => {
    if (rule === null || typeof rule !== "object" || Array.isArray(rule)) return { pattern, rule: String(rule), options: "" };
    const [name = "", options = {}] = Object.entries(rule)[0] ?? [];
    return { pattern, rule: name, options: jsonText(options) };
  });
}

/**
 * All settings.
 * @param {object} properties
 * @param {import("./types").SettingsPage} properties.page
 * @param {Draft} properties.draft
 * @param {(draft: Draft) => void} properties.onChange
 */
export function SettingsFields({ page, draft, onChange }) {
  const change = (/** @type {string} */ name, /** @type {Json | PatternRow[]} */ value) =>
    onChange({ ...draft, changed: { ...draft.changed, [name]: value } });
  const undo = (/** @type {string} */ name) => {
    const { [name]: _, ...changed } = draft.changed;
    onChange({ ...draft, changed });
  };
  return html`<${PresetField} page=${page} preset=${draft.preset} onChange=${(/** @type {string} */ preset) => onChange({ ...draft, preset })} />
    <div class="setting-list">
      ${page.settings.map(
        (field) => html`<${Setting}
          key=${field.name}
          field=${field}
          start=${startingValue(page, field, draft.preset)}
          changed=${draft.changed[field.name]}
          onChange=${(/** @type {Json | PatternRow[]} */ value) => change(field.name, value)}
          onUndo=${() => undo(field.name)}
        />`,
      )}
    </div>`;
}

/** @param {{page: import("./types").SettingsPage, preset: string, onChange: (preset: string) => void}} properties */
function PresetField({ page, preset, onChange }) {
  const choices = [{ name: "", title: t("page.preset_none") }, ...page.presets];
  return html`<fieldset class="setting-presets">
    <legend>${t("page.preset")}</legend>
    ${choices.map(
      ({ name, title }) => html`<label class="setting-preset" key=${name}>
        <input type="radio" name="preset" value=${name} checked=${preset === name} onChange=${() => onChange(name)} />
        <span>${title}</span>
      </label>`,
    )}
  </fieldset>`;
}

/**
 * A setting: its name, its control, and what it does.
 * @param {object} properties
 * @param {import("./types").SettingField} properties.field
 * @param {{value: Json, isMixed: boolean}} properties.start
 * @param {Json | PatternRow[] | undefined} properties.changed
 * @param {(value: Json | PatternRow[]) => void} properties.onChange
 * @param {() => void} properties.onUndo
 */
function Setting({ field, start, changed, onChange, onUndo }) {
  const isChanged = changed !== undefined;
  const control = CONTROLS[field.kind];
  const id = `setting-${field.name}`;
  const isWide = field.kind === "effects" || field.kind === "arguments";
  return html`<div class=${`setting-item${isWide ? " is-wide" : ""}${isChanged ? " is-changed" : ""}`} role="group" aria-labelledby=${`${id}-title`} aria-describedby=${`${id}-help`}>
    <div class="setting-head">
      <label id=${`${id}-title`} for=${id}>${field.title}</label>
      ${isChanged
        ? html`<button type="button" class="button button-quiet setting-undo" onClick=${onUndo}>
            <span aria-hidden="true">↺</span> ${t("page.setting_undo")}
          </button>`
        : null}
    </div>
    ${start.isMixed && !isChanged ? html`<p class="muted">${t("page.setting_mixed")}</p>` : null}
    <${control} id=${id} field=${field} value=${isChanged ? changed : start.value} isDraft=${isChanged} onChange=${onChange} />
    <p class="setting-help muted" id=${`${id}-help`}>${field.help} <code>${field.name}</code></p>
  </div>`;
}

/**
 * @typedef {object} Control
 * @property {string} id
 * @property {import("./types").SettingField} field
 * @property {any} value
 * @property {boolean} isDraft whether the value is what was typed, or that of the run
 * @property {(value: any) => void} onChange
 */

/** @param {Control} properties */
function ChoiceControl({ id, field, value, onChange }) {
  return html`<select class="field" id=${id} value=${value} onChange=${(/** @type {Event & {currentTarget: HTMLSelectElement}} */ event) => onChange(event.currentTarget.value)}>
    ${field.choices.map((choice) => html`<option key=${choice} value=${choice} selected=${choice === value}>${choice}</option>`)}
  </select>`;
}

/** @param {Control} properties */
function ChoicesControl({ id, field, value, onChange }) {
  const chosen = new Set(Array.isArray(value) ? value : []);
  const toggle = (/** @type {string} */ choice) =>
    onChange(field.choices.filter((other) => (other === choice ? !chosen.has(other) : chosen.has(other))));
  return html`<div class="setting-choices" id=${id}>
    ${field.choices.map(
      (choice) => html`<label key=${choice}>
        <input type="checkbox" checked=${chosen.has(choice)} onChange=${() => toggle(choice)} /> ${choice}
      </label>`,
    )}
  </div>`;
}

/** @param {Control} properties */
function ShareControl({ id, value, onChange }) {
  return html`<input
    class="field setting-number"
    id=${id}
    type="number"
    min="0"
    max="1"
    step="any"
    required
    value=${String(value)}
    onInput=${(/** @type {Event & {currentTarget: HTMLInputElement}} */ event) => {
      const typed = event.currentTarget.valueAsNumber;
      if (Number.isFinite(typed)) onChange(typed);
    }}
  />`;
}

/** @param {Control} properties */
function TextsControl({ id, value, onChange }) {
  const lines = Array.isArray(value) ? value : [];
  return html`<textarea
    class="field mono"
    id=${id}
    rows=${Math.min(Math.max(lines.length, 1) + 1, 6)}
    placeholder=${t("page.one_per_line")}
    spellcheck="false"
    value=${lines.join("\n")}
    onInput=${(/** @type {Event & {currentTarget: HTMLTextAreaElement}} */ event) => onChange(event.currentTarget.value.split("\n"))}
  ></textarea>`;
}

/** @param {Control} properties */
function PatternsControl({ id, field, value, isDraft, onChange }) {
  const rows = /** @type {PatternRow[]} */ (isDraft ? value : rowsOf(value));
  const [shouldFocus, setFocus] = useState(false);
  const edit = (/** @type {number} */ at, /** @type {Partial<PatternRow>} */ patch) =>
    onChange(rows.map((row, other) => (other === at ? { ...row, ...patch } : row)));
  const add = () => {
    setFocus(true);
    onChange([...rows, { pattern: "", rule: field.choices[0] ?? "", options: "" }]);
  };
  return html`<div class="setting-patterns" id=${id}>
    ${rows.map(
      (row, at) => html`<${PatternFields}
        key=${at}
        field=${field}
        row=${row}
        isNew=${shouldFocus && at === rows.length - 1}
        onChange=${(/** @type {Partial<PatternRow>} */ patch) => edit(at, patch)}
        onRemove=${() => onChange(rows.filter((_, other) => other !== at))}
      />`,
    )}
    <button type="button" class="button" onClick=${add}>${t("page.pattern_add")}</button>
  </div>`;
}

/**
 * @param {object} properties
 * @param {import("./types").SettingField} properties.field
 * @param {PatternRow} properties.row
 * @param {boolean} properties.isNew
 * @param {(patch: Partial<PatternRow>) => void} properties.onChange
 * @param {() => void} properties.onRemove
 */
function PatternFields({ field, row, isNew, onChange, onRemove }) {
  const isArgument = field.kind === "arguments";
  const pattern = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    if (isNew) pattern.current?.focus();
  }, []);
  return html`<div class="setting-pattern">
    <input
      class="field mono"
      aria-label=${t("page.pattern")}
      placeholder=${isArgument ? "book_flight.date" : "get_*"}
      spellcheck="false"
      ref=${pattern}
      value=${row.pattern}
      onInput=${(/** @type {Event & {currentTarget: HTMLInputElement}} */ event) => onChange({ pattern: event.currentTarget.value })}
    />
    <select
      class="field"
      aria-label=${isArgument ? t("page.rule") : t("page.effect")}
      value=${row.rule}
      onChange=${(/** @type {Event & {currentTarget: HTMLSelectElement}} */ event) => onChange({ rule: event.currentTarget.value })}
    >
      ${field.choices.map((choice) => html`<option key=${choice} value=${choice} selected=${choice === row.rule}>${choice}</option>`)}
    </select>
    ${isArgument
      ? html`<input
          class="field mono"
          aria-label=${t("page.rule_options")}
          placeholder=${t("page.rule_options")}
          spellcheck="false"
          value=${row.options}
          onInput=${(/** @type {Event & {currentTarget: HTMLInputElement}} */ event) => onChange({ options: event.currentTarget.value })}
        />`
      : null}
    <button type="button" class="button button-quiet" aria-label=${t("page.pattern_remove")} title=${t("page.pattern_remove")} onClick=${onRemove}>
      <span aria-hidden="true">✕</span>
    </button>
  </div>`;
}

/** The control of each kind of setting. */
const CONTROLS = {
  choice: ChoiceControl,
  choices: ChoicesControl,
  share: ShareControl,
  texts: TextsControl,
  effects: PatternsControl,
  arguments: PatternsControl,
};
