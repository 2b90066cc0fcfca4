// Settings of another product, brought into our own files. One rule: nothing is written that was not shown, what stands in our
// files stays as it is, and each key that is not taken says why.
import path from 'node:path';
import {
  leavesOf,
  readJsonFile,
  readSettings,
  type SettingScope,
  translatePublished,
  userFolders,
} from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { editSettings, type SettingsEdit, settingsTarget, type WritableScope } from '../../session/settings/index.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { addFiledServer, filedServers } from '../mcp/index.js';

export const IMPORT_PRODUCTS = ['claude', 'qoder'] as const;
export type ImportProduct = (typeof IMPORT_PRODUCTS)[number];

export interface ImportRequest {
  readonly host: Host;
  /** Absolute. */
  readonly cwd: string;
  readonly from: ImportProduct;
  readonly scope: WritableScope;
}

/** One value that would come, or why it does not. */
export interface ImportedValue {
  readonly key: string;
  readonly path: readonly string[];
  /** True for an element of a list. */
  readonly isItem: boolean;
  readonly value: unknown;
  /** `add`: it is not there yet. `same`: it is. `kept`: ours says another thing, and stays. */
  readonly change: 'add' | 'same' | 'kept';
}

export interface ImportPlan {
  /** Those that were there, absolute. */
  readonly sources: readonly string[];
  /** The file of ours that would change, absolute. */
  readonly file: string;
  readonly values: readonly ImportedValue[];
  /** Of a file of servers. */
  readonly servers: readonly { readonly name: string; readonly config: unknown; readonly change: 'add' | 'kept' }[];
  /** Keys that are not taken, and why. */
  readonly left: readonly { readonly key: string; readonly why: string }[];
}

/** What an import would change. Nothing is written. @throws ConfigError if there is nothing to import, or it cannot be read */
export async function planImport(request: ImportRequest): Promise<ImportPlan> {
  const { host, cwd, from, scope } = request;
  const { file } = await settingsTarget({ host, env: host.env, cwd }, scope);
  const own = await valuesOf(host, file, scope);
  const places = placesOf(request);
  const sources: string[] = [];
  const values: ImportedValue[] = [];
  const left: { key: string; why: string }[] = [];
  let servers: Record<string, unknown> = {};
  for (const place of places) {
    const read = await readJsonFile(host, place.file);
    if (read === null) continue;
    if ('problem' in read) throw new ConfigError(`${place.file} ${read.problem}. Correct it first.`);
    if (!isRecord(read.value)) throw new ConfigError(`${place.file} holds no object.`);
    sources.push(place.file);
    const { mcpServers, ...rest } = read.value;
    if (isRecord(mcpServers)) servers = { ...servers, ...mcpServers };
    if (place.isServersOnly) continue;
    const { layer, problems } = readSettings(translatePublished(rest).value, {
      scope,
      file: place.file,
      base: cwd,
    });
    for (const { key, message } of problems) left.push({ key: key ?? '', why: message });
    for (const leaf of layer === null ? [] : leavesOf(layer)) {
      if (leaf.key === '$schema' || values.some((each) => isSame(each, leaf))) continue;
      const { key, path: keys, isItem, value } = leaf;
      values.push({ key, path: keys, isItem, value, change: changeOf(leaf, own) });
    }
  }
  if (sources.length === 0)
    throw new ConfigError(`There are no settings of ${from} here: ${places.map((place) => place.file).join(', ')}.`);
  const filed = Object.keys(servers).length === 0 ? [] : await filedServers(host, cwd, true);
  return {
    sources,
    file,
    values,
    servers: Object.entries(servers).map(([name, config]) => ({
      name,
      config,
      change: filed.some((each) => each.name === name) ? 'kept' : 'add',
    })),
    left,
  };
}

/** Writes what the plan adds. @returns what could not be written, and why. @throws ConfigError */
export async function applyImport(request: ImportRequest, plan: ImportPlan): Promise<readonly string[]> {
  const { host, cwd, scope } = request;
  const problems: string[] = [];
  const edits = plan.values.flatMap(({ path: keys, isItem, value, change }): SettingsEdit[] =>
    change === 'add' ? [{ op: isItem ? 'append' : 'set', path: keys, value }] : [],
  );
  if (edits.length > 0) await editSettings({ host, env: host.env, cwd }, scope, edits);
  for (const { name, config, change } of plan.servers) {
    if (change !== 'add') continue;
    try {
      await addFiledServer(host, cwd, scope, name, config as object);
    } catch (error) {
      problems.push(`${name}: ${errorText(error)}`);
    }
  }
  return problems;
}

interface ImportPlace {
  readonly file: string;
  readonly isServersOnly?: true;
}

function placesOf({ host, cwd, from, scope }: ImportRequest): readonly ImportPlace[] {
  const { homedir, cwd: start } = host.platform;
  const [claude = '', qoder = ''] = userFolders(homedir, start, host.env);
  if (scope !== 'user') {
    const name = scope === 'project' ? 'settings.json' : 'settings.local.json';
    return [{ file: path.join(cwd, `.${from}`, name) }];
  }
  const folder = from === 'claude' ? claude : qoder;
  const beside = from === 'claude' ? [{ file: path.join(homedir, '.claude.json'), isServersOnly: true } as const] : [];
  return [{ file: path.join(folder, 'settings.json') }, ...beside];
}

type Leaf = ReturnType<typeof leavesOf>[number];

async function valuesOf(host: Host, file: string, scope: SettingScope): Promise<readonly Leaf[]> {
  const read = await readJsonFile(host, file);
  if (read === null) return [];
  if ('problem' in read) throw new ConfigError(`${file} ${read.problem}. Correct it first.`);
  const { layer } = readSettings(read.value, { scope, file, base: '/' });
  return layer === null ? [] : leavesOf(layer);
}

function isSame(a: Pick<Leaf, 'key' | 'value'>, b: Pick<Leaf, 'key' | 'value'>): boolean {
  return a.key === b.key && JSON.stringify(a.value) === JSON.stringify(b.value);
}

function changeOf(leaf: Leaf, own: readonly Leaf[]): ImportedValue['change'] {
  if (own.some((each) => isSame(each, leaf))) return 'same';
  return !leaf.isItem && own.some(({ key }) => key === leaf.key) ? 'kept' : 'add';
}
