// The hooks a host declared, checked and ready to run, and what one is: code, a command, or another action of settings. Whatever
// cannot be used is a ConfigError here, so nothing about the declaration can fail later, and later changes to the host's objects
// have no effect.
import { ConfigError } from '../protocol/errors.js';
import {
  HOOK_EVENTS,
  type HookCallback,
  type HookCallbackMatcher,
  type HookEvent,
  type HookInput,
} from '../protocol/hooks.js';
import type { WebReach } from '../providers/web/index.js';
import type { SharedSignal } from '../util/abort.js';
import { isRecord } from '../util/json.js';
import { nearestWord, shorten } from '../util/text.js';
import { type AppliesTo, compileMatcher } from './matcher.js';

export type HookAction =
  | {
      readonly type: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Variables that `headers` may hold. */
      readonly allowedEnvVars: readonly string[];
    }
  /** `agent`: whoever is asked may read the workspace first. */
  | { readonly type: 'prompt' | 'agent'; readonly prompt: string; readonly model: string | undefined }
  | {
      readonly type: 'mcp_tool';
      readonly server: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    };

/** What an action knows of its hook. */
export interface ActionHook {
  readonly event: HookEvent;
  /** Whose settings it stands in. */
  readonly scope: string;
  /** True for what a repository may bring along. */
  readonly isConfined: boolean;
  readonly timeoutMs: number;
}

/** How addresses are reached. */
export interface HookWeb {
  readonly reach: Omit<WebReach, 'convert' | 'limits'>;
  /** True for a host that commands in the sandbox may reach too, or if there is no sandbox. */
  isOpenToProject(host: string, port: number): boolean;
}

/** One request to a model, without tools. */
export interface HookQuestion {
  readonly instruction: string;
  readonly text: string;
  /** As settings name it; undefined: the small one of the session. */
  readonly model: string | undefined;
  /** Of the answer, tokens. */
  readonly maxTokens: number;
}

/** What a session lends its hooks. */
export interface HookPowers {
  openWeb(): Promise<HookWeb>;
  /** What the model said. @throws EngineError with why it said nothing; AbortError */
  askModel(question: HookQuestion, signal: AbortSignal): Promise<string>;
  /** As `askModel`, of an agent that may read the workspace. */
  askAgent(question: HookQuestion, signal: AbortSignal): Promise<string>;
  /** Text of what the tool gave. @throws EngineError with why it gave nothing; AbortError */
  callTool(
    server: string,
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<string>;
}

/** What a process printed, as far as it is told. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** Null if it never ended by itself. */
  readonly exitCode: number | null;
}

/** Told what a process prints, as it comes. Contract: cheap, never throws. */
export type OnPrinted = (stream: 'stdout' | 'stderr', text: string) => void;

/** What a hook gave back. */
export interface HookAnswer {
  /** Foreign data; undefined: nothing. */
  readonly output: unknown;
  /** Why it failed all the same. */
  readonly error?: string;
  /** Of a command. */
  readonly printed?: Printed;
  /** There: it goes on by itself, and this is what it says in the end. */
  readonly later?: LaterAnswer;
}

/** What a hook says that went on by itself. */
export interface LaterAnswer {
  /** Never rejects; comes soon after `stop`. */
  readonly answer: Promise<HookAnswer>;
  /** Milliseconds; null: as long as the hook may take. */
  readonly timeoutMs: number | null;
  stop(): void;
}

export interface DeclaredHook {
  /** Where it was declared: `PreToolUse[0].hooks[1] (auditCall)`, `PreToolUse[0].hooks[1] (.claude/settings.json)`. */
  readonly label: string;
  readonly timeoutMs: number;
  readonly onFailure: 'continue' | 'block';
  /** A throw is a failure. */
  call(
    input: HookInput,
    toolUseId: string | undefined,
    signal: AbortSignal,
    onPrinted?: OnPrinted,
  ): Promise<HookAnswer>;
  /** True for what a repository may bring along: rules that it gives hold for the session alone. Absent: false. */
  readonly isConfined?: boolean;
  /** Of several hooks with one `same` that match a firing, the first runs. Absent: it always does. */
  readonly same?: string;
  /** True once it is not to run again. Absent: it always is. */
  isSpent?(): boolean;
  /** Told as it starts. */
  readonly statusMessage?: string | undefined;
  /** True: after an abort it is waited for until it has ended, which it does soon. */
  readonly endsItself?: boolean;
  /** There: nobody waits for it, and its answer changes nothing that was. It ends when this is aborted. */
  readonly aside?: Pick<SharedSignal, 'use'>;
  /** How long it may go on if nobody waits for it. Default `timeoutMs`. */
  readonly asideTimeoutMs?: number | undefined;
}

/** The hooks of one matcher. */
export interface HookGroup {
  readonly applies: AppliesTo;
  readonly hooks: readonly DeclaredHook[];
}

