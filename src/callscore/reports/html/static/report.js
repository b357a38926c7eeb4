/** The entry of the one-file report. */

import { openReport } from "./data.js";
import { Report } from "./frame.js";
import { setHiddenCharacters } from "./text.js";
import { startTheme } from "./theme.js";
import { html, render } from "./vendor/preact-htm.js";
import { setWords } from "./words.js";

/** Open the data of this file and show it. */
async function start() {
  startTheme();
  const source = await openReport();
  setWords(source.document);
  setHiddenCharacters(source.document.hidden_characters);
  const app = /** @type {Element} */ (globalThis.document.getElementById("app"));
  app.replaceChildren();
  render(html`<${Report} source=${source} />`, app);
}

start();
