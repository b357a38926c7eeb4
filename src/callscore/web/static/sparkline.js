/** A line without labels, for the tables of the page. */

import { html } from "/static/report/vendor/preact-htm.js";
import { percent, t } from "/static/report/words.js";

/**
 * How a share went.
 * @param {{points: {share: number | null}[], label?: string}} properties oldest first
 */
export function Sparkline({ points, label }) {
  const shares = points.map(({ share }) => share);
  const known = shares.filter((share) => share !== null);
  if (!known.length) return null;
  const low = Math.min(...known);
  const span = Math.max(Math.max(...known) - low, 0.05);
  const x = (/** @type {number} */ at) => (shares.length > 1 ? 3 + (at / (shares.length - 1)) * 90 : 48);
  const y = (/** @type {number} */ share) => 21 - ((share - low) / span) * 18;
  let path = "";
  shares.forEach((share, at) => {
    if (share !== null) path += `${path && shares[at - 1] !== null ? "L" : "M"}${x(at)} ${y(share)}`;
  });
  const end = shares.findLastIndex((share) => share !== null);
  const first = percent(known[0]);
  const last = percent(known[known.length - 1]);
  return html`<svg
    class="sparkline"
    viewBox="0 0 96 24"
    width="96"
    height="24"
    role="img"
    aria-label=${label ?? t("charts.sparkline", { first, last })}
  >
    <path d=${path} class="chart-line" />
    <circle cx=${x(end)} cy=${y(/** @type {number} */ (shares[end]))} r="3" class="chart-dot is-this" />
  </svg>`;
}
