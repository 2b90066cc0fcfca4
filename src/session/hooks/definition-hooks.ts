// Hooks that something brings along: the definition of an agent, the front matter of a skill, a plugin. They keep to the rules of
// those of settings.
import type { EffectiveSettings } from '../../context/effective-settings.js';
import { type Plugin, withPluginRoot } from '../../context/plugins/index.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import { canBlock } from '../../hooks/declared-hooks.js';
import { compileMatcher } from '../../hooks/matcher.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { HOOK_EVENTS, type HookEvent } from '../../protocol/hooks.js';
import type { SkillHooks } from '../../tools/tool.js';
import { isRecord } from '../../util/json.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { type HttpHookRules, hookWork } from './hook-work.js';
import { type RefusedHook, settingsHooks } from './settings-hooks.js';

const SCOPES = { 'built-in': 'flag', option: 'flag', user: 'user', plugin: 'project', project: 'project' } as const;

export interface HookDefinition {
  readonly kind: 'agent' | 'skill';
  readonly name: string;
  readonly scope: keyof typeof SCOPES;
  /** Absolute; null if it is none. */
  readonly file: string | null;
  /** Foreign data, by event. */
  readonly hooks: Readonly<Record<string, unknown>>;
  /** The end of an agent is SubagentStop. */
  readonly inAgent: boolean;
}

export interface DefinedHooks {
  readonly commands: readonly CommandHook[];
  readonly notices: readonly PendingNotice[];
}

type HooksConfig = Pick<QueryEngineConfig, 'cwd' | 'onlyManagedHooks' | 'httpHookRules'>;

/** Those that run, and what is to be told of the others. */
export function definitionHooks(host: Host, config: HooksConfig, definition: HookDefinition): DefinedHooks {
  const { kind, name, file, hooks, inAgent } = definition;
  if (Object.keys(hooks).length === 0) return { commands: [], notices: [] };
  const code = kind === 'agent' ? ('agent_problem' as const) : ('skill_problem' as const);
  const whose = `the ${kind} ${name}`;
  if (config.onlyManagedHooks === true)
    return {
      commands: [],
      notices: [{ code, message: `The hooks of ${whose} do not run: settings allow no others.` }],
    };
  const groups = Object.entries(hooks).flatMap(([event, listed]) =>
    (Array.isArray(listed) ? (listed as unknown[]) : [listed]).map((value, at) => ({ event, value, at })),
  );
  const entries = groups.map(({ event, value, at }) => {
    const own = event === 'Stop' && inAgent ? 'SubagentStop' : event;
    return {
      ...{ path: ['hooks', own], key: `hooks.${own}`, value, isItem: true, at },
      ...{ scope: SCOPES[definition.scope], file, base: config.cwd, overridden: [] },
    };
  });
  const usable = entries.filter(({ value }) => isGroup(value));
  const { urls, variables } = config.httpHookRules ?? {};
  const values = {
    ...(urls === undefined ? {} : { allowedHttpHookUrls: urls }),
    ...(variables === undefined ? {} : { httpHookAllowedEnvVars: variables }),
  };
  const place = { refused: [], actingFiles: new Map(), root: config.cwd, values, lists: [] };
  const effective = { entries: usable, ...place } as unknown;
  const read = settingsHooks(host, effective as EffectiveSettings, config.cwd);
  const odd = entries.filter(({ value }) => !isGroup(value)).map(({ key }) => key);
  const notices: PendingNotice[] = read.notices.map((notice) => ({ ...notice, code }));
  if (odd.length > 0)
    notices.push({
      code,
      message: `Hooks of ${whose} that do not run, because they are no objects with a list of hooks: ${odd.join(', ')}.`,
    });
  return { commands: read.commands, notices };
}

/**
 * Those of a skill that is in use from now on: what its folder holds must be as it was loaded, and commands know that
 * folder.
 */
export function skillHooks(host: Host, config: HooksConfig, skill: SkillHooks, inAgent: boolean): DefinedHooks {
  const { name, scope, file, folder, hooks, changedFiles } = skill;
  const { commands, notices } = definitionHooks(host, config, { kind: 'skill', name, scope, file, hooks, inAgent });
  return {
    notices,
    commands: commands.map((command) => ({
      ...command,
      skillFolder: folder,
      changedFiles: changedFiles ?? command.changedFiles,
    })),
  };
}

