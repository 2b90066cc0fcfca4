// Programs that search files for a text, or folders for names.
import type { Programs } from './program-table.js';

export const SEARCHING_PROGRAMS: Programs = {
  'rg ripgrep': {
    options: {
      shell: '--pre --hostname-bin',
      value:
        '-A -B -C -E -d -g -j -m -M -r -t -T --after-context --before-context --context --encoding --glob --iglob --max-count ' +
        '--max-depth --maxdepth --max-columns --max-filesize --threads --replace --type --type-not --sort --sortr --color --colors ' +
        '--path-separator --field-match-separator --field-context-separator --context-separator --engine --regex-size-limit ' +
        '--dfa-size-limit --type-add --type-clear --pre-glob -e --regexp',
      read: '-f --file --ignore-file',
      risk: '-z --search-zip --hyperlink-format',
      flag:
        '-a -b -c -F -H -h -i -I -l -L -n -N -o -p -P -q -s -S -u -U -v -w -x -0 --binary --text --byte-offset --case-sensitive ' +
        '--column --count --count-matches --crlf --debug --files --files-with-matches --files-without-match --fixed-strings ' +
        '--follow --glob-case-insensitive --heading --no-heading --hidden --ignore-case --include-zero --invert-match --json ' +
        '--line-buffered --line-number --no-line-number --line-regexp --multiline --multiline-dotall --no-config --no-filename ' +
        '--no-ignore --no-ignore-dot --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-messages --null --null-data ' +
        '--one-file-system --only-matching --passthru --pcre2 --pretty --quiet --smart-case --stats --trim --type-list ' +
        '--unrestricted --vimgrep --with-filename --word-regexp --version --help -V --no-unicode --auto-hybrid-regex',
    },
    operands: 'search',
    readOnly: 'listed',
  },
  'ag ack': {
    options: { acts: '--pager --ackrc', value: '-A -B -C -g -G -m --ignore', read: '-p' },
    operands: 'search',
  },
  'fd fdfind': {
    options: {
      acts: '-x --exec -X --exec-batch',
      value:
        '-d --max-depth --min-depth -t --type -e --extension -E --exclude -S --size -j --threads -c --color --changed-within --changed-before -o --owner --format',
      folder: '-C --base-directory',
      read: '--search-path --ignore-file',
    },
    operands: 'search',
  },
  'grep egrep fgrep': {
    options: {
      value:
        '-A -B -C -m -e -d -D --regexp --after-context --before-context --context --max-count --include --exclude --exclude-dir --binary-files --devices --directories --label',
      read: '-f --file --exclude-from',
      attached: '--color --colour',
    },
    operands: 'search',
    readOnly: 'any',
  },
};
