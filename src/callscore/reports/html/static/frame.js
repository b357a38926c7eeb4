/** The whole of a report: the page of `callscore view` shows a run with it, too. */

import { caseKeys, useAddress } from "./address.js";
import { Cases, ListReminder, showList } from "./cases.js";
import { ChartPatterns } from "./charts.js";
import { ComparisonOverview } from "./comparison.js";
import { isNarrowed } from "./filters.js";
import { KeyHelp, useKeys } from "./keys.js";
import { Overview } from "./overview.js";
import { Problems } from "./problems.js";
import { rankProblems } from "./rankings.js";
import { problemText, shortText } from "./reasons.js";
import { prepareIndex, searchTexts, select } from "./selection.js";
import { ThemeSwitch } from "./theme.js";
import { html, useEffect, useMemo, useState } from "./vendor/preact-htm.js";
import { date, t } from "./words.js";

/** Milliseconds after the first view in which the browser has time for what the first search needs. */
const IDLE_DELAY = 400;

/**
 * A report.
 * @param {object} properties
 * @param {import("./types").Source} properties.source
 * @param {unknown} [properties.heading] in place of the title and its buttons
 * @param {import("./detail").Actions} [properties.actions] what else the detail of a case shows
 * @param {boolean} [properties.embedded] inside of a page with landmarks and a skip link of its own
 */
export function Report({ source, heading, actions, embedded = false }) {
  const { document: document_ } = source;
  const prepared = useMemo(() => prepareIndex(source, problemText), [source]);
  const rankings = useMemo(() => rankProblems(prepared), [prepared]);
  const [view, onChange] = useAddress(document_.comparison !== null);
  const found = useMemo(() => select(prepared, view), [prepared, JSON.stringify({ ...view })]);
  // what does not depend on a filter is not made anew by each letter of a search
  const overview = useMemo(
    () => html`<${Overview} source=${source} view=${view} onChange=${onChange} />`,
    [source, String(view.status)],
  );
  const problems = useMemo(
    () => html`<${Problems} prepared=${prepared} rankings=${rankings} view=${view} onChange=${onChange} />`,
    [prepared, view.tool, view.problem, view.argument, view.failure, view.cell],
  );
  const cases = html`<${Cases} ...${{ source, prepared, rankings, view, found, onChange, actions }} />`;
  // a comparison begins with the cases that broke and were fixed
  const comparison =
    document_.comparison &&
    html`<div class="section"><${ComparisonOverview} source=${source} /></div>`;
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys({ "?": () => setHelpOpen(true) });
  useEffect(() => {
    if (view.case !== null || isNarrowed(view)) showList(); // the link is about the list
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => {
      searchTexts(prepared);
      caseKeys(source);
    }, IDLE_DELAY);
    return () => clearTimeout(timer);
  }, [prepared]);
  return html`<div class="report" lang=${document_.lang}>
    ${embedded ? null : html`<button class="button skip-link no-print" onClick=${showList}>${t("report.skip")}</button>`}
    ${heading === undefined ? html`<${Heading} document=${document_} onHelp=${() => setHelpOpen(true)} />` : heading}
    <${embedded ? "div" : "main"}>
      ${overview}
      ${document_.comparison ? [comparison, cases, problems] : [problems, cases]}
    <//>
    <${ListReminder} prepared=${prepared} view=${view} found=${found} />
    <${ChartPatterns} />
    <${KeyHelp} isOpen=${isHelpOpen} onClose=${() => setHelpOpen(false)} />
  </div>`;
}

/**
 * @param {{document: import("./types").Document, onHelp: () => void}} properties
 */
function Heading({ document: document_, onHelp }) {
  const lines = [...document_.subtitle, ...(document_.at === null ? [] : [date(document_.at)])];
  return html`<header class="heading">
    <div>
      <h1>${shortText(document_.title)}</h1>
      <ul class="row heading-lines muted">
        ${lines.map((line, at) => html`<li key=${at}>${shortText(line)}</li>`)}
      </ul>
    </div>
    <div class="row no-print">
      <button class="button heading-keys" aria-keyshortcuts="?" onClick=${onHelp}>${t("report.keys")}</button>
      <${ThemeSwitch} />
    </div>
  </header>`;
}
