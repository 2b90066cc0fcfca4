// What a session has of files, plugins and options, each with where it comes from, and what was left out, with the reason. Loaded
// if there is any of it. One rule: every candidate is in one of the two lists.

import type { CommandFile } from '../../context/command-files.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { PermissionRule } from '../../permissions/rule.js';
import { restrictsName } from '../../permissions/tool-rule.js';
import type { LoadedPart, RejectedPart } from '../../protocol/system-messages.js';
import type { AgentFiles } from '../../session/config/index.js';
import type { OpenedCommands } from '../../session/input/index.js';
import type { OpenedSettings } from '../../session/settings/index.js';
import type { FoundSkillParts } from '../../session/skills/index.js';
import { usableAgents } from '../../session/tools/index.js';
import type { Tools } from '../../tools/tool.js';
import { isRecord } from '../../util/json.js';
import type { McpServersGiven } from '../mcp/index.js';
import type { PlainOptions } from '../options/index.js';
import type { OpenedPlugins } from './plugin-options.js';

export interface LoadedSources {
  readonly skills: FoundSkillParts | null;
  readonly commands: OpenedCommands | null;
  readonly agents: AgentFiles | null;
  readonly plugins: OpenedPlugins | null;
  readonly settings: OpenedSettings | null;
  readonly servers: McpServersGiven | null;
  readonly options: Pick<PlainOptions, 'agents' | 'hooks' | 'mcpServers' | 'allowDangerouslySkipPermissions'>;
  readonly tools: Tools;
  readonly deny: readonly PermissionRule[];
}

export interface LoadedParts {
  readonly loaded: readonly LoadedPart[];
  readonly rejected: readonly RejectedPart[];
}

type Kind = LoadedPart['kind'];

type UsableAgents = (
  agents: AgentFiles,
  rules: { readonly allowBypass: boolean; readonly toolNames: readonly string[]; readonly mayNest: boolean },
) => { readonly refused: readonly { readonly file: string; readonly why: string }[] };

/** What lists them. */
export async function openLoadedParts(): Promise<(sources: LoadedSources) => LoadedParts> {
  return (sources) => loadedParts(sources, usableAgents);
}

function loadedParts(sources: LoadedSources, usableAgents: UsableAgents): LoadedParts {
  const { skills, commands, agents, plugins, settings, options } = sources;
  const loaded: LoadedPart[] = [];
  const rejected: RejectedPart[] = [];
  const add = (kind: Kind, name: string, scope: string, source: string | null) =>
    void loaded.push({ kind, name, scope, source: source ?? 'option' });
  const refuse = (kind: Kind, name: string, source: string | null, reason: string) =>
    void rejected.push({ kind, name, source: source ?? 'option', reason });

  /** Of front matter: they run while it works, or is in use. */
  const addHooks = (hooks: unknown, whose: string, scope: string, file: string) => {
    for (const label of hookPlaces(hooks)) add('hook', `${label} (${whose})`, scope, file);
  };
  for (const { name, scope, file, hooks } of skills?.skills ?? []) {
    add('skill', name, scope, file);
    addHooks(hooks, `skill ${name}`, scope, file);
  }
  for (const { name, file, why } of skills?.refused ?? []) refuse('skill', name, file, why);
  for (const { name, scope, file } of commands?.files ?? ([] as readonly CommandFile[]))
    add('command', name, scope, file);
  for (const { name, file, why } of commands?.refused ?? []) refuse('command', name, file, why);
  for (const { name, file, why } of commands?.taken ?? []) refuse('command', name, file, why);
  const unusable = whyNoAgents(sources, usableAgents);
  for (const { name, scope, file, definition } of agents?.agents ?? []) {
    const why = unusable(name, file);
    if (why !== null) {
      refuse('agent', name, file, why);
      continue;
    }
    add('agent', name, scope, file);
    addHooks(definition['hooks'], `agent ${name}`, scope, file);
  }
  for (const { name, file, why } of agents?.refused ?? []) refuse('agent', name, file, why);
  for (const name of Object.keys(options.agents ?? {})) add('agent', name, 'option', null);

  for (const { name, scope, folder } of plugins?.plugins ?? []) add('plugin', name, scope, folder);
  rejected.push(...(plugins?.rejected ?? []));
  servers(sources, add, refuse);
  for (const { label, scope, file } of [...(settings?.commandHooks ?? []), ...(plugins?.hooks ?? [])] as CommandHook[])
    add('hook', label, scope, file);
  for (const { label, file, why } of settings?.refusedHooks ?? []) refuse('hook', label, file, why);
  // What is no hook, or no server, at all.
  for (const { key, file, message } of settings?.effective.problems ?? []) {
    const [, kind, name = ''] = /^(hooks|mcpServers)\.(.+)$/.exec(key ?? '') ?? [];
    if (kind !== undefined) refuse(kind === 'hooks' ? 'hook' : 'server', name, file, message);
  }
  // What is wrong with them is told with the prompt.
  for (const [event, groups] of Object.entries(options.hooks ?? {}))
    for (const [at, group] of (Array.isArray(groups) ? groups : []).entries())
      for (const index of Array.isArray(group?.hooks) ? group.hooks.keys() : [])
        add('hook', `${event}[${at}].hooks[${index}]`, 'option', null);
  return { loaded, rejected };
}

