// Takes over skills that were looked for again. One rule: what the model is told of them changes with the next prompt, and
// a call of one reads what is there now.
import { toSlashCommand } from '../../context/slash-commands.js';
import { ConfigError } from '../../protocol/errors.js';
import { inheritTools } from '../../subagents/inherit.js';
import { SKILL_TOOL } from '../../tools/skill.js';
import type { Tools } from '../../tools/tool.js';
import { commandsOf, noticeDraft, type Session, type SessionRuntime, type TakenSkill } from '../core/index.js';

/**
 * @param folders further ones that may hold skills, from now on; absolute
 * @throws ConfigError if they cannot be read, and in a session that was not opened by options
 */
export async function takeSkills(
  session: Session,
  runtime: SessionRuntime,
  folders: readonly string[] = [],
): Promise<{ readonly skills: readonly TakenSkill[] }> {
  const { config, memory } = session;
  if (config.reloadSkills === undefined)
    throw new ConfigError('This session looks for no skills, so there are none to look for again. Open it by query().');
  const before = JSON.stringify(commandsOf(session, runtime).map(toSlashCommand));
  const { library, commands, tools, notices } = await config.reloadSkills(folders);
  memory.reloaded = { library, commands };
  const type = runtime.agents.types.find(({ name }) => name === config.agent);
  const ofAgent = type === undefined ? tools : inheritTools(tools, type, true);
  runtime.agents = { ...runtime.agents, tools: withSkillTool(runtime.agents.tools, tools) };
  runtime.setup = { ...runtime.setup, tools: withSkillTool(runtime.setup.tools, ofAgent) };
  // What was wrong at the last look, and still is, was told.
  const told = memory.toldOfSkills ?? config.notices?.map(({ message }) => message) ?? [];
  for (const notice of notices) if (!told.includes(notice.message)) runtime.tell(noticeDraft(notice));
  memory.toldOfSkills = notices.map(({ message }) => message);
  const shown = commandsOf(session, runtime).map(toSlashCommand);
  if (JSON.stringify(shown) !== before) runtime.tell({ type: 'system', subtype: 'commands_changed', commands: shown });
  const hintOf = (name: string) => shown.find((command) => command.name === name)?.argumentHint ?? '';
  return {
    skills: library.skills.map(({ name, description, isForModel }) => ({
      ...{ name, description, isForModel },
      argumentHint: hintOf(name),
    })),
  };
}

/** In its old place, so that what stands before it stays the same for a prompt cache. */
function withSkillTool(all: Tools, [tool]: Tools): Tools {
  const at = all.findIndex(({ name }) => name === SKILL_TOOL);
  if (at === -1) return tool === undefined ? all : [...all, tool];
  return all.flatMap((each, index) => (index !== at ? [each] : tool === undefined ? [] : [tool]));
}
