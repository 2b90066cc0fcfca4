// Commands of files for a session. Loaded if there are some.
import path from 'node:path';
import type { ExtensionPlace } from '../../context/settings/index.js';
import { trustRoot } from '../../context/trust.js';
import type { Host } from '../../host/host.js';
import { type OpenedCommands, openCommandFiles } from '../../session/input/index.js';
import { type SettingsOptions, vouches } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';

export type CommandFilesOptions = Pick<SettingsOptions, 'settingSources' | 'trustFolder'> & {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
};

export interface CommandFilesPlace {
  /** From the nearest to the farthest. */
  readonly places: readonly ExtensionPlace[];
  /** False: what a command allows does not count. */
  readonly mayAllow: boolean;
  /** False: their shell lines are not run. */
  readonly mayRunShell?: boolean;
  /** Names of commands that stay what they are. */
  readonly taken: readonly string[];
  pluginRoot?(namespace: string): string | null;
}

export async function commandFilesOf(
  options: CommandFilesOptions,
  host: Host,
  place: CommandFilesPlace,
): Promise<OpenedCommands> {
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  return openCommandFiles(host, {
    ...place,
    trust: {
      isGranted: vouches(options),
      root: await trustRoot(host, cwd),
      home: homeFolder(host, { ...host.env, ...options.env }),
    },
  });
}
