// `turnwright mcp`: the MCP servers of files: adding, listing, trying, removing; signing in; and the tools of this program as
// a server. No value of a header or a variable is ever shown. What stands behind the command of a program, or behind `--`, is
// the program's own, dashes or not.
import { createInterface } from 'node:readline';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { serveTools } from '../../sdk/faces/index.js';
import {
  addFiledServer,
  type FiledServer,
  filedServers,
  type McpScope,
  probeServers,
  removeFiledServer,
  serverAuth,
} from '../../sdk/mcp/index.js';
import type { Options } from '../../sdk/options/index.js';
import { isRecord } from '../../util/json.js';
import { createLineSplitter } from '../../util/lines.js';
import { errorText, shorten } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { parseArgs, resolveFolders } from '../args/index.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { openPage } from '../questions/index.js';
import { readHidden } from './read-hidden.js';
import { type CommandFlag, type CommandWords, HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright mcp: servers of tools, by the Model Context Protocol.

  turnwright mcp add <name> -- <command> [args]      a program
  turnwright mcp add --transport http <name> <url>   a server by HTTP; sse for an older one
  turnwright mcp add-json <name> <json>              a definition as it stands
  turnwright mcp list                                which there are, and whether they can be reached
  turnwright mcp get <name>                          one of them
  turnwright mcp test <name>                         start it, and show its tools
  turnwright mcp accept <name>                       what its tools say of themselves by now counts as known
  turnwright mcp remove <name>                       take it out of its file
  turnwright mcp login <name>                        sign in, in a browser of yours
  turnwright mcp logout <name>                       forget that again
  turnwright mcp serve                               the tools of this program as a server, on stdin and stdout

  --scope <scope>        add, add-json, remove: local (yours, in this project; the usual), project (.mcp.json), user
  --transport <kind>     add: stdio (the usual), http, sse
  --env <NAME=value>     add: a variable of the program; several times
  --header <"Name: v">   add: a header of each request; several times
  --client-id <id>       add: a client that you registered by hand
  --client-secret        add: its secret is asked for, or stands in MCP_CLIENT_SECRET
  --callback-port <n>    add: the port that it was registered to come back to
  --no-browser           login: only show the address; paste the one that the browser comes back to
  --trust                list, get, test, accept, serve: as if somebody vouched for the folder
  --json                 list, get, test: for programs

  serve takes the flags of a run that say what may be done: "turnwright --help" lists them. Whatever would be asked about
  is denied.
`;

const FLAGS: readonly CommandFlag[] = [
  HELP_FLAG,
  { name: 'scope', short: 's', takes: 'value' },
  { name: 'trust', takes: 'nothing' },
  { name: 'json', takes: 'nothing' },
  { name: 'no-browser', takes: 'nothing' },
];
const SCOPES: readonly McpScope[] = ['local', 'project', 'user'];
const LIST_TIMEOUT_MS = 10_000;
const TEST_TIMEOUT_MS = 30_000;
const TOOL_COLUMNS = 90;
/** Of a message to the tools as a server. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

type Verb = (words: CommandWords, io: CliIo) => Promise<number>;

const VERBS: Readonly<Record<string, Verb>> = { list, get, remove, test, accept, login, logout };

/** @returns the exit code. @throws ConfigError */
export async function runMcp(argv: readonly string[], io: CliIo): Promise<number> {
  const [verb, ...rest] = argv;
  if (verb === 'add') return rest.some(isHelp) ? tell(HELP, io) : add(rest, io);
  if (verb === 'add-json') return rest.some(isHelp) ? tell(HELP, io) : addJson(readWords(rest, FLAGS), io);
  if (verb === 'serve') return rest.some(isHelp) ? tell(HELP, io) : serve(rest, io);
  const words = readWords(argv, FLAGS);
  const [name] = words.words;
  if (words.has('help') || name === undefined) return tell(HELP, io);
  const run = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (run !== undefined) return run(words, io);
  throw new ConfigError(
    `unknown command "mcp ${name.slice(0, 60)}". Commands: add, add-json, ${Object.keys(VERBS).join(', ')} and serve.`,
  );
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

async function add(argv: readonly string[], io: CliIo): Promise<number> {
  const { name, scope, config, wantsSecret } = readAddWords(argv);
  let whole = config;
  if (wantsSecret) {
    const secret = io.env['MCP_CLIENT_SECRET'] || (await askSecret(io));
    if (!secret) throw new ConfigError('--client-secret needs the secret: type it, or put it into MCP_CLIENT_SECRET.');
    whole = { ...config, oauth: { ...(config['oauth'] as object), clientSecret: secret } };
  }
  return keep(name, scopeOf(scope), whole, io);
}

async function addJson({ words, value }: CommandWords, io: CliIo): Promise<number> {
  const [name, text, more] = words;
  if (name === undefined || text === undefined || more !== undefined)
    throw new ConfigError(`write: turnwright mcp add-json <name> '{"type": "http", "url": "https://…"}'`);
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    throw new ConfigError('the definition is not JSON. Put it in quotes for the shell.');
  }
  if (!isRecord(config)) throw new ConfigError('the definition is not a JSON object.');
  return keep(name, scopeOf(value('scope')), config, io);
}

async function keep(name: string, scope: McpScope, config: object, io: CliIo): Promise<number> {
  const { file, unknown } = await addFiledServer(createNodeHost({ env: io.env }), io.startedIn(), scope, name, config);
  if (unknown.length > 0) await io.err.write(`warning: ${unknown.join(', ')} of it has no effect.\n`);
  await io.err.write(`Added ${escapeHidden(name)} (${scope}: ${file}).\n`);
  if (scope === 'project') await io.err.write('Who works in this folder is asked before it is used.\n');
  return EXIT_SUCCESS;
}

async function askSecret({ stdin, err }: CliIo): Promise<string | null> {
  if (stdin.isTTY !== true) return null;
  return readHidden(stdin, 'Client secret; what you type is not shown: ', (text) => err.write(text));
}

function scopeOf(scope = 'local'): McpScope {
  const found = SCOPES.find((each) => each === scope);
  if (found !== undefined) return found;
  throw new ConfigError(`--scope is one of ${SCOPES.join(', ')}, not ${JSON.stringify(scope.slice(0, 60))}.`);
}

/** The servers of files, and how the probe found those of `names`. */
async function look(words: CommandWords, io: CliIo, timeoutMs: number, only?: string, accepts = false) {
  const host = createNodeHost({ env: io.env });
  const [cwd, isTrusted] = [io.startedIn(), words.has('trust')];
  const filed = (await filedServers(host, cwd, isTrusted)).filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && filed.length === 0) throw noServer(only);
  const names = filed.map(({ name }) => name);
  const probed = filed.length === 0 ? [] : await probeServers(host, { cwd, timeoutMs, isTrusted, names, accepts });
  return filed.map((server) => ({ ...server, probed: probed.find(({ name }) => name === server.name) ?? null }));
}

type Looked = Awaited<ReturnType<typeof look>>[number];

async function list(words: CommandWords, io: CliIo): Promise<number> {
  const looked = await look(words, io, LIST_TIMEOUT_MS);
  if (words.has('json')) return tell(json(looked.map(asData)), io);
  if (looked.length === 0) return tell('No MCP servers. Add one: turnwright mcp add <name> -- <command>\n', io);
  const width = Math.max(...looked.map(({ name }) => name.length));
  const lines = looked.map((server) => `${server.name.padEnd(width)}  ${addressOf(server)}  ${statusOf(server)}`);
  return tell(`${lines.map(escapeHidden).join('\n')}\n`, io);
}

async function get(words: CommandWords, io: CliIo): Promise<number> {
  const [server] = await look(words, io, LIST_TIMEOUT_MS, nameOf(words));
  if (server === undefined) throw noServer(nameOf(words));
  if (words.has('json')) return tell(json(asData(server)), io);
  const { env, headers, headersHelper, oauth } = isRecord(server.config) ? server.config : {};
  const rows = [
    ['scope', `${server.scope} (${server.file})`],
    ['status', statusOf(server)],
    ['address', addressOf(server)],
    ...(isRecord(env) ? [['variables', Object.keys(env).join(', ')]] : []),
    ...(isRecord(headers) ? [['headers', Object.keys(headers).join(', ')]] : []),
    ...(headersHelper === undefined ? [] : [['headersHelper', String(headersHelper)]]),
    ...(isRecord(oauth) && oauth['clientId'] !== undefined ? [['client', String(oauth['clientId'])]] : []),
  ];
  const lines = rows.map(([key = '', value = '']) => `  ${key.padEnd(13)}  ${value}`);
  const remove = `  To remove it: turnwright mcp remove ${server.name} --scope ${server.scope}`;
  return tell(`${[server.name, ...lines, remove].map(escapeHidden).join('\n')}\n`, io);
}

async function test(words: CommandWords, io: CliIo): Promise<number> {
  const [server] = await look(words, io, TEST_TIMEOUT_MS, nameOf(words));
  const probed = server?.probed ?? null;
  const isGood = probed?.status === 'connected';
  if (server !== undefined && words.has('json')) await tell(json(asData(server)), io);
  else if (server !== undefined) {
    const lines = [
      `${server.name}: ${statusOf(server)}${isGood ? `, ready after ${probed.readyMs} ms` : ''}`,
      ...(probed?.tools ?? []).map(
        ({ name, description = '' }) => `  ${name}  ${shorten(description.replace(/\s+/g, ' '), TOOL_COLUMNS)}`,
      ),
      ...strangeTools(server.name, probed?.strange ?? []),
    ];
    await tell(`${lines.map(escapeHidden).join('\n')}\n`, io);
  }
  return isGood ? EXIT_SUCCESS : EXIT_FAILURE;
}

function strangeTools(server: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const those = names.length === 1 ? 'This one says' : 'These say';
  return [
    `${those} something else than ever before, and calls are asked about: ${names.join(', ')}.`,
    `If that is as it should be: turnwright mcp accept ${server}`,
  ];
}

async function accept(words: CommandWords, io: CliIo): Promise<number> {
  const [server] = await look(words, io, TEST_TIMEOUT_MS, nameOf(words), true);
  if (server?.probed?.status !== 'connected') {
    if (server !== undefined) await io.err.write(`${escapeHidden(`${server.name}: ${statusOf(server)}`)}\n`);
    return EXIT_FAILURE;
  }
  const { strange, tools } = server.probed;
  if (strange.length === 0) return tell(`${escapeHidden(server.name)}: all of its tools say what is known.\n`, io);
  const shown = tools.filter(({ name }) => strange.includes(name));
  const lines = [
    `${server.name}: what these tools say counts as known from now on.`,
    ...shown.map(({ name, description = '' }) => `  ${name}  ${description}`),
  ];
  return tell(`${lines.map(escapeHidden).join('\n')}\n`, io);
}

async function remove(words: CommandWords, io: CliIo): Promise<number> {
  const name = nameOf(words);
  const host = createNodeHost({ env: io.env });
  const given = words.value('scope');
  const scopes = given === undefined ? SCOPES : [scopeOf(given)];
  for (const scope of scopes) {
    const file = await removeFiledServer(host, io.startedIn(), scope, name);
    if (file === null) continue;
    await io.err.write(`Removed ${escapeHidden(name)} (${scope}: ${file}).\n`);
    return EXIT_SUCCESS;
  }
  const elsewhere = (await filedServers(host, io.startedIn(), false)).find((server) => server.name === name);
  if (elsewhere === undefined) throw noServer(name);
  throw new ConfigError(`${name} stands in ${elsewhere.file} (${elsewhere.scope}). Take it out there.`);
}

async function login(words: CommandWords, io: CliIo): Promise<number> {
  const name = nameOf(words);
  return signIn(name, { opensBrowser: !words.has('no-browser') }, io);
}

async function logout(words: CommandWords, io: CliIo): Promise<number> {
  const name = nameOf(words);
  const auth = await serverAuth(createNodeHost({ env: io.env }), io.startedIn(), name);
  await auth.clear();
  await io.err.write(`What was kept of ${escapeHidden(name)} is forgotten.\n`);
  return EXIT_SUCCESS;
}

function nameOf({ words }: CommandWords): string {
  const [verb, name, more] = words;
  if (name !== undefined && more === undefined) return name;
  throw new ConfigError(`name one server: turnwright mcp ${verb} <name>`);
}

function noServer(name: string): ConfigError {
  return new ConfigError(`there is no MCP server "${name.slice(0, 60)}" here. "turnwright mcp list" shows them.`);
}

const STATES: Readonly<Record<FiledServer['state'], string>> = {
  used: '',
  not_trusted: 'not used: nobody vouches for it as it stands',
  not_enabled: 'not used: settings do not name it',
  disabled: 'switched off by settings',
};

function statusOf({ state, probed, name }: Looked): string {
  if (state !== 'used') return STATES[state];
  if (probed === null) return 'not used';
  if (probed.status === 'connected') return `connected (${probed.tools.length} tools)`;
  if (probed.status === 'needs-auth') return `needs you to sign in: turnwright mcp login ${name}`;
  return `${probed.status}${probed.error === undefined ? '' : `: ${probed.error}`}`;
}

/** Without what may be secret: a query, and words behind a flag stay as they are. */
function addressOf({ config }: Looked): string {
  const { url, command, args = [], type } = isRecord(config) ? config : {};
  if (typeof url === 'string') return `${url.replace(/\?.*$/, '?…')} (${typeof type === 'string' ? type : 'http'})`;
  return [command, ...(Array.isArray(args) ? args : [])].join(' ');
}

function asData({ name, scope, file, state, config, probed }: Looked): object {
  const hidden = (values: unknown) =>
    isRecord(values) ? Object.fromEntries(Object.keys(values).map((key) => [key, '***'])) : undefined;
  const { env, headers, oauth, ...rest } = isRecord(config) ? config : {};
  const shown = {
    ...rest,
    ...(env === undefined ? {} : { env: hidden(env) }),
    ...(headers === undefined ? {} : { headers: hidden(headers) }),
    ...(isRecord(oauth)
      ? { oauth: { ...oauth, ...(oauth['clientSecret'] === undefined ? {} : { clientSecret: '***' }) } }
      : {}),
  };
  const { status = null, error, tools = [], strange = [], readyMs } = probed ?? {};
  const names = tools.map((tool) => tool.name);
  return { name, scope, file, state, config: shown, status, error, readyMs, tools: names, strange };
}

// `turnwright mcp login`: the browser of the user, or the address that somebody pastes if there is none. One rule: an
// address of a server is opened without a shell, and only after it was checked.

/** @returns the exit code. @throws ConfigError */
async function signIn(name: string, { opensBrowser }: { readonly opensBrowser: boolean }, io: CliIo): Promise<number> {
  const host = createNodeHost({ env: io.env });
  const auth = await serverAuth(host, io.startedIn(), name);
  const shown = escapeHidden(name);
  const reader = createInterface({ input: io.stdin, terminal: false });
  try {
    const { authUrl, done } = await auth.begin();
    await io.err.write(`Sign in to ${shown} at this address:\n\n  ${authUrl}\n\n`);
    if (opensBrowser && (await openPage(authUrl)) !== null) await io.err.write('No browser could be opened here.\n');
    await io.err.write('No browser on this machine? Paste the address that it comes back to, and press Enter.\n');
    await Promise.race([done, pasted(reader, auth.submit, io), gone(io.lifetime.signal)]);
  } catch (error) {
    await io.err.write(`${shown}: ${escapeHidden(errorText(error))}.\n`);
    return EXIT_FAILURE;
  } finally {
    reader.close();
    auth.close();
    io.stdin.destroy?.();
  }
  const [probed] = await probeServers(host, {
    cwd: io.startedIn(),
    timeoutMs: 30_000,
    isTrusted: false,
    names: [name],
  });
  const isGood = probed?.status === 'connected';
  const why = escapeHidden(probed?.error ?? 'it is not used here');
  await io.err.write(
    isGood ? `You are signed in to ${shown}.\n` : `You are signed in, but ${shown} cannot be used: ${why}\n`,
  );
  return isGood ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** Settles with an address that is the answer; never if none comes. */
function pasted(
  reader: ReturnType<typeof createInterface>,
  submit: (callback: string) => Promise<void>,
  io: CliIo,
): Promise<void> {
  return new Promise((resolve) => {
    reader.on('line', (line) => {
      if (line.trim() === '') return;
      submit(line).then(resolve, (error: unknown) =>
        io.err.write(`That did not work: ${escapeHidden(errorText(error))}.\n`),
      );
    });
  });
}

function gone(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new ConfigError('nobody signed in'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}

/**
 * `turnwright mcp serve`: the tools of this program on stdin and stdout, for any MCP client. Stdout carries the protocol and
 * nothing else.
 * @param argv flags of a run
 * @returns the exit code, once stdin ended
 * @throws ConfigError
 */
async function serve(argv: readonly string[], io: CliIo): Promise<number> {
  const { options, prompt, mcpConfigs } = parseArgs(argv);
  if (prompt !== undefined)
    throw new ConfigError(`unexpected argument "${prompt.slice(0, 60)}": serve takes flags alone.`);
  if (mcpConfigs.length > 0)
    throw new ConfigError('serve has the tools of this program only, so --mcp-config means nothing.');
  const folders = resolveFolders(options, io.startedIn());
  const server = serveTools({ ...folders, host: createNodeHost({ env: io.env }) } as Options, (line) => {
    void io.out.write(`${line}\n`);
  });
  const reader = createLineSplitter({
    maxBytes: MAX_MESSAGE_BYTES,
    onLine: (line) => (line.trim() === '' ? undefined : server.receive(line)),
    onTooLong: () => server.receive('null'),
  });
  await new Promise<void>((resolve) => {
    io.stdin.on('data', (chunk: Buffer | string) =>
      reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
    );
    io.stdin.on('end', resolve);
    io.stdin.on('error', () => resolve());
    io.lifetime.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.close();
  return EXIT_SUCCESS;
}

interface AddWords {
  readonly name: string;
  readonly scope: string | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  /** Its client secret is asked for. */
  readonly wantsSecret: boolean;
}

const VALUES: Readonly<Record<string, string>> = {
  '--scope': 'scope',
  '-s': 'scope',
  '--transport': 'transport',
  '-t': 'transport',
  '--env': 'env',
  '-e': 'env',
  '--header': 'header',
  '-H': 'header',
  '--client-id': 'clientId',
  '--callback-port': 'callbackPort',
};
const KINDS = ['stdio', 'http', 'sse'];
const USAGE =
  'write: turnwright mcp add <name> -- <command> [args], or turnwright mcp add --transport http <name> <url>';

/** @throws ConfigError */
export function readAddWords(argv: readonly string[]): AddWords {
  const words: string[] = [];
  const given: Record<string, string[]> = {};
  let wantsSecret = false;
  for (let at = 0; at < argv.length; at += 1) {
    const token = argv[at] ?? '';
    const [flag = '', ...rest] = token.split('=');
    const key = Object.hasOwn(VALUES, flag) ? VALUES[flag] : undefined;
    // The command of a program is there: the rest is the program's.
    const isProgram =
      words.length >= 2 && !isAddress(words[1] ?? '') && (given['transport']?.at(-1) ?? 'stdio') === 'stdio';
    if (token === '--') {
      words.push(...argv.slice(at + 1));
      break;
    }
    if (isProgram || !token.startsWith('-')) words.push(token);
    else if (token === '--client-secret') wantsSecret = true;
    else if (key === undefined)
      throw new ConfigError(`unknown flag ${token.slice(0, 60)}. The program's own flags stand behind --.`);
    else {
      const value = rest.length > 0 ? rest.join('=') : argv[++at];
      if (value === undefined || value === '') throw new ConfigError(`${flag} needs a value.`);
      given[key] = [...(given[key] ?? []), value];
    }
  }
  const [name, target, ...args] = words;
  if (name === undefined || target === undefined) throw new ConfigError(USAGE);
  const kind = given['transport']?.at(-1) ?? (isAddress(target) ? 'http' : 'stdio');
  if (!KINDS.includes(kind))
    throw new ConfigError(`--transport is one of ${KINDS.join(', ')}, not ${JSON.stringify(kind.slice(0, 60))}.`);
  const config = kind === 'stdio' ? programOf(target, args, given) : addressOfWord(kind, target, args, given);
  if (wantsSecret && given['clientId'] === undefined) throw new ConfigError('--client-secret needs --client-id.');
  return { name, scope: given['scope']?.at(-1), config, wantsSecret };
}