function isGroup(value: unknown): boolean {
  const { hooks, matcher } = (value ?? {}) as { readonly hooks?: unknown; readonly matcher?: unknown };
  return (
    Array.isArray(hooks) &&
    hooks.every((hook: unknown) => typeof hook === 'object' && hook !== null) &&
    (matcher === undefined || typeof matcher === 'string')
  );
}

// The hooks of plugins. One rule: a hook that cannot be used is told and left out; those beside
// it stay.

/** Of one plugin. */
const MAX_HOOKS = 100;

export interface PluginHooks {
  readonly commands: readonly CommandHook[];
  readonly refused: readonly RefusedHook[];
}

/** @param cwd what their commands know as the folder of the project, absolute */
export function pluginHooks({ name, folder, hooks }: Plugin, cwd: string, rules: HttpHookRules = {}): PluginHooks {
  const commands: CommandHook[] = [];
  const refused: RefusedHook[] = [];
  for (const { file, events } of hooks)
    for (const [event, groups] of Object.entries(events))
      for (const [index, group] of (Array.isArray(groups) ? groups : [groups]).entries()) {
        const listed = isRecord(group) && Array.isArray(group['hooks']) ? (group['hooks'] as unknown[]) : [group];
        for (const [at, hook] of listed.entries()) {
          const label = `${event}[${index}].hooks[${at}] (plugin ${name})`;
          const { matcher } = (isRecord(group) ? group : {}) as { readonly matcher?: unknown };
          const said = isRecord(hook) ? hook : {};
          const work = hookWork(said, rules);
          const fault =
            commands.length >= MAX_HOOKS
              ? `a plugin has at most ${MAX_HOOKS} hooks`
              : faultOf(event, matcher, group, said);
          if (fault !== null || work.fault !== null) {
            refused.push({ event, label, file, command: work.command, why: fault ?? work.fault ?? '' });
            continue;
          }
          const { timeout, onFailure, async: isAsync, asyncTimeout, statusMessage } = said;
          commands.push({
            event: event as HookEvent,
            label,
            scope: 'plugin',
            file,
            matcher: typeof matcher === 'string' ? matcher : undefined,
            command: withPluginRoot(work.command, folder),
            ...(work.action === null ? {} : { action: work.action }),
            timeoutMs: (typeof timeout === 'number' ? timeout : work.timeoutSeconds) * 1000,
            onFailure: onFailure === 'block' ? 'block' : 'continue',
            isAsync: isAsync === true && event !== 'SessionEnd',
            ...(typeof asyncTimeout === 'number' ? { asyncTimeoutMs: asyncTimeout * 1000 } : {}),
            statusMessage: typeof statusMessage === 'string' ? statusMessage : undefined,
            isConfined: false,
            projectFolder: cwd,
            pluginFolder: folder,
            changedFiles: null,
          });
        }
      }
  return { commands, refused };
}

function faultOf(
  event: string,
  matcher: unknown,
  group: unknown,
  hook: Readonly<Record<string, unknown>>,
): string | null {
  if (!(HOOK_EVENTS as readonly string[]).includes(event)) return 'there is no such event in this version';
  if (!isRecord(group)) return 'its group is not an object with hooks';
  const { timeout, onFailure, async: isAsync, asyncTimeout } = hook;
  if (asyncTimeout !== undefined && !(typeof asyncTimeout === 'number' && asyncTimeout > 0 && asyncTimeout <= 86_400))
    return 'its asyncTimeout is not a number of seconds from 0 to 86,400';
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= 86_400))
    return 'its timeout is not a number of seconds from 0 to 86,400';
  if (onFailure !== undefined && onFailure !== 'continue' && onFailure !== 'block')
    return 'its onFailure is neither "continue" nor "block"';
  if (onFailure === 'block' && (!canBlock(event as HookEvent) || isAsync === true))
    return 'onFailure is "block", but it can block nothing';
  if (matcher !== undefined && typeof matcher !== 'string') return 'its matcher is not a text';
  try {
    compileMatcher(event as HookEvent, matcher, 'its matcher');
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replace(/\.$/, '');
  }
}
