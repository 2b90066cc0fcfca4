// One prompt from submission to result: the ten stages of spec 000, in order. Exactly one init first and one result
// last, whatever happens between.

import type { CommandContext } from '../context/slash-commands.js';
import { assembleSystemPrompt, fetchSystemPromptParts } from '../context/system-prompt.js';
import type { Draft, LoopDeps } from '../engine/loop-state.js';
import { initialState, queryLoop } from '../engine/query-loop.js';
import type { Host } from '../host/host.js';
import { type AssistantMessage, EMPTY_USAGE, type UserMessageParam } from '../protocol/content.js';
import { WIRE_PROTOCOL_VERSION } from '../protocol/control.js';
import type { SDKMessage } from '../protocol/messages.js';
import { errorText } from '../util/text.js';
import { VERSION } from '../util/version.js';
import type { Runtime } from './assemble.js';
import type { PendingNotice, QueryEngineConfig, SessionStatus } from './config.js';
import type { Stamp } from './envelope.js';
import type { History } from './history.js';
import type { Message } from './message.js';
import { type ProcessedInput, type PromptInput, processUserInput } from './process-user-input.js';
import { endingOf, type PromptEnding, resultDraft } from './result.js';
import type { UsageLedger } from './usage-ledger.js';

export interface PromptOptions {
  readonly uuid?: string;
  readonly isMeta?: boolean;
}

/** What lasts from prompt to prompt. Owned by `QueryEngine`. */
export interface Session {
  readonly config: QueryEngineConfig;
  readonly host: Host;
  readonly sessionId: string;
  readonly stamp: Stamp;
  readonly ledger: UsageLedger;
  readonly history: History;
  modelOverride(): string | undefined;
  /** Puts the session together at the first call. @throws ConfigError */
  runtime(): Promise<Runtime>;
}

/** Output limit of one reply, tokens. */
const MAX_OUTPUT_TOKENS = 32_000;

type Prepared =
  | { readonly kind: 'ready'; readonly runtime: Runtime; readonly input: ProcessedInput; readonly model: string }
  | { readonly kind: 'failed'; readonly runtime: Runtime | null; readonly error: string };

