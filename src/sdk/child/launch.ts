// From the options of a query to the program that runs its session: the command, its arguments, the first request, and
// what is answered here. One rule: an option that cannot reach the program is refused, never dropped.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { HookCallback } from '../../protocol/hooks.js';
import type { FetchToken } from '../../protocol/model-options.js';
import type { SpawnOptions } from '../../protocol/options.js';
import { PUBLISHED_PROGRAMS } from '../dialects/folders.js';
import { isOwnServer, sdkServerOf } from '../mcp/index.js';
import type { Options } from '../options/index.js';
import { readOutputFormat } from '../schemas/index.js';
import { checkStore } from '../sessions/index.js';
import type { Fields } from '../wire/index.js';
import { type OptionWay, wayOf } from './option-ways.js';
import { CLOSE_GRACE_MS, type ProgramStart } from './program.js';
import { linkedServerRpc, type OpenServerRpc, ownServerRpc } from './serve-requests.js';

/** Names the file that says whose tokens the session uses. */
const AUTH_VARIABLE = 'QODER_SDK_AUTH_PAYLOAD_FILE';

/** Answers that do not come within this time are not waited for, milliseconds. */
const REQUEST_TIMEOUT_MS = 60_000;
const POLICY_TIMEOUT_MS = 500;

export interface Launch {
  readonly start: ProgramStart;
  /** Starts it, if the host wants to do that itself; with the name of the option. */
  readonly spawn: { readonly name: string; readonly call: (options: SpawnOptions) => unknown } | null;
  /** Options that do nothing with a child process. */
  readonly idle: readonly string[];
  /** The fields of `initialize`. */
  readonly initialize: Fields;
  /** Options of ours are in it, so that the answer has to say that they were understood. */
  readonly sendsOptions: boolean;
  readonly requestTimeoutMs: number;
  readonly resolveModelTimeoutMs: number;
  readonly hooks: ReadonlyMap<string, HookCallback>;
  readonly servers: ReadonlyMap<string, OpenServerRpc>;
  readonly store: NonNullable<Options['sessionStore']> | null;
  readonly auth: HandedAuth | null;
  readonly parseOutput: Awaited<ReturnType<typeof readOutputFormat>>['parseOutput'];
}

const SPAWNERS = ['spawnClaudeCodeProcess', 'spawnQoderCLIProcess'] as const;

/** @throws ConfigError */
export async function planLaunch(options: Options, host: Host): Promise<Launch> {
  const named = PUBLISHED_PROGRAMS.find((name) => options[name] !== undefined);
  // A program that is named so may be that of another SDK, and understands what its own SDK says.
  const isPublished = named !== undefined;
  const said = isPublished ? publishedOptions(options, named) : ownOptions(options);
  const { jsonSchema, parseOutput } =
    options.outputFormat === undefined ? {} : await readOutputFormat(options.outputFormat);
  const { hooks, declared } = hooksOf(options);
  const { servers, programs } = serversOf(options);
  const store = checkStore(options.sessionStore);
  if (store !== null && (options.resume !== undefined || options.continue === true))
    throw new ConfigError(
      'A session of a sessionStore cannot be resumed in a child process. Resume it in this process, or without the store if this machine has it.',
      { code: 'not_supported' },
    );
  const byRequest = !isPublished || options.mcpServersDelivery === 'initialize';
  const hasPrograms = Object.keys(programs).length > 0;
  const args = [
    ...['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json', '--await-initialize'],
    ...(options.canUseTool === undefined ? [] : ['--permission-prompt-tool', 'stdio']),
    ...(store === null ? [] : ['--session-mirror']),
    ...(hasPrograms && !byRequest ? ['--mcp-config', JSON.stringify({ mcpServers: programs })] : []),
    ...said.args,
    ...extraArgs(options.extraArgs),
  ].filter((arg) => arg !== '--await-initialize' || byRequest);
  const initialize: Record<string, unknown> = {
    ...said.fields,
    ...(declared === null ? {} : { hooks: declared }),
    ...(servers.size === 0 ? {} : { sdkMcpServers: [...servers.keys()] }),
    ...(hasPrograms && byRequest ? { mcpServers: programs } : {}),
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
    ...(options.resolveModel === undefined ? {} : { modelPolicyProvider: true }),
    ...(isPublished ? {} : { answersQuestions: options.onElicitation !== undefined }),
  };
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  const spawnName = SPAWNERS.find((name) => options[name] !== undefined);
  const spawn =
    typeof options.childProcess === 'function'
      ? { name: 'childProcess', call: options.childProcess }
      : spawnName === undefined
        ? null
        : { name: spawnName, call: options[spawnName] as (options: SpawnOptions) => unknown };
  const program = await commandOf(options, named, host, spawn !== null);
  const env = environment(host, options);
  const auth = isHandedOver(options.auth, isPublished) ? await handOverAuth(options.auth as never, host, env) : null;
  return {
    start: {
      command: program.command,
      args: [...program.args, ...args],
      // Paths of our own options mean the same there as here.
      cwd: isPublished || spawn !== null ? cwd : host.platform.cwd,
      env: { ...env, ...auth?.env },
      closeGraceMs: milliseconds('closeGraceMs', options.closeGraceMs, CLOSE_GRACE_MS),
    },
    spawn,
    idle: givenOf(options).flatMap(([name]) => (wayOf(name) === 'idle' ? [name] : [])),
    initialize,
    sendsOptions: !isPublished && Object.keys(said.fields).length > 0,
    requestTimeoutMs: milliseconds('controlRequestTimeoutMs', options.controlRequestTimeoutMs, REQUEST_TIMEOUT_MS),
    resolveModelTimeoutMs: options.resolveModelTimeoutMs ?? POLICY_TIMEOUT_MS,
    hooks,
    servers,
    store,
    auth,
    parseOutput,
  };
}

