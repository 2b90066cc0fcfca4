// What a resumed session goes on with beside its conversation: cost, todos, what compaction remembers. It was written to
// a file that anybody may have changed, so it is checked value by value, and holds nothing that could permit anything.
import { type ChangingFacts, plainLine } from '../../context/environment.js';
import type { SystemPromptSection } from '../../context/system-prompt.js';
import { type CompactionState, NO_COMPACTION, type RequestRecord } from '../../engine/state/index.js';
import { GOAL_STATUSES } from '../../protocol/goals.js';
import type { ContentSource } from '../../protocol/options.js';
import { type Changed, withTask, withUpdate } from '../../tools/task-list/index.js';
import type { TodoItem } from '../../tools/tool.js';
import { isRecord, recordOf } from '../../util/json.js';
import type { SessionState } from '../config/index.js';
import type { Message } from '../messages/index.js';
import type { LedgerState } from '../spending/index.js';
import { toUsage } from './conversation.js';
import type { MetadataLine } from './lookback.js';
import type { TranscriptRead } from './read-transcript.js';

export interface RestoredState {
  readonly state: SessionState;
  /** Replies that came after the state was written, because the process died before the end of their prompt. */
  readonly laterReplies: readonly RequestRecord[];
}

export const EMPTY_LEDGER: LedgerState = { apiDurationMs: 0, models: {} };

const SYNTHETIC = '<synthetic>';
const MAX_TODOS = 1_000;
const MAX_SECTIONS = 1_000;
const MAX_SNAPSHOT_LINES = 1_000;

/**
 * The money is that of the whole session, whatever part of it is read; the rest is as it was at the end of that part.
 * @param messages the conversation of `read`
 */
export function restoreState(read: TranscriptRead, messages: readonly Message[]): RestoredState {
  const lines = read.metadata.get('turnwright-state') ?? [];
  const newest = lines[0];
  const own = read.isPart ? newestOf(lines, read) : newest;
  const state = recordOf(own?.value.state);
  const later = laterThan(own, read, messages);
  const unpaid = own === newest ? later : laterThan(newest, read, messages);
  const turns = amount(state.turns) + later.length;
  return {
    state: {
      ledger: toLedger(recordOf(newest?.value.state).ledger),
      turns,
      compaction: toCompaction(state.compaction, turns),
      todos: todosAfter(later, toTodos(state.todos)),
      ...toEnvironment(state.environment),
      ...toGoal(state.goal),
      ...toSystemPrompt(state.systemPrompt),
      ...toUntrusted(state.untrusted, read, own),
      ...boundaryOf(read),
      ...waitingCalls(read),
    },
    laterReplies: unpaid.flatMap(({ message: { model, usage } }) =>
      model === SYNTHETIC ? [] : [{ model, usage, durationMs: 0, firstEventMs: null }],
    ),
  };
}

/** The newest state that knows of no message behind this part. After `/clear` there is no last message. */
function newestOf(lines: readonly MetadataLine[], { entries }: TranscriptRead): MetadataLine | undefined {
  const uuids = new Set<unknown>(entries.map(({ uuid }) => uuid));
  return lines.find(({ value }) => uuids.has(value.leafUuid));
}

type Reply = Extract<Message, { type: 'assistant' }>;

/** Replies whose lines stand behind the state's; all of them if there is none. */
function laterThan(line: MetadataLine | undefined, read: TranscriptRead, messages: readonly Message[]): Reply[] {
  const later = new Set<string>();
  for (const { uuid, at } of read.entries) if (line === undefined || at > line.at) later.add(uuid);
  if (later.size === 0) return [];
  return messages.filter((message): message is Reply => message.type === 'assistant' && later.has(message.uuid));
}

/** The list as the calls of these messages left it, but for those that failed. */
export function todosAfter(messages: readonly Message[], before: readonly TodoItem[]): readonly TodoItem[] {
  const failed = new Set<string>();
  for (const { type, message } of messages)
    if (type === 'user' && Array.isArray(message.content))
      for (const block of message.content)
        if (block?.type === 'tool_result' && block.is_error === true) failed.add(block.tool_use_id);
  let todos = before;
  for (const { type, message } of messages)
    if (type === 'assistant')
      for (const block of message.content)
        if (block?.type === 'tool_use' && !failed.has(block.id))
          todos = afterCall(todos, block.name, recordOf(block.input));
  return todos;
}

type Fields = Readonly<Record<string, unknown>>;

