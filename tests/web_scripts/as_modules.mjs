/**
 * Lets Node import the scripts of the report and of the page as a browser does:
 * `NODE_OPTIONS="--import ./tests/web_scripts/as_modules.mjs" node --test tests/web_scripts/*.test.mjs`.
 *
 * The folders have no package.json that says that they are ES modules, and the page imports by the paths of its server.
 */

import { register } from "node:module";

const REPORT = new URL("../../src/callscore/reports/html/static/", import.meta.url).href;
const PAGE = new URL("../../src/callscore/web/static/", import.meta.url).href;

/** Runs in the thread of the loader, and so cannot see anything of this module. */
const hooks = (report, page) => `
  export async function resolve(name, context, next) {
    if (name.startsWith("/static/report/")) return next(name.replace("/static/report/", "${report}"), context);
    if (name.startsWith("/static/page/")) return next(name.replace("/static/page/", "${page}"), context);
    return next(name, context);
  }
  export async function load(url, context, next) {
    const isScript = url.startsWith("${report}") || url.startsWith("${page}");
    return next(url, isScript ? { ...context, format: "module" } : context);
  }
`;

register(`data:text/javascript,${encodeURIComponent(hooks(REPORT, PAGE))}`);
