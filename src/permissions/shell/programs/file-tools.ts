// Programs that change files or reach the network: what their options and operands name.
import type { ProgramData } from './program-table.js';

export const FILE_TOOLS: Readonly<Record<string, ProgramData>> = {
  cp: {
    options: {
      write: '-t --target-directory',
      value: '-S --suffix --sparse --no-preserve',
      attached: '--backup --preserve --reflink',
    },
    operands: 'copy',
  },
  mv: { options: { write: '-t --target-directory', value: '-S --suffix', attached: '--backup' }, operands: 'move' },
  ln: { options: { write: '-t --target-directory', value: '-S --suffix', attached: '--backup' }, operands: 'link' },
  install: {
    options: {
      write: '-t --target-directory',
      value: '-g -m -o -S --group --mode --owner --suffix',
      acts: '--strip-program',
      attached: '--backup',
    },
    operands: 'copy',
  },
  'rm rmdir unlink srm trash trash-put': { options: { attached: '--interactive' }, operands: 'remove' },
  shred: {
    options: { value: '-n -s --iterations --size', read: '--random-source', attached: '--remove' },
    operands: 'remove',
  },
  'touch mkdir mkfifo truncate fallocate': {
    options: { value: '-d -m -s -t -l -o -Z --date --mode --size --time --length --offset', read: '-r --reference' },
    operands: 'write',
  },
  mknod: { options: { value: '-m --mode' }, operands: 'write' },
  mktemp: { options: { write: '-p --tmpdir', value: '--suffix' }, operands: 'write' },
  tee: { operands: 'write' },
  sponge: { operands: 'write' },
  'chmod chown chgrp chattr chcon': { options: { read: '--reference', value: '--from' }, operands: 'change' },
  setfacl: {
    options: { read: '--reference', value: '-m -x -M -X -s --modify --set' },
    operands: 'write',
  },
  dd: { reads: 'dd' },
  'gzip gunzip bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 brotli compress uncompress pigz': {
    options: {
      write: '-o --output',
      value: '-S --suffix -T --threads -M -p -b',
      read: '-D',
      acts: '--use-compress-program',
    },
    operands: 'remove',
  },
  'zcat bzcat xzcat zstdcat lzcat zless zmore zgrep bzgrep xzgrep': { operands: 'read' },
  zip: {
    options: { value: '-n -x -i -t -tt', write: '-b', acts: '-TT --unzip-command', risk: '-T' },
    operands: 'write',
  },
  'unzip funzip': { options: { write: '-d', value: '-x -P', risk: '-:' }, operands: 'read', reads: 'unpacker' },
  '7z 7za 7zr unrar': { operands: 'write', reads: 'unpacker' },
  'ar cpio pax': {
    reads: 'unpacker',
    options: { write: '-F -O --file', folder: '-D --directory', acts: '--rsh-command', read: '-I -E' },
    operands: 'write',
  },
  patch: {
    reads: 'patch',
    options: {
      read: '-i --input',
      write: '-o --output -r --reject-file',
      folder: '-d --directory',
      value: '-p --strip -F -B -D -V -Y -z -g',
      risk: '-e --ed',
    },
    operands: 'write',
  },
  split: {
    options: { acts: '--filter', value: '-a -b -C -l -n -t --additional-suffix --bytes --lines --number' },
    operands: 'write',
  },
  csplit: { options: { write: '-f --prefix', value: '-b -n --suffix-format --digits' }, operands: 'read' },
  'rename prename': { options: { code: '-e -E' }, operands: 'write' },
  'mount umount losetup mkfs mkfs.ext4 mkswap fdisk parted wipefs': { operands: 'write' },
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
  'xxd iconv uuencode uudecode': { options: { value: '-c -g -l -s -o -f -t', write: '--output' }, operands: 'filter' },
  base64: { options: { value: '-w --wrap -b', write: '-o --output', read: '-i --input' }, operands: 'read' },
  curl: {
    options: {
      write:
        '-o --output --output-dir -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc --ssl-sessions --knownhosts --unix-socket --abstract-unix-socket',
      read: '-T --upload-file --netrc-file --cacert --capath --cert -E --key --etag-compare --crlfile --random-file --egd-file --proxy-cert --proxy-key --proxy-cacert --proxy-capath --proxy-crlfile',
      acts: '-K --config --engine --proto-default',
      value:
        '-A -b -C -d -e -F -H -m -P -Q -r -t -u -U -w -X -x -y -Y -z --data --data-raw --data-binary --data-urlencode --json --header ' +
        '--request --user --user-agent --url --max-time --connect-timeout --retry --retry-delay --referer --cookie --form ' +
        '--proxy --resolve --range --write-out --limit-rate --interface --max-redirs --ciphers --aws-sigv4 --connect-to --url-query --variable --form-string',
      risk: '-O --remote-name -J --remote-header-name --remote-name-all',
    },
    operands: 'none',
    reads: 'curl',
  },
  wget: {
    options: {
      write:
        '-O --output-document -o --output-file -a --append-output -P --directory-prefix --save-cookies --warc-file --rejected-log --hsts-file',
      read: '-i --input-file --load-cookies --ca-certificate --certificate --post-file --body-file',
      acts: '-e --execute --config --use-askpass',
      value:
        '-t -T -w -Q -A -R -D -U -B -I -X -l --tries --timeout --header --user --password --user-agent --post-data --method --level --referer',
      risk: '--content-disposition --trust-server-names',
    },
    operands: 'none',
    reads: 'wget',
  },
  'nc ncat netcat': {
    options: { shell: '-c --sh-exec', acts: '-e --exec --lua-exec', read: '--ssl-cert', write: '-o --output' },
    operands: 'none',
  },
  'tcpdump tshark': { options: { acts: '-z', write: '-w', read: '-r -F -V' }, operands: 'none' },
  nmap: {
    options: { acts: '--script --script-args --datadir', write: '-oN -oX -oG -oA', read: '-iL' },
    operands: 'none',
    isSingleDash: true,
  },
};

/** Filters and programs that only tell something: harmless with any option. */
export const READ_ONLY_TOOLS: Readonly<Record<string, ProgramData>> = {
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
