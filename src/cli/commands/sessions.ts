// `turnwright sessions …`: stored sessions from the command line. Only reads the words and calls the SDK; what goes to
// stdout is what was asked for, notes go to stderr.
import { resolve } from 'node:path';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import {
  archiveSession,
  exportSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  renameSession,
  tagSession,
  unarchiveSession,
} from '../../sdk/sessions.js';
import { nearestWord } from '../../util/text.js';
import { isWholeId, messageIdOf, sessionIdOf } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_SUCCESS } from '../exit-codes.js';
import { styleFor } from '../lines/index.js';
import { type CommandFlag, type CommandWords, HELP_FLAG, readWords, wholeNumber } from './read-words.js';
import { renderSession, sessionTable } from './session-views.js';
import { collect, remove, rewind, type SessionsRun } from './sessions-change.js';

interface Command {
  readonly flags: readonly CommandFlag[];
  /** @returns the exit code */
  run(run: SessionsRun): Promise<number>;
}

const JSON_FLAG: CommandFlag = { name: 'json', takes: 'nothing' };
const DIR: CommandFlag = { name: 'dir', takes: 'value' };
const LIMIT: CommandFlag = { name: 'limit', takes: 'value' };
const DRY_RUN = toggle('dry-run');
const LISTED = 50;
const SHOWN_MESSAGES = 20;
const FORMATS = { md: 'markdown', markdown: 'markdown', html: 'html', json: 'json' } as const;

const COMMANDS: Readonly<Record<string, Command>> = {
  list: {
    flags: [JSON_FLAG, DIR, LIMIT, { name: 'offset', takes: 'value' }, { name: 'all', takes: 'nothing' }],
    run: done(list),
  },
  show: { flags: [JSON_FLAG, DIR, LIMIT], run: done(show) },
  export: {
    flags: [
      JSON_FLAG,
      DIR,
      { name: 'format', takes: 'value' },
      { name: 'output', short: 'o', takes: 'value' },
      { name: 'thinking', takes: 'nothing' },
    ],
    run: done(exportOne),
  },
  fork: {
    flags: [JSON_FLAG, DIR, { name: 'up-to', takes: 'value' }, { name: 'title', takes: 'value' }],
    run: done(fork),
  },
  rewind: {
    flags: [JSON_FLAG, DIR, DRY_RUN, ...['files', 'conversation', 'both'].map(toggle)],
    async run(run) {
      const [sessionId, message, more] = await sessionOf(run, 'rewind', run.words.words.length > 1 ? ['message'] : []);
      if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}": give one message.`);
      return rewind(run, sessionId, message);
    },
  },
  rename: { flags: [DIR], run: done(rename) },
  tag: { flags: [DIR, { name: 'clear', takes: 'nothing' }], run: done(tag) },
  rm: {
    flags: [JSON_FLAG, DIR, { name: 'yes', short: 'y', takes: 'nothing' }, { name: 'force', takes: 'nothing' }],
    async run(run) {
      const sessionId = await remainsOf(run);
      return remove(run, sessionId);
    },
  },
  gc: {
    flags: [JSON_FLAG, DRY_RUN, { name: 'older-than', takes: 'value' }, { name: 'max-bytes', takes: 'value' }],
    async run(run) {
      expectWords(run.words, 'gc', []);
      return collect(run);
    },
  },
  archive: { flags: [DIR], run: done((run) => archive(run, archiveSession)) },
  unarchive: { flags: [DIR], run: done((run) => archive(run, unarchiveSession)) },
};

/** Names that people try, and the help of all commands gives. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([['delete', 'rm']]);

function toggle(name: string): CommandFlag {
  return { name, takes: 'nothing' };
}

/** What did not throw has worked. */
function done(work: (run: SessionsRun) => Promise<void>): Command['run'] {
  return async (run) => {
    await work(run);
    return EXIT_SUCCESS;
  };
}

