/** Light or dark: by the system, or as chosen. */

import { html, useState } from "./vendor/preact-htm.js";
import { t } from "./words.js";

const THEMES = ["auto", "light", "dark"];

/** @type {Record<string, string>} */
const THEME_MARKS = { auto: "◐", light: "☀", dark: "☾" };

const THEME_KEY = "callscore-theme";

/** Apply the theme that was chosen last; to be called before anything is shown. */
export function startTheme() {
  applyTheme(savedTheme());
}

function savedTheme() {
  try {
    const saved = localStorage.getItem(THEME_KEY) ?? "auto";
    return THEMES.includes(saved) ? saved : "auto";
  } catch {
    return "auto"; // the browser keeps nothing for this page
  }
}

/** @param {string} theme */
function applyTheme(theme) {
  const root = globalThis.document.documentElement;
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** A button that goes from the theme of the system to light to dark. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(savedTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
  const choose = () => {
    setTheme(next);
    applyTheme(next);
    try {
      localStorage.setItem(THEME_KEY, next);
    } catch {
      // it holds until the page is closed
    }
  };
  return html`<button class="button theme-switch no-print" title=${t("report.theme")} onClick=${choose}>
    <span aria-hidden="true">${THEME_MARKS[theme]}</span>
    <span><span class="visually-hidden">${t("report.theme")}: </span>${t(`report.theme_${theme}`)}</span>
  </button>`;
}
