// What a message of the user goes through before the model gets it: whether it may join the prompt that runs, the hooks that may
// stop it, the files it names.

import type { MessageDraft } from '../../engine/state/index.js';
import type { HookResult } from '../../hooks/hook-result.js';
import { restrictsTool } from '../../permissions/tool-rule.js';
import type { TextBlock, UserBlock, UserMessageParam } from '../../protocol/content.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';
import { shorten, toWellFormed } from '../../util/text.js';
import { logTo, type PendingNotice } from '../config/index.js';
import { type AgentRun, commandsOf, noticeDraft, type Runtime, type Session } from '../core/index.js';
import { type QueuedMessage, readPrompt, slashOf } from '../input/index.js';

/** A prompt waits no longer for what its host looks up; as long as for a hook. */
const PREFETCH_MS = 60_000;

/** What hooks say of a message before it goes on. */
export interface HeardMessage {
  readonly context: readonly string[];
  /** Why the message must not go on. */
  readonly stopped: string | null;
  /** Who is told of that is not told the message. */
  readonly hidesPrompt: boolean;
}

export const NOTHING_ATTACHED = { blocks: [], notices: [], files: [] };
export const NOTHING_HEARD: HeardMessage = { context: [], stopped: null, hidesPrompt: false };

/** Fires UserPromptSubmit. */
export async function submitHook(
  session: Session,
  runtime: Pick<Runtime, 'hooks'>,
  message: UserMessageParam,
): Promise<HeardMessage> {
  if (!runtime.hooks.has('UserPromptSubmit')) return NOTHING_HEARD;
  const source = session.config.isNonInteractiveSession === false ? 'user' : 'sdk';
  const said = await runtime.hooks.run('UserPromptSubmit', { prompt: textOf(message), source });
  if (said.sessionTitle !== null) takeTitle(session, said.sessionTitle);
  return heardFrom(said);
}

/** Fires UserPromptExpansion, for a command that became the prompt. */
export async function expansionHook(
  runtime: Pick<Runtime, 'hooks'>,
  { name, args, typed }: { readonly name: string; readonly args: string; readonly typed: string },
): Promise<HeardMessage> {
  if (!runtime.hooks.has('UserPromptExpansion')) return NOTHING_HEARD;
  const fields = { expansion_type: 'slash_command', command_name: name, command_args: args, prompt: typed };
  return heardFrom(await runtime.hooks.run('UserPromptExpansion', fields));
}

function heardFrom({ additionalContext, stopReason, block, hidesPrompt, continue: goesOn }: HookResult): HeardMessage {
  const stopped = !goesOn ? (stopReason ?? 'A hook ended the prompt.') : (block?.reason ?? null);
  return { context: additionalContext.map(fromHook), stopped, hidesPrompt };
}

/** Of a list of sessions, characters. */
const LONGEST_TITLE = 200;

/** Kept with the next line of the transcript. */
export function takeTitle({ memory }: Session, title: string): void {
  memory.isTitled = true;
  memory.title = { type: 'custom-title', customTitle: shorten(toWellFormed(title.trim()), LONGEST_TITLE) };
}

export const fromHook = (text: string) => `<context source="hook">\n${text}\n</context>`;

/** Begins to look for what goes along with a message. Contract: never rejects; settles at once after an abort. */
export async function prefetchTexts(
  { config, host }: Session,
  message: UserMessageParam,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (config.prefetch === undefined) return [];
  const late = linkAbort(signal);
  const cancelTimer = host.clock.after(PREFETCH_MS, () => late.controller.abort());
  const until = late.controller.signal;
  try {
    const found = await raceAbort(config.prefetch({ text: textOf(message), cwd: config.cwd, signal: until }), until);
    if (found !== ABORTED) return found.filter((text) => text.trim() !== '');
    if (!signal.aborted) logTo(config, 'prefetch_failed', { error: `It gave nothing within ${PREFETCH_MS} ms.` });
    return [];
  } catch (error) {
    logTo(config, 'prefetch_failed', { error });
    return [];
  } finally {
    cancelTimer();
    late.release();
  }
}

