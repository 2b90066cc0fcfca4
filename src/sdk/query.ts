// query(): the public entry. One call is one session in this process: a prompt or a stream of prompts in, messages out.

import { createNodeHost } from '../host/node-host.js';
import { AbortError, ConfigError, SessionError } from '../protocol/errors.js';
import type { ExitReason, SDKMessage, SDKUserMessage } from '../protocol/messages.js';
import type { ModelInfo } from '../protocol/model.js';
import type { RewindFilesOptions, RewindOptions } from '../protocol/rewind.js';
import { createMessageQueue, type MessageQueue } from '../session/input/index.js';
import { QueryEngine } from '../session/query-engine.js';
import { ABORTED, raceAbort } from '../util/abort.js';
import { loadOnce } from '../util/load-once.js';
import { type Part, type Parts, relay } from '../util/relay.js';
import { FEATURES } from './features.js';
import { type AvailableModelsOptions, modelOptions } from './models/index.js';
import { findWrongOption, isGiven, type Options, plainOptions, wrongOption } from './options/index.js';
import { nextWork, promptOf, queuedMessage, suggestNext } from './prompts/index.js';
import type { Query, SessionControls } from './query-controls.js';
import { resolveOptions } from './resolve-options.js';
import type { OutputFormatOption, SDKMessageWith, ZodLike } from './schemas/index.js';
import { checkMode, withSettings } from './settings/index.js';

const CLOSED = 'This query was closed. Start a new one.';

export interface QueryParams {
  /**
   * Text for one prompt, or an iterable for a session of several. Each message is a prompt with a result of its own;
   * one with a `priority` may join a prompt that runs, or interrupt it.
   */
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options?: Options;
}

/** Parameters that ask for a value by a schema of Zod. */
export interface QueryParamsFor<Schema extends ZodLike> extends Omit<QueryParams, 'options'> {
  readonly options: Omit<Options, 'outputFormat'> & { readonly outputFormat: OutputFormatOption<Schema> | Schema };
}

/**
 * Runs a session and streams its messages. For each prompt: one `system/init` first, one `result` last.
 * Contract: nothing runs before the first `next()`; leaving the loop early ends the session and all it started.
 * @throws ConfigError or SessionError from the first `next()` if the options cannot be used; AbortError after the
 *   result if `abortController` was aborted; ModelPolicyTimeoutError after it if `resolveModel` was too slow
 */
