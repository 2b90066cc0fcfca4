// The hooks that an agent has for itself: of its definition, and of the skills that it works by. Loaded if there are some.
import type { AgentType } from '../../subagents/agent-type.js';
import type { PreloadedSkill } from '../config/index.js';
import { type AgentRun, noticeDraft, type Runtime } from '../core/index.js';
import { definitionHooks, skillHooks } from '../hooks/index.js';

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
