// The skills of a session. What there is stays as it was when the session began, so that a prompt cache can hold it; what
// one says is read when it is used, and checked again then.
import {
  readFolder,
  type Skill,
  type SkillFolder,
  type SkillsHost,
  type SkillTrust,
} from '../../context/skills/find-skills.js';
import { skillText } from '../../context/skills/skill-text.js';
import { isTrustedItem, readTrust } from '../../context/trust.js';
import { ConfigError, ToolError } from '../../protocol/errors.js';
import { type LoadedSkill, SKILL_TOOL, type SkillLibrary } from '../../tools/skill.js';
import type { SkillHooks } from '../../tools/tool.js';
import { errorText } from '../../util/text.js';
import type { SessionSkills } from '../config/index.js';

/** @param skills in the order of their names; `said` is what each of them allows by its file, as far as it counts */
export function createSkillLibrary(
  host: SkillsHost,
  trust: SkillTrust,
  skills: readonly (Skill & { readonly said: readonly string[] })[],
): SessionSkills {
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
      throw refuse('its allowed-tools are others than when the session began. They count in a new session');
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
    async preload(names) {
      const known = skills.filter(({ name }) => names.includes(name));
      return Promise.all(
        known.map(async ({ name }) => {
          try {
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
  trust: SkillTrust,
  skill: Skill,
  before: NonNullable<SkillFolder['item']>,
): Promise<readonly string[]> {
  const now = await readFolder(host, skill, trust);
  return 'problem' in now || now.item?.hash !== before.hash ? [skill.file] : [];
}

/** Where trust cannot be read, nobody is trusted. */
async function isVouchedFor(
  host: SkillsHost,
  { home, root }: SkillTrust,
  item: NonNullable<SkillFolder['item']>,
): Promise<boolean> {
  try {
    return isTrustedItem(await readTrust(host, home, root), item);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
