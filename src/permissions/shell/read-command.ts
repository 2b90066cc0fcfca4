// Command lines are not read yet: nothing can be told of one, so no rule about a part of it allows it.
import type { CommandReading } from './command-reading.js';

/** Contract: pure; never throws. */
export function readCommand(_command: string, _place: { cwd: string; home: string | null }): CommandReading {
  return { unknown: 'command lines are not read in this version', programs: [], files: [] };
}
