// What of a folder would act if somebody vouched for it, and how the user does. For whoever can ask.
import { type TrustItem, trustRoot } from '../../context/trust.js';
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { findSettings, keepTrust, type SettingsFinder, type SettingsOptions } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { FEATURES } from '../features.js';
import type { Options } from '../options/index.js';

/** A value that would act. */
export interface UntrustedValue {
  /** Absolute. */
  readonly file: string;
  readonly key: string;
  readonly value: unknown;
  /** Files of the folder that its commands name: who trusts it trusts them as they stand. */
  readonly files: readonly string[];
}

export interface UntrustedFolder {
  /** The real folder: of the repository, if there is one. */
  readonly root: string;
  readonly settings: readonly UntrustedValue[];
  /** Values of its git configuration that make git start programs. */
  readonly git: readonly UntrustedValue[];
  /** Its skills: what each is for, what it allows, and the hash of its files. */
  readonly skills: readonly UntrustedValue[];
  /** Its agents: what each is for, what it may use, and what it starts. */
  readonly agents: readonly UntrustedValue[];
  /** Its slash commands: what each is for, what it allows and what it has the shell run. */
  readonly commands: readonly UntrustedValue[];
  /** Its output styles: what each is for. */
  readonly outputStyles: readonly UntrustedValue[];
  /** Keeps the user's trust in these values as they were read, and in no others. @throws ConfigError, FileError */
  trust(): Promise<void>;
}

/**
 * As `untrustedFolder`, for a session with these options that starts on this machine. Null too if its options name the
 * sources of settings: whoever named them has said what is trusted.
 * @throws ConfigError if the options are wrong
 */
export async function untrustedBy(
  { settingSources, settings, managedSettings, strictMcpConfig, cwd, env: own }: Options,
  startedIn: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<UntrustedFolder | null> {
  if (settingSources !== undefined) return null;
  const host = createNodeHost({ env: { ...env, ...own } });
  return untrustedFolder(host, cwd ?? startedIn, { settings, managedSettings, strictMcpConfig });
}

/** Null if there is nothing to ask. @throws ConfigError if the options are wrong */
export async function untrustedFolder(
  host: Host,
  cwd: string,
  options: SettingsOptions,
): Promise<UntrustedFolder | null> {
  const finder = findSettings(host, host.env, cwd, options);
  const { untrusted, gitPrograms } = (await finder.open())?.effective ?? { untrusted: [], gitPrograms: [] };
  const skills = await untrustedSkills(host, cwd, finder, options);
  const agents = await untrustedAgents(host, cwd, finder, options);
  const commands = await untrustedCommands(host, cwd, finder, options);
  const outputStyles = await untrustedStyles(host, cwd, finder, options);
  const items = [...untrusted, ...gitPrograms, ...skills, ...agents, ...commands, ...outputStyles];
  if (items.length === 0) return null;
  const root = await trustRoot(host, cwd);
  return {
    root,
    settings: untrusted.map(plain),
    git: gitPrograms.map(plain),
    skills: skills.map(plain),
    agents: agents.map(plain),
    commands: commands.map(plain),
    outputStyles: outputStyles.map(plain),
    async trust() {
      await keepTrust(host, homeFolder(host), root, items);
    },
  };
}

async function untrustedSkills(host: Host, cwd: string, finder: SettingsFinder, options: SettingsOptions) {
  if (finder.extensions.skills.length === 0) return [];
  const { skillsOf } = await FEATURES.plugins.door();
  return (await skillsOf(host, cwd, finder, options)).refused.flatMap(({ item }) => item ?? []);
}

async function untrustedAgents(host: Host, cwd: string, finder: SettingsFinder, options: SettingsOptions) {
  const { agents: places } = finder.extensions;
  if (places.length === 0) return [];
  const { openAgentFiles } = await FEATURES.agents.door();
  return (await openAgentFiles(places, { ...options, cwd }, host)).refused.flatMap(({ item }) => item ?? []);
}

async function untrustedCommands(host: Host, cwd: string, finder: SettingsFinder, options: SettingsOptions) {
  const { commands: places } = finder.extensions;
  if (places.length === 0) return [];
  const { commandFilesOf } = await FEATURES.commandFiles.door();
  const found = await commandFilesOf({ ...options, cwd }, host, { places, mayAllow: true, taken: [] });
  return found.refused.flatMap(({ item }) => item ?? []);
}

async function untrustedStyles(host: Host, cwd: string, finder: SettingsFinder, options: SettingsOptions) {
  if (finder.extensions['output-styles'].length === 0) return [];
  const { outputStyles } = await FEATURES.outputStyle.door();
  return (await outputStyles(finder, { ...options, cwd }, host)).refused.flatMap(({ item }) => item ?? []);
}

function plain({ leaf, files }: TrustItem): UntrustedValue {
  return { file: leaf.file ?? '', key: leaf.key, value: leaf.value, files: Object.keys(files ?? {}) };
}
