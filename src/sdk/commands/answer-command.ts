// What the commands of a session answer, as text that stands in a terminal and in a message as well. One rule: a command says
// what is, or changes one thing and says what is now; with words that it does not take it says which it takes.
import path from 'node:path';
import type { CommandContext } from '../../context/slash-commands.js';
import type { Host } from '../../host/host.js';
import { pathBelow } from '../../host/is-inside.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SDKGoalSnapshot } from '../../protocol/goals.js';
import { PERMISSION_MODES, type PermissionMode } from '../../protocol/permissions.js';
import type { EngineControls } from '../../session/controls/index.js';
import { count, nearestWord, shorten, unquoted } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import { listHooks } from '../hooks/index.js';
import type { Options } from '../options/index.js';
import type { Query } from '../query-controls.js';
import { exportSession, listSessions } from '../sessions/index.js';
import { listSkills } from '../skills/index.js';

/** The session that a command is called in. */
export interface CommandReach {
  query(): Query;
  session(): Promise<EngineControls>;
}

export interface CommandPlace extends CommandReach {
  readonly host: Host;
  /** With what settings say. */
  readonly options: Options;
  /** Absolute. */
  readonly cwd: string;
}

type Answer = (args: string, place: CommandPlace, context: CommandContext) => Promise<string>;

/** @throws ConfigError for words that the command does not take */
export function answerCommand(
  name: string,
  args: string,
  place: CommandPlace,
  context: CommandContext,
): Promise<string> {
  const answer = ANSWERS[name];
  if (answer === undefined) throw new ConfigError(`There is no command /${name}.`);
  return answer(args.trim(), place, context);
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  'add-dir': addDirectory,
  agents: listAgents,
  config: showConfig,
  context: showContext,
  doctor: checkSession,
  export: exportConversation,
  goal: changeGoal,
  hooks: listHooksOf,
  mcp: showServers,
  memory: showMemory,
  model: showModel,
  permissions: showPermissions,
  resume: listEarlier,
  rewind: listPrompts,
  skills: listSkillsOf,
  status: showStatus,
  tasks: showTasks,
};

async function changeGoal(args: string, { query }: CommandPlace): Promise<string> {
  const current = await query().getGoal();
  if (args === 'clear') return (await query().clearGoal()) ? 'The goal is gone.' : 'There is no goal.';
  const status = args === 'pause' ? 'paused' : args === 'resume' ? 'active' : undefined;
  if (args === '' || (status !== undefined && current === null))
    return current === null ? 'There is no goal. /goal <what is to be reached> sets one.' : goalLines(current);
  const goal = await query().setGoal(status === undefined ? { objective: args } : { status });
  return goal === null ? 'There is no goal.' : goalLines(goal);
}

function goalLines(goal: SDKGoalSnapshot): string {
  const {
    objective,
    status,
    turns_used: turns,
    max_turns: most,
    credits_used: used = 0,
    credits_budget: budget,
  } = goal;
  const money = budget === undefined ? '' : `, $${used.toFixed(2)} of $${budget.toFixed(2)}`;
  return `Goal (${status.replace('_', ' ')}): ${objective}\n${turns}${most === undefined ? '' : ` of ${most}`} replies used${money}. /goal pause, resume or clear changes it.`;
}

/** Rows of a list: what a command shows of many things of one kind. */
const MAX_ROWS = 200;

async function addDirectory(args: string, { session }: CommandPlace): Promise<string> {
  if (args === '') throw new ConfigError('Name the folder: /add-dir ../shared');
  const { added, failed, directories } = await (await session()).addDirectories([unquoted(args)]);
  const [problem] = failed;
  if (problem !== undefined) throw new ConfigError(problem.error);
  const list = directories.map((folder) => `  ${folder}`).join('\n');
  return `${added.length === 0 ? 'It is in the workspace already.' : `${added[0]} is part of the workspace, for this session.`}\nFolders beside the working directory:\n${list}`;
}

async function listAgents(_args: string, { query }: CommandPlace): Promise<string> {
  const agents = await query().supportedAgents();
  if (agents.length === 0) return 'There are no agents. A file in .claude/agents or .turnwright/agents makes one.';
  const lines = agents.map(({ name, description, model }) =>
    row(name, `${description}${model === undefined ? '' : ` (model ${model})`}`),
  );
  return listed('Agents', lines);
}

