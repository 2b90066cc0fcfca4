// The terminal as a person has it before them: puts its rooms together, and runs one session. `cli/` loads it where both
// ends are a terminal that can do it; else the line mode does the same with lines.
import type { QueryOptions } from '../protocol/query-options.generated.js';
import type { DebugLog } from '../sdk/debug-log.js';
import type { Options } from '../sdk/options.js';
import type { PersonalFiles } from '../sdk/personal-files.js';
import type { Query } from '../sdk/query-controls.js';
import { errorText } from '../util/text.js';
import { VERSION } from '../util/version.js';
import { escapeHidden } from '../view/escape-text.js';
import { oneLine } from '../view/tool-title.js';
import { bindWindows, type Windows } from './bind-windows.js';
import { systemClock } from './clock.js';
import type { CompletedCommand } from './composer/completions.js';
import { createComposer } from './composer/composer.js';
import { createDraftParts, type OpenDraftParts } from './composer/draft-parts.js';
import { createConversation } from './conversation/conversation.js';
import type { AskParts } from './dialogs/ask-in-terminal.js';
import { KEYBINDINGS_FILE, type Keybindings, readKeybindings } from './keys/keybindings.js';
import { ASK_BACKGROUND, createLook, type Look } from './look.js';
import { createNotifier, type Notifier, type NotifyChannel } from './notify.js';
import { type OpenFace, openFace } from './open-face.js';
import { FACE_COMMANDS } from './pagers/panel-names.js';
import { drawTextOnly } from './pi.js';
import { bindPromptActions } from './prompt-actions.js';
import { createPrompts } from './prompts.js';
import { guardTerminal } from './screen/guard-terminal.js';
import { openTerminal, type TerminalStreams } from './screen/open-terminal.js';
import { createScreen, type TerminalOutput } from './screen/screen.js';
import { createTerminalSession } from './session.js';
import { initialState } from './state/reduce.js';
import type { State } from './state/state.js';
import { createStore, type Store } from './state/store.js';
import { readBranch } from './status/read-branch.js';
import type { Theme } from './theme.js';

/** What the command line asks for. */
export interface TerminalArgs {
  readonly options: QueryOptions;
  readonly verbose: boolean;
  /** What has to be looked up before a session opens, behind the first frame: the options, and what is to be known of them. */
  complete(options: QueryOptions): Promise<{ readonly options: QueryOptions; readonly notes: readonly string[] }>;
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
  /** The session that was there, for whoever tells the way back to it; null if there was none. */
  readonly sessionId: string | null;
  /** Another session that the person chose to go on with; null where they left. */
  readonly next: string | null;
}

/** Longest an orderly end may take after SIGTERM or SIGHUP, milliseconds; supervisors expect it within 5 s. */
const TERMINATE_MS = 4_500;
/** After leaving while something runs. */
const LEAVE_MS = 2_500;
const EXIT_INTERRUPTED = 130;
const EXIT_HUNG_UP = 129;

/**
 * Runs one session at the terminal.
 * @throws what `query()` throws at setup; the terminal is given back before
 */
