// The pagers by their names: those of actions, and the commands that open them where they are given no words.
import type { Face } from '../face.js';
import type { PanelParts } from './panel-parts.js';

const PANELS = [
  'transcript',
  'sessions',
  'rewind',
  'tasks',
  'model',
  'outputStyle',
  'context',
  'settings',
  'keys',
] as const;
export type PanelName = (typeof PANELS)[number];

export function isPanelName(name: string): name is PanelName {
  return (PANELS as readonly string[]).includes(name);
}

const COMMANDS: Readonly<Record<string, PanelName>> = {
  '/transcript': 'transcript',
  '/resume': 'sessions',
  '/sessions': 'sessions',
  '/rewind': 'rewind',
  '/tasks': 'tasks',
  '/model': 'model',
  '/output-style': 'outputStyle',
  '/context': 'context',
  '/config': 'settings',
  '/settings': 'settings',
  '/keys': 'keys',
};

/** The panel that a prompt opens in place of an answer; null for every other prompt, also such a command with words. */
export function panelOfPrompt(text: string): PanelName | null {
  const word = text.trim();
  return Object.hasOwn(COMMANDS, word) ? (COMMANDS[word] ?? null) : null;
}

/** Commands of the terminal's own, beside those of the session; a command of the session goes before one of these. */
export const FACE_COMMANDS = [
  { name: 'copy', description: 'Copies the last answer, or the one so many before', argumentHint: '[n]' },
  { name: 'exit', description: 'Leaves', aliases: ['quit'] },
  { name: 'keys', description: 'Shows which key does what' },
  { name: 'output-style', description: 'Chooses the output style' },
  { name: 'transcript', description: 'Shows the whole conversation' },
] as const;

export interface OpenPanelParts extends PanelParts {
  readonly openPager: Face['openPager'];
  /** Where other keys are written down. */
  readonly keysFile: string;
  /** The settings were written. */
  readonly onSettings: () => void;
}

/** Resolves when it is closed. */
export async function openPanel(name: PanelName, parts: OpenPanelParts): Promise<void> {
  await parts.openPager(await pagerOf(name, parts));
}

/** Each is loaded when it is opened. */
async function pagerOf(name: PanelName, parts: OpenPanelParts) {
  switch (name) {
    case 'transcript':
      return (await import('./transcript.js')).openTranscript(parts);
    case 'sessions':
      return (await import('./sessions.js')).openSessions(parts);
    case 'rewind':
      return (await import('./rewind.js')).openRewind(parts);
    case 'tasks':
      return (await import('./tasks.js')).openTasks(parts);
    case 'model':
      return (await import('./choose.js')).openModels(parts);
    case 'outputStyle':
      return (await import('./choose.js')).openOutputStyles(parts);
    case 'context':
      return (await import('./context.js')).openContext(parts);
    case 'settings':
      return (await import('./settings.js')).openSettings(parts, parts.onSettings);
    case 'keys':
      return (await import('./text-pager.js')).openKeys(parts, parts.keysFile);
  }
}
