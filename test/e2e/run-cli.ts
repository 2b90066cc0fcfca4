// Starts the built command line as a process of its own, with a home, a folder and an environment of its own.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const ENTRY = join(ROOT, 'dist', 'cli', 'main.js');

/** Builds dist/ where it is older than the sources. */
export function buildEntry(): void {
  const setup = pathToFileURL(join(ROOT, 'scripts', 'lib', 'setup.mjs')).href;
  const code = `import { ensureBuilt } from ${JSON.stringify(setup)}; ensureBuilt({ types: false });`;
  const built = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`dist/ could not be built:\n${built.stderr}`);
}

/**
 * The package as npm would put it into an empty folder: the files that are published, and beside them what they depend on.
 * @returns the path of its program
 */
export function installPackage(folder: string): string {
  const listed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' });
  const [packed] = JSON.parse(listed.stdout) as { readonly files: readonly { readonly path: string }[] }[];
  const modules = join(folder, 'node_modules');
  for (const { path } of packed?.files ?? []) {
    const to = join(modules, 'turnwright', path);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(ROOT, path), to);
  }
  symlinkSync(join(ROOT, 'node_modules', '@vscode'), join(modules, '@vscode'));
  return join(modules, 'turnwright', 'dist', 'cli', 'main.js');
}

/** A private folder, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'turnwright-e2e-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export interface CliRun {
  readonly child: ChildProcessWithoutNullStreams;
  /** What has come so far. */
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<CliEnd>;
}

export interface CliEnd {
  /** Exit code, or the signal's name where one ended the process. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Written to stdin, which is then closed. null leaves it open. Default: closed at once. */
  readonly stdin?: string | null;
  /** Another copy of the program than that in `dist/`. */
  readonly entry?: string;
}

/** The environment of a process that talks to the mock at `url` and to nobody else. */
export function mockEnv(url: string): Record<string, string> {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef', TURNWRIGHT_RETRY_BASE_MS: '1' };
}

/** Starts the command line. The process is killed at the end of the test, whatever became of it. */
export function startCli(argv: readonly string[], options: CliOptions = {}): CliRun {
  const home = options.env?.['TURNWRIGHT_HOME'] ?? temporaryFolder();
  const child = spawn(process.execPath, [options.entry ?? ENTRY, ...argv], {
    cwd: options.cwd ?? temporaryFolder(),
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home, TURNWRIGHT_HOME: home, ...options.env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdin.on('error', () => undefined); // a process that does not read its stdin may be gone before it is written
  if (options.stdin !== null) child.stdin.end(options.stdin ?? '');
  const ended = new Promise<CliEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'unknown', ...output }));
  });
  return { child, output, ended };
}

export function runCli(argv: readonly string[], options?: CliOptions): Promise<CliEnd> {
  return startCli(argv, options).ended;
}
