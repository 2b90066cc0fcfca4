// The command line as a server of the stream-json protocol: a client writes prompts and requests to stdin, and reads
// messages and answers from stdout. It is a client of `query()` itself: each control is a method of the query, and every
// request is answered, one that is not known too. The end of stdin means that nothing more is said, not that the work stops.
import { randomUUID } from 'node:crypto';
import { EMPTY_USAGE } from '../../protocol/content.js';
import { ConfigError, isEngineError } from '../../protocol/errors.js';
import { isResultMessage, type SDKMessage, type SDKUserMessage } from '../../protocol/messages.js';
import type { DebugLog } from '../../sdk/logs/index.js';
import type { Options } from '../../sdk/options/index.js';
import { checkUserMessage } from '../../sdk/prompts/index.js';
import { query } from '../../sdk/query.js';
import type { Query } from '../../sdk/query-controls.js';
import {
  type ControlName,
  createFrameReader,
  type Fields,
  type Frame,
  record,
  text,
  WIRE_CONTROLS,
  type WireControl,
} from '../../sdk/wire/index.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import { escapeHidden } from '../../view/escape-text.js';
import type { CliArgs, WireFlags } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_AUTHENTICATION, EXIT_BROKEN_PIPE, EXIT_FAILURE, EXIT_SUCCESS, errorLine } from '../exit-codes.js';
import { createPromptStream, createStop } from '../lines/index.js';
import {
  askClient,
  type ClientServers,
  createClient,
  createClientServers,
  elicitFromClient,
  failure,
  mirrorTo,
  success,
} from './client.js';
import { clientAuth, createWireSession, hasClientServers, readInitialize } from './initialize.js';
import { CHANGES_MODELS, createWireNews } from './news.js';

/** How often a sign of life is sent while nothing else is, milliseconds. */
const KEEP_ALIVE_MS = 30_000;

/** Longest that answers are waited for once the session is over, milliseconds. */
const LAST_ANSWERS_MS = 2_000;

/** So many lines that are no frames are told one by one. */
const MAX_JUNK_NOTES = 20;

const QUESTION_TOOL = 'AskUserQuestion';

