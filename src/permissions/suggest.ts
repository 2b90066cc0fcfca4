// What whoever is asked could allow from now on: as narrow as saves the next question, never wider than what was asked.
import path from 'node:path';
import { isInside, pathBelow } from '../host/is-inside.js';
import type { PermissionRuleValue, PermissionUpdate } from '../protocol/permissions.js';
import { readAddress } from '../util/web-address.js';
import { UNSPELLED } from './command-text.js';
import { isCovered, ownProgram } from './decide-command.js';
import { isHarmless, isInWorkspace, type NamedFile, namedFile } from './match-files.js';
import type { CommandSubject, PermissionCall, PermissionContext, PermissionDecision } from './permission-call.js';
import type { ProgramRun } from './shell/index.js';

/** Programs whose first word says what they do, so that a rule may name it and leave the rest open. */
const WITH_SUBCOMMANDS = new Set(
  (
    'apt apt-get brew bun bundle cargo composer conda deno docker docker-compose dotnet flutter gem gh git go gradle helm ' +
    'hg jj just kubectl make mvn nix npm nx pip pip3 pnpm podman poetry rails rake rustup svn swift systemctl task ' +
    'terraform turbo uv yarn'
  ).split(' '),
);
/** How many words behind the program say what it does: `gh pr list` is another thing than `gh pr merge`. */
const WORDS_OF_ACT: ReadonlyMap<string, number> = new Map([
  ...(
    'asdf defaults dnf firebase flatpak fly flyctl gsutil heroku ip istioctl launchctl meson mise netlify nomad openssl ' +
    'playwright pulumi pyenv security snap supabase ufw vercel wrangler'
  )
    .split(' ')
    .map((name): [string, number] => [name, 1]),
  ...'argocd aws consul doctl gh glab vault'.split(' ').map((name): [string, number] => [name, 2]),
  ...'az gcloud'.split(' ').map((name): [string, number] => [name, 3]),
]);
/** Of which the words say an address, and options what becomes of it. */
const CALLS_ANYTHING = /^(?:gh|glab) api$/;
/** Of these the second word too: `npm run test`. */
const RUNNERS = new Set([
  'npm run',
  'pnpm run',
  'yarn run',
  'bun run',
  'deno task',
  'npm exec',
  'go tool',
  'cargo xtask',
]);
/** Programs that run whatever they are told: only the very same command is worth a rule. */
export const RUNS_ANYTHING: ReadonlySet<string> = new Set(
  (
    'awk bash busybox chmod chown curl dash dd doas env eval exec fish ksh kubectl-exec lua nc node npx perl php ' +
    'python python3 rm rmdir rsync ruby scp sed sh ssh su sudo tee wget xargs zsh'
  ).split(' '),
);
/**
 * Programs that tell something with some words, and with others start or install something for good: clients of databases
 * drop tables, and run files that start a shell.
 */
const TELLS_OR_STARTS: ReadonlySet<string> = new Set(
  (
    'at clickhouse-client code crontab duckdb iptables java kill mariadb mount mysql nft open pgcli psql redis-cli sqlcmd ' +
    'sqlite3 start umount usql xdg-open'
  ).split(' '),
);
/** A word that names a subcommand and nothing else. */
const SUBCOMMAND = /^[a-z][a-z0-9:_-]{0,40}$/;
const MAX_RULES = 5;
const MAX_RULE_LENGTH = 300;

/** @returns none if no rule or mode would have kept the question away */
export function suggestionsFor(
  context: PermissionContext,
  call: PermissionCall,
  why: Pick<PermissionDecision, 'isFirm'>,
): readonly PermissionUpdate[] {
  if (why.isFirm === true) return [];
  const { subject, toolName } = call;
  switch (subject.kind) {
    case 'command':
      return commandSuggestions(context, subject);
    case 'path':
      return pathSuggestions(context, subject);
    case 'url': {
      const address = readAddress(subject.url);
      return address.kind === 'address' && address.isPublic
        ? addRules([{ toolName, ruleContent: `domain:${address.host}` }], 'localSettings')
        : [];
    }
    case 'name': {
      const [name = '', ...rest] = subject.name.split(' ');
      return addRules([{ toolName, ruleContent: rest.length === 0 ? name : `${name} *` }], 'localSettings');
    }
    case 'none':
    case 'external':
      return addRules([{ toolName }], 'localSettings');
    default:
      return subject satisfies never;
  }
}

