// What is wrong with an option, in words: what it must be, and what it is instead. Loaded if one is wrong. No text
// shows a value, which may be a key.

import { OPTION_KINDS } from '../../protocol/declared-options.generated.js';
import { ConfigError } from '../../protocol/errors.js';
import { kindOf } from '../../protocol/given.js';
import { isAiSdkModel } from '../../providers/ai-sdk/index.js';
import { errorText } from '../../util/text.js';
import type { OptionKind, SingleKind } from './declaration.js';
import type { Options } from './sdk-options.generated.js';

const MUST_BE: Readonly<Record<SingleKind, string>> = {
  flag: 'true or false',
  number: 'a number',
  text: 'a text',
  texts: 'a list of texts',
  objects: 'a list of objects',
  path: 'a path',
  object: 'an object',
  function: 'a function',
  variables: 'an object of texts by name',
  controller: 'an AbortController',
  host: 'a Host, as createNodeHost() makes one',
  provider: 'a Provider, or a model object of the AI SDK',
};

/** @param name of the option; '': the options themselves */
export function wrongOption(name: string, options: unknown): ConfigError {
  if (name === '') return new ConfigError(`The options of query() must be an object, not ${kindOf(options)}.`);
  const kind = kindOfOption(name) ?? [];
  try {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    return new ConfigError(`\`${name}\` must be ${wordsOf(kind)}, not ${instead(kind, value)}.`);
  } catch (error) {
    return new ConfigError(`\`${name}\` cannot be read: ${errorText(error)}`, { cause: error });
  }
}

function wordsOf(kind: OptionKind): string {
  const all = (typeof kind === 'string' ? [kind] : kind).map((single) => MUST_BE[single]);
  return all.length === 1 ? String(all[0]) : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

/** Of a list or an object that is one, the first part that should not be in it. */
function instead(kind: OptionKind, value: unknown): string {
  const kinds = typeof kind === 'string' ? [kind] : kind;
  const item = kinds.includes('texts') ? 'text' : kinds.includes('objects') ? 'object' : null;
  if (Array.isArray(value) && item !== null) {
    const at = value.findIndex((each) => !isOfKind(item, each));
    return `a list with ${kindOf(value[at])} at ${at}`;
  }
  if (kind === 'variables' && isOfKind('object', value)) {
    const wrong = Object.entries(value as object).find(([, each]) => each !== undefined && typeof each !== 'string');
    return `an object with ${kindOf(wrong?.[1])} at ${wrong?.[0]}`;
  }
  if (typeof value === 'string' && kinds.includes('path')) return 'a text with a NUL in it';
  // Some objects would do, and this one does not.
  return isOfKind('object', value) ? 'another object' : kindOf(value);
}

// Whether each option is of the kind it is declared with. One rule: only a look, as every session begins with it; what is
// wrong says `wrong-option.ts`.

/** The kinds that fit a type, as far as types tell. */
type KindsFor<T> = [T] extends [boolean]
  ? 'flag'
  : [T] extends [number]
    ? 'number'
    : [T] extends [string]
      ? 'text' | 'path'
      : [T] extends [(...args: never[]) => unknown]
        ? 'function'
        : [T] extends [readonly string[]]
          ? 'texts'
          : [T] extends [readonly unknown[]]
            ? 'objects'
            : Exclude<OptionKind, 'flag' | 'number' | 'text' | 'path' | 'texts' | 'objects' | 'function'>;

/** The type check holds each kind to the type beside it. */
const KINDS: { readonly [Name in keyof Options]-?: KindsFor<Exclude<Options[Name], undefined>> } = OPTION_KINDS;

function kindOfOption(name: string): OptionKind | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name as keyof Options] : undefined;
}

/**
 * The name of an option whose value is of another kind than it takes, '' if the options are no object; null if all is
 * well. An option that is undefined is absent; a name that there is not is nobody's option.
 * Contract: never throws, whatever it is given.
 */
export function findWrongOption(options: unknown): string | null {
  if (!isOfKind('object', options)) return '';
  const given = options as Readonly<Record<string, unknown>>;
  let at = '';
  try {
    for (at of Object.keys(given)) {
      const kind = kindOfOption(at);
      if (kind !== undefined && given[at] !== undefined && !isOfKind(kind, given[at])) return at;
    }
    return null;
  } catch {
    return at; // it cannot even be read
  }
}

/** Contract: reads what stands in the value once, so that one that cannot be read is found here, by a throw. */
export function isOfKind(kind: OptionKind, value: unknown): boolean {
  if (typeof kind !== 'string') return kind.some((single) => isOfKind(single, value));
  switch (kind) {
    case 'flag':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number' && !Number.isNaN(value);
    case 'text':
      return typeof value === 'string';
    case 'function':
      return typeof value === 'function';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'objects':
      return Array.isArray(value) && value.every(isReadable);
    case 'path':
      return typeof value === 'string' && !value.includes('\0');
    case 'object':
      return isReadable(value);
    case 'variables':
      return isReadable(value) && Object.values(value).every((item) => item === undefined || typeof item === 'string');
    case 'controller':
      return has(value, 'abort') && typeof (value['signal'] as AbortSignal | null)?.addEventListener === 'function';
    case 'provider':
      return has(value, 'stream') || isAiSdkModel(value);
    case 'host':
      return has(value, 'sha256') && HOST_PARTS.every((part) => isReadable(value[part]));
  }
}

const HOST_PARTS = ['fs', 'exec', 'processes', 'clock', 'ids', 'env', 'platform'] as const;

/** An object that is no list. */
function isReadable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).length >= 0;
}

function has(value: unknown, method: string): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[method] === 'function'
  );
}
