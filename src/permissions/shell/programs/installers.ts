// Installers of packages of the machine and of languages: what they read and write beside what they install.
import { literalWord, replacedWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';
import { has } from './scan-options.js';

const APT = { 'full-upgrade': 'dist-upgrade', autopurge: 'autoremove' } as const;

export const INSTALLERS: Programs = {
  'dpkg dpkg-query': {
    options: {
      acts: '--status-logger --pre-invoke --post-invoke',
      write: '--admindir --root --instdir --log',
      value: '-D,--debug --ignore-depends --path-exclude --path-include --abort-after --status-fd',
      // Of `dpkg` alone it is no format, but asks for fields of the archive that follows.
      attached: '-f,--showformat',
      tells: '--version --help',
    },
    operands: 'paths',
  },
  'dpkg-deb': {
    options: { value: '-Z -z -S', flag: '-b,--build -e,--control', tells: '--version --help' },
    operands: 'write',
    deep: 'always',
    read: readPackager,
  },
  'apt apt-get aptitude apt-cache': {
    options: {
      acts: '-o,--option -c,--config-file --pre-invoke --post-invoke',
      value: '-t,--target-release,--default-release',
      flag: '-y,--yes,--assume-yes -q,--quiet -f,--fix-broken -d,--download-only -s,--simulate,--just-print,--dry-run -u --no-install-recommends --purge --reinstall',
      tells: '--version -v -h,--help',
    },
    operands: 'paths',
    // `purge` is `remove --purge`.
    spellings: (words) =>
      words.some(({ value }) => value === 'purge')
        ? [words.flatMap((word) => (word.value === 'purge' ? [literalWord('remove'), literalWord('--purge')] : [word]))]
        : [],
    subcommands: { aliases: APT },
  },
  'pip pip3': {
    options: {
      read: '-r,--requirement -e,--editable -c,--constraint -f,--find-links --cert --client-cert',
      acts: '--python --config -C,--config-settings',
      write: '-t,--target --prefix --root -d,--dest --log,--log-file --cache-dir -w,--wheel-dir --src --report',
      value:
        '-i,--index-url --extra-index-url --proxy --timeout --retries --trusted-host --only-binary --no-binary --platform --python-version --format',
      flag: '-U,--upgrade -q,--quiet -v,--verbose -y,--yes --user --pre --no-deps --force-reinstall --no-cache-dir -I,--ignore-installed',
      tells: '-V,--version -h,--help',
    },
    operands: 'paths',
    // It is kept in a file that each later call reads.
    actingVerbs: /^config$/,
    read: readPip,
  },
  gem: {
    options: {
      read: '-f,--file -g -C',
      acts: '--config-file -P,--trust-policy',
      write: '-i,--install-dir -n,--bindir --log -o,--output',
      value: '-v,--version -s,--source',
      flag: '-q,--quiet -V,--verbose',
    },
    operands: 'paths',
    actingVerbs: /^config$/,
    read: readGem,
  },
  brew: {
    options: { flag: '-q,--quiet -v,--verbose -f,--force --cask --formula' },
    operands: 'paths',
    actingVerbs: /^(?:sh|ruby|irb|edit|create)$/,
    actingOperands: /^https?:/,
    tellingVerbs: '--version',
    subcommands: { aliases: { remove: 'uninstall', rm: 'uninstall', ls: 'list', abv: 'info', up: 'update' } },
  },
};

/** `pip download` and `pip wheel` put what they fetch into the working directory. */
/** `dpkg-deb`: a package has its name from the folder, unless one is told; what controls it is put into a folder of its own. */
function readPackager(task: Task, table: ProgramTable): void {
  const scanned = readByTable(task, table);
  const [folder, target] = scanned.operands.map(({ word }) => word);
  if (has(scanned, '--build') && target !== undefined) useFile(task, target, 'write', { into: null });
  else if (has(scanned, '--build') && folder !== undefined)
    if (folder.value === null) useUnknownFile(task, 'write', 'the name of the package is not known');
    else useFile(task, replacedWord(folder, `${folder.value.replace(/\/+$/, '')}.deb`), 'write');
  if (has(scanned, '--control') && target === undefined)
    useFile(task, literalWord('DEBIAN'), 'write', { reach: 'tree', into: null });
}

function readPip(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  const has = (name: string): boolean => options.some(({ main }) => main === name);
  // Words of options that are not known may stand in front of it.
  const isVerb = (verb: string): boolean => operands.some(({ word }) => word.value === verb);
  if ((isVerb('download') && !has('--dest')) || (isVerb('wheel') && !has('--wheel-dir')))
    useFile(task, literalWord('.'), 'write', { reach: 'tree', into: null });
}

function readGem(task: Task, table: ProgramTable): void {
  const { operands } = readByTable(task, table);
  if (operands.some(({ word }) => /^(?:build|fetch|unpack|specification)$/.test(word.value ?? '')))
    useFile(task, literalWord('.'), 'write', { reach: 'tree', into: null });
}
