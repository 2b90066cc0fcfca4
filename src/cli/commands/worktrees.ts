// `turnwright worktrees`: the checkouts that sessions of a folder made, what a crash left, and removing them. Nothing that no
// commit or other branch holds is removed without a clear word.

import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type FolderWorktree, listFolderWorktrees, removeFolderWorktree } from '../../sdk/sessions/index.js';
import { count } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { resolveFolders } from '../args/index.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { EXIT_FAILURE } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { type CommandFlag, HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright worktrees: checkouts that sessions of this folder made for themselves.

  turnwright worktrees list             each, who works in it, and what would be lost with it
  turnwright worktrees remove <name>    it and its branch, where nothing would be lost
  turnwright worktrees clean            those that crashed sessions left, where nothing would be lost

  --discard        remove: also with files and commits that are nowhere else
  --cwd <folder>   another folder
  --json           for programs

  docs/worktrees.md of this package says more.
`;

const FLAGS: readonly CommandFlag[] = [
  HELP_FLAG,
  { name: 'json', takes: 'nothing' },
  { name: 'discard', takes: 'nothing' },
  { name: 'cwd', takes: 'value' },
];
const SHOWN_LOSSES = 5;

/** @returns the exit code. @throws ConfigError */
export async function runWorktrees(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [verb, name, more] = flags.words;
  if (flags.has('help') || verb === undefined) return tell(HELP, io);
  if (!['list', 'remove', 'clean'].includes(verb))
    throw new ConfigError(`unknown command "worktrees ${verb.slice(0, 60)}". Commands: list, remove and clean.`);
  const excess = verb === 'remove' ? more : name;
  if (excess !== undefined) throw new ConfigError(`unexpected argument "${excess.slice(0, 60)}".`);
  if (flags.has('discard') && verb !== 'remove') throw new ConfigError('--discard is for remove.');
  const given = flags.value('cwd');
  const cwd = resolveFolders(given === undefined ? {} : { cwd: given }, io.startedIn()).cwd ?? io.startedIn();
  const host = createNodeHost({ env: io.env });
  const style = styleFor(io.stdout, io.env, false);
  const print = (found: readonly FolderWorktree[], none: string) => {
    if (flags.has('json')) return tell(json(found), io);
    return tell(found.length === 0 ? `${none}\n` : `${found.flatMap((each) => lines(each, style)).join('\n')}\n`, io);
  };
  if (verb === 'list') return print(await listFolderWorktrees(host, cwd), 'No worktrees here.');
  if (verb === 'remove') {
    if (name === undefined) throw new ConfigError('name one: turnwright worktrees remove <name>');
    const { isRemoved, worktree } = await removeFolderWorktree(host, cwd, name, { discard: flags.has('discard') });
    if (isRemoved) return tell(`Removed ${name}${worktree.branch === null ? '' : ` and ${worktree.branch}`}.\n`, io);
    await print([worktree], '');
    await io.err.write(`It stays. To remove it all the same: turnwright worktrees remove ${name} --discard\n`);
    return EXIT_FAILURE;
  }
  const stay: FolderWorktree[] = [];
  for (const each of await listFolderWorktrees(host, cwd)) {
    if (each.state !== 'left' && each.state !== 'gone') continue;
    const isLost = each.problem !== null || each.uncommitted.length + each.unmerged.length > 0;
    const removed = isLost ? null : await removeFolderWorktree(host, cwd, each.name, { discard: false });
    if (removed?.isRemoved === true) await io.err.write(`Removed ${each.name}.\n`);
    else stay.push(removed?.worktree ?? each);
  }
  return print(stay, 'Nothing of crashed sessions is left.');
}

const STATES: Readonly<Record<FolderWorktree['state'], string>> = {
  in_use: 'a session works in it',
  kept: 'kept',
  left: 'left by a session that ended without a word',
  gone: 'its folder is gone',
};

function lines(worktree: FolderWorktree, style: Style): string[] {
  const { name, branch, state, path, problem, uncommitted, unmerged } = worktree;
  const losses = [...losing('uncommitted file', uncommitted), ...losing('unmerged commit', unmerged)];
  return [
    `${paint(escapeHidden(name), 'bold', style)}  ${STATES[state]}`,
    paint(`    ${escapeHidden(path)}${branch === null ? '' : `, ${escapeHidden(branch)}`}`, 'dim', style),
    ...(problem === null ? losses : [escapeHidden(problem)]).map((line) => paint(`    ${line}`, 'yellow', style)),
  ];
}

function losing(what: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const rest = items.length > SHOWN_LOSSES ? ', …' : '';
  return [`${count(items.length, what)}: ${escapeHidden(items.slice(0, SHOWN_LOSSES).join(', '))}${rest}`];
}
