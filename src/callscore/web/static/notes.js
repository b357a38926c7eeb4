/** Notes on a case: they belong to the case, in all its runs. */

import { Text } from "/static/report/text.js";
import { html, useEffect, useState } from "/static/report/vendor/preact-htm.js";
import { t } from "/static/report/words.js";
import { apiPath, send, useAction } from "./api.js";
import { Moment } from "./figures.js";
import { Problem } from "./notices.js";

const LONGEST_NOTE = 10_000;

/**
 * The notes on a case, a field for another one, and a button that deletes each.
 * @param {object} properties
 * @param {string} properties.evaluation its key
 * @param {string} properties.case
 * @param {import("./types").Note[]} properties.notes
 * @param {(notes: import("./types").Note[]) => void} [properties.onChange]
 */
export function Notes({ evaluation, case: id, notes: given, onChange }) {
  const [notes, setNotes] = useState(given);
  const [text, setText] = useState("");
  useEffect(() => setNotes(given), [given]);
  const update = (/** @type {import("./types").Notes} */ answer) => {
    setNotes(answer.notes);
    onChange?.(answer.notes);
  };
  const add = useAction(async () => {
    update(await send(apiPath("notes"), { evaluation, case: id, text: text.trim() }));
    setText("");
  });
  const remove = useAction(async (/** @type {string} */ note) => {
    update(await send(apiPath("notes", "delete"), { evaluation, case: id, id: note }));
  });
  return html`<div class="user-notes">
    ${notes.length
      ? html`<ul class="user-note-list">
          ${notes.map((note) => html`<${NoteItem} key=${note.id} note=${note} isBusy=${remove.isBusy} onDelete=${remove.start} />`)}
        </ul>`
      : null}
    <${Problem} text=${remove.error} />
    <form
      class="user-note-form"
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        if (text.trim()) add.start();
      }}
    >
      <textarea
        class="field user-note-field"
        rows=${text ? 3 : 1}
        maxlength=${LONGEST_NOTE}
        placeholder=${t("page.note_hint")}
        aria-label=${t("page.note_hint")}
        value=${text}
        onInput=${(/** @type {Event & {currentTarget: HTMLTextAreaElement}} */ event) => setText(event.currentTarget.value)}
      ></textarea>
      <button type="submit" class="button" disabled=${add.isBusy || !text.trim()}>${t("page.note_add")}</button>
    </form>
    <${Problem} text=${add.error} />
  </div>`;
}

/** @param {{note: import("./types").Note, isBusy: boolean, onDelete: (id: string) => void}} properties */
function NoteItem({ note, isBusy, onDelete }) {
  const [isAsking, setAsking] = useState(false);
  return html`<li class="user-note">
    <p class="user-note-text"><${Text} value=${note.text} /></p>
    <p class="user-note-foot muted">
      <${Moment} at=${note.written_at} />
      ${isAsking
        ? html`<span class="user-note-question" role="group" aria-label=${t("page.note_delete_question")}>
            ${t("page.note_delete_question")}
            <button type="button" class="button button-quiet" disabled=${isBusy} onClick=${() => onDelete(note.id)}>
              ${t("page.note_delete")}
            </button>
            <button type="button" class="button button-quiet" onClick=${() => setAsking(false)}>${t("page.close")}</button>
          </span>`
        : html`<button type="button" class="button button-quiet" onClick=${() => setAsking(true)}>${t("page.note_delete")}</button>`}
    </p>
  </li>`;
}