async function showConfig(args: string, { query }: CommandPlace): Promise<string> {
  const { effective, sources } = await query().getSettings();
  const key = args.split(/\s+/)[0] ?? '';
  if (/\s/.test(args))
    throw new ConfigError('/config shows settings. To change one: turnwright config set <key> <value>');
  const rows = Object.entries(effective).flatMap(([name, value]) => leaves(name, value));
  const wanted = key === '' ? rows : rows.filter(([name]) => name === key || name.startsWith(`${key}.`));
  if (key !== '' && wanted.length === 0) {
    const near = nearestWord(
      key,
      rows.map(([name]) => name),
    );
    return `No settings say ${key}.${near === null || near === undefined ? '' : ` Did you mean ${near}?`} docs/settings.md lists the keys.`;
  }
  if (rows.length === 0)
    return 'No settings say anything. docs/settings.md lists the keys, and the files they stand in.';
  const files = sources.map(({ source, settings }) => `${source} (${Object.keys(settings).join(', ') || 'nothing'})`);
  return [
    listed(
      'Settings in force',
      wanted.map(([name, value]) => `${name} = ${shorten(value, 200)}`),
    ),
    `From: ${files.join('; ')}`,
    'turnwright config explain says where each value comes from; turnwright config set changes one.',
  ].join('\n');
}

function leaves(name: string, value: unknown): (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, JSON.stringify(value) ?? '']];
  return Object.entries(value).flatMap(([key, inner]) => leaves(`${name}.${key}`, inner));
}

async function showContext(_args: string, { query }: CommandPlace): Promise<string> {
  const usage = await query().getContextUsage();
  const { categories, totalTokens, rawMaxTokens, percentage, model, memoryFiles, agents, skills, mcpTools } = usage;
  const width = Math.max(...categories.map(({ name }) => name.length));
  const parts = categories.map(
    ({ name, tokens }) =>
      `  ${name.padEnd(width)}  ${figure(tokens).padStart(9)}  ${percent(tokens, rawMaxTokens).padStart(5)}  ${bar(tokens, rawMaxTokens)}`,
  );
  const details = [
    ...memoryFiles.map(({ path: file, type, tokens }) => `  ${file} (${type.toLowerCase()}): ${figure(tokens)}`),
    ...agents.map(({ agentType, tokens }) => `  agent ${agentType}: ${figure(tokens)}`),
    ...skills.skillFrontmatter.map(({ name, tokens }) => `  skill ${name}: ${figure(tokens)}`),
    ...mcpTools.map(({ name, tokens }) => `  ${name}: ${figure(tokens)}`),
  ];
  return [
    `${figure(totalTokens)} of ${figure(rawMaxTokens)} tokens (${percentage} %) of ${model}`,
    ...parts,
    ...(details.length === 0 ? [] : ['What stands there:', ...details.slice(0, MAX_ROWS)]),
    usage.isAutoCompactEnabled && usage.autoCompactThreshold !== undefined
      ? `From ${figure(usage.autoCompactThreshold)} tokens on the conversation is compacted; /compact does it now.`
      : 'The conversation is not compacted by itself; /compact does it.',
  ].join('\n');
}

function bar(tokens: number, of: number): string {
  return '█'.repeat(of === 0 ? 0 : Math.round((tokens / of) * 20));
}

function percent(tokens: number, of: number): string {
  return `${of === 0 ? '0' : ((tokens / of) * 100).toFixed(1)} %`;
}

