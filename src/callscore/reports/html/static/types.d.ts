/**
 * What a report contains. Python writes it (`callscore/reports/html`), and the modules beside this file show it.
 * The page of `callscore view` gets the same values from its server.
 */

/** Any JSON value. An integer that a double cannot hold is a `bigint`. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** Texts of one language: a text with `{names}`, or the forms of a counted noun (en: 2, ru: 3). */
export type Words = Record<string, string | string[]>;

export type Interval = [number, number];

export interface Call {
  name: string;
  /** Missing if any arguments are accepted (expected call), or if they cannot be read. */
  arguments?: { [key: string]: Json };
  id?: string;
  step?: number;
  result?: Json;
  failed?: boolean;
  raw?: string;
  error?: string;
  kind?: string;
  caller?: string;
  positional?: boolean;
  warning?: string;
  /** The turn of the user in which it is expected or was made, from 0. */
  turn?: number;
}

export interface Difference {
  /** `$.passengers[0].name` */
  path: string;
  /** The argument it is in: `passengers`; empty for all arguments. */
  argument: string;
  kind: "missing" | "unexpected" | "type" | "value" | "matcher" | "malformed";
  expected?: Json;
  actual?: Json;
  reason: string;
}

/** A line of the aligned diff: `=` correct, `~` incorrect, `-` missed, `+` extra, `!` forbidden (or faulty, in a check). */
export interface Row {
  mark: "=" | "~" | "-" | "+" | "!";
  expected?: Call;
  /** Missing on a correct row whose actual call has the same name and arguments and nothing else. */
  actual?: Call;
  /** Positions among the calls that count, from 0. */
  expected_index?: number;
  actual_index?: number;
  differences?: Difference[];
  /** Sentences about this row: why a call is missed or extra, or what is wrong with it. */
  notes?: string[];
  /** The turn of the user that it belongs to, from 1; missing without turns. */
  turn?: number;
}

/** A turn of the user, and what its title says besides its number. */
export interface Turn {
  number: number;
  passed: boolean;
  word: string;
}

export interface Value {
  name: string;
  value: number | null;
  reason: string | null;
  broken?: boolean;
}

/** One trial of a case: all that its detail shows. */
export interface CaseView {
  id: string;
  trial: number | string | null;
  tags: string[];
  evaluation?: string;
  status: Status;
  score: number | null;
  precision: number | null;
  recall: number | null;
  rating: string | null;
  /** `1 correct, 1 incorrect, 1 missed, 1 extra` as a sentence. */
  summary: string;
  rows: Row[];
  /** Missing for a case without turns. */
  turns?: Turn[];
  /** The number of the first turn that did not pass, from 1. */
  first_wrong_turn?: number;
  /** How the state at the end compares with the expected one; it is the last row. */
  state?: string;
  /** Calls that do not count under the settings. */
  ignored?: { side: "expected" | "actual"; why: string; call: Call }[];
  /** Sentences below the calls: what does not count, what the schemas find. */
  notes?: string[];
  /** The three steps, as text with line breaks. */
  explanation?: string;
  /** With groups or matchers: the expectation as a case file has it. */
  expectation?: Json;
  input?: Json;
  /** The text that the agent answered, or the whole answer if it has no text. */
  answer?: Json;
  metadata?: Json;
  /** Scorers and metrics of other tools. */
  values?: Value[];
  failure?: { kind: string; title: string; problem: string; details: string; attempts: number };
  seconds?: number;
  usage?: { requests: number; input_tokens: number; output_tokens: number };
  /** The command that explains or shows this case. */
  command?: string;
}

/** In a comparison: both runs against the expectation. One view per trial. */
export interface ComparedCase {
  before: CaseView[];
  after: CaseView[];
  /** Position of the first actual call at which the first trials part; null if they do not. */
  parts_at: number | null;
  /** What changed, as sentences. */
  reasons: string[];
}

export type Status = "passed" | "failed" | "error" | "unscored";

/** Why a case lost points; the list, the rankings and the filters use it. */
export interface Problem {
  /** The failure class. */
  class:
    | "value" | "type" | "missing" | "unexpected" | "matcher" | "malformed" // an argument
    | "missed" | "extra" | "forbidden" | "wrong_tool" | "order" | "turn" | "caller" // a call
    | "schema" // a fault by the schema or by a check
    | "error"; // no answer
  tool: string | null;
  /** For arguments. */
  argument?: string;
  /** For `wrong_tool`: what was called in place of `tool`. For `order`, `turn` and `caller`: `tool`, if that call counts. */
  called?: string;
  /** For `schema` and `error`: the kind, and its name in the language of the report. */
  kind?: string;
  title?: string;
}

