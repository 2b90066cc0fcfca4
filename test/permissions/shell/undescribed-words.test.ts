// Words that a description says nothing of: the default of each program must be that they may be files.
import { expect, it } from 'vitest';
import { PROGRAMS } from '../../../src/permissions/shell/programs/programs.js';
import { readCommand } from '../../../src/permissions/shell/read-command.js';

const PLACE = { cwd: '/w', home: '/home/u' };
const FILE = '/etc/shadow';

/** Programs of which the line tells neither the file nor that not all is known. */
function hiding(lineOf: (name: string) => string): readonly string[] {
  return [...PROGRAMS.keys()].filter((name) => {
    // By its path, as some are builtins of the shell too.
    const { files, unknown } = readCommand(`/usr/bin/${lineOf(name)}`, PLACE);
    return unknown === null && !files.some(({ path }) => path === FILE || path === null);
  });
}

const namesOf = (text: string): readonly string[] => text.split(' ').filter((name) => name !== '');

/** What follows is no word of theirs: of the program that they start, of another machine, or of a language in which it is none. */
const NOT_THEIRS = 'busybox toybox dd xxd ssh slogin mosh';
/** They run a program or a script of the name that stands behind the option. */
const RUNS_NEXT = 'npm bun mise';
/** There `-v` has a value, which is a number, a variable or the name of something else. */
const VALUED_V =
  '7z 7za 7zr unrar awk gawk mawk nawk original-awk chattr dotnet ffmpeg ffprobe ffplay avconv info gem nl join';

it.each([
  ['in the same word', '--unheard-of=/etc/shadow', ''],
  ['in the next word', '--unheard-of /etc/shadow', RUNS_NEXT],
  ['behind a letter', '-_ /etc/shadow', RUNS_NEXT],
  ['attached to a letter', '-_/etc/shadow', ''],
  ['attached to letters', '-v_/etc/shadow', VALUED_V],
  ['with a name', '--unheard-of=a=/etc/shadow', ''],
  ['with a name, apart', '--unheard-of a=/etc/shadow', RUNS_NEXT],
  ['among others', '--unheard-of=type=a,src=/etc/shadow,b', ''],
  ['behind a sign', '--unheard-of=@/etc/shadow', ''],
])('an option that no description has does not hide a file %s', (_, words, others) => {
  const known = new Set(namesOf(`${NOT_THEIRS} ${others}`));
  expect(hiding((name) => `${name} x ${words}`).filter((name) => !known.has(name))).toEqual([]);
});

/** Their words are text, numbers, names of processes, devices, users, targets and tasks, or addresses. */
const NO_FILES =
  'mix iex make gmake bmake mingw32-make curl wget http https xh xhs ps pgrep tr lscpu locale getconf tput mcookie pidof ' +
  'vmstat w hostid pathchk mountpoint lsmem lslocks lsipc uuidgen lsblk findmnt basename dirname seq expr nproc uname ' +
  'whoami id groups logname tty true false sleep uptime free which cal numfmt factor printf echo pwd test [ clear hyperfine';
/** Behind an archive or a database. */
const PARTS = 'unzip sqlite3 duckdb tar gtar bsdtar';

it('an operand that no description has does not hide a file', () => {
  const known = new Set(namesOf(`${NOT_THEIRS} ${NO_FILES} ${PARTS}`));
  expect(hiding((name) => `${name} x y ${FILE}`).filter((name) => !known.has(name))).toEqual([]);
});

it('those that are left out are programs that hide it', () => {
  const behind = new Set(hiding((name) => `${name} x y ${FILE}`));
  expect(namesOf(`${NO_FILES} ${PARTS}`).filter((name) => !behind.has(name))).toEqual([]);
});

it('an option of several letters does not hide the file that stands in the same word', () => {
  const hidden: string[] = [];
  let count = 0;
  for (const [name, { options, isSingleDash, keepsApart }] of PROGRAMS) {
    if (isSingleDash !== true || keepsApart === true) continue;
    for (const [option, effect] of options) {
      if (!/^(?:read|write|remove)$/.test(effect) || option.length < 3 || option.startsWith('--')) continue;
      count++;
      const { files, unknown } = readCommand(`${name} ${option}${FILE} x`, PLACE);
      const isTold = files.some(({ path, access }) => path === FILE && (access === 'read') === (effect === 'read'));
      if (unknown === null && !isTold) hidden.push(`${name} ${option}`);
    }
  }
  expect(hidden).toEqual([]);
  expect(count).toBeGreaterThan(50);
});

