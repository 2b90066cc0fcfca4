// The sandbox of a session: its policy from the configuration, what it has to tell, and where refusals are told.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { PROTECTED_FILES, PROTECTED_FOLDERS } from '../../permissions/protected-paths.js';
import type { SandboxSettings } from '../../protocol/options.js';
import type { CommandSandbox, SandboxViolation } from '../../sandbox/command-sandbox.js';
import { openSandbox } from '../../sandbox/open-sandbox.js';
import { readPolicy, type SandboxPolicy } from '../../sandbox/policy.js';
import type { GitFacts } from '../../sandbox/sandbox-folder.js';
import type { PendingNotice, QueryEngineConfig } from '../config/index.js';
import { credentialsFile } from '../models/index.js';
import { placeholderKeyFile } from '../secrets/index.js';
import { homeFolder } from '../store/index.js';

export interface SessionSandbox {
  readonly commands: CommandSandbox;
  readonly notices: readonly PendingNotice[];
}

interface Machine {
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What git's configuration says. */
  gitFacts?(): Promise<GitFacts>;
  /** Workspace folders that were added since the session began, or taken away. */
  readonly changedRoots?: () => ChangedRoots;
  /** Told of each refusal. */
  readonly onNotice: (notice: PendingNotice) => void;
}

export interface ChangedRoots {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** @throws ConfigError for settings that cannot be used */
export async function openSessionSandbox(
  config: Pick<QueryEngineConfig, 'cwd' | 'additionalDirectories'>,
  settings: SandboxSettings,
  { host, env, gitFacts, changedRoots, onNotice }: Machine,
): Promise<SessionSandbox> {
  const policy = sessionPolicy(config, settings, host, env);
  const commands = await openSandbox({
    policy,
    roots() {
      const { added = [], removed = [] } = changedRoots?.() ?? {};
      return [
        ...policy.roots.filter((root) => root === config.cwd || !removed.includes(root)),
        ...added.filter(path.isAbsolute),
      ];
    },
    host,
    env,
    ...(gitFacts === undefined ? {} : { gitFacts }),
    engineFolder: homeFolder(host, env),
    protectedNames: [...PROTECTED_FILES, ...PROTECTED_FOLDERS],
    onViolation: (violation) => onNotice(violationNotice(violation)),
  });
  return { commands, notices: commands.status.available ? [] : [unavailable(commands)] };
}

/** @throws ConfigError */
export function sessionPolicy(
  { cwd, additionalDirectories = [] }: Pick<QueryEngineConfig, 'cwd' | 'additionalDirectories'>,
  settings: SandboxSettings,
  host: Pick<Host, 'env' | 'platform'>,
  env: Machine['env'],
): SandboxPolicy {
  return readPolicy(settings, {
    cwd,
    roots: [cwd, ...additionalDirectories],
    home: host.platform.homedir,
    secretFiles: [credentialsFile(host, env), placeholderKeyFile(host, env)],
  });
}

function unavailable({ status, allowsUnsandboxed }: CommandSandbox): PendingNotice {
  return {
    code: 'sandbox_unavailable',
    message: `The sandbox is switched on but cannot be used, so no command runs. ${status.reason ?? ''}`.trim(),
    remedy: allowsUnsandboxed
      ? 'Commands can be allowed to run outside of it, one by one; or switch it off with sandbox.enabled: false.'
      : 'If commands may run without it, switch it off with sandbox.enabled: false.',
  };
}

function violationNotice({ message, target }: SandboxViolation): PendingNotice {
  return {
    code: 'sandbox_violation',
    message,
    ...(target === '' ? {} : { remedy: 'What commands may do is set in sandbox.filesystem and sandbox.network.' }),
  };
}