export async function* runPrompt(
  session: Session,
  prompt: PromptInput,
  options: PromptOptions,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, void> {
  const { host, stamp, ledger } = session;
  const startedAt = host.clock.monotonic();
  const apiBefore = ledger.apiDurationMs;
  tellStatus(session, 'running');

  const prepared = await prepare(session, prompt);
  const userMessage = prepared.kind === 'ready' ? toMessage(prepared.input.message, options, host) : null;
  if (prepared.kind === 'ready' && userMessage !== null && prepared.input.shouldQuery) {
    await keep(session, prepared.runtime, userMessage);
  }
  yield stamp(initDraft(session, prepared));
  for (const notice of takeNotices(prepared)) yield stamp(noticeDraft(notice));

  let ending: PromptEnding;
  if (prepared.kind === 'failed') {
    ending = plainEnding('turn_setup_failed', '', prepared.error);
  } else {
    yield* failureNotice(session, prepared.runtime);
    if (session.config.replayUserMessages && userMessage !== null)
      yield stamp(replayDraft(userMessage), userMessage.uuid);
    ending = prepared.input.shouldQuery
      ? yield* answerWithModel(session, prepared, signal)
      : yield* answerLocally(session, prepared.input.resultText ?? '');
    await prepared.runtime.transcript.sync();
    yield* failureNotice(session, prepared.runtime);
  }
  const times = { durationMs: host.clock.monotonic() - startedAt, apiDurationMs: ledger.apiDurationMs - apiBefore };
  const result = resultDraft(ending, times, ledger, prepared.runtime?.gate.denials ?? []);
  tellStatus(session, ending.reason === 'aborted' ? 'aborted' : result.is_error ? 'failed' : 'completed');
  yield stamp(result);
}

/** Stages 1 to 3. Contract: never throws; what goes wrong becomes the prompt's result. */
async function prepare(session: Session, prompt: PromptInput): Promise<Prepared> {
  let runtime: Runtime | null = null;
  try {
    runtime = await session.runtime();
    const input = await processUserInput(prompt, session.config.commands, commandContext(session, runtime));
    const model = input.model ?? session.modelOverride() ?? runtime.model;
    if (input.shouldQuery) await configureRequests(session, runtime, model);
    return { kind: 'ready', runtime, input, model };
  } catch (error) {
    session.config.log?.('prompt_setup_failed', { error });
    return { kind: 'failed', runtime, error: errorText(error) };
  }
}

async function configureRequests(session: Session, runtime: Runtime, model: string): Promise<void> {
  const { config, host } = session;
  const parts = await fetchSystemPromptParts({
    host,
    cwd: config.cwd,
    additionalDirectories: config.additionalDirectories ?? [],
    toolNames: config.tools.map((tool) => tool.name),
    readInstructionFiles: config.readInstructionFiles ?? true,
  });
  const { customSystemPrompt: custom } = config;
  const memoryPath = runtime.env.TURNWRIGHT_MEMORY_PATH ?? runtime.env.CLAUDE_COWORK_MEMORY_PATH_OVERRIDE;
  runtime.requests.configure({
    model,
    system: assembleSystemPrompt(parts, {
      custom: custom === undefined ? undefined : typeof custom === 'string' ? [custom] : custom,
      append: config.appendSystemPrompt,
      memoryPath: memoryPath === '' ? undefined : memoryPath,
    }),
    tools: config.tools,
    maxTokens: MAX_OUTPUT_TOKENS,
    thinking: config.thinkingConfig,
    effort: config.effort,
    outputSchema: config.jsonSchema,
  });
}

/** The main path: drains the loop, keeps each message before it is shown. */
async function* answerWithModel(
  session: Session,
  prepared: Extract<Prepared, { kind: 'ready' }>,
  signal: AbortSignal,
): AsyncGenerator<SDKMessage, PromptEnding> {
  const { config, stamp } = session;
  const { runtime, model } = prepared;
  const loop = queryLoop(
    initialState([...session.history.params], config.jsonSchema !== undefined),
    loopDeps(session, runtime, model, signal),
  );
  let done = false;
  try {
    for (;;) {
      const step = await loop.next();
      if (step.done) {
        done = true;
        return endingOf(step.value);
      }
      const draft = step.value;
      if (draft.type !== 'assistant' && draft.type !== 'user') {
        yield stamp(draft);
        continue;
      }
      const message = draftToMessage(draft, session.host);
      await keep(session, runtime, message);
      yield* failureNotice(session, runtime);
      yield stamp(draft, message.uuid);
    }
  } catch (error) {
    done = true;
    config.log?.('loop_threw', { error });
    return plainEnding('engine_error', '', `The engine failed: ${errorText(error)}`);
  } finally {
    if (!done) await loop.return(undefined as never);
  }
}

function loopDeps(session: Session, runtime: Runtime, model: string, signal: AbortSignal): LoopDeps {
  const { config, host } = session;
  return {
    ...runtime.loop,
    provider: runtime.provider,
    model,
    tools: config.tools,
    host,
    limits: runtime.limits,
    maxTurns: config.maxTurns,
    outputSchema: config.jsonSchema,
    includePartialMessages: config.includePartialMessages ?? false,
    signal,
    buildRequest: (state) => runtime.requests.build(state),
    decidePermission: (call) => runtime.gate.decide(call),
  };
}

/** The short path of a local command. Its exchange is not part of the conversation with the model. */
async function* answerLocally(session: Session, text: string): AsyncGenerator<SDKMessage, PromptEnding> {
  const message: AssistantMessage = {
    id: `msg_${session.host.ids.uuid()}`,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: EMPTY_USAGE,
  };
  yield session.stamp({ type: 'assistant', message });
  yield session.stamp({ type: 'system', subtype: 'local_command_output', content: text });
  return plainEnding('local_command', text, null);
}

/** Written before it is sent: the transcript has the message when this resolves. */
async function keep(session: Session, runtime: Runtime, message: Message): Promise<void> {
  session.history.append(message);
  await runtime.transcript.record(message);
}

function* failureNotice(session: Session, runtime: Runtime): Generator<SDKMessage> {
  const failure = runtime.transcript.takeFailure();
  if (failure !== null) {
    yield session.stamp(noticeDraft({ ...failure, remedy: 'Set TURNWRIGHT_HOME to a folder that can be written.' }));
  }
}

function toMessage(message: UserMessageParam, options: PromptOptions, host: Host): Message {
  return {
    type: 'user',
    uuid: options.uuid ?? host.ids.uuid(),
    message,
    timestamp: new Date(host.clock.now()).toISOString(),
    ...(options.isMeta ? { isMeta: true } : {}),
  };
}

function draftToMessage(draft: Extract<Draft, { type: 'assistant' | 'user' }>, host: Host): Message {
  const identity = { uuid: host.ids.uuid(), timestamp: new Date(host.clock.now()).toISOString() };
  if (draft.type === 'assistant') return { ...identity, type: 'assistant', message: draft.message };
  const { tool_use_result: toolUseResult } = draft;
  return {
    ...identity,
    type: 'user',
    message: draft.message,
    ...(toolUseResult === undefined ? {} : { toolUseResult }),
  };
}

function plainEnding(reason: PromptEnding['reason'], text: string, error: string | null): PromptEnding {
  return { reason, turns: 0, text, stopReason: null, error, structured: null };
}

function initDraft(session: Session, prepared: Prepared): Draft {
  const { config } = session;
  const { runtime } = prepared;
  return {
    type: 'system',
    subtype: 'init',
    turnwright_version: VERSION,
    protocol_version: WIRE_PROTOCOL_VERSION,
    apiKeySource: runtime?.apiKeySource ?? 'none',
    cwd: config.cwd,
    model: prepared.kind === 'ready' ? prepared.model : (config.userSpecifiedModel ?? 'none'),
    provider: runtime?.provider.id ?? 'none',
    permissionMode: runtime?.gate.mode ?? 'default',
    tools: config.tools.map((tool) => tool.name),
    slash_commands: config.commands.map((command) => command.name),
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    mcp_servers: config.mcpClients.map((client) => ({ name: client.name, status: client.type })),
  };
}

/** What must be told beside the answer: the session's own notices once, and what was left out of this prompt. */
function takeNotices(prepared: Prepared): PendingNotice[] {
  if (prepared.kind === 'failed') return [];
  const dropped: PendingNotice[] = prepared.input.dropped.map((reason) => ({
    code: 'prompt_blocks_dropped',
    message: `Part of the prompt was left out: ${reason}.`,
  }));
  return [...prepared.runtime.takeNotices(), ...dropped];
}

function noticeDraft(notice: PendingNotice): Draft {
  return { type: 'system', subtype: 'notice', level: 'warning', ...notice };
}

function replayDraft(message: Message): Draft {
  return { type: 'user', subtype: 'replay', isReplay: true, message: message.message as UserMessageParam } as Draft;
}

function commandContext(session: Session, runtime: Runtime): CommandContext {
  const { config, history, ledger } = session;
  return {
    commands: config.commands,
    model: session.modelOverride() ?? runtime.model,
    usage: ledger.byModel,
    totalCostUsd: ledger.totalCostUsd,
    costUnknown: ledger.costUnknown,
    apiDurationMs: ledger.apiDurationMs,
    clearConversation() {
      history.clear();
      config.readFileCache.clear();
      config.setAppState((previous) => ({ ...previous, todos: [] }));
      runtime.transcript.startOver();
    },
  };
}

/** Contract: a failing callback of the host changes nothing here. */
function tellStatus(session: Session, status: SessionStatus): void {
  try {
    session.config.setSDKStatus?.(status);
  } catch (error) {
    session.config.log?.('set_status_failed', { error });
  }
}