/** Groups by event, in the order their answers are merged; only events with at least one hook. */
export type DeclaredHooks = ReadonlyMap<HookEvent, readonly HookGroup[]>;

/** Matchers by event. They run in the order they stand. */
export type HookMatchers = Partial<Record<HookEvent, readonly HookCallbackMatcher[]>>;

export const DEFAULT_TIMEOUT_SECONDS = 60;

/** Events that a failing hook can refuse, see `onFailure`. */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PostToolUse',
  'PermissionRequest',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'TaskCreated',
  'TeammateIdle',
  'PostToolBatch',
  'UserPromptExpansion',
  'PreModelSwitch',
]);

/** True for an event that a failing hook, or the exit code 2 of a command, can refuse. */
export function canBlock(event: HookEvent): boolean {
  return BLOCKABLE.has(event);
}

/**
 * Checks the declaration of all hooks.
 * @throws ConfigError naming the first place that cannot be used
 */
export function readDeclaredHooks(matchers: HookMatchers): DeclaredHooks {
  if (!isRecord(matchers)) throw new ConfigError('hooks must be an object with a list of matchers for each event.');
  const declared = new Map<HookEvent, readonly HookGroup[]>();
  for (const [event, entries] of Object.entries(matchers)) {
    if (!isHookEvent(event)) {
      const meant = nearestWord(event, HOOK_EVENTS);
      // Of another engine, or of a newer version: the session tells that it is not fired. What looks like a slip may be
      // a guard, and must not be off in silence.
      if (meant === undefined) continue;
      throw new ConfigError(
        `hooks.${shorten(event, 80)}: there is no such hook event. Did you mean ${meant}? The events are ${HOOK_EVENTS.join(', ')}.`,
      );
    }
    if (entries === undefined) continue;
    if (!Array.isArray(entries)) {
      throw new ConfigError(`hooks.${event} must be a list of matchers, for example [{ hooks: [callback] }].`);
    }
    const groups = entries
      .map((entry: unknown, index) => readGroup(event, entry, `${event}[${index}]`))
      .filter((group) => group.hooks.length > 0);
    if (groups.length > 0) declared.set(event, groups);
  }
  return declared;
}

function readGroup(event: HookEvent, entry: unknown, where: string): HookGroup {
  if (!isRecord(entry)) throw new ConfigError(`hooks.${where} must be an object with a list of hooks.`);
  const { matcher, hooks, timeout, onFailure } = entry;
  if (matcher !== undefined && typeof matcher !== 'string') {
    throw new ConfigError(`hooks.${where}.matcher must be a string. Leave it out to match all.`);
  }
  if (!Array.isArray(hooks)) throw new ConfigError(`hooks.${where}.hooks must be a list of functions.`);
  const timeoutMs = readTimeout(timeout, where);
  const failurePolicy = readOnFailure(event, onFailure, where);
  return {
    applies: compileMatcher(event, matcher, `hooks.${where}.matcher`),
    hooks: hooks.map((callback: unknown, index) => {
      const place = `${where}.hooks[${index}]`;
      if (!isCallback(callback)) {
        throw new ConfigError(`hooks.${place} must be a function (input, toolUseID, { signal }) => Promise.`);
      }
      return {
        label: labelOf(place, callback),
        timeoutMs,
        onFailure: failurePolicy,
        call: async (input, toolUseId, signal) => ({ output: await callback(input, toolUseId, { signal }) }),
      };
    }),
  };
}

function readTimeout(timeout: unknown, where: string): number {
  if (timeout === undefined) return DEFAULT_TIMEOUT_SECONDS * 1000;
  if (typeof timeout !== 'number' || !Number.isFinite(timeout) || timeout <= 0) {
    throw new ConfigError(`hooks.${where}.timeout must be a number of seconds above 0; it is ${shown(timeout)}.`);
  }
  return timeout * 1000;
}

function readOnFailure(event: HookEvent, onFailure: unknown, where: string): 'continue' | 'block' {
  if (onFailure === undefined || onFailure === 'continue') return 'continue';
  if (onFailure !== 'block') {
    throw new ConfigError(`hooks.${where}.onFailure must be 'continue' or 'block'; it is ${shown(onFailure)}.`);
  }
  if (!BLOCKABLE.has(event)) {
    throw new ConfigError(
      `hooks.${where}.onFailure is 'block', but a ${event} hook can block nothing. Leave it out. ` +
        `The events that can be blocked are ${[...BLOCKABLE].join(', ')}.`,
    );
  }
  return 'block';
}

function labelOf(place: string, callback: HookCallback): string {
  // `name` can be overwritten with anything.
  const name: unknown = callback.name;
  return typeof name === 'string' && name !== '' ? `${place} (${shorten(name, 60)})` : place;
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? shorten(`"${value}"`, 80) : `a ${typeof value}`;
}

export function isHookEvent(name: string): name is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}

function isCallback(value: unknown): value is HookCallback {
  return typeof value === 'function';
}
