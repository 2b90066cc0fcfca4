// What `turnwright doctor` looks at. Around a session: Node.js, the terminal, the sandbox, programs, stored sessions, the disk,
// keys and the way to the model. In the folder: settings and rules, trust, hooks, MCP servers, skills.

import { constants } from 'node:fs';
import { access, readFile, statfs } from 'node:fs/promises';
import path from 'node:path';
import {
  bundledRipgrep,
  keptIn,
  loadedIn,
  projectServers,
  reach,
  repositoryFacts,
  sandboxFacts,
  settingsFiles,
  storedFacts,
  untrustedFolder,
  wayTo,
} from '../../../sdk/faces/index.js';
import { type HookList, listHooks } from '../../../sdk/hooks/index.js';
import { type KeyStatus, keyStatus, type ProviderKeyStatus } from '../../../sdk/models/index.js';
import { explainCommand, testPermissionRules } from '../../../sdk/permissions/index.js';
import { readConfiguration } from '../../../sdk/settings/index.js';
import { listSkills } from '../../../sdk/skills/index.js';
import { searchOutside } from '../../../util/posix-path.js';
import { count, errorText } from '../../../util/text.js';
import { formatCount } from '../../../view/figures.js';
import { wantsColour } from '../../lines/index.js';
import {
  type Finding,
  findProgram,
  firstOf,
  ok,
  outputOf,
  type Place,
  problem,
  unknownToShell,
  warning,
} from './finding.js';

/** The oldest Node.js that this package says it runs on. */
const LEAST_NODE = [20, 19] as const;
/** A session waits so long for git, milliseconds. */
const GIT_WAIT_MS = 60;
const MEGABYTE = 1024 * 1024;
const LITTLE_SPACE = 100 * MEGABYTE;
const SOME_SPACE = 1024 * MEGABYTE;

export async function lookAtRuntime({ host, io }: Place): Promise<readonly Finding[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNewEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const name = `Node.js ${process.versions.node} on ${host.platform.os} ${process.arch}`;
  return [
    isNewEnough ? ok(`${name}.`) : problem(`${name}: too old.`, `install Node.js ${LEAST_NODE.join('.')} or newer`),
    ...(host.platform.os === 'win32' ? [warning('Turnwright is tested on Linux. On Windows use it within WSL.')] : []),
    terminalOf(io),
  ];
}

function terminalOf({ stdin, stdout, stderr, env }: Place['io']): Finding {
  const streams = { stdin, stdout, stderr };
  const others = Object.entries(streams).flatMap(([name, stream]) => (stream.isTTY === true ? [] : [name]));
  const colours = wantsColour(stdout, env) ? 'colours' : 'no colours';
  if (others.length > 0) return ok(`No whole terminal here (${others.join(', ')}), so prompts need -p; ${colours}.`);
  const term = env['TERM'] ?? '';
  if (term === '' || term === 'dumb')
    return warning(
      `A terminal without abilities (TERM is "${term}"), so no colours.`,
      'set TERM, such as xterm-256color',
    );
  return ok(`A terminal (${term}, ${stdout.columns ?? '?'} columns), ${colours}.`);
}

export async function lookAtSandbox({ host, cwd }: Place): Promise<readonly Finding[]> {
  const { isOn, available, mechanism, reason } = await sandboxFacts(host, cwd);
  const state = isOn
    ? 'The settings switch it on.'
    : 'It is not switched on: --sandbox, or sandbox.enabled in settings.';
  if (available)
    return [ok(`${mechanism} can confine commands: a trial held files, network and system calls back.`), ok(state)];
  const why = reason ?? 'Commands cannot be confined here.';
  return [
    isOn
      ? problem(
          `The settings switch it on, and it cannot be used, so no command runs. ${why}`,
          'mend that, or set sandbox.enabled to false',
        )
      : warning(`It could not be used here. ${why}`),
  ];
}

export async function lookAtTools(place: Place, signal: AbortSignal): Promise<readonly Finding[]> {
  return [...(await lookAtRipgrep(place, signal)), ...(await lookAtGit(place, signal))];
}

/** As the engine looks for what it runs itself. */
function outside({ host, cwd }: Place): string {
  return searchOutside(host.env['PATH'] ?? '', cwd);
}

