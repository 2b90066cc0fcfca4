// Plugins, as the functions of the Qoder Agent SDK take and tell them. Types only.

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
