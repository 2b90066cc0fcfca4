// The pagers by their names: those of actions, and the commands that open them when they are given no words.

export const PANELS = [
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

/** Commands of the terminal's own, beside those of the session. */
export const FACE_COMMANDS = [
  { name: 'copy', description: 'Copies the last answer, or the one so many before', argumentHint: '[n]' },
  { name: 'exit', description: 'Leaves', aliases: ['quit'] },
  { name: 'keys', description: 'Shows which key does what' },
  { name: 'output-style', description: 'Chooses the output style' },
  { name: 'transcript', description: 'Shows the whole conversation' },
] as const;
