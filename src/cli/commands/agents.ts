// `turnwright agents`: which agents there are in a folder and where each comes from; which files are refused, and why.

import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type ListedAgent, type ListedAgents, listAgents } from '../../sdk/agents/index.js';
import { count } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { oneLine } from '../../view/tool-title.js';
import { resolveFolders, settingSources } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_SUCCESS } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { type CommandFlag, readWords } from './read-words.js';

const HELP = `turnwright agents: who can be given a task, in folders of yours and of the project.

  turnwright agents list     what there is: name, where it comes from, its model and tools; what is refused, and why

  --cwd <folder>             another folder
  --setting-sources <list>   whose are read: user, project, local; or none
  --trust                    as if somebody vouched for the folder
  --json                     for programs

  An agent is a Markdown file with a description at its head, in .turnwright/agents, .claude/agents or .qoder/agents,
  at any depth. docs/subagents.md of this package says more.
`;

const FLAGS: readonly CommandFlag[] = [
  { name: 'help', short: 'h', takes: 'nothing' },
  { name: 'json', takes: 'nothing' },
  { name: 'trust', takes: 'nothing' },
  { name: 'cwd', takes: 'value' },
  { name: 'setting-sources', takes: 'value' },
];

const DESCRIPTION_COLUMNS = 100;

/** @returns the exit code. @throws ConfigError */
export async function runAgents(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [verb, more] = flags.words;
  if (flags.has('help') || verb === undefined) return tell(HELP, io);
  if (verb !== 'list') throw new ConfigError(`unknown command "agents ${verb.slice(0, 60)}". Commands: list.`);
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}".`);
  const cwd = flags.value('cwd');
  const folders = resolveFolders(cwd === undefined ? {} : { cwd }, io.startedIn());
  const sources = flags.value('setting-sources');
  const options =
    sources !== undefined
      ? { settingSources: settingSources(sources, '--setting-sources') }
      : flags.has('trust')
        ? { settingSources: ['user', 'project', 'local'] as const }
        : {};
  const found = await listAgents(createNodeHost({ env: io.env }), folders.cwd ?? io.startedIn(), options);
  if (flags.has('json')) return tell(`${JSON.stringify(found, null, 2)}\n`, io);
  return tell(`${shown(found, styleFor(io.stdout, io.env, false)).join('\n')}\n`, io);
}

function shown({ agents, refused, main }: ListedAgents, style: Style): string[] {
  return [
    ...agents.flatMap((agent) => [
      `${paint(escapeHidden(agent.name), 'bold', style)}  ${oneLine(agent.description, DESCRIPTION_COLUMNS)}`,
      paint(`    ${factsOf(agent, main)}`, 'dim', style),
      ...agent.idle.map((phrase) => paint(`    ${escapeHidden(phrase)}`, 'yellow', style)),
    ]),
    ...(refused.length === 0 ? [] : [`${count(refused.length, 'file')} that cannot be used:`]),
    ...refused.flatMap(({ name, scope, file, why }) => [
      `${paint(escapeHidden(name), 'bold', style)}  ${paint(escapeHidden(why), 'yellow', style)}`,
      paint(`    ${scope}, ${escapeHidden(file)}`, 'dim', style),
    ]),
  ];
}

function factsOf({ name, scope, file, model, tools }: ListedAgent, main: string | null): string {
  const facts = [
    file === null ? scope : `${scope}, ${escapeHidden(file)}`,
    `model: ${escapeHidden(model ?? 'inherit')}`,
    `tools: ${tools === null ? 'all' : oneLine(tools.join(', ') || 'none', DESCRIPTION_COLUMNS)}`,
    ...(name === main ? ['sessions run as it'] : []),
  ];
  return facts.join(', ');
}

async function tell(text: string, io: CliIo): Promise<number> {
  await io.out.write(text);
  return EXIT_SUCCESS;
}