/** @returns the exit code: 1 if the last result is an error, else 0, or what a signal asked for */
export async function serveWire(args: CliArgs, wire: WireFlags, io: CliIo, log: DebugLog): Promise<number> {
  // What a line of the client holds is not for a terminal.
  const note = (line: string): void => void io.err.write(`turnwright: ${escapeHidden(line.replace(/\s+/g, ' '))}\n`);
  for (const flag of wire.unknownFlags) note(`the flag ${flag} is not known here and was passed over`);
  if (args.prompt !== undefined)
    note(`prompts come as lines of stdin with --input-format stream-json, so this one was passed over: ${args.prompt}`);
  const client = createClient(io.out);
  let auth: Options['auth'];
  try {
    auth = await clientAuth(io.env, client);
  } catch (error) {
    await io.err.write(`${errorLine(error)}\n`);
    return EXIT_AUTHENTICATION;
  }
  const servers = createClientServers(client, note);
  const stop = createStop(io, { say: note });
  const input = createPromptStream();
  const base: Partial<Options> = {
    ...fromEnvironment(io.env),
    ...args.options,
    abortController: io.lifetime,
    ...(auth === undefined ? {} : { auth }),
    ...(wire.asksClient ? { canUseTool: askClient(client) } : {}),
    ...(wire.mirrors ? { sessionStore: mirrorTo(client, io.env) } : {}),
  };
  let knowsModels = false;
  let { sessionId } = args.options;
  const news = createWireNews(client, {
    lifecycle: io.env['QODER_AGENT_SDK_ENTRYPOINT'] !== undefined,
    models: () => knowsModels,
  });
  stop.leaving.addEventListener('abort', () => news.ending('host_exit'), { once: true });
  const session = createWireSession({
    readsAlways: hasClientServers(args.options.mcpServers),
    read(fields) {
      const read = readInitialize(fields, args.options, client, servers);
      knowsModels = fields['supportsAvailableModelsUpdate'] === true;
      return read;
    },
    open(initialization) {
      const options = { ...base, ...initialization?.options } as Options;
      const asksQuestions = initialization?.answersQuestions ?? (wire.asksClient || namesQuestions(args.options));
      const onElicitation = asksQuestions ? { onElicitation: elicitFromClient(client) } : {};
      const opened = query({ prompt: input, options: { ...options, ...onElicitation } });
      stop.attach(opened);
      return opened;
    },
  });

  /** Contract: never rejects. */
  const answer = async (id: RequestId, subtype: string, fields: Fields): Promise<object> => {
    try {
      if (subtype === 'end_session') {
        input.end();
        return success(id);
      }
      // No more prompts; answers still come.
      if (subtype === 'end_input') {
        await prompts;
        input.end();
        return success(id);
      }
      if (subtype === 'initialize') return success(id, await session.initialize(fields));
      const started = await session.started();
      if (takesLong(subtype)) news.began(String(id));
      const envelope = await serveControl(started, servers, id, subtype, fields);
      const { response } = envelope as { response: { subtype: string; response?: Fields } };
      const { cancelled } = response.response ?? {};
      if (Array.isArray(cancelled)) news.cancelled(cancelled.map(String));
      else if (cancelled === true) news.cancelled([String(fields['message_uuid'])]);
      // Told behind the answer, which must not wait for a list.
      if (CHANGES_MODELS.has(subtype) && response.subtype === 'success')
        setImmediate(() => void news.modelsChanged(started).catch((error: unknown) => log.error(error)));
      return envelope;
    } catch (error) {
      log.error(error);
      return refused(id, error);
    }
  };

  const serving = new Map<RequestId, { isWithdrawn: boolean }>();
  const answers = new Set<Promise<void>>();
  /** What a prompt has to wait for: requests that were made before it. */
  const before = new Set<Promise<void>>();
  const serve = (frame: Frame): void => {
    const id = frame['request_id'];
    if (!isRequestId(id)) {
      note('a control request without a request_id was passed over: no answer could be told from others');
      return;
    }
    const fields = isRecord(frame['request']) ? frame['request'] : {};
    const subtype = String(fields['subtype'] ?? fields['type'] ?? '');
    const request = { isWithdrawn: false };
    serving.set(id, request);
    const answering = answer(id, subtype, fields).then(async (envelope) => {
      if (serving.get(id) === request) serving.delete(id);
      if (!request.isWithdrawn) await client.send(envelope);
    });
    answers.add(answering);
    void answering.then(() => answers.delete(answering));
    if (takesLong(subtype)) return;
    before.add(answering);
    void answering.then(() => before.delete(answering));
  };

  let prompts = Promise.resolve();
  let result: { readonly subtype: string } | undefined;
  /** A prompt was sent whose result has not come. */
  let isAnswering = false;
  /** Who sends a message waits for a result. Those of messages that nobody could read come behind the one that is awaited. */
  const unread: string[] = [];
  const tellUnread = (): void => {
    for (const why of unread.splice(0)) {
      const failed = failedResult(new ConfigError(`This message cannot be a prompt: ${why}`), sessionId);
      result = failed;
      void client.send(failed);
    }
  };
  const prompt = (frame: Frame): void => {
    const message = toUserMessage(frame);
    if (typeof message === 'string') {
      note(`a user message was passed over: ${message}`);
      unread.push(message);
      if (!isAnswering) tellUnread();
      return;
    }
    isAnswering = true;
    const earlier = [...before];
    prompts = prompts.then(async () => {
      await Promise.all(earlier);
      if (!wire.awaitsInitialize) session.started().catch(() => undefined); // told as the answer to what it waits for
      news.queued(message.uuid);
      input.push(message);
    });
  };

  const take = (frame: Frame): void => {
    const { type } = frame;
    if (type === 'user') prompt(frame);
    else if (type === 'control_request') serve(frame);
    else if (type === 'control_response') client.settle(frame['response']);
    else if (type === 'control_cancel_request' || type === 'control_cancel') {
      const request = serving.get(frame['request_id'] as RequestId);
      if (request !== undefined) request.isWithdrawn = true;
    } else if (type !== 'keep_alive') note(`a line of the type ${JSON.stringify(type)} was passed over`);
  };

  let junk = 0;
  const onJunk = (why: string): void => {
    junk += 1;
    if (junk <= MAX_JUNK_NOTES) note(why);
  };
  const reading = (async () => {
    const frames = createFrameReader({ onFrame: take, onJunk });
    for await (const chunk of io.stdin) frames.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    frames.end();
  })()
    .catch((error: unknown) => log.error(error)) // a broken pipe is an end like any other
    .then(async () => {
      if (junk > MAX_JUNK_NOTES) note(`${junk - MAX_JUNK_NOTES} more lines were not JSON objects and were passed over`);
      client.endInput();
      await Promise.all([prompts, ...before]);
      input.end();
      session.endInput();
    });

  const alive = setInterval(() => void client.send({ type: 'keep_alive' }), KEEP_ALIVE_MS);
  alive.unref();
  io.out.onClosed(() => {
    input.end();
    io.lifetime.abort();
  });
  try {
    const begun = await session.begun;
    if (begun === null) return codeOf(result);
    for await (const message of begun) {
      log.message(message);
      sessionId = message.session_id ?? sessionId;
      if (isResultMessage(message)) result = message;
      if (isResultMessage(message)) stop.setRunning(false);
      else if (isInit(message)) stop.setRunning(true);
      await client.send(message);
      news.saw(message);
      if (isInit(message) && session.takeWish()) await client.send(await commandsChanged(begun, message));
      if (isResultMessage(message)) {
        isAnswering = false;
        tellUnread();
      }
    }
  } catch (error) {
    log.error(error);
    if (stop.code === undefined && !io.lifetime.signal.aborted) {
      // After a result the story is told: what is thrown is its echo.
      if (result === undefined)
        await client.send({ ...failedResult(error, sessionId), startup_failure_reason: 'unknown' });
      await io.err.write(`${errorLine(error)}\n`);
      return EXIT_FAILURE;
    }
  } finally {
    clearInterval(alive);
    tellUnread();
    stop.setRunning(false);
    input.end();
    news.ended();
    io.stdin.destroy?.();
    await reading.catch(() => undefined);
    // What was asked is answered, unless it takes longer than a client waits for an end.
    await Promise.race([Promise.all(answers), new Promise((resolve) => setTimeout(resolve, LAST_ANSWERS_MS).unref())]);
    await io.out.flush();
    // A second signal does not cut off what is still being said.
    stop.dispose();
  }
  if (stop.code !== undefined) return stop.code;
  if (io.out.closed) return EXIT_BROKEN_PIPE;
  return codeOf(result);
}

