// The command line. Only parses and dispatches. What one prompt needs comes with it, as that is what it is started for;
// the rest is loaded when it is asked for.
import { CLAUDE_CODE_VERSION } from '../protocol/capabilities.js';
import { ConfigError } from '../protocol/errors.js';
import { type DebugLog, NO_DEBUG_LOG } from '../sdk/logs/index.js';
import { errorText, nearestWord, shorten } from '../util/text.js';
import { VERSION } from '../util/version.js';
import { type CliArgs, parseArgs, resolveFolders } from './args/index.js';
import { type CliIo, processIo } from './cli-io.js';
import { DOORS } from './doors.js';
import { EXIT_FAILURE, errorLine, exitCodeOf } from './exit-codes.js';

/** Time for an orderly end once the exit code is known, milliseconds. Then whatever still holds the process is cut off. */
const LINGER_MS = 1_500;

/** Characters of a word or prompt that are repeated. */
const MAX_WORD = 60;

type Command = (argv: readonly string[], io: CliIo) => Promise<number>;

/** By the first word. */
const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['sessions', async (argv, io) => (await DOORS.sessions()).runSessions(argv, io)],
  ['models', async (argv, io) => (await DOORS.models()).runModels(argv, io)],
  ['config', async (argv, io) => (await DOORS.settings()).runConfig(argv, io)],
  ['permissions', async (argv, io) => (await DOORS.permissions()).runPermissions(argv, io)],
  ['hooks', async (argv, io) => (await DOORS.hooks()).runHooks(argv, io)],
  ['agents', async (argv, io) => (await DOORS.capabilities()).runAgents(argv, io)],
  ['worktrees', async (argv, io) => (await DOORS.settings()).runWorktrees(argv, io)],
  ['tools', async (argv, io) => (await DOORS.tools()).runTools(argv, io)],
  ['mcp', async (argv, io) => (await DOORS.capabilities()).runMcp(argv, io)],
  ['plugin', async (argv, io) => (await DOORS.plugin()).runPlugin(argv, io)],
  ['skills', async (argv, io) => (await DOORS.capabilities()).runSkills(argv, io)],
  ['acp', async (argv, io) => (await DOORS.acp()).runAcp(argv, io)],
  ['login', async (argv, io) => (await DOORS.keys()).runLogin(argv, io)],
  ['logout', async (argv, io) => (await DOORS.keys()).runLogout(argv, io)],
  ['doctor', async (argv, io) => (await DOORS.doctor()).runDoctor(argv, io)],
  ['completions', async (argv, io) => (await DOORS.settings()).runCompletions(argv, io)],
  ['help', runHelp],
  ['auth', async (argv, io) => (await DOORS.keys()).runAuth(argv, io)],
]);

/** The logging of this process, once its target is known. */
interface Reporter {
  log: DebugLog;
}

/** Runs the program `turnwright`. Contract: sets the exit code, and ends the process. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  const io = processIo();
  const reporter: Reporter = { log: NO_DEBUG_LOG };
  catchFatal(io, reporter);
  const code = await run(argv, io, reporter).catch((error: unknown) => report(error, io, reporter));
  await end(code, io);
}

/** @returns the exit code */
async function run(argv: readonly string[], io: CliIo, reporter: Reporter): Promise<number> {
  // A prompt of such a word is written behind `--`.
  const command = COMMANDS.get(argv[0] ?? '');
  if (command !== undefined) return command(argv.slice(1), io);
  const args = parseArgs(argv);
  if (args.action === 'version') return print(versionLine(io), io);
  if (args.action === 'help') return print((await DOORS.help()).HELP, io);
  if (args.debugFile !== undefined || args.debug) {
    const { openDebugLog } = await DOORS.debugLog();
    reporter.log = openDebugLog(args.debugFile ?? null, io, await redactor(io));
    reporter.log.note('start', { version: VERSION, node: process.version, flags: argv.filter(isFlag) });
  }
  if (args.wire === null) checkPrompt(args, io);
  const options = await completed({ ...args, options: resolveFolders(args.options, io.startedIn()) }, io);
  const ready: CliArgs = { ...args, options };
  if (args.wire !== null) return (await DOORS.wire()).serveWire(ready, args.wire, io, reporter.log);
  if (!args.print && io.stdin.isTTY === true) {
    const chosen =
      args.choosesSession && io.stderr.isTTY === true
        ? await (await DOORS.aroundSession()).chooseSession(options, io)
        : options;
    if (chosen === null) return EXIT_FAILURE;
    if (fitsTerminal(args, io)) return runAtTerminal({ ...ready, options: chosen }, io, reporter.log);
    const { runLineMode } = await DOORS.lines();
    return runLineMode({ ...ready, options: chosen }, io, reporter.log);
  }
  return (await DOORS.print()).runPrintMode(ready, io, reporter.log);
}

/** Of a smaller window lines make more. */
const LEAST_WINDOW = { columns: 40, rows: 10 };

/** True if a screen can be drawn, and nobody wants lines. */
function fitsTerminal({ isPlain, debug, debugFile }: CliArgs, { stdin, stdout, env }: CliIo): boolean {
  const { columns = 0, rows = 0 } = stdout as { readonly columns?: number; readonly rows?: number };
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb';
  // Lines of a log on the same terminal would land inside it.
  const isLogged = debug && debugFile === undefined;
  return isTerminal && !isPlain && !isLogged && columns >= LEAST_WINDOW.columns && rows >= LEAST_WINDOW.rows;
}

