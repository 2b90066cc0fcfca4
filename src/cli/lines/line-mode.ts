// Several prompts in one session, typed line by line. Slash commands but /exit are the engine's.
import { randomUUID } from 'node:crypto';
import { isResultMessage, type SDKResultMessage, type SDKUserMessage } from '../../protocol/messages.js';
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import type { DebugLog } from '../../sdk/logs/index.js';
import { query } from '../../sdk/query.js';
import type { Query } from '../../sdk/query-controls.js';
import { getSessionInfo, getSessionMessages } from '../../sdk/sessions.js';
import { VERSION } from '../../util/version.js';
import { oneLine } from '../../view/escape-text.js';
import { asCommand } from '../../view/typed-line.js';
import type { CliArgs } from '../args/index.js';
import type { CliIo, Output, OutputStream } from '../cli-io.js';
import { renderMessages, titleOf } from '../commands/index.js';
import { EXIT_SUCCESS } from '../exit-codes.js';
import { askPerson, askTrust } from '../questions/index.js';
import { leavesAtOnce, offerOffline, tellWayBack } from './around-session.js';
import { createLineReader, type LineReader } from './line-reader.js';
import { canAsk } from './print-mode.js';
import { createStop } from './stop.js';
import { paint, styleFor } from './style.js';
import { createTextView } from './views.js';

const PROMPT = '> ';
const MORE_PROMPT = '… ';
/** Ctrl-B, as in the terminal. */
const BACKGROUND_KEY = '\x02';
/** A command runs for so long before it is said that it need not be waited for, seconds. */
const OFFERED_AFTER = 5;

/**
 * Reads prompts until /exit, Ctrl-D or a second Ctrl-C, and shows what each does.
 * @returns 0, or the code a signal asked for; a prompt that ends in an error does not end the session
 * @throws what `query()` throws at setup
 */
export async function runLineMode(args: CliArgs, own: CliIo, log: DebugLog): Promise<number> {
  const spinner = openSpinner(args, own);
  const io = { ...own, out: spinner.over(own.out, own.stdout), err: spinner.over(own.err, own.stderr) };
  const style = styleFor(io.stderr, io.env, args.verbose);
  const shared = io.stdout.isTTY === true && io.stderr.isTTY === true;
  const view = createTextView({ stdout: io.out, stderr: io.err, style, shared });
  const stop = createStop(io, {
    say: (line) => void view.say(line),
    whenIdle: () => void io.err.write(`\nCtrl-C again or Ctrl-D leaves.\n${PROMPT}`),
  });
  const setRunning = (running: boolean): void => {
    stop.setRunning(running);
    if (running) spinner.start();
    else spinner.stop();
  };
  let running: Pick<Query, 'backgroundTasks'> | null = null;
  const move = async (): Promise<void> => {
    const isMoved = (await running?.backgroundTasks().catch(() => false)) ?? false; // it is ending
    await view.say(isMoved ? 'It goes on in the background.' : 'Nothing runs that could go on in the background.');
  };
  const reader = spinner.during(createLineReader(io.stdin, new Map([[BACKGROUND_KEY, () => void move()]])));
  const gate = createGate();
  const shown: Shown = { prompt: null, awaited: null };
  stop.leaving.addEventListener('abort', gate.open);
  await io.err.write(
    `Turnwright ${VERSION}. /help lists commands, # keeps a note, /exit or Ctrl-D leaves, \\ at the end of a line goes on.\n`,
  );

  if (canAsk(io)) await askTrust(io, reader, args.options, stop.leaving);
  const options = await offerOffline(args.options, io);
  if (options.resume !== undefined) await showEnd(options, io);
  const session = query({
    prompt: typedPrompts({ io, reader, leaving: stop.leaving, setRunning, gate, shown }),
    options: {
      enableFileCheckpointing: 'auto',
      ...options,
      ...leavesAtOnce(args, io),
      abortController: io.lifetime,
      includePartialMessages: true,
      ...(canAsk(io) ? askPerson(io, reader, args) : {}),
    },
  });
  stop.attach(session);
  running = session;
  let isOffered = false;
  // One that is gone on with is there, even if nothing is said in it.
  let sessionId: string | null = options.resume ?? null;
  try {
    for await (const message of session) {
      log.message(message);
      if (message.type === 'system' && message.subtype === 'init') {
        sessionId = message.session_id;
        setRunning(true);
        // A prompt that nobody typed: the line that is asked for goes on below.
        if (shown.prompt !== null) await io.err.write('\n');
      }
      await view.show(message);
      if (!isOffered && message.type === 'tool_progress' && message.elapsed_time_seconds >= OFFERED_AFTER) {
        isOffered = true;
        await view.say('Ctrl-B and Enter let it go on in the background.');
      }
      if (!isResultMessage(message)) continue;
      if (args.isForScreenReader) await view.say('Done.');
      setRunning(false);
      if (answersTyped(message, shown)) gate.open();
      else if (shown.prompt !== null) await io.err.write(shown.prompt);
    }
  } catch (error) {
    log.error(error);
    // What a signal ended ends with an AbortError; it is not news.
    if (stop.code === undefined) throw error;
  } finally {
    reader.close();
    gate.open();
    stop.dispose();
    spinner.stop();
  }
  if (sessionId !== null) await tellWayBack(sessionId, args.options, io);
  return stop.code ?? EXIT_SUCCESS;
}

