// The option `sandbox` with what settings say of it, checked before anything starts. Loaded if there is one.
import type { Host } from '../host/host.js';
import type { SandboxedCommands } from '../permissions/permission-call.js';
import type { PermissionRule } from '../permissions/rule.js';
import type { SandboxSettings } from '../protocol/options.js';
import { type SandboxPolicy, sandboxOptions } from '../sandbox/policy.js';
import { sessionPolicy } from '../session/sandbox/index.js';
import { pathsOfRules, rulesOfDomains, rulesOfPaths } from './sandbox-rules.js';

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
  /** For the tools for files and for the web: what it keeps from commands. */
  readonly deny: readonly PermissionRule[];
}

/**
 * Null if it is not switched on.
 * @param rules those that deny something
 * @throws ConfigError for what is not understood: it would be a hole
 */
export async function readSandboxOption(
  option: SandboxSettings,
  managed: unknown,
  { host, env, cwd, directories }: SandboxPlace,
  rules: readonly PermissionRule[],
): Promise<ReadSandbox | null> {
  const sandbox = sandboxOptions({ option, managed });
  if (sandbox?.enabled !== true) return null;
  const policy = sessionPolicy({ cwd, additionalDirectories: directories }, sandbox, host, env);
  const { autoAllowBash, allowUnsandboxed } = policy;
  const kept = await pathsOfRules(rules, { host, cwd, home: host.platform.homedir, roots: [cwd, ...directories] });
  const { filesystem = {} } = sandbox;
  return {
    sandbox: {
      ...sandbox,
      filesystem: {
        ...filesystem,
        denyRead: [...(filesystem.denyRead ?? []), ...kept.denyRead],
        denyWrite: [...(filesystem.denyWrite ?? []), ...kept.denyWrite],
      },
    },
    commands: {
      autoAllowBash,
      allowUnsandboxed,
      excluded: await patternsOf(policy.excludedCommands),
      reach: reachOf(policy, sandbox),
    },
    deny: [...rulesOfPaths(policy), ...rulesOfDomains(sandbox.network?.deniedDomains ?? [])],
  };
}

/** What policies on untrusted content go by: anything but plain domains is more than can be told. */
function reachOf({ allowWrite, network }: SandboxPolicy, sandbox: SandboxSettings): readonly string[] | null {
  const hasOtherWays =
    network.httpProxyPort !== null || network.socksProxyPort !== null || network.unixSockets === 'all';
  if (hasOtherWays || network.unixSockets.length > 0 || allowWrite.length > 0) return null;
  return sandbox.network?.allowedDomains ?? [];
}

/** A command that is named without a sign for anything is meant with whatever follows it. */
async function patternsOf(contents: readonly string[]): Promise<SandboxedCommands['excluded']> {
  if (contents.length === 0) return [];
  const { parseCommandPattern } = await import('../permissions/command-pattern.js');
  return contents.map((content) => parseCommandPattern(content.includes('*') ? content : `${content.trim()}:*`));
}
