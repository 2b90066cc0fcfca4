// Names and ids in a form that an API takes: what is valid passes as it is, what is not gets a short name of its own.
// Rule: one name on the wire belongs to one name here, as long as the provider lives.

export interface WireNames {
  /** Contract: equal for equal names, and never equal for two. */
  toWire(name: string): string;
  /** The name that was given for one on the wire; the same text if none was. */
  fromWire(name: string): string;
}

const HASH_LENGTH = 10;

/** @param maxLength longest name the API takes, at least 16 */
export function createWireNames(maxLength: number): WireNames {
  const wire = new Map<string, string>();
  const names = new Map<string, string>();
  return {
    toWire(name) {
      const known = wire.get(name);
      if (known !== undefined) return known;
      let candidate = isValid(name, maxLength) ? name : shortName(name, name, maxLength);
      for (let n = 2; names.has(candidate); n++) candidate = shortName(name, `${n} ${name}`, maxLength);
      wire.set(name, candidate);
      names.set(candidate, name);
      return candidate;
    },
    fromWire: (name) => names.get(name) ?? name,
  };
}

/** An id in the form the API takes; deterministic, so that a call and its result agree. */
export function wireId(id: string, maxLength: number): string {
  return isValid(id, maxLength) ? id : shortName(id, id, maxLength);
}

function isValid(name: string, maxLength: number): boolean {
  return name.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(name);
}

function shortName(name: string, hashed: string, maxLength: number): string {
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxLength - HASH_LENGTH - 1);
  return `${readable}_${shortHash(hashed)}`;
}

/** Ten letters and digits that tell texts apart: two FNV-1a hashes with different starts. */
export function shortHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  const digits = (a >>> 0).toString(36).padStart(7, '0') + (b >>> 0).toString(36).padStart(7, '0');
  return digits.slice(-HASH_LENGTH);
}

// Ids of tool calls that are valid and never come twice, whatever a server sends: none, the same one for each turn, or a
// path. Rule: an id that is good is kept.

/** Longest id that every API of this engine takes. */
const MAX_LENGTH = 64;

export interface CallIds {
  /** Tells of an id that the conversation holds. */
  note(id: string): void;
  /** An id for a new call: the server's, if it is valid and was not there before. */
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
