// Instructions for what a conversation comes to: when a file of a folder is touched for the first time, the instruction files
// of that folder and the rules for that file. Loaded with the first file that is touched. One rule: each is told once for
// as long as the conversation holds it.

import path from 'node:path';
import {
  filesOf,
  type InstructionFile,
  type InstructionSources,
  type Instructions,
  matchesRule,
  readNested,
  thatAreThere,
} from '../../context/instructions/index.js';
import type { PinRoom } from '../../engine/compaction/index.js';
import { instructionsNote, readInstructionsNote } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { isInside, pathBelow } from '../../host/is-inside.js';
import type { MessageParam, UserBlock } from '../../protocol/content.js';
import type { LaterInstructions } from './touched-files.js';

export interface AddRequest {
  readonly host: Pick<Host, 'fs' | 'platform'>;
  /** Absolute. */
  readonly cwd: string;
  /** Workspace folders, absolute. */
  readonly roots: readonly string[];
  readonly sources: InstructionSources;
  /** What the session began with. */
  readonly known: Instructions;
  readonly isHidden: ((file: string) => boolean) | undefined;
  readonly later: LaterInstructions;
  readonly conversation: readonly MessageParam[];
}

export interface AddedInstructions {
  readonly texts: readonly string[];
  /** With the file that was touched. */
  readonly files: readonly { readonly file: InstructionFile; readonly trigger: string }[];
  /** To be called with the message that takes the texts along. */
  told(by: MessageParam): void;
}

/** Null if nothing is new. @param touched absolute, links resolved */
export async function addInstructions(
  touched: readonly string[],
  request: AddRequest,
): Promise<AddedInstructions | null> {
  const found: { file: InstructionFile; scope: string; trigger: string }[] = [];
  for (const trigger of touched) {
    for (const folder of foldersTo(trigger, request)) {
      const files = await filesIn(folder, request);
      found.push(...files.map((file) => ({ file, scope: `${shown(folder, request)}/`, trigger })));
    }
    for (const { rule, base, files } of request.known.waiting) {
      const below = pathBelow(base, trigger)?.split(path.sep).join('/');
      if (below === undefined || !matchesRule(rule, below)) continue;
      found.push(...files.map((file) => ({ file, scope: rule.globs.join(', '), trigger })));
    }
  }
  const fresh = withoutTold(found, request);
  if (fresh.length === 0) return null;
  const { later } = request;
  return {
    texts: fresh.map(({ file, scope }) => instructionsNote(file.source, scope, file.text)),
    files: fresh.map(({ file, trigger }) => ({ file, trigger })),
    told(by) {
      for (const { file } of fresh) later.told.set(file.source, by);
    },
  };
}

/** Folders from the workspace down to the file that the session did not begin with, the farthest first. */
function foldersTo(file: string, { roots, known: { folders }, later }: AddRequest): readonly string[] {
  const top = folders.at(-1);
  const bounds = [...(top === undefined ? [] : [top]), ...roots].filter((root) => isInside(root, file));
  const found: string[] = [];
  for (let folder = path.dirname(file); bounds.some((root) => isInside(root, folder)); folder = path.dirname(folder)) {
    if (folders.includes(folder)) break;
    if (!later.bare.has(folder)) found.unshift(folder);
    if (path.dirname(folder) === folder) break;
  }
  return found;
}

async function filesIn(folder: string, request: AddRequest): Promise<readonly InstructionFile[]> {
  const { host, cwd, sources, isHidden, later } = request;
  const { folders } = request.known;
  const { project = true, local = true } = sources;
  const possible = [...(project ? filesOf(folder, 'Project') : []), ...(local ? filesOf(folder, 'Local') : [])];
  const places = await thatAreThere(host.fs, possible);
  if (places.length === 0) {
    later.bare.add(folder);
    return [];
  }
  return (await readNested(places, { host, cwd, folders, sources, isHidden })).files;
}

function withoutTold<Found extends { readonly file: InstructionFile }>(
  found: readonly Found[],
  { known, later, conversation }: AddRequest,
): readonly Found[] {
  let notes: ReturnType<typeof instructionNotes> | null = null;
  const isTold = ({ source }: InstructionFile): boolean => {
    const by = later.told.get(source);
    if (by !== undefined && conversation.includes(by)) return true;
    // After a resume or a compaction the conversation itself says it.
    notes ??= instructionNotes(conversation);
    const now = notes.get(source)?.by;
    if (now !== undefined) later.told.set(source, now);
    return now !== undefined;
  };
  const sources = new Set<string>();
  return found.filter(({ file }) => {
    if (sources.has(file.source) || known.files.some((each) => each.file === file.file) || isTold(file)) return false;
    sources.add(file.source);
    return true;
  });
}

function shown(folder: string, { known: { folders }, cwd }: AddRequest): string {
  const relative = path.relative(folders[0] ?? cwd, folder);
  return relative === '' || path.isAbsolute(relative) ? folder : relative;
}

// Instructions that came beside tool results, so that a compaction keeps them. One rule: the conversation alone says which
// they are, so it is the same after a resume.

/** Each text as it was told last. If they are longer than fits, those that were told last stay, and the others are named. */
export function pinnedInstructions(
  conversation: readonly MessageParam[],
  { maxTokens, estimator }: PinRoom,
): readonly string[] {
  const texts = [...instructionNotes(conversation)].reverse();
  const kept: string[] = [];
  const left: string[] = [];
  let room = maxTokens;
  for (const [source, { text }] of texts) {
    const tokens = estimator.text(text);
    if (tokens > room) left.unshift(source);
    else {
      kept.unshift(text);
      room -= tokens;
    }
  }
  if (left.length === 0) return kept;
  return [
    ...kept,
    `Instruction files that hold for folders you worked in, and whose texts are too long to be kept: ${left.join(', ')}. Read them before you go on there.`,
  ];
}

/** By source, in the order they were told: the text, and the message that has it. */
function instructionNotes(
  conversation: readonly MessageParam[],
): ReadonlyMap<string, { readonly text: string; readonly by: MessageParam }> {
  const found = new Map<string, { readonly text: string; readonly by: MessageParam }>();
  for (const by of conversation) {
    // What a resumed conversation holds may have any shape.
    if (by.role !== 'user' || !Array.isArray(by.content)) continue;
    for (const block of by.content as readonly (UserBlock | null)[]) {
      if (block?.type !== 'text' || typeof block.text !== 'string') continue;
      const source = readInstructionsNote(block.text);
      if (source === null) continue;
      found.delete(source);
      found.set(source, { text: block.text, by });
    }
  }
  return found;
}
