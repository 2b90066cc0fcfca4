// `turnwright plugin`: plugins and the marketplaces that they come from: what one holds, which are installed, and changes of that.
// One rule: whoever installs one sees what of it would run by itself.

import { resolve } from 'node:path';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import * as market from '../../sdk/plugins/index.js';
import {
  type DescribedMarketplace,
  type DescribedPlugin,
  describePlugin,
  type ListedMarketplace,
  type ListedPlugin,
  type MarketOptions,
  type PluginChange,
} from '../../sdk/plugins/index.js';
import { count } from '../../util/text.js';
import { escapeHidden, oneLine } from '../../view/escape-text.js';
import { type CliIo, json, tell } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../lines/index.js';
import { type CommandFlag, type CommandWords, HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright plugin: plugins, which are folders with agents, commands, skills, hooks and servers.

  turnwright plugin marketplace add <source>     owner/repo, an address of git, npm:<package>, or a folder; #branch
  turnwright plugin marketplace list             those you added, and those that settings declare
  turnwright plugin marketplace update [name]    look at the source again
  turnwright plugin marketplace remove <name>    with the plugins that came from it

  turnwright plugin install <name@marketplace>   get it, keep it as it is now, and use it
  turnwright plugin list                         which are installed, from where, and whether they are used
  turnwright plugin enable <name>                use it again
  turnwright plugin disable <name>               do not use it, and keep it
  turnwright plugin update [name]                as its marketplace has it now
  turnwright plugin uninstall <name>             take it away
  turnwright plugin validate <folder>            what of a plugin or a marketplace would count, and what would not and why

  --scope <scope>   install, enable, disable: whose settings say so: user (the usual), project, local
  --trust           as if somebody vouched for the folder: marketplaces that its settings declare count
  --json            for programs

  Nothing of a plugin is run by these commands, and no script of a package. A session has a plugin that is no installed
  one with --plugin-dir <folder>. Exit code 1 if something of it does not count; docs/plugins.md of this package says more.
`;

const FLAGS: readonly CommandFlag[] = [
  HELP_FLAG,
  { name: 'json', takes: 'nothing' },
  { name: 'scope', short: 's', takes: 'value' },
  { name: 'trust', takes: 'nothing' },
];
const SCOPES = ['user', 'project', 'local'] as const;
const COMMAND_COLUMNS = 100;
const SHORT_HASH = 12;

interface Run {
  readonly flags: CommandWords;
  /** Behind the verb. */
  readonly words: readonly string[];
  readonly io: CliIo;
  readonly options: MarketOptions;
}

const VERBS: Readonly<Record<string, (run: Run) => Promise<number>>> = {
  marketplace,
  install,
  list,
  enable: (run) => use(run, true),
  disable: (run) => use(run, false),
  update,
  uninstall,
  validate,
};
/** As the published command lines call them. */
const ALSO: Readonly<Record<string, string>> = {
  remove: 'uninstall',
  i: 'install',
  ls: 'list',
  marketplaces: 'marketplace',
};

/** @returns the exit code. @throws ConfigError */
export async function runPlugin(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = readWords(argv, FLAGS);
  const [verb, ...words] = flags.words;
  if (flags.has('help') || verb === undefined) {
    await io.out.write(HELP);
    return EXIT_SUCCESS;
  }
  const name = ALSO[verb] ?? verb;
  const run = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (run === undefined)
    throw new ConfigError(`unknown command "plugin ${verb.slice(0, 60)}". Commands: ${Object.keys(VERBS).join(', ')}.`);
  const options = {
    host: createNodeHost({ env: io.env }),
    cwd: io.startedIn(),
    signal: io.lifetime.signal,
    ...(flags.has('trust') ? { trustFolder: true } : {}),
  };
  return run({ flags, words, io, options });
}

async function marketplace({ flags, words: [verb, ...words], io, options }: Run): Promise<number> {
  const style = styleFor(io.stdout, io.env, false);
  switch (verb) {
    case 'add': {
      const source = one(words, 'turnwright plugin marketplace add <source>');
      const added = await market.addMarketplace(options, source);
      if (flags.has('json')) return tell(json(added), io);
      await io.err.write(`Added ${escapeHidden(added.name)} from ${escapeHidden(added.source)}.\n`);
      return tellMarketplaces([added], style, io);
    }
    case 'list': {
      none(words);
      const all = await market.listMarketplaces(options);
      if (flags.has('json')) return tell(json(all), io);
      if (all.length > 0) return tellMarketplaces(all, style, io);
      return tell('No marketplaces. Add one: turnwright plugin marketplace add <source>\n', io);
    }
    case 'update': {
      const all = await market.updateMarketplaces(options, atMostOne(words));
      if (flags.has('json')) return tell(json(all), io);
      const failed = all.flatMap((each) => ('problem' in each ? [each] : []));
      await tellMarketplaces(
        all.flatMap((each) => ('problem' in each ? [] : [each])),
        style,
        io,
      );
      for (const { name, problem } of failed)
        await io.err.write(`${escapeHidden(name)} stays as it was: ${escapeHidden(problem)}\n`);
      return failed.length === 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    case 'remove':
    case 'rm': {
      const name = one(words, 'turnwright plugin marketplace remove <name>');
      const ids = await market.removeMarketplace(options, name);
      const more = ids.length === 0 ? '' : ` with ${ids.map(escapeHidden).join(', ')}`;
      await io.err.write(`Removed ${escapeHidden(name)}${more}.\n`);
      return EXIT_SUCCESS;
    }
    default:
      throw new ConfigError(
        `unknown command "plugin marketplace ${(verb ?? '').slice(0, 60)}". Commands: add, list, update and remove.`,
      );
  }
}

async function install({ flags, words, io, options }: Run): Promise<number> {
  const id = one(words, 'turnwright plugin install <name@marketplace>');
  const scope = scopeOf(flags);
  const installed = await market.installPlugin(options, id, scope);
  if (flags.has('json')) return tell(json(installed), io);
  await io.err.write(
    `Installed ${changeText(installed)}.\nUsed by settings (${scope}): ${escapeHidden(installed.settingsFile)}\n`,
  );
  return tellHoldings(installed, io, options);
}

/** What of a plugin would run by itself is said to whoever installs it. */
async function tellHoldings({ folder, problems }: PluginChange, io: CliIo, { host }: MarketOptions): Promise<number> {
  const found = await describePlugin(host, folder);
  if (typeof found !== 'string' && 'agents' in found)
    await io.out.write(
      `${shown({ ...found, problems: [...new Set([...found.problems, ...problems])] }, styleFor(io.stdout, io.env, false)).join('\n')}\n`,
    );
  return EXIT_SUCCESS;
}

async function list({ flags, words, io, options }: Run): Promise<number> {
  none(words);
  const all = await market.listInstalled(options);
  if (flags.has('json')) return tell(json(all), io);
  if (all.length === 0) return tell('No plugins. Install one: turnwright plugin install <name@marketplace>\n', io);
  const style = styleFor(io.stdout, io.env, false);
  return tell(`${all.flatMap((plugin) => pluginLines(plugin, style)).join('\n')}\n`, io);
}

function pluginLines({ id, version, source, commit, sha256, enabled, problem }: ListedPlugin, style: Style): string[] {
  const state = enabled === true ? 'used' : enabled === false ? 'disabled' : 'not used here';
  const pin = [
    ...(commit === null ? [] : [`commit ${commit.slice(0, SHORT_HASH)}`]),
    `sha256 ${sha256.slice(0, SHORT_HASH)}`,
  ];
  return [
    `${paint(escapeHidden(id), 'bold', style)}${version === '' ? '' : ` ${escapeHidden(version)}`}  ${state}`,
    paint(`  ${escapeHidden(source)}, ${pin.join(', ')}`, 'dim', style),
    ...(problem === null ? [] : [paint(`  ${escapeHidden(problem)}`, 'yellow', style)]),
  ];
}

async function use({ flags, words, io, options }: Run, isEnabled: boolean): Promise<number> {
  const id = one(words, `turnwright plugin ${isEnabled ? 'enable' : 'disable'} <name>`);
  const changed = await market.setPluginEnabled(options, id, scopeOf(flags), isEnabled);
  await io.err.write(
    `${escapeHidden(changed.id)} is ${isEnabled ? 'used' : 'not used'} from the next session on: ${escapeHidden(changed.settingsFile)}\n`,
  );
  return EXIT_SUCCESS;
}

async function update({ flags, words, io, options }: Run): Promise<number> {
  const all = await market.updatePlugins(options, atMostOne(words));
  if (flags.has('json')) return tell(json(all), io);
  if (all.length === 0) return tell('No plugins are installed.\n', io);
  for (const each of all)
    await io.err.write(
      'problem' in each
        ? `${escapeHidden(each.id)} stays as it was: ${escapeHidden(each.problem)}\n`
        : `${each.isNew ? 'Updated' : 'Up to date:'} ${changeText(each)}\n`,
    );
  return all.some((each) => 'problem' in each) ? EXIT_FAILURE : EXIT_SUCCESS;
}

async function uninstall({ words, io, options }: Run): Promise<number> {
  const id = one(words, 'turnwright plugin uninstall <name>');
  const gone = await market.uninstallPlugin(options, id);
  await io.err.write(`Uninstalled ${escapeHidden(gone)}. Sessions that run keep it.\n`);
  return EXIT_SUCCESS;
}

async function validate({ flags, words, io, options }: Run): Promise<number> {
  const folder = one(words, 'turnwright plugin validate <folder>');
  const found = await describePlugin(options.host, resolve(options.cwd, folder));
  if (typeof found === 'string') throw new ConfigError(`${folder} cannot be used as a plugin: ${found}.`);
  const style = styleFor(io.stdout, io.env, false);
  const lines = 'plugins' in found ? shownMarketplace(found, style) : shown(found, style);
  await io.out.write(`${flags.has('json') ? JSON.stringify(found, null, 2) : lines.join('\n')}\n`);
  const isWhole =
    found.problems.length === 0 && (!('plugins' in found) || found.plugins.every((each) => each.problems.length === 0));
  return isWhole ? EXIT_SUCCESS : EXIT_FAILURE;
}

async function tellMarketplaces(all: readonly ListedMarketplace[], style: Style, io: CliIo): Promise<number> {
  const lines = all.flatMap(({ name, source, state, commit, plugins, problems }) => [
    `${paint(escapeHidden(name), 'bold', style)}  ${escapeHidden(source)}${commit === null ? '' : ` at ${commit.slice(0, SHORT_HASH)}`}${state === 'declared' ? '  (settings declare it; added with the first plugin of it)' : ''}`,
    ...plugins.map(({ name: own, description }) =>
      `  ${escapeHidden(own)}  ${oneLine(escapeHidden(description), COMMAND_COLUMNS)}`.trimEnd(),
    ),
    ...problems.map((why) => paint(`  ${escapeHidden(why)}`, 'yellow', style)),
  ]);
  return tell(lines.length === 0 ? '' : `${lines.join('\n')}\n`, io);
}

function changeText({ id, version, commit, sha256 }: PluginChange): string {
  const pin = commit === null ? '' : `commit ${commit.slice(0, SHORT_HASH)}, `;
  return `${escapeHidden(id)}${version === '' ? '' : ` ${escapeHidden(version)}`} (${pin}sha256 ${sha256.slice(0, SHORT_HASH)})`;
}

function shownMarketplace(
  { name, description, folder, plugins, problems }: DescribedMarketplace,
  style: Style,
): string[] {
  const faults = problems.length + plugins.reduce((sum, each) => sum + each.problems.length, 0);
  return [
    `${paint(escapeHidden(name), 'bold', style)}  ${oneLine(escapeHidden(description), COMMAND_COLUMNS)}`.trimEnd(),
    paint(`  ${escapeHidden(folder)}`, 'dim', style),
    ...plugins.flatMap(({ name: own, source, problems: why }) => [
      `  ${escapeHidden(own)}  ${escapeHidden(source)}`,
      ...why.map((each) => paint(`    ${escapeHidden(each)}`, 'yellow', style)),
    ]),
    ...problems.map((why) => paint(`  ${escapeHidden(why)}`, 'yellow', style)),
    faults === 0
      ? `All of it counts: ${count(plugins.length, 'plugin')}.`
      : `${count(plugins.length, 'plugin')}, ${count(faults, 'problem')}.`,
  ];
}

function shown(
  { name, version, description, folder, problems, hooks, ...parts }: DescribedPlugin,
  style: Style,
): string[] {
  const clean = (text: string) => escapeHidden(text);
  const row = (kind: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`  ${kind.padEnd(9)} ${names.map(clean).join(', ')}`];
  return [
    `${paint(clean(name), 'bold', style)}${version === '' ? '' : ` ${clean(version)}`}${description === '' ? '' : `  ${oneLine(clean(description), COMMAND_COLUMNS)}`}`,
    paint(`  ${clean(folder)}`, 'dim', style),
    ...row('agents', parts.agents),
    ...row(
      'commands',
      parts.commands.map((each) => `/${each}`),
    ),
    ...row('skills', parts.skills),
    ...hooks.map(({ event, command }) => `  hook      ${clean(event)}: ${oneLine(clean(command), COMMAND_COLUMNS)}`),
    ...row('servers', parts.servers),
    problems.length === 0 ? 'All of it counts.' : paint(`${count(problems.length, 'problem')}:`, 'yellow', style),
    ...problems.map((why) => `  ${clean(why)}`),
  ];
}

function scopeOf(flags: CommandWords): (typeof SCOPES)[number] {
  const scope = flags.value('scope') ?? 'user';
  const found = SCOPES.find((each) => each === scope);
  if (found !== undefined) return found;
  throw new ConfigError(`--scope is one of ${SCOPES.join(', ')}, not ${JSON.stringify(scope.slice(0, 60))}.`);
}

function one(words: readonly string[], write: string): string {
  const [word, more] = words;
  if (word === undefined) throw new ConfigError(`write: ${write}`);
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}".`);
  return word;
}

function atMostOne([word, more]: readonly string[]): string | undefined {
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}".`);
  return word;
}

function none([word]: readonly string[]): void {
  if (word !== undefined) throw new ConfigError(`unexpected argument "${word.slice(0, 60)}".`);
}
