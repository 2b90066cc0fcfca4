// What Edit and Write do: an exact piece of a file is replaced, or all of it, in one step, and what changed is shown as a diff. One
// rule: only what is proven to be meant is changed, in the version of the file that the model knows; all else stays as it was.
import type { Located } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type {
  FileEditInput,
  FileEditOutput,
  FileWriteInput,
  FileWriteOutput,
  StructuredPatchHunk,
} from '../../protocol/tool-io.js';
import { countLines, endOfLine, lineNumberAt, startOfLine } from '../../util/lines.js';
import { count, cutAtWord, formatBytes, shorten, toWellFormed } from '../../util/text.js';
import { decodeText, detectBinary, type EncodingInfo, encodeText, findUnencodable } from '../../util/text-file.js';
import { loadComparison } from '../bodies.js';
import {
  locateFile,
  notSeen,
  putIntoFile,
  readSnapshot,
  rememberWritten,
  requireNotAborted,
  requireRegularFile,
  requireSeen,
  resolveToolPath,
  storeEdited,
  WHOLE_FILE_BYTES,
  withFileErrors,
} from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import { explainMismatch } from './explain-mismatch.js';

const MAX_MATCHES = 1_000_000;
const MATCHES_LISTED = 10;
const SNIPPET_CONTEXT = 3;
const SNIPPET_LINES = 40;
const SNIPPET_LINE_CHARACTERS = 500;

export async function editFile(input: FileEditInput, context: ToolContext): Promise<ToolOutcome<FileEditOutput>> {
  const path = resolveToolPath(input.file_path, context);
  try {
    return await changeFile(input, path, context);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const data: FileEditOutput = { success: false, file_path: path, error: error.message };
    throw new ToolError(error.message, data);
  }
}

async function changeFile(
  input: FileEditInput,
  path: string,
  context: ToolContext,
): Promise<ToolOutcome<FileEditOutput>> {
  if (input.old_string === input.new_string) {
    throw new ToolError('old_string and new_string are the same, so there is nothing to change.');
  }
  const located = await withFileErrors(context, 'read', path, () => locateFile(context, path));
  if (input.old_string === '' && located.stat === null) {
    return createFile(await putIntoFile(input.new_string, '', context), path, located, context);
  }
  const snapshot = await readSnapshot(context, path, located);
  const binary = detectBinary(snapshot.bytes);
  if (binary !== null) {
    const size = formatBytes(snapshot.bytes.length);
    throw new ToolError(`${path} is not text: ${binary.name}, ${size}. Edit changes text files only.`);
  }
  requireSeen(context, snapshot, path);
  const decoded = decodeText(snapshot.bytes);
  const file = toSearchText(decoded.text);
  const before = await putIntoFile(input.old_string, decoded.text, context);
  const given = toReplacement(file, before, await putIntoFile(input.new_string, decoded.text, context));
  const { offsets, replacement, note } = await findPlaces(file, given, input, path);
  requireFits(decoded.text, replacement, offsets.length, path);
  const after = replaceAt(file, offsets, replacement);
  await storeEdited(encode(after, decoded, path), snapshot, path, context);
  return {
    model: `Replaced ${count(offsets.length, 'occurrence')} in ${path}.${note}\n${snippet(decoded.text, after)}`,
    data: { success: true, file_path: path, ...(await describeChange(path, decoded.text, after)) },
  };
}

/** The places to replace, ascending, and what goes there. */
interface Places {
  readonly offsets: readonly number[];
  readonly replacement: Replacement;
  /** What the model should know of it; '' for nothing. */
  readonly note: string;
}

async function createFile(
  content: string,
  path: string,
  located: Located,
  context: ToolContext,
): Promise<ToolOutcome<FileEditOutput>> {
  const bytes = encode(content, { encoding: 'utf-8', bom: false }, path);
  requireNotAborted(context.signal);
  const written = await withFileErrors(context, 'write', path, () => context.host.fs.replaceLocated(located, bytes));
  await rememberWritten(context, located, bytes, written, null);
  return {
    model: `Created ${path} with ${count(countLines(content), 'line')}.`,
    data: { success: true, file_path: path, ...(await describeChange(path, '', content)) },
  };
}

