// A stored session as a script: the replies of its transcript, played to the code of today.
import { readFile } from 'node:fs/promises';
import type { AssistantBlock } from '../../protocol/content.js';
import { entriesSource, readTranscript, toConversation } from '../../session/store/index.js';
import {
  type ScriptedBlock,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  scriptedModel,
  text,
} from '../model/index.js';

export interface ReplayedTranscript {
  /** Answers with the replies, one after the other; `assertDone()` throws if some were not asked for. */
  readonly model: ScriptedModel;
  /** What the user said, in order, without what the engine wrote: to be said again. */
  readonly prompts: readonly string[];
}

/**
 * Reads the newest conversation of a transcript, also across its compactions. Replies that a compaction asked for are in no
 * transcript, so such a session is best replayed with `autoCompact: false`.
 * Contract: blocks and ids of calls are those of the file; a reply without content is left out.
 * @throws Error if the file holds no conversation, only a part of it, or replies that lie in files of their own
 */
export async function replayTranscript(file: string, options: ScriptedModelOptions = {}): Promise<ReplayedTranscript> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const entries = lines.map((line, at) => parseLine(line, at, file));
  const read = await readTranscript(entriesSource(entries), {
    sessionId: null,
    isSidechain: false,
    acrossCompactions: true,
  });
  if (read.entries.length === 0) throw new Error(`${file} holds no conversation.`);
  if (read.end !== 'root') throw new Error(`The conversation in ${file} is not whole: its beginning is missing.`);
  if (read.entries.some(({ role, value }) => role === 'assistant' && value['blobs'] !== undefined)) {
    throw new Error(`Replies in ${file} were too large for it and lie in files beside it. Replay a smaller session.`);
  }
  const steps: ScriptedReply[] = [];
  const prompts: string[] = [];
  for (const message of toConversation(read.entries)) {
    if (message.type === 'assistant') {
      const blocks = message.message.content.map(toScripted);
      const { usage, stop_reason: stopReason } = message.message;
      if (blocks.length > 0) steps.push({ blocks, usage, ...(stopReason === null ? {} : { stopReason }) });
    } else if (message.type === 'user' && message.isMeta !== true && message.isCompactSummary !== true) {
      const said = promptOf(message.message.content);
      if (said !== '') prompts.push(said);
    }
  }
  return { model: scriptedModel(steps, options), prompts };
}

function parseLine(line: string, at: number, file: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`Line ${at + 1} of ${file} is not JSON: the transcript is cut or damaged.`);
  }
}

function toScripted(block: AssistantBlock): ScriptedBlock {
  return block.type === 'text' ? text(block.text) : block;
}

/** The words of a prompt; empty for results of tools. */
function promptOf(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => (block.type === 'text' && 'text' in block ? String(block.text) : ''))
    .filter((said) => said !== '')
    .join('\n');
}
