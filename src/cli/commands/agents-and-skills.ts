// `turnwright agents` and `turnwright skills`: what there is in a folder, where each comes from and what it costs; which files
// are refused, and why.
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type ListedAgent, type ListedAgents, listAgents } from '../../sdk/agents/index.js';
import { type ListedSkill, type ListedSkills, listSkills, type SkillsOptions } from '../../sdk/skills/index.js';
import { count } from '../../util/text.js';
import { escapeHidden, oneLine } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import { resolveFolders, settingSources } from '../args/index.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { type CommandFlag, HELP_FLAG, readWords } from './read-words.js';

const FOLDER_FLAGS = `  --cwd <folder>             another folder
  --setting-sources <list>   whose are read: user, project, local; or none
  --trust                    as if somebody vouched for the folder
  --json                     for programs`;

const AGENTS_HELP = `turnwright agents: who can be given a task, in folders of yours and of the project.

  turnwright agents list     what there is: name, where it comes from, its model and tools; what is refused, and why

${FOLDER_FLAGS}

  An agent is a Markdown file with a description at its head, in .turnwright/agents, .claude/agents or .qoder/agents,
  at any depth. docs/subagents.md of this package says more.
`;

const SKILLS_HELP = `turnwright skills: instructions for one kind of task, in folders of yours and of the project.

  turnwright skills list     what there is: name, whose, size of its text; what is refused, and why

${FOLDER_FLAGS}

  A skill is a folder with a file SKILL.md, in .turnwright/skills, .claude/skills or .qoder/skills. docs/skills.md
  of this package says more.
`;

const FLAGS: readonly CommandFlag[] = [
  HELP_FLAG,
  { name: 'json', takes: 'nothing' },
  { name: 'trust', takes: 'nothing' },
  { name: 'cwd', takes: 'value' },
  { name: 'setting-sources', takes: 'value' },
];

const DESCRIPTION_COLUMNS = 100;

/** @returns the exit code. @throws ConfigError */
export function runAgents(argv: readonly string[], io: CliIo): Promise<number> {
  return list(argv, io, { name: 'agents', help: AGENTS_HELP, find: listAgents, lines: agentLines });
}

/** @returns the exit code. @throws ConfigError */
export function runSkills(argv: readonly string[], io: CliIo): Promise<number> {
  return list(argv, io, { name: 'skills', help: SKILLS_HELP, find: listSkills, lines: skillLines });
}

interface Listing<Found> {
  readonly name: string;
  readonly help: string;
  find(host: ReturnType<typeof createNodeHost>, cwd: string, options: SkillsOptions): Promise<Found>;
  lines(found: Found, style: Style): string[];
}

async function list<Found>(
  argv: readonly string[],
  io: CliIo,
  { name, help, find, lines }: Listing<Found>,
): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [verb, more] = flags.words;
  if (flags.has('help') || verb === undefined) return tell(help, io);
  if (verb !== 'list') throw new ConfigError(`unknown command "${name} ${verb.slice(0, 60)}". Commands: list.`);
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}".`);
  const cwd = flags.value('cwd');
  const folders = resolveFolders(cwd === undefined ? {} : { cwd }, io.startedIn());
  const sources = flags.value('setting-sources');
  const options: SkillsOptions =
    sources !== undefined
      ? { settingSources: settingSources(sources, '--setting-sources') }
      : flags.has('trust')
        ? { settingSources: ['user', 'project', 'local'] }
        : {};
  const found = await find(createNodeHost({ env: io.env }), folders.cwd ?? io.startedIn(), options);
  if (flags.has('json')) return tell(json(found), io);
  return tell(`${lines(found, styleFor(io.stdout, io.env, false)).join('\n')}\n`, io);
}

function agentLines({ agents, refused, main }: ListedAgents, style: Style): string[] {
  return [
    ...agents.flatMap((agent) => [
      `${paint(escapeHidden(agent.name), 'bold', style)}  ${oneLine(agent.description, DESCRIPTION_COLUMNS)}`,
      paint(`    ${factsOfAgent(agent, main)}`, 'dim', style),
      ...agent.idle.map((phrase) => paint(`    ${escapeHidden(phrase)}`, 'yellow', style)),
    ]),
    ...refusedLines(refused, 'file', style),
  ];
}

function factsOfAgent({ name, scope, file, model, tools }: ListedAgent, main: string | null): string {
  const facts = [
    file === null ? scope : `${scope}, ${escapeHidden(file)}`,
    `model: ${escapeHidden(model ?? 'inherit')}`,
    `tools: ${tools === null ? 'all' : oneLine(tools.join(', ') || 'none', DESCRIPTION_COLUMNS)}`,
    ...(name === main ? ['sessions run as it'] : []),
  ];
  return facts.join(', ');
}

function skillLines({ skills, refused }: ListedSkills, style: Style): string[] {
  if (skills.length + refused.length === 0) return ['No skills here.'];
  return [
    ...skills.flatMap((skill) => [
      `${paint(skill.name, 'bold', style)}  ${oneLine(skill.description, DESCRIPTION_COLUMNS)}`,
      paint(`    ${factsOfSkill(skill)}`, 'dim', style),
    ]),
    ...refusedLines(refused, 'skill', style),
  ];
}

function factsOfSkill({ scope, file, bytes, tokens, allowedTools, isForModel, isForUser }: ListedSkill): string {
  const facts = [
    scope,
    escapeHidden(file),
    `${formatCount(bytes)} bytes, about ${formatCount(tokens)} tokens`,
    ...(isForModel ? [] : ['for the user alone']),
    ...(isForUser ? [] : ['for the model alone']),
    ...(allowedTools.length === 0 ? [] : [`allows ${oneLine(allowedTools.join(', '), DESCRIPTION_COLUMNS)}`]),
  ];
  return facts.join(', ');
}

type Refused = (ListedAgents | ListedSkills)['refused'][number];

function refusedLines(refused: readonly Refused[], what: string, style: Style): string[] {
  return [
    ...(refused.length === 0 ? [] : [`${count(refused.length, what)} that cannot be used:`]),
    ...refused.flatMap(({ name, scope, file, why }) => [
      `${paint(escapeHidden(name), 'bold', style)}  ${paint(escapeHidden(why), 'yellow', style)}`,
      paint(`    ${scope}, ${escapeHidden(file)}`, 'dim', style),
    ]),
  ];
}