/** Lines of a log on the same terminal would land inside it; read aloud, it would never end. */
function openSpinner({ debug, debugFile, isForScreenReader }: CliArgs, { stderr, err, env }: CliIo): Spinner {
  const isLogged = debug && debugFile === undefined;
  return !isLogged && !isForScreenReader && wantsSpinner(stderr, env) ? createSpinner(err) : NO_SPINNER;
}

/** What the person sees, and waits for. */
interface Shown {
  /** The sign behind which a line is being typed; null while none is asked for. */
  prompt: string | null;
  /** The typed prompt whose result the next line waits for. */
  awaited: string | null;
}

/** False for the result of a prompt that the engine gave itself, as a background task ended. */
function answersTyped(
  { user_message_uuids: answered, queued_turn_count: waiting = 0 }: SDKResultMessage,
  shown: Shown,
) {
  if (shown.awaited === null) return false;
  // A prompt that could not start names none.
  return answered === undefined ? waiting === 0 : answered.includes(shown.awaited);
}

interface PromptSource {
  readonly io: CliIo;
  readonly reader: LineReader;
  readonly leaving: AbortSignal;
  readonly setRunning: (running: boolean) => void;
  readonly gate: Gate;
  readonly shown: Shown;
}

/** The typed prompts. The next is asked for only when the result of the last has been shown. */
async function* typedPrompts(source: PromptSource): AsyncGenerator<SDKUserMessage> {
  const { io, reader, leaving, setRunning, gate, shown } = source;
  while (!leaving.aborted) {
    shown.awaited = null;
    const text = await readTyped(io, reader, shown, leaving);
    shown.prompt = null;
    if (text === null) return;
    if (text.trim() === '') continue;
    if (/^\/(exit|quit)\s*$/.test(text.trim())) return;
    gate.close();
    setRunning(true);
    const uuid = randomUUID();
    shown.awaited = uuid;
    yield { type: 'user', uuid, parent_tool_use_id: null, message: { role: 'user', content: asCommand(text) } };
    await gate.passed();
  }
}

/** One prompt, over several lines if they end in a backslash; null at the end of input. */
async function readTyped(io: CliIo, reader: LineReader, shown: Shown, leaving: AbortSignal): Promise<string | null> {
  const lines: string[] = [];
  for (;;) {
    shown.prompt = lines.length === 0 ? PROMPT : MORE_PROMPT;
    await io.err.write(shown.prompt);
    const line = await reader.read(leaving);
    if (line === null) {
      if (!leaving.aborted) await io.err.write('\n');
      return lines.length === 0 ? null : lines.join('\n');
    }
    if (!line.endsWith('\\')) return [...lines, line].join('\n');
    lines.push(line.slice(0, -1));
  }
}

/** Holds one waiter while it is closed. */
interface Gate {
  close(): void;
  readonly open: () => void;
  passed(): Promise<void>;
}

function createGate(): Gate {
  let isOpen = true;
  let waiter: (() => void) | undefined;
  return {
    close() {
      isOpen = false;
    },
    open() {
      isOpen = true;
      waiter?.();
    },
    passed: () =>
      new Promise((resolve) => {
        if (isOpen) resolve();
        else waiter = resolve;
      }),
  };
}

// The end of a session that somebody goes on with at the terminal: where they were, before the first line they type.

/** Messages and lines that are shown at most. */
const MESSAGES = 12;
const LINES = 30;