/**
 * Runs one command.
 * @param argv the words behind `sessions`
 * @returns the exit code
 * @throws ConfigError or SessionError if nothing could be done
 */
export async function runSessions(argv: readonly string[], io: CliIo): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    await io.out.write(SESSIONS_HELP);
    return EXIT_SUCCESS;
  }
  const own = OTHER_NAMES.get(name) ?? name;
  const command = Object.hasOwn(COMMANDS, own) ? COMMANDS[own] : undefined;
  if (command === undefined) throw unknownCommand(name);
  const words = readWords(rest, [...command.flags, HELP_FLAG]);
  if (words.has('help')) {
    await io.out.write(
      helpOfCommand(
        name,
        command.flags.map((flag) => flag.name),
      ),
    );
    return EXIT_SUCCESS;
  }
  const dir = words.value('dir');
  const options = dir === undefined ? {} : { dir: resolve(io.startedIn(), dir) };
  return command.run({ io, words, style: styleFor(io.stdout, io.env, false), options });
}

function unknownCommand(name: string): ConfigError {
  const near = nearestWord(name.slice(0, 60), Object.keys(COMMANDS));
  const advice = near === undefined ? '"turnwright sessions --help" lists them.' : `Did you mean ${near}?`;
  return new ConfigError(`there is no command "turnwright sessions ${name.slice(0, 60)}". ${advice}`);
}

async function list({ io, words, style, options }: SessionsRun): Promise<void> {
  expectWords(words, 'list', []);
  const isAll = words.has('all');
  if (isAll && options.dir !== undefined)
    throw new ConfigError('--all and --dir cannot be used together. Give one of them.');
  const asked = words.value('limit');
  const isJson = words.has('json');
  const limit = asked === undefined ? (isJson ? 0 : LISTED) : wholeNumber(asked, '--limit', 0);
  const offset = wholeNumber(words.value('offset') ?? '0', '--offset', 0);
  const scope = isAll ? {} : { dir: options.dir ?? io.startedIn() };
  // One more than is shown tells whether there are more.
  const sessions = await listSessions({ ...scope, offset, ...(limit === 0 ? {} : { limit: limit + 1 }) });
  const shown = limit === 0 ? sessions : sessions.slice(0, limit);
  if (isJson) return writeJson(io, shown);
  if (shown.length === 0) {
    await io.err.write(isAll ? 'No sessions.\n' : 'No sessions of this folder. --all lists those of all folders.\n');
    return;
  }
  const columns = io.stdout.isTTY === true ? style.columns : Number.MAX_SAFE_INTEGER / 32;
  const lines = sessionTable(shown, { style: { ...style, columns }, now: Date.now(), showsFolder: isAll });
  await io.out.write(`${lines.join('\n')}\n`);
  if (shown.length < sessions.length) await io.err.write(`… and more: --limit 0 lists all.\n`);
}

async function show(run: SessionsRun): Promise<void> {
  const { io, words, style, options } = run;
  const [sessionId] = await sessionOf(run, 'show', []);
  const limit = wholeNumber(words.value('limit') ?? String(SHOWN_MESSAGES), '--limit', 0);
  const info = await getSessionInfo(sessionId, options);
  const messages = await getSessionMessages(sessionId, options);
  const newest = limit === 0 ? messages : messages.slice(-limit);
  if (words.has('json')) return writeJson(io, { session: info ?? { sessionId }, messages: newest });
  const lines = renderSession(sessionId, info, newest, messages.length - newest.length, style);
  await io.out.write(`${lines.join('\n')}\n`);
}

