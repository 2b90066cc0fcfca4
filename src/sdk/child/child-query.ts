// A query whose session runs in a child process, over the stream-json protocol. One rule: for who reads it, it is the
// query that it would be in this process.

import { createNodeHost } from '../../host/node-host.js';
import type { SDKControlInitializeResponse } from '../../protocol/control.js';
import { AbortError, ChildProcessError, ConfigError, ModelPolicyTimeoutError } from '../../protocol/errors.js';
import { isResultMessage, type SDKMessage, type SDKUserMessage } from '../../protocol/messages.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session-store.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { isRecord } from '../../util/json.js';
import { loadOnce } from '../../util/load-once.js';
import { errorText, shorten, tailAtWord } from '../../util/text.js';
import type { Options } from '../options/index.js';
import { checkUserMessage, promptOf } from '../prompts/index.js';
import type { Query } from '../query-controls.js';
import { type ControlName, type Fields, WIRE_CONTROLS, type WireControl } from '../wire/index.js';
import { planLaunch, serversOf } from './launch.js';
import type { ProgramEnd } from './program.js';
import { openWireProgram, type WireProgram } from './wire-program.js';

interface ChildParams {
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options?: Options;
}

/** What is open once the program answered. */
interface Opened {
  readonly program: WireProgram;
  readonly mirror: Mirror | null;
  /** The answer to the last `initialize`. */
  facts: Fields;
  readonly initialize: Fields;
  readonly idle: readonly string[];
  readonly parseOutput: Awaited<ReturnType<typeof planLaunch>>['parseOutput'];
}

