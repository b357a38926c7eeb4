/** The entry of the page of `callscore view`: chooses the screen by the address. */

import { setHiddenCharacters } from "/static/report/text.js";
import { startTheme } from "/static/report/theme.js";
import { html, render, useErrorBoundary } from "/static/report/vendor/preact-htm.js";
import { setWords, t } from "/static/report/words.js";
import { setToken } from "./api.js";
import { CaseScreen } from "./case_history.js";
import { CompareScreen } from "./compare.js";
import { EvaluationScreen } from "./evaluation.js";
import { HomeScreen } from "./home.js";
import { Problem } from "./notices.js";
import { HOME, Link, usePlace } from "./router.js";
import { RunScreen } from "./run.js";
import { SearchScreen } from "./search.js";
import { Footer, Header, Screen } from "./shell.js";

/** @param {{boot: import("./types").Boot}} properties */
function Page({ boot }) {
  const place = usePlace();
  return html`<${Header} boot=${boot} place=${place} />
    <main id="content" tabindex="-1">
      <${ShownScreen} key=${place.name} boot=${boot} place=${place} />
    </main>
    <${Footer} boot=${boot} />`;
}

/**
 * The screen of a place. A fault in a screen is shown in its place; the header stays usable.
 * @param {{boot: import("./types").Boot, place: import("./router").Place}} properties
 */
function ShownScreen({ boot, place }) {
  const [fault, reset] = useErrorBoundary();
  if (fault) {
    return html`<${Screen} name=${t("page.fault")} heading=${t("page.fault")}>
      <${Problem} text=${fault instanceof Error ? fault.message : String(fault)} onRetry=${reset} />
    </${Screen}>`;
  }
  switch (place.name) {
    case "home":
      return html`<${HomeScreen} boot=${boot} />`;
    case "run":
      return html`<${RunScreen} place=${place} />`;
    case "evaluation":
      return html`<${EvaluationScreen} id=${place.key} />`;
    case "compare":
      return html`<${CompareScreen} ids=${place.ids} />`;
    case "case":
      return html`<${CaseScreen} evaluation=${place.evaluation} id=${place.id} />`;
    case "search":
      return html`<${SearchScreen} query=${place.query} />`;
    default:
      return html`<${Screen} name=${t("page.unknown")} heading=${t("page.unknown")}>
        <p class="card"><${Link} to=${HOME}>${t("page.to_home")}</${Link}></p>
      </${Screen}>`;
  }
}

/** Take `lang` out of the address: the server has noted it. */
function cleanAddress() {
  const { pathname, search, hash } = globalThis.location;
  const query = new URLSearchParams(search);
  if (!query.has("lang")) return;
  query.delete("lang");
  const rest = query.toString().replaceAll("%2C", ",");
  globalThis.history.replaceState(null, "", `${pathname}${rest ? `?${rest}` : ""}${hash}`);
}

/** Show the page. */
function start() {
  startTheme();
  /** @type {import("./types").Boot} */
  const boot = JSON.parse(globalThis.document.getElementById("boot")?.textContent ?? "");
  setWords(boot);
  setHiddenCharacters(boot.hidden_characters);
  setToken(boot.token);
  cleanAddress();
  const root = /** @type {Element} */ (globalThis.document.getElementById("app"));
  root.replaceChildren();
  render(html`<${Page} boot=${boot} />`, root);
}

start();
