// `turnwright tools`: every tool there is: what it does, what decides about its calls, and whether a session has it.
import { ConfigError } from '../../protocol/errors.js';
import { type ListedTool, listTools } from '../../sdk/tools/index.js';
import { oneLine } from '../../view/escape-text.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { type CommandFlag, HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright tools: what a model may be given to work with.

  turnwright tools           every built-in tool: what it does, its permission, when it is offered
  turnwright tools <name>    one of them, with all that the model is told and its input

  --json                     for programs

  Servers and skills bring more: docs/mcp.md, docs/skills.md. What is decided about one call:
  "turnwright permissions check". docs/tools.md of this package lists the same.
`;

const FLAGS: readonly CommandFlag[] = [HELP_FLAG, { name: 'json', takes: 'nothing' }];
const COLUMNS = 100;

/** @returns the exit code. @throws ConfigError */
export async function runTools(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [name, more] = flags.words;
  if (flags.has('help')) return tell(HELP, io);
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}".`);
  const tools = await listTools();
  const found = name === undefined || name === 'list' ? tools : tools.filter((tool) => tool.name === name);
  if (found.length === 0)
    throw new ConfigError(
      `There is no tool ${JSON.stringify((name ?? '').slice(0, 60))}. Tools: ${tools.map((tool) => tool.name).join(', ')}.`,
    );
  if (flags.has('json')) return tell(json(found), io);
  const style = styleFor(io.stdout, io.env, false);
  const isOne = name !== undefined && name !== 'list';
  const lines = found.flatMap((tool) => (isOne ? whole(tool, style) : brief(tool, style)));
  return tell(`${lines.join('\n')}\n`, io);
}

function brief(tool: ListedTool, style: Style): string[] {
  return [
    `${paint(tool.name, 'bold', style)}  ${oneLine(tool.description.split('\n', 1)[0] ?? '', COLUMNS)}`,
    paint(`    permission: ${tool.permission}`, 'dim', style),
    ...(tool.offered === null ? [] : [paint(`    offered when ${tool.offered}`, 'dim', style)]),
  ];
}

function whole(tool: ListedTool, style: Style): string[] {
  const [, ...facts] = brief(tool, style);
  return [
    paint(tool.name, 'bold', style),
    ...facts,
    '',
    tool.description,
    '',
    JSON.stringify(tool.inputSchema, null, 2),
  ];
}
