// Takes over plugins that were looked for again. One rule: what of them did not change goes on as it is, and what came or went
// counts from the next prompt on, its servers as soon as they are connected.
import type { SDKControlReloadPluginsResponse } from '../../protocol/control-answers.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SdkPluginConfig } from '../../protocol/options.js';
import { noticeDraft, type Session, type SessionRuntime } from '../core/index.js';

/** @throws ConfigError where one that the host names cannot be used, and in a session that was not opened by options */
export async function reloadPlugins(
  session: Session,
  runtime: SessionRuntime,
  added: readonly SdkPluginConfig[],
): Promise<Omit<SDKControlReloadPluginsResponse, 'commands'>> {
  const { config, memory, features } = session;
  if (config.reloadPlugins === undefined)
    throw new ConfigError(
      'This session looks for no plugins, so there are none to look for again. Open it by query().',
    );
  const { plugins, hooks, servers, notices, problems } = await config.reloadPlugins(added);
  memory.plugins = plugins;
  memory.pluginHooks = hooks;
  await runtime.hooks.replace([...(memory.commandHooks ?? config.commandHooks ?? []), ...hooks], true);
  const told = [...notices];
  const agents = await config.reopenAgents?.(true);
  if (agents != null) told.push(...(await features.takeAgentsChange(runtime, agents)));
  await features.takeSkills(session, runtime);
  let failed = 0;
  if (servers.gone.length + servers.come.length > 0) {
    const { errors } = await (await runtime.servers.open()).exchange(servers.gone, servers.come);
    failed = Object.keys(errors).length;
  }
  for (const notice of told) runtime.tell(noticeDraft(notice));
  return {
    plugins: plugins.map(({ name, path, source }) => ({ name, path, source })),
    agents: runtime.agents.types.map(({ name, description, model }) => ({
      name,
      description,
      ...(model === null ? {} : { model }),
    })),
    mcpServers: [...(runtime.servers.now?.facts() ?? [])],
    error_count: problems + failed,
  };
}
