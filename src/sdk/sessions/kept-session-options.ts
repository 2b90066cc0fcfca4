// The options that say where and under which title a session is kept, and how long others are. A slip in the latter
// deletes sessions, so nothing is guessed.
import { ConfigError } from '../../protocol/errors.js';
import type { QueryEngineConfig } from '../../session/config/index.js';
import type { Options } from '../options/index.js';
import { checkStore } from './session-options.js';

/** Days after which old sessions go, if nothing else says it. */
const CLEANUP_VARIABLE = 'TURNWRIGHT_CLEANUP_PERIOD_DAYS';

/**
 * The days of the options, which hold those of settings too, beat the environment.
 * @throws ConfigError for a store, a title, a choice or a number of days that cannot be meant
 */
export function keptSessionOptions(
  { sessionStore, sessionStoreFlush, title, titles, cleanupPeriodDays }: Options,
  env: Readonly<Record<string, string | undefined>>,
): Partial<QueryEngineConfig> {
  const days = cleanupPeriodDays ?? daysOf(env[CLEANUP_VARIABLE]);
  return {
    ...storeOptions(sessionStore, sessionStoreFlush),
    ...(title === undefined ? {} : { title: checkTitle(title) }),
    ...(titles === undefined ? {} : { titles: checkTitles(titles) }),
    ...(days === undefined ? {} : { cleanupPeriodDays: checkDays(days) }),
  };
}

function storeOptions(
  sessionStore: Options['sessionStore'],
  flush: Options['sessionStoreFlush'],
): Partial<QueryEngineConfig> {
  if (flush !== undefined && flush !== 'batched' && flush !== 'eager')
    throw new ConfigError(`sessionStoreFlush is "${String(flush)}". Give batched or eager.`);
  const store = checkStore(sessionStore);
  if (store === null) return {};
  return { sessionStore: store, ...(flush === undefined ? {} : { sessionStoreFlush: flush }) };
}

function daysOf(value: string | undefined): number | string | undefined {
  if (value === undefined || value === '') return undefined;
  return /^\d{1,6}$/.test(value) ? Number(value) : value;
}

function checkTitle(title: string): string {
  if (typeof title === 'string' && title.trim() !== '' && title.length <= 2_000) return title;
  throw new ConfigError(
    'title is empty, or longer than 2000 characters. Leave it out for the first prompt as a title.',
  );
}

function checkTitles(titles: 'prompt' | 'model'): 'prompt' | 'model' {
  if (titles === 'prompt' || titles === 'model') return titles;
  throw new ConfigError(`titles is ${JSON.stringify(titles)}. It is prompt or model.`);
}

function checkDays(days: unknown): number {
  if (typeof days === 'number' && Number.isFinite(days) && days >= 1) return days;
  throw new ConfigError(
    `cleanupPeriodDays (${CLEANUP_VARIABLE}) is ${JSON.stringify(days)}. Give a number of days of at least 1, or leave it out: then no session is deleted.`,
  );
}
