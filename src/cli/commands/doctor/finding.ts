// What is found by a look at one part of a set-up. Types, and the words to make them with.
import type { Host } from '../../../host/host.js';
import type { CliIo } from '../../cli-io.js';

/** `warning`: it works, and perhaps not as it is meant. `problem`: something does not work. */
export type Level = 'ok' | 'warning' | 'problem';

export interface Finding {
  readonly level: Level;
  /** A sentence. */
  readonly text: string;
  /** What to do. */
  readonly advice?: string;
}

export interface Place {
  readonly host: Host;
  /** Absolute. */
  readonly cwd: string;
  readonly io: CliIo;
  /** Everything is listed, however much there is. */
  readonly isWhole?: boolean;
  /** Somebody asked for a look over the network. */
  readonly isOnline: boolean;
}

export interface Part {
  /** For programs. */
  readonly name: string;
  readonly title: string;
  /** Contract: stops what it started when `signal` is aborted. What it throws becomes a finding. */
  look(place: Place, signal: AbortSignal): Promise<readonly Finding[]>;
}

export interface LookedAt extends Pick<Part, 'name' | 'title'> {
  readonly findings: readonly Finding[];
}

export function ok(text: string): Finding {
  return { level: 'ok', text };
}

export function warning(text: string, advice?: string): Finding {
  return { level: 'warning', text, ...(advice === undefined ? {} : { advice }) };
}

export function problem(text: string, advice?: string): Finding {
  return { level: 'problem', text, ...(advice === undefined ? {} : { advice }) };
}

/** Findings of one kind that are told one by one; of the others how many there are. */
const MOST = 12;

/** The first of many, and how many more there are. */
export function firstOf(findings: readonly Finding[], more: string): Finding[] {
  if (findings.length <= MOST) return [...findings];
  return [...findings.slice(0, MOST), warning(`${findings.length - MOST} more like these.`, more)];
}
