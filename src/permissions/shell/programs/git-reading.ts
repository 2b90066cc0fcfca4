// Which forms of git's subcommands only read, so that they need no rule in a folder that somebody vouches for.
import type { ShellWord } from '../syntax/shell-word.js';

/** Subcommands that only read, whatever their operands; their options are checked against those that act. */
const READING: ReadonlySet<string> = new Set(
  (
    'status log diff show rev-parse ls-files ls-tree cat-file blame annotate describe shortlog rev-list merge-base ' +
    'for-each-ref name-rev diff-tree diff-files diff-index show-ref show-branch count-objects check-ignore check-attr ' +
    'grep whatchanged cherry range-diff version var verify-pack check-ref-format check-mailmap stripspace patch-id'
  ).split(' '),
);

/** How a subcommand that also changes something is told to list. */
interface ListingForm {
  /** Options without a value, or with one in the same word. */
  readonly options: RegExp;
  /** Options that take the next word. */
  readonly values?: RegExp;
  /** Options with which operands are patterns or revisions; without one of them there may be no operands. */
  readonly listing: RegExp;
}

const LISTING: Readonly<Record<string, ListingForm>> = {
  branch: {
    options:
      /^(?:-[arv]{1,4}|-l|-i|--list|--all|--remotes|--show-current|--verbose|--no-color|--color(?:=\w+)?|--(?:no-)?column(?:=\w+)?|--ignore-case|--omit-empty|--abbrev=\d+|--no-abbrev|--(?:no-)?(?:contains|merged)(?:=.*)?|--(?:sort|format|points-at)=.*)$/,
    values: /^--(?:sort|format|points-at)$/,
    listing: /^--(?:list$|(?:no-)?(?:contains|merged)(?:=|$)|points-at)/,
  },
  tag: {
    options:
      /^(?:-l|-i|--list|-n\d*|--no-color|--color(?:=\w+)?|--(?:no-)?column(?:=\w+)?|--ignore-case|--omit-empty|--(?:no-)?(?:contains|merged)(?:=.*)?|--(?:sort|format|points-at)=.*)$/,
    values: /^--(?:sort|format|points-at)$/,
    listing: /^(?:-l|-n\d*|--list|--(?:no-)?(?:contains|merged)(?:=.*)?|--points-at.*)$/,
  },
};

/** First operands with which a subcommand only reads, whatever follows. */
const READING_VERBS: Readonly<Record<string, RegExp>> = {
  stash: /^(?:list|show)$/,
  worktree: /^list$/,
  submodule: /^(?:status|summary)$/,
  bisect: /^(?:log|terms)$/,
  notes: /^(?:list|show)$/,
  bundle: /^(?:verify|list-heads)$/,
  'sparse-checkout': /^list$/,
  remote: /^get-url$/,
};

/** True if it only reads and none of its words asks for more. `words` begin with `git` and the subcommand. */
export function onlyReads(name: string, words: readonly ShellWord[]): boolean {
  if (asksForMore(name, words)) return false;
  if (READING.has(name)) return true;
  const values = words.slice(2).map(({ value }) => value);
  if (values.includes(null)) return false;
  return lists(
    name,
    values.filter((value) => value !== null),
  );
}

function lists(name: string, values: readonly string[]): boolean {
  const [first] = values;
  const form = Object.hasOwn(LISTING, name) ? LISTING[name] : undefined;
  if (form !== undefined) return isListing(form, values);
  const verbs = Object.hasOwn(READING_VERBS, name) ? READING_VERBS[name] : undefined;
  if (first !== undefined && verbs?.test(first) === true) return true;
  switch (name) {
    case 'remote':
      return isRemoteList(values);
    case 'config':
      return isReadingConfig(values);
    case 'reflog':
      return first === undefined || /^(?:show|list|exists|-.*|HEAD|main|master)$|[@/~^]/.test(first);
    case 'symbolic-ref':
      return isReadingReference(values);
    case 'notes':
    case 'submodule':
      return first === undefined;
    case 'clean':
      return isDryClean(values);
    case 'apply':
      return (
        values.every((value) => !value.startsWith('-') || /^--(?:check|stat|numstat|summary)$|^-p\d$/.test(value)) &&
        values.some((value) => /^--(?:check|stat|numstat|summary)$/.test(value))
      );
    case 'hash-object':
      return !values.some((value) => /^-[a-z]*w|^--(?!no-filters|path=)/.test(value));
    case 'fsck':
      return !values.some((value) => value.startsWith('--l'));
    default:
      return false;
  }
}