export function query<Schema extends ZodLike>(params: QueryParamsFor<Schema>): Query<SDKMessageWith<Schema['_output']>>;
export function query(params: QueryParams): Query;
export function query(params: QueryParams): Query {
  // Whoever calls without them is told so as of everything else: by what starts the session.
  const { prompt, options: given = {} } = params ?? ({} as QueryParams);
  // What is wrong is told when the session starts, by whatever starts it.
  const wrong = findWrongOption(given);
  const options = wrong === null ? given : {};
  if (RUNS_IN_CHILD.some((name) => isGiven(options[name]))) return queryInChild({ prompt, options });
  const abort = options.abortController ?? new AbortController();
  const queue = createMessageQueue();
  let openInputs = 0;
  let closedByCaller = false;
  let exitReason: ExitReason | undefined;
  let opening: Promise<QueryEngine> | null = null;
  let engine: QueryEngine | null = null;
  /** Told with the first prompt: what needs no model works without a key too. */
  let noKey: ConfigError | null = null;
  const onNoKey = (error: ConfigError) => {
    noKey = error;
  };
  const requireModel = (): void => {
    if (noKey !== null) throw noKey;
  };
  const open = () => {
    opening ??= (
      wrong === null
        ? openEngine({ ...options, abortController: abort }, queue, onNoKey, () => controlled)
        : refuse(wrong, given)
    ).then((opened) => {
      engine = opened;
      return opened;
    });
    return opening;
  };

  /** Reads one input into the queue; the queue ends with the last input. */
  const feed = async (input: AsyncIterable<SDKUserMessage>): Promise<void> => {
    openInputs += 1;
    try {
      if (typeof input?.[Symbol.asyncIterator] !== 'function')
        throw new ConfigError('The prompt of query() must be a text, or an async iterable of user messages.');
      for await (const message of input) {
        const queued = queuedMessage(message);
        // At once and before it waits itself, so that it never interrupts its own prompt.
        if (queued.priority === 'now') engine?.interrupt();
        queue.push(queued);
      }
    } catch (error) {
      queue.fail(error);
      throw error;
    } finally {
      openInputs -= 1;
      if (openInputs === 0) queue.end();
    }
  };

  const suggests = options.promptSuggestions === true;
  const beginsWithPrompt = typeof prompt === 'string' && prompt !== '';
  const life = {
    signal: abort.signal,
    isQuiet: () => closedByCaller,
    requireModel,
    suggests,
    tellsState: options.includeSessionState === true,
    beginsWithPrompt,
    exitReason: () => exitReason,
    isFollowed: options.isNonInteractiveSession === false,
  };
  let isRead = false;
  const openToRead = () => {
    isRead = true;
    return open();
  };
  const parts = promptsOf(openToRead, queue, options.decisions, life, () => {
    // Decisions are a prompt by themselves. The consumer gets a failure of the input through the queue.
    if (prompt === '' && options.decisions !== undefined) queue.end();
    else feed(typeof prompt === 'string' ? promptOf(prompt) : prompt).catch(() => undefined);
  });
  const told = relay(parts);
  const messages = TOLD_BESIDE.some((name) => isGiven(options[name])) ? withLog(told, options) : told;

  const listAgents = async () => (await FEATURES.agents.door()).supportedAgents(options);
  const controls = loadOnce(async () => {
    const { createControls } = await FEATURES.controls.door();
    return createControls({
      options: given,
      async open() {
        if (abort.signal.aborted) throw new SessionError('session_invalid', CLOSED);
        return open();
      },
      queue,
      listModels: () => modelsOf(given),
      listAgents,
    });
  });
  /** A session that only controls opened has no reader who would end it. */
  const closeUnread = async (): Promise<void> => {
    if (!isRead) await (await opening?.catch(() => null))?.close(exitReason);
  };
  const close = (reason?: ExitReason): void => {
    if (typeof reason === 'string') exitReason = reason;
    closedByCaller = true;
    abort.abort();
    queue.end();
    closeUnread().catch(() => undefined); // nobody is left to tell
  };
  const controlled: Query = Object.assign(messages, loadedControls(controls), {
    async interrupt(how: Parameters<Query['interrupt']>[0]) {
      (await open()).interrupt();
      const waiting = queue.waiting.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
      if (how?.cancelQueued !== true) return { still_queued: waiting };
      for (const message of queue.waiting) queue.remove(message);
      return { still_queued: [], cancelled: waiting };
    },
    async setPermissionMode(mode: Parameters<Query['setPermissionMode']>[0]) {
      const checked = checkMode(mode, options.allowDangerouslySkipPermissions ?? false);
      await (await open()).setPermissionMode(checked);
    },
    async setModel(model?: string) {
      await (await open()).switchModel(model);
      if (model !== undefined) noKey = null;
    },
    async rewindFiles(userMessageId: string, how?: RewindFilesOptions) {
      return (await open()).rewindFiles(userMessageId, how);
    },
    async rewind(userMessageId: string, how?: RewindOptions) {
      return (await open()).rewind(userMessageId, how);
    },
    getAvailableModels: () => modelsOf(given),
    supportedModels: () => modelsOf(given),
    async listByokProviders() {
      const { byokProviders } = await FEATURES.byokProviders.door();
      // What is wrong is told when a session starts.
      return listOptions(given)
        .then(byokProviders)
        .catch(() => null);
    },
    async getUsageInfo() {
      const { usageInfo } = await FEATURES.availableModels.door();
      return listOptions(given)
        .then(usageInfo)
        .catch(() => null); // what is wrong is told when a session starts
    },
    streamInput: feed,
    async stopTask(taskId: string) {
      await (await open()).stopTask(taskId);
    },
    async supportedCommands() {
      return (await open()).supportedCommands();
    },
    supportedAgents: listAgents,
    close,
    async [Symbol.asyncDispose]() {
      close();
      await messages.return(undefined);
      await closeUnread();
    },
  });
  return controlled;
}

/** Options that ask for a session in a child process. */
const RUNS_IN_CHILD = [
  'childProcess',
  'pathToClaudeCodeExecutable',
  'pathToQoderCLIExecutable',
  'spawnClaudeCodeProcess',
  'spawnQoderCLIProcess',
  'executable',
  'executableArgs',
  'extraArgs',
] as const;

/** Options that ask for lines beside the messages. */
const TOLD_BESIDE = ['stderr', 'debug', 'debugFile', 'onAuthExpired'] as const;

async function* withLog(
  messages: AsyncGenerator<SDKMessage, void>,
  options: Options,
): AsyncGenerator<SDKMessage, void> {
  yield* (await FEATURES.logs.door()).loggedMessages(messages, options);
}

