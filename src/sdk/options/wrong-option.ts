// What is wrong with an option, in words: what it must be, and what it is instead. Loaded if one is wrong. No text
// shows a value, which may be a key.
import { ConfigError } from '../../protocol/errors.js';
import { kindOf } from '../../protocol/given.js';
import { errorText } from '../../util/text.js';
import type { OptionKind, SingleKind } from './declaration.js';
import { isOfKind, kindOfOption } from './find-wrong-option.js';

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
