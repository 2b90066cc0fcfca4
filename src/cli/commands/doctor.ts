// `turnwright doctor`: looks at what is set up on this machine and in this folder, and says what is not as it should be
// and what to do. One rule: it only looks, and every part has a time of its own.
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { createLogRedactor } from '../../sdk/redact-log.js';
import { count } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import { escapeHidden } from '../../view/escape-text.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { resolveFolders } from '../folders.js';
import { paint, type Style, styleFor } from '../style.js';
import type { Finding, Level, LookedAt } from './doctor/finding.js';
import { type CommandFlag, readWords } from './read-words.js';

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
  { name: 'help', short: 'h', takes: 'nothing' },
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
  if (word !== undefined) throw new ConfigError(`"${word.slice(0, 60)}" is too much: doctor looks at everything.`);
  const named = flags.value('cwd');
  const cwd = resolveFolders(named === undefined ? {} : { cwd: named }, io.startedIn()).cwd ?? io.startedIn();
  const { platform } = createNodeHost({ env: io.env });
  const host = createNodeHost({ env: io.env, platform: { ...platform, cwd } });
  const [{ lookAtAll }, { PARTS }] = await Promise.all([
    import('./doctor/look-at-all.js'),
    import('./doctor/parts.js'),
  ]);
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
    await io.out.write(
      `${JSON.stringify({ version: VERSION, cwd, ok: problems === 0, problems, warnings, parts }, null, 2)}\n`,
    );
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

async function tell(text: string, io: CliIo): Promise<number> {
  await io.out.write(text);
  return EXIT_SUCCESS;
}
