// The terminal as a person has it before them: its first frame, with all that takes it back. `cli/` loads it if both ends
// are a terminal that can do it; else the line mode does the same with lines. One rule: what a frame does not show is loaded
// behind it.

import type { QueryOptions } from '../protocol/query-options.generated.js';
import type { DebugLog } from '../sdk/logs/index.js';
import type { Query } from '../sdk/query-controls.js';
import { VERSION } from '../util/version.js';
import { escapeHidden } from '../view/escape-text.js';
import { systemClock } from './clock.js';
import { createComposer } from './composer/index.js';
import { DOORS } from './doors.js';
import type { OpenFace } from './face.js';
import { readKeybindings } from './keybindings.js';
import { openFace } from './open-face.js';
import { drawTextOnly } from './pi.js';
import type { Ending, Later, OpenedTerminal, TerminalArgs, TerminalIo } from './run-session.js';
import { createScreen, guardTerminal, openTerminal } from './screen/index.js';
import { createStore, initialState } from './state.js';
import { createLook, type Theme } from './theme.js';

export interface TerminalEnd {
  /** 0, or what a signal asked for. */
  readonly code: number;
  /** The session that was there, for whoever tells the way back to it; null if there was none. */
  readonly sessionId: string | null;
  /** Another session that the person chose to go on with; null if they left. */
  readonly next: string | null;
}

/** Longest an orderly end may take after SIGTERM or SIGHUP, milliseconds; supervisors expect it within 5 s. */
const TERMINATE_MS = 4_500;
const EXIT_FAULT = 1;
const EXIT_HUNG_UP = 129;

/**
 * Runs one session at the terminal.
 * @throws what `query()` throws at setup; the terminal is given back before
 */
export async function runTerminal(args: TerminalArgs, io: TerminalIo, log: DebugLog): Promise<TerminalEnd> {
  const opened = openFirstFrame(args.options, io);
  const { terminal, screen, face, guard, ending } = opened;
  try {
    // The frame is out when the event loop goes round. What is typed from here on waits in the terminal.
    await new Promise((resolve) => setImmediate(resolve));
    const { runSession } = await DOORS.session();
    await runSession(opened, args, io, log);
  } catch (error) {
    log.error(error);
    // What a signal ended ends with an AbortError; it is not news.
    if (ending.code === 0) throw error;
  } finally {
    face.close();
    await screen.close();
    terminal.close();
    terminal.modes.leave();
    if (terminal.output.isGone) guard.hangUp();
    guard.dispose();
  }
  return { ...ending, sessionId: face.store.getState().session.id };
}

/** Contract: all that it takes of the terminal is given back by `guard`, whatever ends the process from here on. */
function openFirstFrame(options: QueryOptions, io: TerminalIo): OpenedTerminal {
  const clock = systemClock();
  const cwd = options.cwd ?? io.startedIn();
  drawTextOnly();
  const terminal = openTerminal(io, clock);
  const look = createLook(io.env, () => face.refresh());
  const store = createStore(initialState(cwd));
  const later: Later = {
    options,
    files: null,
    bindings: readKeybindings(null),
    conversation: null,
    draftMode: () => null,
  };
  let tellOpened = (_query: Query): void => undefined;
  const opened = new Promise<Query>((resolve) => {
    tellOpened = resolve;
  });
  const screen = createScreen({
    output: terminal.output,
    clock,
    reflows: reflows(io.env),
    tellsSizesLate: isInTmux(io.env),
    onFrame: (frame) => face.framed(frame),
  });
  const composer = createComposer({ rows: () => screen.size.rows, refresh: () => face.refresh() }, look.theme);
  const face: OpenFace = openFace({
    screen,
    store,
    clock,
    theme: look.theme,
    keys: () => later.bindings,
    files: () => later.files,
    composer,
    conversation: () => later.conversation,
    opened,
    draftMode: () => later.draftMode(),
  });
  const leaving = new AbortController();
  const ending: Ending = { code: 0, next: null };
  /** Another program has the terminal. */
  let isAway = false;

  const give = (): void => {
    screen.suspend();
    terminal.modes.leave();
  };
  const takeAgain = (): void => {
    terminal.modes.enter();
    screen.resume();
    face.refresh();
  };
  const end = (exitCode: number, withinMs: number): void => {
    ending.code ||= exitCode;
    leaving.abort();
    setTimeout(() => (terminal.output.isGone ? guard.hangUp() : io.exit(exitCode)), withinMs).unref();
    io.lifetime.abort();
  };
  const guard = guardTerminal({
    giveBack: () => terminal.modes.leave(),
    fault() {
      give();
      // What it was is told by whoever caught it; that the session is aborted then is not news.
      ending.code ||= EXIT_FAULT;
    },
    suspend: give,
    resume: () => isAway || takeAgain(),
    notStopped: () => face.hint('There is no shell here to go back to.'),
    // What is pressed in the editor is for the editor.
    interrupt: () => isAway || face.run('clear'),
    end: (exitCode) => end(exitCode, TERMINATE_MS),
  });
  terminal.onGone(() => end(EXIT_HUNG_UP, TERMINATE_MS));
  const giveTerminal = (): (() => void) => {
    isAway = true;
    give();
    terminal.pause();
    return () => {
      isAway = false;
      terminal.goOn();
      takeAgain();
    };
  };

  terminal.modes.enter();
  // Before the lines above it, so that both are in one frame.
  face.refresh();
  screen.commit(banner(cwd, io.env, look.theme));
  return { cwd, terminal, look, screen, composer, face, guard, later, leaving, ending, end, giveTerminal, tellOpened };
}

function banner(cwd: string, env: TerminalIo['env'], theme: Theme): string[] {
  const home = env['HOME'] ?? '';
  const place = home !== '' && cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  return [
    `${theme.paint('Turnwright', 'strong')} ${VERSION} ${theme.paint(escapeHidden(place), 'dim')}`,
    theme.paint('? shows the keys, /help the commands', 'dim'),
  ];
}

/** Terminals that cut lines when they get narrower are few, and say who they are. */
function reflows(env: TerminalIo['env']): boolean {
  if (isInTmux(env)) return true;
  const isOld = /^(linux|vt\d|screen)/.test(env['TERM'] ?? '');
  return !isOld && (env['XTERM_VERSION'] ?? '') === '' && (env['STY'] ?? '') === '';
}

function isInTmux(env: TerminalIo['env']): boolean {
  return (env['TMUX'] ?? '') !== '';
}
