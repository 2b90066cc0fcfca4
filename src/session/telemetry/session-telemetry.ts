// One trace for each prompt: agent, model requests, tool calls, subagents below the calls they work for. Rule: whatever
// the user's SDK does, the session goes on as without it.

import type { Context, Meter, Span, SpanContext } from '@opentelemetry/api';
import type { ActivityWatch, CallEnd, RequestEnd } from '../../engine/state/index.js';
import { EMPTY_USAGE, type ToolUseBlock, type Usage } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import type { TelemetryOptions } from '../../protocol/options.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { addUsage, promptTokensOf } from '../../providers/models/index.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { TraceContext } from '../../tools/tool.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import type { PendingNotice } from '../config/index.js';
import { DOORS } from '../features.js';
import type { PromptInput } from '../input/index.js';
import {
  type Content,
  cutContent,
  inputContent,
  inputOfTool,
  outputContent,
  promptContent,
  providerName,
  replyAttributes,
  requestAttributes,
  resultOfTool,
  usageAttributes,
} from './gen-ai.js';

export interface TelemetryPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sessionId: string;
  readonly captures: Captures;
  /** Null if secrets are left as they are. */
  readonly vault: SecretVault | null;
  /** Which provider has a model. */
  providerOf(model: string): string;
  /** By the clock that only goes forward, milliseconds. */
  now(): number;
  /** Of the session so far; null if not all of it is known. */
  costUsd(): number | null;
  tell(notice: PendingNotice): void;
  log(event: string, detail: unknown): void;
}

/** What of the conversation spans hold. */
interface Captures {
  /** What a person said, on the span of the prompt. */
  readonly prompts: boolean;
  /** What models were sent and answered. */
  readonly messages: boolean;
  /** What tools were given. */
  readonly inputs: boolean;
  readonly results: boolean;
}

export interface OpenedTelemetry {
  /** Null if the package is not there. */
  readonly telemetry: SessionTelemetry | null;
  readonly notices: readonly PendingNotice[];
}

/**
 * Finds the user's `@opentelemetry/api`; whose SDK and exporters it speaks to is the business of the process.
 * Contract: a session without telemetry is better than none, so a package that is missing is a notice.
 * @throws ConfigError for an option that cannot be meant
 */
export async function openTelemetry(
  option: boolean | TelemetryOptions | undefined,
  given: Omit<TelemetryPlace, 'captures'>,
): Promise<OpenedTelemetry> {
  const place = { ...given, captures: whatToCapture(option, given.env) };
  const bodies = given.env[RAW_BODIES]?.startsWith('file:') === true ? [{ ...NO_BODY_FILES }] : [];
  try {
    return { telemetry: createSessionTelemetry(await DOORS.openTelemetry(), place), notices: bodies };
  } catch (error) {
    const message = `Telemetry is on, but the npm package @opentelemetry/api could not be loaded, so nothing is recorded: ${errorText(error)}. Install it beside Turnwright, with an OpenTelemetry SDK, or switch telemetry off.`;
    return { telemetry: null, notices: [{ code: 'telemetry_unavailable', message }] };
  }
}

/** The option says it for all; else each variable for its part. @throws ConfigError */
function whatToCapture(option: boolean | TelemetryOptions | undefined, env: TelemetryPlace['env']): Captures {
  const asked = typeof option === 'object' ? readTelemetryOptions(option).captureContent : undefined;
  const isOn = (name: string) => asked ?? /^(?:1|true)$/i.test(env[name]?.trim() ?? '');
  const all = asked ?? env[CAPTURE_VARIABLE]?.toLowerCase() === 'true';
  const content = isOn('OTEL_LOG_TOOL_CONTENT');
  return {
    prompts: all || isOn('OTEL_LOG_USER_PROMPTS'),
    messages: all || isOn(RAW_BODIES),
    inputs: all || content || isOn('OTEL_LOG_TOOL_DETAILS'),
    results: all || content,
  };
}

/** @throws ConfigError for what cannot be meant */
export function readTelemetryOptions(option: TelemetryOptions): TelemetryOptions {
  const unknown = Object.keys(option).find((name) => name !== 'captureContent');
  if (unknown !== undefined) throw new ConfigError(`There is no telemetry.${unknown}. There is: captureContent.`);
  const { captureContent } = option;
  if (captureContent === undefined || typeof captureContent === 'boolean') return option;
  throw new ConfigError('telemetry.captureContent must be true or false.');
}

/** How a prompt or an agent ended. */
export interface AgentEnd {
  /** Null for a good end. A word, not a text. */
  readonly error: string | null;
}

