// Functions for plugins, with what they take and tell, and what the Qoder Agent SDK runs in processes of its own and there is not
// here: it says so when it is used.
import { DOORS } from '../../features.js';
import { refuse, refusedFunction } from '../refused.js';

export type PluginScope = 'user' | 'project' | 'local';

interface Place {
  cwd?: string;
  /** There is no other program to run here. */
  cliPath?: string;
  env?: Record<string, string>;
}
export type ListPluginsOptions = Place & { orgId?: string };
export type PluginToggleOptions = Place & { scope?: PluginScope };
export type InstallPluginOptions = Place & { scope?: PluginScope };
export type UninstallPluginOptions = InstallPluginOptions & { keepData?: boolean };
export type ValidatePluginOptions = Omit<Place, 'cwd'> & { signal?: AbortSignal };

interface Named {
  name: string;
  description?: string;
}
/** What is in a plugin. */
export type PluginResources = {
  skills: (Named & { argumentHint?: string })[];
  agents: (Named & { color?: string })[];
  commands: (Named & { argumentHint?: string })[];
  mcpServers: (Named & { type?: string })[];
  hooks: { event: string; matcher?: string; type: string }[];
};
export type PluginDetails = {
  id: string;
  name: string;
  path: string;
  source: string;
  version: string;
  scope: string;
  enabled: boolean;
  canDisable: boolean;
  displayName?: string;
  description?: string;
  installedAt?: string;
  lastUpdated?: string;
  projectPath?: string;
  resources: PluginResources;
};
export type InstallPluginResult = { pluginId: string; version: string; path: string };
export type UninstallPluginResult = { pluginId: string; fullyRemoved: boolean; reverseDependents: string[] };

export type PluginValidationSeverity = 'error' | 'warning';
export type PluginValidationPhase = 'target' | 'manifest' | 'component' | 'load-simulation' | 'installability';
export type PluginValidationPosition = { line: number; character: number };
export type PluginValidationLocation = {
  path: string;
  jsonPointer?: string;
  range?: { start: PluginValidationPosition; end: PluginValidationPosition };
};
export type PluginValidationDiagnostic = {
  severity: PluginValidationSeverity;
  phase: PluginValidationPhase;
  code: string;
  message: string;
  location?: PluginValidationLocation;
  suggestion?: string;
};
export type PluginValidationReport = {
  schemaVersion: 1;
  /** The name that programs look for. */
  validator: { name: 'qodercli'; version: string };
  valid: boolean;
  target: { inputPath: string; resolvedPath: string; manifestPath?: string };
  plugin?: { name: string; version?: string; displayName?: string };
  diagnostics: PluginValidationDiagnostic[];
  summary: { errorCount: number; warningCount: number; componentCount: number };
  resources?: PluginResources;
};

const NO_DAEMON = 'sessions run in your process. Leave the daemon out.';

/** Those that are installed; `turnwright plugin` has the same. */
export async function listPlugins(opts?: ListPluginsOptions): Promise<PluginDetails[]> {
  return (await DOORS.qoderPlugins()).listPlugins(opts);
}
/** @throws ConfigError if it is not installed */
export async function enablePlugin(id: string, opts?: PluginToggleOptions): Promise<void> {
  return (await DOORS.qoderPlugins()).setPlugin(id, true, opts);
}
/** @throws ConfigError if it is not installed */
export async function disablePlugin(id: string, opts?: PluginToggleOptions): Promise<void> {
  return (await DOORS.qoderPlugins()).setPlugin(id, false, opts);
}
/** @param path `name@marketplace`, or a folder with a marketplace of one plugin. @throws ConfigError */
export async function installPlugin(path: string, opts?: InstallPluginOptions): Promise<InstallPluginResult> {
  return (await DOORS.qoderPlugins()).installPlugin(path, opts);
}
/** @throws ConfigError if it is not installed */
export async function uninstallPlugin(id: string, opts?: UninstallPluginOptions): Promise<UninstallPluginResult> {
  return (await DOORS.qoderPlugins()).uninstallPlugin(id, opts);
}
/** What of a plugin or a marketplace would count, and what would not and why. */
export async function validatePlugin(path: string, opts?: ValidatePluginOptions): Promise<PluginValidationReport> {
  return (await DOORS.qoderPlugins()).validatePlugin(path, opts);
}

export const startDaemon = refusedFunction('startDaemon', NO_DAEMON);

/** There is no daemon, so sessions run without one: what the published SDK says when it cannot reach its own. */
export async function initDaemon(_options?: unknown): Promise<{ mode: 'direct'; reason: 'daemon_unavailable' }> {
  return { mode: 'direct', reason: 'daemon_unavailable' };
}

/** There is nothing to shut down. */
export async function shutdownDaemon(): Promise<void> {
  // No daemon was started.
}

/** False: there is no worker to start. */
export function hasResolvableQoderWorkerRuntime(_options?: unknown): boolean {
  return false;
}

/** @throws ConfigError, always */
export function resolveQoderWorkerRuntimePath(_options?: unknown): string {
  return refuse('resolveQoderWorkerRuntimePath', 'sessions run in your process, without a worker.');
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
