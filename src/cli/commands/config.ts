// `turnwright config`: what settings there are in a folder, where each comes from, and changes of our own files.

import { resolve } from 'node:path';
import { createNodeHost } from '../../host/node-host.js';
import type { EffectiveOption } from '../../protocol/control.js';
import { ConfigError } from '../../protocol/errors.js';
import { applyImport, IMPORT_PRODUCTS, type ImportPlan, planImport } from '../../sdk/faces/index.js';
import {
  type Configuration,
  type ConfiguredValue,
  changeConfiguration,
  effectiveOptions,
  readConfiguration,
  valueOfKey,
} from '../../sdk/settings/index.js';
import { count } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { resolveFolders, settingSources } from '../args/index.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { type CommandFlag, type CommandWords, HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright config: the settings of the current folder.

  turnwright config list                 every value that counts
  turnwright config get <key>            one of them; exit code 1 if nothing says it
  turnwright config explain [key]        where each comes from, what it overrides, what does not count, and what
                                         the options of a session here come to; key: of a setting or an option
  turnwright config set <key> <value>    writes it into a file of ours; the value is JSON or a text
  turnwright config unset <key>          takes it out again
  turnwright config import --from <name> settings of claude or qoder into a file of ours: shows what changes

  --scope <name>                         user (default), project, local: the file that set and unset change
  --write                                import: writes what it showed
  --cwd <folder>                         another folder
  --json                                 for programs

  Also here, and for sessions:
  --settings <file or json>              settings of this run, over those of files
  --setting-sources <list>               whose files are read: user, project, local; or none
  --trust                                (sessions) the settings of the folder may act in this run

  A key has dots: permissions.defaultMode, env.CI, budgets.maxBudgetUsd. docs/settings.md of this package lists them.
