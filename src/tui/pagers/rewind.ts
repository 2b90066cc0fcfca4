// Back to before a prompt: which prompt, what would change, which parts. One rule: nothing changes before a second yes.

import path from 'node:path';
import type { RewindResult, RewindScope } from '../../protocol/rewind.js';
import type { SessionRewindPoint } from '../../sdk/sessions/index.js';
import { getSessionMessages, listRewindPoints } from '../../sdk/sessions.js';
import { leadsOut } from '../../util/posix-path.js';
import { count } from '../../util/text.js';
import { escapeHidden, oneLine } from '../../view/escape-text.js';
import { formatMoment } from '../../view/figures.js';
import type { Pager } from '../face.js';
import { createListView } from './list-view.js';
import { bodyRows, closes, faultText, type PanelParts, pagerWindow, placeOf } from './pager-window.js';
import { createScrollView, type PagerLine } from './scroll-view.js';
import { promptText } from './transcript.js';

const SCOPES: Readonly<Record<string, RewindScope>> = { b: 'both', c: 'conversation', f: 'files' };
const WORDS: Readonly<Record<RewindScope, string>> = {
  both: 'the conversation and the files',
  conversation: 'the conversation alone',
  files: 'the files alone',
};

type Step =
  | { readonly at: 'list' }
  | {
      readonly at: 'preview';
      readonly point: SessionRewindPoint;
      readonly lines: readonly PagerLine[];
      readonly scopes: readonly RewindScope[];
    }
  | {
      readonly at: 'sure';
      readonly point: SessionRewindPoint;
      readonly lines: readonly PagerLine[];
      readonly scope: RewindScope;
    }
  | {
      readonly at: 'done';
      readonly lines: readonly PagerLine[];
      /** Takes it back. */
      readonly undo: { readonly rewindId: string; readonly scope: RewindScope } | null;
    };

export function openRewind(parts: PanelParts): Pager {
  const { theme, bindings, refresh, query, store } = parts;
  let points: readonly SessionRewindPoint[] = [];
  let said: string | null = 'Looking for prompts …';
  let step: Step = { at: 'list' };
  let isBusy = true;
  const list = createListView<SessionRewindPoint>({
    items: () => points,
    row: (point, columns) => ({ text: oneLine(point.prompt, Math.max(20, columns - 40)), note: noteOf(point) }),
    theme,
    bindings,
    empty: 'There is no prompt to go back to.',
  });
  const text = createScrollView({ lines: () => (step.at === 'list' ? [] : step.lines), theme, bindings });
  const work = (what: () => Promise<void>): void => {
    isBusy = true;
    void what()
      .catch((error: unknown) => {
        said = faultText(error);
      })
      .then(() => {
        isBusy = false;
        refresh();
      });
  };
  work(async () => {
    const { id } = store.getState().session;
    points = id === null ? [] : [...(await listRewindPoints(id, placeOf(parts)))].reverse();
    said = null;
  });
  /** From the working directory, if it lies there. */
  const shownPath = (file: string): string => {
    const short = path.relative(store.getState().session.cwd, file);
    return escapeHidden(short === '' || leadsOut(short, path.sep) ? file : short);
  };
  const preview = (point: SessionRewindPoint): void =>
    work(async () => {
      said = null;
      const [conversation, files] = await Promise.all([
        query.rewind(point.uuid, { dryRun: true, scope: 'conversation' }),
        query.rewind(point.uuid, { dryRun: true, scope: 'files' }),
      ]);
      const can = (result: RewindResult): boolean => result.status !== 'rejected';
      const changesFiles = can(files) && (files.filesChanged?.length ?? 0) > 0;
      const scopes: RewindScope[] = [
        ...(can(conversation) && changesFiles ? (['both'] as const) : []),
        ...(can(conversation) ? (['conversation'] as const) : []),
        ...(changesFiles ? (['files'] as const) : []),
      ];
      step = {
        at: 'preview',
        point,
        scopes,
        lines: [...headLines(point), ...conversationLines(conversation), ...fileLines(files, shownPath)],
      };
    });
  const rewind = (point: SessionRewindPoint, scope: RewindScope): void =>
    work(async () => {
      // Before it is no longer a part of the conversation.
      const prompt = scope === 'files' ? null : await wholePrompt(point);
      const result = await query.rewind(point.uuid, { scope });
      const isDone = result.status === 'success' || result.status === 'partial';
      if (isDone && prompt !== null) parts.putDraft(prompt);
      if (isDone) parts.say([`Rewound ${WORDS[scope]}: ${oneLine(point.prompt, 60)}`]);
      step = {
        at: 'done',
        lines: doneLines(result, scope, prompt !== null, shownPath),
        undo: result.rewindId === undefined ? null : { rewindId: result.rewindId, scope },
      };
    });
  const wholePrompt = async (point: SessionRewindPoint): Promise<string> => {
    const { id } = store.getState().session;
    const messages = id === null ? [] : await getSessionMessages(id, { ...placeOf(parts), view: 'historical' });
    const message = messages.find(({ uuid }) => uuid === point.uuid);
    return promptText(message) ?? point.prompt;
  };
  const press = (key: string): boolean => {
    if (step.at === 'list') {
      if (key !== 'enter' || list.chosen === null) return false;
      preview(list.chosen);
      return true;
    }
    if (step.at === 'preview') {
      const scope = SCOPES[key];
      if (scope === undefined || !step.scopes.includes(scope)) return false;
      step = { at: 'sure', point: step.point, lines: step.lines, scope };
      return true;
    }
    if (step.at === 'sure') {
      const { point, scope } = step;
      if (key === 'y') rewind(point, scope);
      else {
        step = { at: 'list' };
        preview(point);
      }
      return true;
    }
    if (key !== 'u' || step.undo === null) return false;
    const { rewindId, scope } = step.undo;
    work(async () => {
      const result = await query.rewind(rewindId, { scope });
      step = { at: 'done', lines: doneLines(result, scope, false, shownPath), undo: null };
    });
    return true;
  };
  const footer = (): string => {
    if (said !== null) return said;
    if (isBusy) return step.at === 'sure' ? 'Setting back …' : 'Looking what would change …';
    switch (step.at) {
      case 'list':
        return 'Enter shows what would change  / searches  q closes';
      case 'preview': {
        if (step.scopes.length === 0) return 'Nothing can be set back.  q back to the prompts';
        const named = step.scopes.map((scope) => `${keyOf(scope)} ${scope}`);
        return `Sets back: ${named.join('  ')}.  q back to the prompts`;
      }
      case 'sure':
        return `Sets back ${WORDS[step.scope]}. y does it, any other key does not.`;
      default:
        return step.undo === null ? 'q closes' : 'u takes it back  q closes';
    }
  };
  return {
    title: 'Rewind',
    render(size) {
      const room = { columns: size.columns, rows: bodyRows(size) };
      const body = step.at === 'list' ? list.render(room) : text.render(room);
      const note = step.at === 'list' ? list.note : text.note;
      const search = step.at === 'list' ? list.search : text.search;
      return pagerWindow(
        {
          title: 'Rewind',
          note,
          body,
          footer: footer(),
          field: search === null ? null : { label: '/', field: search },
        },
        size,
        theme,
      );
    },
    handle(input) {
      const isTyped = (step.at === 'list' ? list.search : text.search) !== null;
      // A key that was meant for what stood there before must not decide.
      if (isBusy) return input.type === 'key' && input.key === 'ctrl+c' ? 'ignored' : 'taken';
      if (!isTyped && input.type === 'key' && input.key !== null && press(input.key)) return 'taken';
      said = null;
      const taken = step.at === 'list' ? list.handle(input) : text.handle(input);
      if (taken) return 'taken';
      const answer = closes(input, bindings);
      if (answer !== 'close' || step.at === 'list' || step.at === 'done') return answer;
      step = { at: 'list' };
      return 'taken';
    },
  };
}

