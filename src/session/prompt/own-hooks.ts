// The hooks that skills in use and agents bring along. One rule: those of a skill run from its call for as long as its text is
// in the conversation, so a resumed session has them again.
import path from 'node:path';
import { ToolError } from '../../protocol/errors.js';
import type { AgentType } from '../../subagents/definition.js';
import type { SkillHooks } from '../../tools/tool.js';
import type { PreloadedSkill } from '../config/index.js';
import {
  type AgentRun,
  noticeDraft,
  type Runtime,
  type Session,
  type SessionRuntime,
  skillsOf,
} from '../core/index.js';
import { definitionHooks, skillHooks } from '../hooks/index.js';
import { skillsInUse } from '../skills/index.js';
import { isPlaceOfSkills } from './added-instructions.js';

/** What of them cannot be used is told. A skill that is called again has those of its newest text. */
export async function startSkillHooks(
  { session: { host, config, depth }, runtime }: Pick<AgentRun, 'session' | 'runtime'>,
  skill: SkillHooks,
): Promise<void> {
  const { commands, notices } = skillHooks(host, config, skill, depth > 0);
  for (const notice of notices) runtime.tell(noticeDraft(notice));
  if (commands.length > 0) await runtime.hooks.add?.(`the skill ${skill.name}`, commands);
}

/**
 * Those of the skills that a resumed conversation is worked by; if one cannot be had again, that is told. If the agent
 * had come to a folder with skills of its own, they are looked for again.
 */
export async function resumeSkillHooks(session: Session, runtime: SessionRuntime): Promise<void> {
  const inUse = skillsInUse(session.history.params);
  const roots = runtime.gate.rules?.roots ?? [session.config.cwd];
  const isKnown = (name: string) => skillsOf(session)?.names.includes(name) === true;
  const places = inUse
    .filter(({ name, folder }) => !isKnown(name) && isPlaceOfSkills(path.dirname(folder), roots))
    .map(({ folder }) => path.dirname(folder));
  if (places.length > 0) await session.features.takeSkills(session, runtime, [...new Set(places)]);
  const library = skillsOf(session);
  for (const { name } of inUse.filter((each) => isKnown(each.name))) {
    try {
      const { hooks } = (await library?.load(name, '', 'host')) ?? { hooks: null };
      if (hooks !== null) await startSkillHooks({ session, runtime }, hooks);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const message = `The skill ${name} is in use, but its hooks do not run. ${error.message}`;
      runtime.tell(noticeDraft({ code: 'skill_problem', message }));
    }
  }
}

// The hooks that an agent has for itself: of its definition, and of the skills that it works by.

/** What of them cannot be used is told. @throws ConfigError */
export async function addOwnHooks(
  { session: { host, config }, runtime }: AgentRun,
  { name, source, hooks = {} }: AgentType,
  skills: readonly PreloadedSkill[],
  tell: Runtime['tell'],
): Promise<void> {
  const { scope, file } = source;
  const defined = [
    definitionHooks(host, config, { kind: 'agent', name, scope, file, hooks, inAgent: true }),
    ...skills.flatMap((skill) => (skill.hooks === null ? [] : [skillHooks(host, config, skill.hooks, true)])),
  ];
  for (const notice of defined.flatMap(({ notices }) => notices)) tell(noticeDraft(notice));
  const commands = defined.flatMap((each) => each.commands);
  if (commands.length > 0) await runtime.hooks.add?.('the agent', commands);
}
