// The options that say where and under which title a session is kept, and how long others are. A slip in the latter
// deletes sessions, so nothing is guessed.
import { ConfigError } from '../protocol/errors.js';
import { NO_PLACE } from '../session/checkpoints/index.js';
import type { QueryEngineConfig } from '../session/config/index.js';
import type { Options, PlainOptions } from './options.js';
import { checkStore } from './sessions/context.js';

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

// Whether a session keeps what it needs to set files back: what option and settings say, then what kind of session it is.

const ACCEPTING_EDITS: ReadonlySet<unknown> = new Set(['acceptEdits', 'bypassPermissions', 'yolo', 'auto']);
const EDITING = /^(?:Edit|Write|NotebookEdit)(?:\(|$)/;

/**
 * The options with yes or no in place of `auto`.
 * @throws ConfigError if somebody asks for a way back and there would be none
 */
export function settleCheckpoints(options: PlainOptions): PlainOptions {
  const { enableFileCheckpointing: wanted, ...rest } = options;
  if (wanted === undefined) return options;
  if (typeof wanted !== 'boolean' && wanted !== 'auto')
    throw new ConfigError(`enableFileCheckpointing is ${JSON.stringify(wanted)}. It is true, false or auto.`);
  if (wanted === true && options.persistSession === false) throw new ConfigError(NO_PLACE);
  const isOn = wanted === 'auto' ? options.persistSession !== false && mayLoseFiles(options) : wanted;
  return isOn ? { ...rest, enableFileCheckpointing: true } : rest;
}

/** Somebody works with it, or it works on files alone. */
function mayLoseFiles({ canUseTool, permissionMode, allowedTools }: PlainOptions): boolean {
  return (
    canUseTool !== undefined ||
    ACCEPTING_EDITS.has(permissionMode) ||
    allowedTools?.some((rule) => EDITING.test(rule)) === true
  );
}