export async function runTerminal(args: TerminalArgs, io: TerminalIo, log: DebugLog): Promise<TerminalEnd> {
  const clock = systemClock();
  const cwd = args.options.cwd ?? io.startedIn();
  drawTextOnly();
  const terminal = openTerminal(io, clock);
  const look = createLook(io.env, () => face.refresh());
  const store = createStore(initialState(cwd));
  const later: Later = {
    options: args.options,
    files: null,
    bindings: readKeybindings(null),
    commands: FACE_COMMANDS,
  };
  let tellOpened = (_query: Query): void => undefined;
  const opened = new Promise<Query>((resolve) => {
    tellOpened = resolve;
  });
  const screen = createScreen({
    output: terminal.output,
    clock,
    reflows: reflows(io.env),
    onFrame: (frame) => face.framed(frame),
  });
  const conversation = createConversation(look.theme, () => screen.size.columns, args.verbose);
  const composer = createComposer({ rows: () => screen.size.rows, refresh: () => face.refresh() }, look.theme);
  const face: OpenFace = openFace({
    screen,
    store,
    clock,
    theme: look.theme,
    keys: () => later.bindings,
    files: () => later.files,
    composer,
    conversation,
    opened,
    draftMode: () => parts.mode,
  });
  const prompts = createPrompts();
  const session = createTerminalSession({ face, conversation, prompts, log });
  const leaving = new AbortController();
  let code = 0;
  let next: string | null = null;
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
    code ||= exitCode;
    prompts.end();
    leaving.abort();
    setTimeout(() => (terminal.output.isGone ? guard.hangUp() : io.exit(exitCode)), withinMs).unref();
    io.lifetime.abort();
  };
  const guard = guardTerminal({
    giveBack: () => terminal.modes.leave(),
    suspend: give,
    resume: () => isAway || takeAgain(),
    // What is pressed in the editor is for the editor.
    interrupt: () => isAway || face.run('clear'),
    end: (exitCode) => end(exitCode, TERMINATE_MS),
  });
  terminal.onGone(() => end(EXIT_HUNG_UP, TERMINATE_MS));

  const fail = (error: unknown): void => {
    log.error(error);
    face.say([look.theme.paint(`! ${escapeHidden(errorText(error))}`, 'warning')]);
  };
  /** To another program, such as an editor. */
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
  const parts = createDraftParts({
    face,
    composer,
    cwd,
    env: io.env,
    commands: () => later.commands,
    giveTerminal,
  });
  const leave = (): void => {
    prompts.end();
    leaving.abort();
    if (session.isRunning) end(EXIT_INTERRUPTED, LEAVE_MS);
  };
  const windows = bindWindows({
    face,
    composer,
    parts,
    session,
    env: io.env,
    write: (bytes) => void terminal.output.write(bytes),
    options: () => later.options,
    onSettings: () => void readSettings({ look, parts, face }).then(windows.openStatusLine).catch(fail),
    goOnWith(sessionId) {
      next = sessionId;
      void opened.then((query) => {
        query.close('resume');
        leave();
      });
    },
  });
  bindPromptActions({ face, composer, parts, session, windows, suspend: () => guard.stop(), leave, fail });

  screen.commit(banner(cwd, io.env, look.theme));
  // What can be seen comes first; all else is loaded behind it.
  terminal.modes.enter();
  terminal.listen(face.take, look.take);
  if (look.theme.colour && (io.env['COLORFGBG'] ?? '') === '') terminal.output.write(ASK_BACKGROUND);
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
      async edit(text) {
        const { editExternally } = await import('./composer/external-editor.js');
        const edited = await editExternally(text, { env: io.env, cwd, giveTerminal });
        if ('problem' in edited) throw new Error(edited.problem);
        return edited.text;
      },
    };
    const say = (line: string) => face.say([look.theme.paint(line, 'dim')]);
    const { options: known, notes } = await args.complete(args.options);
    if (notes.length > 0) face.say(notes.map((line) => look.theme.paint(line, 'warning')));
    const given = await askBeforeSession({ ...asking, env: io.env, startedIn: cwd, say }, known, leaving.signal);
    if (given.resume !== undefined || given.continue === true) {
      const { earlierTurns } = await import('./conversation/earlier-turns.js');
      const lines = await earlierTurns(given, cwd, screen.size.columns, look.theme);
      if (lines.length > 0) screen.commit(['', ...lines]);
      face.refresh();
    }
    const options: Options = {
      enableFileCheckpointing: 'auto',
      ...given,
      ...askInTerminal(asking),
      abortController: endingWith(io.lifetime.signal),
      includePartialMessages: true,
      replayUserMessages: true,
    };
    const query = open({ prompt: prompts, options });
    later.options = options;
    tellOpened(query);
    // One that is gone on with is there before its first prompt.
    const { resume: id } = options;
    if (id !== undefined)
      store.setState((state) => ({ ...state, session: { ...state.session, id: state.session.id ?? id } }));
    prepare({ args, io, cwd, later, parts, windows, look, face, store, output: terminal.output }).catch(fail);
    await session.read(query);
  } catch (error) {
    log.error(error);
    // What a signal ended ends with an AbortError; it is not news.
    if (code === 0) throw error;
  } finally {
    face.close();
    await screen.close();
    terminal.close();
    terminal.modes.leave();
    windows.close();
    await parts.close();
    if (terminal.output.isGone) guard.hangUp();
    guard.dispose();
  }
  return { code, sessionId: store.getState().session.id, next };
}

/** Who a subagent is, for whoever is asked about its calls. */
function agentNamed({ tasks }: State, id: string): string | null {
  const task = tasks.find((each) => each.id === id);
  if (task === undefined) return null;
  const name = task.agent === null ? 'a subagent' : `the agent ${oneLine(task.agent, 40)}`;
  return task.description === '' ? name : `${name} (${oneLine(task.description, 60)})`;
}

