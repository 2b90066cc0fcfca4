// What a session has to tell of its settings: what is wrong in them, what does not count, what does nothing yet.
import type { EffectiveSettings } from '../../context/effective-settings.js';
import type { SettingsProblem } from '../../context/settings/index.js';
import type { PendingNotice } from '../config/index.js';

export function settingsNotices(effective: EffectiveSettings): PendingNotice[] {
  return [
    ...problemNotices(effective.problems.filter(({ isIdle }) => isIdle !== true)),
    ...policyNotice(effective),
    ...refusalNotices(effective),
    ...trustNotice(effective),
    ...gitNotice(effective),
    ...idleNotice(effective),
  ];
}

/** From so many on, what is the same in one file is one notice: a long row of lines buries the one that matters. */
const MANY = 3;

function problemNotices(problems: readonly SettingsProblem[]): PendingNotice[] {
  const groups = new Map<string, SettingsProblem[]>();
  for (const problem of problems) {
    const same = `${problem.file}\n${problem.key === null ? problems.indexOf(problem) : problem.message}`;
    groups.set(same, [...(groups.get(same) ?? []), problem]);
  }
  return [...groups.values()].flatMap((group) => (group.length < MANY ? group.map(problemNotice) : [oneNotice(group)]));
}

function oneNotice(problems: readonly SettingsProblem[]): PendingNotice {
  const [{ file = null, message = '' } = {}] = problems;
  const keys = problems.map(({ key }) => key ?? '');
  return {
    code: 'settings_problem',
    message: `${sourceName(file)}: the same is wrong with ${problems.length} values; each ${message}: ${listed(keys, FEW)}.`,
    remedy: 'The command "turnwright config explain" lists them all.',
    settings: problems.map(({ key, message: what, expected, nearest }) => ({
      file,
      key,
      message: what,
      ...(expected === undefined ? {} : { expected }),
      ...(nearest === undefined ? {} : { nearest }),
    })),
  };
}

function problemNotice({ file, key, message, expected, nearest }: SettingsProblem): PendingNotice {
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  const subject = key === null ? sourceName(file) : `${sourceName(file)}: ${key}`;
  return {
    code: 'settings_problem',
    message: `${subject} ${message}.${meant}`,
    setting: {
      file,
      key,
      ...(expected === undefined ? {} : { expected }),
      ...(nearest === undefined ? {} : { nearest }),
    },
  };
}

function sourceName(file: string | null): string {
  return file ?? 'The settings given as an option';
}

function policyNotice({ isPolicyLost }: EffectiveSettings): PendingNotice[] {
  if (!isPolicyLost) return [];
  const message = 'The managed settings of this machine cannot be read, so no mode may skip questions in this session.';
  return [{ code: 'settings_problem', message }];
}

/** One for each reason and file. */
function refusalNotices({ refused }: EffectiveSettings): PendingNotice[] {
  const groups = new Map<string, { readonly file: string | null; readonly why: string; readonly keys: string[] }>();
  for (const { leaf, why, needsTrust } of refused) {
    if (needsTrust) continue;
    const group = groups.get(`${leaf.file}\n${why}`) ?? { file: leaf.file, why, keys: [] };
    groups.set(`${leaf.file}\n${why}`, group);
    if (!group.keys.includes(leaf.key)) group.keys.push(leaf.key);
  }
  return [...groups.values()].map(({ file, why, keys }) => ({
    code: 'settings_refused',
    message: `${sourceName(file)}: ${listed(keys)} ${keys.length === 1 ? 'does' : 'do'} not count: ${why}.`,
    setting: { file, key: keys[0] ?? null },
  }));
}

function trustNotice({ trust, untrusted, root }: EffectiveSettings): PendingNotice[] {
  if (trust !== 'missing') return [];
  const byFile = new Map<string, string[]>();
  for (const { leaf } of untrusted) {
    const keys = byFile.get(leaf.file ?? '') ?? [];
    byFile.set(leaf.file ?? '', keys.includes(leaf.key) ? keys : [...keys, leaf.key]);
  }
  const parts = [...byFile].map(([file, keys]) => `${listed(keys)} (${file})`);
  return [
    {
      code: 'folder_not_trusted',
      message: `Nobody vouches for ${root}, so of its settings these do not act: ${parts.join('; ')}. Rules that deny or ask hold.`,
      remedy: HOW_TO_TRUST,
    },
  ];
}

function gitNotice({ gitPrograms, root }: EffectiveSettings): PendingNotice[] {
  if (gitPrograms.length === 0) return [];
  const keys = [...new Set(gitPrograms.map(({ leaf }) => leaf.key))];
  return [
    {
      code: 'folder_not_trusted',
      message: `Nobody vouches for ${root}, and git would start programs there that its configuration names (${listed(keys)}). So every git command is asked about.`,
      remedy: HOW_TO_TRUST,
    },
  ];
}

const HOW_TO_TRUST =
  'Name project and local in settingSources, run with --trust, or start turnwright in that folder and answer its question.';

/** Keys of other products: one line for all, since nothing is wrong with them. */
function idleNotice({ problems }: EffectiveSettings): PendingNotice[] {
  const idle = problems.filter(({ isIdle }) => isIdle === true);
  if (idle.length === 0) return [];
  const keys = [...new Set(idle.map(({ key }) => key ?? ''))];
  const files = [...new Set(idle.map(({ file }) => file ?? 'given as an option'))];
  return [
    {
      code: 'option_without_effect',
      level: 'info',
      message: `Settings of other products without effect here: ${listed(keys)} (${files.join(', ')}).`,
      remedy: '"turnwright config explain" says why of each.',
      settings: idle.map(({ file, key, message }) => ({ file, key, message })),
    },
  ];
}

const SHOWN = 12;
const FEW = 3;

function listed(keys: readonly string[], shown = SHOWN): string {
  return keys.length <= shown ? keys.join(', ') : `${keys.slice(0, shown).join(', ')} and ${keys.length - shown} more`;
}