interface Said {
  readonly args: readonly string[];
  readonly fields: Fields;
}

/** To our own program: everything that is data, as it is. */
function ownOptions(options: Options): Said {
  const own: Record<string, unknown> = {};
  for (const [name, value] of givenOf(options)) {
    const way = wayOf(name);
    refuse(name, way);
    // What nobody declared is told by the session, as everywhere.
    const isPlainAuth = name === 'auth' && !isHandedOver(options.auth, false);
    const isData =
      way === undefined || way === 'data' || typeof way === 'object' || SENT_AS_DATA.has(name) || isPlainAuth;
    if (isData) own[name] = dataOf(name, value);
  }
  return { args: [], fields: Object.keys(own).length === 0 ? {} : { options: own } };
}

/** Those that only a published program wants otherwise. */
const SENT_AS_DATA: ReadonlySet<string> = new Set([
  ...['cwd', 'plugins', 'resolveModelTimeoutMs', 'skills', 'systemPrompt', 'taskBudget', 'thinking', 'tools'],
]);

/** To a program of a published SDK: as that says it. */
function publishedOptions(options: Options, route: string): Said {
  const args: string[] = [];
  const fields: Record<string, unknown> = {};
  for (const [name, value] of givenOf(options)) {
    const way = wayOf(name);
    refuse(name, way);
    // Only a program of that SDK looks for the file.
    if (way === 'data' || (name === 'auth' && route !== 'pathToQoderCLIExecutable'))
      throw new ConfigError(
        `The option ${name} has no way to the program of ${route}. Leave it out, or name a program of this package in childProcess.`,
        { code: 'not_supported' },
      );
    if (typeof way !== 'object' || !('published' in way)) continue;
    if (way.published === 'field') fields[name] = dataOf(name, value);
    else args.push(...flagWords(name, way.published, dataOf(name, value)));
  }
  return { args: [...args, ...ownFlags(options)], fields: { ...fields, ...ownFields(options) } };
}

function flagWords(
  name: string,
  { flag, as }: { readonly flag: string; readonly as: string },
  value: unknown,
): string[] {
  switch (as) {
    case 'switch':
      return value === true ? [`--${flag}`] : [];
    case 'off':
      return value === false ? [`--${flag}`] : [];
    case 'list':
      return [`--${flag}=${(value as readonly string[]).join(',')}`];
    case 'each':
      return (value as readonly string[]).map((item) => `--${flag}=${item}`);
    case 'json':
      return [`--${flag}`, typeof value === 'string' ? value : JSON.stringify(value)];
    default:
      if (typeof value === 'object')
        throw new ConfigError(`\`${name}\` must be a name if a child process runs the session.`);
      return [`--${flag}=${plainNumber(value)}`];
  }
}

/** Never in powers of ten. */
function plainNumber(value: unknown): string {
  const written = String(value);
  return typeof value === 'number' && written.includes('e') ? value.toFixed(9) : written;
}

