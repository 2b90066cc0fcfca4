// `turnwright permissions check|explain|test`: what would be decided about a call, what a command would do, and whether
// the rules of settings are right. Runs nothing.
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { PermissionMode } from '../../protocol/permissions.js';
import {
  checkCallHere,
  checkPermission,
  explainCommand,
  type PermissionQuestion,
  testPermissionRules,
} from '../../sdk/permissions/index.js';
import { errorText, nearestWord } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { splitList } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright permissions: ask what would be decided, without running anything.

Examples
  What would be said of a call here, by my settings, and why?
    turnwright permissions check Bash 'npm test'
    turnwright permissions check Read .env --mode acceptEdits
  And under rules and a mode of another place, whatever is set here?
    turnwright permissions check '{"tool":"Bash","input":{"command":"npm test"},
      "rules":{"allow":["Bash(npm test *)"],"deny":["Bash(rm *)"]},"mode":"acceptEdits","cwd":"/home/me/app"}'
  Many calls, one JSON object a line:
    turnwright permissions check < calls.jsonl
  What would a command start, and which files does it name?
    turnwright permissions explain 'find . -name "*.log" -exec rm {} +'
  Are my rules right? Looks over the rules in settings, and the examples beside them:
    turnwright permissions test

Commands
  check <tool> <text>   decide a call by the settings of this folder; text: the command, file, pattern or address
  check [call]       decide one call as JSON, or each line of standard input, by nothing but its fields: tool, input,
                     mode, rules { allow, deny, ask }, cwd, roots, home, trusted, sandbox
  explain <command>  the programs, files and unknowns of a command line
  test               the rules of the settings of this folder, their examples (permissions.examples), and which are
                     wider than they look or never count; exit code 1 if an example fails or a rule cannot be used

Flags
  --mode <mode>      check <tool> <text>: in that permission mode
  --allowed-tools <rules>, --disallowed-tools <rules>
                     check <tool> <text>: with these rules beside those of settings, as the flags of a run; each may be repeated
  --json             one JSON object a call (as check prints wherever its output is not a terminal)
  -h, --help
