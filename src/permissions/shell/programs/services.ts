// Clients of services, and programs that encrypt. What is sent is read, what is fetched gets a name.
import { literalWord, mayBeOption, replacedWord, type ShellWord, tailWord, tildeWord } from '../syntax/shell-word.js';
import { isPlainCall, sayActing, type Task } from '../task.js';
import { addMade } from './file-uses.js';
import { cloneName } from './git-making.js';
import { useDerived, useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import { type FoundOption, has, type ScannedWords } from './scan-options.js';

/** Words of `gh`, `aws` and their like that name files with a sign in front: `@file`, `file://…`. */
const FILE_VALUES = /^(?:-[fF]|--(?:field|raw-field))?[^=]*=?@(?!-$)|^file(?:b)?:\/\//;

export const SERVICES: Programs = {
  'gh glab': {
    options: {
      read: '-F,--body-file,--notes-file --input --env-file',
      write: '-D,--dir -O,--output',
      value:
        '-R,--repo -t,--title -b,--body -l,--label -a,--assignee -f,--raw-field -X,--method -H,--header -q,--jq --template --json -L,--limit -B,--base -m,--milestone -p,--project -r,--reviewer -s,--state',
      flag: '-w,--web -d,--draft --clobber -y,--yes --fill',
      tells: '--version --help',
    },
    operands: 'paths',
    actingValues: FILE_VALUES,
    actingVerbs: /^(?:alias|config|extension|extensions|ext)$/,
    subcommands: { aliases: { ext: 'extension', extensions: 'extension', cs: 'codespace', rs: 'ruleset' } },
    read: readHub,
  },
  'aws gcloud gsutil az rclone s3cmd mc': {
    options: {
      // A command of `gcloud compute ssh` runs there.
      value: '--command --endpoint-url --region --profile --query --output --acl --storage-class --exclude --include',
      read: '--access-token-file --config --ca-bundle --cli-input-json --cli-input-yaml --body -f,--file --template-file --password-file',
      tells: '--version --help',
    },
    operands: 'none',
    actingValues: FILE_VALUES,
    actingVerbs: /^(?:configure|config)$/,
    actingOperands: /^fileb?:\/\//,
    // Before they tell it they read credentials, make their settings and call their service.
    runsAlways: new Set(['gcloud', 'gsutil', 'az']),
    read: readCloud,
  },
  'terraform tofu terragrunt packer pulumi': {
    options: {
      folder: '-chdir',
      acts: '-plugin-dir',
      read: '-var-file -state',
      write: '-out -state-out -backup',
      flag: '-check -recursive -diff',
      tells: '-version,--version -help,--help',
    },
    operands: 'none',
    own: 'terraform.tfstate terraform.tfvars terraform.tfvars.json .terraform/terraform.tfstate',
    isSingleDash: true,
    spellings: withoutRun,
    read: readTerraform,
  },
  'helm helmfile kustomize skopeo crane': {
    options: {
      acts: '--post-renderer --post-renderer-args --kubeconfig --registry-config',
      read: '-f,--values --set-file --repository-config --ca-file --cert-file --key-file',
      write: '-d,--destination --output-dir',
      value: '-n,--namespace --version --set --repo',
    },
    operands: 'paths',
    here: 'read',
    actingVerbs: /^plugin$/,
    subcommands: {
      aliases: {
        del: 'uninstall',
        delete: 'uninstall',
        un: 'uninstall',
        ls: 'list',
        hist: 'history',
        fetch: 'pull',
        inspect: 'show',
      },
    },
  },
  'ansible ansible-playbook ansible-vault ansible-galaxy': {
    options: {
      acts: '-a,--args -M,--module-path',
      value: '-e,--extra-vars',
      read: '-i,--inventory --vault-password-file --private-key',
      write: '--output',
    },
    operands: 'paths',
    here: 'runs',
  },
  'systemctl journalctl launchctl': {
    options: {
      acts: '-M,--machine -H,--host --root',
      write: '--cursor-file',
      read: '-D,--directory --file -i --image',
      value:
        '-u,--unit -n,--lines -S,--since -U,--until -o,--output -t,--type -p,--property --user-unit -g,--grep -b,--boot',
    },
    operands: 'paths',
  },
  // As rules that deny see it, `-9`, `-KILL` and `--signal=SIGKILL` are the same.
  logger: {
    options: {
      read: '-f,--file --journald',
      value: '-n,--server -p,--priority -P,--port -t,--tag -S,--size --rfc5424 --sd-id --sd-param --msgid',
      attached: '--id',
      write: '-u,--socket',
      flag: '-d,--udp -e,--skip-empty -i --no-act -s,--stderr -T,--tcp --octet-count --prio-prefix --rfc3164 --socket-errors',
      tells: '-h,--help -V,--version',
    },
    operands: 'none',
    hasAllOptions: true,
  },
  kill: { options: { value: '-s,--signal -n -q,--queue --timeout' }, operands: 'none', spellings: bySignal },
  'pkill killall skill': {
    options: { value: '-s,--signal -n -u,--user -U,--uid -P,--parent -g,--pgroup -t,--terminal', read: '-F,--pidfile' },
    operands: 'none',
    spellings: bySignal,
  },
  'vercel netlify firebase wrangler fly heroku railway supabase prisma serverless sls cdk amplify surge': {
    options: {
      read: '-c,--config --local-config -A --cwd --dir --schema --env-file',
      value:
        '-S,--scope -t,--token -P,--project -a,--app -s,--site -e,--env --environment --team --stage --region --auth -m,--message',
      flag: '-p,--prod,--production -y,--yes -f,--force --debug --json --only --dry-run',
    },
    operands: 'paths',
    here: 'runs',
    own: '.env .env.local .env.development .env.production .dev.vars prisma/.env supabase/.env .secret.local',
    subcommands: { aliases: {} },
  },
  openssl: {
    options: {
      write:
        '-out -keyout -writerand -CAserial -sess_out -keylogfile -outdir -certsout -certout -cacertsout -extracertsout -chainout -crlout ' +
        '-reqout -rspout -respout -srpvfile -msgfile',
      read: '-in -inkey -CAfile -CApath -CA -CAkey -key -kfile -certfile -cert -signature -sign -verify -prverify -extfile -content -recip -signer -rand -untrusted -sess_in',
      acts: '-engine -provider -provider-path -config',
      value:
        '-pass -passin -passout -k -K -iv -S -days -subj -newkey -md -servername -connect -starttls -set_serial -name -inform -outform -addext -curves',
      flag:
        '-CAcreateserial -text -noout -hex -base64 -fingerprint -subject -issuer -dates -startdate -enddate -serial -pubkey -modulus ' +
        '-purpose -sha1 -sha256 -sha384 -sha512 -md5 -r -c -a -v',
    },
    operands: 'paths',
    isSingleDash: true,
    keepsApart: true,
    tellingVerbs: 'version',
    read: readOpenssl,
  },
  'gpg gpg2': {
    options: {
      write:
        '-o,--output --status-file --logger-file,--log-file --attribute-file --keyring --secret-keyring --trustdb-name',
      read: '--passphrase-file --recipient-file',
      // In its folder stands which agent it starts, and what that starts.
      acts: '--homedir --exec-path --photo-viewer --agent-program --dirmngr-program --pinentry-program --gpgconf --keyserver --options --load-extension --exec',
      value:
        '-r,--recipient -u,--local-user --passphrase --cipher-algo --digest-algo --pinentry-mode --trust-model --status-fd -z --default-key --set-filename',
      flag: '-c,--symmetric -e,--encrypt -s,--sign -b,--detach-sign -d,--decrypt -a,--armor --clear-sign,--clearsign --store --enarmor --dearmor --verify --import --export --export-secret-keys -k,--list-keys -K,--list-secret-keys --use-embedded-filename --batch --yes -q,--quiet -v,--verbose',
      tells: '--version --help',
    },
    operands: 'none',
    read: readGpg,
  },
  'gpg-connect-agent': { options: { tells: '--version --help' }, alwaysActs: true },
  sops: {
    options: {
      write: '--output',
      read: '--config',
      value: '-k,--kms -p,--pgp -a,--age --input-type --output-type --set',
      flag: '-e,--encrypt -d,--decrypt -i,--in-place -r,--rotate',
      tells: '--version --help',
    },
    operands: 'none',
    read: readAge,
  },
  'age rage age-keygen': {
    options: {
      write: '-o,--output',
      read: '-i,--identity -R,--recipients-file --config',
      value: '-r,--recipient',
      flag: '-e,--encrypt -d,--decrypt -p,--passphrase -a,--armor',
      tells: '--version --help',
    },
    operands: 'none',
    read: readAge,
  },
  // Keys are written if they are made, and else read.
  minisign: {
    options: {
      write: '-s -p -x',
      read: '-m',
      value: '-P -c -t',
      flag: '-G -S -V -R -C -W -f -H -l -o -q -Q',
      tells: '-v',
    },
    operands: 'none',
    hasAllOptions: true,
    read: readMinisign,
  },
};

const SIGNALS: Readonly<Record<string, string>> = {
  1: 'HUP',
  2: 'INT',
  3: 'QUIT',
  6: 'ABRT',
  9: 'KILL',
  10: 'USR1',
  12: 'USR2',
  15: 'TERM',
  18: 'CONT',
  19: 'STOP',
};

/** The words with the signal, if one is told, by its name. */
function bySignal(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  for (const [at, { value }] of words.entries()) {
    const [, short, long] = /^-(?:([A-Z]\w+|\d+|[sn])|-signal(?:=(.*))?)$/.exec(value ?? '') ?? [];
    if (at === 0 || (short === undefined && !value?.startsWith('--signal'))) continue;
    const isNext = short === 's' || short === 'n' || (short === undefined && long === undefined);
    const told = (isNext ? (words[at + 1]?.value ?? '') : (short ?? long ?? '')).toUpperCase().replace(/^SIG/, '');
    const name = SIGNALS[told] ?? told;
    return [[...words.slice(0, at), literalWord(`--signal=${name}`), ...words.slice(at + (isNext ? 2 : 1))]];
  }
  return [];
}

function useHere(task: Task): void {
  useFile(task, literalWord('.'), 'write', { reach: 'tree', into: null });
}

/** What is fetched stands in the folder that it is in, or in one of that name. */
function readHub(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const scanned = readByTable(task, table);
  const [topic, verb, first, second] = scanned.operands.map(({ word }) => word);
  const what = `${topic?.value ?? ''} ${verb?.value ?? ''}`;
  // Behind two dashes stand options of `git clone` and `ssh`.
  const dashes = task.words.findIndex(({ value }) => value === '--');
  const handedOn = dashes === -1 ? -1 : task.words.findLastIndex((word, at) => at > dashes && mayBeOption(word));
  if (handedOn !== -1) sayActing(task, `${task.name} hands options on to another program`, handedOn);
  if (/^(?:repo|gist) clone$/.test(what) && first !== undefined) {
    const name = first.value === null ? null : cloneName(first.value);
    const folder = second ?? (name === null ? null : literalWord(name));
    if (folder === null) useUnknownFile(task, 'write', 'the folder of a clone has its name from the address');
    else {
      useFile(task, folder, 'write', { reach: 'tree' });
      addMade(task, folder, task.bases, { kind: 'contents', from });
    }
  } else if (/^(?:pr|mr) checkout$|^repo sync$/.test(what)) {
    useHere(task);
    addMade(task, literalWord('.'), task.bases, { kind: 'contents', from });
  } else if (/^(?:release|run|attestation) download$/.test(what) && !has(scanned, '--dir', '--output')) useHere(task);
}

/** Options of `gcloud` and `rclone` that name programs, or are handed on to `ssh`. */
const STARTING_OPTION = /^--(?:ssh-flag|scp-flag|sftp-ssh|metadata-mapper|config)$/;
const REMOTE = /^[\w+.-]+:/;
const COPYING =
  /^(?:cp|mv|sync|copy|move|copyto|moveto|rsync|bisync|put|get|mirror|upload|download|upload-batch|download-batch)$/;

/** Sources and a target, of which those with a colon are elsewhere; of other subcommands words may be files. */
function readCloud(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  const words = scanned.operands.map(({ word }) => word);
  const at = words.findIndex(({ value }, place) => place < 4 && value !== null && COPYING.test(value));
  const rest = at === -1 ? words : words.slice(at + 1);
  for (const { name, at } of scanned.options)
    if (STARTING_OPTION.test(name)) sayActing(task, `${name} decides what ${task.name} starts`, at + 1);
  if (task.name === 'rclone') readRclone(task, words, scanned);
  const target = at === -1 || rest.length < 2 ? undefined : rest.at(-1);
  const name = words[at]?.value ?? '';
  for (const word of target === undefined ? rest : rest.slice(0, -1)) {
    if (REMOTE.test(word.head)) continue;
    useFile(task, word, 'read', { reach: 'tree' });
    if (/^mov|^mv/.test(name)) useFile(task, word, 'remove', { reach: 'tree' });
  }
  // Of the many options some take a word, and then the target stands in front of it.
  if (target !== undefined && scanned.strays.includes(target) && rest.length > 2)
    useUnknownFile(task, 'write', `${target.text} may belong to the option in front of it`);
  if (target === undefined || REMOTE.test(target.head)) return;
  useFile(task, target, 'write', { reach: 'tree', into: null });
  if (task.words.some(({ value }) => value !== null && /^(?:--delete|-d)$/.test(value)) || name === 'sync')
    if (task.name === 'rclone' || task.words.some(({ value }) => value === '--delete'))
      useFile(task, target, 'remove', { reach: 'tree' });
}

/** What `rclone` does besides copying; places of its own may be those of this machine by another name. */
function readRclone(task: Task, words: readonly ShellWord[], { options }: ScannedWords): void {
  const [verb, ...rest] = words;
  if (words.some(({ head }) => /^:|,/.test(head)))
    for (const access of ['read', 'write'] as const)
      useUnknownFile(task, access, 'a place that rclone is told may be a file of this machine');
  const reach = options.some(({ name }) => /^(?:-L|--copy-links|--local-links)$/.test(name)) ? 'through' : 'tree';
  for (const word of rest) {
    if (REMOTE.test(word.head)) continue;
    useFile(task, word, 'read', { reach });
    if (/^(?:delete|deletefile|purge|rmdirs?|cleanup|dedupe|bisync|mkdir|touch|rcat|copyurl)$/.test(verb?.value ?? ''))
      useFile(task, word, 'remove', { reach: 'tree', sweeps: true });
    if (/^(?:genautocomplete|completion|gendocs)$/.test(verb?.value ?? '')) useFile(task, word, 'write');
  }
}

/** `terragrunt run-all apply` and `terragrunt run --all -- apply` are `apply` in many folders. */
function withoutRun(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const verb = words[1]?.value;
  if (verb === 'run-all') return [[...words.slice(0, 1), ...words.slice(2)]];
  if (verb !== 'run') return [];
  return [[...words.slice(0, 1), ...words.slice(2).filter(({ value }) => value !== '--all' && value !== '--')]];
}

function readTerraform(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  const [verb, ...rest] = scanned.operands.map(({ word }) => word);
  if (verb === undefined) return;
  useFile(task, literalWord('.'), 'read');
  const isFormat = verb.value === 'fmt' || verb.value === 'hclfmt';
  const isCheck = scanned.options.some(({ main, value }) => main === '-check' && value === null);
  const keeps = isCheck || task.words.some(({ value }) => value === '-write=false');
  const isListed = scanned.options.every(({ effect }) => effect === 'flag');
  task.draft.readOnly = verb.value === 'fmt' && isCheck && isListed && isPlainCall(task);
  for (const word of rest) {
    useFile(task, word, 'read', { reach: 'tree' });
    if (isFormat && !keeps) useFile(task, word, 'write', { reach: 'tree' });
  }
  if (isFormat && !keeps && rest.length === 0) useFile(task, literalWord('.'), 'write', { reach: 'tree' });
}

/** What of openssl prints, and no more. */
const TELLS = /^(?:asn1parse|ciphers|crl|dgst|list|md5|rand|sha1|sha256|sha384|sha512|version|x509)$/;

const ADDRESS = /^[a-z][\w+.-]*:/i;

/** Passwords can stand in files. */
function readOpenssl(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  for (const { main, value } of scanned.options) {
    if (!main.startsWith('-pass') || value === null) continue;
    if (value.head.startsWith('file:')) useFile(task, tailWord(value, 5), 'read');
    else if (value.value === null && value.head === '')
      useUnknownFile(task, 'read', 'where the password stands is not known');
  }
  // Some take addresses in the place of names.
  const names = scanned.options.flatMap(({ effect, value }) => (effect === 'read' ? (value ?? []) : []));
  const isFar = [...names, ...scanned.operands.map(({ word }) => word)].some(({ head }) => ADDRESS.test(head));
  if (isFar) useUnknownFile(task, 'read', 'openssl reads an address');
  const isListed = scanned.options.every(
    ({ main, effect }) => main === '-in' || (effect === 'flag' && main !== '-CAcreateserial'),
  );
  const verb = task.words[1]?.value ?? '';
  task.draft.readOnly = isListed && !isFar && TELLS.test(verb) && isPlainCall(task);
  // A new key has a name by itself, and links to certificates have those of what stands in them.
  if (verb === 'req' && !has(scanned, '-keyout') && task.words.some(({ value }) => /^--?new/.test(value ?? '')))
    useFile(task, literalWord('privkey.pem'), 'write');
  if (verb === 'rehash') for (const { word } of scanned.operands.slice(1)) useFile(task, word, 'write', { into: null });
  if (verb === 'ca') useUnknownFile(task, 'write', 'which files openssl ca changes stands in its configuration');
  const serial = has(scanned, '-CAcreateserial')
    ? scanned.options.findLast(({ main }) => main === '-CA')?.value
    : undefined;
  if (serial != null) useDerived(task, 'write', serial, (name) => `${name.replace(/\.[^./]*$/, '')}.srl`);
}

/** More files may follow the one that is signed, and each signature has the name of its file. */
function readMinisign(task: Task, table: ProgramTable): void {
  const { options, operands } = readByTable(task, table);
  const named = options.flatMap(({ main, value }) => (main === '-m' ? (value ?? []) : []));
  for (const word of [...named, ...operands.map((operand) => operand.word)]) {
    useFile(task, word, 'read');
    useDerived(task, 'write', word, (name) => `${name}.minisig`);
  }
}

/** Without a name for it the output has that of the input, with another ending. */
function readGpg(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  // Its own folder is what others trust.
  if (scanned.options.some(changesKeys) && !has(scanned, '--homedir'))
    useFile(task, tildeWord('~/.gnupg', true), 'write', { into: null });
  // Keys, locks and sockets come to lie in it, also by the agent that is started.
  for (const { main, value } of scanned.options)
    if (main === '--homedir' && value !== null) useFile(task, value, 'write', { reach: 'tree' });
  if (scanned.options.some(({ main }) => SHOWS_SECRETS.test(main)))
    useFile(task, tildeWord('~/.gnupg', true), 'read', { reach: 'tree' });
  if (has(scanned, '--use-embedded-filename'))
    useUnknownFile(task, 'write', 'the name of what gpg writes stands in what it reads');
  for (const { word } of scanned.operands) {
    useFile(task, word, 'read');
    if (!has(scanned, '--output')) for (const each of gpgNames(word, scanned)) useFile(task, each, 'write');
  }
}

const SHOWS_SECRETS = /^--export-s/;
const CHANGES_KEYS = (
  'import fast-import recv receive refresh search-keys fetch-keys locate auto-key delete quick gen full edit sign-key lsign ' +
  'tsign update-trustdb check-trustdb fix-trustdb rebuild change passwd card tofu'
).split(' ');

/** Names may be cut short: one that is no known option is any that it begins. */
function changesKeys({ main, effect }: FoundOption): boolean {
  const name = main.replace(/^--/, '');
  return (
    main !== name &&
    CHANGES_KEYS.some((each) => name.startsWith(each) || (effect === undefined && each.startsWith(name)))
  );
}

function gpgNames(word: ShellWord, scanned: ScannedWords): readonly ShellWord[] {
  if (has(scanned, '--enarmor', '--dearmor') && word.value !== null)
    return ['.asc', '.gpg'].map((each) => replacedWord(word, `${word.value}${each}`));
  const ending = has(scanned, '--armor') ? ['.asc'] : ['.gpg'];
  const endings = has(scanned, '--symmetric', '--encrypt', '--sign', '--store')
    ? ending
    : has(scanned, '--detach-sign')
      ? has(scanned, '--armor')
        ? ['.asc']
        : ['.sig']
      : has(scanned, '--clear-sign')
        ? ['.asc']
        : [];
  // Commands that are not known may make any of them, of several files too.
  const isKnown = scanned.options.every(({ effect }) => effect !== undefined);
  if (word.value === null) return endings.length === 0 && isKnown ? [] : [word];
  const { value } = word;
  if (!isKnown)
    return ['', '.asc', '.gpg', '.sig'].map((each) =>
      replacedWord(word, each === '' ? value.replace(/\.(?:gpg|asc|sig|pgp)$/, '') : `${value}${each}`),
    );
  // Without a command it takes the ending off.
  const isPlain = !scanned.options.some(({ effect, main }) => effect === 'flag' && COMMANDS.has(main));
  const made = endings.map((each) => replacedWord(word, `${value}${each}`));
  return isPlain ? [replacedWord(word, value.replace(/\.(?:gpg|asc|sig|pgp)$/, ''))] : made;
}

const COMMANDS: ReadonlySet<string> = new Set(
  '--symmetric --encrypt --sign --detach-sign --decrypt --clear-sign --verify --import --export --export-secret-keys --list-keys --list-secret-keys'.split(
    ' ',
  ),
);

function readAge(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  for (const { word } of scanned.operands) {
    useFile(task, word, 'read');
    if (has(scanned, '--in-place') || (task.name === 'sops' && !has(scanned, '--encrypt', '--decrypt')))
      useFile(task, word, 'write');
  }
}
