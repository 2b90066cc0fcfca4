// A reasoning item of the Responses API as the payload of sealed thinking. Rule: it goes back to the server and the model it
// came from, as it came, and to nobody else; without its encrypted content it does not go back at all, because nothing of
// a response is stored there.
import { openReasoning, sealReasoning } from '../contract/index.js';

const API = 'openai-responses';

export interface CarriedItem {
  /** Which server, by the provider's id, and which model. */
  readonly server: string;
  readonly model: string;
  readonly id?: string;
  readonly encrypted?: string;
  /** Lengths of the parts of the summary, if there are several. Between them stands an empty line. */
  readonly parts?: readonly number[];
}

/** Between two parts of a summary. */
export const PART_BREAK = '\n\n';

export function sealItem(item: CarriedItem): string {
  return sealReasoning(API, JSON.stringify(item));
}

/** The item as the API wants it back; null for thinking of another API, server or model, or without content. */
export function openItem(
  thinking: string,
  signature: string | undefined,
  server: string,
  model: string,
): Readonly<Record<string, unknown>> | null {
  const payload = openReasoning(API, signature);
  const item = payload === null ? null : parse(payload);
  if (item === null || item.server !== server || item.model !== model || typeof item.encrypted !== 'string')
    return null;
  return {
    type: 'reasoning',
    ...(typeof item.id === 'string' ? { id: item.id } : {}),
    summary: splitSummary(thinking, item.parts).map((text) => ({ type: 'summary_text', text })),
    encrypted_content: item.encrypted,
  };
}

function splitSummary(thinking: string, lengths: readonly number[] | undefined): string[] {
  if (thinking === '') return [];
  const known = Array.isArray(lengths) ? lengths : [];
  const whole = known.reduce((sum, length) => sum + length, 0) + PART_BREAK.length * Math.max(0, known.length - 1);
  if (known.length < 2 || whole !== thinking.length) return [thinking];
  let at = 0;
  return known.map((length) => {
    const part = thinking.slice(at, at + length);
    at += length + PART_BREAK.length;
    return part;
  });
}

function parse(payload: string): CarriedItem | null {
  try {
    return JSON.parse(payload) as CarriedItem | null;
  } catch {
    return null; // a signature that only looks like ours: nothing of it is sent
  }
}
