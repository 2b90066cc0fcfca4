// What of a folder would act if somebody vouched for it, as lines for whoever is asked. One rule: all of it is shown, with
// nothing hidden in it, or it is not asked about.
import { escapeHidden } from './escape-text.js';

/** A value that would act. */
export interface ActingValue {
  readonly file: string;
  readonly key: string;
  readonly value: unknown;
  /** Files that it names. */
  readonly files: readonly string[];
}

/** As `sdk/folder-trust.ts` finds it. */
export interface ActingValues {
  readonly root: string;
  readonly settings: readonly ActingValue[];
  readonly git: readonly ActingValue[];
  readonly skills: readonly ActingValue[];
  readonly agents: readonly ActingValue[];
  readonly commands: readonly ActingValue[];
  readonly outputStyles: readonly ActingValue[];
}

export interface TrustQuestion {
  /** Such as `brings settings that nobody has vouched for. They would act:`. */
  readonly what: string;
  /** By file, each with its values, indented; escaped, and as long as they are. */
  readonly lines: readonly string[];
  /** As many as are asked about. */
  readonly count: number;
}

export const WITHOUT_TRUST =
  'Without your trust only its rules that deny or ask count. A value that changes is asked about again.';

/** More than a person reads: then the question is not asked. */
const MAX_VALUES = 200;
/** Longest value that is shown whole, characters. A longer one cannot be agreed to here. */
const MAX_VALUE = 2_000;
/** Files of one value that are named. */
const MAX_FILES = 12;

/** Null if there is more than a person could read. */
export function trustQuestion(folder: ActingValues): TrustQuestion | null {
  const { settings, git, skills, agents, commands, outputStyles } = folder;
  const all = [...settings, ...git, ...skills, ...agents, ...commands, ...outputStyles];
  if (all.length > MAX_VALUES || all.some((each) => shown(each).length > MAX_VALUE)) return null;
  const texts =
    skills.length > 0 ? 'skills' : agents.length > 0 ? 'agents' : commands.length > 0 ? 'commands' : 'output styles';
  const part = (values: readonly ActingValue[], head: string) =>
    values.length === 0 ? [] : [`  and ${head}:`, ...byFile(values)];
  return {
    what: `brings ${settings.length + git.length === 0 ? texts : 'settings'} that nobody has vouched for. They would act:`,
    lines: [
      ...byFile(settings),
      ...part(git, 'git would start these programs whenever it is run'),
      ...part(skills, 'the model would be told to work by these texts'),
      ...part(agents, 'the model could start these agents'),
      ...part(commands, 'you could call these commands'),
      ...part(outputStyles, 'the model could be told to write in these styles'),
    ],
    count: all.length,
  };
}

function byFile(values: readonly ActingValue[]): string[] {
  const files = [...new Set(values.map(({ file }) => file))];
  return files.flatMap((file) => [
    `  ${escapeHidden(file)}`,
    ...values.filter((each) => each.file === file).flatMap((each) => [`    ${shown(each)}`, ...named(each)]),
  ]);
}

/** Files that a command names act as much as the command does. */
function named({ files }: ActingValue): string[] {
  if (files.length === 0) return [];
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
  const names = files.slice(0, MAX_FILES).map((file) => escapeHidden(JSON.stringify(file).slice(1, -1)));
  return [`      with ${names.join(', ')}${more}, as ${files.length === 1 ? 'it stands' : 'they stand'}`];
}

function shown({ key, value }: ActingValue): string {
  // JSON writes line ends and quotes out, so that a value cannot look like another line.
  return `${escapeHidden(JSON.stringify(key).slice(1, -1))} = ${escapeHidden(JSON.stringify(value))}`;
}
