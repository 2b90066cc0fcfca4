// Programs that search files for a text, or folders for names.
import { useEnded } from './operands.js';
import type { ProgramData, Programs } from './program-table.js';
import { readByTable } from './read-by-table.js';

/** Endings that they look for if what they are given is not there. */
const PACKED = ['.gz', '.z', '-gz', '-z', '_z', '.Z', '.bz2', '.bz', '.xz', '.lzma', '.zst'];

const GREP: ProgramData = {
  options: {
    value:
      '-A,--after-context -B,--before-context -C,--context -m,--max-count -e,--regexp -d,--directories -D,--devices --include ' +
      '--exclude --exclude-dir --binary-files --label --group-separator',
    read: '-f,--file --exclude-from',
    attached: '--color,--colour',
    flag:
      '-r,--recursive -R,--dereference-recursive -i,--ignore-case -v,--invert-match -n,--line-number -l,--files-with-matches ' +
      '-L,--files-without-match -c,--count -o,--only-matching -w,--word-regexp -x,--line-regexp -E,--extended-regexp ' +
      '-F,--fixed-strings -G,--basic-regexp -U,--binary -b,--byte-offset -T,--initial-tab -Z,--null -a,--text -I --line-buffered -y -P,--perl-regexp -H,--with-filename -h,--no-filename -s,--no-messages -q,--quiet,--silent -z,--null-data',
  },
  operands: 'search',
  here: 'read',
  // What `-d` says may be `recurse`.
  deep: '-r -R -d',
  follows: '-R',
  equal: { '--dereference-recursive': '--dereference-recursive --recursive' },
  readOnly: 'any',
};

export const SEARCHING_PROGRAMS: Programs = {
  'rg ripgrep': {
    options: {
      shell: '--pre --hostname-bin',
      value:
        '-A,--after-context -B,--before-context -C,--context -E,--encoding -d,--max-depth,--maxdepth -e,--regexp -g,--glob --iglob ' +
        '-j,--threads -m,--max-count -M,--max-columns -r,--replace -t,--type -T,--type-not --max-filesize --sort --sortr --color ' +
        '--colors --path-separator --field-match-separator --field-context-separator --context-separator --engine --regex-size-limit ' +
        '--dfa-size-limit --type-add --type-clear --pre-glob --generate',
      read: '-f,--file --ignore-file',
      risk: '-z,--search-zip --hyperlink-format',
      flag:
        '-a,--text -b,--byte-offset -c,--count -F,--fixed-strings -H,--with-filename -h --help -i,--ignore-case -I,--no-filename ' +
        '-l,--files-with-matches -L,--follow -n,--line-number -N,--no-line-number -o,--only-matching -p,--pretty -P,--pcre2 -q,--quiet ' +
        '-s,--case-sensitive -S,--smart-case -u,--unrestricted -U,--multiline -v,--invert-match -V,--version -w,--word-regexp ' +
        '-x,--line-regexp -0,--null -.,--hidden --binary --column --count-matches --crlf --debug --files --files-without-match ' +
        '--glob-case-insensitive --heading --no-heading --include-zero --json --line-buffered --multiline-dotall --no-config --no-ignore ' +
        '--no-ignore-dot --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-messages --null-data --one-file-system --passthru ' +
        '--stats --trim --type-list --vimgrep --no-unicode --auto-hybrid-regex --no-ignore-files --no-ignore-exclude --stop-on-nonmatch',
    },
    operands: 'search',
    here: 'read',
    deep: 'always',
    follows: '-L',
    readOnly: 'listed',
  },
  'ag ack': {
    options: {
      acts: '--pager --ackrc',
      value:
        '-A,--after,--after-context -B,--before,--before-context -C,--context -g -G,--file-search-regex -m,--max-count --ignore --ignore-dir ' +
        '--depth',
      read: '-p,--path-to-ignore',
      list: '--files-from',
      lists: '-x',
      flag: '-f,--follow -u,--unrestricted --hidden',
    },
    operands: 'search',
    here: 'read',
    deep: 'always',
    follows: '-f',
  },
  'fd fdfind': {
    options: {
      acts: '-x,--exec -X,--exec-batch',
      value:
        '-d,--max-depth --min-depth --exact-depth -t,--type -e,--extension -E,--exclude -S,--size -j,--threads -c,--color ' +
        '--changed-within --changed-before -o,--owner --format --max-results --and',
      folder: '-C,--base-directory',
      read: '--search-path --ignore-file',
      flag:
        '-L,--follow -H,--hidden -u,--unrestricted -0,--print0 -I,--no-ignore -g,--glob -F,--fixed-strings -i,--ignore-case ' +
        '-s,--case-sensitive -a,--absolute-path -p,--full-path -1 -q,--quiet --no-ignore-vcs --no-ignore-parent --prune --regex',
      tells: '-h,--help -V,--version',
    },
    operands: 'search',
    here: 'read',
    deep: 'always',
    follows: '-L',
    // `-l` starts `ls`.
    readOnly: 'listed',
  },
  'grep egrep fgrep': GREP,
  rgrep: { ...GREP, deep: 'always' },
  // Scripts, which unpack what is packed and tell patterns from files each in its own way: all of their words count.
  'zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep zstdgrep': {
    options: {
      read: '-f,--file',
      flag:
        '-i,--ignore-case -v,--invert-match -n,--line-number -l,--files-with-matches -L,--files-without-match -c,--count ' +
        '-o,--only-matching -w,--word-regexp -x,--line-regexp -E,--extended-regexp -F,--fixed-strings -a,--text -H,--with-filename ' +
        '-h,--no-filename -s,--no-messages -q,--quiet',
      // Without a folder they go through the one they are in.
      risk: '-r,--recursive -R,--dereference-recursive',
    },
    operands: 'read',
    here: 'read',
    deep: '-r -R',
    follows: '-R',
    readOnly: 'listed',
    read: (task, table) => {
      for (const { word } of readByTable(task, table).operands) useEnded(task, word, 'read', PACKED);
    },
  },
};
