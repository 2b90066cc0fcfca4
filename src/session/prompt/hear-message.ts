// What a message of the user goes through before the model gets it: the hooks that may stop it, the files it names.
import type { TextBlock, UserBlock, UserMessageParam } from '../../protocol/content.js';
import { ABORTED, linkAbort, raceAbort } from '../../util/abort.js';
import { logTo, type PendingNotice } from '../config/index.js';
import type { Runtime, Session } from '../core/index.js';

/** A prompt waits no longer for what its host looks up; as long as for a hook. */
const PREFETCH_MS = 60_000;

/** Fires UserPromptSubmit. `stopped`: why the message must not go on. */
export async function submitHook(
  runtime: Pick<Runtime, 'hooks'>,
  message: UserMessageParam,
): Promise<{ readonly context: readonly string[]; readonly stopped: string | null }> {
  if (!runtime.hooks.has('UserPromptSubmit')) return { context: [], stopped: null };
  const said = await runtime.hooks.run('UserPromptSubmit', { prompt: textOf(message) });
  const stopped = !said.continue ? (said.stopReason ?? 'A hook ended the prompt.') : (said.block?.reason ?? null);
  return { context: said.additionalContext.map(fromHook), stopped };
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
export async function attachFiles({ config, host }: Session, message: UserMessageParam): Promise<AttachedFiles> {
  const text = textOf(message);
  if (!text.includes('@')) return { blocks: [], notices: [], files: [] };
  // Most prompts name no file.
  const { readAttachments } = await import('./attachments.js');
  const roots = config.permissions?.roots ?? [config.cwd, ...(config.additionalDirectories ?? [])];
  const attached = await readAttachments(text, host, config.cwd, roots);
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

/** The message itself where nothing goes along, so that a plain prompt stays plain text. */
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
