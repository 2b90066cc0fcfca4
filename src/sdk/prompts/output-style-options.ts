// The output style of a session. Loaded if one is asked for, or somebody asks which there are.

import path from 'node:path';
import {
  DEFAULT_STYLE,
  type FoundStyles,
  findOutputStyles,
  type OutputStyle,
  styleNamed,
} from '../../context/output-styles.js';
import { trustRoot } from '../../context/trust.js';
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import type { PendingNotice } from '../../session/config/index.js';
import { findSettings, type SettingsFinder, type SettingsOptions, vouches } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { type Options, plainOptions } from '../options/index.js';
import { findWithPlugins } from '../plugins/index.js';

export type OutputStyleOptions = Pick<SettingsOptions, 'settingSources' | 'trustFolder'> & {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

export async function outputStyles(
  { extensions }: Pick<SettingsFinder, 'extensions'>,
  options: OutputStyleOptions,
  host: Host,
): Promise<FoundStyles> {
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  const trust = {
    isGranted: vouches(options),
    root: await trustRoot(host, cwd),
    home: homeFolder(host, { ...host.env, ...options.env }),
  };
  return findOutputStyles(host, extensions['output-styles'], trust);
}

/** The style of that name; without one, why is told. */
export async function openOutputStyle(
  name: string,
  finder: Pick<SettingsFinder, 'extensions'>,
  options: OutputStyleOptions,
  host: Host,
): Promise<{ readonly style: OutputStyle | null; readonly notices: readonly PendingNotice[] }> {
  if (name.toLowerCase() === DEFAULT_STYLE) return { style: null, notices: [] };
  const { styles, refused } = await outputStyles(finder, options, host);
  const style = styleNamed(styles, name);
  if (style !== null) return { style, notices: [] };
  const lost = refused.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const why = lost === undefined ? 'there is none of that name' : `${lost.file}: ${lost.why}`;
  const names = [DEFAULT_STYLE, ...styles.map((each) => each.name)].join(', ');
  const message = `The output style ${JSON.stringify(name.slice(0, 100))} of the settings is not used: ${why}.`;
  return { style: null, notices: [{ code: 'settings_problem', message, remedy: `Styles: ${names}.` }] };
}

// The output styles that a session of some options could have.

/** The nearest first, then those that are built in. Nothing of what is wrong with the options is told here. */
export async function listOutputStyles(given: Options): Promise<readonly OutputStyle[]> {
  const host = given.host ?? createNodeHost();
  const options = plainOptions(given);
  const env = { ...host.env, ...options.env };
  const finder = findSettings(host, env, path.resolve(host.platform.cwd, options.cwd ?? ''), options);
  const settings = await finder.open();
  await findWithPlugins(finder, options.plugins ?? [], options, settings, host);
  return (await outputStyles(finder, options, host)).styles;
}
