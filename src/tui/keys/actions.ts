// Every action of the terminal that a key starts, with its default keys and a sentence for the list of keys. Data.

/** The places in which a key counts. What counts everywhere is at no other place. */
export type ActionPlace = 'prompt' | 'pager';

export interface Action {
  readonly name: string;
  readonly place: ActionPlace;
  /** In the form of `keyName`. */
  readonly keys: readonly string[];
  /** What it does, for people. */
  readonly does: string;
  /** True: its keys stay what they are, so that there is always a way out. */
  readonly isFixed?: true;
}

/** In the order of the list of keys. */
export const ACTIONS = [
  {
    name: 'send',
    place: 'prompt',
    keys: ['enter'],
    does: 'sends the prompt; while it works, it joins at the next step',
  },
  {
    name: 'queue',
    place: 'prompt',
    keys: ['tab'],
    does: 'while it works: queues the prompt for later; Up takes it back',
  },
  {
    name: 'newLine',
    place: 'prompt',
    keys: ['shift+enter', 'alt+enter', 'ctrl+j'],
    does: 'begins a new line; so does \\ before Enter',
  },
  {
    name: 'interrupt',
    place: 'prompt',
    keys: ['escape'],
    does: 'closes what is open, else interrupts; twice on an empty prompt: rewind',
    isFixed: true,
  },
  {
    name: 'clear',
    place: 'prompt',
    keys: ['ctrl+c'],
    does: 'clears the prompt, else interrupts; twice on an empty prompt: leaves',
    isFixed: true,
  },
  { name: 'leave', place: 'prompt', keys: ['ctrl+d'], does: 'twice on an empty prompt: leaves' },
  { name: 'historySearch', place: 'prompt', keys: ['ctrl+r'], does: 'searches earlier prompts' },
  { name: 'transcript', place: 'prompt', keys: ['ctrl+o'], does: 'shows the whole conversation' },
  { name: 'tasks', place: 'prompt', keys: ['ctrl+t'], does: 'shows what runs in the background, and the todos' },
  { name: 'externalEditor', place: 'prompt', keys: ['ctrl+g'], does: 'edits the prompt in $VISUAL or $EDITOR' },
  { name: 'pasteImage', place: 'prompt', keys: ['ctrl+v'], does: 'adds the image of the clipboard' },
  { name: 'undo', place: 'prompt', keys: ['ctrl+-'], does: 'takes back the last change of the prompt' },
  { name: 'nextMode', place: 'prompt', keys: ['shift+tab'], does: 'changes the permission mode' },
  { name: 'background', place: 'prompt', keys: ['ctrl+b'], does: 'sends what runs to the background' },
  { name: 'redraw', place: 'prompt', keys: ['ctrl+l'], does: 'shows the last turns again, at this width' },
  { name: 'suspend', place: 'prompt', keys: ['ctrl+z'], does: 'suspends Turnwright; `fg` brings it back' },
  { name: 'keys', place: 'prompt', keys: ['?'], does: 'on an empty prompt: shows this list' },
  { name: 'rewind', place: 'prompt', keys: [], does: 'chooses a prompt to go back to' },
  { name: 'sessions', place: 'prompt', keys: [], does: 'shows earlier sessions' },
  { name: 'model', place: 'prompt', keys: ['alt+p'], does: 'chooses the model' },
  { name: 'outputStyle', place: 'prompt', keys: [], does: 'chooses the output style' },
  { name: 'context', place: 'prompt', keys: [], does: 'shows what fills the context window' },
  { name: 'settings', place: 'prompt', keys: [], does: 'shows and changes settings' },
  { name: 'copy', place: 'prompt', keys: [], does: 'copies the last answer' },
  { name: 'pager.close', place: 'pager', keys: ['q', 'escape'], does: 'closes' },
  { name: 'pager.down', place: 'pager', keys: ['down', 'j'], does: 'one line down' },
  { name: 'pager.up', place: 'pager', keys: ['up', 'k'], does: 'one line up' },
  { name: 'pager.pageDown', place: 'pager', keys: ['pageDown', 'space', 'ctrl+f'], does: 'one page down' },
  { name: 'pager.pageUp', place: 'pager', keys: ['pageUp', 'b', 'ctrl+b'], does: 'one page up' },
  { name: 'pager.top', place: 'pager', keys: ['home', 'g'], does: 'to the top' },
  { name: 'pager.bottom', place: 'pager', keys: ['end', 'shift+g'], does: 'to the end' },
  { name: 'pager.search', place: 'pager', keys: ['/'], does: 'searches' },
  { name: 'pager.next', place: 'pager', keys: ['n'], does: 'next match' },
  { name: 'pager.previous', place: 'pager', keys: ['shift+n'], does: 'match before' },
  { name: 'pager.nextPrompt', place: 'pager', keys: [']', 'tab'], does: 'next prompt' },
  { name: 'pager.previousPrompt', place: 'pager', keys: ['[', 'shift+tab'], does: 'prompt before' },
] as const satisfies readonly Action[];

export type ActionName = (typeof ACTIONS)[number]['name'];

export function isActionName(name: string): name is ActionName {
  return ACTIONS.some((action) => action.name === name);
}
