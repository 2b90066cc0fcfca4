// The hooks of skills that are in use. One rule: they run from the call of the skill
// for as long as its text is in the conversation, so a resumed session has them again.
import path from 'node:path';
import { ToolError } from '../../protocol/errors.js';
import type { SkillHooks } from '../../tools/tool.js';
import { type AgentRun, noticeDraft, type Session, type SessionRuntime, skillsOf } from '../core/index.js';
import { skillHooks } from '../hooks/index.js';
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
 * Those of the skills that a resumed conversation is worked by; that one cannot be had again is told. Where the agent
 * had come to a folder with skills of its own, these are looked for again.
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
