// The output styles that a session of some options could have.
import path from 'node:path';
import type { OutputStyle } from '../context/output-styles.js';
import { createNodeHost } from '../host/node-host.js';
import { findSettings } from '../session/settings/index.js';
import type { Options } from './options.js';
import { outputStyles } from './output-style-options.js';
import { plainOptions } from './plain-options.js';

/** The nearest first, then those that are built in. Nothing of what is wrong with the options is told here. */
export async function listOutputStyles(given: Options): Promise<readonly OutputStyle[]> {
  const host = given.host ?? createNodeHost();
  const options = plainOptions(given);
  const env = { ...host.env, ...options.env };
  const finder = findSettings(host, env, path.resolve(host.platform.cwd, options.cwd ?? ''), options);
  const settings = await finder.open();
  const { findWithPlugins } = await import('./plugin-options.js');
  await findWithPlugins(finder, options.plugins ?? [], options, settings, host);
  return (await outputStyles(finder, options, host)).styles;
}
