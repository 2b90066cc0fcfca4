// The process of one MCP server with its pipes: messages in and out, what it says on stderr, and how it ended. In the
// sandbox where the session has one. One rule: it is never started in any other way than the session may start it.
import type { HostExec, RunningProcess } from '../../host/host.js';
import type { CommandSandbox, WrappedCommand } from '../../sandbox/command-sandbox.js';
import { createLineSplitter } from '../../util/line-splitter.js';
import { shorten, tailAtWord } from '../../util/text.js';
import type { StdioServerDefinition } from './definition.js';

import { serverEnvironment } from './server-environment.js';

/** The longest message of a server, bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** What is kept of its stderr, from the end. */
const STDERR_BYTES = 8_192;
/** What of it is told. */
const TOLD_CHARACTERS = 600;

/** What servers of one session are started with. */
export interface ServerPlace {
  readonly exec: Pick<HostExec, 'open'>;
  readonly cwd: string;
  /** Of the session. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null where servers run as they are. */
  readonly sandbox: CommandSandbox | null;
  /** Takes secrets out of what a server said. */
  hide(text: string): Promise<string>;
}

export interface ProcessListeners {
  onLine(line: string): void;
  onTooLong(head: string): void;
}

export interface ServerProcess {
  send(message: string): void;
  /** How it ended, for people, with what it said last; settles once. Never rejects. */
  readonly ended: Promise<string>;
  /** What it said last, for people; '' where it said nothing. */
  lastWords(): Promise<string>;
  /** After a call: takes back what the sandbox could not hold beforehand, and tells it. */
  inspect(): Promise<void>;
  /** Nothing of it is alive when this settles. May be called again. */
  stop(): Promise<void>;
}

/** @throws Error where it cannot be started, or not in the sandbox */
export async function startServerProcess(
  { command, args, env }: StdioServerDefinition,
  place: ServerPlace,
  { onLine, onTooLong }: ProcessListeners,
): Promise<ServerProcess> {
  const { sandbox, exec, cwd } = place;
  const environment = serverEnvironment(place.env, env);
  const confining = new AbortController();
  const plain = { command: [command, ...args], env: environment };
  const wrapped: WrappedCommand | null =
    (await sandbox?.wrap(plain.command, { cwd, env: environment, signal: confining.signal })) ?? null;
  let stderr = '';
  const decoder = new TextDecoder();
  const reader = createLineSplitter({ maxBytes: MAX_MESSAGE_BYTES, onLine, onTooLong });
  let running: RunningProcess;
  try {
    running = await exec.open({
      command: wrapped?.command ?? plain.command,
      env: wrapped?.env ?? environment,
      cwd,
      onStdout: (chunk) => reader.push(chunk),
      onStderr: (chunk) => {
        stderr = (stderr + decoder.decode(chunk, { stream: true })).slice(-STDERR_BYTES);
      },
    });
  } catch (error) {
    await wrapped?.ended('');
    throw error;
  }
  const lastWords = async () => {
    // Looked through before it is cut: half a secret would not be known for one.
    const clean = await place.hide(stderr);
    const shown = shorten(tailAtWord(clean.trim(), TOLD_CHARACTERS), TOLD_CHARACTERS);
    return shown === '' ? '' : ` It said last: ${shown}`;
  };
  const ended = running.ended.then(async ({ exitCode, signal }) => {
    confining.abort();
    await wrapped?.ended(stderr);
    const how = signal === null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signal}`;
    return `it ended (${how}).${await lastWords()}`;
  });
  return {
    // One that ended is told by `ended`.
    send: (message) => void running.write(`${message}\n`),
    ended,
    lastWords,
    inspect: async () => void (await wrapped?.inspect?.()),
    async stop() {
      await running.stop();
      await ended;
    },
  };
}
