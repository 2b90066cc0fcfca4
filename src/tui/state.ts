// What the terminal knows of its session: the state, what each message changes in it (a state, a message and a moment in, a
// state out), and the one store. What is finished is not in here: it is in the scrollback.

import type { SDKMessage, SDKPartialAssistantMessage, SDKToolProgressMessage } from '../protocol/messages.js';
import type { PermissionMode } from '../protocol/permissions.js';
import type { SDKSystemEventMessage } from '../protocol/system-messages.js';
import { afterTaskCall } from '../view/task-list.js';

export interface State {
  /** The prompt that runs; null while the session waits for one. */
  readonly run: Run | null;
  /** Prompts that were sent and are not yet looked at, the oldest first. */
  readonly queue: readonly QueuedPrompt[];
  readonly todos: readonly Todo[];
  /** Subagents and commands that work, in the foreground and in the background. */
  readonly tasks: readonly Task[];
  /** Calls without a result, in their order. */
  readonly calls: readonly OpenCall[];
  readonly session: SessionFacts;
  /** False while the window has no focus; true if terminals do not say. */
  readonly focused: boolean;
}

interface Run {
  /** A moment of `Face.clock`. */
  readonly since: number;
  /** What it does now, such as `Thinking`, `Writing`, `Compacting`. */
  readonly doing: string;
  /** An interrupt was asked for. */
  readonly stopping: boolean;
  /** Of the request that streams; an estimate. */
  readonly outputTokens: number;
}

interface QueuedPrompt {
  readonly uuid: string;
  readonly text: string;
  readonly priority: 'next' | 'later';
}

export interface Todo {
  /** Of a list that is changed item by item. */
  readonly id?: string;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm?: string;
}

export interface Task {
  readonly id: string;
  /** `local_agent`, `local_bash` … */
  readonly type: string;
  readonly description: string;
  readonly agent: string | null;
  readonly toolUseId: string | null;
  readonly background: boolean;
  /** A moment of `Face.clock`. */
  readonly since: number;
  /** What it did last, as far as it is told. */
  readonly lastTool: string | null;
}

export interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The call of the subagent that makes it; null for the session's own agent. */
  readonly parent: string | null;
  /** A moment of `Face.clock`. */
  readonly since: number;
  /** The end of what it printed: at most 5 lines, unescaped. */
  readonly output: readonly string[];
  /** How far it is, as its tool says. */
  readonly progress: string | null;
}

interface SessionFacts {
  readonly id: string | null;
  readonly cwd: string;
  /** As it is named; null before the first prompt. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly mode: PermissionMode;
  readonly branch: string | null;
  /** Of the model's window, 0 to 1; null if it is not known. */
  readonly contextUsed: number | null;
  readonly costUsd: number;
  readonly costUnknown: boolean;
  readonly title: string | null;
}

/** Lines of a running command that are kept. */
const OUTPUT_LINES = 5;
/** Longest line of these, characters. */
const LONGEST_LINE = 2_000;
/** A token of a text, roughly, characters. */
const TOKEN = 4;

export function initialState(cwd: string): State {
  return {
    run: null,
    queue: [],
    todos: [],
    tasks: [],
    calls: [],
    focused: true,
    session: {
      id: null,
      cwd,
      model: null,
      provider: null,
      mode: 'default',
      branch: null,
      contextUsed: null,
      costUsd: 0,
      costUnknown: false,
      title: null,
    },
  };
}

