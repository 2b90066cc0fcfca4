// Sessions that are made ready before their prompt is known. One rule: what cannot be used is told when it is made ready,
// not with the prompt.
import type { Host } from '../host/host.js';
import { createNodeHost } from '../host/node-host.js';
import { ConfigError, EngineError } from '../protocol/errors.js';
import { checkObject } from '../protocol/given.js';
import type { SDKUserMessage } from '../protocol/messages.js';
import type { AgentDefinition } from '../protocol/options.js';
import type { PermissionMode } from '../protocol/permissions.js';
import type { Settings } from '../protocol/settingsTypes.generated.js';
import type { Options } from './options/index.js';
import { query } from './query.js';
import type { Query } from './query-controls.js';

export type Prompt = string | AsyncIterable<SDKUserMessage>;

export interface StartupParams {
  readonly options?: Options;
  /** The longest it may take to get ready, milliseconds. Default 60,000. */
  readonly initializeTimeoutMs?: number;
}

/** A session that is ready and waits for its prompt. */
export interface WarmQuery<Session = Query> {
  /** Gives it its prompt. Once. */
  query(prompt: Prompt): Session;
  /** Ends it without one. */
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What is settled only when the session is. */
export interface ClaimOptions {
  /** The folder of the session. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Beside those of the options. Relative ones start from `cwd`. */
  readonly additionalDirectories?: string[];
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly maxThinkingTokens?: number | null;
  /** Beat those of the options key by key. */
  readonly settings?: { readonly [Key in keyof Settings]?: Settings[Key] | null };
  readonly appendSystemPrompt?: string;
  readonly title?: string;
  readonly agents?: Record<string, AgentDefinition>;
}

/** Options that are checked and an engine that is loaded, for a session that is not known yet. */
export interface SpareProcess<Session = Query> {
  /** Starts the session. Once. */
  claim(params: { readonly prompt: Prompt; readonly options: ClaimOptions }): Session;
  /** Settles when the session is open; rejects if it cannot be opened, or `close()` came before. */
  readonly claimed: Promise<{
    readonly cwd: string;
    readonly sessionId: string;
    readonly parkedMs?: number;
    readonly sdkMcpSettled: boolean;
  }>;
  /** Settles when it, or the session it became, was closed. */
  readonly exited: Promise<void>;
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What is used of a session here, whatever its dialect. */
interface Session {
  supportedCommands(): Promise<unknown>;
  close(): void;
  next(): Promise<unknown>;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Opens a session: options are checked, settings read, servers started. Its prompt comes later.
 * @throws ConfigError or SessionError if it cannot be opened, EngineError if it takes too long
 */
export async function startup(params: StartupParams = {}): Promise<WarmQuery> {
  checkObject(params, 'What startup() is given');
  const { options = {} } = params;
  return warm((prompt) => query({ prompt, options }), options.host ?? createNodeHost(), params.initializeTimeoutMs);
}

/**
 * Checks options that all sessions share and loads what sessions need, so that one starts at once when its folder is known.
 * Contract: no session is kept and no prompt sent before `claim`.
 * @throws ConfigError if the options cannot be used, EngineError if it takes too long
 */
export async function prewarm(params: StartupParams = {}): Promise<SpareProcess> {
  checkObject(params, 'What prewarm() is given');
  const { options = {}, initializeTimeoutMs } = params;
  const host = options.host ?? createNodeHost();
  return spare(options, (prompt, claimed) => query({ prompt, options: claimed }), host, initializeTimeoutMs);
}

/** For every dialect. @param start makes a session that has not begun */
export async function warm<Own extends Session>(
  start: (prompt: AsyncIterable<SDKUserMessage>) => Own,
  host: Pick<Host, 'clock'>,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<WarmQuery<Own>> {
  let give: (prompt: Prompt) => void = () => undefined;
  const given = new Promise<Prompt>((resolve) => {
    give = resolve;
  });
  const session = start(promptOf(given));
  await ready(session, host, timeoutMs);
  let isUsed = false;
  let isClosed = false;
  const close = () => {
    isClosed = true;
    end(session);
  };
  return {
    query(prompt) {
      if (isUsed) throw new ConfigError('WarmQuery.query() can only be called once. Call startup() for the next one.');
      if (isClosed) throw new ConfigError('This WarmQuery was closed. Call startup() for another one.');
      isUsed = true;
      give(prompt);
      return session;
    },
    close,
    async [Symbol.asyncDispose]() {
      if (!isUsed) close();
    },
  };
}

/** For every dialect. @param start makes a session of options that are complete */
export async function spare<Own extends Session>(
  options: Options,
  start: (prompt: Prompt, options: Options) => Own,
  host: Pick<Host, 'clock' | 'fs' | 'ids' | 'platform'>,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<SpareProcess<Own>> {
  // Its servers belong to the session that is not there yet.
  const { mcpServers: _servers, enableFileCheckpointing: _files, sessionStore: _store, ...rest } = options;
  const rehearsal = query({ prompt: '', options: { ...rest, persistSession: false } });
  await ready(rehearsal, host, timeoutMs);
  end(rehearsal);
  const parkedAt = host.clock.monotonic();
  let session: Own | null = null;
  let isClosed = false;
  let settle: (claim: ReturnType<typeof open>) => void = () => undefined;
  let exit: () => void = () => undefined;
  const claimed = new Promise<Awaited<ReturnType<typeof open>>>((resolve) => {
    settle = resolve;
  });
  // Whoever does not look at it is not troubled by it.
  claimed.catch(() => undefined);
  const exited = new Promise<void>((resolve) => {
    exit = resolve;
  });
  const open = async (own: Own, cwd: string, sessionId: string) => {
    const parkedMs = Math.round(host.clock.monotonic() - parkedAt);
    await own.supportedCommands();
    return { cwd: await host.fs.realpath(cwd), sessionId, parkedMs, sdkMcpSettled: true };
  };
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    if (session === null) settle(Promise.reject(new EngineError('not_supported', 'spare_closed: nobody claimed it.')));
    else end(session);
    exit();
  };
  return {
    claim({ prompt, options: claim }) {
      if (session !== null) throw new ConfigError('A spare can only be claimed once. Call prewarm() for the next one.');
      if (isClosed) throw new ConfigError('This spare was closed. Call prewarm() for another one.');
      const sessionId = host.ids.uuid();
      session = start(prompt, { ...options, ...claimOptions(options, claim), sessionId });
      settle(open(session, claim.cwd, sessionId));
      return session;
    },
    claimed,
    exited,
    close,
    [Symbol.asyncDispose]: async () => close(),
  };
}

/** @throws ConfigError if two things say the same */
function claimOptions(options: Options, claim: ClaimOptions): Options {
  const { cwd, env, model, permissionMode, maxThinkingTokens, settings, appendSystemPrompt, title, agents } = claim;
  const { additionalDirectories = [] } = claim;
  if (typeof cwd !== 'string' || cwd === '')
    throw new ConfigError('claim() needs the option cwd: the folder of the session.');
  if (settings !== undefined && typeof options.settings === 'string')
    throw new ConfigError(
      'The options name a file of settings, so claim() takes no further ones. Give both as objects.',
    );
  return {
    cwd,
    ...(env === undefined ? {} : { env: { ...options.env, ...env } }),
    ...(additionalDirectories.length === 0
      ? {}
      : { additionalDirectories: [...(options.additionalDirectories ?? []), ...additionalDirectories] }),
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(maxThinkingTokens === undefined || maxThinkingTokens === null
      ? {}
      : { thinking: thinkingOf(maxThinkingTokens) }),
    ...(settings === undefined ? {} : { settings: overlay(options.settings, settings) }),
    ...(appendSystemPrompt === undefined ? {} : { systemPrompt: appended(options.systemPrompt, appendSystemPrompt) }),
    ...(title === undefined ? {} : { title }),
    ...(agents === undefined ? {} : { agents: { ...options.agents, ...agents } }),
  };
}

/** Null takes a key back. */
function overlay(below: Options['settings'], above: NonNullable<ClaimOptions['settings']>): Settings {
  const all = { ...(typeof below === 'object' ? below : {}), ...above };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Settings;
}

function thinkingOf(budgetTokens: number): NonNullable<Options['thinking']> {
  return budgetTokens === 0 ? { type: 'disabled' } : { type: 'enabled', budgetTokens };
}

function appended(prompt: Options['systemPrompt'], append: string): NonNullable<Options['systemPrompt']> {
  if (prompt === undefined) return { type: 'preset', preset: 'turnwright', append };
  if (typeof prompt === 'string') return [prompt, append];
  if (!('type' in prompt)) return [...prompt, append];
  if (prompt.type === 'preset')
    return { ...prompt, append: prompt.append === undefined ? append : `${prompt.append}\n\n${append}` };
  return {
    ...prompt,
    prompt: typeof prompt.prompt === 'string' ? [prompt.prompt, append] : [...prompt.prompt, append],
  };
}

/** @throws whatever opening throws; EngineError if it takes too long */
async function ready(session: Session, { clock }: Pick<Host, 'clock'>, timeoutMs: number): Promise<void> {
  let cancel: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(timeoutMs, () =>
      reject(
        new EngineError(
          'not_supported',
          `The session was not ready within ${timeoutMs} ms. Give it more time with initializeTimeoutMs.`,
        ),
      ),
    );
  });
  try {
    await Promise.race([session.supportedCommands(), late]);
  } catch (error) {
    end(session);
    throw error;
  } finally {
    cancel();
  }
}

/** A session that nobody reads is closed by the step that would begin it. */
function end(session: Session): void {
  session.close();
  session.next().catch(() => undefined);
}

async function* promptOf(given: Promise<Prompt>): AsyncGenerator<SDKUserMessage> {
  const prompt = await given;
  if (typeof prompt !== 'string') return yield* prompt;
  yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null };
}