function codeOf(last: { readonly subtype: string } | undefined): number {
  return last === undefined || last.subtype === 'success' ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** As it came: published clients send texts. */
type RequestId = string | number;

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

/** What a published client says by variables of the environment that it gives its command line. */
function fromEnvironment(env: Readonly<NodeJS.ProcessEnv>): Partial<Options> {
  return {
    ...(env['CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING'] === 'true' ? { enableFileCheckpointing: true } : {}),
    ...(env['CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS'] === '1' ? { includeSessionState: true } : {}),
  };
}

/** Whom nobody asks about calls nobody asks questions either, unless the tool for it is named. */
function namesQuestions({ tools }: CliArgs['options']): boolean {
  return Array.isArray(tools) && tools.includes(QUESTION_TOOL);
}

/** One published client takes the commands from such a message alone. */
async function commandsChanged(session: Query, { session_id }: SDKMessage): Promise<object> {
  const commands = await session.supportedCommands();
  return { type: 'system', subtype: 'commands_changed', commands, uuid: randomUUID(), session_id };
}

function isInit(message: SDKMessage): boolean {
  return message.type === 'system' && message.subtype === 'init';
}

interface FailedResult {
  readonly subtype: 'error_during_execution';
  readonly [field: string]: unknown;
}

/** What a client hears of a session that could not start, or of a message that is none: a result, as of one that is. */
function failedResult(error: unknown, sessionId: string | undefined): FailedResult {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: EMPTY_USAGE,
    modelUsage: {},
    permission_denials: [],
    errors: [errorText(error)],
    uuid: randomUUID(),
    session_id: sessionId ?? randomUUID(),
  };
}