/** The parts of the command that only a rule would let run; null if no rule about a part would. */
function openRuns(context: PermissionContext, subject: CommandSubject): readonly ProgramRun[] | null {
  const { reading } = subject;
  if (reading === undefined || reading.unknown !== null) return null;
  const open = reading.programs.filter(
    (run) => !(run.readOnly && ownProgram(subject, run) === undefined) && !isCovered(context, subject, run),
  );
  return open.some((run) => run.unknown !== null || run.allowText === null) ? null : open;
}

/** All that keeps the command from running, or nothing: a part of it would not save the next question. */
function commandSuggestions(context: PermissionContext, subject: CommandSubject): readonly PermissionUpdate[] {
  const { files = [] } = subject;
  const open = openRuns(context, subject);
  if (open === null) return [];
  const contents = new Set<string>();
  for (const run of open) {
    const content = ruleFor(run);
    if (content === null) return [];
    contents.add(content);
  }
  if (contents.size > MAX_RULES) return [];
  const folders = new Set<string>();
  const exact = new Set<string>();
  let edits = false;
  for (const file of files) {
    if (isHarmless(file)) continue;
    const named = namedFile(file);
    if (named === null) return [];
    if (isInWorkspace(context.roots, named)) edits ||= file.by === 'redirection' && file.access !== 'read';
    else if (file.access !== 'read') return [];
    else
      for (const target of [named.path, named.realPath]) {
        const folder = file.isAnyWithin === true ? target : path.dirname(target);
        if (!holdsMore(context, folder)) folders.add(folder);
        // A rule for a folder means all below it.
        else if (file.isFile !== true) return [];
        else exact.add(target);
      }
  }
  if (folders.size + exact.size > MAX_RULES) return [];
  const rules = [...contents].map((ruleContent) => ({ toolName: 'Bash', ruleContent }));
  const reads = [
    ...[...folders].map((folder) => ({ toolName: 'Read', ruleContent: `/${folder}/**` })),
    ...[...exact].flatMap((target) =>
      exactPathRules(context.roots, { path: target, realPath: target, access: 'read' }),
    ),
  ];
  return [
    ...(rules.length === 0 ? [] : addRules(rules, 'localSettings')),
    ...(reads.length === 0 ? [] : addRules(reads, 'session')),
    ...(edits ? [ACCEPT_EDITS] : []),
  ];
}

/** What programs keep in the home folder for all projects: sources of packages, and nothing of the user's own. */
const SHARED_AT_HOME =
  /^\.(?:asdf|bun|cabal|cache|cargo|deno|gem|gradle|ivy2|julia|local\/(?:lib|share\/(?:pnpm|uv|mise|virtualenvs))|m2|npm|nuget|nvm|pub-cache|pyenv|rbenv|rustup|sdkman|stack|volta|yarn)(?:\/|$)/;

/**
 * True for a folder of which one file says nothing about the others: the root, the home, those around it or around the
 * workspace, and what is hidden in the home, where keys and settings are.
 */
function holdsMore({ roots, home }: PermissionContext, folder: string): boolean {
  if (folder === path.sep || roots.some((root) => isInside(folder, root))) return true;
  if (home == null) return false;
  if (isInside(folder, home)) return true;
  const below = pathBelow(home, folder);
  return below?.startsWith('.') === true && !SHARED_AT_HOME.test(below);
}

/**
 * The narrowest rules that would let the call run: for exactly what it is, each time it is made. Null if none would.
 * Contract: pure; what is asked about whatever the rules say has none.
 */
export function exactRules(
  context: PermissionContext,
  { subject, toolName }: PermissionCall,
  why: Pick<PermissionDecision, 'isFirm'>,
): readonly PermissionRuleValue[] | null {
  if (why.isFirm === true) return null;
  switch (subject.kind) {
    case 'command':
      return exactCommandRules(context, subject);
    case 'path':
      return exactPathRules(context.roots, subject);
    case 'url': {
      const address = readAddress(subject.url);
      return address.kind === 'address' ? [{ toolName, ruleContent: `domain:${address.host}` }] : null;
    }
    case 'name':
      return [{ toolName, ruleContent: subject.name }];
    case 'none':
    case 'external':
      return [{ toolName }];
    default:
      return subject satisfies never;
  }
}

function exactCommandRules(context: PermissionContext, subject: CommandSubject): readonly PermissionRuleValue[] | null {
  const open = openRuns(context, subject);
  if (open === null) return null;
  const rules: PermissionRuleValue[] = [];
  for (const { allowText } of open) {
    // A glob would be a wildcard of the rule.
    if (allowText === null || !isSayable(allowText)) return null;
    rules.push({ toolName: 'Bash', ruleContent: allowText });
  }
  for (const file of subject.files ?? []) {
    if (isHarmless(file)) continue;
    const named = namedFile(file);
    if (named === null || file.isAnyWithin === true) return null;
    if (isInWorkspace(context.roots, named) && (file.access === 'read' || file.by === 'operand')) continue;
    rules.push(...exactPathRules(context.roots, named));
  }
  const seen = new Set(rules.map((rule) => JSON.stringify(rule)));
  const unique = [...seen].map((rule) => JSON.parse(rule) as PermissionRuleValue);
  return unique.length > 0 && unique.length <= MAX_RULES ? unique : null;
}

