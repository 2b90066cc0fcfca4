// QueryEngine: the session around the loop. It owns everything that lasts from one prompt to the next, and nothing
// else in the engine does.

import { toSlashCommand } from '../context/slash-commands.js';
import { goalPrompt, TASK_NEWS_PROMPT } from '../engine/state/index.js';
import type { Host } from '../host/host.js';
import { createNodeHost } from '../host/node-host.js';
import type { Usage } from '../protocol/content.js';
import { EngineError } from '../protocol/errors.js';
import { checkObject } from '../protocol/given.js';
import type { ExitReason, MessagePriority, ModelUsage, SDKDeferredToolUse, SDKMessage } from '../protocol/messages.js';
import type { SlashCommand } from '../protocol/options.js';
import type { DeferredDecision, PermissionMode, SDKPermissionDenial } from '../protocol/permissions.js';
import type { RewindFilesOptions, RewindFilesResult, RewindOptions, RewindResult } from '../protocol/rewind.js';
import type { TaskFacts } from '../tools/background-tasks.js';
import { ABORTED, linkAbort, raceAbort } from '../util/abort.js';
import { sessionFeatures } from './acting-features.js';
import { assembleRuntime } from './assemble.js';
import { checkController, checkModelName, type QueryEngineConfig } from './config/index.js';
import type { EngineControls } from './controls/index.js';
import { commandsOf, type Session, type SessionRuntime, stateDraft } from './core/index.js';
import { DOORS } from './features.js';
import { createMessageQueue, type MessageQueue, type PromptInput, type QueuedMessage } from './input/index.js';
import { checkMessages, createHistory, type History } from './messages/index.js';
import { newSession } from './new-session.js';
import { openCalls, type PromptOptions, type PromptTurn, runPrompt } from './prompt/index.js';
import { createUsageLedger, type UsageLedger } from './spending/index.js';
import { type SessionTasks, stopTask } from './tasks/index.js';

const STILL_RUNS = 'A prompt of this session still runs. Wait for its result, or interrupt it first.';

/**
 * One conversation. Reuse the instance for every prompt of it.
 * Contract: each `submitMessage()` yields exactly one `system/init`, first, and exactly one `result`, last.
 */
export class QueryEngine {
  readonly #config: QueryEngineConfig;
  readonly #history: History;
  readonly #ledger: UsageLedger;
  readonly #queue: MessageQueue;
  readonly #abort: AbortController;
  #session: Promise<Session> | null = null;
  #opened: Session | null = null;
  #runtime: Promise<SessionRuntime> | null = null;
  #assembled: SessionRuntime | null = null;
  #running: AbortController | null = null;
  /** Why signals of prompts that are over are aborted. Null before the first. */
  #over: DOMException | null = null;
  /** What runs has only its result to tell, whose reader may want to set the session back. */
  #isSettled = false;
  /** Subagents at work that a call waits for; `ended` never rejects. */
  readonly #agents = new Set<{ readonly parent: string | null; readonly ended: Promise<void> }>();
  /** Ends what is still waited for while the session is put together. */
  #assembling: AbortController | null = null;
  /** Settles when the last rewind is over. */
  #rewinding: Promise<unknown> = Promise.resolve();
  #modelOverride: string | undefined;
  #closed = false;
  readonly #closing: SDKMessage[] = [];
  /** Of the session, once somebody asked for them. */
  #controls: Promise<EngineControls> | null = null;
  /** Of the session, once it was put together. */
  #tasks: SessionTasks | null = null;
  #servers: SessionRuntime['servers'] | null = null;

  /**
   * @param queue the queue of waiting messages, if you fill it from outside; default: one of the session's own
   * @throws ConfigError if `initialMessages` are no messages, or `abortController` is none
   */
  constructor(config: QueryEngineConfig, queue: MessageQueue = createMessageQueue()) {
    checkObject(config, 'What new QueryEngine() is given');
    this.#config = config;
    this.#history = createHistory(checkMessages(config.initialMessages));
    this.#queue = queue;
    this.#ledger = createUsageLedger(config.resumedState?.ledger);
    for (const record of config.resumedReplies ?? []) this.#ledger.add(record);
    this.#abort = checkController(config.abortController);
  }

