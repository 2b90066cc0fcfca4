// `turnwright doctor`: looks at what is set up on this machine and in this folder, and says what is not as it should be
// and what to do. One rule: it only looks, and every part has a time of its own.
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError, isEngineError } from '../../protocol/errors.js';
import { createLogRedactor } from '../../sdk/logs/index.js';
import { count, errorText } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import { escapeHidden } from '../../view/escape-text.js';
import { resolveFolders } from '../args/index.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { type Finding, type Level, type LookedAt, type Part, type Place, problem, warning } from './doctor/finding.js';
import {
  lookAtDisk,
  lookAtHooks,
  lookAtLoaded,
  lookAtModel,
  lookAtNetwork,
  lookAtRuntime,
  lookAtSandbox,
  lookAtServers,
  lookAtSessions,
  lookAtSettings,
  lookAtSkills,
  lookAtTools,
  lookAtTrust,
} from './doctor/parts.js';
import { type CommandFlag, HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright doctor: looks at what is set up here, and says what is not as it should be and what to do.

  Node.js and the terminal, keys and the model that would answer, proxies, sandbox, ripgrep and git, settings and rules,
  trust, hooks, MCP servers, skills, what is loaded and what is not, stored sessions, disk. Nothing is changed, no key is shown, no model is asked.

  --all             lists every agent, skill, command, plugin, server, hook and instruction file with its source
  --online          also sends one small request without a key to the provider of the model: does anybody answer?
  --cwd <folder>    another folder
  --json            for programs

  Exit code 0 without problems, 1 with. Warnings are none.
`;

const FLAGS: readonly CommandFlag[] = [
  HELP_FLAG,
  { name: 'json', takes: 'nothing' },
  { name: 'online', takes: 'nothing' },
  { name: 'all', takes: 'nothing' },
  { name: 'cwd', takes: 'value' },
];

const COLOURS: Readonly<Record<Level, 'green' | 'yellow' | 'red'>> = { ok: 'green', warning: 'yellow', problem: 'red' };
const LEVEL_WIDTH = 'problem'.length;

/** @returns the exit code. @throws ConfigError */
export async function runDoctor(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  if (flags.has('help')) return tell(HELP, io);
  const [word] = flags.words;
  if (word !== undefined)
    throw new ConfigError(`unexpected argument "${word.slice(0, 60)}": doctor looks at everything.`);
  const named = flags.value('cwd');
  const cwd = resolveFolders(named === undefined ? {} : { cwd: named }, io.startedIn()).cwd ?? io.startedIn();
  const { platform } = createNodeHost({ env: io.env });
  const host = createNodeHost({ env: io.env, platform: { ...platform, cwd } });
  const looked = await lookAtAll(PARTS, {
    host,
    cwd,
    io,
    isOnline: flags.has('online'),
    isWhole: flags.has('all') || flags.has('json'),
  });
  const redact = createLogRedactor(io.env);
  const parts = looked.map((part) => ({ ...part, findings: part.findings.map((each) => shownFinding(each, redact)) }));
  const [problems, warnings] = (['problem', 'warning'] as const).map((level) => countOf(parts, level));
  const code = problems === 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  if (flags.has('json')) {
    await io.out.write(json({ version: VERSION, cwd, ok: problems === 0, problems, warnings, parts }));
    return code;
  }
  const style = styleFor(io.stdout, io.env, false);
  const sum = [count(problems ?? 0, 'problem'), count(warnings ?? 0, 'warning')].join(', ');
  const lines = [...parts.flatMap((part) => linesOf(part, style)), `${sum}.`];
  await io.out.write(`${lines.join('\n')}\n`);
  return code;
}

/** Texts of files and of the environment stand in it: nothing hidden, and no secret. */
function shownFinding({ level, text, advice }: Finding, redact: (text: string) => string): Finding {
  const clean = (words: string) => escapeHidden(redact(words.replace(/\s*[\r\n]+\s*/g, ' ').trim()));
  return { level, text: clean(text), ...(advice === undefined ? {} : { advice: clean(advice) }) };
}

function countOf(parts: readonly LookedAt[], level: Level): number {
  return parts.reduce((sum, { findings }) => sum + findings.filter((each) => each.level === level).length, 0);
}

function linesOf({ title, findings }: LookedAt, style: Style): string[] {
  return [
    paint(title, 'bold', style),
    ...findings.flatMap(({ level, text, advice }) => [
      `  ${paint(level, COLOURS[level], style)}${' '.repeat(LEVEL_WIDTH - level.length)}  ${text}`,
      ...(advice === undefined ? [] : [`  ${' '.repeat(LEVEL_WIDTH)}  ${paint(`to do: ${advice}`, 'cyan', style)}`]),
    ]),
    '',
  ];
}

// Looks at all parts at the same time. One rule: a part that fails or takes too long is a finding, and the others are told.

/** For each part. Milliseconds. */
const LIMIT_MS = 8_000;

/** In the order of the parts. Contract: never rejects; takes no longer than the limit. */
export async function lookAtAll(parts: readonly Part[], place: Place, limitMs = LIMIT_MS): Promise<LookedAt[]> {
  return Promise.all(
    parts.map(async ({ name, title, look }) => ({ name, title, findings: await bounded(look, place, limitMs) })),
  );
}

async function bounded(look: Part['look'], place: Place, limitMs: number): Promise<readonly Finding[]> {
  const controller = new AbortController();
  let cancel = () => undefined as unknown;
  const late = new Promise<readonly Finding[]>((resolve) => {
    cancel = place.host.clock.after(limitMs, () => {
      const seconds = limitMs / 1_000;
      resolve([warning(`This was not looked at to the end: it took longer than ${seconds} s.`)]);
      controller.abort();
    });
  });
  try {
    // A part that throws at once is one that fails, too.
    return await Promise.race([
      Promise.resolve()
        .then(() => look(place, controller.signal))
        .catch(failed),
      late,
    ]);
  } finally {
    cancel();
    controller.abort();
  }
}

/** What is wrong with the set-up says so by an error of ours; anything else is a fault of this look. */
function failed(error: unknown): readonly Finding[] {
  if (isEngineError(error)) return [problem(error.message)];
  return [warning(`This could not be looked at: ${errorText(error)}`)];
}

// The parts of a set-up, in the order in which they are told.

const PARTS: readonly Part[] = [
  { name: 'runtime', title: 'Node.js and terminal', look: lookAtRuntime },
  { name: 'model', title: 'Keys and model', look: lookAtModel },
  { name: 'network', title: 'Network', look: lookAtNetwork },
  { name: 'sandbox', title: 'Sandbox', look: lookAtSandbox },
  { name: 'programs', title: 'Search and git', look: lookAtTools },
  { name: 'settings', title: 'Settings and rules', look: lookAtSettings },
  { name: 'trust', title: 'Trust of this folder', look: lookAtTrust },
  { name: 'hooks', title: 'Hooks', look: lookAtHooks },
  { name: 'servers', title: 'MCP servers of the project', look: lookAtServers },
  { name: 'skills', title: 'Skills', look: lookAtSkills },
  { name: 'loaded', title: 'What a session here has of files and plugins', look: lookAtLoaded },
  { name: 'sessions', title: 'Stored sessions', look: lookAtSessions },
  { name: 'disk', title: 'Disk', look: lookAtDisk },
];