/** The terminal, which is loaded for nobody else. */
async function runAtTerminal(args: CliArgs, io: CliIo, log: DebugLog): Promise<number> {
  const { runTerminal } = await DOORS.terminal();
  const complete = async (given: CliArgs['options']) => {
    const { orOffline, leavesAtOnce } = await DOORS.aroundSession();
    const { options, notes } = await orOffline(given);
    return { options: { ...options, ...leavesAtOnce({ ...args, options }, io) }, notes };
  };
  const openPage = async (url: string) => (await DOORS.aroundSession()).openPage(url);
  let ready = { ...args, complete, openPage };
  for (;;) {
    const { code, sessionId, next } = await runTerminal(ready, io, log);
    if (next === null) {
      const known = sessionId ?? ready.options.resume ?? null;
      if (known !== null) await (await DOORS.aroundSession()).tellWayBack(known, args.options, io);
      return code;
    }
    ready = { ...ready, options: goingOnWith(next, ready.options) };
  }
}

/** Another session that the person chose: where to begin was said of the first one. */
function goingOnWith(resume: string, options: CliArgs['options']): CliArgs['options'] {
  const { continue: _newest, sessionId: _id, forkSession: _fork, ...others } = options;
  const { resumeSessionAt: _at, resumeDropsTurn: _turn, ...rest } = others;
  return { ...rest, resume };
}

/** `turnwright help`, and `turnwright help <command>`. @throws ConfigError */
async function runHelp([name, ...more]: readonly string[], io: CliIo): Promise<number> {
  if (name === undefined || name.startsWith('-')) return print((await DOORS.help()).HELP, io);
  const command = name === 'help' ? undefined : COMMANDS.get(name);
  if (command === undefined)
    throw new ConfigError(`there is no command "${name.slice(0, MAX_WORD)}". "turnwright --help" lists them.`);
  return command([...more, '--help'], io);
}

/** A slip must not become a prompt that somebody pays for. @throws ConfigError */
function checkPrompt(
  { commandWord: word, saysPrint, choosesSession, options, prompt }: CliArgs,
  { stdin }: CliIo,
): void {
  if (word !== undefined) {
    if (COMMANDS.has(word)) throw new ConfigError(`the command "${word}" must stand first: turnwright ${word} …`);
    const near = nearestWord(word.slice(0, MAX_WORD), [...COMMANDS.keys(), 'version']);
    const meant = near === 'version' ? '--version' : near;
    const advice =
      meant === undefined ? '"turnwright --help" lists the commands.' : `Did you mean "turnwright ${meant}"?`;
    throw new ConfigError(
      `unknown command "${word.slice(0, MAX_WORD)}". ${advice} For a prompt, write: turnwright -p "${shorten(prompt ?? '', MAX_WORD)}"`,
    );
  }
  // Decisions about calls that wait are no prompt.
  if (saysPrint || stdin.isTTY === true || (prompt === undefined && options.decisions !== undefined)) return;
  if (choosesSession && prompt === undefined)
    throw new ConfigError(
      'away from a terminal there is nobody to choose a session. "turnwright sessions list" shows their ids; then: turnwright --resume ID -p "go on"',
    );
  const example = prompt === undefined ? 'what does this project do?' : shorten(prompt, MAX_WORD);
  throw new ConfigError(`away from a terminal a prompt needs -p: turnwright -p "${example}"`);
}

/** What few command lines need. @throws ConfigError, SessionError */
async function completed(args: CliArgs, io: CliIo): Promise<CliArgs['options']> {
  const { options, systemPromptFile, mcpConfigs } = args;
  const { resume, resumeSessionAt: at, resumeDropsTurn: drops } = options;
  if ((systemPromptFile ?? resume ?? at ?? drops) === undefined && mcpConfigs.length === 0) return options;
  return (await DOORS.completeOptions()).completeOptions(args, io);
}

/**
 * One published client asks for the version first, and warns of one below its own. It says who it is, and hears which
 * version of its protocol is spoken.
 */
function versionLine({ env }: CliIo): string {
  if (env['CLAUDE_CODE_ENTRYPOINT'] === undefined) return `${VERSION} (Turnwright)\n`;
  return `${CLAUDE_CODE_VERSION} (Turnwright ${VERSION})\n`;
}

async function redactor({ env }: CliIo): Promise<(text: string) => string> {
  return (await DOORS.debugLog()).createLogRedactor(env);
}

/** Flags are logged without their values, which may be prompts. */
function isFlag(token: string): boolean {
  return /^--?[A-Za-z-]+$/.test(token);
}

async function print(text: string, io: CliIo): Promise<number> {
  await io.out.write(text);
  return 0;
}

/** One line for people; the stack goes to the debug file only. */
async function report(error: unknown, io: CliIo, reporter: Reporter): Promise<number> {
  reporter.log.error(error);
  await io.err.write(`${(await redactor(io))(errorLine(error))}\n`);
  return exitCodeOf(error);
}

/** Sets the exit code and lets the process run out; output is handed over before anything is cut off. */
async function end(ended: number, io: CliIo): Promise<void> {
  process.exitCode = ended;
  await Promise.all([io.out.flush(), io.err.flush()]);
  const code = io.out.failure === null ? ended : EXIT_FAILURE;
  if (io.out.failure !== null) {
    await io.err.write(
      `turnwright: the output is not whole: ${errorText(io.out.failure)}. Make room, or write elsewhere.\n`,
    );
    process.exitCode = code;
  }
  setTimeout(() => io.exit(code), LINGER_MS).unref();
}

/** An error nobody caught is a fault of ours: say so in one line, end what runs, leave. */
function catchFatal(io: CliIo, reporter: Reporter): void {
  const onFatal = (error: unknown): void => {
    io.lifetime.abort();
    report(error, io, reporter)
      .then(() => end(EXIT_FAILURE, io))
      .catch(() => io.exit(EXIT_FAILURE));
  };
  process.on('uncaughtException', onFatal);
  process.on('unhandledRejection', onFatal);
}