/** @throws ToolError unless there is one place that is meant, or as many as were asked for */
async function findPlaces(
  file: SearchText,
  replacement: Replacement,
  input: FileEditInput,
  path: string,
): Promise<Places> {
  const { before, after } = replacement;
  const exactly = (offsets: readonly number[]): Places => ({ offsets, replacement, note: '' });
  if (before === '') {
    if (file.text === '') return exactly([0]);
    throw new ToolError(
      `${path} exists and is not empty, so an empty old_string does not say where to edit. Give the text to replace, or replace the whole file with Write.`,
    );
  }
  if (before === after) {
    throw new ToolError(
      'old_string and new_string differ in line endings only. Edit keeps the line endings of a file.',
    );
  }
  if (input.replace_all === true) {
    const all = findAll(file.text, before, MAX_MATCHES + 1, false);
    if (all.length > MAX_MATCHES) throw new ToolError(`old_string occurs more than ${MAX_MATCHES} times in ${path}.`);
    if (all.length > 0) return exactly(all);
  } else {
    const found = findAll(file.text, before, MAX_MATCHES, true);
    if (found.length > 1) throw new ToolError(describeMatches(file.text, found, path));
    if (found.length === 1) return exactly(found);
  }
  const { findNearMatch } = await loadComparison();
  const near = findNearMatch(file.text, before, after);
  if (near?.kind === 'one') {
    if (near.before === near.after)
      throw new ToolError(
        `old_string and new_string differ only in what ${path} has otherwise already (${near.difference}), so nothing was changed. Read the file, and give the text as it is there.`,
      );
    const note = ` old_string was found by all but ${near.difference}, which the file keeps: see below whether it is what you want.`;
    return { offsets: [near.offset], replacement: { before: near.before, after: near.after }, note };
  }
  if (near?.kind === 'several') throw new ToolError(describeNear(file.text, near.offsets, path));
  throw new ToolError(
    `old_string was not found in ${path}, so nothing was changed. ${explainMismatch(file.text, before)}`,
  );
}

function describeNear(text: string, offsets: readonly number[], path: string): string {
  const lines = offsets.map((at) => lineNumberAt(text, at)).join(' and ');
  return `old_string was not found in ${path} to the letter, so nothing was changed. Lines ${lines} differ from it only in quotes or white space, and perhaps more do. Give the exact text, with enough of the lines around the one you mean.`;
}

function describeMatches(text: string, found: readonly number[], path: string): string {
  const listed = found.slice(0, MATCHES_LISTED).map((at) => {
    const line = text.slice(startOfLine(text, at), endOfLine(text, at));
    return `line ${lineNumberAt(text, at)}: ${shorten(cutAtWord(line, 119), 120)}`;
  });
  const more = found.length > listed.length ? `\n… and ${found.length - listed.length} more` : '';
  return `old_string occurs ${found.length} times in ${path}, so nothing was changed. Add the lines around the one you mean, or set replace_all to change all of them.\n${listed.join('\n')}${more}`;
}

function requireFits(text: string, { before, after }: Replacement, matches: number, path: string): void {
  if (text.length + matches * (after.length - before.length) <= WHOLE_FILE_BYTES) return;
  throw new ToolError(`${path} would grow above ${formatBytes(WHOLE_FILE_BYTES)}. Use a command in Bash.`);
}

