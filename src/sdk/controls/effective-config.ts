// What a session runs with, and where each part comes from: options, tools, the system prompt, rules, the model.
import { createNodeHost } from '../../host/node-host.js';
import type { EffectiveConfig, EffectiveOption } from '../../protocol/control-answers.js';
import { plainOptions } from '../options/index.js';
import { effectiveOptions } from '../settings/index.js';
import type { ControlledQuery } from './controlled-query.js';

/** Contract: sends nothing and changes nothing. */
export async function effectiveConfig(query: ControlledQuery): Promise<EffectiveConfig> {
  const engine = await query.open();
  const controls = await engine.controls();
  const { model, permissionMode, effort } = controls.facts();
  const given = plainOptions(query.options);
  const settings = { ...given, ...flagFields(given.settings, controls.flagSettings()) };
  const options = await effectiveOptions(settings, given.host ?? createNodeHost());
  return {
    options: options.map((option) => {
      if (option.name === 'model') return changed(option, model);
      if (option.name === 'permissionMode') return changed(option, permissionMode);
      if (option.name === 'effort' && effort !== undefined) return changed(option, effort);
      return option;
    }),
    ...(await controls.effectiveParts()),
    rules: controls.listPermissionRules(false).state.rules,
  };
}

/** What was changed while the session runs says so. A name that stands for another is still as it was given. */
function changed(option: EffectiveOption, now: string): EffectiveOption {
  const { value, source } = option;
  if (source === 'default') return { ...option, value: now };
  if (value === now || (option.name === 'model' && typeof value === 'string' && now.endsWith(value))) return option;
  return { ...option, inForce: now };
}

/** A field that the host changed while the session runs stands in its settings. */
function flagFields(settings: unknown, changes: Readonly<Record<string, unknown>>) {
  if (Object.keys(changes).length === 0 || typeof settings === 'string') return {};
  const merged = { ...(settings as object | undefined), ...changes };
  return { settings: Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) };
}