/** @param now a moment of `Face.clock` */
export function reduceMessage(state: State, message: SDKMessage, now: number): State {
  switch (message.type) {
    case 'stream_event':
      return reduceStream(state, message);
    case 'assistant': {
      const calls = message.message.content.flatMap((block) =>
        block.type === 'tool_use' ? [openCall(block.id, block.name, block.input, message.parent_tool_use_id, now)] : [],
      );
      const todos = message.parent_tool_use_id === null ? todosOf(message.message.content) : null;
      if (calls.length === 0 && todos === null) return state;
      const run = message.parent_tool_use_id === null && calls.length > 0 ? doing(state.run, 'Running') : state.run;
      return { ...state, run, calls: [...state.calls, ...calls], todos: todos ?? state.todos };
    }
    case 'user': {
      if ('isReplay' in message) return withoutQueued(state, message.uuid);
      const { content } = message.message;
      if (typeof content === 'string') return state;
      const done = new Set(content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])));
      if (done.size === 0) return state;
      const calls = state.calls.filter(({ id, parent }) => !done.has(id) && (parent === null || !done.has(parent)));
      return { ...state, calls, run: doing(state.run, 'Working'), todos: changedTodos(state, content, message) };
    }
    case 'tool_progress':
      return {
        ...state,
        calls: state.calls.map((call) => (call.id === message.tool_use_id ? progressed(call, message) : call)),
      };
    case 'result':
      return {
        ...state,
        run: null,
        calls: [],
        session: {
          ...state.session,
          costUsd: message.total_cost_usd,
          costUnknown: message.cost_unknown === true,
        },
      };
    case 'system':
      if (message.subtype === 'init')
        return {
          ...state,
          run: state.run ?? { since: now, doing: 'Working', stopping: false, outputTokens: 0 },
          session: {
            ...state.session,
            id: message.session_id,
            cwd: message.cwd,
            model: message.model,
            provider: message.provider,
            mode: message.permissionMode,
          },
        };
      return reduceSystem(state, message, now);
    case 'conversation_reset':
      return { ...state, todos: [], session: { ...state.session, id: message.new_conversation_id, contextUsed: null } };
    default:
      return state;
  }
}

function reduceStream(state: State, { event, parent_tool_use_id: parent }: SDKPartialAssistantMessage): State {
  if (parent !== null || state.run === null) return state;
  if (event.type === 'content_block_start') {
    const { type } = event.content_block;
    return {
      ...state,
      run: doing(state.run, type === 'text' ? 'Writing' : type === 'tool_use' ? 'Calling' : 'Thinking'),
    };
  }
  if (event.type !== 'content_block_delta') return state;
  const { delta } = event;
  const length =
    delta.type === 'text_delta'
      ? delta.text.length
      : delta.type === 'thinking_delta'
        ? delta.thinking.length
        : delta.type === 'input_json_delta'
          ? delta.partial_json.length
          : 0;
  return { ...state, run: { ...state.run, outputTokens: state.run.outputTokens + length / TOKEN } };
}

function reduceSystem(state: State, message: SDKSystemEventMessage, now: number): State {
  switch (message.subtype) {
    case 'status': {
      const mode = message.permissionMode ?? state.session.mode;
      const run = message.status === 'compacting' ? doing(state.run, 'Summarising') : doing(state.run, 'Working');
      return { ...state, run, session: { ...state.session, mode } };
    }
    case 'model_changed':
      return { ...state, session: { ...state.session, model: message.to } };
    case 'session_title_changed':
      return { ...state, session: { ...state.session, title: message.title } };
    case 'task_started': {
      const task: Task = {
        id: message.task_id,
        type: message.task_type ?? 'task',
        description: message.description,
        agent: message.subagent_type ?? null,
        toolUseId: message.tool_use_id ?? null,
        background: message.is_backgrounded === true,
        since: now,
        lastTool: null,
      };
      return { ...state, tasks: [...state.tasks.filter(({ id }) => id !== task.id), task] };
    }
    case 'task_progress':
      return changeTask(state, message.task_id, (task) => ({
        ...task,
        lastTool: message.last_tool_name ?? task.lastTool,
      }));
    case 'task_updated': {
      const { is_backgrounded: background, description } = message.patch;
      return changeTask(state, message.task_id, (task) => ({
        ...task,
        background: background ?? task.background,
        description: description ?? task.description,
      }));
    }
    case 'task_notification':
      return { ...state, tasks: state.tasks.filter(({ id }) => id !== message.task_id) };
    case 'background_tasks_changed': {
      const running = new Set(message.tasks.map(({ task_id }) => task_id));
      return { ...state, tasks: state.tasks.filter(({ id, background }) => !background || running.has(id)) };
    }
    default:
      return state;
  }
}

