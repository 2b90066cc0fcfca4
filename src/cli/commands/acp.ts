// `turnwright acp`: an agent for editors that speak the Agent Client Protocol.
import { ConfigError } from '../../protocol/errors.js';
import { createLogRedactor, NO_DEBUG_LOG } from '../../sdk/logs/index.js';
import { serveAcp } from '../acp/index.js';
import { completeOptions, parseArgs, resolveFolders } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_SUCCESS } from '../exit-codes.js';
import { openDebugLog } from '../open-debug-log.js';
import { runLogin } from './keys.js';

const HELP = `turnwright acp: an agent for editors that speak the Agent Client Protocol, such as Zed and those of JetBrains

  The editor starts it and speaks with it over stdin and stdout, one JSON message a line. Notices go to stderr.
  Zed, in its settings:
    "agent_servers": { "Turnwright": { "command": "turnwright", "args": ["acp"] } }

  turnwright acp [flags]             flags of "turnwright --help" that every session is to begin with, such as
                                     --model, --permission-mode, --allowed-tools, --add-dir, --settings, --trust
  turnwright acp login [provider]    as "turnwright login": for editors that offer it

  --debug-file <file>                a log without contents
`;

/** Flags that name a session, an output or a prompt: of those the editor has its own. */
const NOT_HERE = [
  'resume',
  'continue',
  'forkSession',
  'sessionId',
  'resumeSessionAt',
  'resumeDropsTurn',
  'decisions',
  'cwd',
] as const;

/** @returns the exit code. @throws ConfigError */
export async function runAcp(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv[0] === 'login') return runLogin(argv.slice(1), io);
  const args = parseArgs(argv);
  if (args.action === 'help') {
    await io.out.write(HELP);
    return EXIT_SUCCESS;
  }
  const { options, prompt, print, choosesSession, debugFile } = args;
  const odd = NOT_HERE.find((name) => options[name] !== undefined);
  if (prompt !== undefined || print || choosesSession || args.action === 'version' || odd !== undefined)
    throw new ConfigError(
      `"acp" takes no prompt and no session: the editor gives them.${odd === undefined ? '' : ` Leave out ${odd}.`} "turnwright acp --help" tells more.`,
    );
  // Each session has a folder of its own.
  const { cwd: _, ...base } = await completeOptions({ ...args, options: resolveFolders(options, io.startedIn()) }, io);
  const isLogged = debugFile !== undefined || args.debug;
  const log = isLogged ? openDebugLog(debugFile ?? null, io, createLogRedactor(io.env)) : NO_DEBUG_LOG;
  const signals = endOnSignals(io);
  try {
    await serveAcp({ options: base, io, log });
  } finally {
    signals.dispose();
  }
  return signals.code ?? EXIT_SUCCESS;
}

/** Whoever ends the program ends its sessions first. */
function endOnSignals(io: CliIo): { readonly code: number | undefined; dispose(): void } {
  let code: number | undefined;
  const listeners = (
    [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const
  ).map(([name, exitCode]) => {
    const listener = () => {
      if (code !== undefined) io.exit(exitCode);
      code = exitCode;
      io.lifetime.abort();
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  return {
    get code() {
      return code;
    },
    dispose() {
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