async function lookAtRipgrep(place: Place, signal: AbortSignal): Promise<Finding[]> {
  const bundled = await ripgrepOfPackage();
  const file = bundled ?? (await findProgram('rg', place, outside(place)));
  const advice = 'install ripgrep, or reinstall this package with its optional dependencies';
  if (file === null) return [problem('ripgrep was not found, so the tools Grep and Glob cannot work.', advice)];
  const said = await outputOf([file, '--version'], place, signal).catch(() => null);
  if (said === null) return [problem(`ripgrep (${file}) does not run, so Grep and Glob cannot work.`, advice)];
  return [ok(`${said.split('\n')[0]?.trim()} (${bundled === null ? file : 'of this package'}).`)];
}

/** Null if none was installed for this platform. */
async function ripgrepOfPackage(): Promise<string | null> {
  try {
    const file = await bundledRipgrep();
    if (file !== null) await access(file, constants.F_OK);
    return file;
  } catch {
    return null; // what was named is not there
  }
}

async function lookAtGit(place: Place, signal: AbortSignal): Promise<Finding[]> {
  const file = await findProgram('git', place, outside(place));
  if (file === null)
    return [warning('git was not found. The model is not told of branches and changes.', 'install git')];
  const said = await outputOf([file, '--version'], place, signal).catch(() => null);
  if (said === null) return [warning(`git (${file}) does not run.`)];
  const version = ok(`${said.trim()} (${file}).`);
  const facts = await repositoryFacts(place.host, place.cwd, signal);
  if (facts === null) return [version, ok('This folder is in no git repository.')];
  if (facts.missing !== null) return [version, warning(`The status of this repository: ${facts.missing}.`)];
  const took = `${Math.round(facts.statusMs)} ms`;
  if (facts.statusMs <= GIT_WAIT_MS) return [version, ok(`The status of this repository takes ${took}.`)];
  return [
    version,
    warning(
      `The status of this repository takes ${took}; a session waits ${GIT_WAIT_MS} ms, so the model may begin without it.`,
      'git config core.untrackedCache true, and ignore folders of generated files',
    ),
  ];
}

