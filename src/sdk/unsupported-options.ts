// Options that do nothing in this session: refused if going on without them would not be safe, told if it is.
import { OPTION_KINDS } from '../protocol/declared-options.generated.js';
import { ConfigError } from '../protocol/errors.js';
import { isAiSdkModel } from '../providers/ai-sdk/index.js';
import type { PendingNotice } from '../session/config/index.js';
import type { Idle } from './options/declaration.js';
import { IDLE_OPTIONS } from './options/idle-options.generated.js';
import type { Options } from './options.js';

/** Options whose silent absence would run, send or spend what the caller meant to prevent. */
export function refuseUnsafeOptions(options: Options): void {
  const wanted = IDLE_OPTIONS.flatMap(([name, why]) =>
    typeof why === 'object' && options[name] !== undefined ? [`${name}: ${why.refused}`] : [],
  );
  if (wanted.length > 0) {
    throw new ConfigError(
      `This version cannot do what was asked for, and going on without it would not be safe. ${wanted.join('; ')}.`,
      { code: 'not_supported' },
    );
  }
}

/** @param canAsk the model has the tool AskUserQuestion */
export function optionsWithoutEffect(options: Options, canAsk: boolean): PendingNotice[] {
  return IDLE_OPTIONS.flatMap(([name, why]) => {
    if (typeof why === 'object' || !isGiven(options[name]) || !isIdle(why, options, canAsk)) return [];
    return [{ code: 'option_without_effect', message: `The option ${name} has no effect${WORDS[why]}.` }];
  });
}

function isIdle(why: Exclude<Idle, object>, { provider, resolveModel }: Options, canAsk: boolean): boolean {
  switch (why) {
    case 'always':
      return true;
    case 'provider':
      return provider !== undefined && !isAiSdkModel(provider);
    case 'resolveModel':
      return resolveModel !== undefined;
    case 'noResolveModel':
      return resolveModel === undefined;
    case 'noQuestions':
      return !canAsk;
  }
}

const WORDS: Readonly<Record<Exclude<Idle, object>, string>> = {
  always: ' in this version',
  noQuestions: ' in this version',
  provider: ': the provider of the option provider answers, on its own way',
  resolveModel: ': resolveModel names the model of each request, and no other is asked',
  noResolveModel: ' without resolveModel',
};

/** An empty list or object asks for nothing. */
function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** A misspelt option would be silently without effect. */
export function unknownOptions(options: Options): PendingNotice[] {
  return Object.keys(options)
    .filter((name) => !Object.hasOwn(OPTION_KINDS, name))
    .map((name) => ({ code: 'option_without_effect', message: `There is no option ${name}, so it has no effect.` }));
}
