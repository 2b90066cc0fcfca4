// Gets what a source names onto this machine: git and npm of the user's, a folder as it lies there. Loaded when somebody asks
// for a plugin or a marketplace. One rule: nothing of what comes is run - no hook, no filter, no script of a package.
import path from 'node:path';
import { createTarDecoder } from 'modern-tar';
import { type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { ConfigError } from '../../protocol/errors.js';
import { admitAddress, dialAddress, lookUp, sendRequest, type WebReach } from '../../providers/web/index.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { findGit, QUIET_SETTINGS, quietEnvironment } from '../git/index.js';
import { type PluginSource, sourceText } from './marketplace.js';
import { copyFolder, openSnapshot, type Snapshot, type SnapshotLimits } from './snapshot.js';

export interface FetchPlace {
  readonly host: Host;
  readonly env: Host['env'];
  /** The folder that programs of that name are not taken from, absolute. */
  readonly notFrom: string;
  /** Absolute, empty, and the caller's to remove. */
  readonly work: string;
  readonly limits: SnapshotLimits;
  readonly signal: AbortSignal;
  /** How the web is reached. */
  openWeb(): Promise<Omit<WebReach, 'convert'>>;
  /** True if the user named the source: then its very host may be in a private network. */
  readonly isUsers: boolean;
}

/** What came. */
export interface Fetched {
  /** Absolute, links resolved. */
  readonly folder: string;
  /** Links may lead to what lies in it, absolute. */
  readonly root: string;
  /** Of a file: its name in the folder. */
  readonly file?: string;
  /** Of a repository. */
  readonly commit?: string;
  /** Of a package. */
  readonly version?: string;
  readonly integrity?: string;
  readonly problems: readonly string[];
}

const GIT_TIMEOUT_MS = 180_000;
const NPM_TIMEOUT_MS = 120_000;
/** For one file that a program writes, such as a pack of git: in blocks of 512 bytes, of some shells 1024. */
const MAX_FILE_BLOCKS = 1_048_576;
const MAX_SAID = 2_000;

/** @throws ConfigError that says what is wrong */
export async function fetchSource(source: PluginSource, place: FetchPlace): Promise<Fetched> {
  switch (source.source) {
    case 'git':
      return fetchRepository(source, place);
    case 'npm':
      return fetchPackage(source, place);
    case 'url':
      return fetchList(source.url, place);
    default:
      return lookAtFolder(source, place);
  }
}

async function lookAtFolder(
  { source, path: given }: Extract<PluginSource, { readonly path: string; readonly source: 'directory' | 'file' }>,
  { host: { fs } }: FetchPlace,
): Promise<Fetched> {
  try {
    const real = await fs.realpath(given);
    const { kind } = await fs.stat(real);
    if (source === 'directory') {
      if (kind === 'directory') return { folder: real, root: real, problems: [] };
      throw new ConfigError(`${given} is not a folder.`);
    }
    if (kind !== 'file') throw new ConfigError(`${given} is not a file.`);
    const [own, above] = [path.basename(path.dirname(real)), path.dirname(path.dirname(real))];
    // What it names lies beside its folder, as in the published layout.
    const folder = /^\..*-plugin$/.test(own) ? above : path.dirname(real);
    return { folder, root: folder, file: path.relative(folder, real), problems: [] };
  } catch (error) {
    if (isFileError(error)) throw new ConfigError(`${given} cannot be used: ${errorText(error)}`, { cause: error });
    throw error;
  }
}

async function fetchRepository(source: Extract<PluginSource, { readonly source: 'git' }>, place: FetchPlace) {
  const { host, env, notFrom, work } = place;
  const { git, folders } = await findGit(host, env['PATH'] ?? '', notFrom);
  if (git === null) throw new ConfigError(`There is no git here, which ${sourceText(source)} needs. Install it.`);
  const folder = path.join(work, 'repository');
  await host.fs.mkdir(folder);
  const quiet = quietEnvironment(env, folders);
  const kept = [
    'SSH_AUTH_SOCK',
    'https_proxy',
    'HTTPS_PROXY',
    'no_proxy',
    'NO_PROXY',
    'SSL_CERT_FILE',
    'GIT_SSL_CAINFO',
  ];
  const asking = {
    ...quiet,
    ...Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
    // Whoever would have to type something is not asked.
    GIT_SSH_COMMAND: env['GIT_SSH_COMMAND'] ?? 'ssh -oBatchMode=yes',
    GCM_INTERACTIVE: 'never',
    GIT_LFS_SKIP_SMUDGE: '1',
  };
  // What the user configured says how to get there, and starts nothing of what came: filters are programs.
  const plain = { ...quiet, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_LFS_SKIP_SMUDGE: '1' };
  const run = (words: readonly string[], variables: Record<string, string>) =>
    runProgram(
      [git, ...QUIET_SETTINGS.flatMap((each) => ['-c', each]), ...words],
      folder,
      variables,
      place,
      GIT_TIMEOUT_MS,
    );
  await run(['init', '--quiet', '--template='], plain);
  const wanted = source.sha ?? source.ref ?? 'HEAD';
  await run(
    ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', source.url, wanted],
    asking,
  ).catch((error: unknown) => {
    throw new ConfigError(`${sourceText(source)} cannot be fetched: ${errorText(error)}`, { cause: error });
  });
  const commit = (await run(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'], plain)).trim();
  if (source.sha !== undefined && commit !== source.sha)
    throw new ConfigError(`${source.url} gave commit ${commit}, and ${source.sha} is wanted. Nothing was taken.`);
  await run(['checkout', '--quiet', '--force', '--detach', commit], plain);
  const inside = source.path === undefined ? folder : path.join(folder, source.path);
  const found = await lookAtFolder({ source: 'directory', path: inside }, place);
  const root = await host.fs.realpath(folder);
  if (!isInside(root, found.folder))
    throw new ConfigError(`${source.path} of ${source.url} is a link that leads out of it.`);
  return { ...found, root, commit };
}

/** One request; whatever redirects is not followed, so that nobody else says what is installed. */
async function fetchList(address: string, { host, work, signal, openWeb, isUsers }: FetchPlace): Promise<Fetched> {
  const url = new URL(address);
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const reach = await openWeb();
  const rules = {
    mayBePrivate: (asked: string, at: number) => reach.rules.mayBePrivate(asked, at) || (isUsers && asked === name),
    whyDenied: (asked: string, at: number) => reach.rules.whyDenied(asked, at),
  };
  try {
    const route = await reach.routeTo(url);
    const isLookedUpElsewhere = route?.proxy != null;
    const lookup = reach.lookup ?? lookUp;
    const { addresses } = await admitAddress(url.hostname, port, { rules, lookup, isLookedUpElsewhere });
    const { status, header, bytes, isWhole } = await sendRequest(
      { url, headers: { accept: 'application/json' } },
      { addresses, route, dial: reach.dial ?? dialAddress, clock: reach.clock },
      { totalMs: WEB_TIMEOUT_MS, maxBytes: MAX_LIST_BYTES },
      signal,
      ({ status: said }) => said === 200,
    );
    if (status >= 300 && status < 400)
      throw new Error(`it redirects to ${header('location').slice(0, 200)}. If that is right, add that address`);
    if (status !== 200) throw new Error(`the status is ${status}`);
    if (!isWhole) throw new Error(`it has more than ${MAX_LIST_BYTES} bytes`);
    const folder = path.join(work, 'list');
    const file = '.claude-plugin/marketplace.json';
    await host.fs.mkdir(path.join(folder, path.dirname(file)));
    await host.fs.writeFileAtomic(path.join(folder, file), bytes);
    const root = await host.fs.realpath(folder);
    return { folder: root, root, file, problems: [] };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ConfigError(`${address} cannot be fetched: ${errorText(error)}`, { cause: error });
  }
}

const WEB_TIMEOUT_MS = 60_000;
/** As of the file that lists plugins. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

async function fetchPackage(source: Extract<PluginSource, { readonly source: 'npm' }>, place: FetchPlace) {
  const { host, env, notFrom, work } = place;
  const { folders } = await findGit(host, env['PATH'] ?? '', notFrom);
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const spec = `${source.package}@${source.version ?? 'latest'}`;
  const words = [
    ...['npm', 'pack', spec, '--ignore-scripts', '--json', '--no-audit', '--no-fund', '--no-update-notifier'],
    ...['--pack-destination', work],
    ...(source.registry === undefined ? [] : ['--registry', source.registry]),
  ];
  const said = await runProgram(
    words,
    work,
    {
      ...variables,
      PATH: folders.join(path.delimiter),
      npm_config_ignore_scripts: 'true',
      npm_config_loglevel: 'error',
    },
    place,
    NPM_TIMEOUT_MS,
  ).catch((error: unknown) => {
    throw new ConfigError(`${spec} cannot be fetched from npm: ${errorText(error)}`, { cause: error });
  });
  const packed = readPacked(said);
  if (packed === null) throw new ConfigError(`npm did not say what it packed of ${spec}.`);
  const folder = path.join(work, 'package');
  await host.fs.mkdir(folder);
  const problems = await unpackPackage(host, path.join(work, packed.file), folder, place.limits);
  const root = await host.fs.realpath(folder);
  return { folder: root, root, version: packed.version, integrity: packed.integrity, problems };
}

/** What `npm pack --json` says of the one package. */
function readPacked(
  text: string,
): { readonly file: string; readonly version: string; readonly integrity: string } | null {
  try {
    const value: unknown = JSON.parse(text.slice(text.indexOf('[') === -1 ? 0 : text.indexOf('[')));
    const first: unknown = Array.isArray(value) ? value[0] : isRecord(value) ? Object.values(value)[0] : null;
    if (!isRecord(first)) return null;
    const { filename, version, integrity } = first;
    if (typeof filename !== 'string' || typeof version !== 'string' || typeof integrity !== 'string') return null;
    return { file: path.basename(filename), version, integrity };
  } catch {
    return null; // no JSON
  }
}

/** What a program says on stdout. @throws Error with what it said of its failure */
async function runProgram(
  command: readonly string[],
  cwd: string,
  env: Record<string, string>,
  { host, signal }: FetchPlace,
  timeoutMs: number,
): Promise<string> {
  const said: Record<'out' | 'err', string> = { out: '', err: '' };
  const decoder = new TextDecoder();
  const keep = (stream: 'out' | 'err', most: number) => (chunk: Uint8Array) => {
    if (said[stream].length < most) said[stream] += decoder.decode(chunk);
  };
  const shell = ['/bin/sh', '-c', `ulimit -f ${MAX_FILE_BLOCKS} 2>/dev/null; exec "$@"`, 'sh'];
  const { exitCode, ended } = await host.exec.run({
    command: host.platform.os === 'win32' ? command : [...shell, ...command],
    cwd,
    env,
    signal,
    timeoutMs,
    onStdout: keep('out', 1024 * 1024),
    onStderr: keep('err', MAX_SAID),
  });
  if (ended === 'timed_out') throw new Error(`it took longer than ${timeoutMs / 1000} seconds`);
  if (ended === 'aborted') throw new Error('it was stopped');
  if (exitCode === 0) return said.out;
  const lines = said.err.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => line !== '').slice(-3);
  throw new Error(telling.length === 0 ? `exit code ${String(exitCode)}` : telling.join(' '));
}

/**
 * Makes a lasting copy of a part of what came.
 * @param inside a path in it; @param added files that take the place of those of their name. @throws ConfigError, FileError
 */
export async function keepFetched(
  host: Host,
  { folder, root, problems }: Pick<Fetched, 'folder' | 'root' | 'problems'>,
  inside: string,
  to: string,
  limits: SnapshotLimits,
  added: (from: string) => Promise<Readonly<Record<string, string>>> = async () => ({}),
): Promise<Snapshot> {
  const from = await host.fs.realpath(path.join(folder, inside)).catch((error: unknown) => {
    if (isFileError(error))
      throw new ConfigError(`It holds no ${inside}, so there is nothing to take.`, { cause: error });
    throw error;
  });
  if (!isInside(root, from)) throw new ConfigError(`${inside} is a link that leads out of it, so it is not taken.`);
  const own = await added(from);
  const writer = openSnapshot(host, to, limits);
  for (const [name, text] of Object.entries(own)) await writer.add(name, new TextEncoder().encode(text), false);
  await copyFolder(host, from, root, writer, Object.keys(own));
  const kept = await writer.finish();
  return { ...kept, problems: [...problems, ...kept.problems] };
}

// Unpacks the archive of an npm package. One rule: it is bounded before it is large, and only files come out of it.

/** Bytes of the archive itself. */
const MAX_PACKED = 64 * 1024 * 1024;
/** Entries of any kind. */
const MAX_ENTRIES = 50_000;

/** @param to absolute, empty. @returns what was left out, and why. @throws ConfigError */
export async function unpackPackage(
  host: Pick<Host, 'fs' | 'sha256'>,
  archive: string,
  to: string,
  limits: SnapshotLimits,
): Promise<readonly string[]> {
  const { size } = await host.fs.stat(archive);
  if (size > MAX_PACKED) throw new ConfigError(`The package has ${size} bytes, which is too much: it is not taken.`);
  const packed = (await host.fs.readFile(archive)) as Uint8Array<ArrayBuffer>;
  const writer = openSnapshot(host, to, limits);
  // Checksums and names of the archive are checked, so that nothing is read out of what is no archive.
  const unpacked = new Blob([packed])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(createTarDecoder({ strict: true }));
  let entries = 0;
  const reader = unpacked.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      entries += 1;
      if (entries > MAX_ENTRIES)
        throw new ConfigError(`The package has more than ${MAX_ENTRIES} entries: it is not taken.`);
      const { header, body } = value;
      // All of a package lies in one folder, whatever that is called.
      const name = header.name.replace(/^\/*(?:\.\/)?[^/]*\//, '');
      const isFile = header.type === undefined || header.type === 'file';
      if (!isFile || name === '') {
        if (!isFile && header.type !== 'directory')
          writer.leaveOut(`${JSON.stringify(header.name).slice(0, 200)} is neither file nor folder`);
        await body.cancel();
        continue;
      }
      if (header.size > writer.room)
        throw new ConfigError(`It has more than ${limits.bytes / 1024 / 1024} MB, so it is not taken.`);
      await writer.add(
        name,
        new Uint8Array(await new Response(body).arrayBuffer()),
        ((header.mode ?? 0) & 0o100) !== 0,
      );
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined); // it failed already
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`The package cannot be unpacked: ${errorText(error)}`, { cause: error });
  }
  return (await writer.finish()).problems;
}
