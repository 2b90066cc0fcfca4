// What the settings of a folder come to, for programs that look at them before a session: each source, all together, and
// where each key comes from. Nothing of a project that nobody vouches for is in what they come to.
import path from 'node:path';
import type { SettingScope } from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { checkObject } from '../../protocol/given.js';
import type { SettingSource } from '../../protocol/options.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import { findSettings } from '../../session/settings/index.js';

/** Whose settings: files of the user, the project, the folder; the option `settings`; the machine. */
export type ResolvedSettingSource = SettingSource | 'flag' | 'managed';

export interface ResolveSettingsOptions {
  /** Default: the folder of the process. */
  readonly cwd?: string;
  /** Absent: all; `[]`: managed ones alone. */
  readonly settingSources?: SettingSource[];
  readonly settings?: string | Settings;
  readonly managedSettings?: Settings;
  /** True: you vouch for the folder. Default: what `settingSources` says. */
  readonly trustFolder?: boolean;
  readonly host?: Host;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ProvenanceEntry {
  source: ResolvedSettingSource;
  /** Absent for settings that were given as an object. */
  path?: string;
}

export interface ResolvedSettings {
  /** What counts. */
  effective: Settings;
  /** For each key of it, the strongest source that says something. */
  provenance: { [Key in keyof Settings]?: ProvenanceEntry };
  /** What each source says, from the weakest to the strongest, whether it counts or not. */
  sources: { source: ResolvedSettingSource; settings: Settings; path?: string }[];
}

const SCOPES: Readonly<Record<SettingScope, ResolvedSettingSource>> = {
  managed: 'managed',
  flag: 'flag',
  local: 'local',
  project: 'project',
  user: 'user',
};

/** @throws ConfigError if the options cannot be used */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  checkObject(options, 'The options of resolveSettings()');
  const { cwd = '', host = createNodeHost(), env, ...given } = options;
  const folder = path.resolve(host.platform.cwd, cwd);
  const opened = await findSettings(host, { ...host.env, ...env }, folder, given).open();
  if (opened === null) return { effective: {}, provenance: {}, sources: [] };
  const { values, entries, files, sources } = opened.effective;
  const provenance: Record<string, ProvenanceEntry> = {};
  for (const { path: keys, scope, file } of entries) {
    const [key = ''] = keys;
    if (!Object.hasOwn(provenance, key))
      provenance[key] = { source: SCOPES[scope], ...(file === null ? {} : { path: file }) };
  }
  const read = files.flatMap(({ scope, file }) => {
    const settings = sources.get(file)?.layer?.values;
    return settings === undefined ? [] : [{ source: SCOPES[scope], settings, path: file }];
  });
  return { effective: values, provenance: provenance as ResolvedSettings['provenance'], sources: read.reverse() };
}

const ESCALATING = ['bypassPermissions', 'yolo', 'auto', 'acceptEdits'];

/** What counts, without a permission mode that asks less and that the repository chose. */
export function filterEscalatingDefaultMode(resolved: ResolvedSettings): Settings {
  checkObject(resolved, 'What filterEscalatingDefaultMode() is given');
  const { effective, sources } = resolved;
  checkObject(effective, '`effective` of resolved settings');
  const mode = effective.permissions?.defaultMode;
  if (mode === undefined || !ESCALATING.includes(mode)) return effective;
  const chosenBy = sources.findLast(({ settings }) => settings.permissions?.defaultMode === mode);
  if (chosenBy?.source !== 'project') return effective;
  const { defaultMode: _, ...permissions } = effective.permissions ?? {};
  return { ...effective, permissions };
}
