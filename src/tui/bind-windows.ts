// What opens beside the conversation: whole windows, the search of earlier prompts, a copy of an answer, the command of the
// status line. Each is loaded when it is first asked for.
import type { SDKMessage } from '../protocol/messages.js';
import type { StatusLine } from '../sdk/faces/index.js';
import type { Options } from '../sdk/options/index.js';
import type { Query } from '../sdk/query-controls.js';
import { count, errorText } from '../util/text.js';
import { escapeHidden } from '../view/escape-text.js';
import type { Composer, OpenDraftParts } from './composer/index.js';
import { DOORS } from './doors.js';
import type { OpenFace } from './face.js';
import { KEYBINDINGS_FILE } from './keybindings.js';
import { PANELS, type PanelName, panelOfPrompt } from './pagers/index.js';
import type { TerminalSession } from './session.js';
import type { StatusLineView } from './status/index.js';

/** Answers that can be copied. */
const KEPT = 20;

export interface WindowParts {
  readonly face: OpenFace;
  readonly composer: Composer;
  readonly parts: OpenDraftParts;
  readonly session: TerminalSession;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Bytes for the terminal, between two frames. */
  readonly write: (bytes: string) => void;
  /** Those of the session, once it is open. */
  readonly options: () => Options;
  /** The command that settings name for the status line; null for none. @throws ConfigError if they cannot be read */
  readonly statusCommand: () => Promise<StatusLine | null>;
  /** The settings were written: what of them is the terminal's acts at once. */
  readonly onSettings: () => void;
  /** Ends this session, and goes on with another one. */
  readonly goOnWith: (sessionId: string) => void;
}

export interface Windows {
  /** True for a prompt that is the terminal's own matter, which it then does: `/model`, `/copy 2`. */
  takesPrompt(text: string): boolean;
  /** A message of before, whose answer can be copied. */
  hear(message: SDKMessage): void;
  /** Looks whether settings name a command for the status line. @throws ConfigError if they cannot be read */
  openStatusLine(): Promise<void>;
  close(): void;
}

export function bindWindows(given: WindowParts): Windows {
  const { face, composer, parts, session, env, write, options } = given;
  const { store, theme } = face;
  const answers = createAnswers();
  let status: StatusLineView | null = null;
  let opened: Query | null = null;
  void face.opened.then((query) => {
    opened = query;
  });
  let shown = store.getState().session;
  face.onMessage((message) => {
    answers.hear(message);
    status?.hear(message);
  });
  const stopStore = store.subscribe(({ session: facts }) => {
    if (facts !== shown) status?.changed();
    shown = facts;
  });
  const warn = (text: string): void => face.say([theme.paint(`! ${escapeHidden(text)}`, 'warning')]);
  const fail = (error: unknown): void => warn(errorText(error));

  const openWindow = (name: PanelName): true => {
    const open = async (query: Query): Promise<void> => {
      const { openPanel } = await DOORS.panels();
      await openPanel(name, {
        query,
        store,
        theme,
        bindings: face.bindings,
        clock: face.clock,
        refresh: face.refresh,
        say: face.say,
        onMessage: face.onMessage,
        options: { ...options(), cwd: store.getState().session.cwd },
        resume(sessionId) {
          if (session.isRunning) face.hint('A prompt runs. Interrupt it first.');
          else given.goOnWith(sessionId);
        },
        putDraft: composer.setText,
        openPager: face.openPager,
        keysFile: face.files?.pathOf(KEYBINDINGS_FILE) ?? KEYBINDINGS_FILE,
        onSettings: given.onSettings,
      });
    };
    // Before the session is there, keys are for what it asks.
    if (opened === null) void face.opened.then(open).catch(fail);
    else face.holdInputs(open(opened).catch(fail));
    return true;
  };
  for (const name of PANELS) face.on(name, () => (name === 'keys' && !composer.isEmpty ? false : openWindow(name)));

  face.on('historySearch', () => {
    const opening = DOORS.onDemand().then(({ createHistorySearch }) => {
      const close = face.openLayer(
        createHistorySearch({
          entries: parts.history,
          theme,
          keys: face.bindings.keysOf('historySearch'),
          done(text) {
            close();
            if (text !== null) composer.setText(text);
          },
        }),
      );
    }, fail);
    face.holdInputs(opening);
    return true;
  });

  const copy = async (words: string): Promise<void> => {
    const text = answers.nth(words === '' ? 1 : Number(words));
    if (text === null) {
      warn(
        answers.size === 0 ? 'There is no answer yet.' : `Give a number from 1, the last answer, to ${answers.size}.`,
      );
      return;
    }
    const { copyByProgram, copySequence } = await DOORS.onDemand();
    const sequence = copySequence(text, env);
    if (sequence !== null) write(sequence);
    const program = await copyByProgram(text, { env, platform: process.platform });
    const size = count(text.length, 'character');
    if (program !== null) face.say([`Copied ${size} by ${program}.`]);
    else if (sequence !== null) face.say([`Copied ${size}, if this terminal takes texts for the clipboard (OSC 52).`]);
    else warn('It is too long for the terminal. Install wl-copy, xclip or xsel, or write it to a file: /export');
  };
  face.on('copy', () => {
    copy('').catch(fail);
    return true;
  });

  return {
    hear: answers.hear,
    takesPrompt(text) {
      const panel = panelOfPrompt(text);
      if (panel !== null) return openWindow(panel);
      const [isCopy, words = ''] = /^\/copy(?:\s+(.*))?$/s.exec(text.trim()) ?? [];
      if (isCopy === undefined) return false;
      copy(words.trim()).catch(fail);
      return true;
    },
    async openStatusLine() {
      const command = await given.statusCommand();
      status?.dispose();
      status = null;
      face.setStatusLine(null);
      if (command === null) return;
      const { createStatusLineView } = await DOORS.onDemand();
      const view = createStatusLineView({
        command,
        query: await face.opened,
        state: store.getState,
        clock: face.clock,
        refresh: () => face.setStatusLine(view.lines),
        onProblem: warn,
        vimMode: () => parts.mode,
      });
      status = view;
      view.changed();
    },
    close() {
      stopStore();
      status?.dispose();
    },
  };
}

/** The last answers of the model, for copying. */
interface Answers {
  hear(message: SDKMessage): void;
  /** 1 is the last; null if there is none. */
  nth(n: number): string | null;
  readonly size: number;
}

function createAnswers(): Answers {
  let answers: { readonly id: string; readonly text: string }[] = [];
  return {
    hear(message) {
      if (message.type !== 'assistant' || message.parent_tool_use_id !== null) return;
      const { id, content } = message.message;
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
      if (text.trim() === '') return;
      const last = answers.at(-1);
      // A reply may come as several messages.
      if (last?.id === id) answers = [...answers.slice(0, -1), { id, text: `${last.text}\n${text}` }];
      else answers = [...answers.slice(-KEPT + 1), { id, text }];
    },
    nth: (n) => (Number.isInteger(n) && n >= 1 ? (answers.at(-n)?.text ?? null) : null),
    get size() {
      return answers.length;
    },
  };
}