/** Contract: as `query()`; nothing is started before the first `next()` or the first control. */
export function createChildQuery({ prompt, options = {} }: ChildParams): Query {
  const abort = options.abortController ?? new AbortController();
  const host = createNodeHost();
  /** Messages of this process that wait to be read. */
  const told: SDKMessage[] = [];
  let sessionId = '';
  let isPolicyLate = false;
  let isJunkTold = false;
  let closedByCaller = false;
  /** Inputs that may still bring prompts. The prompt of the query is one. */
  let openInputs = 0;
  /** What an input failed with; the running prompt ends first. */
  let inputFailure: { readonly error: unknown } | null = null;
  /** A prompt was sent, and no result came since. */
  let owesResult = false;
  let opened: Opened | null = null;
  let isGone = false;

  const tell = (message: object): void =>
    void told.push({ ...message, uuid: host.ids.uuid(), session_id: sessionId } as SDKMessage);
  const tellJunk = (why: string): void => {
    if (isJunkTold) return;
    isJunkTold = true;
    tell({
      type: 'system',
      subtype: 'notice',
      code: 'child_process_output',
      level: 'warning',
      message: `The child process writes on its stdout what is not a message: ${why}. More of it is left out without a word.`,
      remedy: 'Let the program write its log to stderr.',
    });
  };

  const open = loadOnce(async (): Promise<Opened> => {
    if (isGone) throw new ConfigError('This query is over. Begin another one, with `resume` if it should go on.');
    if (abort.signal.aborted) throw new AbortError('The session was aborted.');
    const launch = await planLaunch(options, host);
    const mirror =
      launch.store === null
        ? null
        : createMirror(launch.store, (error, key) => tell({ type: 'system', subtype: 'mirror_error', error, key }));
    const { canUseTool, onElicitation, onUserDialog, resolveModel } = options;
    const { hooks, servers, resolveModelTimeoutMs } = launch;
    const program = await openWireProgram(launch, {
      host,
      onStderr: options.stderr,
      onJunk: tellJunk,
      onMirror: (frame) => mirror?.take(frame),
      served: {
        ...{ canUseTool, onElicitation, onUserDialog, resolveModel, resolveModelTimeoutMs, hooks, servers, host },
        fetchToken: launch.auth?.fetchToken,
        onLatePolicy: () => {
          isPolicyLate = true;
        },
      },
    });
    void program.ended.then(() => launch.auth?.remove());
    void program.ended.then((end) => program.requests.end(endedEarly(end, program.stderr, 'it answered')));
    try {
      const facts = await raceAbort(program.requests.send('initialize', launch.initialize), abort.signal);
      if (facts === ABORTED) throw new AbortError('The session was aborted.');
      checkFacts(facts, launch.sendsOptions);
      const session: Opened = {
        program,
        mirror,
        facts,
        initialize: launch.initialize,
        idle: launch.idle,
        parseOutput: launch.parseOutput,
      };
      opened = session;
      // Also if only controls have opened it, and nobody reads the messages.
      const onAbort = () => void leave(program);
      abort.signal.addEventListener('abort', onAbort, { once: true });
      void program.ended.then(() => abort.signal.removeEventListener('abort', onAbort));
      return session;
    } catch (error) {
      await program.stop();
      throw error;
    }
  });

  /** The prompts of one input, as they come. */
  const feed = async (input: AsyncIterable<SDKUserMessage>): Promise<void> => {
    openInputs += 1;
    try {
      if (typeof input?.[Symbol.asyncIterator] !== 'function')
        throw new ConfigError('The prompt of query() must be a text, or an async iterable of user messages.');
      const { program } = await open();
      const prompts = input[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await raceAbort(Promise.race([prompts.next(), program.ended.then(() => ENDED)]), abort.signal);
          if (next === ABORTED || next.done === true) break;
          const message = checkUserMessage(next.value);
          if ((message as { readonly shouldQuery?: boolean }).shouldQuery !== false) owesResult = true;
          if (!(await program.send({ ...message, session_id: '' }))) break;
        }
      } finally {
        void Promise.resolve(prompts.return?.()).catch(() => undefined); // it is not read any more
      }
    } catch (error) {
      inputFailure ??= { error };
      throw error;
    } finally {
      openInputs -= 1;
      if (openInputs === 0) await endInput();
    }
  };

  /** No more prompts come. Requests of the program are answered as long as it runs. */
  const endInput = async (): Promise<void> => {
    const program = opened?.program;
    if (program === undefined) return;
    if (opened?.facts['end_input_supported'] === true) {
      await program.requests.send('end_input', {}).catch(() => program.endInput());
    } else if (!owesResult || inputFailure !== null) program.endInput();
  };

  async function* run(): AsyncGenerator<SDKMessage, void> {
    let lastResult: SDKMessage | null = null;
    try {
      const { program, mirror, parseOutput, idle } = await open();
      let isIdleTold = idle.length === 0;
      openInputs += 1;
      // The consumer gets a failure of the input once the running prompt has ended.
      const isWork = prompt !== '' || options.decisions === undefined;
      if (!isWork) owesResult = true;
      void (isWork ? feed(typeof prompt === 'string' ? promptOf(prompt) : prompt) : Promise.resolve())
        .catch(() => undefined)
        .finally(() => {
          openInputs -= 1;
          if (openInputs === 0) return endInput();
        });
      for (;;) {
        const frame = await program.next();
        yield* told.splice(0);
        if (frame === null) break;
        const message = frame as unknown as SDKMessage;
        sessionId = message.session_id ?? sessionId;
        if (!isIdleTold && sessionId !== '') {
          // Told behind the message that says which session it is.
          isIdleTold = true;
          tell(withoutEffect(idle));
        }
        if (!isResultMessage(message)) {
          yield message;
          continue;
        }
        owesResult = false;
        lastResult = await parsed(message, parseOutput);
        if (openInputs === 0) await endInput();
        yield lastResult;
      }
      const end = await program.ended;
      await mirror?.flushed();
      yield* told.splice(0);
      if (abort.signal.aborted) {
        // `close()` ends the iteration; an abort of the caller's own controller is told by a throw.
        if (!closedByCaller) throw new AbortError('The session was aborted.');
        return;
      }
      if (isPolicyLate) throw new ModelPolicyTimeoutError();
      if (inputFailure !== null) throw inputFailure.error;
      if (owesResult) throw endedEarly(end, program.stderr, 'the prompt had its result');
      if (end.exitCode !== 0 && !isError(lastResult))
        throw endedEarly(end, program.stderr, 'the session was over, although its last result is a success');
    } finally {
      isGone = true;
      const program = opened?.program;
      if (program !== undefined) {
        if (owesResult) void program.send(interrupt(host.ids.uuid()));
        await program.stop();
        await opened?.mirror?.flushed();
      }
    }
  }

  /** The running prompt ends with its result, and the program with it. */
  const leave = async (program: WireProgram): Promise<void> => {
    if (owesResult) await program.send(interrupt(host.ids.uuid()));
    await program.stop();
  };

  async function* quietly(): AsyncGenerator<SDKMessage, void> {
    try {
      yield* run();
    } catch (error) {
      if (closedByCaller && error instanceof AbortError) return;
      throw error;
    }
  }

  const messages = quietly();
  const controls = createChildControls({
    request: async (subtype, fields) => (await open()).program.requests.send(subtype, fields),
    addServers: async (servers) => (await open()).program.addServers(servers),
    initialized: async () => (await open()).facts,
    async initializeAgain() {
      const session = await open();
      session.facts = await session.program.requests.send('initialize', session.initialize);
      return session.facts;
    },
  });
  const close = (): void => {
    closedByCaller = true;
    abort.abort();
  };
  return Object.assign(messages, controls, {
    streamInput: feed,
    close,
    async [Symbol.asyncDispose]() {
      close();
      await messages.return(undefined);
      await opened?.program.stop();
    },
  });
}

