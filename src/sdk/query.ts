// query(): the public entry. One call is one session in this process: a prompt or a stream of prompts in, messages out.
import { toSlashCommand } from '../context/slash-commands.js';
import { createNodeHost } from '../host/node-host.js';
import { AbortError, ConfigError } from '../protocol/errors.js';
import type { SDKMessage, SDKUserMessage } from '../protocol/messages.js';
import { QueryEngine } from '../session/query-engine.js';
import { ABORTED, raceAbort } from '../util/abort.js';
import { type AsyncQueue, createAsyncQueue } from '../util/async-queue.js';
import type { Options } from './options.js';
import type { Query } from './query-controls.js';
import { checkMode, resolveOptions } from './resolve-options.js';

export interface QueryParams {
  /** Text for one prompt, or an iterable for a session of several. */
  readonly prompt: string | AsyncIterable<SDKUserMessage>;
  readonly options?: Options;
}

/**
 * Runs a session and streams its messages. For each prompt: one `system/init` first, one `result` last.
 * Contract: nothing runs before the first `next()`; leaving the loop early ends the session and all it started.
 * @throws ConfigError or SessionError from the first `next()` where the options cannot be used; AbortError after the
 *   result where `abortController` was aborted
 */
export function query({ prompt, options = {} }: QueryParams): Query {
  const abort = options.abortController ?? new AbortController();
  const prompts = createAsyncQueue<SDKUserMessage>();
  let openInputs = 0;
  let closedByCaller = false;
  let engine: Promise<QueryEngine> | null = null;
  const open = () => {
    engine ??= openEngine({ ...options, abortController: abort });
    return engine;
  };

  /** Reads one input into the queue; the queue ends with the last input. */
  const feed = async (input: AsyncIterable<SDKUserMessage>): Promise<void> => {
    openInputs += 1;
    try {
      for await (const message of input) prompts.push(message);
    } catch (error) {
      prompts.fail(error);
      throw error;
    } finally {
      openInputs -= 1;
      if (openInputs === 0) prompts.end();
    }
  };

  const messages = run(open, prompts, { signal: abort.signal, isQuiet: () => closedByCaller }, () => {
    // The consumer gets a failure of the input through the queue.
    feed(typeof prompt === 'string' ? once(prompt) : prompt).catch(() => undefined);
  });

  return Object.assign(messages, {
    async interrupt() {
      (await open()).interrupt();
    },
    async setPermissionMode(mode: Parameters<Query['setPermissionMode']>[0]) {
      const checked = checkMode(mode, options.allowDangerouslySkipPermissions ?? false);
      await (await open()).setPermissionMode(checked);
    },
    async setModel(model?: string) {
      (await open()).setModel(model);
    },
    streamInput: feed,
    async supportedCommands() {
      const { getCommands } = await import('../context/slash-commands.js');
      return (await getCommands()).map(toSlashCommand);
    },
    supportedAgents: async () => [],
    close() {
      closedByCaller = true;
      abort.abort();
      prompts.end();
    },
  });
}

async function openEngine(options: Options): Promise<QueryEngine> {
  const config = await resolveOptions(options, options.host ?? createNodeHost());
  return new QueryEngine(config);
}

async function* run(
  open: () => Promise<QueryEngine>,
  prompts: AsyncQueue<SDKUserMessage>,
  abort: { readonly signal: AbortSignal; isQuiet(): boolean },
  start: () => void,
): AsyncGenerator<SDKMessage, void> {
  const engine = await open();
  try {
    start();
    const input = prompts[Symbol.asyncIterator]();
    for (;;) {
      const next = await raceAbort(input.next(), abort.signal);
      if (next === ABORTED) break;
      if (next.done) return;
      yield* engine.submitMessage(
        contentOf(next.value),
        next.value.uuid === undefined ? {} : { uuid: next.value.uuid },
      );
      if (abort.signal.aborted) break;
    }
    // `close()` ends the iteration; an abort of the caller's own controller is told by a throw.
    if (!abort.isQuiet()) throw new AbortError('The session was aborted.');
  } finally {
    await engine.close();
  }
}

async function* once(prompt: string): AsyncGenerator<SDKUserMessage> {
  yield { type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null };
}

function contentOf(message: SDKUserMessage) {
  if (message?.type === 'user' && typeof message.message === 'object') return message.message.content;
  throw new ConfigError('A streamed prompt must be a message { type: "user", message: { role: "user", content } }.');
}