function afterCall(todos: readonly TodoItem[], tool: string, input: Fields): readonly TodoItem[] {
  if (tool === 'TodoWrite') return toTodos(input['todos']);
  const { subject, description, activeForm, metadata, taskId, status, owner } = input;
  const more = { ...texts({ activeForm }), ...(isRecord(metadata) ? { metadata } : {}) };
  if (tool === 'TaskCreate' && typeof subject === 'string')
    return changedOr(todos, withTask(todos, { subject, description: '', ...texts({ description }), ...more }));
  if (tool !== 'TaskUpdate' || typeof taskId !== 'string') return todos;
  const update = {
    taskId,
    ...texts({ subject, description, owner }),
    ...more,
    ...(isOneOf([...STATUSES, 'deleted'] as const, status) ? { status } : {}),
    addBlocks: textList(input['addBlocks']),
    addBlockedBy: textList(input['addBlockedBy']),
  };
  return changedOr(todos, withUpdate(todos, update));
}

function changedOr(todos: readonly TodoItem[], changed: Changed): readonly TodoItem[] {
  return 'error' in changed ? todos : changed.todos;
}

/** Those fields that hold a text. */
function texts<Name extends string>(fields: Readonly<Record<Name, unknown>>): Partial<Record<Name, string>> {
  const found = Object.entries(fields).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}

function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function toTodos(value: unknown): readonly TodoItem[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_TODOS).flatMap((item, index) => {
    const { id, content, status, activeForm, priority, description, owner, blockedBy, metadata } = recordOf(item);
    if (typeof content !== 'string' || !isOneOf(STATUSES, status)) return [];
    return [
      {
        id: typeof id === 'string' && id !== '' ? id : String(index + 1),
        content,
        status,
        ...texts({ activeForm, description, owner }),
        ...(isOneOf(PRIORITIES, priority) ? { priority } : {}),
        ...(Array.isArray(blockedBy) ? { blockedBy: textList(blockedBy) } : {}),
        ...(isRecord(metadata) ? { metadata } : {}),
      },
    ];
  });
}

const STATUSES = ['pending', 'in_progress', 'completed'] as const;
const PRIORITIES = ['low', 'medium', 'high'] as const;

function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return values.some((known) => known === value);
}

function toLedger(value: unknown): LedgerState {
  const { apiDurationMs, models } = recordOf(value);
  return {
    apiDurationMs: amount(apiDurationMs),
    models: Object.fromEntries(
      Object.entries(recordOf(models)).map(([model, line]) => {
        const { usage, costPico, isPriceKnown, contextWindow, maxOutputTokens } = recordOf(line);
        const isAmount = typeof costPico === 'string' && /^\d{1,30}$/.test(costPico);
        const known = {
          usage: toUsage(usage),
          costPico: isAmount ? costPico : '0',
          isPriceKnown: isPriceKnown === true && isAmount,
          contextWindow: amountOrNull(contextWindow),
          maxOutputTokens: amountOrNull(maxOutputTokens),
        };
        return [model, known] as const;
      }),
    ),
  };
}

function toCompaction(value: unknown, turns: number): CompactionState {
  const { lastAtTurn, lastFreed, blocked, blockedAt, noticed, failedAtTurn, warned } = recordOf(value);
  const at = amountOrNull(lastAtTurn);
  const failedAt = amountOrNull(failedAtTurn);
  return {
    ...NO_COMPACTION,
    lastAtTurn: at === null ? null : Math.min(at, turns),
    lastFreed: amount(lastFreed),
    blocked: blocked === true,
    blockedAt: amount(blockedAt),
    noticed: noticed === true,
    failedAtTurn: failedAt === null ? null : Math.min(failedAt, turns),
    warned: warned === true,
  };
}

function boundaryOf({ entries }: TranscriptRead): Pick<SessionState, 'boundary'> {
  const line = entries.find(({ value }) => value.subtype === 'compact_boundary');
  if (line === undefined) return {};
  const { trigger, preTokens, postTokens } = recordOf(line.value.compactMetadata);
  const after = amountOrNull(postTokens);
  return {
    boundary: {
      trigger: trigger === 'manual' ? 'manual' : 'auto',
      pre_tokens: amount(preTokens),
      ...(after === null ? {} : { post_tokens: after }),
    },
  };
}

