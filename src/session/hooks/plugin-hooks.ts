// The hooks of plugins. Loaded if a plugin has some. One rule: a hook that cannot be used is told and left out; those beside
// it stay.
import { type Plugin, withPluginRoot } from '../../context/plugins/index.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import { canBlock } from '../../hooks/declared-hooks.js';
import { compileMatcher } from '../../hooks/matcher.js';
import { ConfigError } from '../../protocol/errors.js';
import { HOOK_EVENTS, type HookEvent } from '../../protocol/hooks.js';
import { isRecord } from '../../util/is-record.js';
import { type HttpHookRules, hookWork } from './hook-work.js';
import type { RefusedHook } from './settings-hooks.js';

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
