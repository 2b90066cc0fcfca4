// `turnwright skills`: which skills there are in a folder, where each comes from and what it costs; which are refused, and
// why.

import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type ListedSkill, type ListedSkills, listSkills, type SkillsOptions } from '../../sdk/skills/index.js';
import { count } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import { oneLine } from '../../view/tool-title.js';
import { resolveFolders, settingSources } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_SUCCESS } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { type CommandFlag, type CommandWords, readWords } from './read-words.js';

const HELP = `turnwright skills: instructions for one kind of task, in folders of yours and of the project.

  turnwright skills list     what there is: name, whose, size of its text; what is refused, and why

  --cwd <folder>             another folder
  --setting-sources <list>   whose are read: user, project, local; or none
  --trust                    as if somebody vouched for the folder
  --json                     for programs

  A skill is a folder with a file SKILL.md, in .turnwright/skills, .claude/skills or .qoder/skills. docs/skills.md
  of this package says more.
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
export async function runSkills(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [verb, more] = flags.words;
  if (flags.has('help') || verb === undefined) return tell(HELP, io);
  if (verb !== 'list') throw new ConfigError(`unknown command "skills ${verb.slice(0, 60)}". Commands: list.`);
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}".`);
  const cwd = flags.value('cwd');
  const folders = resolveFolders(cwd === undefined ? {} : { cwd }, io.startedIn());
  const found = await listSkills(createNodeHost({ env: io.env }), folders.cwd ?? io.startedIn(), sourcesOf(flags));
  if (flags.has('json')) return tell(`${JSON.stringify(found, null, 2)}\n`, io);
  return tell(`${shown(found, styleFor(io.stdout, io.env, false)).join('\n')}\n`, io);
}

function sourcesOf(flags: CommandWords): SkillsOptions {
  const sources = flags.value('setting-sources');
  if (sources !== undefined) return { settingSources: settingSources(sources, '--setting-sources') };
  return flags.has('trust') ? { settingSources: ['user', 'project', 'local'] } : {};
}

function shown({ skills, refused }: ListedSkills, style: Style): string[] {
  if (skills.length + refused.length === 0) return ['No skills here.'];
  return [
    ...skills.flatMap((skill) => [
      `${paint(skill.name, 'bold', style)}  ${oneLine(skill.description, DESCRIPTION_COLUMNS)}`,
      paint(`    ${factsOf(skill)}`, 'dim', style),
    ]),
    ...(refused.length === 0 ? [] : [`${count(refused.length, 'skill')} that cannot be used:`]),
    ...refused.flatMap(({ name, scope, file, why }) => [
      `${paint(escapeHidden(name), 'bold', style)}  ${paint(escapeHidden(why), 'yellow', style)}`,
      paint(`    ${scope}, ${escapeHidden(file)}`, 'dim', style),
    ]),
  ];
}

function factsOf({ scope, file, bytes, tokens, allowedTools, isForModel, isForUser }: ListedSkill): string {
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

async function tell(text: string, io: CliIo): Promise<number> {
  await io.out.write(text);
  return EXIT_SUCCESS;
}
