// What `query()` returns: the message stream, and the controls over the session behind it.
import type { SDKMessage, SDKUserMessage } from '../protocol/messages.js';
import type { AgentInfo, SlashCommand } from '../protocol/options.js';
import type { PermissionMode } from '../protocol/permissions.js';

export interface Query extends AsyncGenerator<SDKMessage, void> {
  /** Ends the running prompt: no tool starts after this resolves, its result says `aborted`, and the session goes on. */
  interrupt(): Promise<void>;
  /** Takes effect on the next tool call. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Takes effect on the next model request. Without an argument: back to the session's first model. */
  setModel(model?: string): Promise<void>;
  /** Adds prompts to the session, after those already there. Resolves when the stream has been read to its end. */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  supportedCommands(): Promise<SlashCommand[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  /** Ends the session at once. The iterator then ends. */
  close(): void;
}
