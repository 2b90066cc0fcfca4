// Skill: brings the text of a skill into the conversation. It reads through the library it was made with and knows nothing
// of where skills are; what the text asks for goes through the gate call by call.
import { ToolError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { SkillInput, SkillOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { defineTool, type SkillHooks, type Tool } from './tool.js';

export const SKILL_TOOL = 'Skill';

export interface OfferedSkill {
  readonly name: string;
  readonly description: string;
  /** Permission rules that count once it is in use. */
  readonly allowedTools: readonly string[];
  readonly isForModel: boolean;
  /** Whose it is, such as `project`; absent: nobody says. */
  readonly scope?: string;
}

export interface LoadedSkill {
  /** As the model reads it. */
  readonly text: string;
  /** Absolute. */
  readonly folder: string;
  readonly allowedTools: readonly string[];
  /** Null if it brings none along. */
  readonly hooks: SkillHooks | null;
}

/** What there is, and how it is read. */
export interface SkillLibrary {
  /** In the order of their names; the same for as long as the session lasts. */
  readonly skills: readonly OfferedSkill[];
  /** As it stands now. @throws ToolError if it is not there, or may not be used by whoever asks */
  load(name: string, args: string, by: 'model' | 'user' | 'host'): Promise<LoadedSkill>;
}

export const skillInputSchema = {
  type: 'object',
  properties: {
    skill: { type: 'string', minLength: 1, description: 'Name of the skill.' },
    args: { type: 'string', description: 'What the skill should work on, if it takes arguments.' },
  },
  required: ['skill'],
  additionalProperties: false,
} as const satisfies JsonSchema;

const DESCRIPTION = `Loads a skill: instructions for one kind of task, written for this user or project.
- If a task fits a skill below, call this first, then do what the skill says. Do not guess what it says.
- Call only skills that are listed, and none whose text is already in the conversation.
- A skill may refer to files next to it. Its text comes with the path of its folder.`;

/** Characters of names and descriptions together, and of one description. */
const MAX_LISTING = 6_000;
const MAX_DESCRIPTION = 1_000;
/** A shorter part of a description says nothing. */
const MIN_DESCRIPTION = 30;

/** Contract: the same skills, the same text; every skill is named. */
export function describeSkills(skills: readonly OfferedSkill[]): string {
  const offered = skills.filter(({ isForModel }) => isForModel);
  const texts = offered.map(({ description }) => shorten(description, MAX_DESCRIPTION));
  const room = MAX_LISTING - offered.reduce((sum, { name }) => sum + name.length + 5, 0);
  const longest = fairLength(texts, room);
  const lines = offered.map(({ name }, at) => {
    const text = shorten(texts[at] ?? '', longest);
    return longest < MIN_DESCRIPTION ? `- ${name}` : `- ${name}: ${text}`;
  });
  return `${DESCRIPTION}\n\nSkills:\n${lines.join('\n')}`;
}

/** How long each may be at most, so that all together fit: short ones leave their room to long ones. */
function fairLength(texts: readonly string[], room: number): number {
  const lengths = texts.map((text) => text.length).sort((a, b) => a - b);
  let left = room;
  for (const [at, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - at));
    if (length > share) return Math.max(0, share);
    left -= length;
  }
  return MAX_DESCRIPTION;
}

export function createSkillTool(library: SkillLibrary): Tool<SkillInput, SkillOutput> {
  const find = (name: string) => library.skills.find((skill) => skill.name === name && skill.isForModel);
  return defineTool<SkillInput, SkillOutput>({
    name: SKILL_TOOL,
    description: describeSkills(library.skills),
    inputSchema: skillInputSchema,
    otherFields: { command: 'use skill for the name and args for the rest', name: 'use skill' },
    readOnly: true,
    // What it allows counts for the calls behind it, and for none beside it.
    concurrencySafe: false,
    forModelOnly: true,
    approvesTools: true,
    title(input) {
      const allowed = find(nameIn(input))?.allowedTools ?? [];
      const more = allowed.length === 0 ? '' : ` (then without asking: ${allowed.join(', ')})`;
      return shorten(`${subjectName(input)}${more}`, 300);
    },
    subject(input) {
      const isText = (find(nameIn(input))?.allowedTools ?? []).length === 0;
      return { kind: 'name', name: subjectName(input), ...(isText ? { isText } : {}) };
    },
    async run(input, context) {
      const name = nameIn(input);
      if (find(name) === undefined) {
        const names = library.skills.filter(({ isForModel }) => isForModel).map((skill) => skill.name);
        throw new ToolError(`There is no skill "${shorten(name, 80)}". Skills: ${shorten(names.join(', '), 4_000)}.`);
      }
      const { text, folder, allowedTools, hooks } = await library.load(name, argsIn(input), 'model');
      if (hooks !== null) await context.startHooks?.(hooks);
      if (allowedTools.length > 0) await context.approveTools?.(allowedTools);
      return { model: text, data: { skill: name, folder } };
    },
  });
}

/** As a user types it, it begins with a slash. */
function nameIn({ skill }: SkillInput): string {
  return skill.trim().replace(/^\//, '');
}

function argsIn({ args = '' }: SkillInput): string {
  return args.trim();
}

/** The name with what follows it, as rules mean it. */
function subjectName(input: SkillInput): string {
  return `${nameIn(input)} ${argsIn(input)}`.trimEnd();
}
