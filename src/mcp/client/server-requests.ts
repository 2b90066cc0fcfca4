// What a server may ask of the session: where the workspace is, a question to the user, a page that the user opens, an
// answer of the model. One rule: a server is answered while a call of its own is under way, and at no other time, so that
// nobody is asked out of nowhere.

import type { UserAnswer, UserQuestion } from '../../tools/tool.js';
import { isRecord } from '../../util/json.js';
import { shorten } from '../../util/text.js';
import { RpcError } from '../transport.js';
import { invalidParams } from './rpc-peer.js';

/** The error of a call that needs pages opened first. */
export const URL_ELICITATION_REQUIRED = -32_042;
const REFUSED = -1;
const MAX_PAGES = 5;
const MAX_URL = 4_000;
const MAX_MESSAGE = 10_000;

/** Who answers for the session. */
export interface AskedParties {
  /** Asks the user for a server; null if nobody can be asked. Contract: never rejects. */
  readonly elicit: ((question: UserQuestion, signal: AbortSignal, server: string) => Promise<UserAnswer>) | null;
  /** Asks the model for a server; null if that is not allowed. @throws Error with what the server may know of why not */
  readonly sample?: ((params: unknown, signal: AbortSignal, server: string) => Promise<unknown>) | null;
  /** The folders of the workspace, the working directory first. */
  roots(): readonly string[];
}

export interface ServerRequests {
  /** As the handshake declares them. */
  readonly capabilities: Readonly<Record<string, object>>;
  during<T>(call: () => Promise<T>): Promise<T>;
  /** Null if there is no such method. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> | null;
  /** Has the user open the pages that a failed call names. False if one was not opened. */
  openPages(data: unknown, signal: AbortSignal): Promise<boolean>;
  /** Takes back what is asked now. */
  stop(): void;
}

export function createServerRequests(server: string, parties: AskedParties): ServerRequests {
  const { elicit, sample = null } = parties;
  let calls = 0;
  let open = new AbortController();
  const until = (taken: AbortSignal) => AbortSignal.any([open.signal, taken]);
  const ask = async (params: unknown, taken: AbortSignal): Promise<unknown> => {
    const question = readQuestion(params);
    if (elicit === null || calls === 0) return { action: 'decline' };
    const answer = await elicit(question, until(taken), server);
    if (answer.action === 'none') return { action: 'cancel' };
    // Whether a page was opened is all that is said of it.
    if (question.url !== undefined) return { action: answer.action };
    return answer.action === 'accept' ? { ...answer, content: withDefaults(question, answer.content) } : answer;
  };
  const askModel = async (params: unknown, taken: AbortSignal): Promise<unknown> => {
    if (sample === null || calls === 0)
      throw new RpcError(REFUSED, 'The model is asked while a call is under way, and at no other time.');
    return sample(params, until(taken), server);
  };
  return {
    capabilities: {
      roots: { listChanged: true },
      ...(elicit === null ? {} : { elicitation: { form: {}, url: {} } }),
      ...(sample === null ? {} : { sampling: {} }),
    },
    async during(call) {
      calls += 1;
      try {
        return await call();
      } finally {
        calls -= 1;
        if (calls === 0) {
          open.abort();
          open = new AbortController();
        }
      }
    },
    answer(method, params, signal) {
      switch (method) {
        case 'ping':
          return Promise.resolve({});
        case 'roots/list':
          return Promise.resolve({ roots: parties.roots().map(rootOf) });
        case 'elicitation/create':
          return elicit === null ? null : ask(params, signal);
        case 'sampling/createMessage':
          return sample === null ? null : askModel(params, signal);
        default:
          return null;
      }
    },
    async openPages(data, signal) {
      const { elicitations } = isRecord(data) ? data : {};
      if (elicit === null || !Array.isArray(elicitations) || elicitations.length === 0) return false;
      for (const each of elicitations.slice(0, MAX_PAGES)) {
        const question = readQuestion({ ...(isRecord(each) ? each : {}), mode: 'url' });
        if ((await elicit(question, signal, server)).action !== 'accept') return false;
      }
      return true;
    },
    stop: () => open.abort(),
  };
}

/** @throws RpcError for what is no question */
function readQuestion(params: unknown): UserQuestion {
  const { message: given, mode = 'form', requestedSchema, url, elicitationId } = isRecord(params) ? params : {};
  if (typeof given !== 'string') throw invalidParams('elicitation/create needs a message.');
  const message = shorten(given, MAX_MESSAGE);
  if (mode === 'url') {
    const page = typeof url === 'string' && url.length <= MAX_URL && URL.canParse(url) ? new URL(url) : null;
    if (page === null || !(page.protocol === 'https:' || isLoopback(page)))
      throw invalidParams('elicitation/create in the mode url needs a url of https, or of http on this machine.');
    const id = typeof elicitationId === 'string' ? { elicitationId: shorten(elicitationId, MAX_URL) } : {};
    return { message, url: page.href, requestedSchema: { type: 'object', properties: {} }, ...id };
  }
  if (mode !== 'form') throw invalidParams('elicitation/create knows the modes form and url.');
  if (!isRecord(requestedSchema)) throw invalidParams('elicitation/create needs a requestedSchema.');
  return { message, requestedSchema };
}

/** What the user left out is as the server proposed it. */
function withDefaults({ requestedSchema }: UserQuestion, content: Readonly<Record<string, unknown>>) {
  const { properties } = isRecord(requestedSchema) ? requestedSchema : {};
  const proposed = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, schema]) =>
    isRecord(schema) && schema['default'] !== undefined && content[name] === undefined
      ? [[name, schema['default']]]
      : [],
  );
  return proposed.length === 0 ? content : { ...content, ...Object.fromEntries(proposed) };
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function rootOf(folder: string, at: number): object {
  const parts = folder.split(/[\\/]/);
  const uri = `file://${folder.startsWith('/') ? '' : '/'}${parts.map(encodeURIComponent).join('/')}`;
  return { uri, name: at === 0 ? 'workspace' : (parts.findLast((part) => part !== '') ?? folder) };
}
