// What a command wanted and was refused, found in what it printed: nothing else tells. Pure. Rule: a refusal is told only
// if the policy is what refuses it.

import path from 'node:path';
import { isWithin } from '../host/is-inside.js';
import type { SandboxViolation } from './command-sandbox.js';
import { kindAt, type Mount } from './mount-plan.js';

export interface ViolationPlace {
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  /** True if nothing is let out. */
  readonly isOffline: boolean;
  readonly blocksSockets: boolean;
}

/** A command that prints thousands of refusals says the same with each. */
const MAX_TOLD = 8;
const MAX_LINE = 2_000;
const REFUSALS =
  /read-only file system|permission denied|operation not permitted|device or resource busy|\bEROFS\b|\bEACCES\b|\bEPERM\b|\bEBUSY\b/i;
const BEFORE_REFUSAL = /([^\s:]+): (?:read-only file system|permission denied|operation not permitted)/i;
const WRITE_ONLY = /read-only file system|\bEROFS\b/i;
const NETWORK =
  /could not resolve (?:host|proxy)|(?:temporary failure in )?name resolution|network is unreachable|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|getaddrinfo/i;
const HOST =
  /(?:host(?:name)?:?|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|resolve) ['"]?([a-z0-9][a-z0-9.-]*\.[a-z]{2,}|localhost)/i;
const SOCKET = /\bsocket\b.*operation not permitted|operation not permitted.*\bsocket\b|\bdocker\b.*\bsock\b/i;

export function findViolations(printed: string, place: ViolationPlace): SandboxViolation[] {
  const found = new Map<string, SandboxViolation>();
  for (const line of printed.split('\n')) {
    const violation = ofLine(line.slice(0, MAX_LINE), place);
    if (violation !== null) found.set(`${violation.kind} ${violation.target}`, violation);
    if (found.size >= MAX_TOLD) break;
  }
  return [...found.values()];
}

function ofLine(line: string, place: ViolationPlace): SandboxViolation | null {
  if (place.blocksSockets && SOCKET.test(line)) {
    return { kind: 'socket', target: '', message: 'Unix sockets cannot be opened in the sandbox.' };
  }
  if (place.isOffline && NETWORK.test(line)) {
    const target = HOST.exec(line)?.[1] ?? '';
    const where = target === '' ? 'the network' : target;
    return { kind: 'network', target, message: `There is no way to ${where} from the sandbox.` };
  }
  if (!REFUSALS.test(line)) return null;
  for (const target of pathsIn(line, place.cwd)) {
    const kind = kindAt(place.mounts, target);
    if (kind === 'hidden') return { kind: 'file', target, message: `${target} cannot be read in the sandbox.` };
    const isGuarded = kind === 'read' && (WRITE_ONLY.test(line) || isMountPoint(place.mounts, target));
    if (isGuarded) return { kind: 'file', target, message: `${target} cannot be written in the sandbox.` };
  }
  return WRITE_ONLY.test(line)
    ? { kind: 'file', target: '', message: 'A file that cannot be written in the sandbox.' }
    : null;
}

function isMountPoint(mounts: readonly Mount[], target: string): boolean {
  return mounts.some((mount) => mount.kind === 'read' && isWithin(mount.path, target));
}

/** What of a line may be a path, the likeliest first: what is quoted, then what stands just before the refusal. */
function pathsIn(line: string, cwd: string): string[] {
  const quoted = [...line.matchAll(/['"‘`]([^'"‘’`]+)['"’`]/g)].map((match) => match[1] ?? '');
  const words = line.split(/[\s:,()[\]]+/).map((word) => word.replace(/^['"‘]+|['"’.]+$/g, ''));
  const before = BEFORE_REFUSAL.exec(line)?.[1] ?? '';
  return [...quoted.reverse(), before, ...words.reverse()]
    .filter(
      (word) =>
        word !== '' &&
        !word.includes('\0') &&
        (word.includes('/') || word.includes('.') || word === before || quoted.includes(word)),
    )
    .map((word) => path.resolve(cwd, word));
}

/** @param patterns a path covers what lies in it; `*` stands for anything */
export function isIgnored(
  violation: SandboxViolation,
  patterns: { file: readonly string[]; network: readonly string[] },
): boolean {
  const list = violation.kind === 'file' ? patterns.file : patterns.network;
  return list.some((pattern) => covers(pattern, violation.target));
}

function covers(pattern: string, target: string): boolean {
  if (pattern === '*') return true;
  if (pattern === '' || target === '') return false;
  if (!pattern.includes('*'))
    return target === pattern || target.startsWith(pattern.endsWith('/') ? pattern : `${pattern}/`);
  const parts = pattern.split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!target.startsWith(first) || !target.endsWith(last) || target.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const next = target.indexOf(part, at);
    if (next === -1) return false;
    at = next + part.length;
  }
  return at <= target.length - last.length;
}
