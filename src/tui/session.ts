// One session at the terminal: what is sent, steered, queued, taken back and interrupted, and what comes of it. One rule: a
// prompt that was sent is either delivered or back in the person's hands.
import { randomUUID } from 'node:crypto';
import { isResultMessage, type SDKMessage, type SDKUserMessage } from '../protocol/messages.js';
import type { DebugLog } from '../sdk/debug-log.js';
import type { Query } from '../sdk/query-controls.js';
import type { Conversation } from './conversation/conversation.js';
import type { OpenFace } from './open-face.js';
import type { Prompts } from './prompts.js';
import { begun, reduceMessage, stopping, withoutQueued, withQueued } from './state/reduce.js';

export interface TerminalSession {
  readonly isRunning: boolean;
  /** Sends a prompt; while one runs, it joins at the next step, or waits until nothing else does. */
  send(text: string, priority: 'next' | 'later'): void;
  /** The prompt that was queued last, out of the queue; null where none waits, or it has just been taken. */
  takeBack(): Promise<string | null>;
  /** Ends what runs. All that is queued then goes together, as one prompt. */
  interrupt(): void;
  /** Reads the session to its end. */
  read(messages: AsyncIterable<SDKMessage>): Promise<void>;
  /** Messages of the last turns, for whoever draws them again. */
  readonly recent: readonly SDKMessage[];
  /** Called with each message, after it was shown. */
  onMessage(listener: (message: SDKMessage) => void): void;
}

export interface SessionParts {
  readonly face: OpenFace;
  readonly conversation: Conversation;
  readonly prompts: Prompts;
  readonly log: DebugLog;
  query(): Query;
}

/** Messages that are kept for drawing them again. */
const RECENT = 200;

export function createTerminalSession({ face, conversation, prompts, log, query }: SessionParts): TerminalSession {
  const { store, clock, screen } = face;
  /** Prompts that are in the conversation already. */
  const shown = new Set<string>();
  const listeners: ((message: SDKMessage) => void)[] = [];
  let recent: SDKMessage[] = [];
  /** What was queued when an interrupt was asked for. */
  let regathered: string[] = [];

  function push(text: string, more: Pick<SDKUserMessage, 'priority'>): string {
    const uuid = randomUUID();
    prompts.send({
      type: 'user',
      uuid,
      parent_tool_use_id: null,
      message: { role: 'user', content: asCommand(text) },
      ...more,
    });
    return uuid;
  }

  function begin(text: string): void {
    const uuid = push(text, {});
    shown.add(uuid);
    screen.commit(conversation.prompt(text));
    store.setState((state) => begun(state, clock.now()));
  }

  async function regather(): Promise<void> {
    const waiting = [...store.getState().queue];
    const { cancelled = [] } = await query().interrupt({ cancelQueued: true });
    const gone = new Set(cancelled);
    regathered = waiting.filter(({ uuid }) => gone.has(uuid)).map(({ text }) => text);
    store.setState((state) => ({ ...state, queue: state.queue.filter(({ uuid }) => !gone.has(uuid)) }));
    if (store.getState().run === null) sendRegathered();
  }

  function sendRegathered(): void {
    const texts = regathered;
    regathered = [];
    if (texts.length > 0) begin(texts.join('\n\n'));
  }

  function show(message: SDKMessage): void {
    if (message.type === 'user' && 'isReplay' in message) {
      const { uuid } = message;
      const queued = store.getState().queue.find((prompt) => prompt.uuid === uuid);
      if (!shown.has(uuid) && queued !== undefined) screen.commit(conversation.prompt(queued.text));
    }
    const lines = conversation.take(message);
    if (lines.length > 0) screen.commit(lines);
    store.setState((state) => reduceMessage(state, message, clock.now()));
    if (message.type === 'stream_event') {
      face.refreshSoon();
      return;
    }
    recent = [...recent.slice(-RECENT + 1), message];
    face.refresh();
  }

  return {
    get isRunning() {
      return store.getState().run !== null;
    },
    get recent() {
      return recent;
    },
    send(text, priority) {
      if (store.getState().run === null) return begin(text);
      const uuid = push(text, { priority });
      store.setState((state) => withQueued(state, { uuid, text, priority }));
    },
    async takeBack() {
      const last = store.getState().queue.at(-1);
      if (last === undefined || !(await query().cancelAsyncMessage(last.uuid))) return null;
      store.setState((state) => withoutQueued(state, last.uuid));
      return last.text;
    },
    interrupt() {
      if (store.getState().run === null) return;
      store.setState(stopping);
      // A prompt that ended in the meantime has nothing to interrupt; its own result tells the story.
      regather().catch((error: unknown) => log.error(error));
    },
    onMessage: (listener) => void listeners.push(listener),
    async read(messages) {
      for await (const message of messages) {
        log.message(message);
        show(message);
        for (const listener of listeners) listener(message);
        if (isResultMessage(message)) {
          // Prompts that wait are the engine's to begin: it says so with their own first message.
          if (regathered.length > 0) sendRegathered();
        }
      }
    },
  };
}

/** `# a note` of one line is one to keep. */
function asCommand(text: string): string {
  const [, note] = /^#[ \t]*([^#\s].*)$/.exec(text) ?? [];
  return note === undefined ? text : `/memory add ${note}`;
}
