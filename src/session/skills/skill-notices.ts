// What a session has to tell of skills: those that are not there, and why; what of the others does nothing.
import type { RefusedSkill, Skill } from '../../context/skills/find-skills.js';
import { count } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';

export interface ToldSkills {
  readonly skills: readonly Skill[];
  readonly refused: readonly RefusedSkill[];
  readonly unknown: readonly string[];
  /** Rules of `allowed-tools` that allow nothing. */
  readonly bad: readonly { readonly skill: Skill; readonly rule: string; readonly why: string }[];
  /** The folder that trust is about. */
  readonly root: string;
  readonly taken: readonly string[];
}

const SHOWN = 12;

const HOW_TO_TRUST =
  'Look at them, then name project in settingSources, run with --trust, or start turnwright in that folder and answer its question.';

export function skillNotices({ skills, refused, unknown, bad, root, taken }: ToldSkills): PendingNotice[] {
  const untrusted = refused.filter(({ item }) => item !== null);
  const lost = refused.filter(({ item }) => item === null);
  const fields = skills.flatMap(({ file, unknown: keys }) => keys.map((key) => `${key} (${file})`));
  const hidden = skills.filter(({ name, isForUser }) => isForUser && taken.includes(name)).map(({ name }) => name);
  return [
    ...told(
      untrusted.map(({ name }) => name),
      (names) => ({
        code: 'folder_not_trusted',
        message: `Nobody vouches for ${root}, so these skills of it are not there: ${names}.`,
        remedy: HOW_TO_TRUST,
      }),
    ),
    ...told(
      lost.map(({ file, why }) => `${file}: ${why}`),
      (each) => ({
        code: 'skill_refused',
        message: `${count(lost.length, 'skill')} cannot be used. ${each}.`,
        remedy: 'Correct what is said, or move the folder away. "turnwright skills list" shows all.',
      }),
    ),
    ...told(unknown, (names) => ({
      code: 'skill_problem',
      message: `The skills that are asked for by name are not all there. Missing: ${names}.`,
      remedy: `Skills: ${listed(skills.map(({ name }) => name)) || 'none'}.`,
    })),
    ...told(
      bad.map(({ skill, rule, why }) => `${rule.slice(0, 100)} (${skill.file}): ${why}`),
      (rules) => ({
        code: 'skill_problem',
        message: `Rules of allowed-tools that allow nothing: ${rules}`,
      }),
    ),
    ...told(fields, (keys) => ({
      code: 'skill_problem',
      level: 'info',
      message: `Fields of skills without effect in this version: ${keys}.`,
    })),
    ...told(hidden, (names) => ({
      code: 'skill_problem',
      level: 'info',
      message: `The commands of these names are other ones, so the skills can be called by the model alone: ${names}.`,
    })),
  ];
}

function told(items: readonly string[], notice: (listed: string) => PendingNotice): PendingNotice[] {
  return items.length === 0 ? [] : [notice(listed(items))];
}

function listed(items: readonly string[]): string {
  const shown = items.slice(0, SHOWN).join('; ');
  return items.length <= SHOWN ? shown : `${shown}; and ${items.length - SHOWN} more`;
}
