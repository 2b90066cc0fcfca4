// What the folder says of sessions in it: settings and rules, trust, hooks, MCP servers, skills.
import { access } from 'node:fs/promises';
import path from 'node:path';
import { loadedIn, projectServers, settingsFiles, untrustedFolder } from '../../../sdk/faces/index.js';
import { type HookList, listHooks } from '../../../sdk/hooks/index.js';
import { explainCommand, testPermissionRules } from '../../../sdk/permissions/index.js';
import { readConfiguration } from '../../../sdk/settings/index.js';
import { listSkills } from '../../../sdk/skills/index.js';
import { count } from '../../../util/text.js';
import { type Finding, findProgram, firstOf, ok, type Place, problem, unknownToShell, warning } from './finding.js';

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
