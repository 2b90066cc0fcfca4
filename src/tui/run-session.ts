// A session at the terminal, behind its first frame: puts the rooms together, opens the session, reads it to its end, and
// binds the keys of the prompt. One rule: the way out never depends on what runs.
import type { QueryOptions } from '../protocol/query-options.generated.js';
import type { PersonalFiles } from '../sdk/faces/index.js';
import type { DebugLog } from '../sdk/logs/index.js';
import type { Options } from '../sdk/options/index.js';
import type { Query } from '../sdk/query-controls.js';
import { errorText } from '../util/text.js';
import { escapeHidden, oneLine } from '../view/escape-text.js';
import { bindWindows, type Windows } from './bind-windows.js';
import { type CompletedCommand, type Composer, createDraftParts, type OpenDraftParts } from './composer/index.js';
import { type Conversation, createConversation } from './conversation/index.js';
import type { AskParts } from './dialogs/index.js';
import { DOORS } from './doors.js';
import type { OpenFace } from './face.js';
import { KEYBINDINGS_FILE, type Keybindings, readKeybindings } from './keybindings.js';
import { createNotifier, type Notifier, type NotifyChannel } from './notify.js';
import { FACE_COMMANDS } from './pagers/index.js';
import type { Guard, OpenTerminal, OwnScreen, TerminalStreams } from './screen/index.js';
import { createPrompts, createTerminalSession, type TerminalSession } from './session.js';
import type { State } from './state.js';
import { readBranch } from './status/index.js';
import { ASK_BACKGROUND, type Look } from './theme.js';

