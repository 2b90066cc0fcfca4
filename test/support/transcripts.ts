// Transcripts as this and other writers of the layout leave them, for tests of what reads them.
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectKey } from '../../src/session/store/session-places.js';

/** Any line of a transcript. */
export type Line = Readonly<Record<string, unknown>>;

export interface TranscriptOptions {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly gitBranch?: string;
  /** Of the first line; each further one is a second later. */
  readonly startedAt?: number;
}

/** What a person typed. */
export function prompt(content: unknown, fields: Line = {}): Line {
  return { type: 'user', message: { role: 'user', content }, ...fields };
}

/** A reply of one text. */
export function answer(text: string, fields: Line = {}): Line {
  return { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] }, ...fields };
}

/** Messages get the fields of the conversation, each following the one before; other lines the id of the session. */
export function transcriptLines(lines: readonly Line[], options: TranscriptOptions = {}): Line[] {
  const { sessionId = randomUUID(), cwd = '/work', gitBranch = 'main', startedAt = 1_700_000_000_000 } = options;
  let parentUuid: string | null = null;
  return lines.map((line, index) => {
    if (line['type'] !== 'user' && line['type'] !== 'assistant') return { ...line, sessionId };
    const uuid: string = typeof line['uuid'] === 'string' ? line['uuid'] : randomUUID();
    const entry = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version: '1.0.0',
      gitBranch,
      timestamp: new Date(startedAt + index * 1_000).toISOString(),
      ...line,
      uuid,
    };
    parentUuid = uuid;
    return entry;
  });
}

export function toText(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Writes a session into a home. @returns its id and its file */
export async function writeSession(
  home: string,
  lines: readonly Line[],
  options: TranscriptOptions = {},
): Promise<{ sessionId: string; file: string; lines: Line[] }> {
  const sessionId = options.sessionId ?? randomUUID();
  const folder = path.join(home, 'projects', projectKey(options.cwd ?? '/work'));
  const file = path.join(folder, `${sessionId}.jsonl`);
  const written = transcriptLines(lines, { ...options, sessionId });
  await mkdir(folder, { recursive: true });
  await writeFile(file, toText(written));
  return { sessionId, file, lines: written };
}