/** Contract: no method throws, and none but `endPrompt` and `close` is waited for. */
export interface SessionTelemetry {
  /** Below the span that is active in the caller's code, else below what TRACEPARENT says. */
  beginPrompt(model: string): void;
  /** What a person said to begin it. */
  promptSaid(prompt: PromptInput): void;
  /** May be called again, which does nothing. Contract: all spans of the prompt are ended when this resolves. */
  endPrompt(end: AgentEnd): Promise<void>;
  /** @param call whose agent, null for the session's own, and which call of it this one works for */
  beginAgent(
    agentId: string,
    call: { readonly agentId: string | null; readonly toolUseId: string },
    facts: { readonly type: string; readonly model: string },
  ): void;
  endAgent(agentId: string, end: AgentEnd): void;
  /** What an agent does; null: the session's own. */
  watch(agentId: string | null): ActivityWatch;
  /** What programs and servers are given that work for a call, or for the agent; null if no span is open. */
  traceContext(agentId: string | null, toolUseId: string | null): TraceContext | null;
  /** As `traceContext`, for the environment of a program; empty if no span is open. */
  variables(agentId: string | null, toolUseId: string | null): Readonly<Record<string, string>>;
  /** Ends what is open. */
  close(): Promise<void>;
}

/** An agent at work. `span` is null if nothing was begun, as for what a session asks between two prompts. */
interface OpenAgent {
  span: Span | null;
  readonly below: Context;
  readonly name: string;
  readonly calls: Map<string, Span>;
  usage: Usage;
}

const MAIN = 'main';
/** That of the OpenTelemetry libraries for GenAI. */
const CAPTURE_VARIABLE = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
const RAW_BODIES = 'OTEL_LOG_RAW_API_BODIES';
const NO_BODY_FILES = {
  code: 'option_without_effect',
  message: `${RAW_BODIES} names a folder, and no bodies are written to files here.`,
  remedy: `Set it to 1: then the span of each request holds what was sent and answered.`,
} as const satisfies PendingNotice;
const NO_SDK =
  'Telemetry is on, but no OpenTelemetry SDK is registered in this process, so traces go nowhere. Start one before the first prompt, for example with node --import.';