/** What the command line asks for. */
export interface TerminalArgs {
  readonly options: QueryOptions;
  readonly verbose: boolean;
  /** What has to be looked up before a session opens, behind the first frame: the options, and what is to be known of them. */
  complete(options: QueryOptions): Promise<{ readonly options: QueryOptions; readonly notes: readonly string[] }>;
  /** Opens a page of the web in the person's browser. @returns why it could not; null if it could */
  openPage(url: string): Promise<string | null>;
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

/** What the first frame has opened. */
export interface OpenedTerminal {
  readonly cwd: string;
  readonly terminal: OpenTerminal;
  readonly look: Look;
  readonly screen: OwnScreen;
  readonly composer: Composer;
  readonly face: OpenFace;
  readonly guard: Guard;
  readonly later: Later;
  /** Aborted when the person leaves, or the process must end. */
  readonly leaving: AbortController;
  readonly ending: Ending;
  /** Ends the process with that code, at the latest so many milliseconds from now. */
  end(exitCode: number, withinMs: number): void;
  /** Another program gets the terminal, such as an editor; the function that comes back takes it again. */
  giveTerminal(): () => void;
  /** The session is there: whoever waits for `face.opened` goes on. */
  tellOpened(query: Query): void;
}

/** How it ends, as far as that is known. */
export interface Ending {
  /** What a signal asked for; 0 for nothing. */
  code: number;
  /** Another session that the person chose. */
  next: string | null;
}

/** What is there only some time after the first frame. */
export interface Later {
  /** Those that the session was opened with. */
  options: Options;
  files: PersonalFiles | null;
  bindings: Keybindings;
  conversation: Conversation | null;
  /** Such as `NORMAL`; null for none. */
  draftMode: () => string | null;
}

/** Longest an orderly end may take after leaving while something runs, milliseconds. */
const LEAVE_MS = 2_500;
const EXIT_INTERRUPTED = 130;

/** @throws what `query()` throws at setup */
export async function runSession(
  opened: OpenedTerminal,
  args: TerminalArgs,
  io: TerminalIo,
  log: DebugLog,
): Promise<void> {
  const { cwd, terminal, look, screen, composer, face, guard, later, leaving, ending, end, giveTerminal, tellOpened } =
    opened;
  const { store } = face;
  let commands: readonly CompletedCommand[] = FACE_COMMANDS;
  const conversation = createConversation(look.theme, () => screen.size.columns, args.verbose, true);
  later.conversation = conversation;
  const prompts = createPrompts();
  leaving.signal.addEventListener('abort', prompts.end);
  if (leaving.signal.aborted) prompts.end();
  const session = createTerminalSession({ face, conversation, prompts, log });
  const fail = (error: unknown): void => {
    log.error(error);
    face.say([look.theme.paint(`! ${escapeHidden(errorText(error))}`, 'warning')]);
  };
  const parts = createDraftParts({ face, composer, cwd, env: io.env, commands: () => commands, giveTerminal });
  later.draftMode = () => parts.mode;
  const leave = (): void => {
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
    statusCommand: async () => (await DOORS.withSession()).openStatusLine(later.options),
    onSettings: () => void readSettings({ opened, parts }).then(windows.openStatusLine).catch(fail),
    goOnWith(sessionId) {
      ending.next = sessionId;
      void face.opened.then((query) => {
        query.close('resume');
        leave();
      });
    },
  });
  bindPromptActions({ face, composer, parts, session, windows, suspend: () => guard.stop(), leave, fail });
  terminal.listen(face.take, look.take);
  if (look.theme.colour && (io.env['COLORFGBG'] ?? '') === '') terminal.output.write(ASK_BACKGROUND);
  try {
    const { query: open, askBeforeSession, askInTerminal } = await DOORS.withSession();
    const asking: AskParts = {
      face,
      place: () => ({ cwd: store.getState().session.cwd, home: io.env['HOME'] ?? '/' }),
      agentOf: (id) => agentNamed(store.getState(), id),
      openPage: args.openPage,
      async edit(text) {
        const { editExternally } = await DOORS.onDemand();
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
      const { earlierTurns } = await DOORS.onDemand();
      const { lines, told } = await earlierTurns(given, cwd, screen.size.columns, look.theme);
      if (lines.length > 0) screen.commit(['', ...lines]);
      session.recall(told);
      for (const each of told) if ('message' in each) windows.hear(each.message);
      face.refresh();
    }
    const { toolConfig, ...asked } = askInTerminal(asking);
    const asksQuestions = !Array.isArray(given.tools) || given.tools.includes('AskUserQuestion');
    const options: Options = {
      enableFileCheckpointing: 'auto',
      ...given,
      ...asked,
      // Of a session without the tool it would be told that it has no effect.
      ...(asksQuestions ? { toolConfig } : {}),
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
    const takeCommands = (ofSession: readonly CompletedCommand[]): void => {
      commands = withFaceCommands(ofSession);
    };
    prepare({ opened, args, io, parts, windows, takeCommands }).catch(fail);
    await session.read(query);
  } finally {
    windows.close();
    await parts.close();
  }
}

/** Of one session: the process may go on with another one after it. */
function endingWith(lifetime: AbortSignal): AbortController {
  const controller = new AbortController();
  if (lifetime.aborted) controller.abort(lifetime.reason);
  else lifetime.addEventListener('abort', () => controller.abort(lifetime.reason), { signal: controller.signal });
  return controller;
}

/** Who a subagent is, for whoever is asked about its calls. */
function agentNamed({ tasks }: State, id: string): string | null {
  const task = tasks.find((each) => each.id === id);
  if (task === undefined) return null;
  const name = task.agent === null ? 'a subagent' : `the agent ${oneLine(task.agent, 40)}`;
  return task.description === '' ? name : `${name} (${oneLine(task.description, 60)})`;
}

interface Preparation {
  readonly opened: OpenedTerminal;
  readonly args: TerminalArgs;
  readonly io: TerminalIo;
  readonly parts: OpenDraftParts;
  readonly windows: Windows;
  takeCommands(ofSession: readonly CompletedCommand[]): void;
}

/** Reads what the person has set up: keys, colours, earlier prompts. Whoever types already is not kept waiting. */
async function prepare({ opened, args, io, parts, windows, takeCommands }: Preparation): Promise<void> {
  const { cwd, look, face, later, terminal } = opened;
  const { openPersonalFiles } = await DOORS.withSession();
  const files = await openPersonalFiles({ cwd, env: { ...io.env, ...args.options.env } });
  later.files = files;
  later.bindings = readKeybindings(await files.read(KEYBINDINGS_FILE));
  const told = later.bindings.problems.map((problem) => `! ${files.pathOf(KEYBINDINGS_FILE)}: ${problem}`);
  if (told.length > 0) face.say(told.map((line) => look.theme.paint(escapeHidden(line), 'warning')));
  await parts.open(files);
  const branch = await readBranch(cwd);
  face.store.setState((state) => ({ ...state, session: { ...state.session, branch } }));
  const { notifications } = await readSettings({ opened, parts });
  call(
    createNotifier((bytes) => void terminal.output.write(bytes), io.env, notifications),
    face,
  );
  takeCommands(await (await face.opened).supportedCommands());
  face.onMessage((message) => {
    if (message.type === 'system' && message.subtype === 'commands_changed') takeCommands(message.commands);
  });
  await windows.openStatusLine();
  await tellModel(face);
}

/** Which model will answer, before the first prompt: its `init` says it again. */
async function tellModel(face: OpenFace): Promise<void> {
  const { store } = face;
  try {
    const { model } = await (await face.opened).getContextUsage({ detail: 'summary' });
    store.setState((state) => ({ ...state, session: { ...state.session, model: state.session.model ?? model } }));
  } catch {
    // What is wrong with the model is told with the first prompt.
  }
}

/** A command of the session goes before one of the terminal's own. */
function withFaceCommands(ofSession: readonly CompletedCommand[]): readonly CompletedCommand[] {
  const names = new Set(ofSession.map(({ name }) => name));
  return [...ofSession, ...FACE_COMMANDS.filter(({ name }) => !names.has(name))];
}

/** Those that are the terminal's, which act at once. */
async function readSettings({ opened, parts }: Pick<Preparation, 'opened' | 'parts'>): Promise<TerminalSettings> {
  const { face, look } = opened;
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

export interface PromptActionParts {
  readonly face: OpenFace;
  readonly composer: Composer;
  readonly parts: OpenDraftParts;
  readonly session: TerminalSession;
  /** Prompts that are the terminal's own matter. */
  readonly windows: Pick<Windows, 'takesPrompt'>;
  /** Ends the session; at once, and with code 130, if something runs. */
  leave(): void;
  /** As Ctrl-Z in any other program. */
  suspend(): void;
  fail(error: unknown): void;
}

/** Twice within so long is one action, milliseconds. */
const TWICE_MS = 1_000;
/** In the order in which Shift-Tab goes through them; none that asks nobody. */
const MODES = ['default', 'acceptEdits', 'plan'] as const;

export function bindPromptActions(given: PromptActionParts): void {
  const { face, composer, parts, session, windows, leave, suspend, fail } = given;
  const { store } = face;
  const twice = twiceWithin(() => face.clock.now());

  function send(priority: 'next' | 'later'): true {
    if (composer.newLineForBackslash()) return true;
    const text = composer.text();
    if (text.trim() === '') return true;
    const content = parts.contentOf(text);
    composer.clear();
    parts.sent(text);
    if (/^\/(?:exit|quit)$/.test(text.trim())) leave();
    else if (!windows.takesPrompt(text)) session.send(text, priority, content);
    return true;
  }

  face.on('send', () => send('next'));
  face.on('queue', () => (session.isRunning && !composer.isEmpty ? send('later') : false));
  face.on('newLine', () => {
    composer.newLine();
    return true;
  });
  face.on('interrupt', () => {
    if (session.isRunning) session.interrupt();
    else if (composer.isEmpty && twice('interrupt')) face.run('rewind');
    return true;
  });
  face.on('clear', () => {
    if (!composer.isEmpty) {
      // Kept, as a slip of the finger is made here too.
      parts.sent(composer.text());
      composer.clear();
    } else if (session.isRunning && store.getState().run?.stopping !== true) session.interrupt();
    else if (twice('clear')) leave();
    else face.hint('Ctrl-C again leaves.');
    return true;
  });
  face.on('leave', () => {
    if (!composer.isEmpty) return false;
    if (twice('leave')) leave();
    else face.hint('Ctrl-D again leaves.');
    return true;
  });
  face.on('suspend', () => {
    suspend();
    return true;
  });
  face.on('undo', () => {
    composer.handleKey('\x1f');
    return true;
  });
  face.on('redraw', () => {
    const columns = () => face.screen.size.columns;
    const again = createConversation(face.theme, columns, false);
    const lines = session.recent.flatMap((told) =>
      'prompt' in told ? again.prompt(told.prompt) : again.take(told.message),
    );
    face.screen.redraw();
    if (lines.length > 0) face.screen.commit(['', face.theme.paint('The last turns again', 'dim'), '', ...lines]);
    return true;
  });
  face.on('nextMode', () => {
    const { mode } = store.getState().session;
    const at = MODES.indexOf(mode as (typeof MODES)[number]);
    const next = MODES[(at + 1) % MODES.length] ?? 'default';
    // Pressed before the session is there, it waits for it.
    face.opened
      .then((query) => query.setPermissionMode(next))
      .then(() => {
        store.setState((state) => ({ ...state, session: { ...state.session, mode: next } }));
        face.hint(`Mode ${next}`);
      })
      .catch(fail);
    return true;
  });
  face.on('background', () => {
    if (store.getState().calls.length === 0) return false;
    face.opened
      .then((query) => query.backgroundTasks())
      .then((isSent) => {
        if (!isSent) face.hint('Nothing that runs can go to the background.');
      })
      .catch(fail);
    return true;
  });
  face.onKey(({ key }) => {
    if (key !== 'up' || !composer.isEmpty || store.getState().queue.length === 0) return false;
    session.takeBack().then((text) => {
      if (text === null) return;
      if (composer.isEmpty) composer.setText(text);
      // Typed meanwhile: both stay.
      else composer.insert(`\n${text}`);
      face.refresh();
    }, fail);
    return true;
  });
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
