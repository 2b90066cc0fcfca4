// What `query()` returns: the message stream, and the controls over the session behind it.
import type { SDKMessage, SDKUserMessage } from '../protocol/messages.js';
import type { BYOKProviderInfo, ModelInfo, UsageInfo } from '../protocol/model.js';
import type { AgentInfo, SlashCommand } from '../protocol/options.js';
import type { PermissionMode } from '../protocol/permissions.js';
import type { RewindFilesOptions, RewindFilesResult, RewindOptions, RewindResult } from '../protocol/rewind.js';

/** What an interrupt leaves: ids of the messages that wait, will be prompts of their own, and named an id. */
export interface InterruptReceipt {
  readonly still_queued: string[];
}

/** @typeParam Message what the stream gives: with a schema of Zod in `outputFormat`, results that have its value */
export interface Query<Message = SDKMessage> extends AsyncGenerator<Message, void> {
  /** Ends the running prompt: no tool starts after this resolves, its result says `aborted`, and the session goes on. */
  interrupt(): Promise<InterruptReceipt>;
  /** Takes effect on the next tool call. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /**
   * Takes effect on the next model request; also of another provider. Without an argument: back to the session's first
   * model. Rejects with ConfigError where there is no such provider, or no key for it.
   */
  setModel(model?: string): Promise<void>;
  /**
   * Adds messages to the session, after those already there. Each is a prompt of its own, unless its `priority` says
   * otherwise. Resolves when the stream has been read to its end.
   */
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  /**
   * Sets files back to what they were before a message of the user. Needs `enableFileCheckpointing`.
   * @param userMessageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
   */
  rewindFiles(userMessageId: string, options?: RewindFilesOptions): Promise<RewindFilesResult>;
  /**
   * Sets the conversation, the files or both (the default) back to what they were before a message of the user. The next
   * prompt goes on from there. Not while a prompt runs: then, and wherever else it cannot be done, the status is
   * `rejected`.
   * @param userMessageId uuid of the message, or the `rewindId` of an earlier rewind, which is then taken back
   */
  rewind(userMessageId: string, options?: RewindOptions): Promise<RewindResult>;
  /**
   * The models that can be named: the tiers, the session's own, model objects by their names, and what the catalogue
   * lists of the providers that have a key. Behind a provider of the host's own, the objects alone; empty where the list
   * cannot be made. Contract: each `value` can be given to `setModel`; it does not throw.
   */
  getAvailableModels(): Promise<ModelInfo[]>;
  /** The same list, by its other name. */
  supportedModels(): Promise<ModelInfo[]>;
  /** The providers that take a key of one's own, with the models that the catalogue lists; null where there is no list. */
  listByokProviders(): Promise<BYOKProviderInfo[] | null>;
  /** Always null: keys of providers have no account here whose usage could be told. */
  getUsageInfo(): Promise<UsageInfo | null>;
  /**
   * Stops a command that runs in the background, by the id that its `task_started` names; the model is told. Rejects where
   * there is no such task. Contract: nothing of it is alive when this resolves.
   */
  stopTask(taskId: string): Promise<void>;
  supportedCommands(): Promise<SlashCommand[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  /** Ends the session at once. The iterator then ends. */
  close(): void;
}
