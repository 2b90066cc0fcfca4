// One session of the protocol over one `query()`: prompts in, updates out. One rule: each prompt gets exactly one answer,
// even if it was cancelled before it began or the session broke.
import { randomUUID } from 'node:crypto';
import {
  type AgentContext,
  type AvailableCommand,
  type ClientCapabilities,
  type ContentBlock,
  methods,
  type PromptResponse,
  type RequestError,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { Host } from '../../host/host.js';
import type { HookCallback } from '../../protocol/hooks.js';
import { isResultMessage, type SDKMessage, type SDKResultMessage } from '../../protocol/messages.js';
import type { ModelInfo } from '../../protocol/model.js';
import { EFFORT_LEVELS, type EffortLevel } from '../../protocol/options.js';
import { PERMISSION_MODES, type PermissionMode, type PermissionUpdate } from '../../protocol/permissions.js';
import { lacksKey } from '../../sdk/faces/index.js';
import type { DebugLog } from '../../sdk/logs/index.js';
import type { Options } from '../../sdk/options/index.js';
import { query } from '../../sdk/query.js';
import type { Query } from '../../sdk/query-controls.js';
import { getSessionInfo, getSessionMessages } from '../../sdk/sessions.js';
import { errorText } from '../../util/text.js';
import { createPromptStream, type PromptStream } from '../lines/index.js';
import { withClientFiles } from './client-files.js';
import { configOptions, DEFAULT_VALUE, knownMode, modesOf, type SessionSettings } from './config-options.js';
import { failed, fileOf, invalidParams, keyRequired, promptContent, requestError } from './content.js';
import { createPermissions, createQuestions, withGrants } from './questions.js';
import { createUpdates, type Updates } from './updates.js';

export interface AcpSessionParts {
  readonly id: string;
  /** True: it goes on with a stored session. */
  readonly isStored: boolean;
  /** Absolute, as the client named it. */
  readonly cwd: string;
  /** Of the command line and the request; who asks and where it runs is added here. */
  readonly options: Options;
  /** As the session begins. */
  readonly mode: PermissionMode;
  readonly host: Host;
  readonly client: () => AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly log: DebugLog;
  /** A line for whoever reads stderr. */
  readonly say: (line: string) => void;
}

/** What a client is told of a session that it opened. */
export interface OpenedSession {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

/** One prompt. */
interface Turn {
  readonly uuid: string;
  readonly content: ReturnType<typeof promptContent>;
  isCancelled: boolean;
  /** A query has it, and answers it. */
  isGiven: boolean;
  answer(response: PromptResponse): void;
  refuse(error: RequestError): void;
}

/** A query and the loop that reads it. */
interface Running {
  readonly query: Query;
  readonly inbox: PromptStream;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

/** Larger files are not shown beside what replaces them. Bytes. */
const MAX_OLD_TEXT = 1_000_000;

export class AcpSession {
  readonly id: string;
  readonly cwd: string;
  readonly #parts: AcpSessionParts;
  readonly #updates: Updates;
  readonly #host: Host;
  #running: Running | null = null;
  #turn: Turn | null = null;
  readonly #waiting: Turn[] = [];
  #isStored: boolean;
  #isClosed = false;
  /** What was set takes another query. */
  #isStale = false;
  /** What the user allowed for the session, which another query has to be told of. */
  readonly #granted: PermissionUpdate[] = [];
  #isConfined = true;
  #mode: PermissionMode;
  #model: string = DEFAULT_VALUE;
  #models: readonly ModelInfo[] = [];
  #effort: EffortLevel | typeof DEFAULT_VALUE;
  /** The commands that the client was last told of. */
  #commands = '';
  #title: string | null = null;
  /** Settles when all updates so far were handed over. */
  #sent: Promise<void> = Promise.resolve();

  constructor(parts: AcpSessionParts) {
    const { id, cwd, options, host, client, capabilities } = parts;
    this.id = id;
    this.cwd = cwd;
    this.#parts = parts;
    this.#isStored = parts.isStored;
    this.#mode = parts.mode;
    this.#effort = options.effort ?? DEFAULT_VALUE;
    this.#updates = createUpdates({ cwd, client: capabilities, send: (update) => this.#send(update), log: parts.say });
    this.#host = withClientFiles(host, {
      sessionId: id,
      client,
      capabilities: capabilities.fs ?? {},
      folders: [cwd, ...(options.additionalDirectories ?? [])],
      isConfined: () => this.#isConfined,
      log: parts.say,
    });
  }

  /**
   * Looks whether the session can be had, before anybody relies on it.
   * @throws RequestError that says what to change
   */
  async open(): Promise<OpenedSession> {
    try {
      const { query: opened } = this.#start();
      await opened.supportedCommands();
      this.#models = await opened.getAvailableModels();
    } catch (error) {
      await this.close();
      throw requestError(error, this.id);
    }
    return { modes: modesOf(this.#settings), configOptions: configOptions(this.#settings) };
  }

  /** The conversation so far, as updates. Settles when all were handed over. @throws RequestError */
  async replay(): Promise<void> {
    try {
      const where = { dir: this.cwd, host: this.#parts.host };
      this.#updates.replay(await getSessionMessages(this.id, { ...where, view: 'historical' }));
    } catch (error) {
      throw requestError(error, this.id);
    }
    await this.#sent;
  }

  /** What a client knows nothing of until it has the session. Never rejects. */
  async introduce(): Promise<void> {
    await this.#tellCommands();
  }

  /** Runs after the prompts before it. @throws RequestError */
  prompt(prompt: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const content = promptContent(prompt);
    return new Promise((resolve, reject) => {
      const turn: Turn = {
        uuid: randomUUID(),
        content,
        isCancelled: false,
        isGiven: false,
        answer: resolve,
        refuse: reject,
      };
      signal.addEventListener('abort', () => this.#cancel(turn), { once: true });
      this.#waiting.push(turn);
      this.#next();
    });
  }

  /** Cancels what runs and what waits. */
  cancel(): void {
    for (const turn of [...this.#waiting]) this.#cancel(turn);
    if (this.#turn !== null) this.#cancel(this.#turn);
  }

  /** @throws RequestError */
  async setMode(modeId: string): Promise<void> {
    const mode = PERMISSION_MODES.find((known) => known === modeId);
    const offered = modesOf(this.#settings).availableModes.map(({ id }) => id);
    if (mode === undefined || !offered.includes(modeId))
      throw invalidParams(`There is no mode "${modeId}" in this session. Modes: ${offered.join(', ')}.`);
    await this.#control((running) => running.setPermissionMode(mode));
    this.#showMode(mode);
  }

  /** @throws RequestError */
  async setConfigOption(configId: string, value: unknown): Promise<SessionConfigOption[]> {
    const option = configOptions(this.#settings).find(({ id }) => id === configId);
    if (option === undefined) throw invalidParams(`There is no option "${configId}". Options: mode, model, effort.`);
    if (typeof value !== 'string') throw invalidParams(`The option "${configId}" takes one of its values, as a text.`);
    if (configId === 'mode') await this.setMode(value);
    else if (configId === 'model') await this.#setModel(value);
    else await this.#setEffort(value);
    return configOptions(this.#settings);
  }

  /** Ends what runs; its prompts are answered as cancelled. Settles when nothing of the session runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.cancel();
    await this.#stop();
    await this.#sent;
  }

  get #settings(): SessionSettings {
    return {
      mode: this.#mode,
      mayBypass: this.#parts.options.allowDangerouslySkipPermissions === true,
      model: this.#model,
      models: this.#models,
      effort: this.#effort,
    };
  }

  /** The query that runs, or a new one if there is none, or the last one broke. */
  #start(): Running {
    if (this.#running !== null) return this.#running;
    const inbox = createPromptStream();
    const opened = query({ prompt: inbox, options: this.#options() });
    const running: Running = { query: opened, inbox, ended: this.#read(opened) };
    this.#running = running;
    return running;
  }

  #options(): Options {
    const { options, client, capabilities } = this.#parts;
    const sessionId = this.id;
    const watch = { hooks: [this.#afterTool] };
    return {
      enableFileCheckpointing: 'auto',
      ...withGrants(options, this.#granted),
      ...(this.#isStored ? { resume: sessionId } : { sessionId }),
      ...(this.#effort === DEFAULT_VALUE ? {} : { effort: this.#effort }),
      ...(this.#model === DEFAULT_VALUE ? {} : { model: this.#model }),
      permissionMode: this.#mode,
      cwd: this.cwd,
      host: this.#host,
      includePartialMessages: true,
      isNonInteractiveSession: false,
      abortController: new AbortController(),
      canUseTool: createPermissions({
        sessionId,
        client,
        describe: (call) => this.#updates.describeCall(call),
        starts: (callId) => this.#updates.callStarts(callId),
        changes: (update) => {
          if (update.type === 'setMode') this.#showMode(update.mode);
          else this.#granted.push(update);
        },
      }),
      onElicitation: createQuestions({ sessionId, client, capabilities }),
      hooks: {
        PreToolUse: [{ matcher: 'Write', hooks: [this.#beforeWrite] }],
        PostToolUse: [watch],
        PostToolUseFailure: [watch],
      },
    };
  }

  /** Reads a query to its end. Never rejects. */
  async #read(opened: Query): Promise<void> {
    let failure: unknown = null;
    try {
      for await (const message of opened) {
        this.#parts.log.message(message);
        await this.#take(message);
      }
    } catch (error) {
      failure = error;
      this.#parts.log.error(error);
    }
    if (this.#running?.query === opened) this.#running = null;
    await this.#lose(failure);
  }

  async #take(message: SDKMessage): Promise<void> {
    if (message.type === 'system' && message.subtype === 'init') {
      this.#isStored = this.#parts.options.persistSession !== false;
      this.#isConfined = message.sandbox !== undefined;
      this.#showMode(message.permissionMode);
      // A cancel that came before the prompt began found nothing to end.
      if (this.#turn?.isCancelled === true) this.#interrupt();
      if (message.slash_commands.join() !== this.#commands) await this.#tellCommands();
      return;
    }
    this.#updates.live(message);
    // A reader that is slow makes the session wait, not grow.
    await this.#sent;
    if (isResultMessage(message)) await this.#finish(message);
  }

  /** Begins the next prompt if none runs. */
  #next(): void {
    if (this.#turn !== null) return;
    const turn = this.#waiting.shift();
    if (turn === undefined) return;
    this.#turn = turn;
    if (this.#isStale && this.#running !== null) void this.#restart(turn);
    else this.#give(turn);
  }

  #give(turn: Turn): void {
    const { uuid, content } = turn;
    turn.isGiven = true;
    this.#isStale = false;
    this.#start().inbox.push({ type: 'user', uuid, parent_tool_use_id: null, message: { role: 'user', content } });
  }

  /** Another query goes on with the conversation. Never rejects. */
  async #restart(turn: Turn): Promise<void> {
    await this.#stop();
    if (!turn.isCancelled) return this.#give(turn);
    this.#turn = null;
    turn.answer({ stopReason: 'cancelled' });
    this.#next();
  }

  /** Settles when nothing of the query runs any more. */
  async #stop(): Promise<void> {
    const running = this.#running;
    running?.query.close();
    running?.inbox.end();
    await running?.ended;
  }

  async #finish(result: SDKResultMessage): Promise<void> {
    const turn = this.#turn;
    const { user_message_uuids: answered } = result;
    this.#updates.endPrompt();
    // Of a prompt that the engine gave itself, as a background task ended. One that could not start names none.
    if (turn === null || (answered !== undefined && !answered.includes(turn.uuid))) return;
    await this.#tellTitle();
    await this.#sent;
    this.#turn = null;
    try {
      turn.answer({ stopReason: stopReason(result, turn.isCancelled) });
    } catch (error) {
      turn.refuse(requestError(error, this.id));
    }
    this.#next();
  }

  /** The query is over, and a prompt may still wait for it. */
  async #lose(failure: unknown): Promise<void> {
    const turn = this.#turn;
    if (turn === null || !turn.isGiven) return;
    this.#updates.endPrompt();
    await this.#sent;
    this.#turn = null;
    if (turn.isCancelled || this.#isClosed) turn.answer({ stopReason: 'cancelled' });
    else turn.refuse(await this.#whyLost(failure));
    this.#next();
  }

  async #whyLost(failure: unknown): Promise<RequestError> {
    if (failure === null) return requestError(new Error('The session ended before the prompt did.'), this.id);
    const isKeyless = await lacksKey(this.#parts.options).catch(() => false);
    return isKeyless ? keyRequired() : requestError(failure, this.id);
  }

  #cancel(turn: Turn): void {
    turn.isCancelled = true;
    const at = this.#waiting.indexOf(turn);
    if (at !== -1) {
      this.#waiting.splice(at, 1);
      turn.answer({ stopReason: 'cancelled' });
    } else if (this.#turn === turn) this.#interrupt();
  }

  #interrupt(): void {
    // A query that broke answers its prompt by itself.
    this.#running?.query.interrupt().catch(() => undefined);
  }

  /** @throws RequestError */
  async #control<T>(work: (running: Query) => Promise<T>): Promise<T> {
    try {
      return await work(this.#start().query);
    } catch (error) {
      throw requestError(error, this.id);
    }
  }

  async #setModel(model: string): Promise<void> {
    await this.#control((running) => running.setModel(model === DEFAULT_VALUE ? undefined : model));
    this.#model = model;
    this.#tellOptions();
  }

  async #setEffort(value: string): Promise<void> {
    const effort = EFFORT_LEVELS.find((level) => level === value);
    if (effort === undefined && value !== DEFAULT_VALUE)
      throw invalidParams(`There is no effort "${value}". Values: ${[DEFAULT_VALUE, ...EFFORT_LEVELS].join(', ')}.`);
    this.#effort = effort ?? DEFAULT_VALUE;
    this.#isStale = true;
    this.#tellOptions();
  }

  /** Tells the client of another mode, by both ways in which clients show it. */
  #showMode(mode: PermissionMode): void {
    if (knownMode(mode) === knownMode(this.#mode)) return;
    this.#mode = mode;
    this.#send({ sessionUpdate: 'current_mode_update', currentModeId: knownMode(mode) });
    this.#tellOptions();
  }

  #tellOptions(): void {
    this.#send({ sessionUpdate: 'config_option_update', configOptions: configOptions(this.#settings) });
  }

  async #tellCommands(): Promise<void> {
    try {
      const commands = await this.#start().query.supportedCommands();
      this.#commands = commands.map(({ name }) => name).join();
      const availableCommands = commands.map(
        ({ name, description, argumentHint }): AvailableCommand => ({
          name: name.replace(/^\//, ''),
          description,
          ...(argumentHint === '' ? {} : { input: { hint: argumentHint } }),
        }),
      );
      this.#send({ sessionUpdate: 'available_commands_update', availableCommands });
    } catch (error) {
      this.#parts.say(`warning: the commands of the session cannot be listed: ${errorText(error)}`);
    }
  }

  async #tellTitle(): Promise<void> {
    if (this.#parts.options.persistSession === false) return;
    // A session without a transcript has no title; why it has none is told by a notice.
    const info = await getSessionInfo(this.id, { dir: this.cwd, host: this.#parts.host }).catch(() => undefined);
    if (info === undefined || info.summary === this.#title) return;
    this.#title = info.summary;
    const updatedAt = new Date(info.lastModified).toISOString();
    this.#send({ sessionUpdate: 'session_info_update', title: info.summary, updatedAt });
  }

  #send(update: SessionUpdate): void {
    const handed = this.#parts.client().notify(methods.client.session.update, { sessionId: this.id, update });
    // A client that is gone needs no updates.
    this.#sent = Promise.all([this.#sent, handed]).then(
      () => undefined,
      () => undefined,
    );
  }

  /**
   * Calls change the mode too, such as that of an approved plan. Messages of the stream tell of it as well, but of one
   * that was set between two prompts only with the next: by then it may be another.
   */
  readonly #afterTool: HookCallback = async ({ permission_mode: mode, agent_id: agent }) => {
    const known = agent === undefined ? PERMISSION_MODES.find((one) => one === mode) : undefined;
    if (known !== undefined) this.#showMode(known);
    return {};
  };

  /** What is replaced is read before it is gone. Only for the eyes of the user: the model does not see it. */
  readonly #beforeWrite: HookCallback = async (input) => {
    if (input.hook_event_name !== 'PreToolUse') return {};
    const file = fileOf(input.tool_input, this.cwd);
    if (file !== null) this.#updates.holdsBefore(input.tool_use_id, await this.#textOf(file));
    return {};
  };

  /** As the tools see it. Null if there is none, or it is no text of a moderate size. */
  async #textOf(file: string): Promise<string | null> {
    const { fs } = this.#host;
    try {
      const located = await fs.locate(file);
      if (located.stat?.kind !== 'file') return null;
      const handle = await fs.openLocated(located);
      try {
        const { size } = await handle.stat();
        if (size > MAX_OLD_TEXT) return null;
        return new TextDecoder('utf-8', { fatal: true }).decode(await handle.read(0, size));
      } finally {
        await handle.close();
      }
    } catch {
      return null; // gone meanwhile, or no text: then there is nothing to compare with
    }
  }
}

// How a prompt ended, in the few words that the protocol has for it; what it has none for is an error with its text.

/** @throws RequestError if the prompt failed */
function stopReason(result: SDKResultMessage, wasCancelled: boolean): StopReason {
  if (wasCancelled) return 'cancelled';
  switch (result.terminal_reason) {
    case 'aborted':
    case 'permission_interrupt':
      return 'cancelled';
    case 'refusal':
      return 'refusal';
    case 'max_turns':
      return 'max_turn_requests';
    case 'max_output_tokens':
      return 'max_tokens';
    default:
      if (result.subtype === 'success' && !result.is_error) return 'end_turn';
      throw failed(failureText(result));
  }
}

function failureText(result: SDKResultMessage): string {
  const errors = 'errors' in result ? result.errors : [];
  return errors.join('\n') || result.result || `The prompt ended with an error (${result.terminal_reason}).`;
}
