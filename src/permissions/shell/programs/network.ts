// `curl`: texts of a request can be taken from files, and addresses can be files.

import { literalWord, replacedWord, type ShellWord, tailWord } from '../syntax/shell-word.js';
import { sayActing, type Task } from '../task.js';
import { useFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';

export const NETWORK_PROGRAMS: Programs = {
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
    read: readCurl,
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
    read: readWget,
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
  socat: {
    operands: 'none',
    actingOperands: /^!?!?(?:exec|system|shell|open|file|create|creat|gopen|pipe|fifo|pty|readline|-?\/)/i,
  },
};

const FROM_FILES = /^(?:-d|-H|-b|--variable|--data.*|--json|--header|--cookie|--url-query|-w|--write-out|-F|--form.*)$/;

export function readCurl(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  for (const { word } of operands) readAddress(task, word);
  for (const { name, value } of options) {
    if (value === null) continue;
    if (name === '--url') readAddress(task, value);
    for (const [, target] of name === '-w' || name === '--write-out'
      ? value.head.matchAll(/%output\{(?:>>)?([^}]*)/g)
      : [])
      useFile(task, literalWord(target ?? ''), 'write');
    // Without a sign between name and value it is the name of a file.
    if ((name === '-b' || name === '--cookie') && value.value !== null && !value.value.includes('='))
      useFile(task, value, 'read');
    if (!FROM_FILES.test(name)) continue;
    // `@file`, `name@file`, and in forms `name=@file` and `name=<file`.
    const start = /^(?:[\w-]*@|[\w-]*=[@<])"?/.exec(value.head)?.[0];
    const rest = start === undefined ? null : tailWord(value, start.length);
    const file =
      start?.endsWith('"') === true && rest?.value != null ? literalWord(rest.value.replace(/".*$/, '')) : rest;
    if (file !== null && file.value !== '-') useFile(task, file, 'read');
    else if (start === undefined && value.value === null && value.head === '') useFile(task, value, 'read');
  }
}

function readAddress(task: Task, word: ShellWord): void {
  const start = /^file:(?:\/\/(?:localhost)?(?=\/))?/i.exec(word.head)?.[0];
  if (start !== undefined) useFile(task, tailWord(word, start.length), 'read');
  // Curl makes addresses of braces and brackets: what stands in front of the host may be `file`.
  else if (/^[^/]*[[{]/.test(word.head)) sayActing(task, `${word.text} may be the address of a file`);
}

/** `wget`: what it fetches gets the name that the address ends in. */
export function readWget(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  if (options.some(({ name }) => name === '-O' || name === '--output-document')) return;
  const folder = options.find(({ name }) => name === '-P' || name === '--directory-prefix')?.value;
  for (const { word } of operands) {
    const name = /([^/?#]+)(?:[?#].*)?$/.exec(word.head)?.[1] ?? '';
    if (folder === undefined) useFile(task, literalWord(`./${name}`), 'write');
    else if (folder !== null && folder.value !== null)
      useFile(task, replacedWord(folder, `${folder.value}/${name}`), 'write');
  }
}