/** What a query over a child process does is loaded with its first message or control. */
function queryInChild(params: QueryParams): Query {
  const child = loadOnce(async () => (await FEATURES.child.door()).createChildQuery(params));
  async function* read(): AsyncGenerator<SDKMessage, void> {
    yield* await child();
  }
  const messages = read();
  const names = [...Object.keys(LOADED_CONTROLS), ...Object.keys(OTHER_CONTROLS)] as (keyof Query)[];
  const call =
    (name: keyof Query) =>
    async (...given: never[]) =>
      ((await child())[name] as (...given: never[]) => unknown)(...given);
  const controls = Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Omit<
    Query,
    keyof AsyncGenerator
  >;
  return Object.assign(messages, controls, {
    close: (reason?: ExitReason) => void child().then((query) => query.close(reason)),
    async [Symbol.asyncDispose]() {
      await (await child())[Symbol.asyncDispose]();
      await messages.return(undefined);
    },
  });
}

type OtherControls = Exclude<
  keyof Query,
  keyof AsyncGenerator | keyof SessionControls | 'close' | typeof Symbol.asyncDispose
>;

const OTHER_CONTROLS: Readonly<Record<OtherControls, true>> = {
  interrupt: true,
  setPermissionMode: true,
  setModel: true,
  rewindFiles: true,
  rewind: true,
  getAvailableModels: true,
  supportedModels: true,
  listByokProviders: true,
  getUsageInfo: true,
  streamInput: true,
  stopTask: true,
  supportedCommands: true,
  supportedAgents: true,
};

const LOADED_CONTROLS: Readonly<Record<keyof SessionControls, true>> = {
  initializationResult: true,
  reinitialize: true,
  getContextUsage: true,
  setMaxThinkingTokens: true,
  applyFlagSettings: true,
  updateSettings: true,
  getSettings: true,
  describeEffectiveConfig: true,
  listPermissionRules: true,
  addDirectories: true,
  seedReadState: true,
  readFile: true,
  generateSessionTitle: true,
  renameSession: true,
  askSideQuestion: true,
  cancelAsyncMessage: true,
  backgroundTasks: true,
  getTaskOutput: true,
  mcpServerStatus: true,
  setMcpServers: true,
  reconnectMcpServer: true,
  toggleMcpServer: true,
  readMcpResource: true,
  completeMcpArgument: true,
  setMcpPermissionModeOverride: true,
  mcpAuthenticate: true,
  mcpSubmitOAuthCallbackUrl: true,
  mcpClearAuth: true,
  callMcpTool: true,
  injectMcpToken: true,
  getHooksListing: true,
  suggestFiles: true,
  registerRepoRoot: true,
  reloadSkills: true,
  reloadPlugins: true,
  reloadOutputStyles: true,
  listPlugins: true,
  accountInfo: true,
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: true,
  setPlanMode: true,
  getPlanMode: true,
  setGoal: true,
  getGoal: true,
  clearGoal: true,
  setGoalMaxTurns: true,
  setProxy: true,
  listByokConfigs: true,
  createByokConfig: true,
  updateByokConfig: true,
  deleteByokConfig: true,
  checkByokConfig: true,
  validateByokModel: true,
  flushMemory: true,
  refreshMemory: true,
  flushSkillEvolution: true,
};

/** The methods of a query whose work is loaded with the first call. */
function loadedControls(controls: () => Promise<SessionControls>): SessionControls {
  const names = Object.keys(LOADED_CONTROLS) as (keyof SessionControls)[];
  const call =
    (name: keyof SessionControls) =>
    async (...given: never[]) =>
      ((await controls())[name] as (...given: never[]) => unknown)(...given);
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as SessionControls;
}

async function modelsOf(options: Options): Promise<ModelInfo[]> {
  const { availableModels } = await FEATURES.availableModels.door();
  // What is wrong is told when a session starts.
  return listOptions(options)
    .then(availableModels)
    .catch(() => []);
}

async function listOptions(options: Options): Promise<AvailableModelsOptions> {
  const host = options.host ?? createNodeHost();
  const { options: ready } = await withSettings(plainOptions(options), host);
  const { catalogueOverrides, model, provider: own } = ready;
  const env = { ...host.env, ...ready.env };
  return { host, env, models: await modelOptions(ready, host), model, own, catalogueOverrides };
}

/** @throws ConfigError that says what the option must be */
async function refuse(option: string, options: unknown): Promise<never> {
  throw wrongOption(option, options);
}

async function openEngine(
  options: Options,
  queue: MessageQueue,
  onNoKey: (error: ConfigError) => void,
  query: () => Query,
): Promise<QueryEngine> {
  const reach = { query, session: async () => engine.controls() };
  const config = await resolveOptions(options, options.host ?? createNodeHost(), onNoKey, reach);
  const engine: QueryEngine = new QueryEngine(
    config.resolveModel === undefined ? config : { ...config, listModels: () => modelsOf(options) },
    queue,
  );
  return engine;
}

