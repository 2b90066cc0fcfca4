// Options that this version cannot honour: refused where going on without them would not be safe, told where it is.
import { ConfigError } from '../protocol/errors.js';
import { isAiSdkModel } from '../providers/ai-sdk/index.js';
import type { PendingNotice } from '../session/config/index.js';
import { DECLARED_OPTIONS } from './options/declared-options.js';
import type { Options } from './options.js';

/** Options whose silent absence would run, send or spend what the caller meant to prevent. */
export function refuseUnsafeOptions(options: Options): void {
  const refusals: readonly [boolean, string][] = [
    [options.experimentalCloudAgent !== undefined, 'experimentalCloudAgent: there is no cloud runtime yet'],
  ];
  const wanted = refusals.filter(([isWanted]) => isWanted).map(([, text]) => text);
  if (wanted.length > 0) {
    throw new ConfigError(
      `This version cannot do what was asked for, and going on without it would not be safe. ${wanted.join('; ')}.`,
      { code: 'not_supported' },
    );
  }
}

/** Options that are accepted and do nothing yet, or never will in one process. */
const WITHOUT_EFFECT = [
  'executable',
  'executableArgs',
  'extraArgs',
  'pathToQoderCLIExecutable',
  'pathToClaudeCodeExecutable',
  'planModeInstructions',
  'plugins',
  'promptSuggestions',
  'spawnQoderCLIProcess',
  'spawnClaudeCodeProcess',
] as const satisfies readonly (keyof Options)[];

/** Options about a tool that is not always offered. */
const ABOUT_QUESTIONS = ['onElicitation', 'toolConfig'] as const satisfies readonly (keyof Options)[];

/** Options about reaching models, for nobody where the host's own provider answers. */
const ABOUT_MODELS = [
  'auth',
  'caFile',
  'modelTiers',
  'providers',
  'proxy',
] as const satisfies readonly (keyof Options)[];

/** Options about other models, of which there are none where the host names the model of each request. */
const ABOUT_FALLBACK = ['fallback', 'fallbackModel'] as const satisfies readonly (keyof Options)[];

/** @param canAsk the model has the tool AskUserQuestion */
export function optionsWithoutEffect(options: Options, canAsk: boolean): PendingNotice[] {
  const names = [
    ...WITHOUT_EFFECT,
    ...(canAsk ? [] : ABOUT_QUESTIONS),
    ...(options.provider === undefined || isAiSdkModel(options.provider) ? [] : ABOUT_MODELS),
    ...(options.resolveModel === undefined ? (['resolveModelTimeoutMs'] as const) : ABOUT_FALLBACK),
  ];
  return names
    .filter((name) => isGiven(options[name]))
    .map((name) => ({
      code: 'option_without_effect',
      message: isAboutModels(name)
        ? `The option ${name} has no effect: the provider of the option provider answers, on its own way.`
        : (ALONE[name] ?? `The option ${name} has no effect in this version.`),
    }));
}

/** Options that mean something only beside, or only without, another one. */
const ALONE: Readonly<Partial<Record<keyof Options, string>>> = {
  fallback: 'The option fallback has no effect: resolveModel names the model of each request, and no other is asked.',
  fallbackModel:
    'The option fallbackModel has no effect: resolveModel names the model of each request, and no other is asked.',
  resolveModelTimeoutMs: 'The option resolveModelTimeoutMs has no effect without resolveModel.',
};

function isAboutModels(name: keyof Options): boolean {
  return (ABOUT_MODELS as readonly string[]).includes(name);
}

/** An empty list or object asks for nothing. */
function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** A misspelt option would be silently without effect. */
export function unknownOptions(options: Options): PendingNotice[] {
  return Object.keys(options)
    .filter((name) => !Object.hasOwn(DECLARED_OPTIONS, name))
    .map((name) => ({ code: 'option_without_effect', message: `There is no option ${name}, so it has no effect.` }));
}
