// The tool Config over the settings of a session's folder, for sessions that name it in `tools`.
import type { Host } from '../host/host.js';
import { settingsTarget } from '../session/settings/index.js';
import { createConfigTool } from '../tools/config.js';
import type { ConfigScope } from '../tools/shared/config-access.js';
import type { AnyTool } from '../tools/tool.js';
import { type ConfigurationOptions, changeConfiguration, readConfiguration, valueOfKey } from './config.js';
import type { Options } from './options.js';

const SCOPES: readonly ConfigScope[] = ['user', 'project', 'local'];

/** @param cwd of the session, absolute */
export async function configTool(options: Options, host: Host, env: Host['env'], cwd: string): Promise<AnyTool> {
  const own = { ...host, env };
  const files = await Promise.all(
    SCOPES.map(async (scope) => [scope, (await settingsTarget({ host: own, env, cwd }, scope)).file] as const),
  );
  const fileOf = new Map<ConfigScope, string>(files);
  const { settings, managedSettings, settingSources, trustFolder } = options;
  const place: ConfigurationOptions = {
    host: own,
    cwd,
    ...(settings === undefined ? {} : { settings }),
    ...(managedSettings === undefined ? {} : { managedSettings }),
    ...(settingSources === undefined ? {} : { settingSources }),
    ...(trustFolder === undefined ? {} : { trustFolder }),
  };
  return createConfigTool({
    fileOf: (scope) => fileOf.get(scope) ?? '',
    read: () => readConfiguration(place),
    valueOf: async (key) => valueOfKey((await readConfiguration(place)).values, key),
    change: (scope, key, text) => changeConfiguration({ host: own, cwd }, scope, key, text),
  });
}