function encode(text: string, info: EncodingInfo, path: string): Uint8Array {
  const misfit = findUnencodable(text, info.encoding);
  if (misfit === null) return encodeText(text, info);
  const code = `U+${(misfit.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (info.encoding === 'utf-8') {
    throw new ToolError(
      `new_string holds half of a surrogate pair (${code}), which no file can hold. Give whole characters.`,
    );
  }
  throw new ToolError(
    `${path} is not UTF-8; it is edited as Latin-1, which has no ${misfit} (${code}). Use characters up to U+00FF, or convert the file to UTF-8 first.`,
  );
}

/** The changed lines of the new text with their numbers and three lines around; of a wide change, the first part. */
function snippet(before: string, after: string): string {
  const { start, end } = commonEnds(before, after);
  const from = startOfLine(after, start, SNIPPET_CONTEXT);
  const to = endOfLine(after, Math.max(start, after.length - end), SNIPPET_CONTEXT);
  const first = lineNumberAt(after, from);
  const shownTo = Math.min(to, endOfLine(after, from, SNIPPET_LINES - 1));
  const lines = after
    .slice(from, shownTo)
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
  const numbered = lines.map((line, index) => {
    const text =
      line.length <= SNIPPET_LINE_CHARACTERS ? line : `${toWellFormed(cutAtWord(line, SNIPPET_LINE_CHARACTERS))}…`;
    return `${String(first + index).padStart(6)}\t${text}`;
  });
  if (after === '') return 'The file is now empty.';
  return `The changed part now reads:\n${numbered.join('\n')}${shownTo < to ? '\n[more changed lines below]' : ''}`;
}

// Finds old_string in a file and puts new_string in its place. Line endings are the only thing allowed to differ; the
// file's own are kept, and what an edit does not change stays as it was, character for character.

/** A text with "\n" line breaks only, and the way back to the offsets of the original. */
interface SearchText {
  readonly raw: string;
  readonly text: string;
  /** Offsets in `text` of the line breaks that are "\r\n" in `raw`, ascending. */
  readonly crlfBreaks: readonly number[];
}

interface Replacement {
  readonly before: string;
  readonly after: string;
}

/** Prepares a file's text for searching. */
function toSearchText(raw: string): SearchText {
  const crlfBreaks: number[] = [];
  for (let at = raw.indexOf('\r\n'); at !== -1; at = raw.indexOf('\r\n', at + 2))
    crlfBreaks.push(at - crlfBreaks.length);
  return { raw, text: crlfBreaks.length === 0 ? raw : raw.replaceAll('\r\n', '\n'), crlfBreaks };
}

/**
 * Both strings as they are searched for and put in. If neither the file nor old_string has a "\r\n", new_string is
 * taken to the letter: a "\r\n" in it is meant.
 */
function toReplacement(file: SearchText, oldString: string, newString: string): Replacement {
  const isVerbatim = file.crlfBreaks.length === 0 && !oldString.includes('\r\n');
  return {
    before: oldString.replaceAll('\r\n', '\n'),
    after: isVerbatim ? newString : newString.replaceAll('\r\n', '\n'),
  };
}

/** Offsets of `wanted` in `text`, at most `limit`. `overlapping` also counts those inside one another. */
function findAll(text: string, wanted: string, limit: number, overlapping: boolean): number[] {
  const found: number[] = [];
  const step = overlapping ? 1 : wanted.length;
  for (let at = text.indexOf(wanted); at !== -1 && found.length < limit; at = text.indexOf(wanted, at + step)) {
    found.push(at);
  }
  return found;
}

/**
 * The file's text with `before` replaced at each of `offsets` (ascending, not overlapping). Only the part in which
 * `before` and `after` differ is written; new line breaks take the form of the line they are put into.
 */
function replaceAt(file: SearchText, offsets: readonly number[], { before, after }: Replacement): string {
  const { start, end } = commonEnds(before, after);
  const inserted = after.slice(start, after.length - end);
  const insertedCrlf = file.crlfBreaks.length === 0 ? inserted : inserted.replaceAll('\n', '\r\n');
  const pieces: string[] = [];
  let copied = 0;
  for (const offset of offsets) {
    const from = offset + start;
    const to = offset + before.length - end;
    pieces.push(file.raw.slice(copied, rawOffset(file, from)), isCrlfAt(file, from) ? insertedCrlf : inserted);
    copied = rawOffset(file, to);
  }
  pieces.push(file.raw.slice(copied));
  return pieces.join('');
}

function rawOffset(file: SearchText, offset: number): number {
  return offset + breaksBefore(file, offset);
}

/** Number of "\r\n" breaks before `offset`, by binary search. */
function breaksBefore({ crlfBreaks }: SearchText, offset: number): number {
  let low = 0;
  let high = crlfBreaks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((crlfBreaks[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The form of the line break that ends the line at `offset`, or else of the one before it. */
function isCrlfAt(file: SearchText, offset: number): boolean {
  if (file.crlfBreaks.length === 0) return false;
  const next = file.text.indexOf('\n', offset);
  const nearest = next !== -1 ? next : file.text.lastIndexOf('\n');
  return file.crlfBreaks[breaksBefore(file, nearest)] === nearest;
}

export async function writeFile(input: FileWriteInput, context: ToolContext): Promise<ToolOutcome<FileWriteOutput>> {
  const path = resolveToolPath(input.file_path, context);
  try {
    return await replaceContent(input.content, path, context);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const data: FileWriteOutput = { success: false, file_path: path, error: error.message };
    throw new ToolError(error.message, data);
  }
}

async function replaceContent(
  content: string,
  path: string,
  context: ToolContext,
): Promise<ToolOutcome<FileWriteOutput>> {
  if (findUnencodable(content, 'utf-8') !== null) {
    throw new ToolError('content holds half of a surrogate pair, which no file can hold. Give whole characters.');
  }
  const located = await withFileErrors(context, 'write', path, () => locateFile(context, path));
  const current = await currentContent(located, path, context);
  const holdsSecrets = context.secrets?.mayHoldPlaceholder(content) === true;
  const whole = holdsSecrets ? await putIntoFile(content, decodeText(current).text, context) : content;
  requireNotAborted(context.signal);
  const bytes = new TextEncoder().encode(whole);
  const written = await withFileErrors(context, 'write', path, () => context.host.fs.replaceLocated(located, bytes));
  await rememberWritten(context, located, bytes, written, null);
  const size = `${count(countLines(content), 'line')}, ${formatBytes(bytes.length)}`;
  return {
    model: `${located.stat === null ? 'Created' : 'Replaced the content of'} ${path} (${size}).`,
    data: {
      success: true,
      file_path: path,
      bytesWritten: bytes.length,
      ...(located.stat === null ? { created: true } : await changeOf(current, whole, path)),
    },
  };
}

/** Of a text; a picture has no lines. */
async function changeOf(
  before: Uint8Array,
  after: string,
  path: string,
): Promise<Pick<FileWriteOutput, 'structuredPatch'>> {
  if (detectBinary(before) !== null) return {};
  const { structuredPatch } = await describeChange(path, decodeText(before).text, after);
  return structuredPatch === undefined ? {} : { structuredPatch };
}

/** What the file holds; nothing if there is none. @throws ToolError if the model has not seen it */
async function currentContent(located: Located, path: string, context: ToolContext): Promise<Uint8Array> {
  if (located.stat === null) return new Uint8Array(0);
  requireRegularFile(located.stat, path);
  const isEmpty = located.stat.size === 0;
  // Said before it is read: it may be larger than what is read.
  if (!isEmpty && context.readFileCache.get(located.realPath) === undefined) throw new ToolError(notSeen(path));
  const snapshot = await readSnapshot(context, path, located);
  requireSeen(context, snapshot, path);
  return snapshot.bytes;
}

const CONTEXT_LINES = 3;
/** It blocks everything else in the process meanwhile. */
const TIMEOUT_MS = 200;
/** Characters of one side that are compared; a change spread wider gets no diff. */
const MAX_COMPARED = 2_000_000;
const MAX_SHOWN = 64_000;

/** The part two texts share at their start and at their end, in characters; the two never overlap. */
function commonEnds(before: string, after: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end += 1;
  }
  return { start, end };
}

/**
 * The change as a unified diff with three lines of context, and as its hunks; nothing if it is too large or takes too
 * long. A diff above 64,000 characters is cut at a line, with a mark, and has no hunks beside it.
 */
async function describeChange(
  path: string,
  before: string,
  after: string,
): Promise<{ diff?: string; structuredPatch?: StructuredPatchHunk[] }> {
  const { start, end } = commonEnds(before, after);
  const from = startOfLine(before, start, CONTEXT_LINES);
  const old = before.slice(from, endOfLine(before, before.length - end, CONTEXT_LINES));
  const now = after.slice(from, endOfLine(after, after.length - end, CONTEXT_LINES));
  if (Math.max(old.length, now.length) > MAX_COMPARED) return {};
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await loadComparison();
  const options = { context: CONTEXT_LINES, timeout: TIMEOUT_MS };
  const patch = structuredPatch(path, path, old, now, undefined, undefined, options);
  if (patch === undefined) return {};
  const linesAbove = lineNumberAt(before, from) - 1;
  for (const hunk of patch.hunks) {
    hunk.oldStart += linesAbove;
    hunk.newStart += linesAbove;
  }
  const diff = formatPatch(patch, FILE_HEADERS_ONLY);
  return diff.length <= MAX_SHOWN ? { diff, structuredPatch: patch.hunks } : { diff: cut(diff) };
}

function cut(diff: string): string {
  const end = diff.lastIndexOf('\n', MAX_SHOWN) + 1;
  return `${diff.slice(0, end)}[diff cut: ${diff.length - end} more characters]\n`;
}
