// Plugins and marketplaces to install from: folders, git repositories by file://, and a registry of npm on a loopback port.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { temporaryFolder } from './engine.js';

export type FileTexts = Readonly<Record<string, string>>;

export async function writeFiles(folder: string, files: FileTexts): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.join(folder, path.dirname(name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
}

/** A plugin with one of each part. */
export function pluginFiles(name: string, version = '1.0.0'): FileTexts {
  return {
    '.claude-plugin/plugin.json': JSON.stringify({ name, version, description: `The plugin ${name}.` }),
    'agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews.\n---\nYou review.',
    'commands/hello.md': '---\ndescription: Greets\n---\nSay hello.',
    'skills/tidy/SKILL.md': `---\ndescription: Tidies up.\n---\nTidy up as ${name} ${version} does.`,
  };
}

export function under(folder: string, files: FileTexts): FileTexts {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

export function marketplaceFile(name: string, plugins: readonly unknown[], more: object = {}): FileTexts {
  return { '.claude-plugin/marketplace.json': JSON.stringify({ name, owner: { name: 'Someone' }, plugins, ...more }) };
}

/** A machine of its own: a home, a working directory, and what is installed there. */
export async function pluginMachine(env: Readonly<Record<string, string>> = {}) {
  const base = await realpath(await temporaryFolder());
  const [home, user, cwd] = ['home', 'user', 'work'].map((name) => path.join(base, name)) as [string, string, string];
  for (const folder of [home, user, cwd]) await mkdir(folder);
  const variables = {
    PATH: process.env['PATH'],
    HOME: user,
    TURNWRIGHT_HOME: home,
    npm_config_cache: path.join(base, 'npm-cache'),
    npm_config_update_notifier: 'false',
    ...env,
  };
  const own = createNodeHost({ env: variables });
  const host = { ...own, env: variables, platform: { ...own.platform, homedir: user, cwd } };
  return { base, home, user, cwd, host, options: { host, cwd } };
}

/** Makes a repository of files, or a further commit in it. @returns the commit */
export async function commitFiles(folder: string, files: FileTexts): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFiles(folder, files);
  const git = (...words: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false', ...words],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
        encoding: 'utf8',
      },
    ).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '-A', '--force');
  git('commit', '--quiet', '--allow-empty', '-m', 'Files');
  return git('rev-parse', 'HEAD');
}

export interface PackageEntry {
  readonly name: string;
  readonly text?: string | Uint8Array;
  readonly link?: string;
}

/** A registry with one package. @returns its address */
export async function npmRegistry(
  name: string,
  versions: Readonly<Record<string, readonly PackageEntry[]>>,
): Promise<string> {
  const archives = new Map<string, Buffer>();
  for (const [version, entries] of Object.entries(versions)) {
    const tar = await packTar(
      entries.map((entry) =>
        entry.link === undefined
          ? { header: { name: entry.name, size: Buffer.byteLength(entry.text ?? '') }, body: entry.text ?? '' }
          : { header: { name: entry.name, size: 0, type: 'symlink' as const, linkname: entry.link } },
      ),
    );
    archives.set(version, gzipSync(tar));
  }
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const wanted = decodeURIComponent(request.url ?? '');
    const version = /\/-\/(.+)\.tgz$/.exec(wanted)?.[1];
    const archive = version === undefined ? undefined : archives.get(version);
    if (archive !== undefined) return void response.end(archive);
    if (wanted !== `/${name}`) return void response.writeHead(404).end('{}');
    const of = (each: string, bytes: Buffer) => ({
      name,
      version: each,
      scripts: { preinstall: 'touch ran', prepare: 'touch ran', prepack: 'touch ran', postinstall: 'touch ran' },
      dist: {
        tarball: `http://127.0.0.1:${port}/${name}/-/${each}.tgz`,
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
        shasum: createHash('sha1').update(bytes).digest('hex'),
      },
    });
    const listed = Object.fromEntries([...archives].map(([each, bytes]) => [each, of(each, bytes)]));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: [...archives.keys()].at(-1) }, versions: listed }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true });
}
