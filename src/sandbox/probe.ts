// Whether commands can be confined on this machine: the programs that it takes, and a trial run that shows that they do.
// Rule: what was not seen to hold does not count.
import path from 'node:path';
import { type Host, isFileError } from '../host/host.js';
import { bubblewrapCommand, type SandboxFolder } from './linux.js';

export interface SandboxPrograms {
  readonly bwrap: string;
  /** Null if there is none; then no command gets a way out by a proxy. */
  readonly nsenter: string | null;
}

export type Probe = { readonly programs: SandboxPrograms } | { readonly reason: string };

export interface ProbeOptions {
  readonly host: Host;
  readonly path: string;
  /** A program that a command could have put there is not used. */
  readonly roots: readonly string[];
  readonly folder: SandboxFolder;
  readonly filter: string;
  readonly isNested: boolean;
}

const TRIAL_MS = 10_000;
const USUAL_FOLDERS = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin'];
const MAX_TOLD = 300;

/** Each line is something that must hold; its exit code says which did not. Builtins only: a process costs time. */
const TRIAL = `
: > /tmp/.trial || exit 11
[ -w / ] || [ -w /usr ] && exit 12
while read -r name value; do
  case $name in
    CapEff:) caps=$value ;;
    NoNewPrivs:) nnp=$value ;;
    Seccomp:) seccomp=$value ;;
  esac
done < /proc/self/status
[ "$caps" = 0000000000000000 ] || exit 13
[ "$nnp" = 1 ] || exit 14
[ "$seccomp" = 2 ] || exit 15
count=0
while read -r line; do count=$((count + 1)); done < /proc/self/net/dev
[ "$count" -le 3 ] || exit 16
[ $$ -lt 100 ] || exit 17
exit 0
`;

const FAULTS: Readonly<Record<number, string>> = {
  11: 'the private folder for temporary files cannot be written',
  12: 'files outside the workspace can be written',
  13: 'programs keep capabilities',
  14: 'programs can gain rights',
  15: 'the filter of system calls is not in force',
  16: 'programs see network interfaces',
  17: 'programs share process numbers with the machine',
};

/** Contract: never throws; leaves nothing running. */
export async function probeBubblewrap(options: ProbeOptions): Promise<Probe> {
  const { host } = options;
  if (host.platform.os !== 'linux') {
    return { reason: `There is no sandbox for ${host.platform.os}: commands are confined on Linux and macOS.` };
  }
  const bwrap = await findProgram('bwrap', options);
  if (bwrap === null) {
    return {
      reason: 'The program bwrap was not found. Install bubblewrap (Debian, Fedora, Arch: the package bubblewrap).',
    };
  }
  const fault = await trialRun(bwrap, options);
  return fault === null ? { programs: { bwrap, nsenter: await findProgram('nsenter', options) } } : { reason: fault };
}

async function trialRun(bwrap: string, { host, folder, filter, isNested }: ProbeOptions): Promise<string | null> {
  const mounts = [{ path: '/tmp', kind: 'tmp', isFolder: true }] as const;
  const plan = { bwrap, mounts, folder, cwd: '/', isNested, filter, network: null, innerEnv: {} };
  let said = '';
  const take = (chunk: Uint8Array): void => {
    if (said.length < MAX_TOLD) said += new TextDecoder().decode(chunk);
  };
  try {
    const { exitCode, ended } = await host.exec.run({
      command: bubblewrapCommand(plan, ['/bin/sh', '-c', TRIAL]),
      cwd: '/',
      env: { PATH: USUAL_FOLDERS.join(':') },
      signal: new AbortController().signal,
      timeoutMs: TRIAL_MS,
      onStdout: take,
      onStderr: take,
    });
    if (ended !== 'exited') return `A trial of bubblewrap did not end within ${TRIAL_MS} ms.`;
    if (exitCode === 0) return null;
    const fault = exitCode === null ? undefined : FAULTS[exitCode];
    if (fault !== undefined) return `A trial of bubblewrap (${bwrap}) did not hold: ${fault}.`;
    return `A trial of bubblewrap (${bwrap}) failed: ${said.trim().slice(0, MAX_TOLD) || `exit code ${exitCode}`}.${advice(said)}`;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return `bubblewrap could not be started. ${error.message}`;
  }
}

function advice(said: string): string {
  if (/mount proc/i.test(said)) {
    return ' Inside of a container that refuses /proc, sandbox.enableWeakerNestedSandbox does without.';
  }
  if (/user namespace|namespace failed|uid map|RTM_NEWADDR/i.test(said)) {
    return ' This machine does not let ordinary users make namespaces: allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap).';
  }
  return '';
}

async function findProgram(name: string, { host, path: list, roots }: ProbeOptions): Promise<string | null> {
  const named = list.split(':').filter((folder) => path.isAbsolute(folder));
  for (const folder of [...USUAL_FOLDERS, ...named]) {
    try {
      const real = await host.fs.realpath(path.join(folder, name));
      const stat = await host.fs.stat(real);
      const isOwn = roots.some((root) => real === root || real.startsWith(`${root}/`));
      if (stat.kind === 'file' && (stat.mode & 0o111) !== 0 && !isOwn) return real;
    } catch (error) {
      if (!isFileError(error)) throw error; // not there: the next folder is looked into
    }
  }
  return null;
}
