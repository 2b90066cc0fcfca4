// What a call would really touch: its paths with every symbolic link resolved, and of a command what it would run,
// before anybody decides about it.
import path from 'node:path';
import type { Located } from '../../host/host.js';
import type { CallSubject } from '../../permissions/permission-call.js';
import type { ToolSubject } from '../../tools/tool.js';
import { DOORS } from '../doors.js';
import { locatedAt, markHooks, type SubjectPlace } from './subject-place.js';

/** What is decided about, and the very file or folder that the call may then open. */
export interface ResolvedCall {
  readonly subject: CallSubject;
  /** Null if the call names none. */
  readonly located: Located | null;
}

/**
 * Resolves the symbolic links of paths as far as they exist; what does not exist yet is taken as written.
 * @throws ToolError for a path of a file tool that cannot be resolved
 */
export async function resolveCall(subject: ToolSubject, place: SubjectPlace): Promise<ResolvedCall> {
  if (subject.kind === 'command') {
    const { commandSubject } = await DOORS.commands();
    return { subject: await commandSubject(subject, place), located: null };
  }
  if (subject.kind !== 'path') return { subject, located: null };
  const located = await locatedAt(path.resolve(subject.path), place.host.fs);
  const { path: written, realPath, stat } = located;
  // A tool that writes makes a file if there is nothing.
  const isFile = stat === null ? subject.access === 'write' : stat.kind === 'file';
  const named = { ...subject, path: written, realPath, ...(isFile ? { isFile } : {}) };
  if (subject.access === 'read') return { subject: named, located };
  const [marked = named] = await markHooks([named], place);
  return { subject: marked, located };
}

/** As `resolveCall`, for who only decides. */
export async function resolveSubject(subject: ToolSubject, place: SubjectPlace): Promise<CallSubject> {
  return (await resolveCall(subject, place)).subject;
}