`;

/** @returns the exit code. @throws ConfigError */
export async function runPermissions(argv: readonly string[], io: CliIo): Promise<number> {
  const { words, has, value, values } = readWords(argv, [
    { name: 'json', takes: 'nothing' },
    { name: 'mode', takes: 'value' },
    // As the flags of a run are called.
    { name: 'permission-mode', takes: 'value' },
    { name: 'allowed-tools', takes: 'value' },
    { name: 'disallowed-tools', takes: 'value' },
    HELP_FLAG,
  ]);
  const [command, text, more, ...others] = words;
  if (has('help') || command === undefined) {
    await io.out.write(HELP);
    return EXIT_SUCCESS;
  }
  const asJson = has('json');
  const mode = value('mode') ?? value('permission-mode');
  const isPlain = command === 'check' && text !== undefined && !text.trimStart().startsWith('{');
  const rules = {
    allowedTools: values('allowed-tools').flatMap(splitList),
    disallowedTools: values('disallowed-tools').flatMap(splitList),
  };
  if (isPlain && others.length === 0)
    return checkHere(text, more, { mode, ...rules }, io, asJson || io.stdout.isTTY !== true);
  const over = isPlain ? others[0] : more;
  if (over !== undefined)
    throw new ConfigError(`unexpected argument "${over.slice(0, 60)}": quote the whole as one word.`);
  if (mode !== undefined)
    throw new ConfigError('--mode is for "permissions check <tool> <text>"; a call as JSON has a field mode.');
  if (rules.allowedTools.length + rules.disallowedTools.length > 0)
    throw new ConfigError(
      '--allowedTools and --disallowedTools are for "permissions check <tool> <text>"; a call as JSON has a field rules.',
    );
  if (command === 'check')
    return check(text, io, asJson || io.stdout.isTTY !== true, styleFor(io.stdout, io.env, false));
  if (command === 'explain') return explain(text, io, asJson);
  if (command === 'test') return test(text, io, asJson);
  throw new ConfigError(`There is no "permissions ${command.slice(0, 60)}". Commands: check, explain, test.`);
}

/** The field of its input that says most of what a call does. */
const FIELDS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Read: 'file_path',
  Edit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
  Glob: 'pattern',
  Grep: 'path',
  WebFetch: 'url',
  Agent: 'subagent_type',
  Skill: 'skill',
};

/** One call, by the settings of the folder. @throws ConfigError */
async function checkHere(
  tool: string,
  text: string | undefined,
  {
    mode,
    ...rules
  }: {
    readonly mode: string | undefined;
    readonly allowedTools: readonly string[];
    readonly disallowedTools: readonly string[];
  },
  io: CliIo,
  asJson: boolean,
): Promise<number> {
  const field = FIELDS[tool];
  if (text !== undefined && field === undefined) {
    const near = nearestWord(tool.slice(0, 60), Object.keys(FIELDS));
    const meant = near === undefined ? '' : ` Did you mean ${near}?`;
    throw new ConfigError(
      `what a call of "${tool.slice(0, 60)}" would do cannot be said in one text.${meant} Tools of which it can: ${Object.keys(FIELDS).join(', ')}. Give the call of another as JSON.`,
    );
  }
  if (text === undefined && field !== undefined)
    throw new ConfigError(`${tool} needs its ${field}: turnwright permissions check ${tool} '…'`);
  const input = field === undefined ? {} : { [field]: text };
  const call = { tool, input, ...(mode === undefined ? {} : { mode: mode as PermissionMode }) };
  const { decision, told } = await checkCallHere(
    { ...call, ...rules },
    io.startedIn(),
    createNodeHost({ env: io.env }),
  );
  for (const message of told) await io.err.write(`! ${escapeHidden(message)}\n`);
  await io.out.write(
    `${asJson ? JSON.stringify(decision) : decisionLine(decision, styleFor(io.stdout, io.env, false))}\n`,
  );
  return EXIT_SUCCESS;
}

type Decision = Awaited<ReturnType<typeof checkPermission>>;

function decisionLine({ behavior, reason }: Decision, style: Style): string {
  return `${paint(behavior.padEnd(5), COLOURS[behavior], style)}  ${escapeHidden(reason)}`;
}

/** A call that cannot be understood is told in its line, and the rest is decided all the same. */
async function check(text: string | undefined, io: CliIo, asJson: boolean, style: Style): Promise<number> {
  const host = createNodeHost({ env: io.env });
  let hasFailed = false;
  for await (const line of text === undefined ? linesOf(io.stdin) : [text]) {
    if (line.trim() === '') continue;
    try {
      const decision = await checkPermission(JSON.parse(line) as PermissionQuestion, host);
      await io.out.write(`${asJson ? JSON.stringify(decision) : decisionLine(decision, style)}\n`);
    } catch (error) {
      hasFailed = true;
      const why = error instanceof SyntaxError ? `This is not JSON: ${error.message}` : errorText(error);
      await io.out.write(asJson ? `${JSON.stringify({ error: why })}\n` : `error  ${escapeHidden(why)}\n`);
    }
  }
  return hasFailed ? EXIT_FAILURE : EXIT_SUCCESS;
}

const COLOURS = { allow: 'green', ask: 'yellow', deny: 'red' } as const;

async function explain(command: string | undefined, io: CliIo, asJson: boolean): Promise<number> {
  if (command === undefined) throw new ConfigError('Give the command line, quoted as one word.');
  const { platform } = createNodeHost({ env: io.env });
  const reading = await explainCommand(command, { cwd: io.startedIn(), home: platform.homedir });
  if (asJson) {
    await io.out.write(`${JSON.stringify(reading)}\n`);
    return EXIT_SUCCESS;
  }
  const lines = [
    ...reading.programs.map((run) => {
      const words = run.words.map((word) => (word === null ? '?' : JSON.stringify(word))).join(' ');
      const kind = run.unknown !== null ? `cannot be told: ${run.unknown}` : run.readOnly ? 'only reads' : 'may change';
      return `starts   ${words}  (${kind})`;
    }),
    ...reading.files.map(({ access, path, within, base, by }) => {
      const named = path ?? (within === null ? '?' : `${within}/*`);
      const place = named.startsWith('/') || base === null ? named : `${named} in ${base}`;
      return `${`${access}s`.padEnd(7)}  ${place}  (${by})`;
    }),
    ...(reading.unpacks ?? []).map(({ source, into }) => {
      const from = source === null ? '?' : 'file' in source ? source.file : 'its input';
      return `unpacks  ${from}  (looked into before it runs, into ${into ?? '?'})`;
    }),
    ...(reading.unknown === null ? [] : [`unknown  ${reading.unknown}`]),
  ];
  await io.out.write(`${(lines.length === 0 ? ['starts   nothing'] : lines).map(escapeHidden).join('\n')}\n`);
  return EXIT_SUCCESS;
}

async function test(text: string | undefined, io: CliIo, asJson: boolean): Promise<number> {
  if (text !== undefined)
    throw new ConfigError(`unexpected argument "${text.slice(0, 60)}": the rules are those of settings.`);
  const report = await testPermissionRules({ cwd: io.startedIn() }, createNodeHost({ env: io.env }));
  const { rules, examples, faults, problems } = report;
  const failed = examples.filter(({ isRight }) => !isRight);
  const code = failed.length + problems.length === 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  if (asJson) {
    await io.out.write(`${JSON.stringify(report)}\n`);
    return code;
  }
  const lines = [
    ...problems.map((problem) => `cannot be used  ${problem}`),
    ...failed.map(({ rule, behavior, example, expected }) => {
      const said = expected === 'match' ? 'does not speak of' : 'speaks of';
      return `wrong           ${behavior === null ? `${rule} stands in no list` : `${behavior} ${rule} ${said} ${example}`}`;
    }),
    ...faults.map(({ behavior, rule, problem }) => `look at         ${behavior} ${rule}: ${problem}`),
    `${rules} rules, ${examples.length - failed.length} of ${examples.length} examples hold.`,
  ];
  await io.out.write(`${lines.map(escapeHidden).join('\n')}\n`);
  return code;
}

/** Characters of a line at most: a longer one is no call. */
const MAX_LINE = 4 * 1024 * 1024;

async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > MAX_LINE) throw new ConfigError(`A line of the input is longer than ${MAX_LINE} characters.`);
  }
  yield rest;
}
