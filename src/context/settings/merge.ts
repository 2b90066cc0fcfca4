// Brings the settings of several sources together, and keeps where each value comes from. Pure. One rule: of two values
// for one key the stronger source's counts, lists of texts that name something count together.
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import { SETTING_SCOPES, type SettingScope } from './places.js';
import { SETTINGS_SCHEMA } from './schema.js';
import type { SettingSchema } from './setting-schema.js';

/** A value that is not divided further: a key's, or one element of a list that counts together with others. */
export interface SettingLeaf {
  readonly path: readonly string[];
  /** `path` with dots. */
  readonly key: string;
  readonly value: unknown;
  /** True for an element of a list. */
  readonly isItem: boolean;
  /** Of an element of a list: its number there. */
  readonly at?: number;
  readonly scope: SettingScope;
  /** Null for settings that were given as an object. */
  readonly file: string | null;
  /** Absolute folder that relative paths start from. */
  readonly base: string;
}

/** A value that counts, and those it overrode, the strongest first. */
export interface SettingEntry extends SettingLeaf {
  readonly overridden: readonly SettingLeaf[];
}

/** Every value of a source, in the order they stand. */
export function leavesOf(layer: SettingsLayer): SettingLeaf[] {
  const { scope, file, base } = layer;
  const leaves: SettingLeaf[] = [];
  const add = (path: readonly string[], value: unknown, isItem: boolean, at = 0) =>
    leaves.push({ path, key: path.join('.'), value, isItem, ...(isItem ? { at } : {}), scope, file, base });
  const walk = (value: unknown, schema: SettingSchema, path: readonly string[]): void => {
    if (isDivided(schema)) {
      for (const [name, each] of Object.entries(value as Record<string, unknown>)) {
        const own = schema.properties?.[name] ?? schema.additionalProperties;
        if (own !== undefined && each !== undefined) walk(each, own, [...path, name]);
      }
    } else if (schema['x-merge'] === 'concat') {
      for (const [at, each] of (value as readonly unknown[]).entries()) add(path, each, true, at);
    } else add(path, value, false);
  };
  walk(layer.values, SETTINGS_SCHEMA as SettingSchema, []);
  return leaves;
}

function isDivided(schema: SettingSchema): boolean {
  return schema.type === 'object' && schema['x-merge'] !== 'replace';
}

/** Null if there is no such key. Names of a record, such as those of variables, are any. */
export function schemaAt(path: readonly string[]): SettingSchema | null {
  let schema: SettingSchema = SETTINGS_SCHEMA as SettingSchema;
  for (const name of path) {
    const properties = schema.properties ?? {};
    const own = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    if (own === undefined) return null;
    schema = own;
  }
  return schema;
}

/**
 * @param leaves of all sources, those of one scope from the strongest file to the weakest
 * Contract: an entry for each key and each element of a list; each key's value is the strongest source's.
 */
export function mergeLeaves(leaves: readonly SettingLeaf[]): SettingEntry[] {
  const rank = (scope: SettingScope) => SETTING_SCOPES.indexOf(scope);
  const ordered = [...leaves].sort((a, b) => rank(a.scope) - rank(b.scope));
  const byKey = new Map<string, SettingLeaf[]>();
  for (const leaf of ordered) {
    const same = byKey.get(leaf.key);
    if (same === undefined) byKey.set(leaf.key, [leaf]);
    else same.push(leaf);
  }
  return [...byKey.values()].flatMap((same) => {
    const [first, ...rest] = same;
    if (first === undefined) return [];
    return first.isItem ? same.map((leaf) => ({ ...leaf, overridden: [] })) : [{ ...first, overridden: rest }];
  });
}

/** The settings that entries come to. The same element of a list counts once. */
export function valuesOf(entries: readonly SettingEntry[]): Settings {
  const root: Record<string, unknown> = {};
  for (const { path, value, isItem } of entries) {
    const last = path.at(-1) ?? '';
    let parent = root;
    for (const name of path.slice(0, -1)) {
      if (!Object.hasOwn(parent, name)) parent[name] = {};
      parent = parent[name] as Record<string, unknown>;
    }
    if (!isItem) parent[last] = value;
    else {
      const list = Object.hasOwn(parent, last) ? (parent[last] as unknown[]) : [];
      if (!list.includes(value)) list.push(value);
      parent[last] = list;
    }
  }
  return root as Settings;
}

/** Something in settings that cannot be used, or is not. */
export interface SettingsProblem {
  /** Absolute; null for settings that were given as an object. */
  readonly file: string | null;
  /** Where in it, for example `permissions.allow[2]`; null for the file itself. */
  readonly key: string | null;
  readonly message: string;
  /** What would have been right. */
  readonly expected?: string;
  /** True for a key of another product that means nothing here, or not yet: nothing is wrong with it. */
  readonly isIdle?: true;
  /** The known key that was perhaps meant. */
  readonly nearest?: string;
}

/** One source that was read. */
export interface SettingsLayer {
  readonly scope: SettingScope;
  /** Null for settings that were given as an object. */
  readonly file: string | null;
  /** Absolute folder that relative paths start from. */
  readonly base: string;
  /** Only what is right. */
  readonly values: Settings;
}
