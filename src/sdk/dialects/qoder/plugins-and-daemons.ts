// What the Qoder Agent SDK runs in processes of its own, and what there is not here. Each says so when it is used.
import { refuse, refusedClass, refusedFunction } from '../refused.js';

const NO_PLUGINS =
  'plugins are installed by the command line here: "turnwright plugin". A session has those of the option plugins and of the setting enabledPlugins.';
const NO_DAEMON = 'sessions run in your process. Leave the daemon out.';
const NO_TRANSPORT = 'sessions run in your process. Leave the transport out.';

export const listPlugins = refusedFunction('listPlugins', NO_PLUGINS);
export const enablePlugin = refusedFunction('enablePlugin', NO_PLUGINS);
export const disablePlugin = refusedFunction('disablePlugin', NO_PLUGINS);
export const installPlugin = refusedFunction('installPlugin', NO_PLUGINS);
export const uninstallPlugin = refusedFunction('uninstallPlugin', NO_PLUGINS);
export const validatePlugin = refusedFunction('validatePlugin', NO_PLUGINS);

export const startDaemon = refusedFunction('startDaemon', NO_DAEMON);

/** There is no daemon, so sessions run without one: what the published SDK says when it cannot reach its own. */
export async function initDaemon(_options?: unknown): Promise<{ mode: 'direct'; reason: 'daemon_unavailable' }> {
  return { mode: 'direct', reason: 'daemon_unavailable' };
}

/** There is nothing to shut down. */
export async function shutdownDaemon(): Promise<void> {
  // No daemon was started.
}

export const ProcessTransport = refusedClass('ProcessTransport', NO_TRANSPORT);
export const WorkerTransport = refusedClass('WorkerTransport', NO_TRANSPORT);
export type ProcessTransport = InstanceType<typeof ProcessTransport>;
export type WorkerTransport = InstanceType<typeof WorkerTransport>;

/** False: there is no worker to start. */
export function hasResolvableQoderWorkerRuntime(_options?: unknown): boolean {
  return false;
}

/** @throws ConfigError, always */
export function resolveQoderWorkerRuntimePath(_options?: unknown): string {
  return refuse('resolveQoderWorkerRuntimePath', NO_TRANSPORT);
}

/** Nothing is sent anywhere. */
export async function submitFeedback(
  _params: unknown,
  _options?: unknown,
): Promise<{ success: boolean; message: string }> {
  return { success: false, message: 'Nothing was sent: Turnwright has nobody to send feedback to.' };
}

/** True for the output of a command that goes on in the background. */
export function isBashToolBackgroundLaunchResult(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'backgroundTaskId' in value && value.backgroundTaskId !== undefined
  );
}