export async function lookAtSessions({ host }: Place, signal: AbortSignal): Promise<readonly Finding[]> {
  const { home, sessions, bytes, read, damaged } = await storedFacts(host, signal);
  const place = await nearestFolder(home);
  const mayWrite = await access(place, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false, // not ours
  );
  const megabytes = `${formatCount(Math.ceil(bytes / MEGABYTE))} MB`;
  return [
    mayWrite
      ? ok(`${home} can be written${place === home ? '' : ' once it is made'}.`)
      : problem(
          `${home} cannot be written, so no session is kept.`,
          'give yourself the right to write, or set TURNWRIGHT_HOME',
        ),
    ok(`${count(sessions, 'session')}, ${megabytes}${sessions > read ? `; the newest ${read} were read` : ''}.`),
    ...firstOf(
      damaged.map(({ sessionId, what }) => warning(`${sessionId}: ${sentence(what)}`)),
      'turnwright sessions list',
    ),
  ];
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

export async function lookAtDisk({ host }: Place): Promise<readonly Finding[]> {
  const home = keptIn(host);
  const folders = [...new Set([await nearestFolder(home), host.platform.tmpdir])];
  return Promise.all(
    folders.map(async (folder) => {
      const { bavail, bsize } = await statfs(folder);
      const free = bavail * bsize;
      const text = `${folder}: ${formatCount(Math.floor(free / MEGABYTE))} MB free.`;
      if (free >= SOME_SPACE) return ok(text);
      const advice = 'free some space; "turnwright sessions gc --dry-run" tells what may go';
      return free < LITTLE_SPACE ? problem(text, advice) : warning(text, advice);
    }),
  );
}

/** The folder itself, or the nearest above it that is there. */
async function nearestFolder(folder: string): Promise<string> {
  for (let place = folder; ; place = path.dirname(place)) {
    const isThere = await access(place).then(
      () => true,
      () => false, // the one above it is looked at
    );
    if (isThere || place === path.dirname(place)) return place;
  }
}

export async function lookAtModel({ host }: Place): Promise<readonly Finding[]> {
  const status = await keyStatus(host);
  const known = status.providers.filter(({ source }) => source !== 'none');
  const { chosen, whyNone, problem: fault } = status;
  return [
    ...known.map((each) => ok(`${each.displayName}: ${sourceOf(each)}.`)),
    ...(fault === null ? [] : [problem(fault)]),
    chosen === null
      ? problem(whyNone ?? 'No model can answer.')
      : ok(`Without --model, ${chosen.provider}/${chosen.model} answers.`),
  ];
}

function sourceOf({ source, variable }: ProviderKeyStatus): string {
  if (source === 'environment') return `a key in the variable ${variable}`;
  return source === 'login' ? 'a key kept by "turnwright login"' : 'a key in settings or in the file of models';
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const AUTHORITY_VARIABLES = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

export async function lookAtNetwork(place: Place, signal: AbortSignal): Promise<readonly Finding[]> {
  const { host, isOnline } = place;
  const address = addressOf(await keyStatus(host));
  return [
    ...namedVariables(host.env),
    ...(await authorityFiles(host.env)),
    ...(address === null ? [] : await way(place, address)),
    ...(address !== null && isOnline ? [await answer(place, address, signal)] : []),
    ...(address === null || isOnline ? [] : [ok('Nothing was sent there: --online does.')]),
  ];
}

/** Of the provider that would answer. */
function addressOf({ chosen, providers }: KeyStatus): string | null {
  return providers.find(({ provider }) => provider === chosen?.provider)?.baseUrl ?? null;
}

function namedVariables(env: Place['host']['env']): Finding[] {
  const set = PROXY_VARIABLES.filter((name) => (env[name] ?? env[name.toLowerCase()] ?? '') !== '');
  return set.length === 0 ? [] : [ok(`Set: ${set.join(', ')}.`)];
}

async function authorityFiles(env: Place['host']['env']): Promise<Finding[]> {
  const named = AUTHORITY_VARIABLES.flatMap((name) => {
    const file = env[name]?.trim() ?? '';
    return file === '' ? [] : [{ name, file }];
  });
  return Promise.all(
    named.map(async ({ name, file }) => {
      try {
        const text = await readFile(file, 'utf8');
        if (text.includes('-----BEGIN CERTIFICATE-----')) return ok(`${name}: ${file} holds certificates.`);
        return problem(`${name}: ${file} holds no certificate in PEM form.`, 'name a PEM file, or unset the variable');
      } catch (error) {
        return problem(
          `${name}: ${file} cannot be read (${errorText(error)}).`,
          'name a PEM file, or unset the variable',
        );
      }
    }),
  );
}

async function way({ host }: Place, address: string): Promise<Finding[]> {
  const { proxy, hasOwnAuthorities } = await wayTo(host, address);
  const trusted = hasOwnAuthorities ? ', and certificates of your own authorities are believed' : '';
  return [ok(`Requests to ${address} go ${proxy === null ? 'straight' : `through the proxy ${proxy}`}${trusted}.`)];
}

async function answer({ host }: Place, address: string, signal: AbortSignal): Promise<Finding> {
  const since = host.clock.monotonic();
  try {
    const status = await reach(host, address, signal);
    const took = Math.round(host.clock.monotonic() - since);
    return ok(`${address} answers (HTTP ${status} to an empty request without a key, ${took} ms).`);
  } catch (error) {
    return problem(`${address} does not answer: ${errorText(error)}`, 'check the network, the proxy and the base URL');
  }
}

const EXPLAIN = 'turnwright config explain';
/** Told by the parts that they belong to. */
const TOLD_ELSEWHERE = ['folder_not_trusted', 'permission_rule_unusable'];

export async function lookAtSettings({ host, cwd }: Place): Promise<readonly Finding[]> {
  const [files, found, rules] = await Promise.all([
    settingsFiles(host, cwd),
    readConfiguration({ host, cwd }),
    testPermissionRules({ cwd }, host),
  ]);
  const read = new Set(found.files.map(({ file }) => file));
  const there = files.filter(({ isThere }) => isThere);
  const absent = files.filter(({ isThere }) => !isThere);
  const notices = found.notices.filter(({ code }) => !TOLD_ELSEWHERE.includes(code));
  return [
    ...there.filter(({ file }) => read.has(file)).map(({ scope, file }) => ok(`${file} (${scope}) is read.`)),
    ok(`Not there: ${absent.map(({ file }) => shortPath(file, cwd, host.platform.homedir)).join(', ')}.`),
    ...firstOf(
      notices.map(({ message, remedy, setting }) =>
        // Nothing of such a file counts.
        setting?.key === null ? problem(message, remedy) : warning(message, remedy),
      ),
      EXPLAIN,
    ),
    ...firstOf(
      [
        ...rules.problems.map((text) => problem(text, 'mend or remove the rule')),
        ...rules.examples
          .filter(({ isRight }) => !isRight)
          .map(({ rule, example }) => problem(`The example ${example} of the rule ${rule} does not hold.`)),
        ...rules.faults.map(({ behavior, rule, problem: what }) => warning(`The rule ${behavior} ${rule}: ${what}`)),
      ],
      'turnwright permissions test',
    ),
    ok(`${count(rules.rules, 'permission rule')}.`),
  ];
}

function shortPath(file: string, cwd: string, home: string): string {
  if (file.startsWith(`${cwd}/`)) return file.slice(cwd.length + 1);
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

const TRUST = {
  granted: 'You vouch for this folder.',
  remembered: 'You vouched for this folder as it stands.',
  not_needed: 'Nothing of this folder waits for trust.',
  missing: 'Nothing of this folder waits for trust.',
} as const;

export async function lookAtTrust({ host, cwd }: Place): Promise<readonly Finding[]> {
  const untrusted = await untrustedFolder(host, cwd, {});
  if (untrusted === null) return [ok(TRUST[(await readConfiguration({ host, cwd })).trust])];
  const { root, settings, git, skills, agents, commands, outputStyles } = untrusted;
  const counted = (some: readonly unknown[], one: string) => (some.length === 0 ? [] : [count(some.length, one)]);
  const parts = [
    ...(settings.length === 0 ? [] : [count(settings.length, 'value of settings', 'values of settings')]),
    ...(git.length === 0 ? [] : [count(git.length, 'program that git would start', 'programs that git would start')]),
    ...counted(skills, 'skill'),
    ...counted(agents, 'agent'),
    ...counted(commands, 'command'),
    ...counted(outputStyles, 'output style'),
  ];
  return [
    warning(
      `Nobody vouched for ${root}, so this does not act: ${parts.join(', ')}.`,
      `look at it with "${EXPLAIN}"; a session at a terminal asks, and --trust vouches for one run`,
    ),
  ];
}

export async function lookAtHooks(place: Place, signal: AbortSignal): Promise<readonly Finding[]> {
  const { host, cwd } = place;
  const { hooks, refused } = await listHooks({ host, cwd });
  if (hooks.length + refused.length === 0) return [ok('No hooks.')];
  const faults = await Promise.all(hooks.map((hook) => faultsOfHook(hook, place, signal)));
  const broken = faults.filter((each) => each.length > 0).length;
  return [
    ...(hooks.length === 0
      ? []
      : [ok(`${count(hooks.length, 'hook')}, ${count(broken, 'of them with a fault', 'of them with faults')}.`)]),
    ...firstOf(faults.flat(), 'turnwright hooks list'),
    ...firstOf(
      refused.map(({ label, why }) => warning(`${label} does not run: ${why}`)),
      'turnwright hooks list',
    ),
  ];
}

/** Programs that run the file that they are given first. */
const INTERPRETERS = 'bash bun deno node perl php python python3 ruby sh tsx zsh'.split(' ');

async function faultsOfHook(
  { label, command, projectFolder }: HookList['hooks'][number],
  place: Place,
  signal: AbortSignal,
) {
  const text = command.replace(/\$\{?(?:TURNWRIGHT|CLAUDE|QODER)_PROJECT_DIR\b\}?/g, projectFolder);
  const { programs } = await explainCommand(text, { cwd: place.cwd, home: place.host.platform.homedir });
  const runs = programs.flatMap(({ words: [program, ...words] }) =>
    typeof program === 'string' ? [{ program, words }] : [],
  );
  const missing = await unknownToShell([...new Set(runs.map(({ program }) => program))], place, signal);
  const scripts = runs.flatMap(({ program, words }) => {
    const script = words.find((word) => word === null || !word.startsWith('-'));
    const isFile = typeof script === 'string' && /[./]/.test(script);
    return INTERPRETERS.includes(path.basename(program)) && isFile ? [path.resolve(place.cwd, script)] : [];
  });
  const lost = await Promise.all(scripts.map(async (file) => ((await isThere(file)) ? [] : [file])));
  return [
    ...missing.map((name) => problem(`${label}: the program ${name} is not there.`, 'install it, or change the hook')),
    ...lost.flat().map((file) => problem(`${label}: there is no file ${file}.`, 'make it, or change the hook')),
  ];
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false, // as it says
  );
}

const STATES = {
  not_trusted: 'is not started, because nobody vouches for this folder',
  not_enabled: 'is not started, because settings do not enable it (enabledMcpjsonServers)',
  disabled: 'is not started, because settings switch it off',
} as const;

export async function lookAtServers(place: Place): Promise<readonly Finding[]> {
  const servers = await projectServers(place.host, place.cwd);
  if (servers.length === 0) return [ok('No .mcp.json defines one.')];
  const findings = await Promise.all(
    servers.map(async ({ name, file, base, config, state }): Promise<Finding> => {
      const { command, type = 'stdio', url } = config as { command?: unknown; type?: unknown; url?: unknown };
      const subject = `${name} of ${file}`;
      if (state !== 'used') return warning(`${subject} ${STATES[state]}.`);
      if (typeof command !== 'string')
        return ok(`${subject} is reached over ${String(type)}${url === undefined ? '' : ' at its address'}.`);
      if (command.includes('$')) return ok(`${subject} is started by ${command}.`);
      if ((await findProgram(command, { ...place, cwd: base })) !== null)
        return ok(`${subject} is started by ${command}.`);
      return problem(`${subject}: the program ${command} is not there.`, 'install it, or change the file');
    }),
  );
  return firstOf(findings, 'look into the file');
}

export async function lookAtSkills({ host, cwd }: Place): Promise<readonly Finding[]> {
  const { skills, refused } = await listSkills(host, cwd, {});
  return [
    ok(`${count(skills.length, 'skill')} can be used.`),
    ...firstOf(
      refused.map(({ name, file, why }) => warning(`${name} (${file}): ${why}`)),
      'turnwright skills list',
    ),
  ];
}

/** In the order in which they are told. */
const KINDS = ['plugin', 'agent', 'skill', 'command', 'hook', 'server', 'instructions'] as const;
const KIND_WORDS: Readonly<Record<(typeof KINDS)[number], readonly [string, string]>> = {
  plugin: ['plugin', 'plugins'],
  agent: ['agent', 'agents'],
  skill: ['skill', 'skills'],
  command: ['command', 'commands'],
  hook: ['hook', 'hooks'],
  server: ['MCP server', 'MCP servers'],
  instructions: ['instruction file', 'instruction files'],
};

/** Each with its source, and each candidate that is not there with the reason. */
export async function lookAtLoaded({ host, cwd, isWhole = false }: Place): Promise<readonly Finding[]> {
  const { loaded, rejected } = await loadedIn(host, cwd, false);
  const counts = KINDS.flatMap((kind) => {
    const [one, many] = KIND_WORDS[kind];
    const some = loaded.filter((part) => part.kind === kind);
    return some.length === 0 ? [] : [count(some.length, one, many)];
  });
  const listed = KINDS.flatMap((kind) =>
    loaded
      .filter((part) => part.kind === kind)
      .map(({ name, scope, source }) => ok(`${KIND_WORDS[kind][0]} ${name} (${scope}): ${source}`)),
  );
  const refused = rejected.map(({ kind, name, source, reason }) =>
    warning(`${KIND_WORDS[kind][0]} ${name} is left out${name.includes(source) ? '' : ` (${source})`}: ${reason}`),
  );
  return [
    ok(counts.length === 0 ? 'Nothing but what is built in.' : `${counts.join(', ')}.`),
    ...(isWhole ? listed : []),
    ...(isWhole ? refused : firstOf(refused, 'turnwright doctor --all')),
  ];
}
