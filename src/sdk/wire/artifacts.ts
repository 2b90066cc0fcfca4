// The files that a session's own tools changed, told as one published client wants them: the whole list whenever it is another.
// What commands and other programs change is not in it.
import path from 'node:path';
import { isInside } from '../../host/is-inside.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { isRecord } from '../../util/json.js';

export interface ChangedArtifact {
  readonly kind: 'changed';
  readonly path: string;
  /** From the folder of the session, if it is in there. */
  readonly display_path: string;
  readonly relative_path?: string;
  readonly name: string;
  /** Lines, edit by edit: one that was written twice counts twice. */
  readonly additions: number;
  readonly deletions: number;
  /** The session made it. */
  readonly is_new: boolean;
}

interface Lines {
  readonly added: number;
  readonly removed: number;
  readonly isNew: boolean;
}

/** @returns called with each message of a session; what it gives is the list as it is from then on, null if it is the same */
export function createArtifactList(): (message: SDKMessage) => readonly ChangedArtifact[] | null {
  const found = new Map<string, ChangedArtifact>();
  const calls = new Map<string, { readonly name: string; readonly input: unknown }>();
  let cwd = '';
  return (message) => {
    if (message.type === 'system' && message.subtype === 'init') cwd = message.cwd;
    if (message.type === 'assistant')
      for (const block of message.message.content) if (block.type === 'tool_use') calls.set(block.id, block);
    if (message.type !== 'user' || typeof message.message.content === 'string') return null;
    const results = message.message.content.filter((block) => block.type === 'tool_result');
    const [call] = results.flatMap(({ tool_use_id }) => calls.get(tool_use_id) ?? []);
    for (const { tool_use_id } of results) calls.delete(tool_use_id);
    const output = message.tool_use_result;
    if (call === undefined || !isRecord(output) || output['success'] !== true) return null;
    const file = output['file_path'] ?? output['notebook_path'];
    if (!CHANGE_FILES.has(call.name) || typeof file !== 'string') return null;
    const { added, removed, isNew } = linesOf(call.input, output);
    const before = found.get(file);
    found.set(file, {
      kind: 'changed',
      path: file,
      ...placeOf(file, cwd),
      name: path.basename(file),
      additions: (before?.additions ?? 0) + added,
      deletions: (before?.deletions ?? 0) + removed,
      is_new: before?.is_new ?? isNew,
    });
    return [...found.values()];
  };
}

const CHANGE_FILES: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit']);

function placeOf(file: string, cwd: string): { readonly display_path: string; readonly relative_path?: string } {
  if (cwd === '' || file === cwd || !isInside(cwd, file)) return { display_path: file };
  const relative = path.relative(cwd, file);
  return { display_path: relative, relative_path: relative };
}

function linesOf(input: unknown, output: Readonly<Record<string, unknown>>): Lines {
  const hunks = Array.isArray(output['structuredPatch']) ? output['structuredPatch'].filter(isRecord) : [];
  const lines = hunks.flatMap(({ lines: each }) => (Array.isArray(each) ? each.map(String) : []));
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  const { content } = isRecord(input) ? input : {};
  // A file that was made has no patch, and is what was asked for.
  if (output['created'] === true && typeof content === 'string')
    return { added: content === '' ? 0 : content.replace(/\n$/, '').split('\n').length, removed: 0, isNew: true };
  const isWhole = hunks.length === 1 && hunks[0]?.['oldLines'] === 0;
  return { added: count('+'), removed: count('-'), isNew: output['created'] === true || isWhole };
}
