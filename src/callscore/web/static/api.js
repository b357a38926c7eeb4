/** Requests to the server of the page. */

import { jsonText, parseJson } from "/static/report/data.js";
import { useCallback, useEffect, useRef, useState } from "/static/report/vendor/preact-htm.js";
import { currentLanguage, t } from "/static/report/words.js";

/** @type {string} */
let token = "";

/**
 * Choose the token of all requests that change something.
 * @param {string} given
 */
export function setToken(given) {
  token = given;
}

/** A request that the server refused, with its sentence, or that got no answer. */
export class RequestError extends Error {
  /**
   * @param {string} message a sentence to show
   * @param {number} status of HTTP; 0 without any answer
   */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * A path below `/api`, with every part escaped.
 * @param {string[]} parts
 */
export function apiPath(...parts) {
  return `/api/${parts.map(encodeURIComponent).join("/")}`;
}

/**
 * An address of a GET request. Parameters that are null are left out.
 * @param {string} path from `apiPath`
 * @param {Record<string, string | number | null | undefined>} [query]
 */
export function withQuery(path, query = {}) {
  const parameters = new URLSearchParams({ lang: currentLanguage() });
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) parameters.set(name, String(value));
  }
  return `${path}?${parameters}`;
}

/**
 * Ask the server.
 * @param {string} address from `withQuery`
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function ask(address, signal) {
  return answerOf(address, { signal, headers: { Accept: "application/json" } });
}

/**
 * Send a request that changes something.
 * @param {string} path from `apiPath`
 * @param {any} [body] a JSON value; integers may be large
 * @returns {Promise<any>}
 */
export function send(path, body = {}) {
  return answerOf(withQuery(path), {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json", "X-Callscore-Token": token },
    body: jsonText(body),
  });
}

/**
 * @param {string} address
 * @param {RequestInit} options
 */
async function answerOf(address, options) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(address, options);
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") throw problem;
    throw new RequestError(t("page.no_answer"), 0);
  }
  const answer = parsed(await response.text());
  if (!response.ok) throw new RequestError(sentenceOf(answer, response.status), response.status);
  if (answer === undefined) throw new RequestError(t("page.bad_answer"), response.status);
  return answer;
}

/** @param {string} text */
function parsed(text) {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {any} answer
 * @param {number} status
 */
function sentenceOf(answer, status) {
  return typeof answer?.error === "string" ? answer.error : t("page.bad_status", { status });
}

/**
 * The sentence of any error.
 * @param {unknown} problem
 */
export function sentence(problem) {
  return problem instanceof Error ? problem.message : String(problem);
}

/**
 * An answer of the server, asked for again when the address changes or `reload` is called.
 * @template T
 * @typedef {{answer: T | null, error: string | null, isLoading: boolean, reload: () => void}} Asked
 */

/**
 * Ask the server while a component is shown. The answer to another address is never shown; while the same
 * address is asked again, the answer before stays.
 * @template T
 * @param {string | null} address null if there is nothing to ask
 * @returns {Asked<T>}
 */
export function useAnswer(address) {
  const [state, setState] = useState({ address, answer: /** @type {T | null} */ (null), error: /** @type {string | null} */ (null) });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (address === null) return undefined;
    const controller = new AbortController();
    ask(address, controller.signal).then(
      (answer) => setState({ address, answer, error: null }),
      (problem) => {
        if (controller.signal.aborted) return;
        setState((before) => ({
          address,
          answer: before.address === address ? before.answer : null,
          error: sentence(problem),
        }));
      },
    );
    return () => controller.abort();
  }, [address, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const isThis = state.address === address;
  const answer = isThis ? state.answer : null;
  const error = isThis ? state.error : null;
  return { answer, error, isLoading: address !== null && answer === null && error === null, reload };
}

/**
 * An action that a button starts: whether it is under way, and the sentence if it failed.
 * @template {unknown[]} A
 * @param {(...given: A) => Promise<void>} action
 * @returns {{start: (...given: A) => void, isBusy: boolean, error: string | null, clear: () => void}}
 */
export function useAction(action) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {string | null} */ (null));
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const start = (/** @type {A} */ ...given) => {
    setBusy(true);
    setError(null);
    action(...given).then(
      () => isShown.current && setBusy(false),
      (problem) => {
        if (!isShown.current) return;
        setBusy(false);
        setError(sentence(problem));
      },
    );
  };
  return { start, isBusy, error, clear: () => setError(null) };
}
