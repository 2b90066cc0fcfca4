// Programs that only read what they are given, or only tell something.

import { literalWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { type FileDetails, mayBeNone, useFile, useHere } from './operands.js';
import type { ProgramData, Programs, ProgramTable } from './program-table.js';
import { readByTable, readOptions } from './read-by-table.js';
import { scanOptions } from './scan-options.js';

const CHECKSUM = {
  options: {
    lists: '-c,--check',
    flag: '-b,--binary -t,--text -z,--zero -w,--warn --tag --quiet --status --strict --ignore-missing',
  },
  operands: 'read',
  readOnly: 'any',
} as const;

/** Those that show files, whole or in part. */
const SHOWING: Programs = {
  'ls dir vdir': {
    options: {
      value:
        '-I,--ignore -T,--tabsize -w,--width --block-size --format --hide --indicator-style --quoting-style --sort --time --time-style',
      attached: '--color --hyperlink --classify',
      flag: '-R,--recursive -a,--all -A,--almost-all -d,--directory -l -h,--human-readable -r,--reverse -t -S -1 -L,--dereference',
    },
    operands: 'read',
    here: 'read',
    deep: '-R',
    readOnly: 'any',
    read: readListing,
  },
  'cat rev': { operands: 'read', readOnly: 'any' },
  tac: { options: { value: '-s,--separator' }, operands: 'read', readOnly: 'any' },
  head: { options: { value: '-n,--lines -c,--bytes' }, operands: 'read', readOnly: 'any' },
  tail: {
    options: { value: '-n,--lines -c,--bytes -s,--sleep-interval --pid --max-unchanged-stats', attached: '--follow' },
    operands: 'read',
    readOnly: 'any',
  },
  nl: {
    options: {
      value:
        '-b,--body-numbering -d,--section-delimiter -f,--footer-numbering -h,--header-numbering -i,--line-increment ' +
        '-l,--join-blank-lines -n,--number-format -s,--number-separator -v,--starting-line-number -w,--number-width',
    },
    operands: 'read',
    readOnly: 'any',
  },
  fold: { options: { value: '-w,--width' }, operands: 'read', readOnly: 'any' },
  'expand unexpand': { options: { value: '-t,--tabs' }, operands: 'read', readOnly: 'any' },
  fmt: { options: { value: '-w,--width -g,--goal -p,--prefix' }, operands: 'read', readOnly: 'any' },
  paste: { options: { value: '-d,--delimiters' }, operands: 'read', readOnly: 'any' },
  pr: {
    options: {
      value:
        '-D,--date-format -h,--header -l,--length -N,--first-line-number -o,--indent -W,--page-width -w,--width --columns --pages',
      attached: '-e,--expand-tabs -i,--output-tabs -n,--number-lines -s,--separator -S,--sep-string',
    },
    operands: 'read',
    readOnly: 'any',
  },
  cut: {
    options: { value: '-b,--bytes -c,--characters -d,--delimiter -f,--fields --output-delimiter' },
    operands: 'read',
    readOnly: 'any',
  },
  column: {
    options: {
      value:
        '-c,--output-width,--columns -C,--table-column -E,--table-noextreme -H,--table-hide -i,--tree-id -l,--table-columns-limit ' +
        '-n,--table-name -N,--table-columns -o,--output-separator -O,--table-order -p,--tree-parent -r,--tree -R,--table-right ' +
        '-s,--separator -T,--table-truncate -W,--table-wrap',
      flag: '-t,--table -d,--table-noheadings -e,--table-header-repeat -J,--json -L,--keep-empty-lines,--table-empty-lines -x,--fillrows',
    },
    operands: 'read',
    readOnly: 'any',
  },
  'base64 base32 basenc': {
    options: { value: '-w,--wrap -b', write: '-o,--output', read: '--input' },
    operands: 'read',
    readOnly: 'any',
  },
  od: {
    options: {
      value: '-A,--address-radix -j,--skip-bytes -N,--read-bytes -t,--format -S --endian',
      attached: '-w,--width --strings',
    },
    operands: 'read',
    readOnly: 'any',
  },
  'hexdump hd': {
    options: { value: '-e,--format -n,--length -s,--skip', attached: '-L,--color', read: '-f,--format-file' },
    operands: 'read',
    readOnly: 'any',
  },
  strings: {
    options: {
      value: '-n,--bytes -t,--radix -e,--encoding -s,--output-separator -T,--target -U,--unicode',
      flag: '-a,--all -d,--data -f,--print-file-name -o -w,--include-all-whitespace',
    },
    operands: 'read',
    takesWordFiles: true,
    readOnly: 'any',
  },
  shuf: {
    options: {
      write: '-o,--output',
      read: '--random-source',
      value: '-i,--input-range -n,--head-count',
      flag: '-e,--echo -r,--repeat -z,--zero-terminated --help --version',
    },
    operands: 'read',
    readOnly: 'listed',
  },
  'sort gsort': {
    options: {
      write: '-o,--output -T,--temporary-directory',
      shell: '--compress-program',
      value: '-k,--key -S,--buffer-size -t,--field-separator --parallel --batch-size --sort',
      attached: '--check',
      list: '--files0-from',
      read: '--random-source',
      flag:
        '-b,--ignore-leading-blanks -c -C -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort ' +
        '-h,--human-numeric-sort -i,--ignore-nonprinting -m,--merge -M,--month-sort -n,--numeric-sort -r,--reverse ' +
        '-R,--random-sort -s,--stable -u,--unique -V,--version-sort -z,--zero-terminated --debug --help --version',
    },
    operands: 'read',
    readOnly: 'listed',
  },
  'uniq guniq': {
    options: {
      value: '-f,--skip-fields -s,--skip-chars -w,--check-chars',
      attached: '--all-repeated --group',
    },
    operands: 'filter',
    readOnly: 'any',
  },
};

/** What programs that compare files take. With `-l` they start `pr`. */
const DIFF: ProgramData = {
  options: {
    risk: '-l,--paginate',
    read: '--from-file --to-file -X,--exclude-from',
    value:
      '-C -U -D,--ifdef -F,--show-function-line -I,--ignore-matching-lines -L,--label -S,--starting-file -W,--width ' +
      '-x,--exclude --horizon-lines --palette --tabsize --line-format --old-line-format --new-line-format ' +
      '--unchanged-line-format --old-group-format --new-group-format --unchanged-group-format --changed-group-format',
    attached: '--context --unified --color',
    flag: '-r,--recursive --no-dereference -q,--brief -N,--new-file -u -c -y,--side-by-side -i,--ignore-case -w,--ignore-all-space -s,--report-identical-files',
  },
  operands: 'none',
  read: readDiff,
};

/** Those that compare, count or describe files. */
const DESCRIBING: Programs = {
  wc: {
    options: {
      list: '--files0-from',
      value: '--total',
      flag: '-c,--bytes -m,--chars -l,--lines -L,--max-line-length -w,--words',
    },
    operands: 'read',
    readOnly: 'any',
  },
  'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum': CHECKSUM,
  b2sum: { ...CHECKSUM, options: { ...CHECKSUM.options, value: '-l,--length' } },
  cksum: { ...CHECKSUM, options: { ...CHECKSUM.options, value: '-a,--algorithm -l,--length' } },
  sum: { operands: 'read', readOnly: 'any' },
  comm: { options: { value: '--output-delimiter' }, operands: 'read', readOnly: 'any' },
  cmp: { options: { value: '-i,--ignore-initial -n,--bytes' }, operands: 'read', readOnly: 'any' },
  join: {
    options: { value: '-a -e -1 -2 -j -o -t -v' },
    operands: 'read',
    readOnly: 'any',
  },
  ptx: {
    options: {
      value:
        '-F,--flag-truncation -M,--macro-name -S,--sentence-regexp -W,--word-regexp -g,--gap-size -w,--width --format',
      read: '-b,--break-file -i,--ignore-file -o,--only-file',
      flag: '-A,--auto-reference -O -T -C,--copyright -R,--right-side-refs -f,--ignore-case -r,--references -t,--typeset-mode',
      // The second operand is what it writes then.
      acts: '-G,--traditional',
      tells: '--help --version',
    },
    operands: 'read',
    hasAllOptions: true,
  },
  'tsort look dircolors lzmainfo': { operands: 'read', readOnly: 'any' },
  // Scripts, which hand all options on and know no value of one.
  'zdiff zcmp bzdiff bzcmp xzdiff xzcmp lzdiff lzcmp': {
    options: { flag: '-r,--recursive --no-dereference' },
    operands: 'none',
    read: readDiff,
  },
  diff3: {
    options: {
      shell: '--diff-program',
      value: '-L,--label',
      flag: '-A,--show-all -e,--ed -E,--show-overlap -3,--easy-only -x,--overlap-only -X -m,--merge -a,--text -i -T,--initial-tab',
    },
    operands: 'read',
  },
  sdiff: {
    options: {
      shell: '--diff-program',
      write: '-o,--output',
      value: '-I,--ignore-matching-lines -w,--width --tabsize',
      flag: '-i,--ignore-case -E -Z -b -W -B -a,--text -l,--left-column -s,--suppress-common-lines -t,--expand-tabs -d,--minimal -H',
    },
    operands: 'none',
    read: readDiff,
  },
  colordiff: DIFF,
  icdiff: { options: { write: '-o,--output', flag: '-r,--recursive' }, operands: 'none', read: readDiff },
  'wdiff dwdiff': { options: { write: '-o,--output' }, operands: 'read' },
  pv: {
    options: {
      write: '-P,--pidfile',
      value:
        '-L,--rate-limit -s,--size -i,--interval -w,--width -H,--height -N,--name -F,--format -B,--buffer-size -D,--delay-start ' +
        '-A,--last-written -R,--remote',
    },
    operands: 'read',
  },
  hexyl: { options: { value: '-n,--length -s,--skip -c --block-size' }, operands: 'read' },
  rhash: {
    options: {
      write: '-o,--output -l,--log',
      lists: '-c,--check -k,--check-embedded -u,--update --missing --unverified',
      list: '--file-list',
      value: '-p,--printf --maxdepth --exclude --accept --path-separator',
      flag:
        '-a,--all -r,--recursive -v,--verbose -s,--simple -i,--ignore-case -P,--percents --bsd --gost -C,--crc32 --md4 -M,--md5 -H,--sha1 ' +
        '--sha224 --sha256 --sha384 --sha512 --sha3-224 --sha3-256 --sha3-384 --sha3-512 -W,--whirlpool -T,--tiger --blake2b --blake2s ' +
        '-E,--ed2k --tth --aich --no-follow --follow --speed --skip-ok --lowercase --uppercase -B,--benchmark',
      tells: '-h,--help -V,--version --list-hashes',
    },
    operands: 'none',
    hasAllOptions: true,
    read: readThroughLinks,
  },
  ssdeep: {
    options: { list: '-f', read: '-m -k -x', value: '-t', flag: '-r -b -c -d -g -l -p -s -v -a', tells: '-h -V' },
    operands: 'none',
    hasAllOptions: true,
    read: readThroughLinks,
  },
  'tokei cloc scc loc': {
    options: {
      write: '-o,--output --out,--report-file --ignored --counted --found --categorized --sql --write-lang-def',
      read: '--read-lang-def --force-lang-def --exclude-list-file --config',
      list: '--list-file',
      value:
        '-e,--exclude --exclude-dir --include-lang --exclude-lang --exclude-ext --include-ext -i -x -M,--not-match --match-f ' +
        '--not-match-f --match-d --not-match-d --sort -s -t,--types -c,--columns --timeout --processes -f,--format --wide',
      flag:
        '--by-file --by-percent --by-file-by-lang --quiet --json --csv --xml --yaml --md --hide-rate --git --vcs-ignore --skip-uniqueness ' +
        '--diff --count-and-diff --follow-links --files --hidden --no-ignore -w -C --compact --by-language -l,--languages --no-cocomo --no-complexity --progress-rate',
      tells: '-h,--help -V,--version',
    },
    operands: 'none',
    here: 'read',
    hasAllOptions: true,
    read: readThroughLinks,
  },
  diff: { ...DIFF, readOnly: 'any' },
  stat: {
    options: { value: '-c,--format --printf --cached', flag: '-L,--dereference -f,--file-system -t,--terse' },
    operands: 'read',
    readOnly: 'any',
  },
  du: {
    options: {
      value: '-B,--block-size -d,--max-depth -t,--threshold --exclude --time-style',
      attached: '--time',
      read: '-X,--exclude-from',
      list: '--files0-from',
      flag: '-L,--dereference -a,--all -s,--summarize -h,--human-readable -c,--total',
    },
    operands: 'read',
    here: 'read',
    deep: 'always',
    follows: '-L',
    readOnly: 'any',
  },
  df: {
    options: { value: '-B,--block-size -t,--type -x,--exclude-type', attached: '--output' },
    operands: 'read',
    readOnly: 'any',
  },
  file: {
    options: {
      acts: '-m,--magic-file',
      risk: '-C,--compile -z,--uncompress -Z,--uncompress-noreport -S,--no-sandbox',
      list: '-f,--files-from',
      value: '-e,--exclude -F,--separator -P,--parameter --exclude-quiet',
      flag:
        '-b,--brief -c,--checking-printout -d -E -h,--no-dereference -i,--mime --mime-type --mime-encoding -k,--keep-going ' +
        '-l,--list -L,--dereference -n,--no-buffer -N,--no-pad -p,--preserve-date -r,--raw -s,--special-files -v,--version ' +
        '-0,--print0 --extension --apple',
    },
    operands: 'read',
    readOnly: 'listed',
    read: readFile,
  },
  tree: {
    options: {
      // It starts again in each folder, and writes what it shows there.
      risk: '-R',
      write: '-o',
      value: '-L -P -I -H -T --filelimit --charset --timefmt --hintro --houtro',
      attached: '--sort',
      read: '--gitfile --infofile',
      flag: '-a -d -l -f -x -N -Q -p -u -g -s -h -D -F -q -r -t -c -U -v -i -A -S -n -C -J -X --du --si --noreport --dirsfirst --prune --gitignore --matchdirs --ignore-case --inodes --device --version --help',
    },
    operands: 'read',
    here: 'read',
    deep: 'always',
    follows: '-l',
    readOnly: 'listed',
  },
  realpath: { options: { value: '--relative-to --relative-base' }, operands: 'read', readOnly: 'any' },
  readlink: { operands: 'read', readOnly: 'any' },
};

/** Those that open no files by their words. */
const TELLING: Programs = {
  date: {
    // Anything but a format sets the clock.
    actingOperands: /^[^+]/,
    options: {
      value: '-d,--date --rfc-3339',
      read: '-f,--file -r,--reference',
      risk: '-s,--set',
      attached: '-I,--iso-8601',
      flag: '-u,--utc,--universal -R,--rfc-email --help --version --debug',
    },
    operands: 'none',
    readOnly: 'listed',
  },
  // With an `e` that has no dash it shows what the environment of each process holds.
  ps: {
    options: {
      value:
        '-C -g,--group -G,--Group -O -o,--format -p,--pid -q,--quick-pid -s,--sid -t,--tty -u,--user -U,--User --ppid --cols --columns ' +
        '--lines --rows --sort --width',
      flag: '-A -a -c -d -e -f -F -H -j -l -L -M -N -T -w -y -Z --context --deselect --forest --headers --no-headers --info --version --help',
    },
    operands: 'none',
    actingOperands: /^[a-zA-Z]*[eE]/,
    actingValues: /env/i,
    readOnly: 'listed',
  },
  pgrep: {
    options: {
      read: '-F,--pidfile',
      value:
        '-d,--delimiter -g,--pgroup -G,--group -O,--older -P,--parent -s,--session -t,--terminal -u,--euid -U,--uid --ns --nslist -r,--runstates',
    },
    operands: 'none',
    readOnly: 'any',
  },
  // A name sets it.
  hostname: {
    options: {
      acts: '-F,--file -b,--boot',
      flag: '-a,--alias -A,--all-fqdns -d,--domain -f,--fqdn,--long -i,--ip-address -I,--all-ip-addresses -s,--short -y,--yp,--nis',
      tells: '-V,--version -h,--help',
    },
    operands: 'none',
    actingOperands: /^/,
    readOnly: 'listed',
  },
  lsof: {
    options: {
      // It keeps what it knows of devices in a file of that name.
      acts: '-D',
      value: '-p -u -c -d -s -g',
      attached: '-i -F',
      flag: '-n -P -t -l -a -U -w -V -R -b -N -O',
    },
    operands: 'read',
    // A machine behind the sign is looked up, in the same word as the option or in the next.
    actingValues: /^-i.*@/,
    actingOperands: /^[46]?[a-z]*@/i,
    readOnly: 'listed',
  },
  tr: { operands: 'none', readOnly: 'any' },
  // What they are given is a file of the system's in another place.
  utmpdump: {
    options: { write: '-o,--output', flag: '-f,--follow -r,--reverse', tells: '-h,--help -V,--version' },
    operands: 'read',
    readOnly: 'listed',
  },
  // Who is behind an address they ask the network, and which addresses stand in the file is no secret to who wrote it.
  'last lastb': {
    options: {
      read: '-f,--file',
      risk: '-d,--dns',
      flag: '-a,--hostlast -F,--fulltimes -i,--ip -R,--nohostname -w,--fullnames -x,--system',
      value: '-n,--limit -p,--present -s,--since -t,--until --time-format',
    },
    operands: 'read',
    readOnly: 'listed',
  },
  'who users': {
    options: {
      read: '-f,--file',
      flag: '-a -b -d -H -l -m -q -r -s -T -u -w -F -i -x -R --all --boot --count --heading --fulltimes',
      value: '--limit --present --time-format',
    },
    operands: 'read',
    readOnly: 'listed',
  },
  'lscpu locale getconf tput mcookie pidof vmstat w hostid pathchk mountpoint': {
    options: { acts: '-s,--sysroot -S', read: '-f,--file', flag: '-n' },
    operands: 'none',
    readOnly: 'listed',
  },
  'lsmem lslocks lsipc': {
    options: { acts: '-s,--sysroot', value: '-o,--output', flag: '-n,--noheadings -J,--json -r,--raw -b,--bytes' },
    operands: 'none',
    readOnly: 'listed',
  },
  uuidgen: {
    options: { value: '-n,--namespace -N,--name', flag: '-r,--random -t,--time -m,--md5 -s,--sha1 -x,--hex' },
    operands: 'none',
    readOnly: 'listed',
  },
  // A file of states, and what others show.
  lsblk: {
    options: {
      acts: '--sysroot',
      value: '-o,--output -x,--sort -e,--exclude -I,--include',
      flag: '-a,--all -f,--fs -l,--list -J,--json -n,--noheadings -p,--paths -b,--bytes -d,--nodeps -m,--perms -S,--scsi -t,--topology -D,--discard -r,--raw',
    },
    operands: 'none',
    readOnly: 'listed',
  },
  findmnt: {
    options: {
      read: '-F,--tab-file -N,--task',
      value: '-o,--output -O,--options -t,--types -S,--source -T,--target -M,--mountpoint -d,--direction -w,--timeout',
      attached: '-p,--poll',
      flag:
        '-A,--all -a,--ascii -b,--bytes -C,--nocanonicalize -c,--canonicalize -D,--df -e,--evaluate -f,--first-only -i,--invert -J,--json ' +
        '-k,--kernel -l,--list -n,--noheadings -P,--pairs -R,--submounts -r,--raw -s,--fstab -U,--uniq -u,--notruncate -v,--nofsroot -x,--verify',
    },
    operands: 'none',
    readOnly: 'listed',
  },
  'basename dirname seq expr nproc uname whoami id groups logname tty true false sleep uptime free which cal numfmt factor printf echo pwd test [ clear':
    { operands: 'none', readOnly: 'any' },
};

/** Of two folders it compares the files in them, through links too; of those below them only if it is told to. */
function readDiff(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  const has = (name: string): boolean => options.some(({ main }) => main === name);
  const [stays, isDeep] = [has('--no-dereference'), has('--recursive')];
  const how: FileDetails = stays ? { reach: 'tree' } : isDeep ? { reach: 'through' } : { reach: 'tree', into: null };
  for (const { word } of operands) useFile(task, word, 'read', how);
  // If one is a folder, the file of the same name in it is meant.
  for (const { main, value } of options)
    if (/^--(?:from|to)-file$/.test(main) && value !== null) useFile(task, value, 'read', how);
}

/** What is below the folders that it is given counts, through links too. */
function readThroughLinks(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  readOptions(task, table, scanned);
  const { operands } = scanned;
  for (const { word } of operands) useFile(task, word, 'read', { reach: 'through' });
  if (mayBeNone(operands) && table.here === 'read') useHere(task, 'read', 'through');
}

/** With options that only change the order, `ls` prints names and nothing else. */
function readListing(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  // Only together they lead through links below.
  const roots = operands.length === 0 ? [literalWord('.')] : operands.map(({ word }) => word);
  if (['--recursive', '--dereference'].every((name) => options.some(({ main }) => main === name)))
    for (const word of roots) useFile(task, word, 'read', { reach: 'through' });
  if (task.name !== 'ls' || !options.every(({ name }) => ORDERS.test(name))) return;
  // What is in a folder it calls by its last part, which means something in the folder of the shell.
  const from = [literalWord('.'), ...operands.map(({ word }) => word)];
  task.reader.listed = { roots: from, arePrefixed: false, areSplit: true, areForReading: true, areLastParts: true };
}

const ORDERS = /^-[1AdrStUX]$/;

/** To keep the times of files is to set them. */
function readFile(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  if (!options.some(({ main }) => main === '--preserve-date')) return;
  for (const { word } of operands) useFile(task, word, 'write');
  task.draft.readOnly = false;
}

export const READING_PROGRAMS: Programs = { ...SHOWING, ...DESCRIBING, ...TELLING };