/** A line of a client as a message; a text that says why it is none. */
function toUserMessage(frame: Frame): SDKUserMessage | string {
  const { message } = frame;
  if (!isRecord(message)) return 'it has no "message"';
  const { content } = message;
  if (typeof content !== 'string' && !Array.isArray(content))
    return 'its "message.content" is neither a text nor a list';
  const { session_id: _, ...rest } = frame;
  const read = {
    ...rest,
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
  } as SDKUserMessage;
  try {
    return checkUserMessage(read);
  } catch (error) {
    return errorText(error);
  }
}

const BY_SUBTYPE: ReadonlyMap<string, WireControl> = new Map(
  (Object.keys(WIRE_CONTROLS) as ControlName[]).flatMap((name) => {
    const control = WIRE_CONTROLS[name] as WireControl;
    return [control.subtype, ...(control.also ?? [])].map((subtype) => [subtype, control] as const);
  }),
);

/** Requests that are no method of the query. */
const OTHERS: ReadonlyMap<
  string,
  (query: Query, fields: Fields, servers: ClientServers) => Promise<object | undefined>
> = new Map(
  Object.entries({
    get_binary_version: async () => ({ version: VERSION }),
    get_session_cost: async (query: Query) => {
      const { session } = await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
      const text = `Total cost: $${session.total_cost_usd.toFixed(4)}`;
      return { text, total_cost_usd: session.total_cost_usd };
    },
    mcp_message: async (_query: Query, fields: Fields, servers: ClientServers) => {
      servers.receive(text(fields, 'server_name'), record(fields, 'message'));
      return {};
    },
    set_has_subscribers: async () => ({}),
  }),
);

/** Requests of published clients that mean nothing here, and why. */
const MEANINGLESS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    set_color: 'a session has no color of its own here',
    channel_enable: 'there are no channels here: messages of others come over this connection',
    enable_remote_projection: 'there is no server here that a session could be shown on',
    disable_remote_projection: 'there is no server here that a session could be shown on',
  }),
);

/** True for requests that wait for a model or a person: what comes behind them need not wait for them. */
export function takesLong(subtype: string): boolean {
  return LONG.has(subtype);
}

const LONG: ReadonlySet<string> = new Set([
  'side_question',
  'generate_session_title',
  'check_byok_config',
  'validate_byok_model',
  'mcp_authenticate',
  'mcp_call',
  'mcp_reconnect',
]);

/** @returns the envelope of the answer */
export async function serveControl(
  query: Query,
  servers: ClientServers,
  requestId: string | number,
  subtype: string,
  fields: Fields,
): Promise<object> {
  try {
    const other = OTHERS.get(subtype);
    if (other !== undefined) return success(requestId, await other(query, fields, servers));
    const why = MEANINGLESS.get(subtype);
    if (why !== undefined) return failure(requestId, `${subtype} is not supported: ${why}.`, 'not_supported');
    const control = BY_SUBTYPE.get(subtype);
    if (control === undefined)
      return failure(requestId, `Unsupported control request subtype: ${subtype}`, 'unknown_subtype');
    const given =
      subtype === WIRE_CONTROLS.setMcpServers.subtype && isRecord(fields['servers'])
        ? { ...fields, servers: servers.withInstances(fields['servers']) }
        : fields;
    const result = await control.call(query, given);
    if (subtype === 'read_file' && result === null)
      return failure(requestId, 'This file may not be read, or cannot be.', 'not_found');
    return success(requestId, control.answer?.(result as never));
  } catch (error) {
    return refused(requestId, error);
  }
}

/** The answer to a request that failed. */
export function refused(requestId: string | number, error: unknown): object {
  return failure(requestId, errorText(error), isEngineError(error) ? error.code : 'internal_error');
}
