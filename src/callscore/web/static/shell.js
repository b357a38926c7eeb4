/** What surrounds every screen: header with search, language and theme, the trail, and the footer. */

import { Text } from "/static/report/text.js";
import { ThemeSwitch } from "/static/report/theme.js";
import { html, useEffect, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { currentLanguage, t } from "/static/report/words.js";
import { HOME, Link, navigate, searchPath, settle } from "./router.js";

/** Milliseconds without a key before a search starts by itself. */
const SEARCH_DELAY = 250;

/**
 * The address of this screen in another language.
 * @param {string} lang
 */
function addressIn(lang) {
  const { pathname, search, hash } = globalThis.location;
  const query = new URLSearchParams(search);
  query.set("lang", lang);
  return `${pathname}?${query}${hash}`;
}

/** Links to this screen in each language. The server remembers the choice. */
function LanguageSwitch() {
  const choices = /** @type {const} */ ([
    ["en", "EN", "English"],
    ["ru", "RU", "Русский"],
  ]);
  return html`<ul class="languages" aria-label=${t("page.language")}>
    ${choices.map(
      ([lang, short, name]) => html`<li key=${lang}>
        <a
          href=${addressIn(lang)}
          lang=${lang}
          hreflang=${lang}
          title=${name}
          aria-current=${lang === currentLanguage() ? "true" : null}
          onClick=${(/** @type {Event & {currentTarget: HTMLAnchorElement}} */ event) => {
            event.currentTarget.href = addressIn(lang); // filters may have changed the address meanwhile
          }}
          >${short}<span class="visually-hidden"> ${name}</span></a
        >
      </li>`,
    )}
  </ul>`;
}

/** @param {EventTarget | null} target */
function isTextField(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/**
 * The search. On its own screen it searches while you type, elsewhere on Enter. `/` focuses it, unless the report
 * uses the key for its own search.
 * @param {{place: import("./router").Place}} properties
 */
function SearchField({ place }) {
  const shown = place.name === "search" ? place.query : "";
  const [text, setText] = useState(shown);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const timer = useRef(0);
  useEffect(() => {
    if (globalThis.document.activeElement !== field.current) setText(shown);
  }, [shown]);
  const isReport = place.name === "run" || place.name === "compare"; // which has a search of its own
  useEffect(() => {
    if (isReport) return undefined;
    const onKey = (/** @type {KeyboardEvent} */ event) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key !== "/" || !isPlain || event.defaultPrevented || isTextField(event.target)) return;
      event.preventDefault();
      field.current?.select();
    };
    globalThis.addEventListener("keydown", onKey);
    return () => globalThis.removeEventListener("keydown", onKey);
  }, [isReport]);
  const onInput = (/** @type {Event & {currentTarget: HTMLInputElement}} */ event) => {
    const typed = event.currentTarget.value;
    setText(typed);
    clearTimeout(timer.current);
    if (place.name !== "search") return;
    timer.current = setTimeout(() => {
      if (typed.trim()) navigate(searchPath(typed.trim()), { replace: true, keepFocus: true });
    }, SEARCH_DELAY);
  };
  const onSubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    clearTimeout(timer.current);
    if (text.trim()) navigate(searchPath(text.trim()), { replace: place.name === "search" });
  };
  return html`<form class="page-search" role="search" onSubmit=${onSubmit}>
    <input
      ref=${field}
      class="field page-search-field"
      type="search"
      name="q"
      maxlength="200"
      autocomplete="off"
      spellcheck="false"
      placeholder=${t("page.search_hint")}
      aria-label=${t("page.search_hint")}
      aria-keyshortcuts="/"
      value=${text}
      onInput=${onInput}
    />
    ${isReport ? null : html`<kbd class="page-search-key" aria-hidden="true">/</kbd>`}
  </form>`;
}

/**
 * The header of all screens.
 * @param {{boot: import("./types").Boot, place: import("./router").Place}} properties
 */
export function Header({ boot, place }) {
  return html`<header class="page-header no-print">
    <a class="page-skip" href="#content" onClick=${skipToContent}>${t("page.skip")}</a>
    <${Link} to=${HOME} class="brand" aria-current=${place.name === "home" ? "page" : null}>
      <${Logo} /><span class="brand-name">callscore</span>
    </${Link}>
    <span class="page-project muted"><${Text} value=${boot.project} /></span>
    <${SearchField} place=${place} />
    <${LanguageSwitch} />
    <${ThemeSwitch} />
  </header>`;
}

/** @param {Event} event */
function skipToContent(event) {
  event.preventDefault(); // the hash belongs to the filters
  globalThis.document.getElementById("content")?.focus();
}

/** Two calls that agree, and one that does not. */
function Logo() {
  return html`<svg class="logo" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
    <rect class="logo-call" x="2" y="3" width="7" height="3.5" rx="1.2" />
    <rect class="logo-call" x="11" y="3" width="7" height="3.5" rx="1.2" />
    <rect class="logo-call" x="2" y="8.25" width="7" height="3.5" rx="1.2" />
    <rect class="logo-call" x="11" y="8.25" width="7" height="3.5" rx="1.2" />
    <rect class="logo-call" x="2" y="13.5" width="7" height="3.5" rx="1.2" />
    <rect class="logo-other" x="11" y="13.5" width="7" height="3.5" rx="1.2" />
  </svg>`;
}

/**
 * The footer of all screens: the version, and where the runs are.
 * @param {{boot: import("./types").Boot}} properties
 */
export function Footer({ boot }) {
  return html`<footer class="page-footer muted">
    <span>${t("page.version", { version: boot.version })}</span>
    <span>${t("page.store")} <code><${Text} value=${boot.store} /></code></span>
  </footer>`;
}

/**
 * A screen: its trail, its heading, and what is beside the heading.
 * @param {object} properties
 * @param {string} properties.name for the title of the window
 * @param {unknown} [properties.heading] without it, the content has an `h1` of its own
 * @param {unknown} [properties.about] below the heading
 * @param {unknown} [properties.actions] beside the heading
 * @param {{text: string, to: string}[]} [properties.trail] the screens above this one
 * @param {boolean} [properties.isReady] whether the content is there, so that the focus can move to the heading
 * @param {unknown} [properties.children]
 */
export function Screen({ name, heading, about, actions, trail = [], isReady = true, children }) {
  useEffect(() => {
    globalThis.document.title = name ? t("page.window_title", { name }) : "callscore";
  }, [name]);
  useEffect(() => {
    if (isReady) settle();
  });
  return html`<div class="page-screen">
    ${trail.length ? html`<${Trail} steps=${trail} />` : null}
    ${heading
      ? html`<div class="page-screen-head">
          <div>
            <h1>${heading}</h1>
            ${about ? html`<div class="page-screen-about muted">${about}</div>` : null}
          </div>
          ${actions ? html`<div class="page-buttons">${actions}</div>` : null}
        </div>`
      : null}
    ${children}
  </div>`;
}

/** @param {{steps: {text: string, to: string}[]}} properties */
function Trail({ steps }) {
  return html`<nav class="page-trail no-print" aria-label=${t("page.trail")}>
    <ol>
      ${steps.map(({ text, to }) => html`<li key=${to}><${Link} to=${to}><${Text} value=${text} /></${Link}></li>`)}
    </ol>
  </nav>`;
}
