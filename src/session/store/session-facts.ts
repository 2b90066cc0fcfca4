// What a list tells of a session, gathered entry by entry: title, first prompt, tag, branch, folder. Pure: an entry of
// any writer goes in, and nothing in it can make this fail.
import type {
  SDKSessionInfo,
  SessionKey,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../../protocol/session-store.js';

/** Of one session. The first to be seen stays: `isSidechain`, `createdAt`, `cwd`, `firstPrompt`, `firstCommand`. */
export interface SessionFacts {
  readonly isSidechain?: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  readonly cwd?: string;
  readonly firstPrompt?: string;
  /** The title of a session of slash commands only. */
  readonly firstCommand?: string;
  /** From here on the last to be seen counts; an empty text takes it back. */
  readonly customTitle?: string;
  readonly aiTitle?: string;
  readonly lastPrompt?: string;
  readonly summaryHint?: string;
  readonly gitBranch?: string;
  readonly tag?: string;
  /** What wrote the session, if it says so: `cli`, `sdk-ts` … */
  readonly entrypoint?: string;
}

/** Characters of a first prompt that a list shows. */
const PROMPT_LENGTH = 200;

/** What a command, an editor or a hook put into a prompt: `<command-name>`, `<local-command-stdout>` … */
const MARKUP = /^\s*<([a-z][\w-]*)[\s>]/;
const COMMAND = /<command-name>([^<]{1,200})<\/command-name>/;
const SHELL_INPUT = /^\s*<bash-input>([^<]+)<\/bash-input>/;
const INTERRUPTED = /^\s*\[Request interrupted by user/;

/** The facts with what one more entry tells; the same object if it tells nothing new. */
export function foldEntry(facts: SessionFacts, entry: Readonly<Record<string, unknown>>): SessionFacts {
  const found = metadataOf(entry) ?? messageFacts(facts, entry);
  return found === null ? facts : { ...facts, ...found };
}

/** What an entry that is no message says of the session: its title, its tag. Null for any other entry. */
export function metadataOf(entry: Readonly<Record<string, unknown>>): Partial<SessionFacts> | null {
  switch (entry.type) {
    case 'custom-title':
      return textField('customTitle', entry.customTitle);
    case 'ai-title':
      return textField('aiTitle', entry.aiTitle);
    case 'last-prompt':
      return textField('lastPrompt', entry.lastPrompt);
    case 'summary':
      return textField('summaryHint', entry.summary);
    case 'tag':
      return textField('tag', entry.tag);
    default:
      return null;
  }
}

function textField(name: keyof SessionFacts, value: unknown): Partial<SessionFacts> | null {
  return typeof value === 'string' ? { [name]: value } : null;
}

function messageFacts(facts: SessionFacts, entry: Readonly<Record<string, unknown>>): Partial<SessionFacts> | null {
  if (typeof entry.type !== 'string') return null;
  const found: { -readonly [Name in keyof SessionFacts]: SessionFacts[Name] } = {};
  if (facts.isSidechain === undefined && typeof entry.isSidechain === 'boolean') found.isSidechain = entry.isSidechain;
  if (facts.createdAt === undefined) {
    const at = timeOf(entry);
    if (at !== null) found.createdAt = at;
  }
  if (facts.cwd === undefined && isText(entry.cwd)) found.cwd = entry.cwd;
  if (isText(entry.gitBranch) && entry.gitBranch !== facts.gitBranch) found.gitBranch = entry.gitBranch;
  if (facts.entrypoint === undefined && isText(entry.entrypoint)) found.entrypoint = entry.entrypoint;
  if (facts.firstPrompt === undefined) {
    const prompt = promptOf(entry);
    if (prompt?.kind === 'prompt') found.firstPrompt = prompt.text;
    else if (prompt?.kind === 'command' && facts.firstCommand === undefined) found.firstCommand = prompt.text;
  }
  return Object.keys(found).length === 0 ? null : found;
}

export function timeOf(entry: Readonly<Record<string, unknown>>): number | null {
  const at = typeof entry.timestamp === 'string' ? Date.parse(entry.timestamp) : Number.NaN;
  return Number.isFinite(at) ? at : null;
}

/** What a person typed, as one line; null for tool results, summaries and whatever else the engine wrote. */
export function promptOf(
  entry: Readonly<Record<string, unknown>>,
): { readonly kind: 'prompt' | 'command'; readonly text: string } | null {
  if (entry.type !== 'user' || entry.isMeta === true || entry.isCompactSummary === true) return null;
  let command: string | null = null;
  for (const text of textsOf(entry.message)) {
    const shell = SHELL_INPUT.exec(text)?.[1];
    if (shell !== undefined) return { kind: 'prompt', text: titleLine(`! ${shell}`) };
    command ??= COMMAND.exec(text)?.[1]?.trim() ?? null;
    if (text.trim() === '' || MARKUP.test(text) || INTERRUPTED.test(text)) continue;
    return { kind: 'prompt', text: titleLine(text) };
  }
  return command === null || command === '' ? null : { kind: 'command', text: titleLine(command) };
}

/** The text blocks of a user message; none if it answers tool calls. */
function textsOf(message: unknown): readonly string[] {
  const content = (message as { content?: unknown } | null | undefined)?.content;
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  const blocks = content.filter((block): block is { type?: unknown; text?: unknown } => typeof block === 'object');
  if (blocks.some((block) => block?.type === 'tool_result')) return [];
  return blocks.map((block) => (block?.type === 'text' ? block.text : null)).filter((text) => typeof text === 'string');
}

/** One line of at most 200 characters; a cut is shown by "…". */
function titleLine(text: string): string {
  const line = text.trim().replace(/[\r\n]+/g, ' ');
  return line.length <= PROMPT_LENGTH ? line : `${line.slice(0, PROMPT_LENGTH).trimEnd()}…`;
}

/** The place of a session, for what its entries do not say. */
export interface SessionOrigin {
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly fileSize?: number;
  readonly archived?: boolean;
}

/** What a list shows; null for a subagent's transcript, and for one that holds nothing a title could be made of. */
export function toSessionInfo(facts: SessionFacts, origin: SessionOrigin): SDKSessionInfo | null {
  const { firstPrompt, cwd, gitBranch, createdAt, tag } = facts;
  const customTitle = given(facts.customTitle) ?? given(facts.aiTitle);
  const hint = given(facts.lastPrompt) ?? given(facts.summaryHint);
  const summary =
    customTitle ?? (hint === undefined ? undefined : titleLine(hint)) ?? firstPrompt ?? facts.firstCommand;
  if (facts.isSidechain === true || summary === undefined) return null;
  const first = firstPrompt ?? facts.firstCommand;
  const info: { -readonly [Name in keyof SDKSessionInfo]: SDKSessionInfo[Name] } = {
    sessionId: origin.sessionId,
    summary,
    lastModified: Math.round(origin.lastModified),
  };
  // One by one: lists do this ten thousand times, and a spread for each took as long as reading the file.
  if (origin.fileSize !== undefined) info.fileSize = origin.fileSize;
  if (customTitle !== undefined) info.customTitle = customTitle;
  if (first !== undefined) info.firstPrompt = first;
  if (gitBranch !== undefined) info.gitBranch = gitBranch;
  if (cwd !== undefined) info.cwd = cwd;
  if (tag !== undefined && given(tag) !== undefined) info.tag = tag;
  if (createdAt !== undefined) info.createdAt = createdAt;
  if (origin.archived !== undefined) info.archived = origin.archived;
  return info;
}

/** What a copy is named after: its own title, else what it began with, as lists on the command line show it. */
export function lastingTitle(facts: SessionFacts, sessionId: string): string {
  const info = toSessionInfo(facts, { sessionId, lastModified: 0 });
  return info?.customTitle ?? info?.firstPrompt ?? info?.summary ?? 'Session';
}

function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * The summary of a session with a batch of entries added, for a store that keeps summaries.
 * Contract: pure; `data` is the engine's own and is kept as it is. `mtime` comes from `options`, else from `prev`: give
 * the time the store keeps for the session, never one of an entry.
 * @param prev the summary so far; undefined with the first append
 * @param key  of the main transcript; entries of one beside it (`subpath`) change nothing
 */
export function foldSessionSummary(
  prev: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  options: { readonly mtime?: number } = {},
): SessionSummaryEntry {
  let facts = factsOfSummary(prev);
  if (key.subpath === undefined) for (const entry of entries) facts = foldEntry(facts, entry);
  return { sessionId: key.sessionId, mtime: options.mtime ?? prev?.mtime ?? 0, data: { ...facts } };
}

/** The facts in a summary that a store gave back. What does not have the right type is left out. */
export function factsOfSummary(summary: SessionSummaryEntry | undefined): SessionFacts {
  const data: Readonly<Record<string, unknown>> = summary?.data ?? {};
  const texts = FACT_TEXTS.filter((name) => typeof data[name] === 'string').map((name) => [name, data[name]]);
  return {
    ...(Object.fromEntries(texts) as Partial<SessionFacts>),
    ...(typeof data.isSidechain === 'boolean' ? { isSidechain: data.isSidechain } : {}),
    ...(Number.isFinite(data.createdAt) ? { createdAt: data.createdAt as number } : {}),
  };
}

const FACT_TEXTS = [
  'cwd',
  'firstPrompt',
  'firstCommand',
  'customTitle',
  'aiTitle',
  'lastPrompt',
  'summaryHint',
  'gitBranch',
  'tag',
  'entrypoint',
] as const satisfies readonly (keyof SessionFacts)[];
