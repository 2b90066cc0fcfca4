// The skills of a session, looked for again while it runs. Loaded with the first look.
import type { Command } from '../../context/slash-commands.js';
import type { Host } from '../../host/host.js';
import type { ReloadedSkills } from '../../session/config/index.js';
import type { OpenedSettings, SettingsFinder } from '../../session/settings/index.js';
import type { OpenedSkills } from '../../session/skills/index.js';
import { SKILL_TOOL } from '../../tools/skill.js';
import type { McpServersGiven } from '../mcp/mcp-options.js';
import type { PlainOptions } from '../options.js';
import { chooseTools } from '../tools/choose-tools.js';
import { openSkillOptions } from './skill-options.js';

export interface SkillsPlace {
  /** With what settings say. */
  readonly options: PlainOptions;
  readonly settings: OpenedSettings | null;
  readonly finder: SettingsFinder;
  readonly host: Host;
  readonly servers: McpServersGiven | null;
  /** Folders that were come to later, behind all others. */
  readonly folders: readonly string[];
}

/** @param others commands of the session that are no skills: a skill of their name is none. @throws ConfigError */
export async function reloadSkills(
  { options, settings, finder, host, servers, folders }: SkillsPlace,
  others: readonly Command[],
): Promise<ReloadedSkills & Pick<OpenedSkills, 'found'>> {
  const known = await finder.lookForExtensions();
  const later = folders.map((folder) => ({ scope: 'project' as const, folder }));
  const extensions = { ...known, skills: [...known.skills, ...later] };
  const opened = await openSkillOptions(options, settings, { ...finder, extensions }, host);
  const { tools } = await chooseTools(options, servers, { ...host.env, ...options.env }, opened.tools);
  const taken = others.map(({ name }) => name);
  return {
    library: opened.library,
    found: opened.found,
    tools: tools.filter(({ name }) => name === SKILL_TOOL),
    commands: [...others, ...opened.commands.filter(({ name }) => !taken.includes(name))],
    notices: opened.notices,
  };
}
