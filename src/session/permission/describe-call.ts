// What a call would do, in one sentence for whoever is asked about it: what it starts and which files it touches, with
// nothing left out that its input hides.
import type { PermissionCall, TouchedFile } from '../../permissions/permission-call.js';
import { count, shorten } from '../../util/text.js';
import { readAddress } from '../../util/web-address.js';

const MAX_NAMES = 12;
const MAX_LENGTH = 600;

/** @returns '' where its title says all there is */
export function describeCall({ subject, toolName }: Pick<PermissionCall, 'subject' | 'toolName'>): string {
  switch (subject.kind) {
    case 'command': {
      const { reading, files = [] } = subject;
      if (reading === undefined) return '';
      const names = reading.programs.map((run) => run.name ?? 'a program that cannot be told');
      const parts = [
        names.length === 0 ? '' : `Starts ${list(names)}.`,
        ...(['write', 'remove', 'read'] as const).map((access) => filesOf(files, access)),
        reading.unknown === null ? '' : `Not all of it can be told: ${reading.unknown}.`,
      ];
      return shorten(parts.filter((part) => part !== '').join(' '), MAX_LENGTH);
    }
    case 'path': {
      const verb = subject.access === 'read' ? 'Reads' : 'Changes';
      const led = subject.realPath === subject.path ? '' : `, which leads to ${subject.realPath}`;
      return shorten(`${verb} ${subject.path}${led}.`, MAX_LENGTH);
    }
    case 'url': {
      const address = readAddress(subject.url);
      const rule =
        address.kind === 'address' ? ` The rule that allows its host: ${toolName}(domain:${address.host}).` : '';
      return `${shorten(`Connects to ${subject.url}`, MAX_LENGTH)}.${rule}`;
    }
    case 'none':
    case 'external':
    case 'name':
      return '';
    default:
      return subject satisfies never;
  }
}

const VERBS = { read: 'Reads', write: 'Writes', remove: 'Removes' } as const;

function filesOf(files: readonly TouchedFile[], access: TouchedFile['access']): string {
  const paths = files.filter((file) => file.access === access).map((file) => file.path ?? 'a file that cannot be told');
  return paths.length === 0 ? '' : `${VERBS[access]} ${list(paths)}.`;
}

function list(names: readonly string[]): string {
  const all = [...new Set(names)];
  const rest = all.length - MAX_NAMES;
  return rest > 0 ? `${all.slice(0, MAX_NAMES).join(', ')} and ${count(rest, 'other', 'others')}` : all.join(', ');
}
