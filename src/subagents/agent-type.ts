// A kind of agent, once its definition was read.
import type { EffortLevel } from '../protocol/options.js';
import type { PermissionMode } from '../protocol/permissions.js';

export interface AgentType {
  readonly name: string;
  /** What it is for, told to the model that may call it. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** Names of the tools it may have; null for all of the session. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  /** As the definition names it; null for the model of the agent that calls it. */
  readonly model: string | null;
  readonly initialPrompt?: string;
  readonly maxTurns?: number;
  readonly effort?: EffortLevel;
  readonly permissionMode?: PermissionMode;
  /** Names of skills whose texts it works by. */
  readonly skills?: readonly string[];
}