  /**
   * Runs one prompt and streams everything that happens.
   * @param prompt text, or content blocks of the Messages API
   * @param options `uuid`: the user message's id in the transcript; `isMeta`: not typed by the user
   * @throws EngineError if another prompt of this session still runs, or the session was closed
   */
  submitMessage(prompt: PromptInput, options: PromptOptions = {}): AsyncGenerator<SDKMessage, void, unknown> {
    // Null is what plain JavaScript may give.
    return runPrompt(() => this.#begin(), { kind: 'message', prompt, options: options ?? {} });
  }

  /**
   * Goes on with calls that were deferred, in this process or an earlier one: those that are allowed run, the others are
   * refused. Once none waits any more the model goes on; else the result says `tool_deferred` again. Decisions may come
   * one by one and in any order; one about a call that does not wait is told and changes nothing.
   * Contract: as `submitMessage`; an allowed call runs once, whatever happens to the process.
   * @throws EngineError as `submitMessage`
   */
  submitDecisions(decisions: readonly DeferredDecision[]): AsyncGenerator<SDKMessage, void, unknown> {
    return runPrompt(() => this.#begin(), { kind: 'decisions', decisions });
  }

  /**
   * The next prompt if the model has to hear of background tasks that ended since it was last talked to.
   * Contract: as `submitMessage`; to be called if `taskEnded` said true.
   */
  submitTaskNews(): AsyncGenerator<SDKMessage, void, unknown> {
    return runPrompt(() => this.#begin(), {
      kind: 'message',
      prompt: TASK_NEWS_PROMPT,
      options: { isMeta: true, isTaskNews: true },
    });
  }

  /** True while there is a goal that is not reached, and nothing keeps the session from going on with it. */
  get hasGoal(): boolean {
    return this.#opened?.memory.goals?.isActive === true;
  }

  /**
   * The next prompt of the goal.
   * Contract: as `submitMessage`; to be called if `hasGoal` is true and no message waits.
   */
  async *submitGoal(): AsyncGenerator<SDKMessage, void, unknown> {
    const goals = this.#opened?.memory.goals;
    if (goals === undefined) return;
    const options = { isMeta: true, isTaskNews: true, maxTurns: goals.turnsLeft };
    const prompt = goalPrompt(goals.current?.objective ?? '');
    yield* runPrompt(() => this.#begin(), { kind: 'message', prompt, options });
  }

  /**
   * Waits between two prompts for a background task to end. False if the model should not hear of one before the user
   * says more, and once `until` aborts: then the next prompt tells what there is.
   * @param isLast the user says nothing more: waits at most `limits.backgroundWaitMs`
   */
  async taskEnded(until: AbortSignal, isLast = false): Promise<boolean> {
    const runtime = await this.#runtime?.catch(() => null);
    if (runtime?.tasks.registry == null) return false;
    const { taskEnded } = await DOORS.prompt();
    return taskEnded(await (this.#session ?? this.#openSession()), runtime, until, isLast);
  }

  /** True once there are messages to show between two prompts; false once `until` aborts. */
  async told(until: AbortSignal): Promise<boolean> {
    const runtime = await this.#runtime?.catch(() => null);
    if (runtime == null) return false;
    const told = new Promise<void>((resolve) => runtime.onTold(resolve));
    return (await raceAbort(told, until)) !== ABORTED;
  }

  /** The messages that `told` is about. */
  async takeTold(): Promise<readonly SDKMessage[]> {
    const runtime = await this.#runtime?.catch(() => null);
    const { stamp } = await (this.#session ?? this.#openSession());
    return runtime?.takeDrafts().map((draft) => stamp(draft)) ?? [];
  }

  /** True once something may be told between two prompts: a task in the background, a hook that nobody waits for. */
  get mayTellLater(): boolean {
    return this.#tasks?.registry != null || this.#assembled?.hooks.mayTellLater() === true;
  }

  /** The commands that run in the background. */
  backgroundTasks(): readonly TaskFacts[] {
    return this.#tasks?.registry?.running ?? [];
  }

  /**
   * Stops a background task. The model is told. Nothing of the task is alive when this resolves.
   * @throws ToolError if there is no such task
   */
  async stopTask(taskId: string): Promise<void> {
    await stopTask((await this.#runtime?.catch(() => null)) ?? null, String(taskId));
  }

  /**
   * Lets calls that wait for an agent or a command go on without it, all or one: they are told that it works in the background.
   * False if nothing was waited for.
   */
  moveToBackground(toolUseId?: string): boolean {
    const waited = this.#tasks?.roster?.atWork.filter(({ toolUseId: own }) => own !== null) ?? [];
    const wanted = waited.filter(({ toolUseId: own }) => toolUseId === undefined || own === toolUseId);
    const moved = wanted.map((agent) => agent.moveToBackground());
    return [...moved, this.#tasks?.moveToBackground(toolUseId) ?? false].includes(true);
  }

  /** Calls that wait for a decision, in their order. */
  async deferredCalls(): Promise<readonly SDKDeferredToolUse[]> {
    this.#session ??= this.#openSession();
    const { memory } = await this.#session;
    return openCalls(memory.deferred, this.#history.params);
  }

  /** @throws EngineError if no prompt may begin */
  async #begin(): Promise<PromptTurn> {
    if (this.#closed) throw new EngineError('session_invalid', 'This session was closed. Make a new QueryEngine.');
    if (this.#running !== null) throw new EngineError('session_invalid', STILL_RUNS);
    const { controller, release } = linkAbort(this.#abort.signal);
    this.#running = controller;
    this.#isSettled = false;
    const end = async (): Promise<void> => {
      // A caller that stopped listening has ended the prompt too. A reason for each would cost more than all else here.
      this.#over ??= new DOMException('The prompt is over.', 'AbortError');
      controller.abort(this.#over);
      release();
      if (this.#agents.size > 0) await this.#ownAgentsEnded();
      this.#running = null;
    };
    try {
      await this.#rewinding;
      this.#session ??= this.#openSession();
      return { session: await this.#session, signal: controller.signal, end };
    } catch (error) {
      await end();
      throw error;
    }
  }

  /** Of the prompt: agents that an agent in the background waits for go on as it does. */
  async #ownAgentsEnded(): Promise<void> {
    const roster = this.#tasks?.roster ?? null;
    const isBeside = (id: string | null): boolean => {
      const agent = id === null ? null : (roster?.find(id, null)?.agent ?? null);
      return agent !== null && (agent.toolUseId === null || isBeside(agent.owner));
    };
    for (;;) {
      // One that is moved to the background takes those along that it waits for.
      const waited = [...this.#agents].filter(({ parent }) => !isBeside(parent));
      if (waited.length === 0) return;
      await Promise.race(waited.map(({ ended }) => ended));
    }
  }

  /**
   * Puts a message into the conversation that asks the model nothing: the next prompt takes it along. Not while a prompt
   * runs. @returns what is to be told
   */
  async appendMessage(prompt: PromptInput, options: PromptOptions = {}): Promise<readonly SDKMessage[]> {
    const { session, end } = await this.#begin();
    try {
      const { appendMessage } = await DOORS.prompt();
      return await appendMessage(session, await this.#assemble(), prompt, options);
    } finally {
      await end();
    }
  }

  /**
   * Hands over a message while a prompt runs. With `next`, the default, it goes to the model inside that prompt, after
   * the results of the next tools. With `now` it waits, and the running prompt is interrupted. With `later` it waits.
   * Contract: a message that the prompt did not take waits, also after an interrupt or an error: submit what
   * `takeQueuedMessage()` gives after the result. A slash command always waits. The engine starts no prompt by itself.
   * @throws EngineError if the session was closed
   */
  queueMessage(prompt: PromptInput, options: PromptOptions & { readonly priority?: MessagePriority } = {}): void {
    if (this.#closed) throw new EngineError('session_invalid', 'This session was closed. Make a new QueryEngine.');
    const { priority = 'next', ...rest } = options ?? {};
    if (priority === 'now') this.interrupt();
    this.#queue.push({ prompt, ...rest, priority });
  }

  /** The message that should be the next prompt; null if none waits. */
  takeQueuedMessage(): QueuedMessage | null {
    return this.#queue.take();
  }

  /** Ends the running prompt: no tool starts after this returns, and the stream goes on to a result that says `aborted`. */
  interrupt(): void {
    this.#running?.abort();
  }

  /** For the next tool call on. Needs a session with `permissions`. */
  async setPermissionMode(mode: PermissionMode): Promise<void> {
    (await this.#assemble()).gate.setMode(mode);
  }

  /**
   * For the next model request on; without an argument, back to the session's own model.
   * @throws ConfigError for what is no name
   */
  setModel(model?: string): void {
    const name = model ?? undefined;
    checkModelName('model', name);
    this.#modelOverride = name;
  }

  /**
   * As `setModel`, for a model of any provider, and heard by hooks, which may refuse it.
   * @throws ConfigError if there is no such provider, no key for it, or a hook refuses
   */
  async switchModel(model?: string): Promise<void> {
    const to = model === undefined ? undefined : await this.admitModel(model);
    const change = () => this.setModel(to);
    const { hooks = {}, commandHooks = [] } = this.#config;
    if (Object.keys(hooks).length + commandHooks.length === 0 && this.#opened?.memory.settings === undefined)
      return change();
    const runtime = await this.#assemble();
    if (!runtime.hooks.has('PreModelSwitch') && !runtime.hooks.has('PostModelSwitch')) return change();
    const { switchModel } = await DOORS.prompt();
    await switchModel(await (this.#session ?? this.#openSession()), runtime, { named: model ?? null, to }, change);
  }

  /**
   * The name that requests use for a model, of any provider: what `setModel` and results go by.
   * @throws ConfigError if there is no such provider, or no key for it
   */
  async admitModel(name: string): Promise<string> {
    return (await this.#assemble()).models.admit(name);
  }

  /** The slash commands of the session. */
  supportedCommands(): SlashCommand[] {
    const servers = this.#servers === null ? null : { servers: this.#servers };
    const own = this.#opened === null ? this.#config.commands : commandsOf(this.#opened, servers);
    return own.map(toSlashCommand);
  }

  /** What else can be asked and changed while the session lives. Opens it when it is not open yet. */
  async controls(): Promise<EngineControls> {
    if (this.#closed) throw new EngineError('session_invalid', 'This session was closed. Make a new QueryEngine.');
    const runtime = await this.#assemble();
    const session = await (this.#session ?? this.#openSession());
    this.#controls ??= DOORS.controls().then((room) => room.createEngineControls(session, runtime));
    return this.#controls;
  }

  /** The conversation so far, oldest first. */
  getMessages() {
    return this.#history.messages;
  }

  /** Tokens of the whole session. */
  getUsage(): Usage {
    return this.#ledger.totals;
  }

  getModelUsage(): Readonly<Record<string, ModelUsage>> {
    return this.#ledger.byModel;
  }

  /** Milliseconds in model requests, whole session. */
  getTotalAPIDuration(): number {
    return this.#ledger.apiDurationMs;
  }

  /** US dollars, as far as prices are known. */
  getTotalCost(): number {
    return this.#ledger.totalCostUsd;
  }

  /** Every call refused in this session, oldest first. */
  async getPermissionDenials(): Promise<readonly SDKPermissionDenial[]> {
    return this.#runtime === null ? [] : (await this.#runtime).gate.denials;
  }

  /**
   * Sets files back to what they were before a message of the user: what the agent changed since then and nobody else.
   * Needs `enableFileCheckpointing`. The conversation stays. Works for sessions that were resumed, and after `close()`.
   * Contract: what somebody else changed is left as it is and told; each file changes in one step or not at all; if
   * it ended half way, the same call goes on. Do not call it while a prompt runs.
   * @param userMessageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
   */
  async rewindFiles(userMessageId: string, options: RewindFilesOptions = {}): Promise<RewindFilesResult> {
    if (this.#isAtWork) return { canRewind: false, error: STILL_RUNS };
    return this.#rewind(async (session, runtime) => {
      const { rewindFiles } = await DOORS.rewind();
      return rewindFiles(session, runtime, String(userMessageId), options ?? {});
    });
  }

  /**
   * Sets the conversation back to the moment before a message of the user, or its files, or both, which is the default:
   * the next prompt goes on from there. The transcript keeps everything, so a message that was removed can be gone to
   * again; what was spent stays spent. Works for sessions that were resumed, and after `close()`.
   * Contract: throws for bugs alone; if files cannot be set back, the conversation is not either. Not while a prompt
   * runs.
   * @param userMessageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
   */
  async rewind(userMessageId: string, options: RewindOptions = {}): Promise<RewindResult> {
    if (this.#isAtWork) {
      const { scope = 'both' } = options ?? {};
      return { status: 'rejected', targetUserMessageId: userMessageId, scope, error: STILL_RUNS };
    }
    return this.#rewind(async (session, runtime) => {
      const { rewindSession } = await DOORS.rewind();
      return rewindSession(session, runtime, String(userMessageId), options ?? {});
    });
  }

  /** True while a prompt runs. */
  get isBusy(): boolean {
    return this.#isAtWork;
  }

  get #isAtWork(): boolean {
    return this.#running !== null && !this.#isSettled;
  }

  /** One after the other, and before the next prompt. */
  async #rewind<T>(work: (session: Session, runtime: SessionRuntime | null) => Promise<T>): Promise<T> {
    const rewinding = this.#rewinding.then(async () => {
      this.#session ??= this.#openSession();
      const runtime = this.#closed ? null : await this.#runtime?.catch(() => null);
      return work(await this.#session, runtime ?? null);
    });
    this.#rewinding = rewinding.catch(() => undefined);
    return rewinding;
  }

  /**
   * Ends the session: aborts what runs, closes the transcript and connections. May be called twice. What the SessionEnd
   * hooks have to tell is logged, as `session_end_message`, and kept for `takeClosingMessages`.
   */
  async close(reason: ExitReason = 'other'): Promise<void> {
    const wasClosed = this.#closed;
    this.#closed = true;
    this.interrupt();
    this.#assembling?.abort();
    if (this.#runtime === null) return;
    const runtime = await this.#runtime.catch(() => null); // a session that could not be put together has nothing to close
    if (runtime === null) return;
    const { memory, stamp } = await (this.#session ?? this.#openSession());
    await this.#rewinding;
    await (await this.#controls)?.close();
    if (memory.isStarted && runtime.hooks.has('SessionEnd')) {
      memory.isStarted = false;
      await runtime.hooks.run('SessionEnd', { reason });
      for (const draft of runtime.takeDrafts()) {
        const message = stamp(draft);
        runtime.loop.log('session_end_message', { message });
        this.#closing.push(message);
      }
    }
    await runtime.close();
    // Tasks that were still running.
    for (const draft of runtime.takeDrafts()) this.#closing.push(stamp(draft));
    if (!wasClosed) memory.leafUuid = runtime.transcript.lastUuid;
  }

  /** What the last prompt failed with if its caller must hear of it as a throw too, once. */
  async takeFailure(): Promise<Error | null> {
    const { memory } = await (this.#session ?? this.#openSession());
    const { toThrow = null } = memory;
    memory.toThrow = null;
    return toThrow;
  }

  /**
   * What follows a result in the stream of `query()`: with `includeSessionState`, that the session is idle. Nothing if
   * another prompt waits.
   */
  async messagesAfterResult(): Promise<readonly SDKMessage[]> {
    if (this.#config.includeSessionState !== true || this.#queue.waiting.length > 0) return [];
    const { stamp } = await (this.#session ?? this.#openSession());
    return [stamp(stateDraft('idle'))];
  }

  /** Messages about the end of the session, once: no prompt is there any more whose stream could carry them. */
  takeClosingMessages(): readonly SDKMessage[] {
    return this.#closing.splice(0);
  }

  async #openSession(): Promise<Session> {
    const session = await newSession({
      config: this.#config,
      features: sessionFeatures(),
      host: this.#host(),
      ledger: this.#ledger,
      history: this.#history,
      queue: this.#queue,
      modelOverride: (chosen) => this.#modelOverride ?? chosen,
      runtime: () => this.#assemble(),
      assembled: () => this.#assembled,
      onSettled: () => {
        this.#isSettled = true;
      },
      onAbandoned: () => this.interrupt(),
      spawnAgent: (parent, request, call) => this.#spawnAgent(parent, request, call),
    });
    this.#opened = session;
    return session;
  }

  /** Most prompts start no subagent, so what runs them is loaded with the first. */
  async *#spawnAgent(...[parent, request, call]: Parameters<Session['spawnAgent']>): ReturnType<Session['spawnAgent']> {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const agent = { parent: parent.agentId, ended };
    this.#agents.add(agent);
    try {
      const { spawnAgent } = await DOORS.agents();
      return yield* spawnAgent(parent, request, call);
    } finally {
      this.#agents.delete(agent);
      end();
    }
  }

  async #startAssembly(session: Session): Promise<SessionRuntime> {
    const { host, sessionId, checkpoints, memory } = session;
    const { controller, release } = linkAbort(this.#abort.signal);
    this.#assembling = controller;
    const { signal } = controller;
    const { leafUuid } = memory;
    const config = leafUuid === undefined ? this.#config : { ...this.#config, resumedFrom: leafUuid };
    const assembling = assembleRuntime(config, host, sessionId, this.#ledger, signal, checkpoints).finally(release);
    const runtime = await assembling;
    runtime.setHookModels({
      async askModel(question, until) {
        const { askForHook } = await DOORS.beside();
        return askForHook(session, runtime, question, until);
      },
      async askAgent(question, until) {
        const { askHookAgent } = await DOORS.agents();
        return askHookAgent(session, runtime, question, until);
      },
    });
    return runtime;
  }

  #host(): Host {
    return this.#config.host ?? createNodeHost();
  }

  /** A failed assembly is tried again with the next prompt: what was missing may be there by then. */
  async #assemble(): Promise<SessionRuntime> {
    this.#session ??= this.#openSession();
    const session = await this.#session;
    this.#runtime ??= this.#startAssembly(session);
    try {
      const runtime = await this.#runtime;
      this.#assembled = runtime;
      this.#tasks = runtime.tasks;
      this.#servers = runtime.servers;
      return runtime;
    } catch (error) {
      this.#runtime = null;
      throw error;
    }
  }
}
