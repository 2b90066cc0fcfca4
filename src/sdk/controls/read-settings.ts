// The settings in force and those of each source, for a client that shows them. One rule: no key and no token is in them.
import path from 'node:path';
import {
  mergeLeaves,
  SETTING_SCOPES,
  type SettingLeaf,
  type SettingScope,
  valuesOf,
} from '../../context/settings/index.js';
import { createNodeHost } from '../../host/node-host.js';
import type { SDKControlGetSettingsResponse } from '../../protocol/control.js';
import { findSettings } from '../../session/settings/index.js';
import { createLogRedactor } from '../logs/index.js';
import { plainOptions } from '../options/index.js';
import { PUBLISHED_SOURCES } from '../settings/index.js';
import type { ControlledQuery } from './controlled-query.js';

/** Values that are there to hold secrets, or to fetch them. */
const LEFT_OUT: readonly string[] = ['env', 'apiKeyHelper'];

/** As they stand now. @throws ConfigError if they cannot be read */
export async function readSettings(query: ControlledQuery): Promise<SDKControlGetSettingsResponse> {
  const controls = await (await query.open()).controls();
  const { model, effort } = controls.facts();
  const { options, host, env, cwd } = settingsPlace(query);
  const opened = await findSettings(host, env, cwd, { ...options, flagChanges: controls.flagSettings() }).open();
  const redact = createLogRedactor({ ...env, ...opened?.effective.values.env });
  const shown = (leaves: readonly SettingLeaf[]) =>
    withoutSecrets(
      valuesOf(mergeLeaves(leaves.filter(({ path: [first = ''] }) => !LEFT_OUT.includes(first)))),
      redact,
    ) as Record<string, unknown>;
  const entries = opened?.effective.entries ?? [];
  const leaves = entries.flatMap((entry): SettingLeaf[] => [entry, ...entry.overridden]);
  const ofScope = (scope: SettingScope) => leaves.filter((leaf) => leaf.scope === scope);
  return {
    effective: shown(entries),
    sources: [...SETTING_SCOPES]
      .reverse()
      .filter((scope) => ofScope(scope).length > 0)
      .map((scope) => ({ source: PUBLISHED_SOURCES[scope], settings: shown(ofScope(scope)) })),
    applied: { model, effort: effort ?? null },
  };
}

/** Where the settings of a query are, and which options say so. */
export function settingsPlace(query: ControlledQuery) {
  const options = plainOptions(query.options);
  const host = options.host ?? createNodeHost();
  const cwd = path.resolve(host.platform.cwd, options.cwd ?? '');
  return { options, host, env: { ...host.env, ...options.env }, cwd };
}

/** Not recursive in depth that a file could choose: settings are as deep as their schema. */
function withoutSecrets(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutSecrets(each, redact)]));
}