/** Deferred, and not decided since. Whether they are still open, the conversation says. */
function waitingCalls({ metadata }: TranscriptRead): Pick<SessionState, 'deferred'> {
  const lines = metadata.get('turnwright-deferred') ?? [];
  const decided = new Set((metadata.get('turnwright-decided') ?? []).map(({ value }) => value.toolUseId));
  const deferred = lines.toReversed().flatMap(({ value }) => {
    const { toolUseId, reason, timestamp, expiresAt, cwd, input } = value;
    if (typeof toolUseId !== 'string' || decided.has(toolUseId)) return [];
    return [
      {
        toolUseId,
        reason: typeof reason === 'string' ? reason : '',
        timestamp,
        expiresAt,
        ...(typeof cwd === 'string' ? { cwd } : {}),
        ...(isRecord(input) ? { input } : {}),
      },
    ];
  });
  return deferred.length === 0 ? {} : { deferred };
}

/** Contract: no more than the figures and words of a goal; whoever resumes decides whether it goes on. */
function toGoal(value: unknown): Pick<SessionState, 'goal'> {
  const { id, objective, status, ...rest } = recordOf(value);
  const known = GOAL_STATUSES.find((each) => each === status);
  if (typeof id !== 'string' || typeof objective !== 'string' || known === undefined) return {};
  const turns = amountOrNull(rest.max_turns);
  const budget = amountOrNull(rest.credits_budget);
  return {
    goal: {
      id,
      objective,
      status: known,
      turns_used: amount(rest.turns_used),
      ...(turns === null ? {} : { max_turns: turns }),
      time_used_seconds: amount(rest.time_used_seconds),
      ...(budget === null ? {} : { credits_budget: budget }),
      credits_used: amount(rest.credits_used),
      created_at: amount(rest.created_at),
      updated_at: amount(rest.updated_at),
    },
  };
}

/**
 * The sources of untrusted texts. Nothing if nobody kept them, or if lines follow that the record does not cover: then
 * the whole conversation counts.
 */
function toUntrusted(
  value: unknown,
  { entries }: TranscriptRead,
  line: MetadataLine | undefined,
): Pick<SessionState, 'untrusted'> {
  if (!Array.isArray(value) || line === undefined || entries.some(({ at }) => at > line.at)) return {};
  const untrusted = value.slice(0, MAX_SOURCES).map((source): ContentSource => {
    const { kind, name } = recordOf(source);
    const isKnown = isOneOf(SOURCE_KINDS, kind) && typeof name === 'string';
    return isKnown ? { kind, name: plainLine(name) } : { kind: 'earlier', name: 'what was said before' };
  });
  return { untrusted };
}

const MAX_SOURCES = 200;
const SOURCE_KINDS = ['web', 'server', 'file', 'commits', 'command', 'tool', 'earlier'] as const;

/** Used only if the host asks for it. Contract: texts, and no more of them than a prompt has. */
function toSystemPrompt(value: unknown): Pick<SessionState, 'systemPrompt'> {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_SECTIONS) return {};
  const sections = value.flatMap((each) => {
    const { name, file, text } = recordOf(each);
    const isSection =
      typeof name === 'string' && typeof text === 'string' && (file === null || typeof file === 'string');
    return isSection ? [{ name, file, text } as SystemPromptSection] : [];
  });
  return sections.length === value.length ? { systemPrompt: sections } : {};
}

/** A branch is a word: what a file says must not become more of the system prompt than that. */
function toEnvironment(value: unknown): { readonly environment?: ChangingFacts } {
  const { date, git, snapshot } = recordOf(value);
  if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return {};
  const { branch } = recordOf(git);
  const isBranch = typeof branch === 'string' && /^\S{1,255}$/.test(branch);
  const state = git === null ? null : { branch: isBranch ? branch : null };
  return { environment: { date, git: state, ...toSnapshot(snapshot) } };
}

/**
 * Data of the repository, in a block that says so: whoever changed the file can say no more by it than by the
 * conversation beside it.
 */
function toSnapshot(value: unknown): Pick<ChangingFacts, 'snapshot'> {
  if (typeof value !== 'object' || value === null) return {};
  const { mainBranch, commits, status, missing } = recordOf(value);
  const [ofCommits, ofStatus] = [toLines(commits), toLines(status)];
  const isUnshown = commits === null;
  return {
    snapshot: {
      mainBranch: typeof mainBranch === 'string' ? plainLine(mainBranch) : null,
      ...(isUnshown ? { commits: null } : ofCommits === null ? {} : { commits: ofCommits }),
      ...(ofStatus === null ? {} : { status: ofStatus }),
      ...(typeof missing === 'string' ? { missing: plainLine(missing) } : {}),
    },
  };
}

function toLines(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > MAX_SNAPSHOT_LINES) return null;
  return value.every((line) => typeof line === 'string') ? value.map(plainLine) : null;
}

function amount(value: unknown): number {
  return amountOrNull(value) ?? 0;
}

function amountOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
