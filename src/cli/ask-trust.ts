// Asks a person at the terminal whether the settings of a folder may act. Shows all of what would, with nothing hidden in
// it; without a clear yes nothing does.
import { createNodeHost } from '../host/node-host.js';
import type { QueryOptions } from '../protocol/query-options.generated.js';
import { type UntrustedFolder, type UntrustedValue, untrustedFolder } from '../sdk/folder-trust.js';
import { escapeHidden } from '../view/escape-text.js';
import { formatCount } from '../view/figures.js';
import type { CliIo } from './cli-io.js';
import type { LineReader } from './line-reader.js';
import { paint, type Style, styleFor } from './style.js';

/** More than a person reads: then the question is not asked. */
const MAX_VALUES = 200;
/** Longest value that is shown whole, characters. A longer one cannot be agreed to here. */
const MAX_VALUE = 2_000;
/** Files of one value that are named. */
const MAX_FILES = 12;

/** Contract: asks at most once, and only where something would act; a failure to ask is no trust. */
export async function askTrust(
  io: CliIo,
  reader: LineReader,
  options: QueryOptions,
  signal: AbortSignal,
): Promise<void> {
  // Whoever named sources has said what is trusted.
  if (options.settingSources !== undefined) return;
  const { settings, managedSettings, strictMcpConfig, cwd } = options;
  const host = createNodeHost({ env: { ...io.env, ...options.env } });
  const folder = await untrustedFolder(host, cwd ?? io.startedIn(), { settings, managedSettings, strictMcpConfig });
  if (folder === null) return;
  const style = styleFor(io.stderr, io.env, false);
  if (!isReadable(folder)) {
    await io.err.write(
      `${paint('?', 'yellow', style)} The settings of ${escapeHidden(folder.root)} are too many or too long to be shown, so they do not act. "turnwright config explain" tells what they say; --trust lets them act for a run.\n`,
    );
    return;
  }
  const answer = await reader.readAnswer(() => io.err.write(question(folder, style)), signal);
  if (answer === null || !/^\s*y(?:es)?\s*$/i.test(answer)) {
    await io.err.write(paint('  Not trusted: only what denies or asks counts.\n', 'dim', style));
    return;
  }
  await folder.trust();
}

function isReadable({ settings, git, skills, agents, commands, outputStyles }: UntrustedFolder): boolean {
  const all = [...settings, ...git, ...skills, ...agents, ...commands, ...outputStyles];
  return all.length <= MAX_VALUES && all.every((each) => shown(each).length <= MAX_VALUE);
}

function question(
  { root, settings, git, skills, agents, commands, outputStyles }: UntrustedFolder,
  style: Style,
): string {
  const texts =
    skills.length > 0 ? 'skills' : agents.length > 0 ? 'agents' : commands.length > 0 ? 'commands' : 'output styles';
  const what = settings.length + git.length === 0 ? texts : 'settings';
  const count = settings.length + git.length + skills.length + agents.length + commands.length + outputStyles.length;
  const lines = [
    `${paint('?', 'yellow', style)} ${paint(escapeHidden(root), 'bold', style)} brings ${what} that nobody has vouched for. They would act:`,
    ...byFile(settings),
    ...(git.length === 0 ? [] : ['  and git would start these programs whenever it is run:', ...byFile(git)]),
    ...(skills.length === 0 ? [] : ['  and the model would be told to work by these texts:', ...byFile(skills)]),
    ...(agents.length === 0 ? [] : ['  and the model could start these agents:', ...byFile(agents)]),
    ...(commands.length === 0 ? [] : ['  and you could call these commands:', ...byFile(commands)]),
    ...(outputStyles.length === 0
      ? []
      : ['  and the model could be told to write in these styles:', ...byFile(outputStyles)]),
    paint(
      '  Without your trust only its rules that deny or ask count. A value that changes is asked about again.',
      'dim',
      style,
    ),
    `  ${paint(`[y] yes, these ${formatCount(count)} as they stand  [n] no`, 'cyan', style)} > `,
  ];
  return lines.join('\n');
}

function byFile(values: readonly UntrustedValue[]): string[] {
  const files = [...new Set(values.map(({ file }) => file))];
  return files.flatMap((file) => [
    `  ${escapeHidden(file)}`,
    ...values.filter((each) => each.file === file).flatMap((each) => [`    ${shown(each)}`, ...named(each)]),
  ]);
}

/** Files that a command names act as much as the command does. */
function named({ files }: UntrustedValue): string[] {
  if (files.length === 0) return [];
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
  const names = files.slice(0, MAX_FILES).map((file) => escapeHidden(JSON.stringify(file).slice(1, -1)));
  return [`      with ${names.join(', ')}${more}, as ${files.length === 1 ? 'it stands' : 'they stand'}`];
}

function shown({ key, value }: UntrustedValue): string {
  // JSON writes line ends and quotes out, so that a value cannot look like another line.
  return `${escapeHidden(JSON.stringify(key).slice(1, -1))} = ${escapeHidden(JSON.stringify(value))}`;
}
