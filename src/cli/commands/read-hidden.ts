// Reads one line at a terminal without showing it. One rule: the terminal is as it was before, whatever happens.
import { StringDecoder } from 'node:string_decoder';
import type { InputStream } from '../cli-io.js';

/** Escape, a bracket, what follows. */
const TERMINAL_SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*[~A-Za-z]`, 'g');
const ENTER = /[\r\n]/;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const BACKSPACES = ['\u007f', '\b'];

type Terminal = InputStream & { setRawMode?(isRaw: boolean): unknown };

/**
 * Null if the person left by Ctrl-C or Ctrl-D, or the input ended.
 * @param question shown only once the terminal shows nothing: whoever sees it may type
 * @param write puts the line end on the screen too, since the terminal does not
 */
export async function readHidden(
  input: Terminal,
  question: string,
  write: (text: string) => Promise<void>,
): Promise<string | null> {
  const decoder = new StringDecoder('utf8');
  input.setRawMode?.(true);
  await write(question);
  const line = await new Promise<string | null>((resolve) => {
    let typed = '';
    const settle = (result: string | null): void => {
      input.off('data', onData);
      input.off('end', onEnd);
      input.off('error', onEnd);
      resolve(result);
    };
    const onEnd = (): void => settle(null);
    const onData = (chunk: Buffer | string): void => {
      // A paste may bring its own marks, and arrow keys their sequences: neither is part of a key.
      const text = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).replace(TERMINAL_SEQUENCE, '');
      for (const character of text) {
        if (ENTER.test(character) || character === CTRL_C || (character === CTRL_D && typed === '')) {
          settle(ENTER.test(character) ? typed : null);
          return;
        }
        if (BACKSPACES.includes(character)) typed = typed.slice(0, -1);
        else if (character === CTRL_U) typed = '';
        else if (character >= ' ') typed += character;
      }
    };
    input.on('data', onData);
    input.on('end', onEnd);
    input.on('error', onEnd);
    input.resume();
  });
  input.setRawMode?.(false);
  input.pause();
  await write('\n');
  return line;
}
