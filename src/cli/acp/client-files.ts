// The files of this machine as the editor has them: what stands unsaved in a buffer is what the tools read, and what they
// write goes into the buffer. One rule: only what a path led to when it was decided about, and only text; whatever the
// editor does not have is read and written here.

import path from 'node:path';
import { type AgentContext, methods } from '@agentclientprotocol/sdk';
import {
  type AtomicWriteOptions,
  FileError,
  type Host,
  type HostFs,
  type Located,
  type ReadHandle,
} from '../../host/host.js';
import { pathBelow } from '../../host/is-inside.js';

export interface ClientFilesOptions {
  readonly sessionId: string;
  readonly client: () => AgentContext;
  readonly capabilities: { readonly readTextFile?: boolean; readonly writeTextFile?: boolean };
  /** The folders of the workspace, as the client named them. */
  readonly folders: readonly string[];
  /**
   * True if commands are confined. The editor follows names by itself, so a command could lead it out of the sandbox
   * by changing a link at the right moment: then the editor's files are not used.
   */
  readonly isConfined: () => boolean;
  /** Something went another way than the editor might expect. */
  readonly log: (line: string) => void;
}

/** Larger files are read from the disk. Bytes. */
const MAX_TEXT = 10_000_000;

/** The host itself if the client has no files. */
export function withClientFiles(host: Host, options: ClientFilesOptions): Host {
  const { readTextFile, writeTextFile } = options.capabilities;
  if (readTextFile !== true && writeTextFile !== true) return host;
  const fs = clientFs(host.fs, options);
  return { ...host, fs };
}

function clientFs(
  base: HostFs,
  { sessionId, client, capabilities, folders, isConfined, log }: ClientFilesOptions,
): HostFs {
  let roots: Promise<readonly (readonly [real: string, named: string])[]> | null = null;
  const findRoots = () =>
    Promise.all(
      // A folder that is gone has no files.
      folders.map(async (named) => [await base.realpath(named).catch(() => named), named] as const),
    );

  /** What was looked up for a call. Checkpoints look at many files by themselves, and want them as they were saved. */
  const lookedUp = new WeakSet<Located>();

  async function locate(name: string): Promise<Located> {
    const located = await base.locate(name);
    lookedUp.add(located);
    return located;
  }

  /** How the client names a file; null outside the folders that it opened. */
  async function nameFor(located: Located): Promise<string | null> {
    const { realPath } = located;
    if (isConfined() || !lookedUp.has(located)) return null;
    roots ??= findRoots();
    for (const [real, named] of await roots) {
      const inside = pathBelow(real, realPath);
      // The folder itself is no file.
      if (inside) return path.join(named, inside);
    }
    return null;
  }

  async function openLocated(located: Located): Promise<ReadHandle> {
    const handle = await base.openLocated(located);
    try {
      const name = capabilities.readTextFile === true ? await nameFor(located) : null;
      if (name === null) return handle;
      const stat = await handle.stat();
      if (stat.size > MAX_TEXT) return handle;
      const saved = decode(await handle.read(0, stat.size));
      if (saved === null) return handle;
      const buffer = await client()
        .request(methods.client.fs.readTextFile, { sessionId, path: name })
        .catch(() => null);
      // A file that it does not have, or that is as it stands on the disk.
      if (buffer === null || sameText(buffer.content, saved)) return handle;
      await handle.close();
      return bufferHandle(encode(buffer.content, saved), stat);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async function replaceLocated(located: Located, data: Uint8Array | string, options?: AtomicWriteOptions) {
    const text = typeof data === 'string' ? data : decode(data);
    const name = capabilities.writeTextFile === true && text !== null ? await nameFor(located) : null;
    if (name === null || text === null || options?.mode !== undefined)
      return base.replaceLocated(located, data, options);
    await requireSame(located);
    try {
      await client().request(methods.client.fs.writeTextFile, { sessionId, path: name, content: text });
    } catch {
      // It may not have the folder, or not be able to write there: the file is written here, or says why not.
      return base.replaceLocated(located, data, options);
    }
    const now = await base.locate(located.realPath);
    if (now.stat === null || now.stat.ctimeMs === located.stat?.ctimeMs) {
      // In a buffer alone commands would not see it.
      log(`info: the editor did not save ${name}, so it is written to the disk too.`);
      return base.replaceLocated(located, data, options);
    }
    return now.stat;
  }

  /** @throws FileError with ESTALE if something else stands there by now */
  async function requireSame(located: Located): Promise<void> {
    if (located.stat !== null) return (await base.openLocated(located)).close();
    const now = await base.locate(located.realPath);
    const isSame = now.stat === null && now.realPath === located.realPath && isSameFolder(now.above, located.above);
    if (!isSame) throw new FileError('ESTALE', located.path, `Something else stands at ${located.path} by now.`);
  }

  return { ...base, locate, openLocated, replaceLocated };
}

function isSameFolder(now: Located['above'], then: Located['above']): boolean {
  return now?.path === then?.path && now?.stat.inode === then?.stat.inode && now?.stat.device === then?.stat.device;
}

/** Null for what is no text in UTF-8. A mark at its start is kept. */
function decode(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // another encoding: the editor would have to guess it too
  }
}

/** Editors keep line ends and the mark of the encoding apart from the text. */
function sameText(buffer: string, saved: string): boolean {
  return buffer === saved || plain(buffer) === plain(saved);
}

function plain(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** With the line ends and the mark that the file has. */
function encode(buffer: string, saved: string): Uint8Array {
  const isWindows = saved.includes('\r\n') && !buffer.includes('\r\n');
  const text = isWindows ? buffer.replaceAll('\n', '\r\n') : buffer;
  const isMarked = saved.startsWith('\uFEFF') && !text.startsWith('\uFEFF');
  return new TextEncoder().encode(isMarked ? `\uFEFF${text}` : text);
}

function bufferHandle(bytes: Uint8Array, saved: Awaited<ReturnType<ReadHandle['stat']>>): ReadHandle {
  const stat = { ...saved, size: bytes.length };
  return {
    stat: async () => stat,
    read: async (position, length) => bytes.subarray(position, position + length),
    close: async () => undefined,
  };
}
