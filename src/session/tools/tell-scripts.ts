// What a resumed session is told of a script that the end of the earlier run cut short: which of its calls were done, and
// which were under way. Loaded for resumed sessions in code mode.
import path from 'node:path';
import { interruptedScriptNote } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { ContentBlock, MessageParam, ToolUseBlock } from '../../protocol/content.js';
import { RUN_SCRIPT } from '../../tools/run-script.js';
import { isRecord } from '../../util/is-record.js';
import { shorten } from '../../util/text.js';
import type { FeatureParts, Runtime } from '../core/index.js';
import { nestedCallsId } from '../store/index.js';

/** A file of more bytes is not looked through: the model is told to look for itself. */
const MAX_BYTES = 20_000_000;
/** Calls under way that are named, and characters of their inputs. */
const MAX_OPEN = 5;
const MAX_INPUT = 300;

export const parts: FeatureParts = {
  async tellBeside({ session: { memory, history, host }, runtime }) {
    memory.areScriptsTold = true;
    return { texts: await scriptsCutShort(history.params, host, runtime) };
  },
};

/** A note for each script without a result. Contract: never throws for what a file holds. */
async function scriptsCutShort(
  conversation: readonly MessageParam[],
  host: Host,
  { sessionFolder }: Pick<Runtime, 'sessionFolder'>,
): Promise<readonly string[]> {
  if (sessionFolder === null) return [];
  const notes: string[] = [];
  for (const { id } of openScripts(conversation)) {
    const calls = await readCalls(host, path.join(sessionFolder, 'subagents', `agent-${nestedCallsId(id)}.jsonl`));
    if (calls !== null) notes.push(interruptedScriptNote(describeDone(calls.done), describeOpen(calls.open)));
  }
  return notes;
}

function openScripts(conversation: readonly MessageParam[]): readonly ToolUseBlock[] {
  const blocks = conversation.flatMap(({ content }) => (Array.isArray(content) ? (content as ContentBlock[]) : []));
  const answered = new Set(blocks.flatMap((block) => (block?.type === 'tool_result' ? [block.tool_use_id] : [])));
  return blocks.filter(
    (block): block is ToolUseBlock =>
      block?.type === 'tool_use' && block.name === RUN_SCRIPT && !answered.has(block.id),
  );
}

interface Calls {
  readonly done: readonly ToolUseBlock[];
  readonly open: readonly ToolUseBlock[];
}

/** Null if nothing of it is kept. */
async function readCalls(host: Host, file: string): Promise<Calls | null> {
  try {
    const { kind, size } = await host.fs.lstat(file);
    if (kind !== 'file' || size > MAX_BYTES) return null;
    const lines = new TextDecoder().decode(await host.fs.readFile(file)).split('\n');
    const blocks = lines.flatMap(blocksOf);
    const answered = new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])));
    const calls = blocks.filter((block) => block.type === 'tool_use');
    return {
      done: calls.filter(({ id }) => answered.has(id)),
      open: calls.filter(({ id }) => !answered.has(id)),
    };
  } catch (error) {
    if (isFileError(error)) return null; // it made no calls, or the session was copied without them
    throw error;
  }
}

/** The last line may be half written. */
function blocksOf(line: string): readonly ContentBlock[] {
  try {
    const entry: unknown = JSON.parse(line);
    const message = isRecord(entry) ? entry['message'] : null;
    const content = isRecord(message) ? message['content'] : null;
    return Array.isArray(content) ? content.filter(isRecord).map((block) => block as unknown as ContentBlock) : [];
  } catch {
    return []; // no line of ours
  }
}

function describeDone(calls: readonly ToolUseBlock[]): string {
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}

function describeOpen(calls: readonly ToolUseBlock[]): string {
  const named = calls
    .slice(0, MAX_OPEN)
    .map(({ name, input }) => `${name} ${shorten(JSON.stringify(input), MAX_INPUT)}`);
  return [...named, ...(calls.length > MAX_OPEN ? [`and ${calls.length - MAX_OPEN} more`] : [])].join('; ');
}
