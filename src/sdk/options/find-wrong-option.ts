// Whether each option is of the kind it is declared with. One rule: only a look, as every session begins with it; what is
// wrong says `wrong-option.ts`.
import { OPTION_KINDS } from '../../protocol/declared-options.generated.js';
import { isAiSdkModel } from '../../providers/ai-sdk/index.js';
import type { OptionKind } from './declaration.js';
import type { Options } from './sdk-options.generated.js';

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

export function kindOfOption(name: string): OptionKind | undefined {
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
