// Programs that share a description: what is a harmless word behind a letter of one may be a file to another of them.
import { expect, it } from 'vitest';
import { PROGRAMS } from '../../../src/permissions/shell/programs/programs.js';
import { readCommand } from '../../../src/permissions/shell/read-command.js';

const PLACE = { cwd: '/w', home: '/home/u' };
const FILE = '/etc/shadow';

/** What runs on other machines touches no file of this one. */
const ELSEWHERE = [...PROGRAMS].filter(([, { isElsewhere }]) => isElsewhere === true).map(([name]) => name);

it('no shared letter hides the file behind it', () => {
  const hidden: string[] = [];
  for (const [name, { options, isShared }] of PROGRAMS) {
    if (!isShared || ELSEWHERE.includes(name)) continue;
    for (const [option, effect] of options) {
      if (effect !== 'value') continue;
      // By its path, as some are builtins of the shell too.
      const { files, unknown } = readCommand(`/usr/bin/${name} ${option} ${FILE}`, PLACE);
      if (unknown === null && !files.some(({ path }) => path === FILE || path === null))
        hidden.push(`${name} ${option}`);
    }
  }
  expect(hidden).toEqual([]);
});

it('what may be short for an option that takes a word hides no option behind it', () => {
  const hidden: string[] = [];
  let count = 0;
  for (const [name, { options, isSingleDash, isStrict }] of PROGRAMS) {
    if (ELSEWHERE.includes(name) || isSingleDash === true || isStrict === true) continue;
    const file = [...options].find(
      ([option, effect]) => /^--/.test(option) && (effect === 'read' || effect === 'write'),
    );
    if (file === undefined) continue;
    for (const [option, effect] of options) {
      const short = option.slice(0, -1);
      if (!/^--../.test(option) || options.has(short) || /^(?:flag|attached|number|tells|risk)$/.test(effect)) continue;
      const { files, unknown } = readCommand(`/usr/bin/${name} ${short} ${file[0]} ${FILE}`, PLACE);
      count++;
      if (unknown === null && !files.some(({ path }) => path === FILE || path === null))
        hidden.push(`${name} ${short} ${file[0]}`);
    }
  }
  expect(hidden).toEqual([]);
  expect(count).toBeGreaterThan(500);
});

it('one that takes the next word starts no other program that way', () => {
  // Each starts what stands behind its options, so a letter must be right for all that share it: these are one program.
  const shared = [...PROGRAMS].filter(([, { operands, isShared, options }]) => {
    const startsNext = operands === 'command' || operands === 'line';
    return isShared && startsNext && [...options.values()].includes('value');
  });
  expect(shared.map(([name]) => name).sort()).toEqual(
    ['bunx', 'mosh', 'pnpx', 'slogin', 'ssh', 'sudo', 'sudoedit', 'viddy', 'watch'].sort(),
  );
});
