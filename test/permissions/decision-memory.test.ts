// What a decision about a command leaves to the collector. V8 collects young objects each 16 MB; the more a decision makes,
// the more decisions wait for that. Bytes are counted, so no busy machine changes them.
import path from 'node:path';
import { getHeapSpaceStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { decidePermission } from '../../src/permissions/decide.js';
import type { PermissionContext } from '../../src/permissions/permission-call.js';
import { parseRule } from '../../src/permissions/rule.js';
import { readCommand } from '../../src/permissions/shell/read-command.js';

/** The parts and the rules of `bench/deciding.mjs`: 45 programs in 1 kB. */
const LINE = [
  'git log --oneline -n 20 | grep fix',
  'npm run build && npm run test -- --watch=false',
  "sed -n '1,20p' src/index.ts > out.txt",
  'for file in src/*.ts; do wc -l "$file"; done',
  'find . -name "*.ts" -exec grep -l TODO {} +',
  'if [ -f package.json ]; then node -e "console.log(1)"; fi',
  'echo "$HOME" $(basename "$(pwd)") `whoami`',
  'cat <<EOF\nsome $(date) text\nEOF\n',
].join('; ');
const CONTEXT: PermissionContext = {
  mode: 'default',
  allow: ['Bash(npm run *)', 'Bash(git *)', 'Bash(cat *)', 'Read(//etc/**)', 'Edit(/src/**)'].map(parse),
  deny: ['Bash(rm *)', 'Bash(git push *)', 'Read(.env)', 'Read(/secrets/**)', 'Bash(* --force)'].map(parse),
  ask: ['Bash(npm publish *)'].map(parse),
  roots: ['/w'],
  home: '/home/u',
};

function parse(rule: string) {
  return parseRule(rule);
}

/** @returns how many programs there are in the line */
function decide(command: string): number {
  const reading = readCommand(command, { cwd: '/w', home: '/home/u' });
  const files = reading.files.map(({ path: named, base, access, by, program, reach }) => {
    const target = named === null || base === null ? null : path.resolve(base, named);
    return { path: target, realPath: target, access, by, program, reach };
  });
  const subject = { kind: 'command', command, reading, files } as const;
  decidePermission(CONTEXT, { toolName: 'Bash', readOnly: false, subject });
  return reading.programs.length;
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_used_size ?? 0;
}

test('a decision makes at most 7 kB of objects for each program of the line', () => {
  const command = LINE.repeat(3);
  const programs = decide(command);
  for (let times = 0; times < 800; times++) decide(command);
  const taken: number[] = [];
  for (let times = 0; times < 101; times++) {
    const before = youngBytes();
    decide(command);
    taken.push(youngBytes() - before);
  }
  // Of those in the middle no collection was a part.
  const middle = taken.sort((a, b) => a - b)[50] ?? 0;
  expect(middle).toBeGreaterThan(0);
  expect(middle / programs / 1_000).toBeLessThan(7);
});
