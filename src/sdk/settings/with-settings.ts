// The options of a session with what its settings say. Every session comes through here; what applies settings
// is loaded if there are some.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { findSettings, type OpenedSettings, type SettingsFinder } from '../../session/settings/index.js';
import { DOORS } from '../features.js';
import type { PlainOptions } from '../options/index.js';
import type { AppliedSettings } from './apply-settings.js';

export interface OptionsWithSettings extends AppliedSettings {
  /** Null if there are none. */
  readonly settings: OpenedSettings | null;
  readonly finder: SettingsFinder;
}

/** Managed settings beat the options, and the options all others. @throws ConfigError if the options are wrong */
export async function withSettings(options: PlainOptions, host: Host): Promise<OptionsWithSettings> {
  const env = { ...host.env, ...options.env };
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  const finder = findSettings(host, env, cwd, options);
  const settings = await finder.open();
  if (settings === null) return { options, settings, finder, fields: {}, notices: [], origins: new Map() };
  const { applySettings } = await DOORS.appliedSettings();
  return { ...(await applySettings(options, settings, env)), settings, finder };
}