function keyOf(scope: RewindScope): string {
  return Object.keys(SCOPES).find((key) => SCOPES[key] === scope) ?? '';
}

function noteOf({ at, filesChanged }: SessionRewindPoint): string {
  const files =
    filesChanged === null
      ? 'files not recorded'
      : filesChanged.length === 0
        ? null
        : count(filesChanged.length, 'file');
  return [at === undefined ? null : formatMoment(at), files].filter((fact) => fact !== null).join(' · ');
}

function headLines(point: SessionRewindPoint): PagerLine[] {
  return [
    { text: 'Back to before:', tone: 'heading' },
    { text: point.prompt, indent: 2, tone: 'prompt' },
    { text: '' },
  ];
}

function conversationLines({ status, removedMessageIds = [], error }: RewindResult): PagerLine[] {
  if (status === 'rejected')
    return [{ text: `Conversation: cannot be set back. ${escapeHidden(error ?? '')}`, tone: 'warning' }, { text: '' }];
  return [
    {
      text: `Conversation: ${count(removedMessageIds.length, 'message')} would no longer be a part of it. They stay in the transcript.`,
    },
    { text: '' },
  ];
}

function fileLines(
  { status, error, filesChanged = [], insertions = 0, deletions = 0, files }: RewindResult,
  shownPath: (file: string) => string,
): PagerLine[] {
  if (status === 'rejected')
    return [{ text: `Files: cannot be set back. ${escapeHidden(error ?? '')}`, tone: 'warning' }];
  const lines: PagerLine[] = [
    {
      text:
        filesChanged.length === 0
          ? 'Files: none would change.'
          : `Files: ${count(filesChanged.length, 'file')} would change (+${insertions} -${deletions} lines).`,
    },
    ...filesChanged.map((file): PagerLine => ({ text: shownPath(file), indent: 2 })),
  ];
  const left = files?.conflicts ?? [];
  if (left.length > 0)
    lines.push(
      { text: '' },
      { text: 'Left alone, because somebody else changed them:', tone: 'warning' },
      ...left.map((each): PagerLine => ({ text: `${shownPath(each.path)}: ${escapeHidden(each.message)}`, indent: 2 })),
    );
  const uncovered = files?.notCovered ?? [];
  if (uncovered.length > 0)
    lines.push(
      { text: '' },
      { text: 'Not recorded, so not set back:', tone: 'warning' },
      ...uncovered.map(
        (each): PagerLine => ({ text: escapeHidden(`${each.path ?? ''} ${each.message}`.trim()), indent: 2 }),
      ),
    );
  return lines;
}

function doneLines(
  result: RewindResult,
  scope: RewindScope,
  hasDraft: boolean,
  shownPath: (file: string) => string,
): PagerLine[] {
  const { status, error, filesChanged = [], failedFiles = [] } = result;
  if (status === 'rejected') return [{ text: `Nothing was changed. ${escapeHidden(error ?? '')}`, tone: 'bad' }];
  return [
    { text: `Set back: ${WORDS[scope]}.`, tone: 'good' },
    ...(hasDraft ? [{ text: 'The prompt is in the composer again.' }] : []),
    ...filesChanged.map((file): PagerLine => ({ text: shownPath(file), indent: 2 })),
    ...(failedFiles.length === 0 ? [] : [{ text: 'Left as they are:', tone: 'warning' } as const]),
    ...failedFiles.map(
      (each): PagerLine => ({ text: `${shownPath(each.path)}: ${escapeHidden(each.error)}`, indent: 2 }),
    ),
  ];
}
