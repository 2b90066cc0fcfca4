// The parts of the draft together: completions, earlier prompts, vim, images, the editor outside, and the copy on the disk for
// when the process dies. Each is optional: what cannot be had costs nobody the draft. A copy belongs to the process that wrote
// it until that is gone, so that two terminals in one folder do not take each other's.
import type { UserBlock } from '../../protocol/content.js';
import type { PersonalFiles } from '../../sdk/faces/index.js';
import { isRecord } from '../../util/json.js';
import type { Clock } from '../clock.js';
import type { OpenFace } from '../face.js';
import { type CompletedCommand, createCompletions, createFileList } from './completions.js';
import type { Composer } from './composer.js';
import { editExternally } from './external-editor.js';
import { createDraftImages } from './images.js';
import { createHistoryWalk, createPromptHistory } from './prompt-history.js';
import { createVim, type Vim } from './vim/vim.js';

interface DraftParts {
  readonly face: OpenFace;
  readonly composer: Composer;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly commands: () => readonly CompletedCommand[];
  readonly giveTerminal: () => () => void;
}

export interface OpenDraftParts {
  /** What a prompt sends: with its images. */
  contentOf(text: string): string | UserBlock[];
  /** The prompt goes into the history, and its images are gone. */
  sent(text: string): void;
  /** Opens what is kept in the home folder. */
  open(files: PersonalFiles): Promise<void>;
  setVim(isOn: boolean): void;
  /** Such as `INSERT` or `NORMAL 2d`; null without vim. */
  readonly mode: string | null;
  /** Earlier prompts, the newest first. */
  history(): readonly string[];
  /** Orderly end. */
  close(): Promise<void>;
}

