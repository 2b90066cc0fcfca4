// Programs that only read what they are given, or only tell something.
import type { Programs } from './program-table.js';

export const READING_PROGRAMS: Programs = {
  'sort gsort': {
    options: {
      write: '-o --output -T --temporary-directory',
      shell: '--compress-program',
      value: '-k --key -S --buffer-size -t --field-separator --parallel --batch-size --sort',
      attached: '--check',
      read: '--files0-from --random-source',
      flag:
        '-b -c -C -d -f -g -h -i -m -M -n -r -R -s -u -V -z --ignore-leading-blanks --dictionary-order --ignore-case ' +
        '--general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort ' +
        '--reverse --version-sort --merge --stable --unique --zero-terminated --debug --help --version',
    },
    operands: 'read',
    readOnly: 'listed',
  },
  file: {
    options: {
      acts: '-m --magic-file',
      risk: '-C --compile -z --uncompress -Z --uncompress-noreport -S --no-sandbox',
      read: '-f --files-from',
      value: '-e --exclude -F --separator -P --parameter --exclude-quiet',
      flag: '-b --brief -c --checking-printout -d -E -h --no-dereference -i --mime --mime-type --mime-encoding -k --keep-going -l --list -L --dereference -n -N --no-pad -p -r --raw -s -v --version -0 --print0 --extension --apple',
    },
    operands: 'read',
    readOnly: 'listed',
  },
  date: {
    // Anything but a format sets the clock.
    actingOperands: /^[^+]/,
    options: {
      value: '-d --date',
      read: '-f --file -r --reference',
      risk: '-s --set',
      attached: '-I --iso-8601 --rfc-3339',
      flag: '-u --utc --universal -R --rfc-email --help --version --debug',
    },
    operands: 'none',
    readOnly: 'listed',
  },
  tree: {
    options: {
      write: '-o',
      value: '-L -P -I -H -T --filelimit --charset --timefmt --sort',
      read: '--gitfile --infofile',
      flag: '-a -d -l -f -x -R -N -Q -p -u -g -s -h -D -F -q -r -t -c -U -v -i -A -S -n -C -J -X --du --si --noreport --dirsfirst --prune --gitignore --matchdirs --ignore-case --inodes --device --version --help',
    },
    operands: 'read',
    readOnly: 'listed',
  },
  'uniq guniq': {
    options: { value: '-f -s -w --skip-fields --skip-chars --check-chars', attached: '--all-repeated --group' },
    operands: 'filter',
    readOnly: 'any',
  },
  'ls dir vdir': {
    options: {
      value: '-I -T -w --ignore --block-size --color --format --hide --sort --time --time-style --width --tabsize',
    },
    operands: 'read',
    readOnly: 'any',
  },
  'cat tac rev': { operands: 'read', readOnly: 'any' },
  'head tail': {
    options: { value: '-n -c --lines --bytes -s --sleep-interval --pid --max-unchanged-stats' },
    operands: 'read',
    readOnly: 'any',
  },
  'nl fold expand unexpand fmt paste': {
    options: { value: '-b -d -f -h -i -l -n -s -t -v -w --delimiters --width --tabs' },
    operands: 'read',
    readOnly: 'any',
  },
  'cut column': {
    options: {
      value:
        '-b -c -d -f -s -o --bytes --characters --delimiter --fields --output-delimiter --separator --table-columns',
    },
    operands: 'read',
    readOnly: 'any',
  },
  tr: { operands: 'none', readOnly: 'any' },
  'wc cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum': {
    options: { read: '--files0-from' },
    operands: 'read',
    readOnly: 'any',
  },
  'comm cmp': {
    options: { value: '-i -n --ignore-initial --bytes --output-delimiter' },
    operands: 'read',
    readOnly: 'any',
  },
  diff: {
    options: {
      risk: '-l --paginate',
      read: '--from-file --to-file -X --exclude-from',
      value:
        '-C -U -D -F -I -S -W -x --context --unified --exclude --ignore-matching-lines --label -L --width --horizon-lines --show-function-line',
    },
    operands: 'read',
    readOnly: 'any',
  },
  'stat du df': {
    options: {
      value: '-c -f -t -B -d -x --format --printf --block-size --max-depth --threshold --exclude --type --exclude-type',
      read: '--files0-from -X --exclude-from',
    },
    operands: 'read',
    readOnly: 'any',
  },
  'od hexdump strings': {
    options: { value: '-A -j -N -S -t -w -n -e -s --address-radix --format' },
    operands: 'read',
    readOnly: 'any',
  },
  'basename dirname seq expr nproc arch uname whoami id groups tty true false sleep uptime free which cal printf echo pwd test [':
    { operands: 'none', readOnly: 'any' },
  'realpath readlink': { operands: 'read', readOnly: 'any' },
};
