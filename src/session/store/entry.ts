import type { SettingScope } from '../../context/settings/index.js';
import type { SDKMessageOrigin } from '../../protocol/messages.js';
import type { SDKCompactBoundaryMessage } from '../../protocol/system-messages.js';
import { VERSION } from '../../util/version.js';
import type { SessionState } from '../config/index.js';
import type { Message } from '../messages/index.js';

/** What every line of the conversation has. */
interface EntryIdentity {
  /** The line this one follows; null at the root of a conversation. */
  readonly parentUuid: string | null;
  /** At a root that continues another conversation, as after a compaction: the last line of that one. */
  readonly logicalParentUuid?: string;
  /** True in the transcript of a subagent. */
  readonly isSidechain: boolean;
  readonly agentId?: string;
  readonly userType: 'external';
  readonly cwd: string;
  readonly sessionId: string;
  readonly version: string;
  readonly gitBranch: string;
  readonly uuid: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** A message of the conversation. */
export interface MessageEntry extends EntryIdentity {
  readonly type: 'user' | 'assistant';
  readonly message: unknown;
  /** Not typed by the user. */
  readonly isMeta?: true;
  readonly origin?: SDKMessageOrigin;
  /** The summary that a compaction put in place of what was before. */
  readonly isCompactSummary?: true;
  /** What the tool returned to the caller, beside the block for the model. */
  readonly toolUseResult?: unknown;
  /** With the reply's own id it tells replies apart: whoever sums up usage counts one that stands in a fork too once. */
  readonly requestId?: string;
  /** Content that was too large for a line. */
  readonly blobs?: readonly BlobReference[];
}

/** A compaction made the transcript start over here: the root of what follows. */
export interface BoundaryEntry extends EntryIdentity {
  readonly type: 'system';
  readonly subtype: 'compact_boundary';
  readonly content: string;
  readonly level: 'info';
  readonly isMeta: false;
  readonly compactMetadata: {
    readonly trigger: 'manual' | 'auto';
    readonly preTokens: number;
    readonly postTokens?: number;
  };
}

/**
 * The conversation was set back here: what follows goes on behind `parentUuid`, and at a root it begins anew. What came
 * later stays in the file, on a branch of its own.
 */
export interface RewindEntry extends EntryIdentity {
  readonly type: 'system';
  readonly subtype: typeof REWOUND;
  readonly content: string;
  readonly level: 'info';
  readonly isMeta: false;
  readonly rewind: RewindFacts;
}

export interface RewindFacts {
  /**
   * The message of the user that the conversation was set back to, or the earlier rewind that was taken back. Null if
   * it was cleared.
   */
  readonly targetUuid: string | null;
  /** The line that the conversation ended with before; null if it was empty. */
  readonly fromUuid: string | null;
  /** `both`: files were set back with it, under the same id. */
  readonly scope: 'conversation' | 'both';
}

export const REWOUND = 'conversation_rewound';

/** A place in an entry whose content is in a file of the session's blob folder. The entry has a stand-in there. */
export interface BlobReference {
  /** Keys from the entry down to the value that the stand-in replaced. */
  readonly path: readonly (string | number)[];
  /** Name of the file: SHA-256 of its bytes, hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** How the bytes become a string again. */
  readonly encoding: 'base64' | 'utf8';
  /** A block of media: the block as it was, but with an empty `data`. Absent: the value was the string itself. */
  readonly block?: { readonly type: string; readonly source: Record<string, unknown>; readonly [key: string]: unknown };
}

/** Lines about the session. The last of a kind counts. */
export type MetadataEntry =
  | { readonly type: 'custom-title'; readonly customTitle: string; readonly sessionId: string }
  | { readonly type: 'ai-title'; readonly aiTitle: string; readonly sessionId: string }
  /** Contract: `type` is the first key. An empty tag removes the one before. */
  | { readonly type: 'tag'; readonly tag: string; readonly sessionId: string }
  /** Written with each prompt, so that the end of a file names the session however long it is. */
  | { readonly type: 'last-prompt'; readonly lastPrompt: string; readonly sessionId: string };

/** Our own line, at each prompt's end: what the conversation does not say and a resumed session needs. */
export interface StateEntry {
  readonly type: 'turnwright-state';
  readonly sessionId: string;
  readonly timestamp: string;
  readonly version: string;
  /** The last line of the conversation that the state knows of. */
  readonly leafUuid: string | null;
  readonly state: SessionState;
}

/** A call that waits for a decision, and later what was decided. Contract: neither lets anything run. */
export type DeferralEntry =
  | {
      readonly type: 'turnwright-deferred';
      readonly toolUseId: string;
      readonly reason: string;
      readonly expiresAt?: string;
      /** Where it was decided about. Absent: in the folder of the session. */
      readonly cwd?: string;
      /** As a hook changed it. Absent: as the model gave it. */
      readonly input?: Record<string, unknown>;
      readonly sessionId: string;
      readonly timestamp: string;
    }
  /** Written before the call starts, so that it never starts twice. */
  | {
      readonly type: 'turnwright-decided';
      readonly toolUseId: string;
      readonly behavior: 'allow' | 'deny' | 'withdrawn';
      readonly sessionId: string;
      readonly timestamp: string;
    };

/** Settings that changed while the session ran, and whether it took them over. For readers alone. */
export interface SettingsEntry {
  readonly type: 'turnwright-settings';
  /** Before a prompt, or between two turns. */
  readonly moment: 'prompt' | 'turn';
  readonly files: readonly { readonly scope: SettingScope; readonly file: string }[];
  readonly keys: readonly string[];
  /** Why they stay as they were. Absent: they count. */
  readonly objection?: string;
  readonly sessionId: string;
  readonly timestamp: string;
}

export type TranscriptEntry =
  | MessageEntry
  | BoundaryEntry
  | RewindEntry
  | MetadataEntry
  | StateEntry
  | DeferralEntry
  | SettingsEntry;

/** What the lines of one transcript have in common. */
export interface EntryContext {
  readonly sessionId: string;
  readonly cwd: string;
  readonly gitBranch: string;
  /** The subagent whose transcript this is; absent in the session's own. */
  readonly agentId?: string;
}

/** What a compaction tells of itself. */
export type CompactMetadata = SDKCompactBoundaryMessage['compact_metadata'];

/** @param now gives ISO 8601; asked if the message has no time of its own */
export function toEntry(
  message: Message,
  parentUuid: string | null,
  context: EntryContext,
  now: () => string,
): MessageEntry {
  return {
    ...identityOf(parentUuid, context),
    type: message.type,
    message: message.message,
    uuid: message.uuid,
    timestamp: message.timestamp ?? now(),
    ...(message.isMeta ? { isMeta: true } : {}),
    ...(message.origin === undefined ? {} : { origin: message.origin }),
    ...(message.type === 'user' ? userFields(message) : assistantFields(message)),
  };
}

/** @param logicalParentUuid the last line before; null if there was none */
export function toBoundaryEntry(
  uuid: string,
  logicalParentUuid: string | null,
  metadata: CompactMetadata,
  context: EntryContext,
  now: string,
): BoundaryEntry {
  const { trigger, pre_tokens: preTokens, post_tokens: postTokens } = metadata;
  return {
    ...identityOf(null, context),
    ...(logicalParentUuid === null ? {} : { logicalParentUuid }),
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    level: 'info',
    isMeta: false,
    compactMetadata: { trigger, preTokens, ...(postTokens === undefined ? {} : { postTokens }) },
    uuid,
    timestamp: now,
  };
}

/** @param parentUuid the line that the conversation ends with from now on; null if it is empty */
export function toRewindEntry(
  uuid: string,
  parentUuid: string | null,
  rewind: RewindFacts,
  context: EntryContext,
  now: string,
): RewindEntry {
  return {
    ...identityOf(parentUuid, context),
    type: 'system',
    subtype: REWOUND,
    content: rewind.targetUuid === null ? 'Conversation cleared' : 'Conversation set back',
    level: 'info',
    isMeta: false,
    rewind,
    uuid,
    timestamp: now,
  };
}

/** @param leafUuid the last message that the state knows of */
export function toStateLine(state: SessionState, leafUuid: string | null, now: string): Omit<StateEntry, 'sessionId'> {
  return { type: 'turnwright-state', timestamp: now, version: VERSION, leafUuid, state };
}

function identityOf(parentUuid: string | null, { sessionId, cwd, gitBranch, agentId }: EntryContext) {
  return {
    parentUuid,
    isSidechain: agentId !== undefined,
    ...(agentId === undefined ? {} : { agentId }),
    userType: 'external',
    cwd,
    sessionId,
    version: VERSION,
    gitBranch,
  } as const;
}

function userFields(message: Extract<Message, { type: 'user' }>): Partial<MessageEntry> {
  return {
    ...(message.isCompactSummary ? { isCompactSummary: true } : {}),
    ...(message.toolUseResult === undefined ? {} : { toolUseResult: message.toolUseResult }),
  };
}

function assistantFields({ message }: Extract<Message, { type: 'assistant' }>): Partial<MessageEntry> {
  // Those that count what was spent know a reply by its id and this one.
  return { requestId: message.request_id ?? `req_${message.id}` };
}
