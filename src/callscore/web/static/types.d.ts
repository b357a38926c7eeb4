/**
 * What the server of `callscore view` answers (`callscore/web`).
 *
 * All answers are JSON (parse them with `parseJson` of the report's `data.js`: integers may be large). An
 * answer with a status other than 200 is an `ApiError`, whose text is a sentence to show.
 * Every GET accepts `lang=en|ru`; without it the language is that of the cookie `callscore_lang`, or of --lang.
 * Every POST needs the header `X-Callscore-Token: <Boot.token>` and `Content-Type: application/json`.
 *
 * Page paths (the same HTML for each): `/`, `/runs/ID`, `/evaluations/KEY`, `/compare?runs=a,b[,c...]`,
 * `/cases?evaluation=KEY&case=ID`, `/search?q=...`. `?lang=en|ru` on any of them sets the cookie.
 */

import type {
  CaseView,
  ComparedCase,
  Document,
  Index,
  Interval,
  Json,
  TrendPoint,
  Words,
} from "../../reports/html/static/types";

/** JSON in `<script type="application/json" id="boot">` of the page. */
export interface Boot {
  lang: "en" | "ru";
  words: Words;
  /** As `Document.hidden_characters`. */
  hidden_characters: string;
  /** For the header `X-Callscore-Token` of every POST. */
  token: string;
  /** Of callscore. */
  version: string;
  /** The name of the project's folder. */
  project: string;
  /** The history as it is called in messages: `.callscore/history.db`. */
  store: string;
}

/** The answer to a request that failed (status 400, 403, 404, 405, 409, 413, 415, 422 or 500). */
export interface ApiError {
  error: string;
}

/** `abandoned`: unfinished, and its process has ended. */
export type RunStatus = "running" | "finished" | "interrupted" | "abandoned";

/** What identifies an evaluation in every run: its file, its name there and its variant. */
export interface EvaluationName {
  /** For `/evaluations/KEY` and `/cases?evaluation=KEY`: 16 hexadecimal digits. */
  key: string;
  name: string;
  variant: string | null;
  /** `weather [gpt]` */
  label: string;
  /** The file. */
  place: string;
}

/** The change of a share of passed cases since the nearest complete run before. */
export interface Change {
  /** Null if there is nothing to compare with. */
  change: number | null;
  direction: "up" | "down" | "same" | null;
  /** Whether the share is outside of the 95 % interval of the run before. */
  is_outside: boolean;
  /** Whether the number of cases differs, so that there is no arrow. */
  has_other_cases: boolean;
}

/** An evaluation of a run in a list. */
export interface RunEvaluation extends EvaluationName, Change {
  cases: number;
  trials: number;
  answered: number;
  /** Answers that pass. */
  passed: number;
  errors: number;
  /** The mean over the cases of the share of their trials that pass. */
  share: number | null;
  interval: Interval | null;
  f1: number | null;
}

/** A run in a list. */
export interface RunSummary {
  id: string;
  name: string | null;
  /** `run`, `rescore`, `score`, `evaluate` or `pytest`. */
  command: string;
  status: RunStatus;
  /** Seconds since 1970. */
  started_at: number;
  finished_at: number | null;
  commit: string | null;
  is_dirty: boolean | null;
  baselines: string[];
  /** Whether cases were left out on request. */
  is_partial: boolean;
  /** Records of scored files that could not be read. */
  unreadable: number;
  /** The run whose answers it scores again. */
  parent: string | null;
  evaluations: RunEvaluation[];
}

/** An evaluation on the home page. */
export interface EvaluationSummary extends EvaluationName {
  /** The newest runs that count for a trend (complete, with answers of their own), the oldest first. */
  trend: TrendPoint[];
  /** Its numbers in the newest run that has it. */
  latest: RunEvaluation;
  /** The id of that run. */
  latest_run: string;
}

/** GET /api/home */
export interface Home {
  running: Progress[];
  /** The one that was run last first. */
  evaluations: EvaluationSummary[];
  /** The newest first. */
  runs: RunSummary[];
  /** For GET /api/runs?before=; null if there are no older runs. */
  next: string | null;
}

