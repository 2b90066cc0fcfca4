// The way to an MCP server that is a program: its process with its pipes and its environment, one message a line, what it
// says on stderr, and how it ended. In the sandbox if the session has one. One rule: it is never started in any other way than the session
// may start it.
import type { RunningProcess } from '../../host/host.js';
import type { WrappedCommand } from '../../sandbox/command-sandbox.js';
import { parseOrUndefined } from '../../util/json.js';
import { createLineSplitter } from '../../util/lines.js';
import { shorten, tailAtWord } from '../../util/text.js';
import type { StdioServerDefinition } from '../server-definition.js';
import type { McpTransport, TransportListeners, TransportPlace } from '../transport.js';

/** The longest message of a server, bytes. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** What is kept of its stderr, from the end. */
const STDERR_BYTES = 8_192;
/** What of it is told. */
const TOLD_CHARACTERS = 600;

export function createStdioTransport(definition: StdioServerDefinition, place: TransportPlace): McpTransport {
  return new StdioTransport(definition, place);
}

class StdioTransport implements McpTransport {
  readonly ended: Promise<string>;
  readonly #definition: StdioServerDefinition;
  readonly #place: TransportPlace;
  readonly #confining = new AbortController();
  #settle: (why: string) => void = () => undefined;
  #running: RunningProcess | null = null;
  #wrapped: WrappedCommand | null = null;
  #starting: Promise<void> | null = null;
  #isClosed = false;
  #stderr = '';

  constructor(definition: StdioServerDefinition, place: TransportPlace) {
    this.#definition = definition;
    this.#place = place;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  async start(listeners: TransportListeners): Promise<void> {
    this.#starting = this.#start(listeners);
    await this.#starting;
    if (this.#isClosed) throw new Error('the session ended.');
  }

  send(message: object): void {
    // One that ended is told by `ended`.
    void this.#running?.write(`${JSON.stringify(message)}\n`);
  }

  async lastWords(): Promise<string> {
    // Looked through before it is cut: half a secret would not be known for one.
    const clean = await this.#place.hide(this.#stderr);
    const shown = shorten(tailAtWord(clean.trim(), TOLD_CHARACTERS), TOLD_CHARACTERS);
    return shown === '' ? '' : ` It said last: ${shown}`;
  }

  async inspect(): Promise<void> {
    await this.#wrapped?.inspect?.();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting?.catch(() => undefined); // what could not be started has nothing to stop
    if (this.#running === null) return this.#settle('it was not started.');
    await this.#running.stop();
    await this.ended;
  }

  async #start({ onMessage, onGarbage, onLost }: TransportListeners): Promise<void> {
    const { command, args, env } = this.#definition;
    const { sandbox, exec, cwd } = this.#place;
    const environment = serverEnvironment(this.#place.env, env);
    const plain = [command, ...args];
    const { signal } = this.#confining;
    const wrapped = (await sandbox?.wrap(plain, { cwd, env: environment, signal, isLasting: true })) ?? null;
    const decoder = new TextDecoder();
    const reader = createLineSplitter({
      maxBytes: MAX_MESSAGE_BYTES,
      onLine(line) {
        const message = parseOrUndefined(line);
        if (message === undefined) onGarbage(line);
        else onMessage(message);
      },
      onTooLong: (head) => onLost(head, new Error(`it sent a message of more than ${MAX_MESSAGE_BYTES} bytes`)),
    });
    this.#wrapped = wrapped;
    try {
      this.#running = await exec.open({
        command: wrapped?.command ?? plain,
        env: wrapped?.env ?? environment,
        cwd,
        onStdout: (chunk) => reader.push(chunk),
        onStderr: (chunk) => {
          this.#stderr = (this.#stderr + decoder.decode(chunk, { stream: true })).slice(-STDERR_BYTES);
        },
      });
    } catch (error) {
      await wrapped?.ended('');
      this.#settle('it could not be started.');
      throw error;
    }
    void this.#running.ended.then(async ({ exitCode, signal: by }) => {
      this.#confining.abort();
      await wrapped?.ended(this.#stderr);
      const how = by === null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${by}`;
      this.#settle(`it ended (${how}).${await this.lastWords()}`);
    });
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that programs need to run at all. */
const NEEDED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  // Nested runs are found by it.
  'TURNWRIGHT_RUN_ID',
  // Windows.
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMDATA', 'PROGRAMFILES'],
  ...['SYSTEMDRIVE', 'SYSTEMROOT', 'USERNAME', 'USERPROFILE', 'WINDIR'],
]);

/** Nothing else of the session's, so that no server reads the keys of another. @param env of the session */
function serverEnvironment(env: Env, own: Readonly<Record<string, string>>): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // A value such as `() { …` would be a function of a shell.
    if (value === undefined || value.startsWith('()')) continue;
    if (NEEDED.has(name.toUpperCase()) || name.startsWith('LC_')) given[name] = value;
  }
  return { ...given, ...own };
}
