// `turnwright login`, `logout` and `auth status`: keys that are kept for the next sessions. A key is typed without being
// shown, or piped in; it stands in no argument, and nothing ever prints one.
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { keyedProvider, keyStatus, type ProviderKeyStatus, removeKey, saveKey } from '../../sdk/models/index.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { readHidden } from './read-hidden.js';
import { HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright login [provider]: keeps the key of a provider, by default of anthropic.

  At a terminal it asks, and shows nothing of what is typed. Elsewhere: echo "$KEY" | turnwright login openai --with-key
  The key goes into credentials.json in TURNWRIGHT_HOME, which only you can read. A variable such as OPENAI_API_KEY
  comes before it.

turnwright logout [provider]         forgets it again
turnwright auth status [--json]      which providers have a key, where from, and which model answers; never the key
`;

const DEFAULT_PROVIDER = 'anthropic';
/** No key is longer. Bytes. */
const MAX_KEY = 64 * 1024;

/** @returns the exit code. @throws ConfigError */
export async function runLogin(argv: readonly string[], io: CliIo): Promise<number> {
  const { words, has } = readWords(argv, [HELP_FLAG, { name: 'with-key', takes: 'nothing' }]);
  if (has('help')) return tell(HELP, io);
  const { id, displayName, keyUrl } = await keyedProvider(oneWord(words), hostOf(io));
  const key = has('with-key') ? await readPiped(io) : await ask(displayName, keyUrl, id, io);
  if (key === null) {
    await io.err.write('Nothing was kept.\n');
    return EXIT_FAILURE;
  }
  const file = await saveKey(id, key, hostOf(io));
  await io.err.write(`The key for ${displayName} is kept in ${file}. To forget it: turnwright logout ${id}\n`);
  return EXIT_SUCCESS;
}

/** @returns the exit code; 1 if there was nothing to forget. @throws ConfigError */
export async function runLogout(argv: readonly string[], io: CliIo): Promise<number> {
  const { words, has } = readWords(argv, [HELP_FLAG]);
  if (has('help')) return tell(HELP, io);
  const { id, displayName } = await keyedProvider(oneWord(words), hostOf(io));
  const isGone = await removeKey(id, hostOf(io));
  await io.err.write(isGone ? `The key for ${displayName} is forgotten.\n` : `No key for ${displayName} was kept.\n`);
  return isGone ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** @returns the exit code. @throws ConfigError */
export async function runAuth(argv: readonly string[], io: CliIo): Promise<number> {
  const { words, has } = readWords(argv, [HELP_FLAG, { name: 'json', takes: 'nothing' }]);
  if (has('help') || words.length === 0) return tell(HELP, io);
  if (words.length !== 1 || words[0] !== 'status') {
    throw new ConfigError('"auth" has one command: turnwright auth status [--json].');
  }
  const status = await keyStatus(hostOf(io));
  if (status.problem !== null) await io.err.write(`warning: ${status.problem}\n`);
  if (has('json')) return tell(json(status), io);
  const known = status.providers.filter(({ source }) => source !== 'none');
  const width = Math.max(0, ...known.map(({ provider }) => provider.length));
  const lines = known.map((each) => `${each.provider.padEnd(width)}  ${sourceText(each)}`);
  const { chosen, whyNone } = status;
  const last = chosen === null ? whyNone : `Without --model, ${chosen.provider}/${chosen.model} answers.`;
  return tell(`${[...lines, last].join('\n')}\n`, io);
}

function sourceText({ source, variable }: ProviderKeyStatus): string {
  if (source === 'environment') return `key in ${variable}`;
  return source === 'login' ? 'key kept by login' : 'key in the configuration of the provider';
}

function oneWord(words: readonly string[]): string {
  if (words.length > 1) {
    // Perhaps the key itself: it is not repeated.
    throw new ConfigError('name one provider and nothing else. The key is asked for, or piped in with --with-key.');
  }
  return words[0] ?? DEFAULT_PROVIDER;
}

async function ask(displayName: string, keyUrl: string | null, id: string, io: CliIo): Promise<string | null> {
  if (io.stdin.isTTY !== true) {
    throw new ConfigError(`stdin is not a terminal. Pipe the key in: echo "$KEY" | turnwright login ${id} --with-key`);
  }
  const where = keyUrl === null ? '' : ` (${keyUrl})`;
  const question = `API key for ${displayName}${where}; what you type is not shown: `;
  return readHidden(io.stdin, question, (text) => io.err.write(text));
}

async function readPiped({ stdin }: CliIo): Promise<string> {
  if (stdin.isTTY === true) throw new ConfigError('--with-key takes the key from a pipe. Leave it out to be asked.');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_KEY) throw new ConfigError('what came on stdin is longer than any key. Nothing was kept.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function hostOf({ env }: CliIo): Host {
  return createNodeHost({ env });
}
