// A query that a test talks to: prompts one by one, and controls before, between and while they run.
import { onTestFinished } from 'vitest';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '../../src/protocol/index.js';
import { isResultMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import type { Query } from '../../src/sdk/query-controls.js';
import type { ScriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from './engine.js';

export interface Controlled {
  readonly session: Query;
  readonly cwd: string;
  readonly home: string;
  /** Says something and reads to its result. */
  ask(text: string, uuid?: string): Promise<SDKResultMessage>;
  /** Says something; what comes is read by `result`. */
  say(text: string, uuid?: string): void;
  /** Reads to the next result. */
  result(): Promise<SDKResultMessage>;
  /** All that was read. */
  readonly messages: SDKMessage[];
  /** No more prompts; reads to the end. */
  end(): Promise<void>;
}

export async function controlled(model: ScriptedModel | undefined, options: Options = {}): Promise<Controlled> {
  const [cwd, home] = [options.cwd ?? (await temporaryFolder()), await temporaryFolder()];
  const waiting: (SDKUserMessage | null)[] = [];
  let wake: () => void = () => undefined;
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (;;) {
      const next = waiting.shift();
      if (next === null) return;
      if (next !== undefined) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const push = (message: SDKUserMessage | null) => {
    waiting.push(message);
    wake();
  };
  const env = { TURNWRIGHT_HOME: home, ...options.env };
  const session = query({
    prompt: prompts(),
    options: { ...(model === undefined ? {} : { provider: model }), ...options, cwd, env },
  });
  onTestFinished(async () => {
    push(null);
    await session[Symbol.asyncDispose]();
  });
  const messages: SDKMessage[] = [];
  const result = async (): Promise<SDKResultMessage> => {
    for (;;) {
      const { done, value } = await session.next();
      if (done) throw new Error('The stream ended without a result.');
      messages.push(value);
      if (isResultMessage(value)) return value;
    }
  };
  const say = (content: string, uuid?: string) =>
    push({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      ...(uuid === undefined ? {} : { uuid }),
    } as SDKUserMessage);
  return {
    session,
    cwd,
    home,
    messages,
    say,
    result,
    ask(text, uuid) {
      say(text, uuid);
      return result();
    },
    async end() {
      push(null);
      for await (const message of session) messages.push(message);
    },
  };
}

/** A promise to open from outside. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