const ENDED = { done: true, value: undefined } as const;

function withoutEffect(names: readonly string[]): object {
  return {
    type: 'system',
    subtype: 'notice',
    code: 'option_without_effect',
    level: 'warning',
    message: `With a child process these options have no effect: ${names.join(', ')}.`,
  };
}

function interrupt(request_id: string): object {
  return { type: 'control_request', request_id, request: { type: 'interrupt', subtype: 'interrupt' } };
}

/** @throws ConfigError */
function checkFacts(facts: Fields, sendsOptions: boolean): void {
  if (!sendsOptions || facts['options_applied'] === true) return;
  throw new ConfigError(
    'The program in the child process is another one, or an older version: it does not take the options of this package. Name a program of another SDK in pathToClaudeCodeExecutable or pathToQoderCLIExecutable.',
    { code: 'not_supported' },
  );
}

function isError(result: SDKMessage | null): boolean {
  return result !== null && isResultMessage(result) && (result.subtype !== 'success' || result.is_error === true);
}

/** A schema of Zod has the last word, and gives the value its type. */
async function parsed(message: SDKMessage, parse: Opened['parseOutput']): Promise<SDKMessage> {
  if (parse === undefined || !('structured_output' in message) || message.structured_output === undefined)
    return message;
  const read = await parse(message.structured_output);
  if (read.ok) return { ...message, structured_output: read.value } as SDKMessage;
  const { structured_output: _, result: __, ...rest } = message as unknown as Record<string, unknown>;
  const errors = [`The value does not fit the schema: ${read.problems.join('; ')}`];
  return { ...rest, subtype: 'error_max_structured_output_retries', is_error: true, errors } as unknown as SDKMessage;
}

// What went wrong with the program behind a session, in words that say what to do.

/** What is told of its stderr, from the end. */
const TOLD_CHARACTERS = 600;
/** What our own command line exits with if nothing ran because of what it was given. */
const EXIT_USAGE = 2;

/** @param what it had not done yet, in words that follow "before" */
function endedEarly(end: ProgramEnd, stderr: string, what: string): Error {
  const said = tailAtWord(stderr.trim(), TOLD_CHARACTERS);
  const quoted = said === '' ? 'It said nothing on its stderr.' : `It said last: ${shorten(said, TOLD_CHARACTERS)}`;
  const message = `The child process ended ${how(end)} before ${what}. ${quoted}`;
  if (end.exitCode === EXIT_USAGE) return new ConfigError(message, { cause: end.error });
  return new ChildProcessError(message, { exitCode: end.exitCode, signal: end.signal, stderr, cause: end.error });
}

function how({ exitCode, signal, error }: ProgramEnd): string {
  if (signal !== null) return `by the signal ${signal}`;
  if (exitCode !== null) return `with code ${exitCode}`;
  return error instanceof Error ? `with the error "${error.message}"` : 'without a code';
}

// The session store of the host, filled from the frames in which a program tells what it writes to its transcript. One
// rule: entries reach the store in their order, and what it does not take is told by a message.

