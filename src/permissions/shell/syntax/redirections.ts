// Redirections: which files they open, and what a command reads as its input.
import type { HereDoc, Redirect, Redirection } from 'unbash';
import { addFile } from '../programs/file-uses.js';
import { type Input, sayUnknown } from '../reader.js';
import { expandOperand } from './expand-word.js';
import { readWord } from './shell-word.js';
import { noteText, type WordWalk, walkParts, walkWord } from './walk-words.js';

/**
 * Notes the files of redirections and walks the words in them.
 * @returns the text that the command reads as its input; null where it reads a file; undefined where nothing is said
 */
export function readRedirections(walk: WordWalk, redirections: readonly Redirection[]): Input | undefined {
  let input: Input | undefined;
  for (const item of redirections) {
    const { descriptor } = item;
    if (descriptor?.type === 'FileDescriptorVariable') noteText(walk.reader, descriptor.name, null);
    const isInput = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0);
    if (item.type === 'HereDoc') {
      walkParts(walk, item.body.parts);
      if (isInput) input = documentText(item);
    } else if (item.type === 'HereString') {
      if (item.target !== undefined) walkWord(walk, item.target);
      if (isInput) input = item.target === undefined ? null : readWord(item.target).value;
    } else {
      readRedirect(walk, item);
      if (isInput && item.operator.startsWith('<')) input = null;
    }
  }
  return input;
}

/** The text of a heredoc where nothing in it is expanded. */
function documentText({ delimiter, body, operator }: HereDoc): Input {
  // Tabs at the start of lines go; commands do not mind them, other texts might.
  const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
  if (delimiter?.quoted === true) return text;
  return /[$`\\]/.test(text) ? null : text;
}

function readRedirect(walk: WordWalk, { operator, target }: Redirect): void {
  if (target === undefined) {
    sayUnknown(walk.reader, 'a redirection has no target');
    return;
  }
  walkWord(walk, target);
  const word = expandOperand(walk.reader, walk.state, target);
  const isCopy = operator === '>&' || operator === '<&';
  // A descriptor is copied, closed or moved.
  if (isCopy && word.value !== null && /^(?:\d+-?|-)$/.test(word.value)) return;
  if (operator === '<&') {
    // Anything but a descriptor is an error.
    return;
  }
  if (word.value !== null && /^\/dev\/(?:tcp|udp)\//.test(word.value))
    sayUnknown(walk.reader, 'a redirection opens a connection to the network');
  else if (word.value === null && word.head.startsWith('/dev/'))
    sayUnknown(walk.reader, 'a redirection may open a connection to the network');
  const user = { by: 'redirection', program: null } as const;
  if (operator === '<' || operator === '<>') addFile(walk, word, { ...user, access: 'read' });
  if (operator !== '<') addFile(walk, word, { ...user, access: 'write' });
}