/** `PreToolUse[0].hooks[1]` of each hook of a definition; what is none is told when it is used. */
function hookPlaces(hooks: unknown): readonly string[] {
  if (!isRecord(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    [groups].flat().flatMap((group: unknown, at) => {
      const each = isRecord(group) && Array.isArray(group['hooks']) ? group['hooks'] : [];
      return each.map((_, index) => `${event}[${at}].hooks[${index}]`);
    }),
  );
}

/** Why an agent of a file is not there; null if it is. */
function whyNoAgents(
  { agents, options, tools, deny }: LoadedSources,
  usableAgents: UsableAgents,
): (name: string, file: string) => string | null {
  if (agents === null) return () => null;
  const rules = {
    allowBypass: options.allowDangerouslySkipPermissions === true,
    toolNames: tools.map(({ name }) => name),
    mayNest: true,
  };
  const { refused } = usableAgents(agents, rules);
  return (name, file) => {
    const found = refused.find((each) => each.file === file);
    if (found !== undefined) return found.why;
    if (Object.hasOwn(options.agents ?? {}, name)) return 'the option agents has one of that name';
    return deny.some((rule) => restrictsName(rule, 'Agent', name)) ? 'a rule denies it' : null;
  };
}

function servers(
  { plugins, settings, servers: given, options }: LoadedSources,
  add: (kind: Kind, name: string, scope: string, source: string | null) => void,
  refuse: (kind: Kind, name: string, source: string | null, reason: string) => void,
): void {
  const failures = new Map(
    (given?.connections ?? []).flatMap(({ name, type, error = '' }) =>
      type === 'disabled' || type === 'failed' ? [[name, error] as const] : [],
    ),
  );
  const there = new Set([
    ...(given?.definitions ?? []).map(({ name }) => name),
    ...(given?.connections ?? []).map(({ name }) => name),
  ]);
  const tell = (name: string, scope: string, source: string | null) => {
    const why = there.has(name) ? failures.get(name) : 'the option allowedMcpServerNames does not name it';
    if (why === undefined) add('server', name, scope, source);
    // The file is told beside it.
    else refuse('server', name, source, why.replace(` (${source})`, ''));
  };
  const pluginOf = (server: string) =>
    plugins?.plugins.find(({ name }) => server.startsWith(`plugin_${name}_`))?.folder ?? null;
  for (const name of Object.keys(options.mcpServers ?? {})) {
    const isOfPlugin = plugins !== null && Object.hasOwn(plugins.servers, name);
    tell(name, isOfPlugin ? 'plugin' : 'option', isOfPlugin ? pluginOf(name) : null);
  }
  for (const { name, owner, file } of settings?.effective.servers ?? [])
    if (Object.hasOwn(options.mcpServers ?? {}, name))
      refuse('server', name, file, 'the option mcpServers has one of that name');
    else tell(name, owner, file);
}