/** GET /api/runs?search=&before=&limit= (limit: 1 to 200, 50 by default) */
export interface RunsPage {
  runs: RunSummary[];
  next: string | null;
}

/** A run of an evaluation over time. */
export interface EvaluationPoint extends TrendPoint, Change {
  status: RunStatus;
  command: string;
  is_dirty: boolean | null;
  baselines: string[];
  /** Whether it belongs to the trend: complete, and with answers of its own. */
  counts: boolean;
  trials: number;
  passed: number;
  errors: number;
  f1: number | null;
}

/** GET /api/evaluations/KEY */
export interface EvaluationHistory extends EvaluationName {
  /** The oldest first; at most the newest 500. */
  points: EvaluationPoint[];
  /** How many older ones are left out. */
  not_shown: number;
}

/** GET /api/runs/ID. The id may also be the beginning of one, a name, a baseline or `latest`; use `run.id` afterwards. */
export interface RunPage {
  run: RunSummary;
  document: Document;
  index: Index;
  /** What identifies each of `document.evaluations`, in the same order. */
  evaluations: EvaluationName[];
  /** Set for a run in progress. */
  progress: Progress | null;
}

/**
 * GET /api/runs/ID/case?evaluation=N&case=ID&trial=T
 * `evaluation` is the position in `document.evaluations` (0 by default); without `trial`, the first one.
 */
export interface CaseAnswer {
  view: CaseView;
  /** The evaluation, for links to the case in other runs. */
  evaluation: EvaluationName;
  notes: Note[];
}

/** GET /api/compare?runs=a,b, and the preview of a rescoring. */
export interface ComparePage {
  /** Before and after. The second one of a preview is not saved; its id is empty. */
  runs: [RunSummary, RunSummary];
  document: Document;
  index: Index;
  /** Identifies the evaluation of each item of `index`: a position in `evaluations`. */
  evaluation_of: number[];
  evaluations: EvaluationName[];
}

/**
 * GET /api/compare/case?runs=a,b&position=N and GET /api/previews/PID/case?position=N
 * `position` is that of the item in the index.
 */
export type ComparedAnswer = ComparedCase;

/** GET /api/compare?runs=a,b,c[,...] (three to ten runs) */
export interface CompareMatrix {
  runs: RunSummary[];
  evaluations: EvaluationName[];
  cases: {
    /** Position in `evaluations`. */
    evaluation: number;
    id: string;
    /** One per run: [passed, decided trials], [0, 0] without a verdict; null if the run has not the case. */
    outcomes: ([number, number] | null)[];
  }[];
}

/** GET /api/cases?evaluation=KEY&case=ID&before=&limit= (limit: 1 to 50, 10 by default) */
export interface CasePage {
  evaluation: EvaluationName;
  case: string;
  notes: Note[];
  /** The newest run first. */
  runs: {
    run: RunSummary;
    /** Position of the evaluation in `document.evaluations` of the run. */
    evaluation: number;
    passed: number;
    trials: number;
    /** Mean of the trials with a score. */
    score: number | null;
    views: CaseView[];
    /** Whether the expectation differs from that of the run before. */
    is_expectation_changed: boolean;
  }[];
  next: string | null;
}

/** A note on a case: it belongs to the case in all runs, whatever its variant. */
export interface Note {
  id: string;
  text: string;
  /** Seconds since 1970. */
  written_at: number;
}

/** POST /api/notes. Answers with `Notes`. A text has at most 10,000 characters. */
export interface NewNote {
  /** The key of the evaluation. */
  evaluation: string;
  case: string;
  text: string;
}

/** POST /api/notes/delete. Answers with `Notes`: those that are left. */
export interface DeletedNote {
  evaluation: string;
  case: string;
  id: string;
}

export interface Notes {
  notes: Note[];
}

