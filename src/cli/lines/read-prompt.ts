// Where prompts come from: a single one from the words of the command line, what is piped in, or both; many one by one, as the
// stream that a query reads.
import { fstatSync } from 'node:fs';
import { ConfigError } from '../../protocol/errors.js';
import type { SDKUserMessage } from '../../protocol/messages.js';
import type { InputStream } from '../cli-io.js';

/** Most that is taken from stdin, bytes. */
const MAX_STDIN_BYTES = 10 * 1024 * 1024;
/**
 * How long to wait for a first byte, milliseconds, if there is a prompt already and stdin is a socket. Parents
 * written in Node leave such a socket open without ever using it; those that mean it have written before we start.
 */
const UNUSED_SOCKET_MS = 500;
/** After this time of waiting for a pipe, milliseconds, a line says so. */
const WAIT_NOTE_MS = 3_000;

/**
 * The prompt: the given words first, then the piped text in a block of its own.
 * @param words the prompt on the command line, or undefined
 * @param say   writes one line for people
 * @throws ConfigError if there is none, or stdin cannot be used
 */
export async function readPrompt(
  words: string | undefined,
  stdin: InputStream,
  say: (line: string) => Promise<void>,
): Promise<string> {
  const hasWords = words !== undefined && words.trim() !== '';
  if (words !== undefined && !hasWords) throw new ConfigError('the prompt is empty.');
  if (stdin.isTTY === true) {
    if (hasWords) return words;
    throw new ConfigError(
      'no prompt. Write one after -p ("turnwright -p "what does this project do?""), or pipe it in.',
    );
  }
  const piped = stdin.isEmpty === true ? '' : await readPiped(stdin, hasWords, say);
  if (piped.trim() === '') {
    if (hasWords) return words;
    throw new ConfigError('no prompt: stdin was empty. Write one after -p, or pipe it in.');
  }
  return hasWords ? `${words}\n\n<stdin>\n${piped.replace(/\n$/, '')}\n</stdin>` : piped.trim();
}

/**
 * All that is piped in.
 * @param canDoWithout true: a socket on which nothing comes is not waited for
 * @throws ConfigError if it cannot be used
 */
export async function readPiped(
  stdin: InputStream,
  canDoWithout: boolean,
  say: (line: string) => Promise<void>,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const mayBeUnused = canDoWithout && isSocket(stdin);
  const outcome = await new Promise<'end' | 'unused' | 'too_long' | Error>((resolve) => {
    const unusedTimer = mayBeUnused ? setTimeout(() => resolve('unused'), UNUSED_SOCKET_MS) : undefined;
    const noteTimer = setTimeout(
      () => void say('waiting for stdin to end (</dev/null if there is none)'),
      WAIT_NOTE_MS,
    );
    const settle = (how: 'end' | 'too_long' | Error): void => {
      clearTimeout(unusedTimer);
      clearTimeout(noteTimer);
      resolve(how);
    };
    stdin.on('data', (chunk: Buffer | string) => {
      clearTimeout(unusedTimer);
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > MAX_STDIN_BYTES) settle('too_long');
      else chunks.push(bytes);
    });
    stdin.on('end', () => settle('end'));
    stdin.on('error', settle);
    if (mayBeUnused) clearTimeout(noteTimer);
  });
  stdin.destroy?.(); // an open stdin would keep the process alive
  if (outcome instanceof Error) throw new ConfigError(`stdin cannot be read: ${outcome.message}.`, { cause: outcome });
  if (outcome === 'too_long') throw new ConfigError('stdin is longer than 10 MiB. Put it in a file and name the file.');
  if (outcome === 'unused') {
    await say('nothing came on stdin within 0.5 s: going on without it (close it to save the wait)');
  }
  return decode(Buffer.concat(chunks));
}

function decode(bytes: Buffer): string {
  if (bytes.includes(0)) throw new ConfigError('stdin is not text. Put it in a file and name the file.');
  return bytes.toString('utf8');
}

function isSocket(stdin: InputStream): boolean {
  if (stdin.fd === undefined) return false;
  try {
    return fstatSync(stdin.fd).isSocket();
  } catch {
    // An unreadable descriptor fails when it is read, and that is reported.
    return false;
  }
}

/** Contract: for one reader; what is pushed is read once, in order. */
export interface PromptStream extends AsyncIterable<SDKUserMessage> {
  push(message: SDKUserMessage): void;
  /** Nothing follows; what waits is still read. */
  end(): void;
}

export function createPromptStream(): PromptStream {
  const waiting: SDKUserMessage[] = [];
  let isOver = false;
  let wake: () => void = () => undefined;
  return {
    push(message) {
      waiting.push(message);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
