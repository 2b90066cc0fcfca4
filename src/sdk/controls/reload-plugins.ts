// The control that looks for plugins again.
import type { SDKControlReloadPluginsResponse } from '../../protocol/control-answers.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SessionControls } from '../query-controls.js';
import type { ControlledQuery } from './controlled-query.js';

/** @throws ConfigError */
export async function reloadPlugins(
  query: ControlledQuery,
  { holdOnCacheImpact, refuseIfBusy, addPlugins = [] }: NonNullable<Parameters<SessionControls['reloadPlugins']>[0]>,
): Promise<SDKControlReloadPluginsResponse> {
  const engine = await query.open();
  if (refuseIfBusy === true && engine.isBusy)
    throw new ConfigError('A prompt runs, and refuseIfBusy was given. Reload the plugins after its result.');
  if (holdOnCacheImpact === true)
    throw new ConfigError(
      'What a reload costs a prompt cache is not known before it is done, so holdOnCacheImpact cannot be honoured. Reload without it: what changes counts from the next prompt on.',
      { code: 'not_supported' },
    );
  const controls = await engine.controls();
  const reloaded = await controls.reloadPlugins(addPlugins);
  return { ...reloaded, commands: [...(await engine.supportedCommands())] };
}