/** Columns: one item per trial of a case, in the order of the report. Decoded from the compressed index. */
export interface Index {
  count: number;
  id: string[];
  /** Null if no case has a trial; otherwise one per item. */
  trial: (number | string | null)[] | null;
  /** Position in `Document.evaluations`; null if there is only one. */
  evaluation: number[] | null;
  /** Position in `STATUSES` = ["passed", "failed", "error", "unscored"]. */
  status: number[];
  score: (number | null)[];
  tag_names: string[];
  /** Positions in `tag_names`; null if no case has tags. */
  tags: number[][] | null;
  tool_names: string[];
  /** All tools of the case, expected or called: positions in `tool_names`. */
  tools: number[][];
  problem_kinds: Problem[];
  /** Positions in `problem_kinds`, each once, worst first. */
  problems: number[][];
  /** The beginning of the input, for the search; null if no case has one. */
  about: string[] | null;
  seconds: (number | null)[] | null;
  /** The first turn that did not pass, from 1; null if no case has one. */
  turn: (number | null)[] | null;
  /** Positions in `CHANGES` = ["broken", "fixed", "changed", "same", "only_before", "only_after"]; only in a comparison. */
  change?: number[];
  /** Only in a comparison: [passed, trials] of each side; null if the side has not the case. */
  before?: ([number, number] | null)[];
  after?: ([number, number] | null)[];
}

export interface ToolRow {
  tool: string;
  expected: number;
  correct: number;
  incorrect: number;
  missed: number;
  extra: number;
  forbidden: number;
}

/** A cell of the confusion matrix; null is "none": nothing was called, or nothing was expected. */
export interface Confusion {
  expected: string | null;
  called: string | null;
  count: number;
}

/** A number with its name. */
export interface Fact {
  label: string;
  value: number | string | null;
  format: "percent" | "number" | "seconds" | "text";
  interval?: Interval | null;
}

export interface TrendPoint {
  run: string;
  name: string | null;
  /** Seconds since 1970. */
  at: number;
  commit: string | null;
  share: number | null;
  interval: Interval | null;
  cases: number;
  is_this: boolean;
}

export interface EvaluationPart {
  name: string;
  variant: string | null;
  place: string;
  label: string;
  cases: number;
  answered: number;
  passed: number;
  failed: number;
  errors: number;
  undecided: number;
  scorers: { name: string; mean: number | null; scored: number; passed: number; fail_under: number | null; is_below: boolean }[];
  facts: Fact[];
  trend: TrendPoint[];
}

export interface TrialRates {
  cases: number;
  pass_at_k: number[];
  pass_hat_k: number[];
}

export interface MeasuredDifference {
  measure: string;
  before: number | null;
  after: number | null;
  difference: number | null;
  interval: Interval | null;
  p_value: number | null;
  verdict: string;
  /** The verdict in the language of the report. */
  verdict_text: string;
  cases: number;
}

export interface ComparedSide {
  label: string;
  run: string;
  at: number | null;
  commit: string | null;
  cases: number;
  trials: number;
  passed: number;
  failed: number;
  errors: number;
  f1: number | null;
}

export interface Comparison {
  before: ComparedSide;
  after: ComparedSide;
  main: MeasuredDifference;
  others: MeasuredDifference[];
  counts: { broken: number; fixed: number; changed: number; same: number; only_before: number; only_after: number };
  slices: { kind: "tool" | "tag"; name: string; difference: MeasuredDifference }[];
  settings: { name: string; before: Json; after: Json; text: string }[];
  alarms: string[];
}

export interface Document {
  version: 1;
  kind: "score" | "run" | "compare" | "check" | "gate";
  lang: "en" | "ru";
  words: Words;
  /** Ranges of a character class of a regular expression: characters to show as escapes. */
  hidden_characters: string;
  title: string;
  /** What is below the title: run, commit, settings; each a short text. */
  subtitle: string[];
  /** Seconds since 1970; null if it is not about a run. */
  at: number | null;
  verdict: { status: "good" | "bad" | "neutral"; text: string; details: string[] };
  /** The score; null if nothing is scored. */
  headline: { label: string; value: number | null; interval: Interval | null; rating: string | null; meaning: string } | null;
  facts: Fact[];
  counts: { cases: number; trials: number; passed: number; failed: number; errors: number; unscored: number };
  calls: { expected: number; actual: number; free: number; correct: number; incorrect: number; missed: number; extra: number; forbidden: number } | null;
  tools: ToolRow[];
  confusion: Confusion[];
  evaluations: EvaluationPart[];
  trials: TrialRates | null;
  metrics: { name: string; mean: number | null; scored: number; not_scorable: number }[];
  /** What else is to know: skipped records, warnings, hidden secrets. */
  notes: { text: string; names: string[]; is_warning: boolean }[];
  /** What to do next. */
  next: { command: string; why: string }[];
  /** All settings in effect that differ from the defaults, as short texts. */
  settings: string[];
  pass_mark: number;
  /** How many further cases the report does not contain. */
  not_shown: number;
  /** The command that explains or shows a case, up to its id (quoted for a shell) and ` --trial T`; empty if there is none. */
  case_command: string;
  comparison: Comparison | null;
  gate: { passed: boolean; reasons: string[] } | null;
  /** Cases per chunk: the position of the first case of each chunk. */
  starts: number[];
}

/** Where the components get their data: the file of a report, or the server of the page. */
export interface Source {
  document: Document;
  index: Index;
  /** The detail of the item at a position of the index. */
  open(position: number): Promise<CaseView | ComparedCase>;
}
