// Clients of the network: texts of a request can be taken from files, addresses can be files, and what is fetched gets a
// name that the address, an option or the server says.
import {
  globWord,
  literalWord,
  replacedWord,
  type ShellWord,
  tailWord,
  tildeWord,
  wordWith,
} from '../syntax/shell-word.js';

import { sayActing, type Task } from '../task.js';
import { addMade } from './file-uses.js';
import { useDerived, useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import { type FoundOption, has, type ScannedWords } from './scan-options.js';

export const NETWORK_PROGRAMS: Programs = {
  curl: {
    options: {
      write:
        '-c,--cookie-jar -D,--dump-header --trace --trace-ascii --stderr --etag-save --libcurl --hsts --alt-svc --ssl-sessions ' +
        '--knownhosts --unix-socket --abstract-unix-socket',
      read: '--pubkey --netrc-file --cacert --capath --key --etag-compare --crlfile --random-file --egd-file --proxy-cert --proxy-key --proxy-cacert --proxy-capath --proxy-crlfile',
      acts: '-K,--config --engine --proto-default --ech',
      value:
        '-o,--output --output-dir -T,--upload-file -E,--cert -A,--user-agent -b,--cookie -C,--continue-at -d,--data,--data-ascii ' +
        '-e,--referer -F,--form -H,--header -m,--max-time -P,--ftp-port -Q,--quote -r,--range -t,--telnet-option -u,--user ' +
        '-U,--proxy-user -w,--write-out -X,--request -x,--proxy -y,--speed-time -Y,--speed-limit -z,--time-cond --data-raw --data-binary ' +
        '--data-urlencode --json --url --connect-timeout --retry --retry-delay --retry-max-time --resolve --limit-rate --interface ' +
        '--max-redirs --ciphers --aws-sigv4 --connect-to --url-query --variable --form-string --proto --proto-redir --cert-type ' +
        '--key-type --pass --pinnedpubkey --tls-max --socks5 --socks5-hostname --noproxy --dns-servers --keepalive-time --parallel-max --rate ' +
        '--proxy-header --create-file-mode --curves --delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --doh-url ' +
        '--expect100-timeout --ftp-account --ftp-alternative-to-user --ftp-method --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms ' +
        '-h,--help --hostpubmd5 --hostpubsha256 --krb --local-port --login-options --mail-auth --mail-from --mail-rcpt --max-filesize ' +
        '--oauth2-bearer --preproxy --proxy-cert-type --proxy-ciphers --proxy-key-type --proxy-pass --proxy-pinnedpubkey ' +
        '--proxy-service-name --proxy-tls13-ciphers --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser --proxy1.0 ' +
        '--request-target --sasl-authzid --service-name --socks4 --socks4a --socks5-gssapi-service --tftp-blksize --tls13-ciphers ' +
        '--tlsauthtype --tlspassword --tlsuser --haproxy-clientip --ip-tos --ipfs-gateway --vlan-priority --sigalgs --trace-config',
      flag:
        '-O,--remote-name -J,--remote-header-name --remote-name-all -s,--silent -S,--show-error -L,--location -f,--fail ' +
        '-i,--show-headers,--include -I,--head -k,--insecure -v,--verbose -g,--globoff -G,--get -n,--netrc -N,--no-buffer ' +
        '-q,--disable -R,--remote-time -Z,--parallel -a,--append -#,--progress-bar -4,--ipv4 -6,--ipv6 -0,--http1.0 -l,--list-only ' +
        '-j,--junk-session-cookies -p,--proxytunnel -B,--use-ascii --create-dirs --compressed --http1.1 --http2 --http3 --no-clobber --netrc-optional --tlsv1',
      tells: '-V,--version -M,--manual',
    },
    operands: 'none',
    own: '~/.curlrc ~/.config/curlrc',
    // What is put into a value stands elsewhere.
    actingValues: /^--expand-/,
    equal: {
      '--data-raw': '--data-raw --data',
      '--data-binary': '--data-binary --data',
      '--data-urlencode': '--data-urlencode --data',
      '--json': '--json --data',
      '--form-string': '--form-string --form',
      '--remote-name-all': '--remote-name-all --remote-name',
    },
    readsValues: true,
    read: readCurl,
  },
  wget: {
    options: {
      write:
        '-O,--output-document -o,--output-file -a,--append-output --save-cookies --rejected-log --hsts-file --warc-tempdir',
      read: '-i,--input-file --load-cookies --ca-certificate --certificate --private-key --ca-directory --post-file --body-file --crl-file --warc-dedup',
      acts: '-e,--execute --config --use-askpass --choose-config',
      value:
        '-P,--directory-prefix -t,--tries -T,--timeout -w,--wait -Q,--quota -A,--accept -R,--reject -D,--domains -U,--user-agent -B,--base ' +
        '-I,--include-directories -X,--exclude-directories -l,--level --header --user --password --post-data --body-data --method ' +
        '--referer --warc-file --cut-dirs --max-redirect --limit-rate --bind-address --default-page --progress --restrict-file-names --waitretry ' +
        '--report-speed --retry-on-http-error --start-pos --dns-timeout --connect-timeout --read-timeout --prefer-family --local-encoding ' +
        '--remote-encoding --http-user --http-password --compression --proxy-user --proxy-password --secure-protocol --certificate-type ' +
        '--private-key-type --pinnedpubkey --ciphers --ftp-user --ftp-password --warc-header --warc-max-size --accept-regex ' +
        '--reject-regex --regex-type --exclude-domains --follow-tags --ignore-tags --preferred-location --input-metalink --metalink-index --dns-servers --bind-dns-address',
      attached: '--backups',
      flag:
        '-q,--quiet -v,--verbose -c,--continue -N,--timestamping -S,--server-response -r,--recursive -m,--mirror -p,--page-requisites ' +
        '-k,--convert-links -K,--backup-converted -E,--adjust-extension,--html-extension -H,--span-hosts -L,--relative -F,--force-html ' +
        '-x,--force-directories -b,--background -4,--inet4-only -6,--inet6-only -d,--debug --content-disposition --trust-server-names ' +
        '--spider --no-check-certificate --no-clobber --no-verbose --no-directories --no-parent --no-host-directories --delete-after',
      tells: '-V,--version -h,--help',
    },
    operands: 'none',
    own: '~/.netrc ~/.wgetrc',
    read: readWget,
  },
  'http https xh xhs': {
    options: {
      write: '-o,--output --session',
      read: '--cert --cert-key --session-read-only --verify',
      value: '-a,--auth -A,--auth-type --timeout --proxy -p,--print --pretty -s,--style --raw',
      flag: '-d,--download -j,--json -f,--form -c,--continue -b,--body -h,--headers -v,--verbose',
    },
    operands: 'none',
    read: readHttp,
  },
  aria2c: {
    options: {
      folder: '-d,--dir',
      write: '-o,--out -l,--log --save-session --save-cookies',
      read: '-i,--input-file --load-cookies --certificate --private-key -T,--torrent-file -M,--metalink-file',
      acts: '--conf-path --on-download-complete --on-download-start --on-download-stop --on-download-error --on-bt-download-complete',
      value: '-x -s -j -k --header --user-agent --checksum',
    },
    operands: 'none',
    here: 'write',
    deep: 'always',
    read: readAria,
  },
  'yt-dlp youtube-dl': {
    options: {
      shell: '--exec',
      acts: '--config-locations --downloader --external-downloader --plugin-dirs --use-postprocessor --ffmpeg-location',
      folder: '-P,--paths',
      read: '-a,--batch-file --cookies --load-info-json',
      value: '-f,--format -o,--output --proxy -r,--limit-rate',
    },
    operands: 'none',
    here: 'write',
    deep: 'always',
  },
  'nc ncat netcat': {
    options: {
      shell: '-c,--sh-exec',
      acts: '-e,--exec --lua-exec',
      read: '--ssl-cert --ssl-key --ssl-trustfile',
      write: '-o,--output --hex-dump',
      value: '-p,--source-port -s,--source -w,--wait -i,--idle-timeout -x -X',
    },
    operands: 'none',
  },
  'tcpdump tshark': { options: { acts: '-z', write: '-w', read: '-r -F -V', value: '-i -c -s' }, operands: 'none' },
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

/** Main names of options whose value may name a file behind a sign. */
const FROM_FILES: ReadonlySet<string> = new Set(
  (
    '--data --data-binary --data-urlencode --json --header --proxy-header --cookie --variable --url-query ' +
    '--write-out --form --url'
  ).split(' '),
);

function readCurl(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  const { options, operands } = scanned;
  const isPlain = has(scanned, '--globoff');
  const addresses = [
    ...operands.map(({ word }) => word),
    ...options.flatMap(({ main, value }) => (main === '--url' && value !== null ? [value] : [])),
  ];
  const uploads = has(scanned, '--upload-file');
  for (const word of addresses) readAddress(task, word, isPlain, uploads ? 'write' : 'read');
  for (const option of options) if (option.value !== null) readCurlValue(task, option, option.value, isPlain);
  if (has(scanned, '--netrc', '--netrc-optional')) useFile(task, homeFile('.netrc'), 'read');
  writeFetched(task, scanned, addresses);
}

function homeFile(name: string): ShellWord {
  return tildeWord(`~/${name}`, true);
}

function readCurlValue(task: Task, { main }: FoundOption, value: ShellWord, isPlain: boolean): void {
  switch (main) {
    case '--upload-file':
      // Curl expands lists here too.
      if (!isPlain && /[[{]/.test(value.head)) useUnknownFile(task, 'read', 'curl expands what it uploads itself');
      else if (value.value !== '.') useFile(task, value, 'read');
      return;
    case '--cert':
      // A password may follow.
      useFile(task, value.value === null ? value : replacedWord(value, value.value.split(':')[0] ?? ''), 'read');
      return;
    case '--form':
      readForm(task, value);
      return;
    case '--write-out':
      for (const [, target] of value.head.matchAll(/%output\{(?:>>)?([^}]*)/g))
        useFile(task, literalWord(target ?? ''), 'write');
      break;
    case '--pinnedpubkey':
    case '--proxy-pinnedpubkey':
      // A key, or sums of keys.
      if (!/^sha256\/\//.test(value.head)) useFile(task, value, 'read');
      return;
    case '--cookie':
      // Without a sign between name and value it is the name of a file.
      if (value.value !== null && !value.value.includes('=')) useFile(task, value, 'read');
  }
  if (!FROM_FILES.has(main)) return;
  // `@file` and `name@file`.
  const start = /^[\w-]*@/.exec(value.head)?.[0];
  if (start !== undefined) useFile(task, tailWord(value, start.length), 'read');
  else if (value.value === null && value.head === '') useFile(task, value, 'read');
}

/** `name=@file;headers=@file`, `name=<file`, `name=@one,two`. */
function readForm(task: Task, value: ShellWord): void {
  const { head } = value;
  const first = /^[^=]*=[@<]/.exec(head);
  if (value.value === null) {
    if (first !== null || !head.includes('=') || /[;,]/.test(head))
      useUnknownFile(task, 'read', 'a part of a form of curl');
    return;
  }
  if (head.includes('\\')) {
    useUnknownFile(task, 'read', 'a part of a form of curl is quoted');
    return;
  }
  const others = head.slice(first?.[0].length ?? 0).split(/[;,]/);
  for (const [at, part] of others.entries()) {
    const file = at === 0 && first !== null ? part : (/^\s*headers=[@<](.*)$/.exec(part)?.[1] ?? null);
    const isMore = first !== null && at > 0 && !/^\s*[\w-]+=/.test(part);
    if (file !== null) useFile(task, literalWord(plainName(file)), 'read');
    else if (isMore) useFile(task, literalWord(plainName(part)), 'read');
  }
}

function plainName(text: string): string {
  const name = text.trim();
  return name.startsWith('"') ? name.slice(1).replace(/".*$/, '') : name;
}

/** An address that is a file, or a folder to put one into. */
function readAddress(task: Task, word: ShellWord, isPlain: boolean, access: 'read' | 'write'): void {
  const start = /^file:(?:\/\/(?:localhost|127\.0\.0\.1)?(?=\/))?/i.exec(word.head)?.[0];
  if (start === undefined) {
    // Curl makes addresses of braces and brackets: what stands in front of the host may be `file`.
    if (!isPlain && /^[^/]*[[{]/.test(word.head)) sayActing(task, `${word.text} may be the address of a file`);
    return;
  }
  const target = tailWord(word, start.length);
  if (/%|[?#]/.test(target.head) || (!isPlain && /[[{]/.test(target.head)))
    useUnknownFile(task, access, `${task.name} decodes ${word.text} itself`);
  else useFile(task, target, access, access === 'write' ? { into: null } : {});
  // Of several uploads some may be none.
  if (access === 'write') useFile(task, target, 'read');
}

/** What is fetched and where it goes to. */
function writeFetched(task: Task, scanned: ScannedWords, addresses: readonly ShellWord[]): void {
  const folders = scanned.options.flatMap(({ main, value }) => (main === '--output-dir' ? [value] : []));
  // Behind this all options count anew: each may be that of any address.
  const isSeveral = scanned.options.some(({ name }) => /^(?:--nex?t?|-:)$/.test(name));
  const keeps = has(scanned, '--no-clobber');
  const put = (name: ShellWord): void => {
    if (name.value === '-') return;
    if (isSeveral) for (const folder of folders) putInto(folder, name);
    putInto(isSeveral ? undefined : folders.at(-1), name);
  };
  const putInto = (folder: ShellWord | null | undefined, name: ShellWord): void => {
    const isPlain = folder == null || (name.value ?? name.head).startsWith('/');
    if (!isPlain && (folder.value === null || name.value === null)) {
      useUnknownFile(task, 'write', 'where curl writes is not known');
      return;
    }
    const target = isPlain ? name : replacedWord(folder, `${folder.value}/${name.value}`);
    useFile(task, target, 'write');
    // What is there stays, and the new one has a number behind it.
    if (keeps && target.value !== null) useFile(task, numberedName(target, '.'), 'write');
  };
  for (const { main, value } of scanned.options) {
    if (main !== '--output' || value === null) continue;
    if (/#\d/.test(value.head)) useUnknownFile(task, 'write', `curl makes names of ${value.text}`);
    else put(value);
  }
  for (const folder of folders) if (folder !== null) useFile(task, folder, 'write');
  if (!has(scanned, '--remote-name', '--remote-name-all')) return;
  if (has(scanned, '--remote-header-name')) useUnknownFile(task, 'write', 'the server says the name of the file');
  for (const word of addresses) {
    const name = word.value === null ? null : nameInAddress(word.value);
    if (name === null) useUnknownFile(task, 'write', 'the file has its name from an address that is not known');
    else put(literalWord(name));
  }
}

/** Names that go on behind the word. */
function numberedName(word: ShellWord, sign: string): ShellWord {
  return globWord(wordWith(word, { text: '*' }), `${word.value ?? ''}${sign}`);
}

/** The last part of the path; null if something expands in the address. */
function nameInAddress(address: string): string | null {
  if (/[[\]{}]/.test(address)) return null;
  const plain = address.replace(/[?#].*$/, '').replace(/^[a-z][\w+.-]*:\/\//i, '');
  const slash = plain.lastIndexOf('/');
  const name = slash === -1 ? '' : plain.slice(slash + 1);
  return name === '' ? 'curl_response' : name === '.' || name === '..' ? null : name;
}

/** `wget`: what it fetches gets the name that the address ends in, in a folder that an option says. */
function readWget(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const scanned = readByTable(task, table);
  const { options, operands } = scanned;
  for (const { main, value } of options)
    if (main === '--ca-directory' && value !== null) useFile(task, value, 'read', { reach: 'through' });
  const archive = options.findLast(({ main }) => main === '--warc-file')?.value;
  if (archive != null)
    for (const ending of ['.warc.gz', '.warc', '.cdx'])
      useDerived(task, 'write', archive, (name) => `${name}${ending}`);
  if (archive?.value != null && has(scanned, '--warc-max-size')) useFile(task, numberedName(archive, '-'), 'write');
  const pinned = options.findLast(({ main }) => main === '--pinnedpubkey')?.value;
  if (pinned != null && !/^sha256\/\//.test(pinned.head)) useFile(task, pinned, 'read');
  if (has(scanned, '--spider')) return;
  // Its log stands in the folder of the shell, also if the rest goes elsewhere.
  if (has(scanned, '--background') && !has(scanned, '--output-file', '--append-output'))
    for (const each of [literalWord('wget-log'), numberedName(literalWord('wget-log'), '.')])
      useFile(task, each, 'write');
  const isMany = has(scanned, '--recursive', '--mirror', '--page-requisites', '--force-directories', '--input-file');
  if (has(scanned, '--output-document') && !isMany) return;
  if (operands.length === 0 && !isMany) return;
  const named = options.findLast(({ main }) => main === '--directory-prefix')?.value;
  const folder = named ?? literalWord('.');
  // Links that lie there already are written through.
  useFile(task, folder, 'write', isMany ? { reach: 'through', into: null } : {});
  if (isMany) {
    addMade(task, folder, task.bases, { kind: 'contents', from });
    return;
  }
  const isOther = has(
    scanned,
    '--content-disposition',
    '--trust-server-names',
    '--adjust-extension',
    '--convert-links',
    '--backups',
  );
  // What an address that ends in a slash is called.
  const page = options.findLast(({ main }) => main === '--default-page')?.value;
  if (page != null) {
    if (page.value === null || folder.value === null) useUnknownFile(task, 'write', 'the name of a page is not known');
    else useFile(task, replacedWord(folder, `${folder.value}/${page.value}`), 'write');
  }
  for (const { word } of operands) {
    // Some systems leave the question out.
    const asked = word.value === null ? null : fetchedName(word.value.replace(/\?.*$/, ''));
    if (asked !== null && word.value?.includes('?') === true && folder.value !== null)
      useFile(task, replacedWord(folder, `${folder.value}/${asked}`), 'write');
    const name = word.value === null ? null : fetchedName(word.value);
    if (isOther || name === null || folder.value === null)
      useFile(task, folder, 'write', { reach: 'through', into: null });
    else useFile(task, replacedWord(folder, `${folder.value}/${name}`), 'write');
  }
}

/** Null if wget makes another name of it. */
function fetchedName(address: string): string | null {
  const plain = address.replace(/#.*$/, '').replace(/^[a-z][\w+.-]*:\/\//i, '');
  if (/[%?&;]/.test(plain)) return null;
  const slash = plain.lastIndexOf('/');
  return slash === -1 || slash === plain.length - 1 ? 'index.html' : plain.slice(slash + 1);
}

/** HTTPie: `name@file`, `name=@file`, `name:=@file`, `@file`. */
function readHttp(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  for (const { word } of scanned.operands) {
    const start = /^[\w.[\]-]*(?:[:=]+)?@/.exec(word.head)?.[0];
    if (start !== undefined) useFile(task, tailWord(word, start.length), 'read');
    else if (/^file:/i.test(word.head)) useUnknownFile(task, 'read', 'an address names a file');
  }
  if (has(scanned, '--download') && !has(scanned, '--output'))
    useFile(task, literalWord('.'), 'write', { reach: 'tree', into: null });
}

/** An operand may be a torrent, or another file that says what to fetch: in the folder of the shell, wherever that is put. */
function readAria(task: Task, table: ProgramTable): void {
  const { bases } = task;
  const { operands } = readByTable(task, table);
  task.bases = bases;
  for (const { word } of operands) useFile(task, word, 'read');
}