/** All that is yielded, in parts: which prompt is next, and what is told between two. */
async function* promptsOf(
  open: () => Promise<QueryEngine>,
  queue: MessageQueue,
  decisions: Options['decisions'],
  life: {
    readonly signal: AbortSignal;
    readonly suggests: boolean;
    /** Its readers are told whether it works. */
    readonly tellsState: boolean;
    /** A person types the prompts. */
    readonly isFollowed: boolean;
    /** Its first prompt is there, or will be. */
    readonly beginsWithPrompt: boolean;
    isQuiet(): boolean;
    exitReason(): ExitReason | undefined;
    requireModel(): void;
  },
  start: () => void,
): Parts<SDKMessage, void> {
  const engine = await open();
  const told = async (): Promise<Part<SDKMessage>> => {
    const messages = await engine.takeTold();
    return () => messages;
  };
  const afterResult: Part<SDKMessage> = !(life.tellsState || life.suggests)
    ? () => []
    : async function* () {
        yield* await engine.messagesAfterResult();
        if (life.suggests) yield* await suggestNext(engine, queue, life.signal);
      };
  try {
    start();
    if (decisions !== undefined && !life.signal.aborted) {
      life.requireModel();
      yield () => engine.submitDecisions(decisions);
      yield afterResult;
      await throwFailure(engine);
    }
    // No message comes before the first `system/init`.
    let hasBegun = false;
    const early: SDKMessage[] = [];
    for (;;) {
      if (engine.hasGoal && queue.waiting.length === 0 && (hasBegun || !life.beginsWithPrompt)) {
        hasBegun = true;
        life.requireModel();
        yield () => engine.submitGoal();
        yield afterResult;
        if (life.signal.aborted) break;
        await throwFailure(engine);
        continue;
      }
      const work = engine.mayTellLater
        ? await nextWork(engine, queue, life.signal)
        : await raceAbort(queue.ready(), life.signal);
      if (work === ABORTED) break;
      if (work === 'told') {
        yield await told();
        continue;
      }
      if (work === 'tasks') {
        yield () => engine.submitTaskNews();
        yield afterResult;
        if (life.signal.aborted) break;
        continue;
      }
      if (work !== true && work !== 'message') {
        // A person who types has left the prompt.
        await engine.close(life.exitReason() ?? (life.isFollowed ? 'prompt_input_exit' : 'other'));
        yield () => engine.takeClosingMessages();
        return;
      }
      const [first] = queue.waiting;
      if (first === undefined) {
        // Nothing was said: something else changed.
        if (hasBegun) yield await told();
        continue;
      }
      if (first.shouldQuery === false) {
        queue.remove(first);
        const { prompt, priority: _, shouldQuery: _asks, ...rest } = first;
        const appended = await engine.appendMessage(prompt, rest);
        if (hasBegun) yield () => appended;
        else early.push(...appended);
        continue;
      }
      life.requireModel();
      let isTaken = false;
      const begin = (): ReturnType<Part<SDKMessage>> => {
        // Taken in the same step as its prompt begins, so that whatever comes then finds that prompt running.
        isTaken = queue.remove(first);
        if (!isTaken) return [];
        const { prompt, priority: _, shouldQuery: _asks, ...rest } = first;
        const running = engine.submitMessage(prompt, rest);
        return !hasBegun && early.length > 0 ? behindFirst(running, early) : running;
      };
      yield begin;
      if (!isTaken) continue;
      hasBegun = true;
      yield afterResult;
      if (life.signal.aborted) break;
      await throwFailure(engine);
    }
    await engine.close(life.exitReason());
    yield () => engine.takeClosingMessages();
    // `close()` ends the iteration; an abort of the caller's own controller is told by a throw.
    if (!life.isQuiet()) throw new AbortError('The session was aborted.');
  } finally {
    await engine.close(life.exitReason());
  }
}

/** What was to be told before comes behind the first message, which is `system/init`. */
async function* behindFirst(
  messages: AsyncGenerator<SDKMessage, void>,
  told: readonly SDKMessage[],
): AsyncGenerator<SDKMessage, void> {
  let isTold = false;
  for await (const message of messages) {
    yield message;
    if (!isTold) yield* told;
    isTold = true;
  }
}

async function throwFailure(engine: QueryEngine): Promise<void> {
  const failure = await engine.takeFailure();
  if (failure !== null) throw failure;
}
