// What a Chat Completions server wants back of a reply beside its text and calls, as the payload of sealed thinking.
// Rule: it goes back to the server and the model it came from, byte for byte, and to nobody else.
import { openReasoning, sealReasoning } from '../contract/index.js';

const API = 'openai-chat';

export interface Carried {
  /** Which server, by the provider's id, and which model. */
  readonly server: string;
  readonly model: string;
  /** OpenRouter's list of reasoning, opaque. */
  readonly details?: readonly unknown[];
  /** `extra_content` of calls, by their ids: Google keeps signatures of thoughts there. */
  readonly extra?: readonly (readonly [id: string, content: unknown])[];
}

export function sealCarried(carried: Carried): string {
  return sealReasoning(API, JSON.stringify(carried));
}

/** Null for thinking of another API, server or model. */
export function openCarried(signature: string | undefined, server: string, model: string): Carried | null {
  const payload = openReasoning(API, signature);
  if (payload === null) return null;
  try {
    const carried = JSON.parse(payload) as Partial<Carried> | null;
    const isOwn = carried?.server === server && carried.model === model;
    return isOwn ? (carried as Carried) : null;
  } catch {
    return null; // a signature that only looks like ours: nothing of it is sent
  }
}