function ownFlags({ thinking, taskBudget, tools, skills, plugins = [] }: Options): string[] {
  const words: string[] = [];
  if (thinking?.type === 'enabled')
    words.push(...(thinking.budgetTokens === undefined ? [] : [`--max-thinking-tokens=${thinking.budgetTokens}`]));
  else if (thinking !== undefined) words.push(`--thinking=${thinking.type}`);
  if (thinking !== undefined && 'display' in thinking) words.push(`--thinking-display=${String(thinking.display)}`);
  if (taskBudget !== undefined) words.push(`--task-budget=${taskBudget.total}`);
  if (tools !== undefined) words.push(Array.isArray(tools) ? `--tools=${tools.join(',')}` : '--tools=default');
  if (skills !== undefined)
    words.push(`--allowedTools=${Array.isArray(skills) ? skills.map((name) => `Skill(${name})`).join(',') : 'Skill'}`);
  for (const plugin of plugins) words.push(`--plugin-dir=${(plugin as { readonly path?: unknown }).path}`);
  return words;
}

function ownFields({ systemPrompt, skills }: Options): Fields {
  const fields: Record<string, unknown> = Array.isArray(skills) ? { skills } : {};
  if (typeof systemPrompt === 'string') fields['systemPrompt'] = [systemPrompt];
  else if (systemPrompt !== undefined && !('type' in systemPrompt)) fields['systemPrompt'] = systemPrompt;
  else if (systemPrompt?.type === 'custom') fields['systemPrompt'] = [systemPrompt.prompt].flat();
  else if (systemPrompt?.append !== undefined) fields['appendSystemPrompt'] = systemPrompt.append;
  return fields;
}

function givenOf(options: Options): [string, unknown][] {
  return Object.entries(options).filter(([, value]) => value !== undefined);
}

function refuse(name: string, way: OptionWay | undefined): void {
  if (typeof way !== 'object' || !('refused' in way)) return;
  throw new ConfigError(`The option ${name} cannot be used with a child process: ${way.refused}.`, {
    code: 'not_supported',
  });
}

/** @throws ConfigError if a part of it is no data */
function dataOf(name: string, value: unknown, depth = 0): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint' || depth > 200)
    throw new ConfigError(
      `The option ${name} holds ${typeof value === 'object' ? 'itself' : `a ${typeof value}`}, which cannot be sent to a child process. Give data, or run the session in this process.`,
      { code: 'not_supported' },
    );
  if (Array.isArray(value)) return value.map((item) => dataOf(name, item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, dataOf(name, item, depth + 1)]));
}

function hooksOf({ hooks }: Options): { hooks: Map<string, HookCallback>; declared: Fields | null } {
  const byId = new Map<string, HookCallback>();
  if (hooks === undefined) return { hooks: byId, declared: null };
  const declared: Record<string, unknown> = {};
  for (const [event, matchers] of Object.entries(hooks)) {
    if (!Array.isArray(matchers)) throw new ConfigError(`hooks.${event} must be a list of { matcher?, hooks }.`);
    declared[event] = matchers.map((one) => {
      const callbacks: unknown = one?.hooks;
      if (!Array.isArray(callbacks) || !callbacks.every((hook) => typeof hook === 'function'))
        throw new ConfigError(`hooks.${event}: each entry must have \`hooks\`, a list of functions.`);
      const hookCallbackIds = callbacks.map((hook: HookCallback) => {
        const id = `hook_${byId.size}`;
        byId.set(id, hook);
        return id;
      });
      const { matcher, timeout, onFailure } = one;
      return { ...definedOf({ matcher, timeout, onFailure }), hookCallbackIds };
    });
  }
  return { hooks: byId, declared };
}

function definedOf(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The servers of this process, and the definitions of the others. @throws ConfigError */
export function serversOf({ mcpServers = {} }: Pick<Options, 'mcpServers'>): {
  servers: Map<string, OpenServerRpc>;
  programs: Fields;
} {
  const servers = new Map<string, OpenServerRpc>();
  const programs: Record<string, unknown> = {};
  for (const [name, config] of Object.entries(mcpServers)) {
    const server = sdkServerOf(name, config);
    if (server !== null) servers.set(name, isOwnServer(server) ? ownServerRpc(server) : linkedServerRpc(server));
    else programs[name] = dataOf('mcpServers', config);
  }
  return { servers, programs };
}

function extraArgs(given: Options['extraArgs'] = {}): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (!/^[A-Za-z][\w-]*$/.test(name))
      throw new ConfigError(
        `extraArgs has the flag ${JSON.stringify(name)}. Write it without dashes: { "max-turns": "3" }.`,
      );
    if (value === null || value === undefined) return [`--${name}`];
    return String(value).startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, String(value)];
  });
}

function milliseconds(name: string, value: unknown, usual: number): number {
  if (value === undefined) return usual;
  if (typeof value === 'number' && value >= 0 && value <= 2_147_483_647) return value;
  throw new ConfigError(`${name} is ${String(value)}. Give milliseconds, from 0 to 2147483647.`);
}

