// The skills of a session, ready to be used: the tool for the model, commands for the user, and what is to be told of them.
// Loaded if there are some, or if somebody asked for some.

import type { FileTrust } from '../../context/markdown/index.js';
import type { ExtensionPlace } from '../../context/settings/index.js';
import {
  type FoundSkills,
  findSkills,
  type RefusedSkill,
  readFolder,
  type Skill,
  type SkillFolder,
  type SkillsHost,
  skillText,
} from '../../context/skills/index.js';
import type { Command } from '../../context/slash-commands.js';
import { isTrustedItem, readTrust } from '../../context/trust.js';
import { ruleProblem } from '../../permissions/rule.js';
import { restrictsName, restrictsTool } from '../../permissions/tool-rule.js';
import { ConfigError, ToolError } from '../../protocol/errors.js';
import { createSkillTool, type LoadedSkill, SKILL_TOOL, type SkillLibrary } from '../../tools/skill.js';
import type { SkillHooks, Tools } from '../../tools/tool.js';
import { count, errorText, listSome, shorten } from '../../util/text.js';
import { HOW_TO_TRUST, type PendingNotice, type SessionSkills, told } from '../config/index.js';

export interface SkillsRequest {
  /** From the nearest to the farthest. */
  readonly places: readonly ExtensionPlace[];
  readonly trust: FileTrust;
  /** Which of them there are. */
  readonly wanted: 'all' | readonly string[];
  /** What settings say of some, by name; not of those of plugins. */
  readonly overrides?: Readonly<Record<string, 'on' | 'name-only' | 'user-invocable-only' | 'off'>>;
  /** False: what a skill allows does not count. */
  readonly mayAllow: boolean;
  /** Names of commands that stay what they are. */
  readonly takenCommands: readonly string[];
}

export interface OpenedSkills {
  readonly library: SessionSkills;
  /** The tool Skill; none if there is no skill that the model may call. */
  readonly tools: Tools;
  readonly commands: readonly Command[];
  readonly notices: readonly PendingNotice[];
  readonly found: FoundSkillParts;
  /** As `FoundSkills` has it; null: nobody wants any. */
  readonly stamp: string | null;
}

/** The skills that there are, those that cannot be used, and their places. */
export interface FoundSkillParts {
  readonly skills: readonly Pick<Skill, 'name' | 'scope' | 'file' | 'hooks'>[];
  readonly refused: readonly Pick<RefusedSkill, 'name' | 'file' | 'why'>[];
}

export async function openSkills(host: SkillsHost, request: SkillsRequest): Promise<OpenedSkills> {
  const { places, trust, wanted } = request;
  const found = overridden(await findSkills(host, places, trust), request.overrides ?? {});
  const { skills, refused, unknown, unwanted } = choose(found, wanted);
  const bad: { readonly skill: Skill; readonly rule: string; readonly why: string }[] = [];
  const usable = skills.map((skill): OpenSkill => {
    const allowedTools = skill.allowedTools.filter((rule) => {
      const why = request.mayAllow ? ruleProblem(rule, { origin: 'command' }) : 'only managed settings allow anything';
      if (why !== null) bad.push({ skill, rule, why });
      return why === null;
    });
    // What it says is read when it is used: two hundred texts would only be held until then.
    const { body: _, ...facts } = skill;
    return { ...facts, said: skill.allowedTools, allowedTools };
  });
  const library = createSkillLibrary(host, trust, usable);
  return {
    library,
    tools: usable.some(({ isForModel }) => isForModel) ? [createSkillTool(library)] : [],
    commands: usable
      .filter(({ name, isForUser }) => isForUser && !request.takenCommands.includes(name))
      .map((skill) => commandOf(skill, library)),
    found: { skills: usable, refused: [...refused, ...unwanted] },
    stamp: wanted.length === 0 ? null : found.stamp,
    notices: skillNotices({ skills: usable, refused, unknown, bad, root: trust.root, taken: request.takenCommands }),
  };
}