/** Shows nothing if there is no such session here: the session itself says so. */
async function showEnd({ resume, cwd, env }: QueryOptions, io: CliIo): Promise<void> {
  if (resume === undefined) return;
  const where = { ...(cwd === undefined ? {} : { dir: cwd }), ...(env === undefined ? {} : { env }) };
  const info = await getSessionInfo(resume, where);
  if (info === undefined) return;
  const style = styleFor(io.stderr, io.env, false);
  const lines = renderMessages((await getSessionMessages(resume, where)).slice(-MESSAGES), style);
  const shown = lines.slice(-LINES);
  const title = paint(oneLine(`Going on with "${titleOf(info)}"`, style.columns), 'bold', style);
  const cut = shown.length < lines.length ? [paint('…', 'dim', style)] : [];
  await io.err.write(`${[title, ...cut, ...shown, ''].join('\n')}\n`);
}

// A line that says that a prompt still works, and for how long, when nothing was written for a second and nobody is asked.
// Contract: whatever is written goes through `over`, so that the line is gone before anything else is shown.

const FRAMES = ['|', '/', '-', '\\'];
/** Silence before it shows, milliseconds: what answers at once needs none. */
const SILENCE_MS = 1_000;
const FRAME_MS = 250;
/** Back to the first column, and the line is empty. */
const CLEAR = '\r\x1b[K';
/** On narrower terminals it would not fit into one line, and could not be taken back. */
const LEAST_COLUMNS = 50;

interface Spinner {
  /** A prompt begins; it may be said twice. */
  readonly start: () => void;
  /** The prompt is over. Nothing wakes up any more. */
  readonly stop: () => void;
  /** `output` itself, but what is written to it takes the line away first. */
  over(output: Output, stream: OutputStream): Output;
  /** `reader` itself; while somebody is to type, nothing spins. */
  during(reader: LineReader): LineReader;
}

interface SpinnerClock {
  now(): number;
  /** Runs `wake` later, without keeping the process. @returns what takes it back */
  after(ms: number, wake: () => void): () => void;
}

const REAL_CLOCK: SpinnerClock = {
  now: () => performance.now(),
  after(ms, wake) {
    const timer = setTimeout(wake, ms).unref();
    return () => clearTimeout(timer);
  },
};

const NO_SPINNER: Spinner = {
  start: () => undefined,
  stop: () => undefined,
  over: (output) => output,
  during: (reader) => reader,
};

/** Only on a terminal that can take a line back, for somebody who wants to see things move. */
export function wantsSpinner(stream: OutputStream, env: Readonly<NodeJS.ProcessEnv>): boolean {
  if (stream.isTTY !== true || (stream.columns ?? 0) < LEAST_COLUMNS) return false;
  return env['TERM'] !== 'dumb' && !isSaid(env['NO_COLOR']) && !isSaid(env['CI']);
}

export function createSpinner(screen: Output, clock: SpinnerClock = REAL_CLOCK): Spinner {
  /** When the prompt began; null while none runs. */
  let began: number | null = null;
  let asking = 0;
  /** True if the last thing written left a line open: the answer streams, or a question stands there. */
  let midLine = false;
  let isShown = false;
  let frame = 0;
  let cancel = (): void => undefined;

  function show(): void {
    if (began === null) return;
    const sign = FRAMES[frame++ % FRAMES.length];
    isShown = true;
    void screen.write(`${CLEAR}${sign} ${elapsed(clock.now() - began)} (Ctrl-C interrupts)`);
    cancel = clock.after(FRAME_MS, show);
  }

  function clear(): void {
    cancel();
    if (isShown) void screen.write(CLEAR);
    isShown = false;
  }

  function wait(): void {
    clear();
    if (began !== null && asking === 0 && !midLine) cancel = clock.after(SILENCE_MS, show);
  }

  async function reading(read: () => Promise<string | null>): Promise<string | null> {
    asking++;
    clear();
    try {
      return await read();
    } finally {
      asking--;
      // Enter ended the line.
      midLine = false;
      wait();
    }
  }

  return {
    start() {
      if (began !== null) return;
      began = clock.now();
      wait();
    },
    stop() {
      began = null;
      clear();
    },
    over: (output, { isTTY = false }) => ({
      write(text) {
        if (text === '') return Promise.resolve();
        clear();
        const written = output.write(text);
        if (isTTY) midLine = !text.endsWith('\n');
        wait();
        return written;
      },
      flush: () => output.flush(),
      get closed() {
        return output.closed;
      },
      get failure() {
        return output.failure;
      },
      onClosed: (listener) => output.onClosed(listener),
    }),
    during: (reader) => ({
      read: (signal) => reading(() => reader.read(signal)),
      readAnswer: (ask, signal) => reading(() => reader.readAnswer(ask, signal)),
      close: () => reader.close(),
    }),
  };
}

function isSaid(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