export function createDraftParts({ face, composer, cwd, env, commands, giveTerminal }: DraftParts): OpenDraftParts {
  const files = createFileList({ cwd, env, now: () => face.clock.now() });
  const images = createDraftImages({ env, platform: process.platform, cwd });
  let vim: Vim | null = null;
  let history: ReturnType<typeof createPromptHistory> | null = null;
  let kept: ReturnType<typeof keepDraft> | null = null;
  /** Prompts that were sent before the home folder was open. */
  const early: string[] = [];
  const walk = createHistoryWalk({ entries: () => history?.entries() ?? early });
  /** The walk through the history puts a text there. */
  let isStepping = false;

  composer.marks(() => {
    if (vim === null) return null;
    const { editor } = composer;
    return vim.selection({ text: editor.getText(), caret: editor.caret });
  });
  composer.editor.setAutocompleteProvider(
    createCompletions({ commands, files, columns: () => face.screen.size.columns }),
  );
  const stopChanges = composer.onChange(() => {
    if (!isStepping) walk.stop();
    kept?.changed();
  });

  function step(to: string | null): boolean {
    if (to === null) return false;
    isStepping = true;
    composer.setText(to);
    isStepping = false;
    return true;
  }

  /** A key of the arrows walks only if it could not move the caret. */
  function walkBy(key: string): boolean {
    // What was queued comes back before what was sent.
    if (key === 'up' && composer.isEmpty && !walk.isWalking && face.store.getState().queue.length > 0) return false;
    const { line } = composer.editor.getCursor();
    const lines = composer.editor.getLines();
    if (key === 'up' && line === 0 && (composer.isEmpty || walk.isWalking || composer.editor.caret === 0))
      return step(walk.older(composer.text()));
    if (key === 'down' && line === lines.length - 1 && walk.isWalking) return step(walk.newer());
    return false;
  }

  face.onKey((input) => {
    const key = input.key ?? input.data;
    let passed = key;
    if (vim !== null) {
      const { editor } = composer;
      const answer = vim.handle(key, { text: editor.getText(), caret: editor.caret });
      if ('taken' in answer) {
        if (answer.taken.text !== editor.getText()) editor.setText(answer.taken.text);
        editor.caret = answer.taken.caret;
        return true;
      }
      passed = answer.key ?? key;
    }
    if (passed !== 'up' && passed !== 'down') return false;
    if (walkBy(passed)) return true;
    if (passed === key) return false;
    composer.handleKey(passed === 'up' ? '\x1b[A' : '\x1b[B');
    return true;
  });
  const place = (taken: { readonly mark: string } | { readonly problem: string }): void => {
    if ('mark' in taken) composer.insert(taken.mark);
    else face.hint(taken.problem);
    face.refresh();
  };
  face.onPaste((text) => {
    if (!images.mayBePath(text)) return false;
    images.fromPaste(text).then(
      (taken) => (taken === null ? composer.insert(text) : place(taken)),
      () => composer.insert(text),
    );
    return true;
  });
  face.on('pasteImage', () => {
    images.fromClipboard().then(place, () => undefined);
    return true;
  });
  face.on('externalEditor', () => {
    void editExternally(composer.text(), { env, cwd, giveTerminal }).then((edited) => {
      if ('text' in edited) composer.setText(edited.text);
      else face.say([edited.problem]);
      face.refresh();
    });
    return true;
  });

  return {
    contentOf: (text) => images.contentOf(text),
    sent(text) {
      images.clear();
      walk.stop();
      vim?.reset();
      if (history === null) early.unshift(text);
      else void history.add(text);
    },
    async open(personal) {
      const opened = createPromptHistory(personal, () => Date.now());
      for (const text of early.splice(0).reverse()) void opened.add(text);
      history = opened;
      kept = keepDraft({
        files: personal,
        clock: face.clock,
        pid: process.pid,
        isAlive,
        read: composer.text,
        isEmpty: () => composer.isEmpty,
      });
      // What was typed meanwhile.
      if (!composer.isEmpty) kept.changed();
      await opened.load();
      const [left] = await kept.takeLeft();
      if (left !== undefined && composer.isEmpty) {
        composer.setText(left);
        face.hint('The draft of a terminal that ended unexpectedly.');
      }
      if (opened.problem !== null) face.say([opened.problem]);
      // A search that was begun already has something to show now.
      face.refresh();
    },
    setVim(isOn) {
      if (isOn !== (vim !== null)) vim = isOn ? createVim() : null;
      face.refresh();
    },
    get mode() {
      if (vim === null) return null;
      return `${vim.mode.toUpperCase()}${vim.pending === '' ? '' : ` ${vim.pending}`}`;
    },
    history: () => history?.entries() ?? early,
    async close() {
      stopChanges();
      files.dispose();
      await kept?.drop();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** After the last key, milliseconds. */
const REST_MS = 400;
/** Longer drafts are not written at each pause, characters. */
const LONGEST = 1_000_000;
const FOLDER = 'drafts';

interface KeptDraft {
  /** Called at each change. Writes once the keyboard rests; an empty draft takes the file away. */
  changed(): void;
  /** What processes of this folder that are gone left behind, the newest first; their files are taken away. */
  takeLeft(): Promise<readonly string[]>;
  /** Writes or removes what is pending. Contract: never rejects. */
  flush(): Promise<void>;
  /** Orderly end: nothing is left. */
  drop(): Promise<void>;
}

interface KeptDraftParts {
  readonly files: PersonalFiles;
  readonly clock: Clock;
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  /** The draft as it is; asked when the keyboard rests. */
  readonly read: () => string;
  readonly isEmpty: () => boolean;
}

export function keepDraft({ files, clock, pid, isAlive, read, isEmpty }: KeptDraftParts): KeptDraft {
  const name = `${FOLDER}/${files.project}.${pid}.json`;
  let isOver = false;
  let written = '';
  let cancel: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();
  const write = async (text: string): Promise<void> => {
    if (text === written) return;
    try {
      if (text === '') await files.remove(name);
      else await files.replace(name, JSON.stringify({ text: await files.redact(text) }));
      written = text;
    } catch {
      // A draft that cannot be kept is still in the composer; the next change tries again.
    }
  };
  const flush = (): Promise<void> => {
    cancel?.();
    cancel = null;
    const text = isOver || isEmpty() ? '' : read().slice(0, LONGEST);
    writing = writing.then(() => write(text));
    return writing;
  };
  return {
    changed() {
      if (isEmpty() && written !== '') void flush();
      else cancel ??= clock.after(REST_MS, () => void flush());
    },
    async takeLeft() {
      const left: string[] = [];
      for (const file of await files.names(FOLDER).catch(() => [])) {
        const owner = ownerOf(file, files.project);
        if (owner === null || owner === pid || isAlive(owner)) continue;
        const text = textOf(await files.read(`${FOLDER}/${file}`).catch(() => null));
        await files.remove(`${FOLDER}/${file}`).catch(() => undefined); // then it is offered once more
        if (text !== null && text.trim() !== '') left.push(text);
      }
      return left.reverse();
    },
    flush,
    drop() {
      isOver = true;
      return flush();
    },
  };
}

function ownerOf(file: string, project: string): number | null {
  if (!file.startsWith(`${project}.`) || !file.endsWith('.json')) return null;
  const pid = file.slice(project.length + 1, -'.json'.length);
  return /^\d{1,10}$/.test(pid) ? Number(pid) : null;
}

function textOf(json: string | null): string | null {
  try {
    const value: unknown = JSON.parse(json ?? 'null');
    return isRecord(value) && typeof value['text'] === 'string' ? value['text'] : null;
  } catch {
    return null; // half a draft is none: it is replaced in one step, so somebody else wrote this
  }
}