function createSessionTelemetry(api: typeof import('@opentelemetry/api'), place: TelemetryPlace): SessionTelemetry {
  const { trace, context, SpanKind, SpanStatusCode } = api;
  const tracer = trace.getTracer('turnwright', VERSION);
  const figures = createFigures(api.metrics.getMeter('turnwright', VERSION));
  const agents = new Map<string | null, OpenAgent>();
  const pending = new Set<Promise<void>>();
  const inputs = new WeakMap<Span, unknown>();
  let costBefore: number | null = null;
  let said: PromptInput | null = null;
  let isSdkMissing = false;

  /** An SDK is the user's: what it throws must not reach the loop. */
  const safely = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      place.log('telemetry_failed', { error });
      return otherwise;
    }
  };
  const outside = (): Context => {
    const active = context.active();
    return trace.getSpan(active) === undefined ? inboundContext(api, place.env) : active;
  };
  const agentOf = (agentId: string | null): OpenAgent =>
    agents.get(agentId) ?? { span: null, below: outside(), name: MAIN, calls: new Map(), usage: EMPTY_USAGE };
  const open = (agentId: string | null, below: Context, name: string, model: string): void => {
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providerName(place.providerOf(model)),
      'gen_ai.agent.name': name,
      ...(agentId === null ? {} : { 'gen_ai.agent.id': agentId }),
      'gen_ai.conversation.id': place.sessionId,
      'gen_ai.request.model': model,
    };
    const span = tracer.startSpan(`invoke_agent ${name}`, { kind: SpanKind.INTERNAL, attributes }, below);
    agents.set(agentId, { span, below: trace.setSpan(below, span), name, calls: new Map(), usage: EMPTY_USAGE });
  };
  const fail = (span: Span, type: string, message: string): void => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message === '' ? {} : { message }) });
    span.addEvent('exception', { 'exception.type': type, ...(message === '' ? {} : { 'exception.message': message }) });
  };
  /** Texts go without secrets, which may take a moment. */
  const end = (span: Span, texts: () => Content, error: { type: string; message?: string } | null): void => {
    const finish = (hidden: Content, message: string): void =>
      safely(() => {
        span.setAttributes(cutContent(hidden));
        if (error !== null) fail(span, error.type, message);
        span.end();
      }, undefined);
    const given = { texts: texts(), message: error?.message ?? '' };
    const hidden = place.vault === null ? given : place.vault.hide(given, 'found', false);
    if (!(hidden instanceof Promise)) {
      finish(hidden.texts, hidden.message);
      return;
    }
    const ending = hidden
      .then((safe) => finish(safe.texts, safe.message))
      .catch((thrown: unknown) => {
        place.log('telemetry_failed', { error: thrown });
        finish({}, '');
      })
      .finally(() => void pending.delete(ending));
    pending.add(ending);
  };
  const settle = async (): Promise<void> => {
    while (pending.size > 0) await Promise.all(pending);
  };
  const closeAgent = (agentId: string | null, { error }: AgentEnd): void => {
    const agent = agents.get(agentId);
    if (agent?.span == null) return;
    agents.delete(agentId);
    for (const span of agent.calls.values()) end(span, () => ({}), { type: 'aborted' });
    agent.span.setAttributes(usageAttributes(agent.usage));
    const prompt = agentId === null && place.captures.prompts ? said : null;
    const texts = () => (prompt === null ? {} : promptContent(prompt));
    end(agent.span, texts, error === null ? null : { type: error });
  };
  const traceContext = (agentId: string | null, toolUseId: string | null): TraceContext | null =>
    safely(() => {
      const { calls, span } = agentOf(agentId);
      const open = (toolUseId === null ? undefined : calls.get(toolUseId)) ?? span;
      return open === null ? null : toTraceContext(api, open.spanContext());
    }, null);

  return {
    beginPrompt: (model) =>
      safely(() => {
        costBefore = place.costUsd();
        said = null;
        open(null, outside(), MAIN, model);
        const span = agents.get(null)?.span;
        if (isSdkMissing || span == null || api.isSpanContextValid(span.spanContext())) return;
        isSdkMissing = true;
        place.tell({ code: 'telemetry_unavailable', message: NO_SDK });
      }, undefined),
    promptSaid(prompt) {
      said = prompt;
    },
    async endPrompt(ended) {
      const agent = agents.get(null);
      if (agent?.span == null) return;
      // First what is still being hidden, so that no span ends after the one above it.
      await settle();
      safely(() => {
        const [before, after] = [costBefore, place.costUsd()];
        if (before !== null && after !== null) {
          agent.span?.setAttribute('turnwright.cost.usd', after - before);
          figures.cost(after - before);
        }
        closeAgent(null, ended);
      }, undefined);
      await settle();
    },
    beginAgent: (agentId, { agentId: parent, toolUseId }, { type, model }) =>
      safely(() => {
        const { calls, below } = agentOf(parent);
        const call = calls.get(toolUseId);
        open(agentId, call === undefined ? below : trace.setSpan(below, call), type, model);
      }, undefined),
    endAgent: (agentId, ended) => safely(() => closeAgent(agentId, ended), undefined),
    watch: (agentId) => ({
      requestBegan: (request, attempt) =>
        safely(
          () => beginRequest(agentId, request, attempt),
          () => undefined,
        ),
      callBegan: (call, parent) => safely(() => beginCall(agentId, call, parent), undefined),
      callDecided: (callId, { behavior, reasonType }) =>
        safely(() => {
          const span = agentOf(agentId).calls.get(callId);
          span?.setAttribute('turnwright.tool.decision', behavior);
          if (reasonType !== undefined) span?.setAttribute('turnwright.tool.decision.reason', reasonType);
          // When it was said: from here on the tool runs, and what was before was hooks, rules and people.
          span?.addEvent('turnwright.tool.decided', { 'turnwright.tool.decision': behavior });
        }, undefined),
      callEnded: (callId, ended) => safely(() => endCall(agentId, callId, ended), undefined),
    }),
    traceContext,
    variables: (agentId, toolUseId) => toVariables(traceContext(agentId, toolUseId)),
    async close() {
      await settle();
      for (const agentId of [...agents.keys()].reverse())
        safely(() => closeAgent(agentId, { error: 'aborted' }), undefined);
      await settle();
    },
  };

  function beginRequest(agentId: string | null, request: ModelRequest, attempt: number): (end: RequestEnd) => void {
    const agent = agentOf(agentId);
    const provider = providerName(place.providerOf(request.model));
    const attributes = {
      ...requestAttributes(request, provider, place.sessionId),
      ...(attempt > 1 ? { 'turnwright.request.attempt': attempt } : {}),
    };
    const span = tracer.startSpan(`chat ${request.model}`, { kind: SpanKind.CLIENT, attributes }, agent.below);
    const startedAt = place.now();
    return (ended) =>
      safely(() => {
        const { usage, reply, error } = ended;
        const type = error?.kind ?? (reply === null ? 'aborted' : null);
        const model = reply?.model ?? request.model;
        agent.usage = addUsage(agent.usage, usage);
        span.setAttributes(usageAttributes(usage));
        if (reply !== null) span.setAttributes(replyAttributes(reply));
        figures.request(
          { provider, requested: request.model, model, error: type },
          usage,
          (place.now() - startedAt) / 1000,
        );
        const texts = () =>
          place.captures.messages ? { ...inputContent(request), ...(reply === null ? {} : outputContent(reply)) } : {};
        end(span, texts, type === null ? null : { type, ...(error === null ? {} : { message: errorText(error) }) });
      }, undefined);
  }

  function beginCall(agentId: string | null, { id, name, input }: ToolUseBlock, parent: string | undefined): void {
    const { calls, below } = agentOf(agentId);
    if (calls.has(id)) return;
    const maker = parent === undefined ? undefined : calls.get(parent);
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'function',
    };
    const span = tracer.startSpan(
      `execute_tool ${name}`,
      { kind: SpanKind.INTERNAL, attributes },
      maker === undefined ? below : trace.setSpan(below, maker),
    );
    calls.set(id, span);
    if (place.captures.inputs) inputs.set(span, input);
  }

  function endCall(agentId: string | null, callId: string, { block, data, ending }: CallEnd): void {
    const { calls } = agentOf(agentId);
    const span = calls.get(callId);
    if (span === undefined) return;
    calls.delete(callId);
    span.setAttribute('turnwright.tool.ending', ending);
    figures.lines(data);
    const isError = block.is_error === true;
    const texts = () => ({
      ...(place.captures.inputs ? inputOfTool(inputs.get(span)) : {}),
      ...(place.captures.results ? resultOfTool(block) : {}),
    });
    end(span, texts, isError ? { type: ending } : null);
  }
}