/** Those that settings switch off are refused; others are there for the user alone, or without what they say of themselves. */
function overridden(
  { skills, refused, stamp }: FoundSkills,
  overrides: NonNullable<SkillsRequest['overrides']>,
): FoundSkills {
  const said = ({ name, scope }: Skill) =>
    scope !== 'plugin' && Object.hasOwn(overrides, name) ? (overrides[name] ?? 'on') : 'on';
  const off = skills.filter((skill) => said(skill) === 'off');
  return {
    skills: skills
      .filter((skill) => said(skill) !== 'off')
      .map((skill) => {
        if (said(skill) === 'user-invocable-only') return { ...skill, isForModel: false };
        return said(skill) === 'name-only' ? { ...skill, description: '' } : skill;
      }),
    refused: [
      ...refused,
      ...off.map(({ name, scope, file }) => ({
        ...{ name, scope, file, item: null },
        why: 'settings switch it off (skillOverrides)',
      })),
    ],
    stamp,
  };
}

interface ChosenSkills extends Omit<FoundSkills, 'stamp'> {
  /** Names that are wanted and that nothing has. */
  readonly unknown: readonly string[];
  /** Those that nobody asked for. */
  readonly unwanted: FoundSkillParts['refused'];
}

/** Of what nobody asked for nothing is told. */
function choose(found: FoundSkills, wanted: SkillsRequest['wanted']): ChosenSkills {
  if (wanted === 'all') return { ...found, unknown: [], unwanted: [] };
  const isWanted = ({ name }: Skill | RefusedSkill) => wanted.includes(name);
  const [skills, refused] = [found.skills.filter(isWanted), found.refused.filter(isWanted)];
  const names = [...skills, ...refused].map(({ name }) => name);
  const others = [...found.skills, ...found.refused].filter((each) => !isWanted(each));
  return {
    skills,
    refused,
    unknown: [...new Set(wanted)].filter((name) => !names.includes(name)),
    unwanted: others.map(({ name, file }) => ({ name, file, why: 'skills (of options or settings) does not name it' })),
  };
}

function commandOf(skill: OpenSkill, library: SessionSkills): Command {
  const { name, description, argumentHint, allowedTools, model } = skill;
  return {
    type: 'prompt',
    name,
    description: shorten(description, 250),
    allowedTools,
    ...(argumentHint === undefined ? {} : { argumentHint }),
    ...(model === undefined ? {} : { model }),
    expand: async (args) => (await library.load(name, args, 'user')).text,
  };
}

// What a session has to tell of skills: those that are not there, and why; what of the others does nothing.

interface ToldSkills {
  readonly skills: readonly OpenSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly unknown: readonly string[];
  /** Rules of `allowed-tools` that allow nothing. */
  readonly bad: readonly { readonly skill: Skill; readonly rule: string; readonly why: string }[];
  /** The folder that trust is about. */
  readonly root: string;
  readonly taken: readonly string[];
}

function skillNotices({ skills, refused, unknown, bad, root, taken }: ToldSkills): PendingNotice[] {
  const untrusted = refused.filter(({ item }) => item !== null);
  const lost = refused.filter(({ item }) => item === null);
  const fields = skills.flatMap(({ file, unknown: keys }) => keys.map((key) => `${key} (${file})`));
  const hidden = skills.filter(({ name, isForUser }) => isForUser && taken.includes(name)).map(({ name }) => name);
  return [
    ...told(
      untrusted.map(({ name }) => name),
      (names) => ({
        code: 'folder_not_trusted',
        message: `Nobody vouches for ${root}, so these skills of it are not there: ${names}.`,
        remedy: HOW_TO_TRUST,
      }),
    ),
    ...told(
      lost.map(({ file, why }) => `${file}: ${why}`),
      (each) => ({
        code: 'skill_refused',
        message: `${count(lost.length, 'skill')} cannot be used. ${each}.`,
        remedy: 'Correct what is said, or move the folder away. "turnwright skills list" shows all.',
      }),
    ),
    ...told(unknown, (names) => ({
      code: 'skill_problem',
      message: `The skills that are asked for by name are not all there. Missing: ${names}.`,
      remedy: `Skills: ${listSome(skills.map(({ name }) => name)) || 'none'}.`,
    })),
    ...told(
      bad.map(({ skill, rule, why }) => `${rule.slice(0, 100)} (${skill.file}): ${why}`),
      (rules) => ({
        code: 'skill_problem',
        message: `Rules of allowed-tools that allow nothing: ${rules}`,
      }),
    ),
    ...told(fields, (keys) => ({
      code: 'skill_problem',
      level: 'info',
      message: `Fields of skills without effect in this version: ${keys}.`,
    })),
    ...told(hidden, (names) => ({
      code: 'skill_problem',
      level: 'info',
      message: `The commands of these names are other ones, so the skills can be called by the model alone: ${names}.`,
    })),
  ];
}