/** No option takes a value: `-n` could be one. */
function isDryClean(values: readonly string[]): boolean {
  const isKnown = values.every((value) => /^(?:-[dfnqxX]+|--dry-run|[^-].*)$/.test(value));
  return isKnown && values.some((value) => /^(?:-\w*n\w*|--dry-run)$/.test(value));
}

/** One name is read, with two the first is set. */
function isReadingReference(values: readonly string[]): boolean {
  const rest = values.filter((value) => !/^(?:--short|-q|--quiet|--(?:no-)?recurse)$/.test(value));
  return rest.length === 1 && rest[0]?.startsWith('-') === false;
}

function isListing({ options, values: taking, listing }: ListingForm, values: readonly string[]): boolean {
  const operands: string[] = [];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? '';
    if (taking?.test(value) === true) at++;
    else if (!value.startsWith('-')) operands.push(value);
    else if (!options.test(value)) return false;
  }
  if (operands.length === 0 || values.some((value) => listing.test(value))) return true;
  // To an old git `-l` means something else, but no branch has the name of a pattern.
  return values.includes('-l') && operands.every((operand) => operand.includes('*'));
}

function isRemoteList(values: readonly string[]): boolean {
  const [first, ...rest] = values.filter((value) => value !== '-v' && value !== '--verbose');
  return first === undefined || (first === 'show' && (rest.length === 0 || (rest[0] === '-n' && rest.length === 2)));
}

const READING_CONFIG = /^(?:--get|--get-all|--get-regexp|--get-urlmatch|--list|-l)$/;
const CONFIG_OPTION =
  /^(?:--show-origin|--show-scope|--global|--local|--system|--worktree|--name-only|-z|--null|--(?:no-)?includes|--bool|--int|--type=\w+|--default=.*|--all|--regexp)$/;

/** `git config name` reads, `git config name value` writes. */
function isReadingConfig(values: readonly string[]): boolean {
  const says = values.some((value) => READING_CONFIG.test(value));
  const options = values.filter((value) => value.startsWith('-'));
  if (options.some((value) => !READING_CONFIG.test(value) && !CONFIG_OPTION.test(value))) return false;
  const [first, ...rest] = values.filter((value) => !value.startsWith('-'));
  if (says) return rest.length <= 1;
  if (first === 'list') return rest.length === 0;
  if (first === 'get') return rest.length === 1 && rest[0]?.includes('.') === true;
  return first?.includes('.') === true && rest.length === 0;
}

/** Options that make reading subcommands run programs or read files outside of the repository. */
function asksForMore(name: string, words: readonly ShellWord[]): boolean {
  return words.some(({ head, value }) => {
    if (CHECKS.test(head)) return true;
    // What is not known of a format may check signatures.
    if (value === null && FORMATS.test(head) && !SHOWS_PLAINLY.has(name)) return true;
    // A manual is shown by a program that the configuration names.
    if (head === '--help') return true;
    return name === 'cat-file' && CONVERTS.test(head);
  });
}

/** Options that check signatures, by a program; long ones may be abbreviated. */
const CHECKS = /^--(?:no-i|show-s)|^(?:--sort=)?-?\*?signature(?::|$)|%[-+ ]?G|%\((?:\w+:)?signature|%\(\*?signature/;
/** Options whose value is a format, and the beginnings of their names that git takes for them. */
const FORMATS = /^--(?:p(?:r(?:e(?:t(?:ty?)?)?)?)?|fo(?:r(?:m(?:at?)?)?)?|so(?:rt?)?)=/;
/** Formats of these tell of no commit or tag. */
const SHOWS_PLAINLY: ReadonlySet<string> = new Set(['ls-files', 'ls-tree', 'cat-file']);
const CONVERTS = /^--(?:t|f)/;
