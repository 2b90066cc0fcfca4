// What a set of rules makes of a command, at the level of programs: no paths, no modes.
import {
  allowsRun,
  mayRestrictRun,
  parseCommandPattern,
  restrictsRun,
} from '../../../src/permissions/command-pattern.js';
import type { CommandReading, FileUse } from '../../../src/permissions/shell/command-reading.js';
import { readCommand } from '../../../src/permissions/shell/read-command.js';

export const PLACE = { cwd: '/w', home: '/home/u' };

/** `asked`: not all of it is allowed. `denied`: a rule names one of its programs, or may name it. */
export type Outcome = 'allowed' | 'asked' | 'denied';

export interface Rules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

export function judge(reading: CommandReading, { allow = [], deny = [] }: Rules): Outcome {
  const denying = deny.map((content) => parseCommandPattern(content));
  const allowing = allow.map((content) => parseCommandPattern(content));
  if (reading.programs.some((run) => denying.some((pattern) => restrictsRun(pattern, run)))) return 'denied';
  if (reading.programs.some((run) => denying.some((pattern) => mayRestrictRun(pattern, run)))) return 'asked';
  const all = reading.programs.every((run) => run.readOnly || allowing.some((pattern) => allowsRun(pattern, run)));
  return all ? 'allowed' : 'asked';
}

export function judgeCommand(command: string, rules: Rules): Outcome {
  return judge(readCommand(command, PLACE), rules);
}

/** `write /w/out`, `read ?` for one that is not known, `read src/* in /w` for a glob. */
export function describeFiles(use: FileUse): readonly string[] {
  const inside = (use.into ?? []).map((name) => describeFile({ ...use, path: `${use.path}/${name}` }));
  return [describeFile(use), ...inside];
}

export function describeFile({ access, path, within, base }: FileUse): string {
  if (path === null) return `${access} ${within === null ? '?' : `${within}/* in ${base ?? '?'}`}`;
  return `${access} ${path.startsWith('/') ? path : `${base === '/' ? '' : (base ?? '?')}/${path}`}`;
}
