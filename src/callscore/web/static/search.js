/** What a search finds: runs, evaluations and cases. */

import { Text } from "/static/report/text.js";
import { html } from "/static/report/vendor/preact-htm.js";
import { t } from "/static/report/words.js";
import { apiPath, useAnswer, withQuery } from "./api.js";
import { Answered } from "./notices.js";
import { HOME, Link, casePath, evaluationPath } from "./router.js";
import { CompareBar, RunTable, usePicked } from "./run_table.js";
import { Screen } from "./shell.js";

/** @param {{query: string}} properties */
export function SearchScreen({ query }) {
  const text = query.trim();
  /** @type {import("./api").Asked<import("./types").SearchPage>} */
  const asked = useAnswer(text ? withQuery(apiPath("search"), { q: text }) : null);
  return html`<${Screen}
    name=${t("page.search")}
    heading=${t("page.search")}
    about=${text ? html`${t("page.search_for")} <q><${Text} value=${text} /></q>` : null}
    trail=${[{ text: t("page.home"), to: HOME }]}
    isReady=${!asked.isLoading}
  >
    ${text
      ? html`<${Answered} asked=${asked}>
          ${(/** @type {import("./types").SearchPage} */ found) => html`<${Found} found=${found} />`}
        </${Answered}>`
      : html`<p class="card page-notice">${t("page.search_empty")}</p>`}
  </${Screen}>`;
}

/** @param {{found: import("./types").SearchPage}} properties */
function Found({ found }) {
  const picked = usePicked();
  if (!found.runs.length && !found.evaluations.length && !found.cases.length) {
    return html`<p class="card page-notice" role="status">${t("page.search_none")}</p>`;
  }
  return html`<p class="visually-hidden" role="status">
      ${t("page.search_found", { runs: found.runs.length, evaluations: found.evaluations.length, cases: found.cases.length })}
    </p>
    ${found.has_more ? html`<p class="muted">${t("page.search_more")}</p>` : null}
    ${found.evaluations.length
      ? html`<section>
          <h2>${t("page.evaluations")}</h2>
          <ul class="card search-hits">
            ${found.evaluations.map(
              ({ key, label, place }) => html`<li key=${key}>
                <${Link} to=${evaluationPath(key)}><${Text} value=${label} /></${Link}>
                <span class="mono muted"><${Text} value=${place} /></span>
              </li>`,
            )}
          </ul>
        </section>`
      : null}
    ${found.cases.length
      ? html`<section>
          <h2>${t("page.cases")}</h2>
          <ul class="card search-hits">
            ${found.cases.map(
              ({ evaluation, id }) => html`<li key=${`${evaluation.key}/${id}`}>
                <${Link} to=${casePath(evaluation.key, id)}><${Text} value=${id} limit=${200} /></${Link}>
                <span class="muted"><${Text} value=${evaluation.label} /></span>
              </li>`,
            )}
          </ul>
        </section>`
      : null}
    ${found.runs.length
      ? html`<section>
          <div class="section-head">
            <h2>${t("page.runs")}</h2>
            <${CompareBar} picked=${picked} />
          </div>
          <div class="card card-table"><${RunTable} runs=${found.runs} picked=${picked} /></div>
        </section>`
      : null}`;
}