async function exportOne(run: SessionsRun): Promise<void> {
  const { io, words, options } = run;
  const [sessionId] = await sessionOf(run, 'export', []);
  const isJson = words.has('json');
  const wanted = words.value('format') ?? (isJson ? 'json' : 'md');
  if (isJson && wanted !== 'json') throw new ConfigError(`--json is --format json, not ${wanted}. Give one of them.`);
  if (!Object.hasOwn(FORMATS, wanted)) throw new ConfigError(`--format is one of md, html, json, not "${wanted}".`);
  const format = FORMATS[wanted as keyof typeof FORMATS];
  const text = await exportSession(sessionId, { ...options, format, includeThinking: words.has('thinking') });
  const output = words.value('output');
  if (output === undefined || output === '-') {
    await io.out.write(text);
    return;
  }
  const file = resolve(io.startedIn(), output);
  // A session may hold what is nobody else's business.
  await createNodeHost().fs.writeFileAtomic(file, text, { mode: 0o600 });
  await io.err.write(`Written to ${file}\n`);
}

async function fork(run: SessionsRun): Promise<void> {
  const { io, words, options } = run;
  const [sessionId] = await sessionOf(run, 'fork', []);
  const [upTo, title] = [words.value('up-to'), words.value('title')];
  const forked = await forkSession(sessionId, {
    ...options,
    ...(upTo === undefined ? {} : { upToMessageId: await messageIdOf(upTo, sessionId, options) }),
    ...(title === undefined ? {} : { title }),
  });
  if (words.has('json')) return writeJson(io, forked);
  await io.out.write(`${forked.sessionId}\n`);
}

async function rename(run: SessionsRun): Promise<void> {
  const [sessionId, ...title] = await sessionOf(run, 'rename', ['title']);
  await renameSession(sessionId, title.join(' '), run.options);
}

async function tag(run: SessionsRun): Promise<void> {
  const isCleared = run.words.has('clear');
  const [sessionId, ...words] = await sessionOf(run, 'tag', isCleared ? [] : ['tag']);
  await tagSession(sessionId, isCleared ? null : words.join(' '), run.options);
}

async function archive(run: SessionsRun, change: typeof archiveSession): Promise<void> {
  const [sessionId] = await sessionOf(run, 'archive', []);
  await change(sessionId, run.options);
}

/** @throws ConfigError if words are missing or too many; the last of `names` takes all the rest */
function expectWords({ words }: CommandWords, command: string, names: readonly string[]): void {
  const usage = `turnwright sessions ${[command, ...names.map((name) => `<${name}>`)].join(' ')}`;
  const missing = names[words.length];
  if (missing !== undefined) throw new ConfigError(`the ${missing} is missing. Write: ${usage}`);
  if (words.length > names.length && names.length < 2) {
    throw new ConfigError(`unexpected argument "${(words[names.length] ?? '').slice(0, 60)}". Write: ${usage}`);
  }
}

/** The id that the first word names, and the other words. @throws ConfigError, SessionError */
async function sessionOf(
  { words, options }: SessionsRun,
  command: string,
  names: readonly string[],
): Promise<[string, ...string[]]> {
  expectWords(words, command, ['id', ...names]);
  const [given = '', ...rest] = words.words;
  return [await sessionIdOf(given, options), ...rest];
}

/** A whole id is looked for as it is: what stands there may be nothing that a list would show. */
async function remainsOf(run: SessionsRun): Promise<string> {
  const [given = ''] = run.words.words;
  if (run.words.words.length === 1 && isWholeId(given)) return given.toLowerCase();
  const [sessionId] = await sessionOf(run, 'rm', []);
  return sessionId;
}

async function writeJson(io: CliIo, value: unknown): Promise<void> {
  await io.out.write(`${JSON.stringify(value)}\n`);
}

// The text of `turnwright sessions --help`: learned from examples, then the flags. The help of one command is cut from it,
// so that the two cannot differ.

