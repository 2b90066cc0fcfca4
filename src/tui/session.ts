// One session at the terminal: what is sent, steered, queued, taken back and interrupted, and what comes of it. One rule: a
// prompt that was sent is either delivered or back in the person's hands.
import type { UserBlock } from '../protocol/content.js';
import { isResultMessage, type SDKMessage, type SDKUserMessage } from '../protocol/messages.js';
import type { DebugLog } from '../sdk/logs/index.js';
import { asCommand } from '../view/typed-line.js';
import type { Conversation } from './conversation/index.js';
import type { OpenFace } from './face.js';
import { begun, reduceMessage, stopping, withoutQueued, withQueued } from './state.js';

export interface TerminalSession {
  readonly isRunning: boolean;
  /**
   * Sends a prompt; while one runs, it joins at the next step, or waits until nothing else does.
   * @param content what is sent, if that is more than the text
   */
  send(text: string, priority: 'next' | 'later', content?: string | UserBlock[]): void;
  /** The prompt that was queued last, out of the queue; null if none waits, or it has just been taken. */
  takeBack(): Promise<string | null>;
  /** Ends what runs. All that is queued then goes together, as one prompt. */
  interrupt(): void;
  /** Reads the session to its end. */
  read(messages: AsyncIterable<SDKMessage>): Promise<void>;
  /** The last turns, for whoever draws them again. */
  readonly recent: readonly Told[];
  /** Those of a session that is gone on with stand in the conversation already. */
  recall(earlier: readonly Told[]): void;
}

/** What stands in the conversation: a message, or a prompt as it was typed. */
export type Told = { readonly message: SDKMessage } | { readonly prompt: string };

interface SessionParts {
  readonly face: OpenFace;
  readonly conversation: Conversation;
  readonly prompts: Prompts;
  readonly log: DebugLog;
}

/** Of the last turns so much is kept for drawing it again, from the beginning of a turn on. */
const RECENT = 60;
/** Of one turn that goes on and on. */
const RECENT_OF_ONE = 600;
/** What shows nothing once it is over. */
const PASSING: ReadonlySet<string> = new Set(['tool_progress', 'command_lifecycle', 'auth_status']);

export function createTerminalSession({ face, conversation, prompts, log }: SessionParts): TerminalSession {
  const { store, clock, screen, opened } = face;
  /** Prompts that are in the conversation already. */
  const shown = new Set<string>();
  let recent: Told[] = [];
  /** What was queued when an interrupt was asked for. */
  let regathered: string[] = [];

  function push(content: string | UserBlock[], more: Pick<SDKUserMessage, 'priority'>): string {
    const uuid = crypto.randomUUID();
    prompts.send({
      type: 'user',
      uuid,
      parent_tool_use_id: null,
      message: { role: 'user', content: typeof content === 'string' ? asCommand(content) : content },
      ...more,
    });
    return uuid;
  }

  function keep(told: Told): void {
    recent.push(told);
    if (recent.length <= RECENT) return;
    const next = recent.findIndex((each, at) => at > 0 && 'prompt' in each);
    if (next !== -1) recent = recent.slice(next);
    else if (recent.length > RECENT_OF_ONE) recent = recent.slice(-RECENT);
  }

  function say(text: string): void {
    screen.commit(conversation.prompt(text));
    keep({ prompt: text });
  }

  function begin(text: string, content: string | UserBlock[] = text): void {
    const uuid = push(content, {});
    shown.add(uuid);
    say(text);
    store.setState((state) => begun(state, clock.now()));
  }

  async function regather(): Promise<void> {
    const waiting = [...store.getState().queue];
    const { cancelled = [] } = await (await opened).interrupt({ cancelQueued: true });
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
      if (!shown.has(uuid) && queued !== undefined) say(queued.text);
    }
    const lines = conversation.take(message);
    store.setState((state) => reduceMessage(state, message, clock.now()));
    if (message.type === 'stream_event') {
      screen.commitLater(lines);
      face.refreshSoon();
      return;
    }
    screen.commit(lines);
    if (!PASSING.has(message.type)) keep({ message });
    face.refresh();
  }

  async function lookAtContext(): Promise<void> {
    const { totalTokens, maxTokens } = await (await opened).getContextUsage({ detail: 'summary' });
    const contextUsed = maxTokens > 0 ? totalTokens / maxTokens : null;
    store.setState((state) => ({ ...state, session: { ...state.session, contextUsed } }));
  }

  return {
    get isRunning() {
      return store.getState().run !== null;
    },
    get recent() {
      return recent;
    },
    recall(earlier) {
      recent = [...earlier];
    },
    send(text, priority, content = text) {
      if (store.getState().run === null) {
        begin(text, content);
        return;
      }
      const uuid = push(content, { priority });
      store.setState((state) => withQueued(state, { uuid, text, priority }));
    },
    async takeBack() {
      const last = store.getState().queue.at(-1);
      if (last === undefined || !(await (await opened).cancelAsyncMessage(last.uuid))) return null;
      store.setState((state) => withoutQueued(state, last.uuid));
      return last.text;
    },
    interrupt() {
      if (store.getState().run === null) return;
      store.setState(stopping);
      // A prompt that ended in the meantime has nothing to interrupt; its own result tells the story.
      regather().catch((error: unknown) => log.error(error));
    },
    async read(messages) {
      for await (const message of messages) {
        log.message(message);
        show(message);
        face.tell(message);
        if (isResultMessage(message)) {
          // Prompts that wait are the engine's to begin: it says so with their own first message.
          if (regathered.length > 0) sendRegathered();
          lookAtContext().catch((error: unknown) => log.error(error));
        }
      }
    },
  };
}

interface Prompts extends AsyncIterable<SDKUserMessage> {
  send(message: SDKUserMessage): void;
  /** No more come: the session ends once it has done what is there. */
  end(): void;
}

export function createPrompts(): Prompts {
  const waiting: SDKUserMessage[] = [];
  let hasEnded = false;
  let wake = (): void => undefined;
  return {
    send(message) {
      waiting.push(message);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (hasEnded) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
