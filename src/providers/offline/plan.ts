// Decides the next move: run the steps again from the start over the results that are recorded, and stop at the first
// call that has none. Nothing is kept between turns, and a call that has its result is never made again.
import type { ModelRequest } from '../contract/index.js';
import {
  conversationLines,
  lastSegment,
  recallFile,
  type Segment,
  segmentBefore,
  workingDirectory,
} from './conversation.js';
import type { Failure, Finding, Findings } from './findings.js';
import { type Batch, type Call, type CallResult, type Flow, type Situation, StepFailure } from './flow.js';
import { parseRequest } from './parse-request.js';
import { runAppend, runCommand, runCreate, runReplace, runWrite } from './run-change.js';
import { runCountFiles, runCountLines, runList, runRank } from './run-find.js';
import { runSearch, runShow, runSummarise, runTell, runTodo } from './run-text.js';
import { refersBack, type Step } from './step.js';

/** Calls of one prompt at most, whatever the plan says. */
const MAX_CALLS = 400;
const CHANGING_TOOLS: ReadonlySet<string> = new Set(['Bash', 'Write', 'Edit']);

export type Move =
  | { readonly type: 'call'; readonly say: string; readonly calls: readonly Call[] }
  | {
      readonly type: 'done';
      readonly steps: readonly Step[];
      readonly findings: Findings;
      readonly calls: Segment['calls'];
    };

/** Pure: the same request gives the same move. */
export function decideMove(request: ModelRequest): Move {
  const understands = (prompt: string): boolean => parseRequest(prompt).length > 0;
  const segment = lastSegment(request, understands);
  const steps = segment === null ? [] : parseRequest(segment.prompt);
  const nothing: Findings = { found: [], failures: [] };
  if (segment === null || steps.length === 0)
    return { type: 'done', steps, findings: nothing, calls: segment?.calls ?? [] };
  const base: Omit<Situation, 'found'> = {
    cwd: workingDirectory(request),
    tools: new Set(request.tools.map((tool) => tool.name)),
    recall: (path, turn) => recallFile(request, path, turn),
    history: () => conversationLines({ ...request, messages: request.messages.slice(0, segment.start) }, understands),
  };
  const { pending, findings } = replay(
    steps,
    base,
    segment,
    findingsBefore(request, steps, segment, base, understands),
  );
  if (pending !== null && segment.calls.length < MAX_CALLS)
    return { type: 'call', say: pending.say, calls: pending.calls };
  return { type: 'done', steps, findings, calls: segment.calls };
}

/** "show it", as a prompt of its own, means what the prompt before found. */
function findingsBefore(
  request: ModelRequest,
  steps: readonly Step[],
  segment: Segment,
  base: Omit<Situation, 'found'>,
  understands: (prompt: string) => boolean,
): readonly Finding[] {
  const first = steps[0];
  if (first === undefined || !refersBack(first)) return [];
  const before = segmentBefore(request, segment.start, understands);
  return before === null ? [] : replay(parseRequest(before.prompt), base, before, []).findings.found;
}

interface Replay {
  /** Calls without a result, or null where every step is through. */
  readonly pending: Batch | null;
  readonly findings: Findings;
}

function replay(
  steps: readonly Step[],
  base: Omit<Situation, 'found'>,
  segment: Segment,
  seed: readonly Finding[],
): Replay {
  const record = createRecord(segment.calls);
  const found: Finding[] = [...seed];
  const failures: Failure[] = [];
  // What later steps lean on is missing from the first failure on.
  let broken: Failure | null = null;
  for (const step of steps) {
    if (step.type === 'not_understood') {
      const failure: Failure = { step, reason: 'not understood', kind: 'not_understood' };
      failures.push(failure);
      if (step.action) broken ??= failure;
      continue;
    }
    if (broken !== null && refersBack(step)) {
      failures.push({ step, reason: `it needs what "${broken.step.source}" was to give`, kind: 'skipped' });
      continue;
    }
    try {
      const outcome = drive(runStep(step, { ...base, found }), record);
      if (outcome.pending !== null)
        return { pending: outcome.pending, findings: { found: found.slice(seed.length), failures } };
      found.push(outcome.value);
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      const failure: Failure = { step, reason: error.message, kind: 'failed' };
      failures.push(failure);
      broken ??= failure;
    }
  }
  return { pending: null, findings: { found: found.slice(seed.length), failures } };
}

type Outcome = { readonly pending: Batch } | { readonly pending: null; readonly value: Finding };

function drive(flow: Flow<Finding>, record: CallRecord): Outcome {
  let state = flow.next();
  while (!state.done) {
    const results = state.value.calls.map((call) => record.find(call));
    const missing = state.value.calls.filter((_, index) => results[index] === undefined);
    if (missing.length > 0) return { pending: { say: state.value.say, calls: missing } };
    record.pass(state.value.calls);
    state = flow.next(results.filter((result) => result !== undefined));
  }
  return { pending: null, value: state.value };
}

interface CallRecord {
  find(call: Call): CallResult | undefined;
  /** Call after the results of a batch were used. */
  pass(calls: readonly Call[]): void;
}

/**
 * Results by call. What was read before a change says nothing of the time after it, so calls are told apart by how
 * many changing calls came before them, in the record as in the replay.
 */
function createRecord(calls: Segment['calls']): CallRecord {
  const results = new Map<string, CallResult>();
  let changes = 0;
  for (const [index, result] of calls.entries()) {
    const turnStart = calls.findIndex((other) => other.turn === result.turn);
    const before =
      changes - calls.slice(turnStart, index).filter((other) => CHANGING_TOOLS.has(other.call.name)).length;
    const key = keyOf(result.call, before);
    if (!results.has(key)) results.set(key, result);
    if (CHANGING_TOOLS.has(result.call.name)) changes += 1;
  }
  let passed = 0;
  return {
    find: (call) => results.get(keyOf(call, passed)),
    pass(batch) {
      passed += batch.filter((call) => CHANGING_TOOLS.has(call.name)).length;
    },
  };
}

function keyOf(call: Call, changes: number): string {
  const entries = Object.entries(call.input).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([changes, call.name, entries]);
}

function* runStep(step: Exclude<Step, { type: 'not_understood' }>, situation: Situation): Flow<Finding> {
  switch (step.type) {
    case 'list':
      return yield* runList(step, situation);
    case 'count_files':
      return yield* runCountFiles(step, situation);
    case 'rank':
      return yield* runRank(step, situation);
    case 'count_lines':
      return yield* runCountLines(step, situation);
    case 'search':
      return yield* runSearch(step, situation);
    case 'show':
      return yield* runShow(step, situation);
    case 'summarise':
      return yield* runSummarise(step, situation);
    case 'tell':
      return yield* runTell(step, situation);
    case 'todo':
      return yield* runTodo(step, situation);
    case 'run':
      return yield* runCommand(step, situation);
    case 'create':
      return yield* runCreate(step, situation);
    case 'append':
      return yield* runAppend(step, situation);
    case 'write':
      return yield* runWrite(step, situation);
    case 'replace':
      return yield* runReplace(step, situation);
    case 'recap':
      return recap(step, situation);
    default: {
      const never: never = step;
      return never;
    }
  }
}

function recap(step: Extract<Step, { type: 'recap' }>, situation: Situation): Finding {
  const lines = situation.history();
  const summary = [
    'Summary of the conversation (extractive: what was asked and which tools were called):',
    ...lines,
  ].join('\n');
  return {
    step,
    title: 'The conversation so far',
    summary: lines.length === 0 ? 'Nothing was asked before this.' : summary,
    notes: [],
  };
}
