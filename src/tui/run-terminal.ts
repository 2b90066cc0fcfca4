// The terminal as a person has it before them: puts its rooms together, and runs one session. `cli/` loads it where both
// ends are a terminal that can do it; else the line mode does the same with lines.
import type { QueryOptions } from '../protocol/query-options.generated.js';
import type { DebugLog } from '../sdk/debug-log.js';
import type { Options } from '../sdk/options.js';
import type { Query } from '../sdk/query-controls.js';
import { VERSION } from '../util/version.js';
import { escapeHidden } from '../view/escape-text.js';
import { oneLine } from '../view/tool-title.js';
import { systemClock } from './clock.js';
import { createComposer } from './composer/composer.js';
import { createConversation } from './conversation/conversation.js';
import type { AskParts } from './dialogs/ask-in-terminal.js';
import { readKeybindings } from './keys/keybindings.js';
import { openFace } from './open-face.js';
import { drawTextOnly } from './pi.js';
import { createPrompts } from './prompts.js';
import { guardTerminal } from './screen/guard-terminal.js';
import { openTerminal, type TerminalStreams } from './screen/open-terminal.js';
import { createScreen, type Frame } from './screen/screen.js';
import { createTerminalSession } from './session.js';
import { initialState } from './state/reduce.js';
import type { State } from './state/state.js';
import { createStore } from './state/store.js';
import { createTheme, type Theme } from './theme.js';

/** What the command line asks for. */
export interface TerminalArgs {
  readonly options: QueryOptions;
  readonly verbose: boolean;
}

/** What of its process the terminal touches. */
export interface TerminalIo extends TerminalStreams {
  readonly env: Readonly<Record<string, string | undefined>>;
  startedIn(): string;
  /** Aborted when the process must end: whatever runs is ended with it. */
  readonly lifetime: AbortController;
  /** Ends the process at once. Only for when the orderly way did not end in time. */
  exit(code: number): void;
}

export interface TerminalEnd {
  /** 0, or what a signal asked for. */
  readonly code: number;
  /** The session that was there, for whoever tells the way back to it; null where there was none. */
  readonly sessionId: string | null;
}

/** Longest an orderly end may take after SIGTERM or SIGHUP, milliseconds; supervisors expect it within 5 s. */
const TERMINATE_MS = 4_500;
/** After leaving while something runs. */
const LEAVE_MS = 2_500;
/** Twice within so long is one action, milliseconds. */
const TWICE_MS = 1_000;

/**
 * Runs one session at the terminal.
 * @throws what `query()` throws at setup; the terminal is given back before
 */