async function checkSession(_args: string, place: CommandPlace): Promise<string> {
  const { query, host, cwd, options } = place;
  const session = await place.session();
  const [servers, instructions, skills, hooks] = await Promise.all([
    query().mcpServerStatus(),
    session.instructions(),
    listSkills(host, cwd, options),
    hooksOf(place),
  ]);
  const lost = [
    ...servers.flatMap(({ name, status, error }) =>
      status === 'failed' || status === 'needs-auth' ? [`MCP server ${name}: ${error ?? status}`] : [],
    ),
    ...instructions.leftOut.filter(({ isProblem }) => isProblem).map(({ source, why }) => `${source}: ${why}`),
    ...session.rejectedParts().map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`),
  ];
  return [
    `Provider ${providerOf(session)}.`,
    `${count(servers.length, 'MCP server')}, ${count(skills.skills.length, 'skill')}, ${count(hooks.hooks.length, 'hook')}, ${count(instructions.files.length, 'instruction file')}.`,
    lost.length === 0 ? 'Nothing that was asked for is missing.' : listed('Not as it should be', lost),
    'turnwright doctor looks at the machine as well: programs, sandbox, proxies, stored sessions, disk.',
  ].join('\n');
}

const FORMATS: Readonly<Record<string, 'markdown' | 'html' | 'json'>> = {
  '': 'markdown',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
  '.json': 'json',
};

async function exportConversation(args: string, { host, cwd, options, session }: CommandPlace): Promise<string> {
  const name = unquoted(args);
  const format = FORMATS[path.extname(name).toLowerCase()];
  if (format === undefined)
    throw new ConfigError('Name a file that ends in .md, .html or .json, or none to see the text.');
  const { sessionId } = (await session()).facts();
  if (options.persistSession === false)
    throw new ConfigError('This session is kept nowhere (persistSession: false), so there is nothing to export.');
  const text = await exportSession(sessionId, {
    format,
    host,
    dir: cwd,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.sessionStore === undefined ? {} : { sessionStore: options.sessionStore }),
  });
  if (name === '') return text;
  const file = path.resolve(cwd, name);
  const [there] = await host.fs.lstatAll([file]);
  if (there != null) throw new ConfigError(`${file} is there already. Name another file.`);
  await host.fs.writeFileAtomic(file, text, { mode: 0o600 });
  return `The conversation stands in ${file}. What it read and wrote is in it, without secrets that were found.`;
}

async function listHooksOf(_args: string, place: CommandPlace): Promise<string> {
  const { hooks, refused } = await hooksOf(place);
  const inCode = Object.keys(place.options.hooks ?? {});
  const lines = hooks.map(({ event, matcher, command, scope }) =>
    row(`${event}${matcher === undefined ? '' : ` (${matcher})`}`, `${oneLine(command)}  [${scope}]`),
  );
  return [
    lines.length === 0 ? 'No settings have hooks.' : listed('Hooks of settings', lines),
    ...(inCode.length === 0 ? [] : [`In code: ${inCode.join(', ')}`]),
    ...(refused.length === 0
      ? []
      : [
          listed(
            'Not run',
            refused.map(({ label, why }) => `${label}: ${why}`),
          ),
        ]),
  ].join('\n');
}

async function hooksOf({ host, cwd, options }: CommandPlace) {
  const { settings, managedSettings, settingSources } = options;
  return listHooks({
    host,
    cwd,
    ...(settings === undefined ? {} : { settings }),
    ...(managedSettings === undefined ? {} : { managedSettings }),
    ...(settingSources === undefined ? {} : { settingSources }),
  });
}

async function showServers(args: string, { query }: CommandPlace): Promise<string> {
  const [verb = '', ...rest] = args.split(/\s+/);
  const name = rest.join(' ');
  if (verb !== '') {
    if (!['reconnect', 'enable', 'disable'].includes(verb) || name === '')
      throw new ConfigError('/mcp takes reconnect <server>, enable <server> or disable <server>.');
    if (verb === 'reconnect') await query().reconnectMcpServer(name);
    else await query().toggleMcpServer(name, verb === 'enable');
  }
  const servers = await query().mcpServerStatus();
  if (servers.length === 0)
    return 'There are no MCP servers. docs/mcp.md says how to add one: .mcp.json, --mcp-config.';
  return listed(
    'MCP servers',
    servers.map((server) =>
      row(server.name, `${server.status}${server.error === undefined ? '' : `: ${server.error}`}`),
    ),
  );
}

async function showMemory(args: string, { session, cwd }: CommandPlace): Promise<string> {
  const controls = await session();
  const [verb = ''] = args.split(/\s+/, 1);
  if (verb === 'add') {
    const rest = args.slice(verb.length).trim();
    const [first = ''] = rest.split(/\s+/, 1);
    const scope = first === 'user' || first === 'local' || first === 'project' ? first : null;
    const file = await controls.addNote(scope ?? 'project', scope === null ? rest : rest.slice(first.length));
    return `Noted in ${shownFile(file, cwd)}. It counts from the next prompt on.`;
  }
  if (verb !== '')
    throw new ConfigError('/memory lists instruction files; /memory add [project|local|user] <note> adds a note.');
  const { files, later, waiting, leftOut } = await controls.instructions();
  const sum = files.reduce((total, { tokens }) => total + tokens, 0);
  const sections = [
    files.length === 0
      ? 'No instruction files were loaded. /init writes an AGENTS.md.'
      : listed(
          `Instruction files, ${figure(sum)} tokens; the later one has the last word`,
          files.map(({ source, type, reason, tokens }) =>
            row(source, `${type.toLowerCase()}${reason === 'include' ? ', imported' : ''}, ${figure(tokens)} tokens`),
          ),
        ),
    ...(later.length === 0 ? [] : [listed('Told later, with the first file they hold for', later)]),
    ...(waiting.length === 0
      ? []
      : [
          listed(
            'Rules that wait for a file',
            waiting.map(({ source, globs }) => row(source, globs.join(', '))),
          ),
        ]),
    ...(leftOut.length === 0
      ? []
      : [
          listed(
            'Left out',
            leftOut.map(({ source, why }) => `${source}: ${why}`),
          ),
        ]),
  ];
  return sections.join('\n');
}

async function showModel(args: string, { query, session }: CommandPlace): Promise<string> {
  if (args !== '') {
    await query().setModel(args === 'default' ? undefined : args);
    return `The model is ${(await session()).facts().model} from the next request on.`;
  }
  const [models, { model, effort }] = [await query().supportedModels(), (await session()).facts()];
  const lines = models.map(({ value, displayName, isEnabled }) =>
    row(value, `${displayName === value ? '' : displayName}${isEnabled ? '' : ' (no key)'}`),
  );
  return [
    `Model: ${model}${effort === undefined ? '' : `, effort ${effort}`}`,
    lines.length === 0
      ? 'No list of models can be had here; /model <name> takes any name.'
      : listed('To choose from', lines),
  ].join('\n');
}

async function showPermissions(args: string, { query, session }: CommandPlace): Promise<string> {
  if (args !== '') {
    const mode = PERMISSION_MODES.find((each) => each === args);
    if (mode === undefined)
      throw new ConfigError(`There is no mode "${shorten(args, 40)}". Modes: ${PERMISSION_MODES.join(', ')}.`);
    await query().setPermissionMode(mode as PermissionMode);
  }
  const { state } = await query().listPermissionRules();
  const { permissionMode } = (await session()).facts();
  const groups = (['deny', 'ask', 'allow'] as const).flatMap((behavior) => {
    const rules = state.rules.filter((rule) => rule.behavior === behavior);
    return rules.length === 0
      ? []
      : [
          listed(
            behavior,
            rules.map(({ rule, source }) => row(rule, source)),
          ),
        ];
  });
  return [
    `Mode: ${permissionMode}`,
    ...(groups.length === 0 ? ['No rules.'] : groups),
    listed('Workspace', [state.originalCwd, ...state.workspaceDirectories.map(({ path: folder }) => folder)]),
    'turnwright permissions check <tool> <input> says what would be decided, and why.',
  ].join('\n');
}

async function listEarlier(args: string, { host, cwd, options }: CommandPlace): Promise<string> {
  const sessions = await listSessions({
    host,
    dir: cwd,
    limit: MAX_ROWS,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.sessionStore === undefined ? {} : { sessionStore: options.sessionStore }),
  });
  const words = args.toLowerCase();
  const found = sessions.filter(({ sessionId, summary }) => `${sessionId} ${summary}`.toLowerCase().includes(words));
  if (found.length === 0)
    return words === '' ? 'There are no earlier sessions here.' : `No session has "${shorten(args, 60)}" in its title.`;
  const lines = found
    .slice(0, 20)
    .map(
      ({ sessionId, summary, lastModified }) =>
        `${sessionId.slice(0, 8)}  ${new Date(lastModified).toISOString().slice(0, 16).replace('T', ' ')}  ${shorten(oneLine(summary), 80)}`,
    );
  return `${listed('Earlier sessions, the newest first', lines)}\nTo go on with one: turnwright --resume <id>`;
}

async function listPrompts(_args: string, { session }: CommandPlace): Promise<string> {
  const controls = await session();
  const prompts = controls.prompts();
  if (prompts.length === 0) return 'There is nothing to go back to yet.';
  const id = controls.facts().sessionId.slice(0, 8);
  const lines = prompts.map(({ uuid, text }) => `${uuid.slice(0, 8)}  ${text}`);
  return `${listed('Prompts, the oldest first', lines)}\nTo set the conversation and its files back to before one of them, leave and: turnwright sessions rewind ${id} <prompt>`;
}

async function listSkillsOf(_args: string, { host, cwd, options }: CommandPlace): Promise<string> {
  const { skills, refused } = await listSkills(host, cwd, options);
  return [
    skills.length === 0
      ? 'There are no skills here. docs/skills.md says how to write one.'
      : listed(
          'Skills',
          skills.map(({ name, description, scope }) => row(name, `${shorten(oneLine(description), 120)}  [${scope}]`)),
        ),
    ...(refused.length === 0
      ? []
      : [
          listed(
            'Not there',
            refused.map(({ name, why }) => `${name}: ${why}`),
          ),
        ]),
  ].join('\n');
}

/** Its name, and whose key it gets. */
function providerOf(session: EngineControls): string {
  const { provider, apiKeySource } = session.facts();
  return `${provider}, ${apiKeySource === 'none' ? 'no key' : apiKeySource === 'temporary' ? 'a key of this session' : 'your key'}`;
}

async function showStatus(
  _args: string,
  { query, session, cwd }: CommandPlace,
  context: CommandContext,
): Promise<string> {
  const controls = await session();
  const { sessionId, model, permissionMode, effort } = controls.facts();
  const [usage, servers] = await Promise.all([
    query().getContextUsage({ detail: 'summary' }),
    query().mcpServerStatus(),
  ]);
  const connected = servers.filter(({ status }) => status === 'connected').length;
  return [
    `Turnwright ${VERSION}, session ${sessionId}`,
    row('Model', `${model}${effort === undefined ? '' : `, effort ${effort}`} (${providerOf(controls)})`),
    row('Mode', permissionMode),
    row('Folder', cwd),
    row('Context', `${figure(usage.totalTokens)} of ${figure(usage.rawMaxTokens)} tokens (${usage.percentage} %)`),
    row(
      'Cost',
      `$${context.totalCostUsd.toFixed(4)}${context.costUnknown ? ' (without what has no known price)' : ''}`,
    ),
    row('MCP', servers.length === 0 ? 'no servers' : `${connected} of ${count(servers.length, 'server')} connected`),
    row('Tasks', `${count(controls.tasks().length, 'task')} in the background`),
  ].join('\n');
}

async function showTasks(args: string, { query, session }: CommandPlace): Promise<string> {
  const controls = await session();
  const [verb = '', id = '', more] = args.split(/\s+/);
  if (verb !== '') {
    if (verb !== 'stop' || id === '' || more !== undefined)
      throw new ConfigError('/tasks lists what runs; /tasks stop <id> ends one.');
    await query().stopTask(id);
    return `${id} was stopped.`;
  }
  const tasks = controls.tasks();
  if (tasks.length === 0) return 'Nothing runs in the background.';
  return listed(
    'In the background',
    tasks.map(({ id: task, description, runsMs, outputFile }) =>
      row(
        task,
        `${description}, for ${(runsMs / 1_000).toFixed(0)} s${outputFile === null ? '' : `; output: ${outputFile}`}`,
      ),
    ),
  );
}

function listed(title: string, lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_ROWS).map((line) => `  ${line}`);
  const more = lines.length > MAX_ROWS ? [`  and ${lines.length - MAX_ROWS} more`] : [];
  return [`${title}:`, ...shown, ...more].join('\n');
}

function row(name: string, text: string): string {
  return text === '' ? name : `${name}  ${text}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function figure(n: number): string {
  return Math.round(n).toLocaleString('en-US');
}

function shownFile(file: string, cwd: string): string {
  return pathBelow(cwd, file) || file;
}

// What /init and /review ask the model for.

/** @param args what the user said behind the name */

export function commandPrompt(name: string, args: string): string {
  const text = name === 'init' ? INIT : review(args);
  if (name !== 'init' || args === '') return text;
  return `${text}\n\nThe user adds: ${args}`;
}

const INIT = `Write an AGENTS.md for this repository, or bring the one that is there up to date. Coding agents that work here later read it before anything else.

1. Look first: the manifests, the README, the CI configuration, the source folders, the tests, and instruction files that are there already (AGENTS.md, CLAUDE.md, .cursor/rules, .github/copilot-instructions.md). Take over from them what is still true.
2. Write down what an agent cannot see at a glance and would get wrong:
   - the commands to install, build, check, format and test, and how to run a single test. Run the harmless ones to be sure that they work;
   - how the code is put together: the main parts, how they depend on each other, where something new belongs;
   - rules that hold here: style, names, error handling, what must not be touched, what to do before a change is done.
3. Leave out what is obvious, what holds for every project, lists of all files, and whatever you could not confirm. No secrets.
4. Keep it under 150 lines. If there is an AGENTS.md or a CLAUDE.md, change that one rather than add another.

At the end say in a few lines what you wrote and what you could not find out.`;

function review(args: string): string {
  const target =
    args === ''
      ? 'the changes of this branch: what is not committed yet and, if this is not the main branch, every commit since it left the main branch'
      : `this: ${args}`;
  return `Review ${target}.

Change nothing. Find the changes (git status, git diff, git log; gh pr view and gh pr diff for a pull request), and read the code around each of them and its callers before you judge it.

Look for, in this order:
1. what is wrong: bugs, missed cases, races, broken callers, lost data, security holes;
2. what will be wrong: missing tests for what changed, errors that are swallowed, interfaces that invite misuse;
3. what is harder than it needs to be: code that is there already, dead code, names that mislead.

For each finding: path:line, what happens, an example that shows it, and what to do. The most severe first. Say how sure you are, and leave out matters of taste and what a formatter does. If you find nothing, say so and name what you checked.`;
}
