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
import { nearestWord } from '../../util/nearest.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_SUCCESS } from '../exit-codes.js';
import { isWholeId, messageIdOf, sessionIdOf } from '../session-ids.js';
import { styleFor } from '../style.js';
import { type CommandFlag, type CommandWords, readWords, wholeNumber } from './read-words.js';
import { sessionTable } from './session-table.js';
import { renderSession } from './session-view.js';
import { helpOfCommand, SESSIONS_HELP } from './sessions-help.js';
import type { SessionsRun } from './sessions-run.js';

interface Command {
  readonly flags: readonly CommandFlag[];
  /** @returns the exit code */
  run(run: SessionsRun): Promise<number>;
}

const HELP: CommandFlag = { name: 'help', short: 'h', takes: 'nothing' };
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
      if (more !== undefined) throw new ConfigError(`"${more.slice(0, 60)}" is too much: give one message.`);
      return (await import('./sessions-rewind.js')).rewind(run, sessionId, message);
    },
  },
  rename: { flags: [DIR], run: done(rename) },
  tag: { flags: [DIR, { name: 'clear', takes: 'nothing' }], run: done(tag) },
  rm: {
    flags: [JSON_FLAG, DIR, { name: 'yes', short: 'y', takes: 'nothing' }, { name: 'force', takes: 'nothing' }],
    async run(run) {
      const sessionId = await remainsOf(run);
      return (await import('./sessions-remove.js')).remove(run, sessionId);
    },
  },
  gc: {
    flags: [JSON_FLAG, DRY_RUN, { name: 'older-than', takes: 'value' }, { name: 'max-bytes', takes: 'value' }],
    async run(run) {
      expectWords(run.words, 'gc', []);
      return (await import('./sessions-remove.js')).collect(run);
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
  const words = readWords(rest, [...command.flags, HELP]);
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
  if (isAll && options.dir !== undefined) throw new ConfigError('--all and --dir exclude each other.');
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

/** @throws ConfigError where words are missing or too many; the last of `names` takes all the rest */
function expectWords({ words }: CommandWords, command: string, names: readonly string[]): void {
  const usage = `turnwright sessions ${[command, ...names.map((name) => `<${name}>`)].join(' ')}`;
  const missing = names[words.length];
  if (missing !== undefined) throw new ConfigError(`the ${missing} is missing. Write: ${usage}`);
  if (words.length > names.length && names.length < 2) {
    throw new ConfigError(`"${(words[names.length] ?? '').slice(0, 60)}" is too much. Write: ${usage}`);
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
