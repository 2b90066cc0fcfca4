// What a hook of settings does that is no command: it sends the event to an address, asks a model, or calls a tool of an
// MCP server. Types alone.
import type { HookEvent } from '../protocol/hooks.js';
import type { WebReach } from '../providers/web/index.js';

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
