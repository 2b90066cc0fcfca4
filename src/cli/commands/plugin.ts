// `turnwright plugin`: what of a plugin would count in a session, and what would not and why.
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type DescribedPlugin, describePlugin } from '../../sdk/plugins.js';
import { count } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { oneLine } from '../../view/tool-title.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../style.js';
import { type CommandFlag, readWords } from './read-words.js';

const HELP = `turnwright plugin: looks at a plugin, a folder with agents, commands, skills, hooks and servers.

  turnwright plugin validate <folder>   what of it would count in a session, and what would not and why

  --json                                for programs

  Exit code 0 if all of it counts, 1 if not. Nothing of it is run. A session has it with --plugin-dir <folder>;
  docs/plugins.md of this package says more.
`;

const FLAGS: readonly CommandFlag[] = [
  { name: 'help', short: 'h', takes: 'nothing' },
  { name: 'json', takes: 'nothing' },
];
const COMMAND_COLUMNS = 100;

/** @returns the exit code. @throws ConfigError */
export async function runPlugin(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [verb, folder, more] = flags.words;
  if (flags.has('help') || verb === undefined) {
    await io.out.write(HELP);
    return EXIT_SUCCESS;
  }
  if (verb !== 'validate') throw new ConfigError(`"plugin" knows validate, not "${verb.slice(0, 60)}".`);
  if (folder === undefined) throw new ConfigError('say which folder: turnwright plugin validate <folder>');
  if (more !== undefined) throw new ConfigError(`"${more.slice(0, 60)}" is too much.`);
  const { resolve } = await import('node:path');
  const found = await describePlugin(createNodeHost({ env: io.env }), resolve(io.startedIn(), folder));
  if (typeof found === 'string') throw new ConfigError(`${folder} cannot be used as a plugin: ${found}.`);
  const style = styleFor(io.stdout, io.env, false);
  const text = flags.has('json') ? JSON.stringify(found, null, 2) : shown(found, style).join('\n');
  await io.out.write(`${text}\n`);
  return found.problems.length === 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

function shown(
  { name, version, description, folder, problems, hooks, ...parts }: DescribedPlugin,
  style: Style,
): string[] {
  const clean = (text: string) => escapeHidden(text);
  const row = (kind: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`  ${kind.padEnd(9)} ${names.map(clean).join(', ')}`];
  return [
    `${paint(clean(name), 'bold', style)}${version === '' ? '' : ` ${clean(version)}`}${description === '' ? '' : `  ${oneLine(clean(description), COMMAND_COLUMNS)}`}`,
    paint(`  ${clean(folder)}`, 'dim', style),
    ...row('agents', parts.agents),
    ...row(
      'commands',
      parts.commands.map((each) => `/${each}`),
    ),
    ...row('skills', parts.skills),
    ...hooks.map(({ event, command }) => `  hook      ${clean(event)}: ${oneLine(clean(command), COMMAND_COLUMNS)}`),
    ...row('servers', parts.servers),
    problems.length === 0 ? 'All of it counts.' : paint(`${count(problems.length, 'problem')}:`, 'yellow', style),
    ...problems.map((why) => `  ${clean(why)}`),
  ];
}
