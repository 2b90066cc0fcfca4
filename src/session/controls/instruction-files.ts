// Instruction files of a session: which were loaded and which were not, and a note that is added to one. One rule: what is
// written is the user's own words, at the end of a file that stays as it is.
import path from 'node:path';
import {
  type InstructionFile,
  type Instructions,
  LOCAL_FILES,
  PROJECT_FILES,
} from '../../context/instructions/index.js';
import { createTokenEstimator } from '../../engine/tokens/index.js';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { instructionsNow, systemPrompt } from '../prompt/index.js';
import { homeFolder } from '../store/index.js';

export type NoteScope = 'project' | 'local' | 'user';

export interface SessionInstructions {
  readonly files: readonly (Pick<InstructionFile, 'source' | 'file' | 'type' | 'reason'> & {
    /** What its text takes of a context, about. */
    readonly tokens: number;
  })[];
  /** Files that were told later, by source. */
  readonly later: readonly string[];
  /** Rules that wait for a file, with their patterns. */
  readonly waiting: readonly { readonly source: string; readonly globs: readonly string[] }[];
  readonly leftOut: Instructions['leftOut'];
}

export async function instructionFiles(session: Session, runtime: SessionRuntime): Promise<SessionInstructions> {
  const { memory } = session;
  const loaded =
    memory.loadedInstructions ?? (await systemPrompt(session, runtime, instructionsNow)).parts.instructions;
  const estimator = createTokenEstimator();
  return {
    files: loaded.files.map(({ source, file, type, reason, text }) => ({
      source,
      file,
      type,
      reason,
      tokens: estimator.text(text),
    })),
    later: [...(memory.laterInstructions?.told.keys() ?? [])],
    waiting: loaded.waiting.flatMap(({ rule, files }) => {
      const source = files.at(-1)?.source;
      return source === undefined ? [] : [{ source, globs: rule.globs }];
    }),
    leftOut: loaded.leftOut,
  };
}

const MAX_NOTE = 10_000;

/** @returns the absolute file that the note stands in now. @throws ConfigError for a note that is none; FileError */
export async function addNote({ host, config }: Session, scope: NoteScope, note: string): Promise<string> {
  const text = note.trim();
  if (text === '' || text.length > MAX_NOTE)
    throw new ConfigError(`A note has 1 to ${MAX_NOTE.toLocaleString('en-US')} characters.`);
  const folder = scope === 'user' ? homeFolder(host, { ...host.env, ...config.env }) : config.cwd;
  const names = scope === 'local' ? LOCAL_FILES : PROJECT_FILES.slice(0, 2);
  const files = names.map((name) => path.join(folder, name));
  const stats = await host.fs.lstatAll(files);
  const file = files.find((_, at) => stats[at] != null) ?? files[0] ?? folder;
  const before = await readWhole(host, file);
  const line = text.includes('\n') ? text : `- ${text}`;
  const gap = before === '' ? '' : before.endsWith('\n') ? '' : '\n';
  if (scope === 'user') await host.fs.mkdir(folder, { mode: 0o700 });
  await host.fs.writeFileAtomic(file, `${before}${gap}${line}\n`);
  return file;
}

async function readWhole({ fs }: Pick<Host, 'fs'>, file: string): Promise<string> {
  try {
    const handle = await fs.openRead(file);
    try {
      const { size } = await handle.stat();
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await handle.read(0, size));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return '';
    if (error instanceof TypeError) throw new ConfigError(`${file} is not UTF-8 text, so nothing is added to it.`);
    throw error;
  }
}
