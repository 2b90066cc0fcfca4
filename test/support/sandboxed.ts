// Commands in a real sandbox: a workspace, a home and a place outside of both, on this machine's disk.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createGitWatch } from '../../src/context/git/git-watch.js';
import type { Host } from '../../src/host/host.js';
import { PROTECTED_FILES, PROTECTED_FOLDERS } from '../../src/permissions/protected-paths.js';
import type { SandboxSettings } from '../../src/protocol/options.js';
import type { CommandSandbox, SandboxViolation } from '../../src/sandbox/command-sandbox.js';
import { openSandbox } from '../../src/sandbox/open-sandbox.js';
import { readPolicy } from '../../src/sandbox/policy.js';
import { runCommand } from '../../src/tools/bash/run-command.js';
import { lastingHost } from './lasting-host.js';
import { createToolContext } from './tool-context.js';

export interface SandboxFolders {
  /** Holds the others. */
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  /** Neither in the workspace nor in the home. */
  readonly outside: string;
}

/** Where what a test made is taken away again. Tests that run at the same time give the one of their own context. */
export type OnFinished = (cleanUp: () => void | Promise<void>) => void;

export interface Sandboxed extends SandboxFolders {
  readonly sandbox: CommandSandbox;
  /** Refusals told to the session, in order. */
  readonly told: readonly SandboxViolation[];
  /** Runs a script with Bash, inside. */
  run(script: string, more?: RunMore): Promise<Ran>;
  /** Another session in the same workspace. */
  another(): Promise<Sandboxed>;
}

export interface RunMore {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

export interface Ran {
  readonly code: number;
  /** Without the line ends at its end, as `stderr`. */
  readonly stdout: string;
  readonly stderr: string;
  /** What the model reads. */
  readonly model: string;
}

export interface SandboxedOptions {
  readonly settings?: SandboxSettings;
  /** Files of the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly host?: Host;
  /** Workspace folders beside the first; made if they are missing. */
  readonly roots?: readonly string[];
  /** The machine's folder for temporary files. */
  readonly tmp?: string;
  /** Default: that of the one test that runs. */
  readonly onFinished?: OnFinished;
}

/** Not below /tmp, which is a private folder inside. */
async function privateBase(onFinished: OnFinished): Promise<string> {
  const base = await mkdtemp(
    path.join(await realpath(path.resolve(process.env['TURNWRIGHT_TEST_BASE'] ?? '/var/tmp')), 'tw-'),
  );
  onFinished(() => rm(base, { recursive: true, force: true }));
  return base;
}

/** @param files by their path below the base */
export async function sandboxFolders(
  files: Readonly<Record<string, string>>,
  onFinished: OnFinished = onTestFinished,
): Promise<SandboxFolders> {
  const base = await privateBase(onFinished);
  const [workspace, home, outside] = [path.join(base, 'ws'), path.join(base, 'home'), path.join(base, 'outside')];
  for (const folder of [workspace, home, outside]) await mkdir(folder);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(base, name)), { recursive: true });
    await writeFile(path.join(base, name), text);
  }
  return { base, workspace, home, outside };
}

export async function sandboxed({ files = {}, ...options }: SandboxedOptions = {}): Promise<Sandboxed> {
  return openSandboxed(await sandboxFolders(files, options.onFinished), options);
}

/** A session in folders that are there. */
export async function openSandboxed(
  folders: SandboxFolders,
  { settings = {}, host, roots = [], tmp = tmpdir(), onFinished = onTestFinished }: Omit<SandboxedOptions, 'files'>,
): Promise<Sandboxed> {
  for (const name of roots) await mkdir(path.join(folders.base, name), { recursive: true });
  return openIn({ settings, host, roots, tmp, onFinished }, folders);
}

type OpenOptions = Required<Pick<SandboxedOptions, 'settings' | 'roots' | 'tmp' | 'onFinished'>> & {
  readonly host: Host | undefined;
};

async function openIn(options: OpenOptions, folders: SandboxFolders): Promise<Sandboxed> {
  const { settings, roots, tmp } = options;
  const { base, workspace, home } = folders;
  const machine = options.host ?? lastingHost();
  const host: Host = { ...machine, platform: { ...machine.platform, homedir: home, tmpdir: tmp } };
  const told: SandboxViolation[] = [];
  const place = {
    cwd: workspace,
    roots: [workspace, ...roots.map((name) => path.join(base, name))],
    home,
    secretFiles: [path.join(home, '.turnwright', 'credentials.json')],
  };
  const watch = createGitWatch({ host, env: {}, cwd: workspace, home: path.join(home, '.turnwright') });
  const sandbox = await openSandbox({
    policy: readPolicy({ enabled: true, ...settings }, place),
    host,
    env: process.env,
    engineFolder: path.join(home, '.turnwright'),
    protectedNames: [...PROTECTED_FILES, ...PROTECTED_FOLDERS],
    gitFacts: async () => watch,
    onViolation: (violation) => told.push(violation),
  });
  options.onFinished(() => sandbox.close());
  return {
    ...folders,
    sandbox,
    told,
    another: () => openIn({ ...options, host: undefined }, folders),
    async run(script, { env = {}, signal, timeout } = {}) {
      const context = createToolContext({
        host,
        cwd: workspace,
        sandbox,
        childEnv: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', ...env },
        ...(signal === undefined ? {} : { signal }),
      });
      const outcome = await runCommand({ command: script, ...(timeout === undefined ? {} : { timeout }) }, context);
      const { stdout, stderr, exitCode } = outcome.data;
      return { code: exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd(), model: String(outcome.model) };
    },
  };
}