/** Of one session: the process may go on with another one after it. */
function endingWith(lifetime: AbortSignal): AbortController {
  const controller = new AbortController();
  if (lifetime.aborted) controller.abort(lifetime.reason);
  else lifetime.addEventListener('abort', () => controller.abort(lifetime.reason), { signal: controller.signal });
  return controller;
}

/** What is there only some time after the first frame. */
interface Later {
  /** Those that the session was opened with. */
  options: Options;
  files: PersonalFiles | null;
  bindings: Keybindings;
  commands: readonly CompletedCommand[];
}

interface Preparation {
  readonly args: TerminalArgs;
  readonly io: TerminalIo;
  readonly cwd: string;
  readonly later: Later;
  readonly parts: OpenDraftParts;
  readonly windows: Windows;
  readonly look: Look;
  readonly face: OpenFace;
  readonly store: Store<State>;
  readonly output: TerminalOutput;
}

/** Reads what the person has set up: keys, colours, earlier prompts. Whoever types already is not kept waiting. */
async function prepare({
  args,
  io,
  cwd,
  later,
  parts,
  windows,
  look,
  face,
  store,
  output,
}: Preparation): Promise<void> {
  const { openPersonalFiles } = await import('../sdk/personal-files.js');
  const files = await openPersonalFiles({ cwd, env: { ...io.env, ...args.options.env } });
  later.files = files;
  later.bindings = readKeybindings(await files.read(KEYBINDINGS_FILE));
  const told = later.bindings.problems.map((problem) => `! ${files.pathOf(KEYBINDINGS_FILE)}: ${problem}`);
  if (told.length > 0) face.say(told.map((line) => look.theme.paint(escapeHidden(line), 'warning')));
  await parts.open(files);
  const branch = await readBranch(cwd);
  store.setState((state) => ({ ...state, session: { ...state.session, branch } }));
  const { notifications } = await readSettings({ look, parts, face });
  call(
    createNotifier((bytes) => void output.write(bytes), io.env, notifications),
    face,
  );
  const commands = await (await face.opened).supportedCommands();
  setCommands(later, commands);
  face.onMessage((message) => {
    if (message.type === 'system' && message.subtype === 'commands_changed') setCommands(later, message.commands);
  });
  await windows.openStatusLine();
}

/** A command of the session goes before one of the terminal's own. */
function setCommands(later: Later, commands: readonly CompletedCommand[]): void {
  const names = new Set(commands.map(({ name }) => name));
  later.commands = [...commands, ...FACE_COMMANDS.filter(({ name }) => !names.has(name))];
}

/** Those that are the terminal's, which act at once. */
async function readSettings({
  look,
  parts,
  face,
}: Pick<Preparation, 'look' | 'parts' | 'face'>): Promise<TerminalSettings> {
  const { effective } = await (await face.opened).getSettings();
  const settings = effective as TerminalSettings;
  const { theme, reducedMotion, editorMode } = settings;
  look.choose({ ...(theme === undefined ? {} : { theme }), ...(reducedMotion === undefined ? {} : { reducedMotion }) });
  parts.setVim(editorMode === 'vim');
  return settings;
}

/** Calls whoever looks elsewhere. */
function call(notifier: Notifier, face: OpenFace): void {
  const { store, clock } = face;
  let since: number | null = null;
  let waiting = 0;
  notifier.setFocused(store.getState().focused);
  face.onLayers((count) => {
    if (count > waiting) notifier.awaitsAnswer('A question waits for you.');
    waiting = count;
  });
  store.subscribe(({ run, focused }) => {
    notifier.setFocused(focused);
    if (run === null && since !== null) notifier.promptEnded(clock.now() - since, 'The prompt is done.');
    since = run?.since ?? null;
  });
}

/** What of the settings is the terminal's. */
interface TerminalSettings {
  readonly theme?: string;
  readonly reducedMotion?: boolean;
  readonly editorMode?: 'normal' | 'vim';
  readonly notifications?: NotifyChannel;
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
  if ((env['TMUX'] ?? '') !== '') return true;
  const isOld = /^(linux|vt\d|screen)/.test(env['TERM'] ?? '');
  return !isOld && (env['XTERM_VERSION'] ?? '') === '' && (env['STY'] ?? '') === '';
}
