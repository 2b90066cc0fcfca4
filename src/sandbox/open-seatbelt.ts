// The sandbox of one session on macOS. As on Linux a trial must hold before a command runs. Not tried on a Mac.
import type { Host } from '../host/host.js';
import { ToolError } from '../protocol/errors.js';
import type { CommandPlace, CommandSandbox, SandboxViolation, WrappedCommand } from './command-sandbox.js';
import type { Mount } from './mount-plan.js';
import { hasProxy, type SandboxPolicy } from './policy.js';
import {
  GIT_REDIRECTIONS,
  PROTECTED,
  PROTECTED_AT_HOME,
  PROTECTED_AT_HOME_WHERE_THERE,
  PROTECTED_IN_GIT,
  PROTECTED_IN_WORKTREE,
  PROTECTED_WHERE_THERE,
} from './protected-paths.js';
import { type EgressProxy, startEgressProxy } from './proxy/index.js';
import type { OpenedFolder, SandboxOptions } from './sandbox-folder.js';
import { findViolations, isIgnored } from './violations.js';

const SANDBOX_EXEC = '/usr/bin/sandbox-exec';
const TRIAL_MS = 10_000;
const USER = 'sandbox';
/** Exit code 7 if the folder outside can be written. */
const TRIAL = ': > "$0/in" || exit 6; if (: > "$1/out") 2>/dev/null; then exit 7; fi; exit 0';

/** Null if it works, else why not. */
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

// The Seatbelt profile of a policy, for `sandbox-exec` on macOS. Pure. Rules are by path, so what is missing is covered
// like what is there; the last rule that fits wins. Not tried on a Mac: the text is held by tests, its effect by none.

interface ProfilePlace {
  readonly home: string;
  /** The engine's own folder. */
  readonly engineFolder: string;
  /** Paths that git's configuration makes programs. */
  readonly hookPaths?: readonly string[];
  /** The session's private folder for temporary files. */
  readonly tmp: string;
  /** Ports of loopback at which proxies listen. */
  readonly proxyPorts: readonly number[];
}

/** What programs need to start at all, and what tells them of the machine. */
const BASE = `(version 1)
(deny default)
(allow process-fork)
(allow process-exec*)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow system-socket)
(allow pseudo-tty)
(allow ipc-posix-shm*)
(allow ipc-posix-sem*)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.trustd")
  (global-name "com.apple.trustd.agent")
  (global-name "com.apple.SecurityServer")
  (global-name "com.apple.bsd.dirhelper"))
(allow file-read*)
(allow file-ioctl (subpath "/dev"))
(allow file-write-data
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))`;

/** The whole profile. */
export function seatbeltProfile(policy: SandboxPolicy, place: ProfilePlace): string {
  return [BASE, readRules(policy), writeRules(policy, place), networkRules(policy, place)].flat().join('\n');
}

function readRules({ denyRead, allowRead, roots }: SandboxPolicy): string[] {
  return [
    ...each(denyRead, (target) => `(deny file-read* ${subpath(target)})`),
    // A workspace in a denied folder is worked in all the same.
    ...each(
      [...roots.filter((root) => isBelow(root, denyRead)), ...allowRead],
      (target) => `(allow file-read* ${subpath(target)})`,
    ),
    // What is named inside of what was opened again.
    ...each(
      denyRead.filter((target) => isBelow(target, [...roots, ...allowRead])),
      (target) => `(deny file-read* ${subpath(target)})`,
    ),
  ];
}

function writeRules(policy: SandboxPolicy, { home, engineFolder, tmp, hookPaths = [] }: ProfilePlace): string[] {
  const areas = [...policy.roots, ...policy.allowWrite];
  const inGit = [...PROTECTED_IN_GIT, ...GIT_REDIRECTIONS];
  const anywhere = [...PROTECTED, ...PROTECTED_WHERE_THERE, ...inGit.map((name) => `.git/${name}`)];
  const inner = [...inGit, ...PROTECTED_IN_WORKTREE];
  const atHome = [...PROTECTED_AT_HOME, ...PROTECTED_AT_HOME_WHERE_THERE].map((name) => `${home}/${name}`);
  const hidden = policy.denyRead.filter((target) => isBelow(target, areas));
  const denied = [...atHome, engineFolder, ...hookPaths, ...policy.denyWrite];
  return [
    ...each([...areas, tmp], (target) => `(allow file-write* ${subpath(target)})`),
    // Whoever runs such a file has the rights of its owner or group. Folders need no bit here to hand their group on.
    '(deny file-write-setugid)',
    ...each(areas, (area) => `(deny file-write* (regex ${regex(area, anywhere)}))`),
    // Those of submodules and worktrees.
    ...['modules', 'worktrees'].flatMap((folder) =>
      each(areas, (area) => `(deny file-write* (regex ${regex(`${area === '/' ? '' : area}/.git/${folder}`, inner)}))`),
    ),
    // A folder that holds something protected is not moved away with it.
    ...each(areas, (area) => `(deny file-write-unlink (regex ${regex(area, ['.git'], '')}))`),
    ...each(denied, (target) => `(deny file-write* ${subpath(target)})`),
    // What cannot be read is not moved to a place from which it can be.
    ...each(hidden, (target) => `(deny file-write-unlink ${subpath(target)})`),
    ...each(
      [...[...denied, ...hidden].flatMap((target) => foldersBetween(areas, target))],
      (folder) => `(deny file-write-unlink ${literal(folder)})`,
    ),
  ];
}

function networkRules({ network }: SandboxPolicy, { proxyPorts }: ProfilePlace): string[] {
  const { unixSockets } = network;
  return [
    ...proxyPorts.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    ...(network.allowLocalBinding
      ? ['(allow network-bind (local ip "localhost:*"))', '(allow network-inbound (local ip "localhost:*"))']
      : []),
    ...(unixSockets === 'all'
      ? ['(allow network-outbound (remote unix-socket))', '(allow network-bind (local unix-socket))']
      : each(
          unixSockets,
          (target) => `(allow network-outbound (remote unix-socket (path-literal ${quoted(target)})))`,
        )),
  ];
}

/** macOS keeps some folders behind links, and looks at paths without them. */
function each(targets: readonly string[], rule: (target: string) => string): string[] {
  const spelled = targets.flatMap((target) =>
    /^\/(tmp|var|etc)(\/|$)/.test(target) ? [target, `/private${target}`] : [target],
  );
  return [...new Set(spelled)].map(rule);
}

function isBelow(target: string, folders: readonly string[]): boolean {
  return folders.some((folder) => target !== folder && target.startsWith(folder === '/' ? '/' : `${folder}/`));
}

function foldersBetween(areas: readonly string[], target: string): string[] {
  const parts = target.split('/');
  const above = parts.slice(1, -1).map((_, at) => parts.slice(0, at + 2).join('/'));
  return above.filter((folder) => isBelow(folder, areas));
}

function subpath(target: string): string {
  return `(subpath ${quoted(target)})`;
}

function literal(target: string): string {
  return `(literal ${quoted(target)})`;
}

/** These names at any depth below `area`, in any case, with what lies in them. */
function regex(area: string, names: readonly string[], end = '(/|$)'): string {
  const anyCase = (text: string) =>
    text.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const list = names.map((name) => anyCase(escaped(name))).join('|');
  const pattern = `^${escaped(area === '/' ? '' : area)}/(.*/)?(${list})${end === '' ? '$' : end}`;
  return `#"${pattern.replaceAll('"', '.')}"`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
