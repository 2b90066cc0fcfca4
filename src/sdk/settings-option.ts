// The option `settings`, given as an object: the keys that act, and a word about those that do not.
import type { Attribution } from '../context/attribution.js';
import { ConfigError } from '../protocol/errors.js';
import type { Settings } from '../protocol/options.js';
import type { PendingNotice } from '../session/config.js';

export interface ReadSettings {
  readonly attribution: Attribution | undefined;
  /** As it was given. */
  readonly cleanupPeriodDays?: unknown;
  readonly apiKeyHelper?: unknown;
  readonly modelTiers?: unknown;
  readonly notices: readonly PendingNotice[];
}

/** What `true` means. No mail address of anybody: the domain is reserved for what does not exist. */
const STANDARD: Attribution = {
  commit: 'Co-Authored-By: Turnwright <noreply@turnwright.invalid>',
  pr: 'Made with Turnwright.',
};
/** Longer than any trailer, characters. */
const MAX_LENGTH = 2_000;
const ACTING = 'attribution, includeCoAuthoredBy, cleanupPeriodDays, apiKeyHelper and modelTiers';

/** @throws ConfigError for a value of the wrong type */
export function readSettings(settings: string | Settings | undefined): ReadSettings {
  if (settings === undefined) return { attribution: undefined, notices: [] };
  if (typeof settings === 'string') return { attribution: undefined, notices: [withoutEffect('it names a file')] };
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new ConfigError('settings must be an object, or the path of a file.');
  const { attribution, includeCoAuthoredBy, cleanupPeriodDays, apiKeyHelper, modelTiers, ...others } = settings;
  const idle = [...Object.keys(others), ...idleParts(attribution)];
  const notices =
    idle.length === 0 ? [] : [withoutEffect(`${idle.join(', ')} ${idle.length === 1 ? 'does' : 'do'} nothing`)];
  return {
    attribution: readAttribution(attribution, includeCoAuthoredBy),
    cleanupPeriodDays,
    ...(apiKeyHelper === undefined ? {} : { apiKeyHelper }),
    ...(modelTiers === undefined ? {} : { modelTiers }),
    notices,
  };
}

/** Nothing is added unless the settings say so. */
function readAttribution(attribution: unknown, includeCoAuthoredBy: unknown): Attribution | undefined {
  if (includeCoAuthoredBy !== undefined && typeof includeCoAuthoredBy !== 'boolean')
    throw new ConfigError('settings.includeCoAuthoredBy must be true or false.');
  if (attribution === undefined) return includeCoAuthoredBy === true ? STANDARD : undefined;
  if (typeof attribution === 'boolean') return attribution ? STANDARD : undefined;
  if (typeof attribution !== 'object' || attribution === null || Array.isArray(attribution))
    throw new ConfigError('settings.attribution must be true, false, or an object with the texts commit and pr.');
  const { commit, pr } = attribution as Record<string, unknown>;
  return { commit: readText(commit, 'commit'), pr: readText(pr, 'pr') };
}

function readText(text: unknown, name: string): string {
  if (text === undefined) return '';
  if (typeof text !== 'string') throw new ConfigError(`settings.attribution.${name} must be a text; '' means none.`);
  if (text.length > MAX_LENGTH)
    throw new ConfigError(`settings.attribution.${name} has ${text.length} characters; the limit is ${MAX_LENGTH}.`);
  return text.trim();
}

function idleParts(attribution: unknown): string[] {
  if (typeof attribution !== 'object' || attribution === null) return [];
  return Object.keys(attribution)
    .filter((name) => name !== 'commit' && name !== 'pr')
    .map((name) => `attribution.${name}`);
}

function withoutEffect(why: string): PendingNotice {
  return {
    code: 'option_without_effect',
    message: `The option settings has no effect in this version but for ${ACTING}, given as an object: ${why}.`,
  };
}