// The metrics of a session. Those of model requests have the names of the GenAI conventions.

/** What tells one series of model requests from another. */
interface RequestSeries {
  readonly provider: string;
  readonly requested: string;
  readonly model: string;
  /** Null for a whole reply. */
  readonly error: string | null;
}

interface Figures {
  request(series: RequestSeries, usage: Usage, seconds: number): void;
  cost(usd: number): void;
  /** @param data what a tool gave back; counts if that describes changed lines */
  lines(data: unknown): void;
}

/** As the conventions want them. */
const TOKEN_BOUNDARIES = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const SECOND_BOUNDARIES = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

function createFigures(meter: Meter): Figures {
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of one model request',
    advice: { explicitBucketBoundaries: TOKEN_BOUNDARIES },
  });
  const durations = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'Duration of one model request',
    advice: { explicitBucketBoundaries: SECOND_BOUNDARIES },
  });
  const cost = meter.createCounter('turnwright.cost.usage', { unit: 'USD', description: 'Price of what models did' });
  const lines = meter.createCounter('turnwright.lines_of_code.count', {
    unit: '{line}',
    description: 'Lines that Edit and Write added and removed',
  });
  return {
    request({ provider, requested, model, error }, usage, seconds) {
      const attributes = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': requested,
        'gen_ai.response.model': model,
      };
      const [input, output] = [promptTokensOf(usage), usage.output_tokens];
      if (input > 0) tokens.record(input, { ...attributes, 'gen_ai.token.type': 'input' });
      if (output > 0) tokens.record(output, { ...attributes, 'gen_ai.token.type': 'output' });
      durations.record(seconds, { ...attributes, ...(error === null ? {} : { 'error.type': error }) });
    },
    cost(usd) {
      if (usd > 0) cost.add(usd);
    },
    lines(data) {
      if (!isRecord(data)) return;
      const changed = changedLines(data);
      for (const [type, mark] of [
        ['added', '+'],
        ['removed', '-'],
      ] as const) {
        const count = changed.filter((line) => line.startsWith(mark)).length;
        if (count > 0) lines.add(count, { type });
      }
    },
  };
}

/** Each with its mark; what a tool that made a new file gives back has none. */
function changedLines({ structuredPatch }: Record<string, unknown>): readonly string[] {
  if (!Array.isArray(structuredPatch)) return [];
  return structuredPatch.flatMap((hunk: { readonly lines?: readonly string[] }) => hunk.lines ?? []);
}

// The W3C trace context: what comes in by a variable, and what goes out to programs and servers.

type Api = typeof import('@opentelemetry/api');

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
/** Characters; what is longer is no state of a trace. */
const MAX_STATE = 512;

/** What TRACEPARENT and TRACESTATE say of the program that started this one; if they say nothing, a trace begins. */
function inboundContext(api: Api, env: Readonly<Record<string, string | undefined>>): Context {
  const { ROOT_CONTEXT, trace } = api;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(env['TRACEPARENT']?.trim() ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const state = env['TRACESTATE'] ?? '';
  const parent: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state === '' || state.length > MAX_STATE ? {} : { traceState: api.createTraceState(state) }),
  };
  return api.isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** Null if no SDK made the span. */
function toTraceContext(api: Api, span: SpanContext): TraceContext | null {
  if (!api.isSpanContextValid(span)) return null;
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
  const tracestate = span.traceState?.serialize() ?? '';
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate === '' ? {} : { tracestate }),
  };
}

/** A state that is there and not ours would belong to another trace, so it is emptied. */
function toVariables(context: TraceContext | null): Readonly<Record<string, string>> {
  return context === null ? {} : { TRACEPARENT: context.traceparent, TRACESTATE: context.tracestate ?? '' };
}