const SESSIONS_HELP = `turnwright sessions: look at, keep and clear away what earlier sessions left.

Examples
  What did I do here, and in all folders?
    turnwright sessions list
    turnwright sessions list --all --limit 100
  Go on with one of them. The first characters of its id are enough:
    turnwright sessions show 1b4e28ba
    turnwright --resume 1b4e28ba
  Try something else from there, without touching the original:
    turnwright sessions fork 1b4e28ba --title "with a queue"
  Undo a prompt and all after it: first the list of them, then what would go, then files and conversation together:
    turnwright sessions rewind 1b4e28ba
    turnwright sessions rewind 1b4e28ba 7d444840 --dry-run
    turnwright sessions rewind 1b4e28ba 7d444840
  Hand it to somebody who has no Turnwright:
    turnwright sessions export 1b4e28ba --format html -o session.html
  Find it again later:
    turnwright sessions rename 1b4e28ba "parser rewrite"
    turnwright sessions tag 1b4e28ba release
  Clear away what crashes left; and what is old, once it is clear what that would be:
    turnwright sessions gc
    turnwright sessions gc --older-than 30d --dry-run
  For a script:
    turnwright sessions list --json | jq -r '.[].sessionId'

Commands
  list                      the sessions of this folder and its worktrees, newest first
  show <id>                 what one is about, and its newest messages
  export <id>               the whole conversation as a document
  fork <id>                 a copy that goes its own way; its id is printed
  rewind <id> [<message>]   back to before that prompt; without one, the prompts and the files they changed
  rename <id> <title>       another title
  tag <id> <tag>            a tag; --clear takes it away
  delete, rm <id>           delete it, for good, with all that belongs to it
  gc                        delete what no session needs; sessions only if you say which
  archive, unarchive <id>   mark it as done with, and take that back

Flags
  --json                    for programs (list, show, export, fork, rewind, rm, gc)
  --dir <folder>            the sessions of that folder; without it list looks here, and the others everywhere
  --all                     list: the sessions of all folders
  --limit <n>               list: 50, show: 20 messages; 0 for all
  --offset <n>              list: pass over the newest
  --format <format>         export: md (default), html, json
  -o, --output <file>       export: into a file, not to stdout
  --thinking                export: with the model's thinking
  --up-to <uuid>            fork: up to this message; show --json tells the uuids
  --title <title>           fork: its title
  --both, --conversation, --files
                            rewind: what goes back; without one of them: both
  -y, --yes                 rm: without asking
  --force                   rm: also while another process writes it
  --dry-run                 rewind, gc: only say what would go
  --older-than <age>        gc: sessions not written for so long, such as 12h, 30d, 8w
  --max-bytes <size>        gc: the oldest sessions, until all take no more, such as 5GB

Exit codes: 0 success, 1 failure, 2 a wrong command, or no such session
`;

/** The lines about one command: what it does, its examples, and its flags. */
function helpOfCommand(name: string, flags: readonly string[]): string {
  const lines = SESSIONS_HELP.split('\n');
  const section = (from: string, to: string) =>
    lines.slice(lines.indexOf(from) + 1, lines.findIndex((line) => line.startsWith(to)) - 1);
  const does = section('Commands', 'Flags').filter((line) => namesIn(line).includes(name));
  const examples = section('Examples', 'Commands').filter((line) => line.startsWith(`    turnwright sessions ${name}`));
  // A flag of several names, of which one stands alone in its line, has its words in the next.
  const ofFlags = section('Flags', 'Exit codes').filter((line, at, all) =>
    flags.some((flag) =>
      new RegExp(`^  (?:.*, )?--${flag}\\b`).test(line.startsWith('     ') ? (all[at - 1] ?? '') : line),
    ),
  );
  return [
    `turnwright sessions ${name}`,
    ...does,
    ...(examples.length === 0 ? [] : ['', 'Examples', ...examples]),
    ...(ofFlags.length === 0 ? [] : ['', 'Flags', ...ofFlags]),
    '',
    'All commands: turnwright sessions --help',
    '',
  ].join('\n');
}

/** The commands that a line of the list begins with. */
function namesIn(line: string): string[] {
  return (/^ {2}([\w, ]+?)(?: <| {2})/.exec(line)?.[1] ?? '').split(', ');
}
