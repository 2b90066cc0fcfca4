// The option `sandbox` with what settings say of it, checked before anything starts. Loaded where there is one.
import type { Host } from '../host/host.js';
import type { SandboxedCommands } from '../permissions/permission-call.js';
import type { SandboxSettings } from '../protocol/options.js';
import { sandboxOptions } from '../sandbox/policy.js';
import { sessionPolicy } from '../session/session-sandbox.js';

export interface SandboxPlace {
  readonly host: Host;
  readonly env: Host['env'];
  readonly cwd: string;
  readonly directories: readonly string[];
}

export interface ReadSandbox {
  readonly sandbox: SandboxSettings;
  /** What it changes about permissions. */
  readonly commands: SandboxedCommands;
}

/**
 * Null where it is not switched on.
 * @throws ConfigError for what is not understood: it would be a hole
 */
export async function readSandboxOption(
  option: SandboxSettings,
  managed: unknown,
  { host, env, cwd, directories }: SandboxPlace,
): Promise<ReadSandbox | null> {
  const sandbox = sandboxOptions({ option, managed });
  if (sandbox?.enabled !== true) return null;
  const policy = sessionPolicy({ cwd, additionalDirectories: directories }, sandbox, host, env);
  const { autoAllowBash, allowUnsandboxed } = policy;
  return {
    sandbox,
    commands: { autoAllowBash, allowUnsandboxed, excluded: await patternsOf(policy.excludedCommands) },
  };
}

async function patternsOf(contents: readonly string[]): Promise<SandboxedCommands['excluded']> {
  if (contents.length === 0) return [];
  const { parseCommandPattern } = await import('../permissions/command-pattern.js');
  return contents.map((content) => parseCommandPattern(content));
}
