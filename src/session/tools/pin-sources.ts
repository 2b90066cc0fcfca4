// What a compaction must not lose of a session. Whatever else must outlive one is one more source of this list; of
// instruction files those that came later: the others are part of the system prompt, which stays.

import type { PinSource } from '../../engine/compaction/index.js';
import { CWD_NOTE, LOADED_TOOLS_HEADER, RUNNING_TASKS_HEADER } from '../../engine/state/index.js';
import { type Host, isFileError } from '../../host/host.js';
import type { MessageParam, ToolResultBlock } from '../../protocol/content.js';
import type { TaskFacts } from '../../tools/background-tasks.js';
import type { FileStateCache } from '../../tools/file-state-cache.js';
import { exitPlanModeTool, PLAN_APPROVED } from '../../tools/plan-mode.js';
import { TODO_MARKS } from '../../tools/todo-write.js';
import type { TodoItem } from '../../tools/tool.js';
import { errorText } from '../../util/text.js';
import { detectBinary } from '../../util/text-file.js';
import type { QueryEngineConfig } from '../config/index.js';
import { pinnedInstructions } from '../instructions/index.js';
import { activeSkills } from '../skills/index.js';
import type { SharedParts } from './agent-parts.js';

/** Files that are looked at; those that fit are pinned. */
const MAX_FILES = 10;
/** A larger file would not fit anyway. Bytes. */
const MAX_FILE_SIZE = 400_000;

/**
 * @param conversation what is compacted
 * @param runningTasks those of the agent
 * @param loadedTools deferred tools that it loaded
 * @param hiddenFiles what rules keep from being read
 */
export function pinSources(
  { getAppState, readFileCache }: Pick<QueryEngineConfig, 'getAppState' | 'readFileCache'>,
  host: Host,
  conversation: readonly MessageParam[],
  runningTasks: () => readonly TaskFacts[],
  loadedTools: () => readonly string[] = () => [],
  { cwd, folder }: { readonly cwd: string; readonly folder: string } = { cwd: '', folder: '' },
  hiddenFiles: SharedParts['hiddenFiles'] = undefined,
): readonly PinSource[] {
  return [
    { keep: 'always', read: () => readTodos(getAppState) },
    { keep: 'always', read: () => openPlan(conversation) },
    {
      keep: 'always',
      read: () => [...(cwd === folder ? [] : [`${CWD_NOTE}${cwd}.]`]), ...taskPins(runningTasks())],
    },
    { keep: 'always', read: () => toolPins(loadedTools()) },
    { keep: 'always', read: (limits) => activeSkills(conversation, limits) },
    { keep: 'always', read: (limits) => pinnedInstructions(conversation, limits) },
    { keep: 'as_fits', read: () => filePins(recentPaths(readFileCache).slice(0, MAX_FILES), host, hiddenFiles) },
  ];
}

/** The state is the host's own: what it fails with must not keep the conversation from being compacted. */
function readTodos(getAppState: QueryEngineConfig['getAppState']): readonly string[] {
  try {
    return todoPins(getAppState().todos ?? []);
  } catch (error) {
    return [`The todo list could not be read: ${errorText(error)}`];
  }
}

function todoPins(todos: readonly TodoItem[]): readonly string[] {
  if (todos.length === 0) return [];
  const lines = todos.map(({ id, content, status, priority }) => {
    const weight = priority === undefined ? '' : `, ${priority} priority`;
    return `${TODO_MARKS[status]} ${content} (id ${id}${weight})`;
  });
  return [`The todo list as it stands ([x] done, [~] in progress, [ ] open):\n\n${lines.join('\n')}`];
}

/** Also told if a conversation that begins anew does not know of them. */
export function taskPins(tasks: readonly TaskFacts[]): readonly string[] {
  if (tasks.length === 0) return [];
  const lines = tasks.map(({ id, description }) => `${id}: ${description}`);
  return [`${RUNNING_TASKS_HEADER}\n\n${lines.join('\n')}`];
}

/** Each stands as the search told it, so that they are found again. */
function toolPins(names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${LOADED_TOOLS_HEADER}\n${names.map((name) => `- ${name}`).join('\n')}`];
}

const PLAN_HEAD = 'The plan that the user approved:';

/** The plan that was approved last, as its approval tells it, or as an earlier compaction kept it. */
function openPlan(conversation: readonly MessageParam[]): readonly string[] {
  const approvals = new Map<string, string>();
  for (const { content } of conversation.toReversed()) {
    if (typeof content === 'string') continue;
    for (const block of content.toReversed()) {
      if (block.type === 'text' && block.text.startsWith(PLAN_HEAD)) return [block.text];
      if (block.type === 'tool_result' && block.is_error !== true) approvals.set(block.tool_use_id, textOf(block));
      if (block.type !== 'tool_use' || block.name !== exitPlanModeTool.name) continue;
      const approval = approvals.get(block.id) ?? '';
      // The first paragraph says what was approved, and where it is kept.
      const plan = approval.startsWith(PLAN_APPROVED) ? (/\n\n([\s\S]*)/.exec(approval)?.[1] ?? '').trim() : '';
      if (plan !== '') return [`${PLAN_HEAD}\n\n${plan}`];
    }
  }
  return [];
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Also those that an earlier compaction pinned or left out, which the model need not have read again. */
function recentPaths(cache: FileStateCache): readonly string[] {
  return cache.recentPaths?.() ?? [...cache.entries()].map(([path]) => path);
}

/** The files that the model read last, as they are now: but for what rules keep from being read by now. */
async function filePins(
  paths: readonly string[],
  host: Host,
  hiddenFiles: SharedParts['hiddenFiles'],
): Promise<readonly string[]> {
  const isHidden = (await hiddenFiles?.(null)) ?? null;
  const pins: string[] = [];
  for (const path of new Set(paths)) {
    if (isHidden?.(path) === true) continue;
    const text = await readText(host, path);
    if (text !== null && text.trim() !== '') pins.push(`The file ${path}, as it is now:\n\n<file>\n${text}\n</file>`);
  }
  return pins;
}

async function readText(host: Host, path: string): Promise<string | null> {
  try {
    const located = await host.fs.locate(path);
    // A link that took its place leads to what nobody decided about.
    if (located.realPath !== path || located.stat?.kind !== 'file' || located.stat.size > MAX_FILE_SIZE) return null;
    const handle = await host.fs.openLocated(located);
    try {
      const bytes = await handle.read(0, MAX_FILE_SIZE);
      return detectBinary(bytes) === null ? new TextDecoder().decode(bytes) : null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error)) return null; // it is gone or closed to us by now: the summary has to do
    throw error;
  }
}