it('where values stand apart, what begins as an option is another one', () => {
  const apart = [...PROGRAMS].filter(([, { keepsApart }]) => keepsApart === true);
  const hidden = apart.flatMap(([name, { options }]) =>
    [...options.keys()].filter((option) => {
      const { files, unknown } = readCommand(`${name} x ${option}_ ${FILE}`, PLACE);
      return unknown === null && !files.some(({ path }) => path === FILE || path === null);
    }),
  );
  expect(hidden).toEqual([]);
  expect(apart.length).toBeGreaterThan(5);
});

it.each([
  ['in place of a mark', (words: string) => `find /etc/x/.. -name a -exec ${words} {} \\;`],
  ['at the end', (words: string) => `find /etc/x/.. -name a | xargs ${words}`],
  ['in a substitution', (words: string) => `${words} $(find /etc/x/.. -name a)`],
])('what is a file where it is written is one if another program lists it, %s', (_, lineOf) => {
  const git = ['diff', 'add', 'log --', 'blame', 'checkout --', 'restore', 'rm', 'grep x --', 'diff a', 'hash-object'];
  const starts = [...[...PROGRAMS.keys()].map((name) => `${name} x y`), ...git.map((verb) => `git ${verb}`)];
  const written = starts.filter((words) => {
    if (words.startsWith('find ')) return false;
    const { files } = readCommand(`/usr/bin/${words} ${FILE}`, PLACE);
    return files.some(({ path, isMaybe }) => path === FILE && isMaybe !== true);
  });
  const hidden = written.filter((words) => {
    const { files, unknown } = readCommand(lineOf(`/usr/bin/${words}`), PLACE);
    const isListed = (name: string) => name.startsWith('/etc/x/..');
    const isTold = files.some(
      ({ path, within, program }) =>
        program !== 'find' && ((within === null && path === null) || isListed(path ?? within ?? '')),
    );
    return unknown === null && !isTold;
  });
  expect(hidden).toEqual([]);
  expect(written.length).toBeGreaterThan(300);
});

/** Of another machine, or keys, which they show nobody. */
const VALUES_NO_FILES = 'ssh slogin mosh scp sftp';

it.each([
  { file: FILE, isAway: true },
  { file: 'in/.env', isAway: false },
  { file: '.env', isAway: false },
])('a value that a description says nothing of but that it is one does not hide $file', ({ file, isAway }) => {
  const wrong: string[] = [];
  const known = new Set(namesOf(VALUES_NO_FILES));
  let looked = 0;
  for (const [name, { options, readOnly, readsValues }] of PROGRAMS) {
    if (readOnly !== undefined || known.has(name) || (readsValues === true && !isAway)) continue;
    for (const [option, effect] of options) {
      if (effect !== 'value') continue;
      looked++;
      const line = `/usr/bin/${name} ${option} ${file} x`;
      const { files, unknown } = readCommand(line, PLACE);
      if (unknown === null && !files.some(({ path }) => path === null || path === file))
        wrong.push(`${name} ${option}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(looked).toBeGreaterThan(1_000);
});

it('an option with which a program runs or loads something does not hide the file that it names', () => {
  const hidden: string[] = [];
  let looked = 0;
  for (const [name, { options, readOnly }] of PROGRAMS) {
    // What runs elsewhere, or has code of its own for all of its words.
    if (readOnly !== undefined || name === 'git' || name === 'hub') continue;
    for (const [option, effect] of options) {
      if (effect !== 'acts') continue;
      looked++;
      const { files } = readCommand(`/usr/bin/${name} ${option} ${FILE} x`, PLACE);
      if (!files.some(({ path }) => path === FILE || path === null)) hidden.push(`${name} ${option}`);
    }
  }
  expect(hidden).toEqual([]);
  expect(looked).toBeGreaterThan(200);
});

it.each(['F', 'a F', '-o F x'])('says the same of a file in the home folder as of its whole path: %s', (words) => {
  const told = (line: string, file: string): unknown => {
    const { files, unknown, programs } = readCommand(line.replace('F', file), PLACE);
    return {
      files: files.map(({ path, within, access, reach, base }) => ({ path, within, access, reach, base })),
      isKnown: unknown === null,
      programs: programs.map(({ name, readOnly }) => ({ name, readOnly })),
    };
  };
  for (const name of PROGRAMS.keys()) {
    const line = `/usr/bin/${name} ${words}`;
    const whole = told(line, '/home/u/.npmrc');
    for (const home of ['~', '"$HOME"']) expect(told(line, `${home}/.npmrc`), `${line}, with ${home}`).toEqual(whole);
  }
});

it.each(['~"/x"', '~\\/x', "~''/x", 'x=/a; cat ~$x'])(
  'takes a tilde in front of what is quoted or expanded for a name: %s',
  (word) => {
    const { files } = readCommand(word.includes('cat') ? word : `cat ${word}`, PLACE);
    expect(files.map(({ path }) => path)).toEqual([word.includes('cat') ? '~/a' : '~/x']);
  },
);
