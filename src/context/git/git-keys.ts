// Which keys of a repository's configuration make git start a program: where it only reads, or with some other command.
// Rule: a key that nobody knows and that is called like one of these counts as one.
import { type GitSetting, UNREADABLE_KEY } from './git-config.js';

/** Obeyed where git only reads: status, diff, log. In lower case, `*` for what stands in quotes in the middle. */
const WHILE_READING: ReadonlySet<string> = new Set([
  // Newer versions let an alias stand for a command that is going away.
  'alias.whatchanged',
  'core.alternaterefscommand',
  'core.fsmonitor',
  'diff.external',
  'diff.*.command',
  'diff.*.textconv',
  // What is missing is fetched, by programs that the other keys of the remote name.
  'extensions.partialclone',
  'filter.*.clean',
  'filter.*.smudge',
  'filter.*.process',
  'gpg.program',
  'gpg.*.program',
  'include.path',
  'includeif.*.path',
  'merge.*.driver',
  'remote.*.promisor',
  UNREADABLE_KEY,
]);

/** Obeyed by other commands, and not called as such keys mostly are. */
const WHILE_ACTING: ReadonlySet<string> = new Set([
  'core.askpass',
  'core.gitproxy',
  'core.sshcommand',
  'gc.recentobjectshook',
  'imap.tunnel',
  'init.templatedir',
  'protocol.allow',
  'protocol.*.allow',
  'remote.*.receivepack',
  'remote.*.uploadpack',
  'remote.*.vcs',
  'sendemail.smtpserver',
  'sequence.editor',
  'svn.authorsprog',
]);
const ACTING_SECTION = /^(?:alias|browser|credential|difftool|guitool|hook|man|mergetool|pager|sendemail\..*)\./;
/** The last part of a key: whatever section it stands in. */
const CALLED_LIKE_ONE =
  /(?:cmd|command|program|prog|helper|editor|pager|hook|hooks|hookspath|driver|textconv|process|clean|smudge|filter|browser|exec|executable|askpass|tunnel|agent|script)$/;

/** What large-file storage writes into every repository it is used in. */
const LARGE_FILES: ReadonlySet<string> = new Set([
  'git-lfs clean -- %f',
  'git-lfs smudge -- %f',
  'git-lfs filter-process',
]);
/** Called like one, and none. */
const HARMLESS: ReadonlySet<string> = new Set(['http.useragent', 'http.*.useragent', 'remote.*.partialclonefilter']);
const OFF = /^(?:false|no|off|0|)$/i;
const ON = /^(?:true|yes|on|\d+)$/i;
/** Programs that a person names for themselves, as plain words: nothing of the repository is started. */
const PLAIN_PAGER = /^(?:cat|less(?: -[A-Za-z]+)*|more|delta|bat)$/;
const PLAIN_EDITOR = /^(?:vi|vim|nvim|nano|emacs|micro|hx|code(?: --wait| -w)*|true|:)$/;
const PLAIN_HELPER =
  /^(?:cache(?: --timeout[= ]\d+)?|store|osxkeychain|manager|manager-core|libsecret|wincred|gnome-keyring)?$/;
const PLAIN_SSH = /^ssh(?: -[46CTqvx]+)*$/;
const PLAIN_ALIAS =
  /^(?:add|branch|checkout|commit|diff|fetch|log|merge|pull|push|remote|reset|restore|rev-parse|shortlog|show|stash|status|switch|tag)(?: (?!-?-?\S*(?:exec|pack))[\w=:%,^~@{}'".-]+)*$/;

/** `reading`: also where git only reads; `acting`: with some other command. Null: it starts nothing. */
export function startsProgram({ key, value }: Pick<GitSetting, 'key' | 'value'>): 'reading' | 'acting' | null {
  const parts = key.split('.');
  const plain = parts.length > 2 ? `${parts[0]}.*.${parts.at(-1)}` : key;
  if (WHILE_READING.has(plain)) return isHarmlessWhileReading(plain, value) ? null : 'reading';
  return mayAct(key, plain, value) && !isHarmless(key, plain, value) ? 'acting' : null;
}

function isHarmlessWhileReading(plain: string, value: string): boolean {
  if (plain === 'core.fsmonitor' || plain === 'remote.*.promisor') return OFF.test(value);
  return LARGE_FILES.has(value);
}

function mayAct(key: string, plain: string, value: string): boolean {
  if (key === 'core.hookspath') return false; // what stands there is looked at instead
  return (
    WHILE_ACTING.has(plain) ||
    ACTING_SECTION.test(key) ||
    CALLED_LIKE_ONE.test(plain.slice(plain.lastIndexOf('.') + 1)) ||
    (plain === 'submodule.*.update' && value.startsWith('!')) ||
    (plain.startsWith('lfs.*.') && plain.endsWith('.path')) ||
    /^(?:ext|fd)::/.test(value)
  );
}

function isHarmless(key: string, plain: string, value: string): boolean {
  // A program that is called so is none of the repository's.
  if (OFF.test(value) || ON.test(value)) return true;
  if (key.startsWith('pager.') || key === 'core.pager') return PLAIN_PAGER.test(value);
  if (key.startsWith('alias.')) return PLAIN_ALIAS.test(value);
  if (key.startsWith('credential.')) return !plain.endsWith('.helper') || PLAIN_HELPER.test(value);
  if (key === 'core.editor' || key === 'sequence.editor') return PLAIN_EDITOR.test(value);
  if (key === 'core.sshcommand') return PLAIN_SSH.test(value);
  if (key === 'protocol.allow' || plain === 'protocol.*.allow') return value !== 'always';
  return HARMLESS.has(plain) || LARGE_FILES.has(value);
}
