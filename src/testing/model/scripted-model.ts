// A model that follows a script: a Provider without network, clock or chance. Every request passes the strict wire
// validator, every step must be used, and what was asked is kept for the test to look at.
import type { ModelEvent, Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { AttemptLimits, ModelRequest, Provider } from '../../providers/contract/index.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { createSessionWireValidator, formatViolations, type WireViolation, WireViolationError } from '../wire/index.js';
import {
  createScriptIds,
  DEFAULT_CHUNK_SIZE,
  planReply,
  type ReplyPlan,
  type ScriptedAnswer,
  streamReply,
  watchSigned,
} from './script.js';

/** Answers a request by looking at it. `callIndex` counts the requests of this model from 0. */
export type ScriptedFunction = (request: ModelRequest, callIndex: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

export type ScriptedStep = ScriptedAnswer | ScriptedFunction;

export interface ScriptedModelOptions {
  /** Characters of one delta. Default 16. */
  readonly chunkSize?: number;
  /** Figures for every reply that does not bring its own. */
  readonly usage?: Partial<Usage>;
  /** Also demand that each request continues the one before it. For one conversation without compaction or rewind. */
  readonly appendOnly?: boolean;
  /** What its API makes of a schema, as `Provider.outputSchema`. Default: it knows no schemas, so a tool is asked for. */
  readonly outputSchema?: Provider['outputSchema'];
  /** How many of the last requests are kept in `requests`. Default all; set it if a test runs thousands of turns. */
  readonly keepRequests?: number;
}

export interface ScriptedModel extends Provider {
  readonly id: 'scripted';
  /** What was asked, oldest first. Frozen; the message list is a copy, so later turns do not show in it. */
  readonly requests: readonly ModelRequest[];
  /** What the wire validator found, over all requests. */
  readonly violations: readonly WireViolation[];
  /** Requests so far. */
  readonly calls: number;
  /** Steps that were not asked for yet; 0 for a model that is one function. */
  readonly remaining: number;
  /**
   * Throws if steps are left, a request found no step or was not valid, or a step function threw. Call it at the end
   * of a test.
   */
  assertDone(): void;
}

/**
 * A model that answers the n-th request with the n-th step, or every request with one function.
 * Contract: honours the abort signal at once with `ModelError('aborted')`. An invalid request throws
 * `WireViolationError`, a request without a step throws an `Error` that names what was asked: neither is a
 * `ModelError`, so no engine retries it.
 *
 * @example
 * const model = scriptedModel([toolCall('Read', { file_path: '/a' }), text('It says hello.')]);
 */
export function scriptedModel(
  steps: readonly ScriptedStep[] | ScriptedFunction,
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const ids = createScriptIds();
  const wire = createSessionWireValidator({ appendOnly: options.appendOnly ?? false });
  const script = createScript(steps);
  const requests: ModelRequest[] = [];
  const violations: WireViolation[] = [];
  let calls = 0;

  const record = (request: ModelRequest): number => {
    requests.push(snapshot(request));
    if (requests.length > (options.keepRequests ?? Number.POSITIVE_INFINITY)) requests.shift();
    const check = wire.checkModelRequest(request);
    if (check.violations.length > 0) {
      violations.push(...check.violations);
      throw new WireViolationError(check.violations);
    }
    return check.size;
  };

  async function* stream(request: ModelRequest, _limits: AttemptLimits, signal: AbortSignal) {
    throwIfAborted(signal);
    const callIndex = calls++;
    const requestSize = record(request);
    const answer = await orAbort(script.answer(request, callIndex), signal);
    if ('waitFor' in answer && answer.waitFor !== undefined) await orAbort(answer.waitFor, signal);
    if ('error' in answer) throw answer.error;
    const scripted = planReply(answer);
    if (scripted === null) return await stall(signal);
    const plan = { ...scripted, usage: { ...options.usage, ...scripted.usage } };
    const chunkSize = Math.max(1, options.chunkSize ?? DEFAULT_CHUNK_SIZE);
    const events = streamReply(plan, { model: request.model, ids, requestSize, chunkSize });
    yield* playReply(plan, watchSigned(plan, events, wire.noteReply), signal);
  }

  return {
    id: 'scripted',
    ...(options.outputSchema === undefined ? {} : { outputSchema: options.outputSchema }),
    requests,
    violations,
    get calls() {
      return calls;
    },
    get remaining() {
      return Math.max(0, script.length - calls);
    },
    stream,
    assertDone() {
      const problems = [...script.problems];
      if (violations.length > 0) problems.push(formatViolations(violations));
      if (calls < script.length)
        problems.push(`${script.length - calls} of ${script.length} steps were not asked for.`);
      if (problems.length > 0) throw new Error(`scriptedModel is not done.\n${problems.join('\n')}`);
    },
  };
}

interface Script {
  /** Steps in all; 0 if one function answers. */
  readonly length: number;
  /** What went wrong with the script itself. */
  readonly problems: readonly string[];
  answer(request: ModelRequest, callIndex: number): Promise<ScriptedAnswer>;
}

function createScript(steps: readonly ScriptedStep[] | ScriptedFunction): Script {
  const length = typeof steps === 'function' ? 0 : steps.length;
  const problems: string[] = [];
  return {
    length,
    problems,
    async answer(request, callIndex) {
      try {
        const step = typeof steps === 'function' ? steps : steps[callIndex];
        if (step === undefined) {
          throw new Error(`No step is left, ${length} were scripted. It asked: ${describeAsk(request)}`);
        }
        return typeof step === 'function' ? await step(request, callIndex) : step;
      } catch (cause) {
        const problem = `scriptedModel: request ${callIndex + 1}: ${cause instanceof Error ? cause.message : String(cause)}`;
        problems.push(problem);
        throw new Error(problem, { cause });
      }
    },
  };
}

/** Passes the events on until the plan breaks them off. */
async function* playReply(
  plan: ReplyPlan,
  events: Iterable<ModelEvent>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, void> {
  let sent = 0;
  for (const event of events) {
    throwIfAborted(signal);
    if (sent === plan.stallAfterEvents) await stall(signal);
    if (sent === plan.cutAfterEvents) throw plan.cutWith ?? cutStream(sent);
    sent++;
    yield event;
  }
  if (plan.cutAfterEvents !== undefined) throw plan.cutWith ?? cutStream(sent);
}

function cutStream(sent: number): ModelError {
  return new ModelError('stream_cut', `The scripted stream was cut after ${sent} events; send the request again.`);
}

function snapshot(request: ModelRequest): ModelRequest {
  return Object.freeze({
    ...request,
    system: Object.freeze([...request.system]),
    tools: Object.freeze([...request.tools]),
    messages: Object.freeze([...request.messages]),
  });
}

/** The end of the conversation in a few words. */
function describeAsk(request: ModelRequest): string {
  const last = request.messages.at(-1);
  const content = last === undefined ? 'nothing' : JSON.stringify(last.content);
  return `${last?.role ?? 'nobody'}: ${content.length > 300 ? `${content.slice(0, 300)}…` : content}`;
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
}

async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = await raceAbort(work, signal);
  if (settled === ABORTED) throw new ModelError('aborted', 'The request was aborted.');
  return settled;
}

async function stall(signal: AbortSignal): Promise<never> {
  await orAbort(new Promise<never>(() => undefined), signal);
  throw new ModelError('aborted', 'The request was aborted.');
}
