// Programs that pack files and unpack them, and `patch`: what they write has names that stand in the archive, or that are
// made of the name of the file.
import path from 'node:path';
import { globWord, literalWord, type ShellWord, tailWord, tildeWord, wordWith } from '../syntax/shell-word.js';
import { isPlainCall, sayLost, type Task } from '../task.js';
import { addMade } from './file-uses.js';
import { mayBeNone, reachOf, useDerived, useEnded, useFile, useHere, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable, readOptions } from './read-by-table.js';
import { type FoundOption, has, type ScannedWords, scanOptions } from './scan-options.js';
import { ANY_CUT, noteUnpacking, type Unpacked } from './unpacking.js';

/** Endings that programs for these archives look for. */
const ZIPPED = ['.zip', '.ZIP'];

export const ARCHIVE_PROGRAMS: Programs = {
  'gzip gunzip pigz compress uncompress': {
    options: {
      value: '-S,--suffix -p,--processes -b',
      flag:
        '-c,--stdout,--to-stdout -d,--decompress,--uncompress -f,--force -k,--keep -l,--list -n,--no-name -N,--name -q,--quiet ' +
        '-r,--recursive -t,--test -v,--verbose --fast --best --rsyncable --synchronous',
      tells: '-h,--help -V,--version -L,--license',
    },
    deep: '-r',
    hasAllOptions: true,
    read: readCompressor,
  },
  'bzip2 bunzip2 xz unxz lzma unlzma': {
    options: {
      value: '-S,--suffix -T,--threads -M,--memlimit -F,--format -C,--check',
      list: '--files --files0',
      flag:
        '-c,--stdout,--to-stdout -z,--compress -d,--decompress -f,--force -k,--keep -l,--list -q,--quiet -t,--test -v,--verbose -e,--extreme ' +
        '-s,--small --fast --best --no-sparse --single-stream',
      tells: '-h,--help -V,--version -H,--long-help -L,--license',
    },
    hasAllOptions: true,
    read: readCompressor,
  },
  brotli: {
    options: {
      write: '-o,--output',
      value: '-S,--suffix -q,--quality -w,--lgwin',
      read: '-D,--dictionary',
      flag: '-c,--stdout -d,--decompress -f,--force -k,--keep -t,--test -v,--verbose -j,--rm -n,--no-copy-stat -Z,--best',
      tells: '-h,--help -V,--version',
    },
    hasAllOptions: true,
    read: readCompressor,
  },
  'zstd unzstd zstdmt pzstd': {
    options: {
      write: '-o,--output --output-dir-flat --output-dir-mirror --trace',
      attached: '-T,--threads -M,--memory --long',
      read: '-D,--dictionary --patch-from',
      list: '--filelist',
      acts: '--use-compress-program',
      flag: '-q,--quiet -c,--stdout -d,--decompress -f,--force -k,--keep -l,--list -r,--recursive -t,--test -v,--verbose -z,--compress --rm -m,--multiple',
      tells: '-h,--help -V,--version -H',
    },
    deep: '-r',
    hasAllOptions: true,
    read: readCompressor,
  },
  // Its `-l` packs, in an old form.
  'lz4 unlz4 lz4c': {
    options: {
      attached: '-B -b -e -i --fast',
      read: '-D',
      flag:
        '-q,--quiet -c,--stdout,--to-stdout -d,--decompress,--uncompress -f,--force -k,--keep -l --list -r -t,--test -v,--verbose ' +
        '-z,--compress --rm -m,--multiple -X --no-frame-crc --no-crc --content-size --sparse --no-sparse --favor-decSpeed --best -hc -c0 -c1 -c2 -y',
      tells: '-h,--help -V,--version -H',
    },
    deep: '-r',
    hasAllOptions: true,
    read: readCompressor,
  },
  // Those that hand their options on: a letter with a value to one is a flag to another, so that words are files.
  'zcat bzcat xzcat lzcat': {
    options: { flag: '-f,--force -q,--quiet -v,--verbose -r,--recursive', list: '--files --files0' },
    operands: 'read',
    deep: '-r',
    follows: '-r',
    readOnly: 'listed',
    read: readShowing,
  },
  'zless zmore bzless bzmore xzless xzmore': {
    options: { flag: '-r,--recursive', list: '--files --files0' },
    operands: 'read',
    deep: '-r',
    follows: '-r',
    read: readShowing,
  },
  zstdcat: {
    options: {
      write: '--trace -o,--output --output-dir-flat --output-dir-mirror',
      read: '-D,--dictionary --patch-from',
      list: '--filelist',
      flag: '-r,--recursive',
    },
    operands: 'read',
    deep: '-r',
    follows: '-r',
  },
  zip: {
    options: {
      value:
        '-n,--suffixes -s,--split-size -P,--password -Z,--compression-method -t,--from-date -tt,--before-date -ds,--dot-size ' +
        '-UN,--unicode',
      write: '-b,--temp-path -O,--output-file --out -lf,--logfile-path',
      acts: '-TT,--unzip-command',
      risk: '-T,--test',
      lists: '-@,--names-stdin',
      // Patterns: those that follow count as files too, which is more than zip reads.
      attached: '-x,--exclude -i,--include',
      flag:
        '-r,--recurse-paths -R,--recurse-patterns -m,--move -j,--junk-paths -u,--update -d,--delete -q,--quiet -y,--symlinks ' +
        '-e,--encrypt -a,--ascii -A,--adjust-sfx -c,--entry-comments -C,--preserve-case -D,--no-dir-entries -E,--longnames -f,--freshen ' +
        '-F,--fix -g,--grow -I,--no-image -J,--junk-sfx -k,--DOS-names -l,--to-crlf -N,--notes -o,--latest-time -p,--paths ' +
        '-S,--system-hidden -U,--copy-entries -v,--verbose -V,--VMS-portable -w,--VMS-versions -X,--strip-extra -z,--archive-comment ' +
        '-la,--log-append -li,--log-info -ll,--from-crlf -ws,--wild-stop-dirs -nw,--no-wild -FF,--fixfix -FS,--filesync ' +
        '-DF,--difference-archive -FI,--fifo -fd,--force-descriptors -fz,--force-zip64 -MM,--must-match -sc,--show-command ' +
        '-sf,--show-files -so,--show-options -sd,--show-debug -sp,--split-pause -sb,--split-bell -su,--show-unicode -sU,--show-just-unicode ' +
        '--split-verbose -db,--display-bytes -dc,--display-counts -dd,--display-dots -df,--datafork -dg,--display-globaldots ' +
        '-du,--display-usize -dv,--display-volume -jj,--absolute-path -RE,--regex -0 -1 -2 -3 -4 -5 -6 -7 -8 -9',
      tells: '-h,--help -L,--license',
    },
    hasAllOptions: true,
    hasPairs: true,
    deep: '-r -R -m',
    follows: '-r -R',
    stays: '-y',
    read: readZip,
  },
  funzip: { operands: 'read' },
  zipinfo: {
    options: { flag: '-1 -2 -s -m -l -v -h -t -z -C -M -T' },
    operands: 'read',
    untold: /[*?[]/,
    readOnly: 'listed',
    read: (task, table) => {
      for (const { word } of readByTable(task, table).operands) useEnded(task, word, 'read', ZIPPED);
    },
  },
  'zforce znew': { operands: 'remove', read: readRenamed },
  'zipcloak zipnote': {
    options: { write: '-b,--temp-path -O,--output-file', flag: '-d,--decrypt -q,--quiet -w', tells: '-h -v -L' },
    operands: 'remove',
    read: (task, table) => {
      for (const { word } of readByTable(task, table).operands) useEnded(task, word, 'remove', ZIPPED);
    },
  },
  zipsplit: {
    options: { write: '-b', value: '-n -r', flag: '-t -i -p -s -q' },
    operands: 'remove',
    read: readZipsplit,
  },
  unzip: {
    options: { value: '-d -P', risk: '-:', flag: '-l -v -t -Z -p -c -z -o -n -q -j -a -u -f -C -L -X' },
    read: readUnpacker,
  },
  '7z 7za 7zr unrar': {
    options: {
      // Values follow at once: folders for what comes out and for what is made meanwhile, patterns, lists of names.
      write: '-w',
      attached: '-o -v -p -m -t -s -a -b -x -y -r',
      acts: '-i -an -ai -ax',
    },
    operands: 'write',
    untold: /^@|[*?]/,
    read: readUnpacker,
  },
  'ar llvm-ar': {
    options: {
      value: '--target --record-libdeps --format',
      write: '--output',
      acts: '--plugin',
      // Its commands stand in its input.
      risk: '-M',
      flag: '-d -m -p -q -r -s -t -x -a -b -c -D -f -i -l -N -o -O -P -S -T -u -U -v -V --thin',
    },
    takesWordFiles: true,
    operands: 'write',
    read: readUnpacker,
  },
  'cpio pax': {
    read: readUnpacker,
    options: {
      write: '-F -O --file --output',
      folder: '-D,--directory',
      acts: '--rsh-command --plugin',
      read: '-I -E --pattern-file',
      value: '--target --record-libdeps',
      flag: '-i,--extract -o,--create -p,--pass-through -t,--list -r -w',
    },
    takesWordFiles: true,
    operands: 'write',
  },
  patch: {
    options: {
      read: '-i,--input',
      write: '-o,--output -r,--reject-file',
      folder: '-d,--directory',
      value:
        '-p,--strip -F,--fuzz -B,--prefix -D,--ifdef -V,--version-control -Y,--basename-prefix -z,--suffix -g,--get --quoting-style --reject-format --read-only',
      flag: '-b,--backup -n,--normal -N,--forward -R,--reverse -s,--quiet,--silent -t,--batch -f,--force -u,--unified -c,--context -l,--ignore-whitespace -E,--remove-empty-files --dry-run --verbose --posix --backup-if-mismatch --no-backup-if-mismatch --merge',
      risk: '-e,--ed',
    },
    hasAllOptions: true,
    read: readPatch,
  },
};

const ENDINGS: Readonly<Record<string, string>> = {
  bzip2: '.bz2',
  xz: '.xz',
  lzma: '.lzma',
  zstd: '.zst',
  zstdmt: '.zst',
  pzstd: '.zst',
  lz4: '.lz4',
  lz4c: '.lz4',
  brotli: '.br',
  compress: '.Z',
};

/** Of `xz`. */
const FORMATS: Readonly<Record<string, string>> = { xz: '.xz', auto: '.xz', lzma: '.lzma', alone: '.lzma' };

const WAYS: ReadonlySet<string> = new Set(['--compress', '--decompress', '--list', '--test']);

/** Programs that put one file in the place of another: `gzip f` makes `f.gz`, `gunzip f.gz` makes `f`. */
function readCompressor(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const { options, operands } = scanned;
  if (options.some(({ effect }) => effect === 'tells')) return;
  // Of several ways to work some take the last one, others the first.
  const isMixed = new Set(options.filter(({ main }) => WAYS.has(main)).map(({ main }) => main)).size > 1;
  // `--rm` removes what was read, wherever it went.
  const onlyReads =
    !has(scanned, '--rm') && (writesOut(task, scanned) || (has(scanned, '--list', '--test') && !isMixed));
  task.draft.readOnly =
    onlyReads && isPlainCall(task) && operands.length > 0 && options.every(({ effect }) => effect === 'flag');
  const isDeep = reachOf(table, scanned) !== 'itself';
  // Names are those of the sources with their folders, some of which are left out.
  if (has(scanned, '--output-dir-mirror', '--output-dir-flat'))
    useUnknownFile(task, 'write', `the names of what ${task.name} writes in that folder are not known`);
  // It passes over links that it would put something in place of, unless it is told to go on.
  const passesLinks = !onlyReads && !has(scanned, '--force') && !/lz4/.test(task.name);
  const reach = isDeep ? (passesLinks ? 'tree' : 'through') : 'itself';
  const suffix = options.findLast(({ main }) => main === '--suffix');
  const format = options.findLast(({ main }) => main === '--format')?.value;
  const ofFormat = format == null ? (ENDINGS[packerOf(task.name)] ?? '.gz') : (FORMATS[format.value ?? ''] ?? null);
  const ending = suffix === undefined ? ofFormat : (suffix.value?.value ?? null);
  const unpacks = has(scanned, '--decompress') || (/^un|^gun|^bun/.test(task.name) && !has(scanned, '--compress'));
  for (const { word } of operands) {
    if (onlyReads) useFile(task, word, 'read', { reach });
    else useFile(task, word, 'remove', { reach, sweeps: isDeep });
    if ((unpacks || isMixed || has(scanned, '--list', '--test')) && !/z4|zst|xz|lz|bz/.test(task.name))
      useEnded(task, word, onlyReads ? 'read' : 'remove');
    const { value, tilde } = word;
    if (onlyReads || value === null) continue;
    for (const isUnpacking of isMixed ? [true, false] : [unpacks]) {
      const made: string | null = ending === null ? null : isUnpacking ? withoutEnding(value) : value + ending;
      if (made === null) useUnknownFile(task, 'write', `the name of what ${task.name} writes is not known`);
      else useFile(task, tildeWord(made, tilde), 'write');
      // What has no ending that `bunzip2` knows gets one.
      const isOther = made === value || (packerOf(task.name) === 'bzip2' && !/\.t?bz2?$/.test(value));
      if (isUnpacking && isOther) useFile(task, tildeWord(`${value}.out`, tilde), 'write');
    }
  }
  // The name stands in the file.
  if (unpacks && !onlyReads && (has(scanned, '--name') || suffix !== undefined))
    useUnknownFile(task, 'write', `the name of what ${task.name} writes stands in the archive`);
}

/** To `lz4c` some letters with a `c` in them say how it packs, wherever they stand. */
function writesOut({ name, words }: Task, scanned: ScannedWords): boolean {
  const isOther = name === 'lz4c' && words.some(({ value }) => /^-\w*(?:c[012]|hc)/.test(value ?? ''));
  return has(scanned, '--stdout') && !isOther;
}

/** `zcat x` shows `x.gz` if there is no `x`. */
function readShowing(task: Task, table: ProgramTable): void {
  for (const { word } of readByTable(task, table).operands) useEnded(task, word, 'read');
}

/** `unxz` packs with `-z` as `xz` does. */
function packerOf(name: string): string {
  return name === 'bunzip2' ? 'bzip2' : name.replace(/^un/, '');
}

function withoutEnding(name: string): string {
  if (/\.t[gbx]z2?$|\.tzst$/.test(name)) return name.replace(/\.t[gbxz]\w*$/, '.tar');
  return name.replace(/\.(?:gz|z|Z|bz2?|xz|lzma|zst|lz4|br)$/, '');
}

/** `zip`: an archive, then what goes into it. */
function readZip(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const reach = reachOf(table, scanned);
  for (const { value } of scanned.options.filter(({ main }) => main === '--logfile-path'))
    if (value !== null) useDerived(task, 'write', value, (name) => `${name}.log`);
  // A list of patterns, as a value or among others.
  useLists(task, /^(?:-\w*[ix]|--(?:in|ex)clude=?)?@(?=.)/);
  // An option of two letters whose value may follow at once.
  for (const { value } of task.words.slice(1)) {
    const log = /^-[^-]*lf(.+)$/.exec(value ?? '')?.[1];
    if (log !== undefined) for (const name of [log, `${log}.log`]) useFile(task, literalWord(name), 'write');
  }
  const [archive, ...files] = scanned.operands.map(({ word }) => word);
  if (archive === undefined) return;
  // A list of patterns goes on up to the next option: the archive may be any word behind that.
  const isList = ({ main }: FoundOption) => main === '--exclude' || main === '--include';
  if (scanned.options.some((option) => isList(option) && option.at < (scanned.operands[0]?.at ?? 0)))
    useUnknownFile(task, 'write', 'which of its words is the archive of zip is not known');
  useFile(task, archive, 'write');
  // A glob is the archive and what goes into it.
  if (archive.value === null) useFile(task, archive, 'read', { reach });
  // Without an ending it gets one.
  useDerived(task, 'write', archive, (name) => (path.basename(name).includes('.') ? name : `${name}.zip`));
  // Parts with numbers for endings stand beside it.
  if (has(scanned, '--split-size') && archive.value !== null)
    useFile(task, globWord(wordWith(archive, { text: '*' }), archive.value.replace(/\.[^./]*$/, '.z')), 'write');
  if (has(scanned, '--recurse-patterns')) useHere(task, 'read', reach);
  for (const { main, value } of scanned.options)
    if ((main === '--output-file' || main === '--out') && value !== null)
      useDerived(task, 'write', value, (name) => `${name}.zip`);
  for (const word of files) {
    useFile(task, word, 'read', { reach });
    if (has(scanned, '--move')) useFile(task, word, 'remove', { reach });
  }
}

/** A file of names or patterns that stands in a word, behind such a sign. */
function useLists(task: Task, sign: RegExp): void {
  for (const word of task.words.slice(1)) {
    const start = sign.exec(word.text)?.[0];
    if (start !== undefined && word.head.startsWith(start)) useFile(task, tailWord(word, start.length), 'read');
  }
}

/** What is packed gets the name of such. */
function readRenamed(task: Task, table: ProgramTable): void {
  for (const { word } of readByTable(task, table).operands)
    useDerived(task, 'write', word, (name) => `${name.replace(/\.Z$/, '')}.gz`);
}

/** Its parts have the name of the archive with numbers, in the folder that it is in or another. */
function readZipsplit(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  const folder = options.findLast(({ main }) => main === '-b')?.value ?? literalWord('.');
  for (const { word } of operands) useEnded(task, word, 'remove', ZIPPED);
  if (operands.length > 0) useFile(task, folder, 'write', { into: null });
}

/** `patch`: what it writes stands in the patch, unless a file is named. */
function readPatch(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const scanned = readByTable(task, table);
  const { options, operands } = scanned;
  for (const [at, { word }] of operands.entries()) {
    // A file to change, and a patch; a glob may be both.
    if (at === 0) {
      useFile(task, word, 'write');
      useBesidePatched(task, word);
    }
    if (at > 0 || word.value === null) useFile(task, word, 'read');
  }
  for (const { main, value } of options) if (main === '--output' && value !== null) useBesidePatched(task, value);
  const named = options.findLast(({ main }) => main === '--input');
  const source = named?.value ?? operands[1]?.word ?? null;
  useFile(task, literalWord('.'), 'write');
  // What was there before gets a name that the options make.
  if (has(scanned, '--prefix', '--suffix', '--basename-prefix'))
    useUnknownFile(task, 'write', 'the name of a backup that patch makes is not known');
  if (!mayBeNone(operands)) return;
  // What the patch is about is read also if the outcome goes elsewhere, or nowhere.
  const access = has(scanned, '--output', '--dry-run') ? 'read' : 'write';
  const cut = options.findLast(({ main }) => main === '--strip')?.value?.value ?? null;
  noteUnpacking(task, {
    kind: 'patch',
    access,
    source,
    cut: cut !== null && /^\d$/.test(cut) ? [Number(cut)] : ANY_CUT,
  });
  if (access === 'write') addMade(task, literalWord('.'), task.bases, { kind: 'contents', from });
}

/** What was there before, and what did not fit, stand beside what is patched and beside the outcome. */
function useBesidePatched(task: Task, word: ShellWord): void {
  for (const ending of ['.orig', '.rej']) useDerived(task, 'write', word, (name) => `${name}${ending}`);
}

/** `unzip`, `7z` and their like. One rule: what is not known to leave all in the archive takes it out. */
function readUnpacker(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const scanned = readByTable(task, table);
  const words = scanned.operands.map(({ word }) => word);
  const [first, second] = words;
  const unpack = (source: ShellWord | null, folder: string | null, how: Partial<Unpacked> = {}): void => {
    noteUnpacking(task, { kind: 'archive', source, folder, ...how });
    useInto(task, folder, from);
  };
  switch (task.name) {
    case 'unzip':
      readUnzip(task, scanned, unpack);
      return;
    case '7z':
    case '7za':
    case '7zr':
    case 'unrar': {
      const command = first?.value?.toLowerCase() ?? 'x';
      useLists(task, /^(?:-[aA]?[inxINX][orOR]?[-012]?)?@(?=.)/);
      if (KEEPS_PACKED.test(command)) readPacked(task, words.slice(1));
      // Names behind the archive may be meant at any depth.
      else if (second !== undefined) unpack(second, givenTo(scanned, '-o'), command === 'x' ? {} : { isFlat: true });
      return;
    }
    case 'cpio':
      if (!has(scanned, '--create') || has(scanned, '--extract', '--pass-through')) unpack(null, '');
      // The names of what it packs stand in its input.
      if (!has(scanned, '--extract')) useUnknownFile(task, 'read', 'which files cpio packs stands in its input');
      return;
    case 'pax':
      if (!has(scanned, '-w') || has(scanned, '-r')) unpack(null, '');
      if (has(scanned, '-w') && first === undefined)
        useUnknownFile(task, 'read', 'which files pax packs stands in its input');
      return;
    default: {
      // Behind the archive stand members.
      for (const word of words.slice(1)) useFile(task, word, 'read');
      if (task.name !== 'ar' && task.name !== 'llvm-ar') return;
      // Letters with a dash, or the first operand.
      const letters = scanned.options.map(({ name }) => name).join('') + (first?.value ?? 'px');
      if (words.length < 3 && /^[A-Za-z]*M[A-Za-z]*$/.test(first?.value ?? ''))
        sayLost(task, `${task.name} takes its commands from its input`);
      // Without a name it prints all.
      if (words.length < 3 && letters.includes('p'))
        useUnknownFile(task, 'read', 'which files ar prints stands in the archive');
      if (letters.includes('x')) unpack(null, givenTo(scanned, '--output'));
    }
  }
}

/** Commands that tell of an archive, test it, print from it or make it. */
const KEEPS_PACKED = /^(?:[abdhiltupv]|rn|lb|lt|vb|vt)$/;
/** Options of `unzip` with which names are those in the archive, and all letters are known. */
const PLAIN_UNZIP = /^-[nouqfjaXKPdZltvpcz]$/;

function readUnzip(
  task: Task,
  scanned: ScannedWords,
  unpack: (source: ShellWord, folder: string | null, how?: Partial<Unpacked>) => void,
): void {
  const { options, operands, lost } = scanned;
  const [archive, ...names] = operands.map(({ word }) => word);
  if (archive === undefined) return;
  const isOption = (...letters: string[]): boolean => options.some(({ name }) => letters.includes(name));
  useArchive(task, archive);
  // Its own time becomes that of the newest file in it.
  if (isOption('-T')) useFile(task, archive, 'write');
  // A second dash takes a letter back, wherever it stands.
  const isTold =
    lost === null && [...options, ...names].every((each) => !/^-.*-/.test('name' in each ? each.name : each.head));
  const isPlain = isTold && options.every(({ name }) => PLAIN_UNZIP.test(name));
  const only = isPlain ? { only: names } : {};
  // These list, test, or print what is in it.
  if (isTold && isOption('-l', '-p', '-t', '-Z', '-v', '-c', '-z')) {
    const isListing = options.every(({ name }) => LISTS.test(name));
    task.draft.readOnly = isListing && isOption('-l', '-t', '-v') && isPlainCall(task);
    // What it prints of a file in there is as good as the file.
    if (isOption('-p', '-c')) noteUnpacking(task, { kind: 'archive', access: 'read', source: archive, ...only });
    return;
  }
  // These choose by other rules; with any other the names may be others.
  const isNamed = isTold && options.every(({ name }) => PLAIN_UNZIP.test(name) || name === '-x' || name === '-C');
  const folder = isNamed ? givenTo(scanned, '-d') : null;
  const how: Partial<Unpacked> = isOption('-j') ? { ...only, isFlat: true } : only;
  unpack(archive, folder, how);
  // What only refreshes makes no folder: without that of `-d` it does so here.
  if (isOption('-f') && folder !== null && folder !== '') unpack(archive, '', how);
}

/** `7z`: an archive, which gets an ending if it has none, and what goes into it or is told of, through links too. */
function readPacked(task: Task, words: readonly ShellWord[]): void {
  for (const word of words) useFile(task, word, 'read', { reach: 'through' });
  const [archive] = words;
  if (archive === undefined || (archive.value !== null && path.basename(archive.value).includes('.'))) return;
  for (const ending of ['7z', 'zip', 'tar', 'gz', 'bz2', 'xz', 'wim'])
    useDerived(task, 'write', archive, (name) => `${name}.${ending}`);
}

const LISTS = /^-[ltvq]$/;

/** An archive that is read. With wildcards it is several, found by the program itself; without an ending it may have one. */
function useArchive(task: Task, word: ShellWord): void {
  if (/[*?[]/.test(word.value ?? '')) useUnknownFile(task, 'read', `${task.name} expands ${word.text} itself`);
  else useFile(task, word, 'read');
  useEnded(task, word, 'read', ZIPPED);
}

/** The folder that it unpacks into; what lies below it is new. */
function useInto(task: Task, folder: string | null, from: number): void {
  if (folder === null) useUnknownFile(task, 'write', `the folder that ${task.name} unpacks into is not known`);
  else useFile(task, literalWord(folder === '' ? '.' : folder), 'write');
  addMade(
    task,
    folder === null ? wordWith(literalWord(''), { value: null }) : literalWord(folder === '' ? '.' : folder),
    task.bases,
    {
      kind: 'contents',
      from,
    },
  );
}

/** What the option is given; empty without it, null if that is not static, or several. */
function givenTo({ options }: ScannedWords, option: string): string | null {
  const [given, another] = options.filter(({ main }) => main === option);
  if (given === undefined) return '';
  return another !== undefined || given.value?.tilde === true ? null : (given.value?.value ?? null);
}
