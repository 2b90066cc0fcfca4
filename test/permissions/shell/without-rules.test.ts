// What runs without a rule and without a question: of each program that is described, whatever its row says.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { decidePermission } from '../../../src/permissions/decide.js';
import type { TouchedFile } from '../../../src/permissions/permission-call.js';
import type { OptionEffect } from '../../../src/permissions/shell/programs/program-table.js';
import { PROGRAMS } from '../../../src/permissions/shell/programs/programs.js';
import { readCommand } from '../../../src/permissions/shell/read-command.js';

const PLACE = { cwd: '/w', home: '/home/u' };

/** @returns null if somebody would be asked, else what the line changes */
function changesUnasked(command: string): readonly string[] | null {
  const reading = readCommand(command, PLACE);
  const files = reading.files.map(({ path: written, base, access, by, program, reach }): TouchedFile => {
    const full = written === null || base === null ? null : path.resolve(base, written);
    return { path: full, realPath: full, access, by, program, reach };
  });
  const context = { mode: 'default', allow: [], deny: [], ask: [], roots: [PLACE.cwd], home: PLACE.home } as const;
  const subject = { kind: 'command', command, reading, files } as const;
  if (decidePermission(context, { toolName: 'Bash', readOnly: false, subject }).behavior !== 'allow') return null;
  return files.flatMap(({ access, path: full }) =>
    access === 'read' || full === '/dev/null' ? [] : [`${access}s ${full}`],
  );
}

/** As a program, also if the shell has a word or a builtin of the name. */
const started = (name: string): string => `\\${name}`;

const CHANGING: ReadonlySet<OptionEffect> = new Set(['write', 'remove']);

it('no option that writes or removes', () => {
  const wrong: string[] = [];
  for (const [name, { options }] of PROGRAMS)
    for (const [option, effect] of options) {
      if (!CHANGING.has(effect)) continue;
      for (const words of [`${option} x`, `${option}${option.startsWith('--') ? '=' : ''}x`]) {
        const line = `${started(name)} ${words} ls`;
        for (const change of changesUnasked(line) ?? []) wrong.push(`${line}: ${change}`);
      }
    }
  expect(wrong).toEqual([]);
});

it('no word that says less than a name would', () => {
  const wrong: string[] = [];
  for (const name of PROGRAMS.keys()) {
    const named = changesUnasked(`${started(name)} zz`) !== null;
    for (const word of ['""', '" "', '-', '--'])
      if (changesUnasked(`${started(name)} ${word}`) !== null && !named && changesUnasked(started(name)) === null)
        wrong.push(`${name} ${word}`);
  }
  expect(wrong).toEqual([]);
});

it.each([
  'echo x < a.txt > /dev/stdin',
  'echo x < .git/config > /dev/fd/0',
  'echo x 3< a.txt > /dev/fd/3',
  '{ echo x > /dev/stderr; } 2< a.txt',
  'exec < a.txt; echo x > /dev/stdin',
  'for N in 0; do echo x > /dev/fd/$N; done < a.txt',
  'cd /dev; echo x > stdout',
])('no descriptor that is opened by its name to write, and so the file that it is of: %s', (line) => {
  expect(changesUnasked(line)).toBeNull();
});

it.each(['echo x > /dev/stderr', 'cat a.txt > /dev/stdout', 'cat < a.txt', 'cat < a.txt 2> /dev/null'])(
  'but output that is: %s',
  (line) => {
    expect(changesUnasked(line)).toEqual([]);
  },
);

/** What runs code of a project, or of its input, if it is started with nothing else; of many versions one. */
const RUNS_CODE = [...PROGRAMS].filter(
  ([name, { operands, here }]) => (operands === 'script' || here === 'runs') && !/\d\.\d/.test(name),
);
const TELLING = ['--version', '--help', '-v', '-V', '-h', 'version', 'help'];
/** The same in some languages. */
const HOSTILE = [
  'touch MARK',
  'exec touch MARK',
  'system("touch MARK")',
  "import os; os.system('touch MARK')",
  '`touch MARK`',
  "require('fs').writeFileSync('MARK','')",
].join('\n');

it('no interpreter, but to tell its version, which then runs nothing of its input or of the folder', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'telling-'));
  const started: string[] = [];
  try {
    for (const [name, { options }] of RUNS_CODE) {
      for (const option of new Set([...options.keys(), ...TELLING, 'script.x'])) {
        if (changesUnasked(`${name} ${option}`) === null) continue;
        expect([name, option, TELLING.includes(option) || options.get(option) === 'tells']).toEqual([
          name,
          option,
          true,
        ]);
        // The name may be a file of the project too.
        writeFileSync(path.join(folder, option), HOSTILE);
        spawnSync(name, [option], { cwd: folder, input: HOSTILE, timeout: 20_000 });
        rmSync(path.join(folder, option));
        started.push(`${name} ${option}`);
        expect([name, option, ...readdirSync(folder)]).toEqual([name, option]);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  expect(started).toContain('node --version');
});
