// Subcommands of git that make folders: clones, work trees, submodules, repositories. The folder may have its name from an
// address; what a checkout puts into it may be a link.
import { literalWord } from '../syntax/shell-word.js';
import { addMade } from './file-uses.js';
import {
  type GitRun,
  noteMadeTop,
  optionValue,
  useFolder,
  useMadeFolder,
  useSource,
  useSpecs,
  useTop,
} from './git-paths.js';
import type { GitCommand } from './git-showing.js';
import { useFile, useUnknownFile } from './operands.js';
import { has } from './scan-options.js';

/** `clone url` makes a folder that has its name from the address. */
function clones(run: GitRun): void {
  const [source, folder] = run.operands.map(({ word }) => word);
  if (source === undefined) return;
  useSource(run, source, 'read');
  const bundle = optionValue(run, '--bundle-uri');
  if (bundle !== null) useSource(run, bundle, 'read');
  const name = source.value === null ? null : cloneName(source.value);
  if (folder !== undefined) useMadeFolder(run, folder);
  else if (name === null) useUnknownFile(run.task, 'write', 'the folder of a clone has its name from the address');
  else useMadeFolder(run, literalWord(has(run, '--bare', '--mirror') ? `${name}.git` : name));
}

/** The last part of an address without what git cuts off; null if nothing is left. */
export function cloneName(address: string): string | null {
  const parts = address.split(/[/:]/).filter((part) => part !== '');
  if (parts.at(-1) === '.git') parts.pop();
  const name = (parts.at(-1) ?? '').replace(/\.(?:git|bundle)$/, '');
  // Git takes signs out that are unusual in a name.
  return /^(?!\.{0,2}$)[\w.+@~-]+$/.test(name) ? name : null;
}

function keepsWorktrees(run: GitRun): void {
  const [verb, first, second] = run.operands.map(({ word }) => word);
  if (first === undefined) useTop(run, 'read', 'itself');
  else if (verb?.value === 'add') useMadeFolder(run, first);
  else if (verb?.value === 'repair')
    // The file in there that leads to the repository.
    for (const { word } of run.operands.slice(1)) useFile(run.task, word, 'write', { reach: 'tree' });
  else if (verb?.value === 'remove') useFile(run.task, first, 'remove', { reach: 'tree' });
  else if (verb?.value === 'move' && second !== undefined) {
    useFile(run.task, first, 'remove', { reach: 'tree' });
    useFile(run.task, second, 'write', { reach: 'tree', into: null });
    addMade(run.task, second, run.task.bases, { kind: 'file', from: run.from });
  }
}

function keepsSubmodules(run: GitRun): void {
  const { task, operands } = run;
  const [verb, first, second] = operands.map(({ word }) => word);
  const settings = () => useFile(task, literalWord('.gitmodules'), 'write');
  switch (verb?.value) {
    case 'add': {
      settings();
      if (first === undefined) return;
      useSource(run, first, 'read');
      const name = first.value === null ? null : cloneName(first.value);
      if (second !== undefined) useMadeFolder(run, second);
      else if (name === null) useUnknownFile(task, 'write', 'the folder of a submodule has its name from the address');
      else useMadeFolder(run, literalWord(name));
      return;
    }
    case 'set-url':
    case 'set-branch':
      settings();
      return;
    case 'update':
    case 'deinit':
      if (!useSpecs(run, operands.slice(1), 'write')) useTop(run, 'write');
      noteMadeTop(run);
      return;
    default:
      useTop(run, 'read', 'itself');
  }
}

/** A report with the time in its name. */
function reports(run: GitRun): void {
  useTop(run, 'read', 'itself');
  useFile(run.task, optionValue(run, '--output-directory') ?? literalWord('.'), 'write', { into: null });
}

/** `init folder`; without one it makes a repository of the folder that it is in. */
function begins(run: GitRun): void {
  const [folder] = run.operands;
  const reach = has(run, '--bare') ? 'tree' : 'itself';
  if (folder === undefined) useFolder(run, 'write', reach);
  else useFile(run.task, folder.word, 'write', { reach });
}

export const MAKING: Readonly<Record<string, GitCommand>> = {
  clone: {
    options: {
      acts: '-u,--upload-pack -c,--config --template',
      value:
        '-b,--branch -o,--origin --depth -j,--jobs --filter --shallow-since --shallow-exclude --bundle-uri --revision',
      attached: '--recurse-submodules,--recursive',
      read: '--reference --reference-if-able',
      write: '--separate-git-dir',
      flag: '-l,--local -s,--shared -n,--no-checkout -q,--quiet -v,--verbose -4,--ipv4 -6,--ipv6 --bare --mirror',
    },
    files: clones,
  },
  worktree: { options: { value: '-b -B --reason', flag: '-f,--force -d,--detach -q,--quiet' }, files: keepsWorktrees },
  submodule: {
    options: {
      value: '-b,--branch --name --reference --depth -j,--jobs',
      flag: '-q,--quiet -f,--force -N,--no-fetch --init --recursive --remote --all',
    },
    files: keepsSubmodules,
  },
  'bugreport diagnose': {
    options: { write: '-o,--output-directory', value: '-s,--suffix', attached: '--diagnose', flag: '--no-suffix' },
    files: reports,
  },
  init: {
    options: {
      acts: '--template',
      write: '--separate-git-dir',
      value: '-b,--initial-branch --object-format --ref-format',
      flag: '-q,--quiet --bare',
    },
    files: begins,
  },
};
