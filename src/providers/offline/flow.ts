// How a step asks for tool calls: a generator that yields calls and gets their results. Run again from the start with
// the recorded results it takes the same path, so nothing is kept between turns.
import type { Finding } from './findings.js';

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface CallResult {
  readonly call: Call;
  readonly text: string;
  readonly isError: boolean;
  /** Index of the message that made the call. */
  readonly turn: number;
}

/** Calls for one turn, and one sentence that says what they are for. */
export interface Batch {
  readonly say: string;
  readonly calls: readonly Call[];
}

export type Flow<T> = Generator<Batch, T, readonly CallResult[]>;

/** What a step can see. */
export interface Situation {
  /** Absolute, without a slash at its end; null where the request does not tell. */
  readonly cwd: string | null;
  /** Names of the tools on offer. */
  readonly tools: ReadonlySet<string>;
  readonly found: readonly Finding[];
  /** What the conversation showed or wrote of a file before message `turn`, whole; null where it did not. */
  readonly recall: (path: string, turn: number) => readonly string[] | null;
  /** What was asked and done in the conversation, oldest first, a line each. */
  readonly history: () => readonly string[];
}

/** Ends a step with a reason for people. */
export class StepFailure extends Error {}

/** Most calls of one turn. */
const MAX_BATCH = 20;

/** Runs calls and gives back every result, errors included. */
export function* askAll(situation: Situation, say: string, calls: readonly Call[]): Flow<readonly CallResult[]> {
  const results: CallResult[] = [];
  for (const call of calls) requireTool(situation, call.name);
  for (let start = 0; start < calls.length; start += MAX_BATCH) {
    results.push(...(yield { say, calls: calls.slice(start, start + MAX_BATCH) }));
  }
  return results;
}

/** Runs one call. @throws StepFailure with the tool's own words where it failed */
export function* ask(situation: Situation, say: string, call: Call): Flow<CallResult> {
  const [result] = yield* askAll(situation, say, [call]);
  if (result === undefined) throw new StepFailure(`${call.name} gave no result.`);
  if (result.isError) throw failedCall(result);
  return result;
}

export function failedCall(result: CallResult): StepFailure {
  const reason = result.text.trim() === '' ? 'it gave no reason' : result.text.trim();
  return new StepFailure(`${result.call.name}: ${reason.length > 1_500 ? `${reason.slice(0, 1_500)}…` : reason}`);
}

function requireTool(situation: Situation, name: string): void {
  if (situation.tools.has(name)) return;
  throw new StepFailure(
    `The tool ${name} is not offered in this session. Allow it, or ask in a session that offers it.`,
  );
}

export function toAbsolute(situation: Situation, path: string): string {
  if (path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) || situation.cwd === null) return path;
  const parts = `${situation.cwd}/${path}`.split('/');
  const out: string[] = [];
  for (const part of parts) {
    if (part === '..') out.pop();
    else if (part !== '.' && part !== '') out.push(part);
  }
  return `${situation.cwd.startsWith('/') ? '/' : ''}${out.join('/')}`;
}

export function toRelative(situation: Situation, path: string): string {
  const bare = path.replace(/^\.\//, '');
  return situation.cwd !== null && bare.startsWith(`${situation.cwd}/`) ? bare.slice(situation.cwd.length + 1) : bare;
}

/** An argument of a shell command, whatever it holds. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

/** A call of Bash. */
export function bash(command: string, description: string): { name: string; input: Record<string, unknown> } {
  return { name: 'Bash', input: { command, description } };
}

/** @throws StepFailure naming `first` where neither is offered */
export function requireEither(situation: Situation, first: string, second: string): void {
  if (situation.tools.has(second)) return;
  requireTool(situation, first);
}
