/** Tables of numbers with names. */

import { html } from "./vendor/preact-htm.js";

/**
 * A table that scrolls by itself where it is too wide. The first cell of a row is its name; numbers follow.
 * @param {object} properties
 * @param {string} properties.label
 * @param {string[]} properties.head
 * @param {unknown[][]} properties.rows
 * @param {number} [properties.texts] columns at the end that are no numbers
 */
export function DataTable({ label, head, rows, texts = 0 }) {
  const kind = (/** @type {number} */ at) => (at && at < head.length - texts ? "number" : null);
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${label}>
    <table class="table">
      <thead>
        <tr>
          ${head.map((text, at) => html`<th key=${at} scope="col" class=${kind(at)}>${text}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells, row) =>
            html`<tr key=${row}>
              ${cells.slice(0, head.length).map((cell, at) =>
                at ? html`<td key=${at} class=${kind(at)}>${cell}</td>` : html`<th key=${at} scope="row">${cell}</th>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
