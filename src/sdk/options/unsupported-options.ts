// Options that do nothing in this session: refused if going on without them would not be safe, told if it is.

import { OPTION_KINDS } from '../../protocol/declared-options.generated.js';
import { ConfigError } from '../../protocol/errors.js';
import { REFUSAL_DIALOG } from '../../protocol/options.js';
import { isAiSdkModel } from '../../providers/ai-sdk/index.js';
import type { PendingNotice } from '../../session/config/index.js';
import type { Idle } from './declaration.js';
import { IDLE_OPTIONS } from './idle-options.generated.js';
import { isGiven, type Options } from './options.js';

/** Options whose silent absence would run, send or spend what the caller meant to prevent. */
export function refuseUnsafeOptions(options: Options): void {
  const wanted = IDLE_OPTIONS.flatMap(([name, why]) =>
    typeof why === 'object' && options[name] !== undefined ? [`${name}: ${why.refused}`] : [],
  );
  if ((options.supportedDialogKinds?.length ?? 0) > 0 && options.onUserDialog === undefined)
    throw new ConfigError('supportedDialogKinds names dialogs, and there is no onUserDialog that could show them.');
  if (wanted.length > 0) {
    throw new ConfigError(
      `This version cannot do what was asked for, and going on without it would not be safe. ${wanted.join('; ')}.`,
      { code: 'not_supported' },
    );
  }
}

/** One notice for all of them. @param canAsk the model has the tool AskUserQuestion */
export function optionsWithoutEffect(options: Options, canAsk: boolean): PendingNotice[] {
  const idle = new Map<string, string[]>();
  for (const [name, why] of IDLE_OPTIONS) {
    if (typeof why === 'object' || !isGiven(options[name]) || !isIdle(why, options, canAsk)) continue;
    idle.set(WORDS[why], [...(idle.get(WORDS[why]) ?? []), name]);
  }
  if (idle.size === 0) return [];
  const sentences = [...idle].map(([why, names]) =>
    names.length === 1
      ? `The option ${names[0]} has no effect${why}.`
      : `The options ${names.slice(0, -1).join(', ')} and ${names.at(-1)} have no effect${why}.`,
  );
  return [{ code: 'option_without_effect', message: sentences.join(' ') }];
}

function isIdle(why: Exclude<Idle, object>, options: Options, canAsk: boolean): boolean {
  const { provider, resolveModel, supportedDialogKinds } = options;
  switch (why) {
    case 'always':
    case 'inProcess':
    case 'noServer':
      return true;
    case 'provider':
      return provider !== undefined && !isAiSdkModel(provider);
    case 'resolveModel':
      return resolveModel !== undefined;
    case 'noResolveModel':
      return resolveModel === undefined;
    case 'noQuestions':
      return !canAsk;
    case 'noDialog':
      return supportedDialogKinds?.includes(REFUSAL_DIALOG) !== true;
  }
}

const WORDS: Readonly<Record<Exclude<Idle, object>, string>> = {
  always: ' in this version',
  inProcess: ': the engine runs in this process',
  noServer: ': it is for a server that this version does not know',
  noQuestions: ' in this version',
  noDialog: `: of dialogs there is only ${REFUSAL_DIALOG} here`,
  provider: ': the provider of the option provider answers, on its own way',
  resolveModel: ': resolveModel names the model of each request, and no other is asked',
  noResolveModel: ' without resolveModel',
};

/** A misspelt option would be silently without effect. */
export function unknownOptions(options: Options): PendingNotice[] {
  return Object.keys(options)
    .filter((name) => !Object.hasOwn(OPTION_KINDS, name))
    .map((name) => ({ code: 'option_without_effect', message: `There is no option ${name}, so it has no effect.` }));
}