function environment(host: Host, options: Options): Record<string, string> {
  const merged = { ...host.env, ...options.env };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

const SCRIPT = /\.[cm]?[jt]s$/;

async function commandOf(
  options: Options,
  named: (typeof PUBLISHED_PROGRAMS)[number] | undefined,
  host: Host,
  isSpawned: boolean,
): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  const option = named ?? 'childProcess';
  const given = named !== undefined ? options[named] : options.childProcess;
  const file = typeof given === 'string' ? path.resolve(host.platform.cwd, given) : null;
  if (given === '') throw new ConfigError(`${option} is empty. Name a program, or leave it out.`);
  const isWord = typeof given === 'string' && !SCRIPT.test(given) && !/[\\/]/.test(given);
  if (isWord) return { command: given, args: [] };
  // A function of the host's may start it on another machine, with other files.
  if (file !== null && !isSpawned) await checkFile(file, option, host);
  const script = file ?? (await ownProgram(host));
  if (!SCRIPT.test(script)) return { command: script, args: [] };
  const { executable = 'node', executableArgs = [] } = options;
  const runtime = executable === 'node' ? (host.platform.node ?? 'node') : executable;
  return { command: runtime, args: [...executableArgs, script] };
}

async function checkFile(file: string, option: string, host: Host): Promise<void> {
  try {
    if ((await host.fs.stat(file)).kind !== 'directory') return;
  } catch (error) {
    if (!isFileError(error)) throw error;
  }
  throw new ConfigError(
    `${option} names ${file}, which is not a program. Give the path of a command line that speaks the stream-json protocol, or leave the option out: then the session runs in this process.`,
  );
}

/** The command line of this package, as it is installed and as it stands in its repository. */
async function ownProgram(host: Host): Promise<string> {
  for (const place of ['../cli/main.js', '../../../dist/cli/main.js']) {
    const file = decodeURIComponent(new URL(place, import.meta.url).pathname).replace(/^\/([A-Za-z]:)/, '$1');
    const isThere = await host.fs.stat(file).then(
      () => true,
      () => false, // not here; told below
    );
    if (isThere) return file;
  }
  throw new ConfigError(
    'The command line of this package is not beside it, as when the package was put into one file with a program. Name it in childProcess: the path of its dist/cli/main.js.',
  );
}

interface HandedAuth {
  readonly env: Readonly<Record<string, string>>;
  /** Asked by the program whenever it needs a token; absent if the file holds one. */
  readonly fetchToken?: FetchToken;
  /** Never rejects. */
  remove(): Promise<void>;
}

/** True for what does not travel as data: it is a function, or the program is one of that SDK. */
function isHandedOver(auth: Options['auth'], toPublished: boolean): boolean {
  return auth !== undefined && (toPublished || auth.type === 'tokenProvider');
}

/**
 * Says whose tokens the session uses as a published SDK says it: in a file for one reader, which is gone when the program has
 * ended. Nothing of it stands in an argument.
 * @throws ConfigError if a program of that SDK cannot be told so
 */
async function handOverAuth(
  auth: NonNullable<Options['auth']>,
  host: Host,
  env: Readonly<Record<string, string>>,
): Promise<HandedAuth> {
  const file = path.join(host.platform.tmpdir, `turnwright-auth-${host.ids.uuid()}.json`);
  await host.fs.writeFileAtomic(file, JSON.stringify(payloadOf(auth, env)), { mode: 0o600 });
  return {
    env: { [AUTH_VARIABLE]: file },
    ...(auth.type === 'tokenProvider' ? { fetchToken: auth.fetchToken } : {}),
    // Who reads it removes it too.
    remove: () => host.fs.remove(file).catch(() => undefined),
  };
}

function payloadOf(auth: NonNullable<Options['auth']>, env: Readonly<Record<string, string>>): object {
  switch (auth.type) {
    case 'qodercli':
      return { type: 'qodercli' };
    case 'accessToken': {
      const { accessToken: given } = auth;
      const accessToken = typeof given === 'string' ? given : env[given.envVar];
      if (accessToken) return { type: 'accessToken', accessToken };
      throw new ConfigError(
        `The variable ${typeof given === 'string' ? '' : given.envVar} that auth names is not set.`,
      );
    }
    case 'tokenProvider':
      return { type: 'serviceAccount', serviceAccountTokenProvider: 'host' };
    default:
      throw new ConfigError(
        'auth holds keys of a provider, which have no way to the program of pathToQoderCLIExecutable. Set them as variables, or name a program of this package in childProcess.',
        { code: 'not_supported' },
      );
  }
}
