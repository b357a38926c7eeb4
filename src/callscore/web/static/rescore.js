/** Score a run again with other settings: see what changes first, then save it as a run or not. */

import { Report } from "/static/report/frame.js";
import { html, useEffect, useMemo, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { t } from "/static/report/words.js";
import { apiPath, send, useAction, useAnswer, withQuery } from "./api.js";
import { CaseLinks } from "./case_panel.js";
import { runLabel } from "./figures.js";
import { Answered, Problem, Remarks } from "./notices.js";
import { HOME, Link, navigate, runPath } from "./router.js";
import { EMPTY_DRAFT, SettingsFields, rescoringOf } from "./settings_form.js";
import { Screen } from "./shell.js";
import { previewSource } from "./sources.js";

/** @param {{run: import("./types").RunSummary}} properties */
export function RescoreScreen({ run }) {
  /** @type {import("./api").Asked<import("./types").SettingsPage>} */
  const asked = useAnswer(withQuery(apiPath("settings"), { run: run.id }));
  const name = t("page.rescore_title", { run: runLabel(run) });
  return html`<${Screen}
    name=${name}
    heading=${name}
    about=${t("page.rescore_about")}
    trail=${[
      { text: t("page.home"), to: HOME },
      { text: runLabel(run), to: runPath(run.id) },
    ]}
    isReady=${!asked.isLoading}
  >
    <${Answered} asked=${asked}>
      ${(/** @type {import("./types").SettingsPage} */ page) => html`<${Rescoring} run=${run} page=${page} />`}
    </${Answered}>
  </${Screen}>`;
}

/**
 * The form, and below it the preview.
 * @param {{run: import("./types").RunSummary, page: import("./types").SettingsPage}} properties
 */
function Rescoring({ run, page }) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [preview, setPreview] = useState(/** @type {import("./types").Preview | null} */ (null));
  const ask = useAction(async () => {
    setPreview(await send(apiPath("runs", run.id, "rescore"), rescoringOf(page, draft)));
  });
  const isChanged = draft.preset !== "" || Object.keys(draft.changed).length > 0;
  return html`<form
      class="card rescore-form"
      onSubmit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        ask.start();
      }}
    >
      <${SettingsFields} page=${page} draft=${draft} onChange=${setDraft} />
      <${Problem} text=${ask.error} />
      <div class="page-buttons">
        <button type="submit" class="button button-main" disabled=${ask.isBusy}>
          ${ask.isBusy ? t("page.rescoring") : t("page.preview")}
        </button>
        <button type="button" class="button" disabled=${!isChanged} onClick=${() => setDraft(EMPTY_DRAFT)}>
          ${t("page.settings_reset")}
        </button>
        <${Link} class="button button-quiet" to=${runPath(run.id)}>${t("page.rescore_leave")}</${Link}>
      </div>
    </form>
    ${preview
      ? html`<${PreviewPanel} key=${preview.preview} preview=${preview} onDiscard=${() => setPreview(null)} />`
      : null}`;
}

/**
 * What would change, and the buttons that save it or not.
 * @param {{preview: import("./types").Preview, onDiscard: () => void}} properties
 */
function PreviewPanel({ preview, onDiscard }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const source = useMemo(() => previewSource(preview), [preview]);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "start" });
  }, []);
  const save = useAction(async () => {
    /** @type {import("./types").Kept} */
    const { run } = await send(apiPath("previews", preview.preview, "keep"));
    navigate(runPath(run));
  });
  return html`<section class="rescore-preview" aria-labelledby="preview-title">
    <div class="rescore-bar">
      <div>
        <h2 id="preview-title" tabindex="-1" ref=${heading}>${t("page.preview_title")}</h2>
        <p class="muted">${t("page.preview_unsaved")}</p>
      </div>
      <div class="page-buttons">
        <button type="button" class="button button-main" disabled=${save.isBusy} onClick=${save.start}>${t("page.preview_save")}</button>
        <button type="button" class="button" onClick=${onDiscard}>${t("page.preview_discard")}</button>
      </div>
      <${Problem} text=${save.error} />
    </div>
    <${Remarks} texts=${preview.warnings} />
    <${Report}
      source=${source}
      embedded=${true}
      heading=${null}
      actions=${(/** @type {number} */ position) => html`<${CaseLinks}
        evaluation=${preview.evaluations[preview.evaluation_of[position]]}
        id=${preview.index.id[position]}
        runs=${preview.runs}
      />`}
    />
  </section>`;
}
