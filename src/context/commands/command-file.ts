// What a file of a command says: its fields, and its text with arguments in their places. Pure. One rule: what the shell is
// to run stands in the file alone; an argument only fills a place in it.
import { type FrontField, listOf, type Problem, rawOf, readFrontMatter, textOf } from '../markdown/index.js';
import { splitRules } from '../skills/index.js';

export interface CommandDefinition {
  /** What it is for; the first line of its text if it does not say. */
  readonly description: string;
  readonly argumentHint?: string;
  /** Permission rules that count while its prompt runs. */
  readonly allowedTools: readonly string[];
  readonly model?: string;
  /** Fields without effect. */
  readonly unknown: readonly string[];
}

export interface ReadCommand {
  readonly definition: CommandDefinition;
  /** Without its front matter. */
  readonly body: string;
}

const MAX_DESCRIPTION = 1_000;
const MAX_HINT = 200;
const MAX_RULES = 100;
const KNOWN = ['description', 'argument-hint', 'allowed-tools', 'model'];
/** For people and other programs: only the user calls commands here, so what keeps the model from one changes nothing. */
const SILENT = [
  'name',
  'title',
  'version',
  'author',
  'license',
  'tags',
  'category',
  'color',
  'disable-model-invocation',
];

export function readCommand(text: string): ReadCommand | Problem {
  const read = readFrontMatter(text);
  if ('problem' in read) return read;
  const body = read.body.trim();
  if (body === '') return { problem: 'it has no text' };
  const fields = new Map(read.fields.map((field) => [field.key, field]));
  const model = textField(fields.get('model'));
  const allowed = rulesOf(fields.get('allowed-tools'));
  for (const each of [model, allowed]) if (typeof each === 'object' && 'problem' in each) return each;
  const described = fields.get('description');
  const hint = fields.get('argument-hint');
  const description = described === undefined ? firstLine(body) : rawOf(described);
  const named = model as string;
  return {
    definition: {
      description: description.slice(0, MAX_DESCRIPTION),
      ...(hint === undefined ? {} : { argumentHint: rawOf(hint).slice(0, MAX_HINT) }),
      allowedTools: allowed as readonly string[],
      ...(named === '' || named === 'inherit' ? {} : { model: named }),
      unknown: [...fields.keys()].filter((key) => !KNOWN.includes(key) && !SILENT.includes(key)),
    },
    body,
  };
}

function textField(field: FrontField | undefined): string | Problem {
  return field === undefined ? '' : textOf(field);
}

function rulesOf(field: FrontField | undefined): readonly string[] | Problem {
  if (field === undefined) return [];
  const list = listOf(field);
  if ('problem' in list) return list;
  const rules = [...new Set(list.flatMap(splitRules))];
  return rules.length <= MAX_RULES
    ? rules
    : { problem: `line ${field.line} of it: allowed-tools has more than ${MAX_RULES} rules` };
}

function firstLine(body: string): string {
  const [line = ''] = body.split('\n', 1);
  return line.replace(/^#+\s*/, '').trim();
}

const PLACES = /\$ARGUMENTS(?:\[(\d{1,3})\])?|\$([1-9])(?!\d)|\$\{(?:CLAUDE|TURNWRIGHT|QODER)_PLUGIN_ROOT\}/g;
const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;
/** A line of a shell in a text: `` !`git status` ``. With nothing but spaces between the marks there is none. */
const SHELL = /(^|\s)!`(?![^\S\n]*`)([^`\n]+)`/g;

/** What a text has the shell run, in its order, before arguments stand in it. */
export function shellLines(body: string): readonly string[] {
  return [...body.matchAll(SHELL)].map(([, , line = '']) => line.trim());
}

export interface CommandCall {
  /** What was said behind the name. */
  readonly args: string;
  /** Absolute folder of the plugin that the command is from; null if it is from none. */
  readonly pluginRoot: string | null;
  /** What a line of the shell prints. */
  run(line: string): Promise<string>;
}

/**
 * The text with its arguments in their places and what each line of the shell printed in its place. Without a place for
 * them, arguments stand behind it. Contract: the lines run one by one, in their order; no argument adds one.
 */
export async function expandCommand(body: string, { args, pluginRoot, run }: CommandCall): Promise<string> {
  const words = [...args.matchAll(WORD)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
  let isTaken = false;
  const fill = (text: string) =>
    text.replace(PLACES, (place, index: string | undefined, number: string | undefined) => {
      if (place.startsWith('${')) return pluginRoot ?? place;
      isTaken = true;
      if (index !== undefined) return words[Number(index)] ?? '';
      return number === undefined ? args : (words[Number(number) - 1] ?? '');
    });
  const parts: string[] = [];
  let from = 0;
  for (const match of body.matchAll(SHELL)) {
    const [whole, before = '', line = ''] = match;
    parts.push(fill(body.slice(from, match.index)), before, await run(fill(line.trim())));
    from = match.index + whole.length;
  }
  parts.push(fill(body.slice(from)));
  const text = parts.join('');
  return isTaken || args === '' ? text : `${text}\n\nArguments: ${args}`;
}
