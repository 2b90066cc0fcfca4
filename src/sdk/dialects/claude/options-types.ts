// The options of the Claude Agent SDK, as types: its own if they differ, and all of ours beside them.
import type { HookJSONOutput } from '../../../protocol/hooks.js';
import type { CanUseToolOptions, PermissionResult as OurPermissionResult } from '../../../protocol/permissions.js';
import type { Options as OurOptions } from '../../options/index.js';
import type { AgentDefinition, Settings } from './agent-types.js';
import type { HookEvent } from './constants.js';
import type { HookInput, PermissionChange } from './hook-types.js';

export type PermissionResult = OurPermissionResult;

/** `null`: somebody else answers, and the call waits. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: Omit<CanUseToolOptions, 'suggestions'> & { suggestions?: PermissionChange[]; requestId: string },
) => Promise<PermissionResult | null>;

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

export interface HookCallbackMatcher {
  matcher?: string;
  hooks: HookCallback[];
  /** Seconds. */
  timeout?: number;
  onFailure?: 'continue' | 'block';
}

export type ThinkingDisplay = 'summarized' | 'omitted';
export type ThinkingAdaptive = { type: 'adaptive'; display?: ThinkingDisplay };
export type ThinkingEnabled = { type: 'enabled'; budgetTokens?: number; display?: ThinkingDisplay };
export type ThinkingDisabled = { type: 'disabled' };
export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

export type SystemPrompt =
  | string
  | string[]
  | { type: 'custom'; prompt: string | string[]; snapshot?: boolean }
  | {
      type: 'preset';
      preset: 'claude_code';
      append?: string;
      excludeDynamicSections?: boolean;
      snapshot?: boolean;
    };

interface Differing {
  /** Absent: a sentence. `{ type: 'preset', preset: 'claude_code' }` is what Turnwright says by default. */
  systemPrompt?: SystemPrompt;
  /** Replaces the environment of the process. */
  env?: { [variable: string]: string | undefined };
  canUseTool?: CanUseTool;
  agents?: Record<string, AgentDefinition>;
  settings?: string | Settings;
  managedSettings?: Settings;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  thinking?: ThinkingConfig;
  maxThinkingTokens?: number;
  /** Reading settings of a folder vouches for nothing; `trustFolder` does. */
  settingSources?: ('user' | 'project' | 'local')[];
}

export type Options = Omit<OurOptions, keyof Differing> & Differing;