// The skills of a session. What there is stays as it was when the session began, so that a prompt cache can hold it; what
// one says is read when it is used, and checked again then.

/** `said` is what it allows by its file; `allowedTools` what of that counts. */
type OpenSkill = Omit<Skill, 'body'> & { readonly said: readonly string[] };

/** @param skills in the order of their names */
function createSkillLibrary(host: SkillsHost, trust: FileTrust, skills: readonly OpenSkill[]): SessionSkills {
  const typed = new Map<string, SkillHooks | null>();
  const load: SkillLibrary['load'] = async (name, args, by): Promise<LoadedSkill> => {
    const skill = skills.find((each) => each.name === name);
    if (skill === undefined) throw new ToolError(`There is no skill "${name}".`);
    const refuse = (why: string) => new ToolError(`The skill ${name} was not loaded: ${why}.`);
    const now = await readFolder(host, skill, trust);
    if ('problem' in now) throw refuse(now.problem);
    const { definition, item, body } = now;
    if (definition.name !== name.split(':').at(-1)) throw refuse(`its file calls it ${definition.name} now`);
    if (by === 'model' && !definition.isForModel) throw refuse('only the user may call it');
    if (by === 'user' && !definition.isForUser) throw refuse('only the model may call it');
    if (item !== null && !(await isVouchedFor(host, trust, item)))
      throw refuse(
        'a file of it is not as somebody vouched for it. Whoever runs the session has to look at it and trust the folder anew',
      );
    if (definition.allowedTools.join('\n') !== skill.said.join('\n'))
      throw refuse('its allowed-tools changed since the session began. They count in a new session');
    const { folder, allowedTools, scope, file } = skill;
    const { hooks: said } = definition;
    const changedFiles = item === null ? null : async () => changesOf(host, trust, skill, item);
    const hooks = said === undefined ? null : { name, scope, file, folder, hooks: said, changedFiles };
    if (by === 'user') typed.set(name, hooks);
    return { text: skillText({ name, folder, body, args }), folder, allowedTools, hooks };
  };
  return {
    skills,
    names: skills.map(({ name }) => name),
    hooksOfTyped: (name) => typed.get(name) ?? null,
    hasHooks: skills.some(({ hooks }) => hooks !== undefined),
    load,
    usableWith(tools = []) {
      const hasTool = tools.some((tool) => tool.name === SKILL_TOOL);
      return skills.filter(({ isForUser, isForModel }) => isForUser || (hasTool && isForModel)).map(({ name }) => name);
    },
    async preload(names, kept) {
      const known = skills.filter(({ name }) => names.includes(name));
      return Promise.all(
        known.map(async ({ name }) => {
          try {
            const rule = kept.find((each) => restrictsTool(each, 'Skill') || restrictsName(each, 'Skill', name));
            if (rule !== undefined) throw new ToolError(`${rule.source} is denied or asked about by a rule.`);
            const { text, hooks } = await load(name, '', 'host');
            return { text, hooks, problem: null };
          } catch (error) {
            if (!(error instanceof ToolError)) throw error;
            const text = `You were to work by the skill ${name}. ${error.message}`;
            return { text, hooks: null, problem: errorText(error) };
          }
        }),
      );
    },
  };
}

/** Its folder, if what it holds is not as it was when the skill was loaded. */
async function changesOf(
  host: SkillsHost,
  trust: FileTrust,
  skill: OpenSkill,
  before: NonNullable<SkillFolder['item']>,
): Promise<readonly string[]> {
  const now = await readFolder(host, skill, trust);
  return 'problem' in now || now.item?.hash !== before.hash ? [skill.file] : [];
}

/** If trust cannot be read, nobody is trusted. */
async function isVouchedFor(
  host: SkillsHost,
  { home, root }: FileTrust,
  item: NonNullable<SkillFolder['item']>,
): Promise<boolean> {
  try {
    return isTrustedItem(await readTrust(host, home, root), item);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