function changeTask(state: State, id: string, change: (task: Task) => Task): State {
  return { ...state, tasks: state.tasks.map((task) => (task.id === id ? change(task) : task)) };
}

function doing(run: Run | null, what: string): Run | null {
  return run === null || run.doing === what ? run : { ...run, doing: what };
}

function openCall(id: string, name: string, input: unknown, parent: string | null, since: number): OpenCall {
  return { id, name, input, parent, since, output: [], progress: null };
}

function progressed(call: OpenCall, { output, message, progress, total }: SDKToolProgressMessage): OpenCall {
  const done = progress === undefined ? '' : total === undefined ? String(progress) : `${progress} of ${total}`;
  const said = [message ?? '', done].filter((part) => part !== '').join(', ');
  return {
    ...call,
    output: output === undefined ? call.output : lastLines(call.output, output),
    progress: said === '' ? call.progress : said,
  };
}

/** What was printed goes on at the end of the last piece. */
function lastLines(before: readonly string[], piece: string): readonly string[] {
  const lines = `${before.join('\n')}${piece.slice(-OUTPUT_LINES * LONGEST_LINE)}`.split('\n');
  // The empty text behind the last line end waits for more, and is not a line yet.
  const most = lines.at(-1) === '' ? OUTPUT_LINES + 1 : OUTPUT_LINES;
  return lines.slice(-most).map((line) => line.slice(-LONGEST_LINE));
}

/** What is said of one call belongs to it; of several in one message nobody knows which output is whose. */
function changedTodos(
  { todos, calls }: State,
  content: readonly { readonly type: string }[],
  { tool_use_result: output, parent_tool_use_id: parent }: Extract<SDKMessage, { type: 'user' }>,
): readonly Todo[] {
  const [block] = content as readonly { readonly tool_use_id?: string; readonly is_error?: boolean }[];
  const call = calls.find(({ id }) => id === block?.tool_use_id);
  if (call === undefined || parent !== null || block?.is_error === true) return todos;
  return afterTaskCall(todos, call.name, call.input, output);
}

function todosOf(content: readonly { readonly type: string }[]): readonly Todo[] | null {
  for (const block of content) {
    const { name, input } = block as { readonly name?: string; readonly input?: { readonly todos?: unknown } | null };
    if (block.type !== 'tool_use' || name !== 'TodoWrite' || !Array.isArray(input?.todos)) continue;
    return input.todos.filter(isTodo);
  }
  return null;
}

function isTodo(item: unknown): item is Todo {
  const { content, status } = (item ?? {}) as Readonly<Record<string, unknown>>;
  return typeof content === 'string' && ['pending', 'in_progress', 'completed'].includes(status as string);
}

export function withQueued(state: State, prompt: QueuedPrompt): State {
  return { ...state, queue: [...state.queue, prompt] };
}

export function withoutQueued(state: State, uuid: string): State {
  if (!state.queue.some((prompt) => prompt.uuid === uuid)) return state;
  return { ...state, queue: state.queue.filter((prompt) => prompt.uuid !== uuid) };
}

/** A prompt was sent to a session that waits for one. */
export function begun(state: State, now: number): State {
  return { ...state, run: { since: now, doing: 'Working', stopping: false, outputTokens: 0 } };
}

export function stopping(state: State): State {
  return state.run === null ? state : { ...state, run: { ...state.run, stopping: true } };
}

export interface Store<T> {
  getState(): T;
  /** Contract: listeners are told only of a state that is another object. */
  setState(change: (previous: T) => T): void;
  /** Called after each change. The returned function ends it. */
  subscribe(listener: (state: T) => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let state = initial;
  const listeners = new Set<(state: T) => void>();
  return {
    getState: () => state,
    setState(change) {
      const next = change(state);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
