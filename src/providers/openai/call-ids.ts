// Ids of tool calls that are valid and never come twice, whatever a server sends: none, the same one for each turn, or a
// path. Rule: an id that is good is kept.
import { shortHash } from './wire-names.js';

/** Longest id that every API of this engine takes. */
const MAX_LENGTH = 64;

export interface CallIds {
  /** Tells of an id that the conversation holds. */
  note(id: string): void;
  /** An id for a new call: the server's, where it is valid and was not there before. */
  claim(wanted: string | null): string;
}

/** One per provider: what it has sent and received. */
export function createCallIds(): CallIds {
  /** Each id, with how often it was asked for. */
  const seen = new Map<string, number>();
  return {
    note(id) {
      if (!seen.has(id)) seen.set(id, 1);
    },
    claim(wanted) {
      const base = validId(wanted);
      for (;;) {
        const times = (seen.get(base) ?? 0) + 1;
        seen.set(base, times);
        if (times === 1) return base;
        const next = `${base.slice(0, MAX_LENGTH - 8)}_${times}`;
        if (seen.has(next)) continue;
        seen.set(next, 1);
        return next;
      }
    },
  };
}

function validId(wanted: string | null): string {
  if (wanted === null || wanted === '') return 'call';
  if (wanted.length <= MAX_LENGTH && /^[a-zA-Z0-9_-]+$/.test(wanted)) return wanted;
  return `${wanted.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_LENGTH - 11)}_${shortHash(wanted)}`;
}
