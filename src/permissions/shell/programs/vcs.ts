// Version control beside git: what they show of a file is that file, and what they bring back may be links.
import { literalWord, replacedWord, type ShellWord } from '../syntax/shell-word.js';
import type { Task } from '../task.js';
import { addMade } from './file-uses.js';
import { isGuarded, useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable } from './read-by-table.js';

export const OTHER_VERSION_CONTROL: Programs = {
  hg: {
    options: {
      acts: '--config -e,--ssh --remotecmd --editor',
      folder: '-R,--repository --cwd',
      write: '-o,--output',
      value:
        '-r,--rev -m,--message -u,--user -d,--date -b,--branch -l,--limit -T,--template -I,--include -X,--exclude -k,--keyword',
      read: '--logfile --style',
      flag: '-v,--verbose -q,--quiet -f,--force -a,--all -p,--patch -g,--git -n,--dry-run -C,--clean -A,--addremove',
      tells: '--version',
    },
    operands: 'none',
    actingOperands: /^ext::/,
    subcommands: {
      aliases: {
        ci: 'commit',
        co: 'update',
        checkout: 'update',
        up: 'update',
        st: 'status',
        history: 'log',
        rm: 'remove',
        mv: 'move',
        rename: 'move',
        cp: 'copy',
        blame: 'annotate',
        praise: 'annotate',
        patch: 'import',
        sum: 'summary',
        hist: 'log',
        ann: 'annotate',
        di: 'diff',
        sl: 'shelve',
      },
    },
    read: readOther,
  },
  svn: {
    options: {
      acts: '--config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd',
      value:
        '-m,--message -r,--revision -c,--change --username --password --depth --set-depth --changelist,--cl -l,--limit -x,--extensions --encoding --native-eol --accept',
      read: '-F,--file --targets',
      flag: '-q,--quiet -v,--verbose -R,--recursive -N,--non-recursive --force --dry-run -u,--show-updates -g,--use-merge-history --non-interactive',
      tells: '--version',
    },
    operands: 'none',
    subcommands: {
      aliases: {
        ci: 'commit',
        co: 'checkout',
        up: 'update',
        st: 'status',
        stat: 'status',
        rm: 'delete',
        remove: 'delete',
        del: 'delete',
        mv: 'move',
        rename: 'move',
        ren: 'move',
        cp: 'copy',
        di: 'diff',
        ls: 'list',
        sw: 'switch',
        blame: 'blame',
        praise: 'blame',
        annotate: 'blame',
        ann: 'blame',
        pd: 'propdel',
        pe: 'propedit',
        pg: 'propget',
        pl: 'proplist',
        ps: 'propset',
        '?': 'help',
        h: 'help',
        cl: 'changelist',
      },
    },
    read: readOther,
  },
  jj: {
    options: {
      acts: '--config --config-file --config-toml --tool',
      folder: '-R,--repository',
      value:
        '-r,--revisions,--revision -m,--message -T,--template -f,--from -t,--to -d,--destination --at-operation -n,--limit',
      flag: '-p,--patch -s,--summary --stat --git -i,--interactive -q,--quiet',
      tells: '-V,--version',
    },
    operands: 'none',
    subcommands: {
      aliases: {
        ci: 'commit',
        st: 'status',
        desc: 'describe',
        b: 'bookmark',
        op: 'operation',
        'file cat': 'file show',
      },
    },
    // `util exec` starts what stands behind it.
    actingVerbs: /^(?:util|run)$/,
    read: readOther,
  },
  'fossil bzr brz cvs darcs pijul sl': {
    options: {
      acts: '--config --ssh --remote-path -e',
      folder: '-R,--repository --chdir',
      read: '-F,--file',
      value: '-m,--message -r,--revision',
    },
    operands: 'none',
    read: readOther,
    mayStart: true,
  },
  repo: { options: {}, operands: 'none', read: readOther, mayStart: true, actingVerbs: /^forall$/ },
};

/** Subcommands that look only at what was recorded, and print no file of it. */
const TELLING =
  /^(?:status|st|stat|log|hist|history|id|identify|branches|branch|tags|tag|heads|tip|summary|sum|root|info|paths|bookmarks|bookmark|b|version|help|config|list|ls|show-config|op|operation|files|manifest|proplist|pl|workspace)$/;
/** Subcommands that put files into the folder in which they work, or remove files from it. */
const CHANGING =
  /^(?:update|up|co|checkout|revert|merge|pull|fetch|rebase|graft|unshelve|shelve|strip|backout|import|patch|switch|sw|relocate|cleanup|purge|resolve|restore|edit|new|abandon|undo|squash|absorb|split|bisect|histedit|transplant|apply|uncommit|unamend|goto|prev|next|export|rollback|upgrade)$/;
const REMOVING = /^(?:rm|remove|delete|del|forget)$/;
const MOVING = /^(?:mv|move|rename|ren|cp|copy)$/;
const MAKING = /^(?:clone|init|checkout|co|export|archive)$/;

