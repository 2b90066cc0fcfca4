// What a SKILL.md says of itself, and the skill as the model reads it. Pure. A skill that cannot be what it says is refused with
// the reason; a field that nobody knows is told and does nothing. The first line of its text is written and read here alone, so
// that what is in use can be told from the conversation.
import { currentToolName } from '../../protocol/tool-names.js';
import { isRecord } from '../../util/json.js';
import { quotedWords } from '../../util/text.js';
import { DOORS } from '../doors.js';
import { type FrontField, listOf, type Problem, rawOf, readFrontMatter, textOf } from '../markdown/index.js';

export interface SkillDefinition {
  readonly name: string;
  readonly description: string;
  /** Permission rules that count while a prompt uses it; sorted as written. */
  readonly allowedTools: readonly string[];
  readonly isForModel: boolean;
  readonly isForUser: boolean;
  readonly argumentHint?: string;
  /** For a prompt that begins with it. */
  readonly model?: string;
  /** Foreign data, by event: they run while it is in use. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** Fields without effect. */
  readonly unknown: readonly string[];
}

export interface ReadSkill {
  readonly definition: SkillDefinition;
  /** Without its front matter. */
  readonly body: string;
}

/** As a command of the user is written. */
const NAME = /^[A-Za-z0-9_][\w-]{0,63}$/;
/** Characters; longer ones say more than what the skill is for. */
const MAX_DESCRIPTION = 4_096;
const MAX_ALLOWED = 100;
const MAX_HINT = 200;

/** For people and other programs alone. */
const SILENT = new Set(['license', 'version', 'author', 'metadata', 'compatibility']);
const KNOWN = new Set([
  'name',
  'description',
  'allowed-tools',
  'disable-model-invocation',
  'user-invocable',
  'argument-hint',
  'model',
  'hooks',
]);

/** @param folderName names it if it does not name itself */
export async function readSkill(text: string, folderName: string): Promise<ReadSkill | Problem> {
  const read = readFrontMatter(text);
  if ('problem' in read) return read;
  const fields = new Map(read.fields.map((field) => [field.key, field]));
  const definition = defined(fields, folderName);
  if ('problem' in definition) return definition;
  const hooks = await readHooks(fields.get('hooks'));
  if (hooks !== undefined && 'problem' in hooks) return hooks as Problem;
  const unknown = [...fields.keys()].filter((key) => !KNOWN.has(key) && !SILENT.has(key));
  if (fields.has('name') && definition.name === folderName && !saysName(fields, folderName)) unknown.push('name');
  return { definition: { ...definition, ...(hooks === undefined ? {} : { hooks }), unknown }, body: read.body.trim() };
}

function defined(
  fields: ReadonlyMap<string, FrontField>,
  folderName: string,
): Omit<SkillDefinition, 'unknown'> | Problem {
  const texts = ['name', 'description', 'model'].map((key) => {
    const field = fields.get(key);
    return field === undefined ? '' : textOf(field);
  });
  const [allowed, disabled, invocable] = [
    readAllowed(fields.get('allowed-tools')),
    flagOf(fields.get('disable-model-invocation'), false),
    flagOf(fields.get('user-invocable'), true),
  ];
  for (const each of [...texts, allowed, disabled, invocable])
    if (typeof each === 'object' && 'problem' in each) return each;
  const [ownName = '', description = '', model = ''] = texts as string[];
  // One that can be no name of a command stands for people: then the folder names it.
  const name = NAME.test(ownName) || !NAME.test(folderName) ? ownName || folderName : folderName;
  if (!NAME.test(name))
    return { problem: `its name ${JSON.stringify(name.slice(0, 80))} is not 1 to 64 letters, digits, "-" and "_"` };
  if (description === '') return { problem: 'it has no description: write one between --- lines at its beginning' };
  if (description.length > MAX_DESCRIPTION)
    return { problem: `its description has more than ${MAX_DESCRIPTION} characters` };
  const [isForModel, isForUser] = [disabled !== true, invocable === true];
  if (!isForModel && !isForUser) return { problem: 'it says that neither the model nor the user may use it' };
  const hint = fields.get('argument-hint');
  return {
    name,
    description,
    allowedTools: allowed as readonly string[],
    isForModel,
    isForUser,
    ...(hint === undefined ? {} : { argumentHint: rawOf(hint).slice(0, MAX_HINT) }),
    ...(model === '' || model === 'inherit' ? {} : { model }),
  };
}

