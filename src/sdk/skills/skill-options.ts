// The option and the setting about skills: which there are, and what naming them allows. Loaded if there are some, or
// if one is given.
import path from 'node:path';
import { type Command, getCommands } from '../../context/slash-commands.js';
import { trustRoot } from '../../context/trust.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { ReloadedSkills } from '../../session/config/index.js';
import { type OpenedSettings, type SettingsFinder, vouches } from '../../session/settings/index.js';
import { type OpenedSkills, openSkills } from '../../session/skills/index.js';
import { homeFolder } from '../../session/store/index.js';
import { SKILL_TOOL } from '../../tools/skill.js';
import type { McpServersGiven } from '../mcp/index.js';
import type { PlainOptions } from '../options/index.js';
import { chooseTools } from '../tools/index.js';

/** Whoever names skills in the option allows their calls, whatever these are told. @throws ConfigError */
export function withSkillRules(options: PlainOptions): PlainOptions {
  const { skills, allowedTools = [] } = options;
  const wanted = wantedSkills(skills);
  const rules =
    wanted === 'all' ? (skills === undefined ? [] : [SKILL_TOOL]) : wanted.map((name) => `${SKILL_TOOL}(${name} *)`);
  return rules.length === 0 ? options : { ...options, allowedTools: [...allowedTools, ...rules] };
}

const NAME = /^[\w:.-]{1,129}$/;

function wantedSkills(skills: unknown): 'all' | readonly string[] {
  if (skills === undefined || skills === 'all') return 'all';
  if (Array.isArray(skills) && skills.every((name) => typeof name === 'string' && NAME.test(name))) return skills;
  throw new ConfigError('skills is "all", or a list of names of skills.');
}

/** @param options with what settings say. @throws ConfigError */
export async function openSkillOptions(
  options: PlainOptions,
  settings: OpenedSettings | null,
  { extensions }: SettingsFinder,
  host: Host,
): Promise<OpenedSkills> {
  const env = { ...host.env, ...options.env };
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  const wanted = wantedSkills(options.skills);
  return openSkills(host, {
    places: wanted.length === 0 ? [] : extensions.skills,
    trust: {
      isGranted: vouches(options),
      root: await trustRoot(host, cwd),
      cwd,
      home: homeFolder(host, env),
    },
    wanted,
    overrides: settings?.effective.values.skillOverrides ?? {},
    mayAllow: settings?.effective.managed.allowManagedPermissionRulesOnly !== true,
    takenCommands: (await getCommands()).map(({ name }) => name),
  });
}

// The skills of a session, looked for again while it runs.

interface SkillsPlace {
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
