// Where sessions can be kept other than in files: the store interface of the published SDKs. Types only.

/** Names one transcript of a store. */
export type SessionKey = {
  /** The caller's own scope. Default: the working directory as the file layout spells it. */
  readonly projectKey: string;
  readonly sessionId: string;
  /** Absent: the main transcript. Else a transcript beside it, such as `subagents/agent-<id>`; never empty. */
  readonly subpath?: string;
};

/** One line of a transcript: a plain JSON object. Lines with a `uuid` are told apart by it. */
export type SessionStoreEntry = {
  readonly type: string;
  readonly uuid?: string;
  readonly timestamp?: string;
  readonly [key: string]: unknown;
};

/** What a store keeps for each session so that a list needs no transcripts. `data` belongs to the engine. */
export type SessionSummaryEntry = {
  readonly sessionId: string;
  /** Milliseconds since the epoch, by the store's own clock: the one that `listSessions` reports. */
  readonly mtime: number;
  readonly data: Record<string, unknown>;
};

/**
 * A place for transcripts. What is loaded is deep-equal to what was appended, in that order.
 * Contract: an entry whose `uuid` is already there is not added again, so that an append can be repeated; entries
 * without one are always added.
 */
export type SessionStore = {
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Null for a key that was never written. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** In any order. `mtime` in whole milliseconds. */
  listSessions?(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>>;
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Without `subpath`: the session and every transcript beside it. */
  delete?(key: SessionKey): Promise<void>;
  /** The subpaths of a session. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
};

/** When entries go to a store: with the turn's end and every 100 ms or so, or each as it is written. */
export type SessionStoreFlush = 'batched' | 'eager';

/** What a list tells of a session. Times in milliseconds since the epoch. */
export type SDKSessionInfo = {
  readonly sessionId: string;
  /** Title for people: the user's, else the model's, else the last or first prompt. */
  readonly summary: string;
  readonly lastModified: number;
  /** Bytes. Absent with a store that is no folder. */
  readonly fileSize?: number;
  readonly customTitle?: string;
  readonly firstPrompt?: string;
  readonly gitBranch?: string;
  readonly cwd?: string;
  readonly tag?: string;
  readonly createdAt?: number;
  /** Absent if it was never archived. */
  readonly archived?: boolean;
};

/** A message of a transcript, as a reader of stored sessions gets it. */
export type SessionMessage = {
  readonly type: 'user' | 'assistant' | 'system';
  readonly uuid: string;
  readonly session_id: string;
  /** As in the stream: `{ role, content, … }`. Undefined for `system`. */
  readonly message: unknown;
  /** In the transcript of a subagent: the call that started it. */
  readonly parent_tool_use_id: string | null;
  /** In the transcript of a subagent that a subagent started: that one. */
  readonly parent_agent_id: string | null;
  /** ISO 8601. */
  readonly timestamp?: string;
  /** What the tool returned, beside what the model reads. */
  readonly tool_use_result?: unknown;
  /** Of `system` messages. */
  readonly subtype?: string;
  readonly compact_metadata?: {
    readonly trigger?: 'manual' | 'auto';
    readonly pre_tokens?: number;
    readonly post_tokens?: number;
  };
};
