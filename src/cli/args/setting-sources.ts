// Reads a list of setting sources, for flags.
import { ConfigError } from '../../protocol/errors.js';
import type { SettingSource } from '../../protocol/options.js';
import { splitList } from './split-list.js';

const SOURCES: readonly SettingSource[] = ['user', 'project', 'local'];

/** `none`, or nothing, is none. @throws ConfigError */
export function settingSources(value: string, typed: string): SettingSource[] {
  const names = splitList(value === 'none' ? '' : value);
  const stranger = names.find((name) => !(SOURCES as readonly string[]).includes(name));
  if (stranger === undefined) return names as SettingSource[];
  throw new ConfigError(
    `${typed} is a list of ${SOURCES.join(', ')}, or none, not ${JSON.stringify(stranger.slice(0, 60))}.`,
  );
}
