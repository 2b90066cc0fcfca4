// The skills of a folder, for people and programs that look at them: what there is, what is refused, and why.
import { type FoundSkills, findSkills } from '../../context/skills/index.js';
import { trustRoot } from '../../context/trust.js';
import { createTokenEstimator } from '../../engine/tokens/index.js';
import type { Host } from '../../host/host.js';
import { findSettings, type SettingsFinder, type SettingsOptions, vouches } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { findWithPlugins } from '../plugins/index.js';

/** Whose skills: as for settings. */
export type SkillsOptions = Pick<SettingsOptions, 'settingSources'>;

export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly scope: 'project' | 'user' | 'plugin';
  readonly file: string;
  /** Of its SKILL.md. */
  readonly bytes: number;
  /** What its text takes of a context, about. */
  readonly tokens: number;
  readonly allowedTools: readonly string[];
  readonly isForModel: boolean;
  readonly isForUser: boolean;
}

export interface ListedSkills {
  readonly skills: readonly ListedSkill[];
  readonly refused: readonly {
    readonly name: string;
    readonly scope: 'project' | 'user' | 'plugin';
    readonly file: string;
    readonly why: string;
    /** True if it would be there once the folder is trusted. */
    readonly needsTrust: boolean;
  }[];
}

/** @param cwd absolute. @throws ConfigError if the options are wrong */
export async function listSkills(host: Host, cwd: string, options: SkillsOptions): Promise<ListedSkills> {
  const finder = findSettings(host, host.env, cwd, options);
  await findWithPlugins(finder, [], { cwd }, await finder.open(), host);
  const { skills, refused } = await skillsOf(host, cwd, finder, options);
  const estimator = createTokenEstimator();
  return {
    skills: skills.map(({ name, description, scope, file, bytes, body, allowedTools, isForModel, isForUser }) => ({
      name,
      description,
      scope,
      file,
      bytes,
      tokens: estimator.text(body),
      allowedTools,
      isForModel,
      isForUser,
    })),
    refused: refused.map(({ item, ...each }) => ({ ...each, needsTrust: item !== null })),
  };
}

/** @param finder opened before */
export async function skillsOf(
  host: Host,
  cwd: string,
  { extensions }: SettingsFinder,
  { settingSources }: SkillsOptions,
): Promise<FoundSkills> {
  if (extensions.skills.length === 0) return { skills: [], refused: [], stamp: '' };
  const root = await trustRoot(host, cwd);
  return findSkills(host, extensions.skills, {
    ...{ isGranted: vouches({ settingSources }), root, cwd },
    home: homeFolder(host),
  });
}