/** Of the working directory with one slash, of the machine with two; what a pattern reads otherwise is escaped. */
function exactPathRules([cwd = path.sep]: readonly string[], file: NamedFile): PermissionRuleValue[] {
  const toolName = file.access === 'read' ? 'Read' : 'Edit';
  return [...new Set([file.path, file.realPath])].map((target) => {
    const from = isInside(cwd, target) && cwd !== target ? `/${path.relative(cwd, target)}` : `/${target}`;
    return { toolName, ruleContent: from.replace(/[\\*?[\]{}]/g, '\\$&') };
  });
}

function isSayable(text: string): boolean {
  return !text.includes('\n') && !text.includes(UNSPELLED) && !/(?<!\\)\*/.test(text) && text.length <= MAX_RULE_LENGTH;
}

const ACCEPT_EDITS: PermissionUpdate = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

/** What a rule about this program would name; null if none is worth having. */
function ruleFor(run: ProgramRun): string | null {
  const text = run.allowText;
  if (text === null || text.includes('\n') || text.includes('*') || text.length > MAX_RULE_LENGTH) return null;
  const [program = '', second = '', third = ''] = text.split(' ');
  const exact = isSayable(text) ? text : null;
  if (RUNS_ANYTHING.has(program) || TELLS_OR_STARTS.has(program) || program.includes('/')) return exact;
  if (CALLS_ANYTHING.test(`${program} ${second}`)) return exact;
  const count = WORDS_OF_ACT.get(program);
  if (count !== undefined) return actRule(text.split(' '), count) ?? exact;
  if (!WITH_SUBCOMMANDS.has(program) && startsOthers(run)) return exact;
  if (!WITH_SUBCOMMANDS.has(program)) return SUBCOMMAND.test(program) ? `${program} *` : exact;
  if (!SUBCOMMAND.test(second)) return exact;
  if (!RUNNERS.has(`${program} ${second}`)) return second === 'run' ? exact : `${program} ${second} *`;
  return SUBCOMMAND.test(third) ? `${program} ${second} ${third} *` : exact;
}

/** The words that say what it does, as far as they are plain; null if none is. */
function actRule(words: readonly string[], count: number): string | null {
  const others = words.slice(1, 1 + count);
  const end = others.findIndex((word) => !SUBCOMMAND.test(word));
  const plain = end === -1 ? others : others.slice(0, end);
  return plain.length < Math.min(count, 2) ? null : `${words[0]} ${plain.join(' ')} *`;
}

/** True if it starts what its words say, or nobody knows it and one of them is a program that does much. */
function startsOthers({ startsWords, words }: ProgramRun): boolean {
  const isStarted = (word: string | null) => word !== null && (RUNS_ANYTHING.has(word) || WITH_SUBCOMMANDS.has(word));
  return startsWords === true || words.slice(1).some(isStarted);
}

function pathSuggestions(
  context: PermissionContext,
  subject: Extract<PermissionCall['subject'], { kind: 'path' }>,
): PermissionUpdate[] {
  const { roots } = context;
  const inside = isInWorkspace(roots, subject);
  const folder = path.dirname(subject.path);
  if (subject.access === 'read') {
    const folders = [...new Set([folder, path.dirname(subject.realPath)])];
    if (inside) return [];
    if (!folders.some((each) => holdsMore(context, each)))
      return addRules(
        folders.map((each) => ({ toolName: 'Read', ruleContent: `/${each}/**` })),
        'session',
      );
    return subject.isFile === true ? addRules(exactPathRules(roots, subject), 'session') : [];
  }
  if (inside) return [ACCEPT_EDITS];
  // Links are followed only as far as somebody looked.
  if (subject.path !== subject.realPath) return [];
  if (holdsMore(context, folder)) return addRules(exactPathRules(roots, subject), 'session');
  return [ACCEPT_EDITS, { type: 'addDirectories', directories: [folder], destination: 'session' }];
}

function addRules(rules: readonly PermissionRuleValue[], destination: 'localSettings' | 'session'): PermissionUpdate[] {
  return [{ type: 'addRules', rules, behavior: 'allow', destination }];
}
