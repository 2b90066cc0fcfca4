// What a server may ask of the session: where the workspace is, a question to the user. One rule: a server is answered
// while a call of its own is under way, and at no other time, so that nobody is asked out of nowhere.
import type { UserAnswer, UserQuestion } from '../../tools/tool.js';
import { isRecord } from '../../util/is-record.js';
import { invalidParams } from './rpc-peer.js';

/** Who answers for the session. */
export interface AskedParties {
  /** Asks the user for a server; null where nobody can be asked. Contract: never rejects. */
  readonly elicit: ((question: UserQuestion, signal: AbortSignal, server: string) => Promise<UserAnswer>) | null;
  /** The folders of the workspace, the working directory first. */
  roots(): readonly string[];
}

export interface ServerRequests {
  /** As the handshake declares them. */
  readonly capabilities: Readonly<Record<string, object>>;
  during<T>(call: () => Promise<T>): Promise<T>;
  /** Null where there is no such method. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> | null;
  /** Takes back what is asked now. */
  stop(): void;
}

export function createServerRequests(server: string, parties: AskedParties): ServerRequests {
  const { elicit } = parties;
  let calls = 0;
  let open = new AbortController();
  const ask = async (params: unknown, taken: AbortSignal): Promise<unknown> => {
    const question = readQuestion(params);
    if (elicit === null || calls === 0) return { action: 'decline' };
    const answer = await elicit(question, AbortSignal.any([open.signal, taken]), server);
    return answer.action === 'none' ? { action: 'cancel' } : answer;
  };
  return {
    capabilities: { roots: { listChanged: true }, ...(elicit === null ? {} : { elicitation: {} }) },
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
        default:
          return null;
      }
    },
    stop: () => open.abort(),
  };
}

/** @throws RpcError for what is no question */
function readQuestion(params: unknown): UserQuestion {
  const { message, requestedSchema } = isRecord(params) ? params : {};
  if (typeof message !== 'string') throw invalidParams('elicitation/create needs a message.');
  if (!isRecord(requestedSchema)) throw invalidParams('elicitation/create needs a requestedSchema.');
  return { message, requestedSchema };
}

function rootOf(folder: string, at: number): object {
  const parts = folder.split(/[\\/]/);
  const uri = `file://${folder.startsWith('/') ? '' : '/'}${parts.map(encodeURIComponent).join('/')}`;
  return { uri, name: at === 0 ? 'workspace' : (parts.findLast((part) => part !== '') ?? folder) };
}