/** What a repository keeps of itself. */
const OWN_FOLDERS: Readonly<Record<string, string>> = {
  hg: '.hg',
  sl: '.sl',
  bzr: '.bzr',
  brz: '.bzr',
  darcs: '_darcs',
  pijul: '.pijul',
};

function readOther(task: Task, table: ProgramTable): void {
  const from = task.reader.files.length;
  const scanned = readByTable(task, table);
  const [verb, ...rest] = scanned.operands.map(({ word }) => word);
  const name = verb?.value ?? '';
  const here = literalWord('.');
  if (
    /^(?:version|help)$/.test(name) ||
    (verb === undefined && scanned.options.some(({ effect }) => effect === 'tells'))
  )
    return;
  const isDry = scanned.options.some(({ main }) => main === '--dry-run');
  if (name === 'clone' || (MAKING.test(name) && rest.some(({ head }) => isAddress(head)))) {
    makesFolder(task, rest, from);
    return;
  }
  if (REMOVING.test(name) && !isDry) for (const word of rest) useFile(task, plain(word), 'remove', { reach: 'tree' });
  else if (MOVING.test(name)) moves(task, rest, !/^c/.test(name), from);
  else if (name === 'init' || name === 'create') {
    for (const word of rest) useFile(task, word, 'write', { reach: 'tree' });
    const own = rest.length === 0 ? OWN_FOLDERS[task.name] : undefined;
    if (own !== undefined) useFile(task, literalWord(own), 'write', { reach: 'tree' });
  } else usesFiles(task, rest, name, isDry, from);
  useFile(task, here, 'read', { reach: TELLING.test(name) || rest.length > 0 ? 'itself' : 'tree' });
}

function usesFiles(task: Task, words: readonly ShellWord[], name: string, isDry: boolean, from: number): void {
  const isChanging = CHANGING.test(name) && !isDry;
  for (const word of words) {
    if (isAddress(word.head) && !/^file:/i.test(word.head)) continue;
    if (/^file:/i.test(word.head)) useUnknownFile(task, 'read', 'the address of a repository names a folder');
    else
      for (const access of isChanging ? (['read', 'write'] as const) : ([isGuarded(word) ? 'write' : 'read'] as const))
        useNamed(task, word, access);
  }
  if (!isChanging) return;
  const here = literalWord('.');
  useFile(task, here, 'write', { reach: 'tree' });
  addMade(task, here, task.bases, { kind: 'contents', from });
}

/** Patterns of its own are all that may match. */
function useNamed(task: Task, word: ShellWord, access: 'read' | 'write'): void {
  const { value } = word;
  if (
    value !== null &&
    /^(?:glob|re|set|path|listfile|listfile0|relglob|relre|rootglob|root|file|cwd|all)[:(-]|[*?[]/.test(value)
  ) {
    if (/^listfile/.test(value)) useUnknownFile(task, 'read', 'a file names the files');
    useFile(task, literalWord('.'), access, { reach: 'tree' });
  } else useFile(task, plain(word), access, { reach: 'tree' });
}

/** Without a revision behind it: `a@12`. */
function plain(word: ShellWord): ShellWord {
  const { value } = word;
  const at = value?.lastIndexOf('@') ?? -1;
  return value === null || at <= 0 ? word : replacedWord(word, value.slice(0, at));
}

function moves(task: Task, words: readonly ShellWord[], removes: boolean, from: number): void {
  const target = words.at(-1);
  for (const word of words.slice(0, -1)) {
    useFile(task, plain(word), 'read', { reach: 'tree' });
    if (removes) useFile(task, plain(word), 'remove', { reach: 'tree' });
  }
  if (target === undefined) return;
  useFile(task, target, 'write', { reach: 'tree', into: null });
  addMade(task, target, task.bases, { kind: 'file', from });
}

/** A working copy has its name from the address, if no folder is named. */
function makesFolder(task: Task, words: readonly ShellWord[], from: number): void {
  const [source, folder] = words;
  if (source !== undefined && !isRemote(source.head)) {
    if (/^file:/i.test(source.head)) useUnknownFile(task, 'read', 'the address of a repository names a folder');
    else useFile(task, source, 'read', { reach: 'tree' });
  }
  const name = /([\w.+~-]+)\/*(?:@\w+)?$/.exec(source?.value ?? '')?.[1];
  const target = folder ?? (name === undefined || /^\.{1,2}$/.test(name) ? null : literalWord(name));
  if (target === null) useUnknownFile(task, 'write', 'the folder has its name from the address');
  else {
    useFile(task, target, 'write', { reach: 'tree' });
    addMade(task, target, task.bases, { kind: 'contents', from });
  }
}

function isAddress(head: string): boolean {
  return /^[\w+.-]+:\/\//.test(head) || /^file:/i.test(head);
}

function isRemote(head: string): boolean {
  return isAddress(head) && !/^file:/i.test(head);
}