/**
 * GET /api/events?run=ID: server-sent events. Each `progress` event has this as its data, at most two a
 * second and only if something changed; the last one has `is_finished`. Close the EventSource then: the
 * server ends the stream. A `problem` event has an `ApiError`. Comments keep the connection open.
 */
export interface Progress {
  run: string;
  name: string | null;
  status: RunStatus;
  started_at: number;
  /** Questions (cases times trials) with a result. */
  done: number;
  /** Null if unknown. */
  total: number | null;
  passed: number;
  failed: number;
  errors: number;
  /** Without a verdict. */
  undecided: number;
  /** Mean score of those that have one. */
  f1: number | null;
  /** Whether it was asked to stop. */
  is_cancelled: boolean;
  is_finished: boolean;
  /** The results that were written last, the newest first; at most 20. */
  newest: {
    /** Position in `document.evaluations`. */
    evaluation: number;
    label: string;
    case: string;
    trial: number;
    status: "passed" | "failed" | "error" | "unscored";
    score: number | null;
    seconds: number;
    /** For an error: what went wrong. */
    problem: string | null;
  }[];
}

/** POST /api/runs/ID/cancel {} (409 if the run is not in progress) */
export interface Cancelled {
  run: string;
  /** True: the run ends as after Ctrl-C, usually within seconds. */
  is_requested: true;
}

/** GET /api/settings[?run=ID] */
export interface SettingsPage {
  presets: { name: string; title: string; values: { [setting: string]: Json } }[];
  settings: SettingField[];
  /** With `run`: the settings of its evaluations that differ from the defaults. */
  current: { evaluation: EvaluationName; values: { [setting: string]: Json } }[];
}

export interface SettingField {
  name: string;
  /** In the language of the page. */
  title: string;
  help: string;
  /**
   * `choice`: one of `choices`. `choices`: a list of these. `share`: a number from 0 to 1. `texts`: a list
   * of texts. `effects`: an object of patterns to `read` or `write`. `arguments`: an object of patterns
   * (`book_flight.date`) to the name of a rule (`choices`), or to `{rule: options}`.
   */
  kind: "choice" | "choices" | "share" | "texts" | "effects" | "arguments";
  choices: string[];
  default: Json;
}

/** POST /api/runs/ID/rescore. Settings that are not given stay as they are in the run. */
export interface Rescoring {
  preset?: string;
  settings: { [setting: string]: Json };
}

/** The answer: the run before, and the preview after. Nothing is saved. */
export interface Preview extends ComparePage {
  /** For /api/previews/PID/case and /api/previews/PID/keep. The server keeps the newest few. */
  preview: string;
  /** Settings that have no effect together with the others, why cases could not be scored again. */
  warnings: string[];
}

/** POST /api/previews/PID/keep {} saves the preview as a run, as `callscore rescore` does. */
export interface Kept {
  run: string;
}

/** POST /api/runs/ID/accept */
export interface Acceptance {
  /** Position in `document.evaluations`. */
  evaluation: number;
  case: string;
  /** Needed if the trials differ. */
  trial?: number | null;
  /** First false: shows what would be written. Then true, with the `digest` of that answer. */
  write: boolean;
  digest?: string;
}

export interface AcceptanceAnswer {
  /** What would be written or was written. */
  changes: {
    /** `weather::oslo` */
    label: string;
    file: string;
    /** From 1. */
    line: number;
    /** All lines of the file that change: `-old`, `+new`. */
    lines: string[];
  }[];
  /** For the request that writes; empty if there is nothing to write. */
  digest: string;
  is_written: boolean;
  /** What is not changed, and why. */
  refused: { label: string; problem: string }[];
  /** Other sentences: nothing to accept, a case whose name changes. */
  messages: string[];
}

/** GET /api/search?q= (at most 200 characters) */
export interface SearchPage {
  runs: RunSummary[];
  evaluations: EvaluationName[];
  cases: { evaluation: EvaluationName; id: string; /** The newest run that has it. */ run: string }[];
  /** Whether more was found than is listed. */
  has_more: boolean;
}