function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

type Given = Readonly<Record<string, readonly string[]>>;

function programOf(command: string, args: readonly string[], given: Given) {
  refuse(given, ['header', 'clientId', 'callbackPort'], 'a server by HTTP');
  const env = pairs(given['env'] ?? [], /^([A-Za-z_]\w*)=([\s\S]*)$/, '--env', 'NAME=value');
  return {
    type: 'stdio',
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

function addressOfWord(kind: string, url: string, args: readonly string[], given: Given) {
  if (args.length > 0)
    throw new ConfigError(
      `unexpected argument "${(args[0] ?? '').slice(0, 60)}": a server by HTTP has an address alone.`,
    );
  refuse(given, ['env'], 'a program');
  const headers = pairs(given['header'] ?? [], /^([^:\s]+):\s*(.*)$/, '--header', '"Name: value"');
  const port = given['callbackPort']?.at(-1);
  const oauth = {
    ...(given['clientId'] === undefined ? {} : { clientId: given['clientId'].at(-1) }),
    ...(port === undefined ? {} : { callbackPort: Number(port) }),
  };
  return {
    type: kind,
    url,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(oauth).length === 0 ? {} : { oauth }),
  };
}

function pairs(texts: readonly string[], form: RegExp, flag: string, shown: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const text of texts) {
    // Not repeated: it may be a secret.
    const [, key, value] = form.exec(text) ?? [];
    if (key === undefined || value === undefined) throw new ConfigError(`${flag} takes ${shown}.`);
    found[key] = value;
  }
  return found;
}

function refuse(given: Given, keys: readonly string[], whose: string): void {
  const wrong = keys.find((key) => given[key] !== undefined);
  if (wrong === undefined) return;
  const flag = Object.keys(VALUES).find((each) => VALUES[each] === wrong);
  throw new ConfigError(`${flag} is for ${whose}.`);
}
