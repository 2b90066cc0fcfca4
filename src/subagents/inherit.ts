// What a subagent gets of the session it works for. One rule: restrictions are inherited, approvals are not. Pure.
import type { PermissionRule } from '../permissions/rule.js';
import type { PermissionMode } from '../protocol/permissions.js';
import type { AnyTool, Tools } from '../tools/tool.js';
import { matchesStars } from '../util/star-text.js';
import type { AgentType } from './definition.js';

/**
 * The tools of an agent: those of the session that its definition names, all if it names none, less those it
 * refuses. `maySpawn`: whether it may start agents of its own.
 * Contract: never a tool that the session does not have.
 */
export function inheritTools(
  session: Tools,
  agent: Pick<AgentType, 'tools' | 'disallowedTools'>,
  maySpawn: boolean,
): AnyTool[] {
  return session.filter(
    (tool) =>
      (agent.tools === null || agent.tools.some((name) => namesTool(name, tool.name))) &&
      !agent.disallowedTools.some((name) => refusesTool(name, tool.name)) &&
      (maySpawn || tool.spawnsAgents !== true),
  );
}

/** `Read`, `mcp__server__tool`, or all tools of a server: `mcp__server`, `mcp__server__*`. */
function namesTool(name: string, toolName: string): boolean {
  if (name === toolName) return true;
  const server = name.replace(/__\*$/, '');
  return server.startsWith('mcp__') && !server.slice(5).includes('__') && toolName.startsWith(`${server}__`);
}

/** As rules that deny: in any case, with stars for any signs. */
function refusesTool(name: string, toolName: string): boolean {
  const [refused, called] = [name.toLowerCase(), toolName.toLowerCase()];
  return namesTool(refused, called) || matchesStars(refused, called);
}

interface Rules {
  readonly mode: PermissionMode;
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
}

/** What a definition says of permissions. */
export interface OwnMode {
  readonly mode: PermissionMode | undefined;
  /** True if the host wrote the definition: then its mode counts, also if it allows more than the session's. */
  readonly mayLoosen: boolean;
}

/**
 * The rules of an agent: what the session denies and asks about, and of what it allows only `granted`, which a person
 * gave while it ran.
 */
export function inheritRules<R extends Rules>(session: R, granted: readonly PermissionRule[], mode: PermissionMode): R {
  return { ...session, mode, allow: granted };
}

/** In which modes of the session a mode allows nothing that those do not. */
const NO_LOOSER_THAN: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  plan: ['default', 'acceptEdits', 'bypassPermissions', 'yolo', 'dontAsk', 'auto'],
  dontAsk: ['default', 'acceptEdits', 'bypassPermissions', 'yolo', 'auto'],
  default: ['acceptEdits', 'bypassPermissions', 'yolo', 'auto'],
  acceptEdits: ['bypassPermissions', 'yolo'],
  auto: ['bypassPermissions', 'yolo'],
  bypassPermissions: ['yolo'],
  yolo: ['bypassPermissions'],
};

/** Nothing gets out of plan mode: there nothing is changed at all. */
export function inheritMode(session: PermissionMode, { mode, mayLoosen }: OwnMode): PermissionMode {
  if (mode === undefined || session === 'plan') return session;
  return mayLoosen || NO_LOOSER_THAN[mode].includes(session) ? mode : session;
}