/** A guard that cannot be read must not be lost, so the skill is refused with it. */
async function readHooks(field: FrontField | undefined): Promise<SkillDefinition['hooks'] | Problem> {
  if (field === undefined) return undefined;
  const hooks = (await DOORS.nestedFields()).readNested(field);
  if (hooks === undefined || hooks === null) return undefined;
  return isRecord(hooks) ? hooks : { problem: `line ${field.line} of it: hooks must be events with lists of hooks` };
}

function saysName(fields: ReadonlyMap<string, FrontField>, name: string): boolean {
  const field = fields.get('name');
  const said = field === undefined ? '' : textOf(field);
  return said === '' || said === name;
}

function flagOf(field: FrontField | undefined, byDefault: boolean): boolean | Problem {
  if (field === undefined) return byDefault;
  const text = textOf(field);
  if (typeof text !== 'string') return text;
  if (text === '') return byDefault;
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return { problem: `line ${field.line} of it: ${field.key} must be true or false` };
}

function readAllowed(field: FrontField | undefined): readonly string[] | Problem {
  if (field === undefined) return [];
  const list = listOf(field);
  if ('problem' in list) return list;
  const rules = [...new Set(list.flatMap(splitRules).map(withCurrentName))];
  if (rules.length <= MAX_ALLOWED) return rules;
  return { problem: `line ${field.line} of it: ${field.key} has more than ${MAX_ALLOWED} rules` };
}

/** `Read, Bash(git add *) Grep`: at commas and spaces that stand in no parentheses. */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at] ?? ',';
    if (sign === '(') depth++;
    else if (sign === ')') depth = Math.max(0, depth - 1);
    else if (at === text.length || (depth === 0 && /[\s,]/.test(sign))) {
      rules.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return rules.filter((rule) => rule !== '');
}

function withCurrentName(rule: string): string {
  const [name = ''] = /^[^(]*/.exec(rule) ?? [];
  return `${currentToolName(name)}${rule.slice(name.length)}`;
}

interface SkillText {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  readonly body: string;
  /** What was said behind its name. */
  readonly args: string;
}

/** Contract: no shell runs what stands in the body, and no argument is taken for anything but a text. */
export function skillText({ name, folder, body, args }: SkillText): string {
  const [text, isTaken] = withArguments(body, args, folder);
  const rest = isTaken || args === '' ? '' : `\n\nArguments: ${args}`;
  return `The skill "${name}" is in use. Paths in it start from its folder, ${folder}\n\n${text}${rest}`;
}

const HEAD = /^The skill "([\w:-]{1,129})" is in use\. Paths in it start from its folder, (.*)\n/;

/** The skill that a text is of; null if it is of none. */
export function skillOfText(text: string): Pick<SkillText, 'name' | 'folder'> | null {
  const [, name, folder] = HEAD.exec(text) ?? [];
  return name === undefined || folder === undefined ? null : { name, folder };
}

const PLACES = /\$ARGUMENTS(?:\[(\d{1,3})\])?|\$\{CLAUDE_SKILL_DIR\}/g;

/** The body with its arguments in their places, and whether it has places for them. */
function withArguments(body: string, args: string, folder: string): [string, boolean] {
  let isTaken = false;
  let words: readonly string[] | null = null;
  const text = body.replace(PLACES, (place, index: string | undefined) => {
    if (place.startsWith('${')) return folder;
    isTaken = true;
    if (index === undefined) return args;
    words ??= quotedWords(args);
    return words[Number(index)] ?? '';
  });
  return [text, isTaken];
}
