// `turnwright hooks`: which hooks the settings of a folder have, and what they do at an event.
import path from 'node:path';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type HookList, type HooksOptions, type HookTrial, listHooks, tryHooks } from '../../sdk/hooks/index.js';
import { escapeHidden } from '../../view/escape-text.js';
import { resolveFolders, settingSources } from '../args/index.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { paint, readPiped, type Style, styleFor } from '../lines/index.js';
import { type CommandFlag, type CommandWords, HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright hooks: what settings run at moments of a session.

  turnwright hooks list              those that a session here would have, and those it would not, and why
  turnwright hooks test <Event>      runs those of an event as a session would, and tells what they did and would do
                                     exit code 0: things would go on, 2: a hook refuses, 1: a hook failed

  --input <json>                     fields of the event, over samples; absent, what is piped in
  --cwd <folder>                     another folder
  --settings <file or json>          settings of this run, over those of files
  --setting-sources <list>           whose files are read: user, project, local; or none
  --trust                            hooks of the folder may run
  --json                             for programs

Example
  echo '{"tool_name":"Bash","tool_input":{"command":"rm -rf build"}}' | turnwright hooks test PreToolUse
`;

const FLAGS: readonly CommandFlag[] = [
  HELP_FLAG,
  { name: 'json', takes: 'nothing' },
  { name: 'trust', takes: 'nothing' },
  { name: 'input', takes: 'value' },
  { name: 'cwd', takes: 'value' },
  { name: 'settings', takes: 'value' },
  { name: 'setting-sources', takes: 'value' },
];
const REFUSED = 2;

/** @returns the exit code. @throws ConfigError */
export async function runHooks(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [verb, event, more] = flags.words;
  if (flags.has('help') || verb === undefined) {
    await io.out.write(HELP);
    return EXIT_SUCCESS;
  }
  if (verb === 'list' && event === undefined) return list(flags, io);
  if (verb === 'test' && event !== undefined && more === undefined) return test(event, flags, io);
  if (verb === 'test') throw new ConfigError('hooks test needs one event, such as PreToolUse.');
  if (verb === 'list') throw new ConfigError(`unexpected argument "${event?.slice(0, 60)}".`);
  throw new ConfigError(`unknown command "hooks ${verb.slice(0, 60)}". Commands: list and test.`);
}

function optionsOf(flags: CommandWords, io: CliIo): HooksOptions {
  const cwd = flags.value('cwd');
  const settings = flags.value('settings');
  const sources = flags.value('setting-sources');
  if (flags.has('trust') && sources !== undefined)
    throw new ConfigError('--trust and --setting-sources both say whose settings act. Give one of them.');
  const named = sources === undefined ? undefined : settingSources(sources, '--setting-sources');
  const chosen = flags.has('trust') ? (['user', 'project', 'local'] as const) : named;
  return {
    host: createNodeHost({ env: io.env }),
    cwd: resolveFolders(cwd === undefined ? {} : { cwd }, io.startedIn()).cwd ?? io.startedIn(),
    ...(settings === undefined
      ? {}
      : { settings: settings.trimStart().startsWith('{') ? settings : path.resolve(io.startedIn(), settings) }),
    ...(chosen === undefined ? {} : { settingSources: [...chosen] }),
  };
}

async function list(flags: CommandWords, io: CliIo): Promise<number> {
  const found = await listHooks(optionsOf(flags, io));
  if (flags.has('json')) return tell(json(found), io);
  await tellNotices(found, io);
  const lines = listed(found, styleFor(io.stdout, io.env, false));
  return tell(lines.map((line) => `${line}\n`).join(''), io);
}

function listed({ hooks, refused }: HookList, style: Style): string[] {
  if (hooks.length + refused.length === 0) return ['No hooks.'];
  return [
    ...hooks.flatMap((hook) => [
      `${paint(escapeHidden(hook.label), 'bold', style)}  ${hook.scope}`,
      `    ${escapeHidden(hook.command)}`,
      paint(
        `    ${[
          hook.matcher ? `for ${escapeHidden(hook.matcher)}` : 'always',
          `${hook.timeoutMs / 1000} s`,
          hook.isAsync ? 'not waited for' : hook.onFailure === 'block' ? 'a failure refuses' : 'a failure is told',
          ...(hook.isConfined ? ['in the sandbox, if there is one'] : []),
        ].join(', ')}`,
        'dim',
        style,
      ),
    ]),
    ...refused.flatMap(({ label, command, why }) => [
      paint(escapeHidden(label), 'bold', style),
      ...(command === null ? [] : [`    ${escapeHidden(command)}`]),
      `    ${paint(`does not run: ${escapeHidden(why)}`, 'yellow', style)}`,
    ]),
  ];
}

async function test(event: string, flags: CommandWords, io: CliIo): Promise<number> {
  const fields = readFields(flags.value('input') ?? (await pipedIn(io)));
  const trial = await tryHooks(optionsOf(flags, io), event, fields);
  const code = exitCodeOf(trial);
  if (flags.has('json')) {
    await io.out.write(json(trial));
    return code;
  }
  await tellNotices(trial, io);
  const lines = told(trial, styleFor(io.stdout, io.env, false));
  await io.out.write(lines.map((line) => `${line}\n`).join(''));
  return code;
}

function exitCodeOf({ result }: HookTrial): number {
  if (refusalOf(result) !== null) return REFUSED;
  return result.failures.length > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

function told({ event, ran, result }: HookTrial, style: Style): string[] {
  if (ran.length === 0) return [`No hook of ${event} matches.`];
  return [
    ...ran.flatMap(({ label, exitCode, durationMs, stdout, stderr, error }) => [
      `${paint(escapeHidden(label), 'bold', style)}  ${exitCode === null ? 'no exit code' : `exit code ${exitCode}`}, ${durationMs} ms`,
      ...indented('stdout', stdout),
      ...indented('stderr', stderr),
      ...(error === null ? [] : [`    ${paint(`failed: ${escapeHidden(error)}`, 'yellow', style)}`]),
    ]),
    ...effectsOf(result).map((effect) => `=> ${escapeHidden(effect)}`),
  ];
}

function indented(name: string, text: string): string[] {
  const lines = text.trimEnd().split('\n');
  return text.trim() === '' ? [] : lines.map((line) => `    ${name}: ${escapeHidden(line)}`);
}

/** What a session would do. */
function effectsOf(result: HookTrial['result']): string[] {
  const refusal = refusalOf(result);
  const { permission, request } = result;
  const effects = [
    ...(refusal === null ? [] : [`refuses: ${refusal}`]),
    ...(permission === null || permission.behavior === 'deny' ? [] : [`${permission.behavior}: ${permission.reason}`]),
    ...(request?.behavior === 'allow' ? ['allows, in place of whoever is asked'] : []),
    ...(result.updatedInput === null ? [] : [`another input: ${JSON.stringify(result.updatedInput)}`]),
    ...(result.updatedToolOutput === null ? [] : [`another result: ${asText(result.updatedToolOutput)}`]),
    ...(result.elicitation === null ? [] : [`answers: ${JSON.stringify(result.elicitation)}`]),
    ...result.additionalContext.map((text) => `tells the model: ${text}`),
    ...result.systemMessages.map((text) => `tells the user: ${text}`),
  ];
  return effects.length === 0 ? ['things go on'] : effects;
}

function refusalOf({ block, permission, request, ...result }: HookTrial['result']): string | null {
  if (!result.continue) return result.stopReason ?? 'the prompt ends';
  if (permission?.behavior === 'deny') return permission.reason;
  if (request?.behavior === 'deny') return request.message;
  return block?.reason ?? null;
}

function readFields(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return { ...fields };
  } catch (error) {
    throw new ConfigError(`The input is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new ConfigError('The input must be a JSON object with fields of the event.');
}

/** Nobody is waited for at a terminal. */
async function pipedIn({ stdin, err }: CliIo): Promise<string> {
  if (stdin.isTTY === true || stdin.isEmpty === true) return '';
  return readPiped(stdin, true, (line) => err.write(`! ${line}\n`));
}

async function tellNotices({ notices }: Pick<HookList, 'notices'>, io: CliIo): Promise<void> {
  for (const { message } of notices) await io.err.write(`! ${escapeHidden(message)}\n`);
}

function asText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