export async function runTerminal(args: TerminalArgs, io: TerminalIo, log: DebugLog): Promise<TerminalEnd> {
  const clock = systemClock();
  drawTextOnly();
  const terminal = openTerminal(io, clock);
  const theme = createTheme({ env: io.env });
  const store = createStore(initialState(args.options.cwd ?? io.startedIn()));
  const told: { frame: (frame: Frame) => void; query: Query | null } = { frame: () => undefined, query: null };
  const screen = createScreen({
    output: terminal.output,
    clock,
    reflows: reflows(io.env),
    onFrame: (frame) => told.frame(frame),
  });
  const columns = () => screen.size.columns;
  const conversation = createConversation(theme, columns, args.verbose);
  const composer = createComposer({ rows: () => screen.size.rows, refresh: () => face.refresh() }, theme);
  const query = (): Query => {
    if (told.query === null) throw new Error('There is no session yet.');
    return told.query;
  };
  const face = openFace({ screen, store, clock, theme, keys: readKeybindings(null), composer, conversation, query });
  told.frame = face.framed;
  const prompts = createPrompts();
  const session = createTerminalSession({ face, conversation, prompts, log, query });
  let code = 0;

  const leave = (exitCode: number, withinMs: number): void => {
    code ||= exitCode;
    prompts.end();
    leaving.abort();
    setTimeout(() => io.exit(exitCode), withinMs).unref();
    io.lifetime.abort();
  };
  const guard = guardTerminal({
    giveBack: () => terminal.modes.leave(),
    suspend() {
      screen.suspend();
      terminal.modes.leave();
    },
    resume() {
      terminal.modes.enter();
      screen.resume();
      face.refresh();
    },
    interrupt: () => void face.run('clear'),
    end: (exitCode) => leave(exitCode, TERMINATE_MS),
  });
  terminal.onGone(() => leave(129, TERMINATE_MS));

  const twice = twiceWithin(clock.now);
  const leaving = new AbortController();
  const leaveIdle = (): void => {
    prompts.end();
    leaving.abort();
    // Who leaves does not wait for background tasks.
    if (session.isRunning) leave(130, LEAVE_MS);
  };
  const send = (priority: 'next' | 'later'): boolean => {
    if (priority === 'next' && composer.newLineForBackslash()) return true;
    const text = composer.text();
    if (text.trim() === '') return true;
    composer.clear();
    if (/^\/(exit|quit)$/.test(text.trim())) leaveIdle();
    else session.send(text, priority);
    return true;
  };
  face.on('send', () => send('next'));
  face.on('queue', () => {
    if (!session.isRunning || composer.isEmpty) return false;
    return send('later');
  });
  face.on('newLine', () => {
    composer.newLine();
    return true;
  });
  face.on('interrupt', () => {
    if (session.isRunning) {
      session.interrupt();
      return true;
    }
    if (composer.isEmpty && twice('escape')) face.run('rewind');
    return true;
  });
  face.on('clear', () => {
    if (!composer.isEmpty) {
      composer.clear();
      return true;
    }
    if (session.isRunning && !store.getState().run?.stopping) session.interrupt();
    else if (twice('clear')) leaveIdle();
    else face.hint(session.isRunning ? 'Ctrl-C again ends Turnwright.' : 'Ctrl-C again leaves.');
    return true;
  });
  face.on('leave', () => {
    if (!composer.isEmpty) return false;
    if (twice('leave')) leaveIdle();
    else face.hint('Ctrl-D again leaves.');
    return true;
  });
  face.on('suspend', () => {
    guard.stop();
    return true;
  });
  face.on('undo', () => {
    composer.handleKey('\x1f');
    return true;
  });
  face.onKey(({ key }) => {
    if (key !== 'up' || !composer.isEmpty || store.getState().queue.length === 0) return false;
    session.takeBack().then(
      (text) => {
        if (text !== null) composer.setText(text);
        face.refresh();
      },
      (error: unknown) => log.error(error),
    );
    return true;
  });

  screen.commit(banner(store.getState().session.cwd, io.env, theme));
  // What can be seen comes first; all else is loaded behind it.
  terminal.modes.enter();
  terminal.listen(face.take, () => undefined);
  face.refresh();
  try {
    const [{ query: open }, { askBeforeSession }, { askInTerminal }] = await Promise.all([
      import('../sdk/query.js'),
      import('./dialogs/before-session.js'),
      import('./dialogs/ask-in-terminal.js'),
    ]);
    const asking: AskParts = {
      face,
      place: () => ({ cwd: store.getState().session.cwd, home: io.env['HOME'] ?? '/' }),
      agentOf: (id) => agentNamed(store.getState(), id),
    };
    const startedIn = args.options.cwd ?? io.startedIn();
    const say = (line: string) => face.say([theme.paint(line, 'dim')]);
    const given = await askBeforeSession({ ...asking, env: io.env, startedIn, say }, args.options, leaving.signal);
    const options: Options = {
      enableFileCheckpointing: 'auto',
      ...given,
      ...askInTerminal(asking),
      abortController: io.lifetime,
      includePartialMessages: true,
      replayUserMessages: true,
    };
    const opened = open({ prompt: prompts, options });
    told.query = opened;
    await session.read(opened);
  } catch (error) {
    log.error(error);
    // What a signal ended ends with an AbortError; it is not news.
    if (code === 0) throw error;
  } finally {
    face.close();
    await screen.close();
    terminal.close();
    terminal.modes.leave();
    guard.dispose();
  }
  return { code, sessionId: store.getState().session.id };
}

/** Who a subagent is, for whoever is asked about its calls. */
function agentNamed({ tasks }: State, id: string): string | null {
  const task = tasks.find((each) => each.id === id);
  if (task === undefined) return null;
  const name = task.agent === null ? 'a subagent' : `the agent ${oneLine(task.agent, 40)}`;
  return task.description === '' ? name : `${name} (${oneLine(task.description, 60)})`;
}

function banner(cwd: string, env: TerminalIo['env'], theme: Theme): string[] {
  const home = env['HOME'] ?? '';
  const place = home !== '' && cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  return [
    `${theme.paint('Turnwright', 'strong')} ${VERSION} ${theme.paint(escapeHidden(place), 'dim')}`,
    theme.paint('? shows the keys, /help the commands', 'dim'),
  ];
}

/** A second time soon after the first. */
function twiceWithin(now: () => number): (what: string) => boolean {
  let last = { what: '', at: Number.NEGATIVE_INFINITY };
  return (what) => {
    const isSecond = last.what === what && now() - last.at <= TWICE_MS;
    last = isSecond ? { what: '', at: Number.NEGATIVE_INFINITY } : { what, at: now() };
    return isSecond;
  };
}

/** Terminals that cut lines when they get narrower are few, and say who they are. */
function reflows(env: TerminalIo['env']): boolean {
  if ((env['TMUX'] ?? '') !== '') return true;
  return (
    !/^(linux|vt\d|screen)/.test(env['TERM'] ?? '') && (env['XTERM_VERSION'] ?? '') === '' && (env['STY'] ?? '') === ''
  );
}