`;

const FLAGS: readonly CommandFlag[] = [
  HELP_FLAG,
  { name: 'json', takes: 'nothing' },
  { name: 'scope', takes: 'value' },
  { name: 'from', takes: 'value' },
  { name: 'write', takes: 'nothing' },
  { name: 'cwd', takes: 'value' },
  { name: 'settings', takes: 'value' },
  { name: 'setting-sources', takes: 'value' },
];
const SCOPES = ['user', 'project', 'local'] as const;

interface Run {
  readonly words: readonly string[];
  readonly flags: CommandWords;
  readonly io: CliIo;
  readonly cwd: string;
}

/** @returns the exit code. @throws ConfigError */
export async function runConfig(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [verb, ...words] = flags.words;
  if (flags.has('help') || verb === undefined) return tell(HELP, io);
  const cwd = flags.value('cwd');
  const folders = resolveFolders(cwd === undefined ? {} : { cwd }, io.startedIn());
  const run: Run = { words, flags, io, cwd: folders.cwd ?? io.startedIn() };
  switch (verb) {
    case 'list':
      return list(run);
    case 'get':
      return get(run);
    case 'explain':
      return explain(run);
    case 'set':
      return change(run, true);
    case 'unset':
      return change(run, false);
    case 'import':
      return importSettings(run);
    default:
      throw new ConfigError(
        `unknown command "config ${verb.slice(0, 60)}". Commands: list, get, explain, set, unset and import.`,
      );
  }
}

async function read(run: Run): Promise<Configuration> {
  return readConfiguration(await placeOf(run));
}

async function placeOf({ flags, io, cwd }: Run) {
  const settings = flags.value('settings');
  const sources = flags.value('setting-sources');
  return {
    host: createNodeHost({ env: io.env }),
    cwd,
    ...(settings === undefined
      ? {}
      : { settings: settings.trimStart().startsWith('{') ? settings : resolve(io.startedIn(), settings) }),
    ...(sources === undefined ? {} : { settingSources: settingSources(sources, '--setting-sources') }),
  };
}

async function list(run: Run): Promise<number> {
  atMost(run, 0);
  const found = await read(run);
  if (run.flags.has('json')) return tell(json(found.values), run.io);
  const lines = found.entries.map((entry) => `${entry.key} = ${shown(entry)}`);
  await tellNotices(found, run.io);
  if (lines.length === 0) await run.io.err.write(`${nothingIn(found)}\n`);
  return tell(lines.map((line) => `${line}\n`).join(''), run.io);
}

/** A list of nothing leaves open whether there is nothing or nothing was looked at. */
function nothingIn({ files, refused }: Configuration): string {
  const read =
    files.length === 0
      ? 'There is no settings file'
      : `The settings files have no value that counts (${files.map(({ file }) => escapeHidden(file)).join(', ')})`;
  const more =
    refused.length === 0
      ? ''
      : ` ${count(refused.length, 'value')} of the folder ${refused.length === 1 ? 'does' : 'do'} not count: "turnwright config explain" says why.`;
  return `${read}, so everything is as by default.${more} "turnwright config set" writes one.`;
}

async function get(run: Run): Promise<number> {
  const [key] = atLeast(run, 1, 'get needs a key, such as permissions.deny.');
  atMost(run, 1);
  const found = await read(run);
  const value = valueOfKey(found.values, key ?? '');
  await tellNotices(found, run.io);
  if (value === undefined) {
    await run.io.err.write(`${escapeHidden(key ?? '')} is not set.\n`);
    return EXIT_FAILURE;
  }
  const isPlain = typeof value === 'string' && !run.flags.has('json');
  return tell(isPlain ? `${escapeHidden(value)}\n` : json(value), run.io);
}

async function explain(run: Run): Promise<number> {
  atMost(run, 1);
  const [key] = run.words;
  const found = await read(run);
  const isMeant = (each: ConfiguredValue) => key === undefined || each.key === key || each.key.startsWith(`${key}.`);
  const isOption = ({ name, setting }: EffectiveOption) =>
    key === undefined || [name, setting].some((each) => each === key || each?.startsWith(`${key}.`) === true);
  const options = (await readOptions(run)).filter(isOption);
  const view = { ...found, entries: found.entries.filter(isMeant), refused: found.refused.filter(isMeant), options };
  if (key !== undefined && view.entries.length + view.refused.length + options.length === 0) valueOfKey({}, key);
  if (run.flags.has('json')) return tell(json(view), run.io);
  const style = styleFor(run.io.stdout, run.io.env, false);
  const told = options.filter(({ name, source }) => key !== undefined || (source !== 'default' && name !== 'cwd'));
  const lines = [
    ...explained(view, style),
    ...(key === undefined && told.length > 0 ? [paint('What a session here comes to:', 'dim', style)] : []),
    ...told.flatMap((option) => explainedOption(option, style)),
    ...(key === undefined ? filesOf(found, style) : []),
  ];
  await tellNotices(found, run.io);
  return tell(lines.map((line) => `${line}\n`).join(''), run.io);
}

function explained({ entries, refused }: Pick<Configuration, 'entries' | 'refused'>, style: Style): string[] {
  const lines = entries.flatMap((entry) => [
    `${paint(entry.key, 'bold', style)} = ${shown(entry)}`,
    `    ${origin(entry)}`,
    ...entry.overridden.map((each) => paint(`    overrides ${shown(each)}, ${origin(each)}`, 'dim', style)),
  ]);
  const lost = refused.flatMap((each) => [
    `${paint(each.key, 'bold', style)} = ${shown(each)}`,
    `    ${origin(each)}`,
    `    ${paint(`does not count: ${escapeHidden(each.why)}`, 'yellow', style)}`,
  ]);
  return [...lines, ...lost];
}

/** What the options of a session would come to that begins here. */
async function readOptions(run: Run): Promise<EffectiveOption[]> {
  const { host, ...given } = await placeOf(run);
  return effectiveOptions(given, host);
}

function explainedOption(
  { name, value, default: usual, hasNoEffect, ...from }: EffectiveOption,
  style: Style,
): string[] {
  const isNothing = value === null && from.source === 'default';
  const shownValue = isNothing
    ? `nothing given${usual === undefined ? '' : `; ${usual}`}`
    : escapeHidden(JSON.stringify(value));
  return [
    `${paint(`option ${name}`, 'bold', style)}: ${shownValue}`,
    `    ${optionOrigin(from)}${hasNoEffect === true ? '; it has no effect in this version' : ''}`,
  ];
}

function optionOrigin({ source, file, setting, variable }: Omit<EffectiveOption, 'name' | 'value'>): string {
  if (variable !== undefined) return `the variable ${variable}`;
  if (source === 'default') return 'by default';
  const where = file === undefined ? source : `${source}, ${escapeHidden(file)}`;
  return setting === undefined ? where : `${setting} of ${where}`;
}

function filesOf({ files, trust }: Configuration, style: Style): string[] {
  const words = { granted: 'yes', remembered: 'yes, as it stands', not_needed: 'not needed', missing: 'no' };
  return [
    ...files.map(({ scope, file }) => paint(`read: ${escapeHidden(file)} (${scope})`, 'dim', style)),
    paint(`trusted: ${words[trust]}`, 'dim', style),
  ];
}

function scopeOf({ flags }: Run): (typeof SCOPES)[number] {
  const wanted = flags.value('scope') ?? 'user';
  const scope = SCOPES.find((name) => name === wanted);
  if (scope === undefined) throw new ConfigError(`--scope is one of ${SCOPES.join(', ')}.`);
  return scope;
}

/** Shows first. What is there of ours stays. */
async function importSettings(run: Run): Promise<number> {
  atMost(run, 0);
  const { flags, io, cwd } = run;
  const from = IMPORT_PRODUCTS.find((name) => name === flags.value('from'));
  if (from === undefined) throw new ConfigError(`say whose settings: --from ${IMPORT_PRODUCTS.join(' or --from ')}.`);
  const request = { host: createNodeHost({ env: io.env }), cwd, from, scope: scopeOf(run) };
  const plan = await planImport(request);
  const problems = flags.has('write') ? await applyImport(request, plan) : [];
  if (flags.has('json')) return tell(json({ ...plan, isWritten: flags.has('write'), problems }), io);
  const added = [...plan.values, ...plan.servers].filter((each) => each.change === 'add').length;
  await tell(
    importLines(plan)
      .map((line) => `${escapeHidden(line)}\n`)
      .join(''),
    io,
  );
  for (const problem of problems) await io.err.write(`! ${escapeHidden(problem)}\n`);
  const said = flags.has('write')
    ? `Written: ${escapeHidden(plan.file)}`
    : added === 0
      ? 'Nothing would change.'
      : 'Nothing was written. With --write it is.';
  await io.err.write(`${said}\n`);
  return problems.length === 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

const SIGNS = { add: '+', same: '=', kept: '-' } as const;

function importLines({ sources, file, values, servers, left }: ImportPlan): string[] {
  // Values of variables and definitions of servers may hold secrets.
  const isSecret = (key: string) => key.startsWith('env.') || key === 'apiKeyHelper';
  return [
    `From ${sources.join(', ')} into ${file}:`,
    ...values.map(
      ({ key, value, change }) =>
        `${SIGNS[change]} ${key}${isSecret(key) ? '' : ` = ${JSON.stringify(value)}`}${change === 'kept' ? '  (ours says another thing, and stays)' : ''}`,
    ),
    ...servers.map(
      ({ name, change }) =>
        `${SIGNS[change]} MCP server ${name}${change === 'kept' ? '  (there is one of that name)' : ''}`,
    ),
    ...left.map(({ key, why }) => `  ${key} ${why}`),
  ];
}

async function change(run: Run, isSet: boolean): Promise<number> {
  const [key = '', ...rest] = atLeast(
    run,
    isSet ? 2 : 1,
    isSet ? 'set needs a key and a value.' : 'unset needs a key.',
  );
  atMost(run, isSet ? 2 : 1);
  const scope = scopeOf(run);
  const host = createNodeHost({ env: run.io.env });
  const file = await changeConfiguration({ host, cwd: run.cwd }, scope, key, isSet ? rest[0] : undefined);
  await run.io.err.write(`${isSet ? 'Set' : 'Unset'} in ${escapeHidden(file)}.\n`);
  const why = isSet ? whyWithoutEffect(await read(run), key, file) : null;
  if (why !== null) await run.io.err.write(`! ${key} has no effect there: ${escapeHidden(why)}\n`);
  return EXIT_SUCCESS;
}

/** Why what was just written does not act; null if it does. */
function whyWithoutEffect({ entries, refused }: Configuration, key: string, file: string): string | null {
  const isMeant = (each: ConfiguredValue) => each.key === key || each.key.startsWith(`${key}.`);
  const lost = refused.find((each) => each.file === file && isMeant(each));
  if (lost !== undefined) return `${lost.why.replace(/\.$/, '')}.`;
  const stronger = entries.find((each) => isMeant(each) && each.overridden.some((one) => one.file === file));
  return stronger === undefined ? null : `what stands in ${origin(stronger)}, is stronger.`;
}

function atLeast({ words }: Run, count: number, message: string): readonly string[] {
  if (words.length < count) throw new ConfigError(message);
  return words;
}

function atMost({ words }: Run, count: number): void {
  const more = words[count];
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}".`);
}

function origin({ scope, file }: ConfiguredValue): string {
  return file === null ? `${scope}, given as an option` : `${scope}, ${escapeHidden(file)}`;
}

/** Names of variables whose values nobody wants on a screen. */
const SECRET = /(?:KEY|TOKEN|SECRET|PASS|CREDENTIAL)/i;

function shown({ key, value }: ConfiguredValue): string {
  if (key.startsWith('env.') && SECRET.test(key)) return '"…"';
  return escapeHidden(JSON.stringify(value));
}

async function tellNotices({ notices }: Configuration, io: CliIo): Promise<void> {
  for (const { message, settings = [] } of notices) {
    await io.err.write(`! ${escapeHidden(message)}\n`);
    for (const { key, message: what, expected, nearest } of settings) {
      const right = expected === undefined ? '' : `; expected: ${expected}`;
      const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      await io.err.write(`    ${escapeHidden(`${key} ${what}${right}.${meant}`)}\n`);
    }
  }
}