interface AttachedFiles {
  readonly blocks: readonly UserBlock[];
  readonly notices: readonly PendingNotice[];
  /** Absolute, links resolved. */
  readonly files: readonly string[];
}

/** The files that a message names with `@path`. */
export async function attachFiles(
  { config, host, features }: Session,
  {
    changedRoots,
    provenance,
    gate,
    hiddenFiles,
  }: Pick<Runtime, 'changedRoots' | 'provenance' | 'gate' | 'hiddenFiles'>,
  message: UserMessageParam,
): Promise<AttachedFiles> {
  const text = textOf(message);
  if (!text.includes('@')) return { blocks: [], notices: [], files: [] };
  const initial = config.permissions?.roots ?? [config.cwd, ...(config.additionalDirectories ?? [])];
  const { added, removed } = changedRoots();
  const roots = [...initial.filter((root) => !removed.includes(root)), ...added];
  const isHidden = (await hiddenFiles?.(null)) ?? null;
  const isWholeKept = gate.rules?.deny.some((rule) => restrictsTool(rule, 'Read')) === true;
  const isKept = (file: string) => isWholeKept || isHidden?.(file) === true;
  const attached = await features.readAttachments(text, { host, cwd: config.cwd, roots, isKept });
  for (const file of attached.files) provenance?.noteFile(file);
  return {
    blocks: attached.blocks,
    files: attached.files,
    notices: attached.leftOut.map((why) => ({
      code: 'attachment_left_out',
      message: `A file named in the prompt was left out. ${why}.`,
    })),
  };
}

/** What the user says, with placeholders of its secrets. Calls may have these wherever they take them. */
export async function hideTyped(
  message: UserMessageParam,
  { vault }: Pick<Runtime, 'vault'>,
): Promise<UserMessageParam> {
  return vault === null ? message : vault.hide(message, 'typed', true);
}

/** What goes along with it: files, and what hooks add. */
export async function hideFound<Part extends string | UserBlock>(
  parts: readonly Part[],
  { vault }: Pick<Runtime, 'vault'>,
): Promise<readonly Part[]> {
  return vault === null ? parts : vault.hide(parts, 'found', true);
}

export function droppedBlocks(dropped: readonly string[]): PendingNotice[] {
  return dropped.map((reason) => ({
    code: 'prompt_blocks_dropped',
    message: `Part of the prompt was left out: ${reason}.`,
  }));
}

/** The message itself if nothing goes along, so that a plain prompt stays plain text. */
export function withParts(message: UserMessageParam, parts: readonly (string | UserBlock)[]): UserMessageParam {
  if (parts.length === 0) return message;
  const own: readonly UserBlock[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  return {
    role: 'user',
    content: [...own, ...parts.map((part) => (typeof part === 'string' ? textBlock(part) : part))],
  };
}

function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

export function textOf(message: UserMessageParam): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** @param message null: what it said is not to be told */
export function blockedNotice(message: UserMessageParam | null, reason: string): MessageDraft {
  return noticeDraft({
    code: 'queued_message_blocked',
    message: `A hook stopped ${message === null ? 'a message' : `the message "${shorten(textOf(message), 60)}"`}, so it was not delivered: ${reason}`,
  });
}

/** True while a message waits for the place between two turns of the session's own agent. */
export function mayJoin({ session, runtime }: AgentRun): boolean {
  return session.depth === 0 && nextToJoin(session, runtime) !== null;
}

/** The next message for that place; it stays in the queue. */
export function nextToJoin(session: Session, runtime: Runtime): QueuedMessage | null {
  return session.queue.firstBetweenTurns((message) => canJoin(message, session, runtime));
}

/** A slash command, and what cannot be a prompt at all, gets a prompt and a result of its own. */
function canJoin({ prompt, isVerbatim }: QueuedMessage, session: Session, runtime: Runtime): boolean {
  return (
    (session.config.verbatimPrompts === true ||
      isVerbatim === true ||
      slashOf(prompt, commandsOf(session, runtime)) === null) &&
    readPrompt(prompt).message !== null
  );
}
