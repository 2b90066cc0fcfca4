// The sandbox of one session on macOS. As on Linux a trial must hold before a command runs. Not tried on a Mac.

import type { Host } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { CommandPlace, CommandSandbox, SandboxViolation, WrappedCommand } from './command-sandbox.js';
import { seatbeltProfile } from './macos.js';
import type { Mount } from './mount-plan.js';
import { hasProxy, type SandboxPolicy } from './policy.js';
import type { EgressProxy } from './proxy/egress-proxy.js';
import { startEgressProxy } from './proxy/egress-proxy.js';
import type { OpenedFolder, SandboxOptions } from './sandbox-folder.js';
import { findViolations, isIgnored } from './violations.js';

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';
const TRIAL_MS = 10_000;
const USER = 'sandbox';
/** Exit code 7 if the folder outside can be written. */
const TRIAL = ': > "$0/in" || exit 6; if (: > "$1/out") 2>/dev/null; then exit 7; fi; exit 0';

/** Null where it works, else why not. */
export async function probeSeatbelt(host: Host, policy: SandboxPolicy, folder: OpenedFolder): Promise<string | null> {
  const profile = seatbeltProfile({ ...policy, roots: [], allowWrite: [] }, placeOf(host, folder.path, folder, []));
  try {
    const { exitCode } = await host.exec.run({
      command: [SANDBOX_EXEC, '-p', profile, '/bin/sh', '-c', TRIAL, folder.tmp, folder.path],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      signal: new AbortController().signal,
      timeoutMs: TRIAL_MS,
      onStdout: () => undefined,
      onStderr: () => undefined,
    });
    if (exitCode === 0) return null;
    return `A trial of sandbox-exec did not hold (exit code ${exitCode}).`;
  } catch (error) {
    return `sandbox-exec could not be started. ${error instanceof Error ? error.message : String(error)}`;
  }
}

export async function openSeatbelt(options: SandboxOptions, folder: OpenedFolder): Promise<CommandSandbox> {
  const { host, policy, engineFolder } = options;
  const refusals = new Set<(violation: SandboxViolation) => void>();
  const way = await openWay(options, (violation) => {
    for (const take of refusals) take(violation);
  });
  const place = placeOf(host, engineFolder, folder, way.ports);
  const mountsFor = (roots: readonly string[]): readonly Mount[] => [
    { path: '/', kind: 'read', isFolder: true },
    ...[...roots, ...policy.allowWrite].map((path) => ({ path, kind: 'write', isFolder: true }) as const),
    ...policy.denyRead.map((path) => ({ path, kind: 'hidden', isFolder: true }) as const),
  ];
  let isClosed = false;
  return {
    status: { available: true, mechanism: 'seatbelt', reason: null },
    allowsUnsandboxed: policy.allowUnsandboxed,
    async wrap(command: readonly string[], { cwd, env }: CommandPlace): Promise<WrappedCommand> {
      if (isClosed) throw new ToolError('The session has ended, so nothing was run.');
      const roots = options.roots?.() ?? policy.roots;
      const mounts = mountsFor(roots);
      const now = { ...policy, roots };
      const profile = seatbeltProfile(now, {
        ...place,
        hookPaths: (await (await options.gitFacts?.())?.guardedPaths()) ?? [],
      });
      const refused: SandboxViolation[] = [];
      const take = (violation: SandboxViolation): void => void refused.push(violation);
      refusals.add(take);
      return {
        command: [SANDBOX_EXEC, '-p', profile, ...command],
        env: { ...env, ...way.env, TMPDIR: folder.tmp, TURNWRIGHT_SANDBOX: 'seatbelt' },
        async ended(printed) {
          refusals.delete(take);
          const blocksSockets = policy.network.unixSockets !== 'all' && policy.network.unixSockets.length === 0;
          const seen = findViolations(printed, { cwd, mounts, isOffline: !hasProxy(policy), blocksSockets });
          const found = [...refused, ...seen].filter((one) => !isIgnored(one, policy.ignore));
          for (const violation of found) options.onViolation(violation);
          return found;
        },
      };
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await way.close();
      await folder.remove();
    },
  };
}

function placeOf(host: Host, engineFolder: string, folder: OpenedFolder, proxyPorts: readonly number[]) {
  return { home: host.platform.homedir, engineFolder, tmp: folder.tmp, proxyPorts };
}

interface Way {
  readonly ports: readonly number[];
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** There is no network of its own here, so the proxy listens on loopback, and asks for a password. */
async function openWay(
  { host, policy }: SandboxOptions,
  onRefused: (violation: SandboxViolation) => void,
): Promise<Way> {
  const { network } = policy;
  if (!hasProxy(policy)) return { ports: [], env: {}, close: async () => undefined };
  let own: EgressProxy | null = null;
  const login = { user: USER, password: host.ids.uuid() };
  if (network.allowed.length > 0) {
    own = await startEgressProxy({
      at: 0,
      rules: network,
      login,
      onRefused: (target, why) =>
        onRefused({ kind: 'network', target, message: `A connection to ${target} was refused: ${why}.` }),
    });
  }
  const ours = own === null ? null : `${USER}:${login.password}@127.0.0.1:${own.port}`;
  const web = network.httpProxyPort === null ? ours : `127.0.0.1:${network.httpProxyPort}`;
  const socks = network.socksProxyPort === null ? ours : `127.0.0.1:${network.socksProxyPort}`;
  const env: Record<string, string> = {};
  if (web !== null)
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']) env[name] = `http://${web}`;
  if (socks !== null) for (const name of ['ALL_PROXY', 'all_proxy']) env[name] = `socks5h://${socks}`;
  const ports = [own?.port, network.httpProxyPort, network.socksProxyPort].filter((port) => typeof port === 'number');
  return { ports, env, close: async () => own?.close() };
}