/** Times that one frame is tried. */
const ATTEMPTS = 3;

interface Mirror {
  take(frame: Fields): void;
  /** All that was taken is in the store, or was told. Never rejects. */
  flushed(): Promise<void>;
}

function createMirror(store: SessionStore, onError: (error: string, key: SessionKey) => void): Mirror {
  let last: Promise<void> = Promise.resolve();
  return {
    take({ filePath, entries }) {
      const key = typeof filePath === 'string' ? keyOf(filePath) : null;
      if (key === null || !Array.isArray(entries)) return;
      const objects = entries.filter(isRecord) as unknown as SessionStoreEntry[];
      last = last.then(() => append(store, key, objects)).catch((error: unknown) => onError(errorText(error), key));
    },
    flushed: () => last,
  };
}

async function append(store: SessionStore, key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.append(key, entries);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Of `…/projects/<project>/<session>.jsonl`, or of a transcript beside it, `…/<session>/<subpath>.jsonl`. */
function keyOf(filePath: string): SessionKey | null {
  const parts = filePath.split(/[\\/]/);
  const at = parts.lastIndexOf('projects');
  const [projectKey, ...rest] = at === -1 ? [] : parts.slice(at + 1);
  const path = rest.join('/').replace(/\.jsonl$/, '');
  const [sessionId, ...below] = path.split('/');
  if (!projectKey || !sessionId) return null;
  return { projectKey, sessionId, ...(below.length === 0 ? {} : { subpath: below.join('/') }) };
}

// The controls of a query whose session runs in a child process: each method is a request, as the table of the wire says.

/** All methods but the stream itself. */
type ChildControls = Omit<Query, keyof AsyncGenerator | typeof Symbol.asyncDispose | 'close' | 'streamInput'>;

/** The session of the other end. */
interface Controlled {
  /** Starts it if it does not run yet. @throws as `Query` does */
  request(subtype: string, fields: Fields): Promise<Fields>;
  /** MCP servers of this process that it may reach from now on. */
  addServers(servers: ReturnType<typeof serversOf>['servers']): Promise<void>;
  /** What it answered to `initialize`, the last time. */
  initialized(): Promise<Fields>;
  initializeAgain(): Promise<Fields>;
}

function createChildControls({ request, addServers, initialized, initializeAgain }: Controlled): ChildControls {
  const calls = Object.fromEntries(
    (Object.keys(WIRE_CONTROLS) as ControlName[]).map((name) => {
      const control = WIRE_CONTROLS[name] as unknown as WireControl;
      const call = async (...given: never[]) => {
        const answer = await request(
          control.subtype,
          control.request(...(given as Parameters<typeof control.request>)),
        );
        return control.result?.(answer);
      };
      return [name, call];
    }),
  ) as unknown as Pick<Query, ControlName>;
  const facts = async () => factsOf(await initialized());
  return {
    ...calls,
    async setMcpServers(given) {
      const { servers, programs } = serversOf({ mcpServers: given });
      await addServers(servers);
      const own = Object.fromEntries([...servers.keys()].map((name) => [name, { type: 'sdk', name }]));
      return calls.setMcpServers({ ...programs, ...own } as unknown as typeof given);
    },
    // A file that may not be read is an error on the wire, and nothing here.
    readFile: (...given) => calls.readFile(...given).catch(noFile),
    initializationResult: facts,
    reinitialize: async () => factsOf(await initializeAgain()),
    supportedCommands: async () => (await facts()).commands,
    supportedModels: async () => (await facts()).models,
    supportedAgents: async () => (await facts()).agents,
  };
}

/** Without what the two ends say to each other only. */
function factsOf(answer: Fields): SDKControlInitializeResponse {
  const {
    hooks_applied: _hooks,
    hook_on_failure_supported: _failure,
    mcp_servers_applied: _servers,
    plugins_applied: _plugins,
    options_applied: _options,
    end_input_supported: _end,
    ...facts
  } = answer;
  return { commands: [], agents: [], models: [], ...facts } as unknown as SDKControlInitializeResponse;
}

function noFile(error: unknown): null {
  if ((error as { readonly code?: unknown } | null)?.code === 'host_failed') return null;
  throw error;
}
