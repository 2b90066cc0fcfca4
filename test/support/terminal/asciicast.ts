// A recording of a terminal that `asciinema play` shows again: what was written, typed and resized, and when.
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { TerminalSize } from './screen-reader.js';

export interface Asciicast {
  output(bytes: Uint8Array): void;
  input(text: string): void;
  resized(size: TerminalSize): void;
  /** Writes it into a file. @returns its path */
  save(name: string): string;
}

/** Longest recording, characters; its end is what a failure is about. */
const MAX_LENGTH = 20_000_000;

export function createAsciicast(size: TerminalSize): Asciicast {
  const began = performance.now();
  const decoder = new StringDecoder('utf8');
  const events: string[] = [];
  let length = 0;
  const add = (kind: 'o' | 'i' | 'r', text: string): void => {
    events.push(JSON.stringify([(performance.now() - began) / 1_000, kind, text]));
    length += text.length;
    while (length > MAX_LENGTH) length -= events.shift()?.length ?? length;
  };
  return {
    output: (bytes) => add('o', decoder.write(Buffer.from(bytes))),
    input: (text) => add('i', text),
    resized: ({ columns, rows }) => add('r', `${columns}x${rows}`),
    save(name) {
      const folder = join(tmpdir(), 'turnwright-casts');
      mkdirSync(folder, { recursive: true });
      const path = join(folder, `${name.replace(/[^\w.-]+/g, '-').slice(0, 120)}.cast`);
      const head = JSON.stringify({
        version: 2,
        width: size.columns,
        height: size.rows,
        env: { TERM: 'xterm-256color' },
      });
      writeFileSync(path, `${[head, ...events].join('\n')}\n`);
      return path;
    },
  };
}
