// Content that is too large for a line of a transcript, or that many lines share: a folder of files named by their
// content. Nothing is written twice, nothing is changed once it is there.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';

/** Belongs to one session: it is deleted with it, and holds what nobody else holds. */
export interface BlobStore {
  /**
   * Keeps the bytes, once. Contract: they are on the disk when this resolves.
   * @returns their SHA-256 in hex, the name under which `get` finds them
   * @throws FileError
   */
  put(bytes: Uint8Array): Promise<string>;
  /** The bytes; null if there are none of that name, or they are not what the name says. */
  get(hash: string): Promise<Uint8Array | null>;
  /** Names of all that is there. */
  list(): Promise<string[]>;
  /** Nothing happens if it is not there. @throws FileError */
  remove(hash: string): Promise<void>;
}

const HASH = /^[0-9a-f]{64}$/;

/** @param folder absolute; made with the first `put` */
export function createBlobStore(host: Pick<Host, 'fs' | 'sha256'>, folder: string): BlobStore {
  const pathOf = (hash: string): string => path.join(folder, hash);
  return {
    async put(bytes) {
      const hash = await host.sha256(bytes);
      try {
        const { kind, size } = await host.fs.lstat(pathOf(hash));
        if (kind === 'file' && size === bytes.length) return hash;
        await host.fs.remove(pathOf(hash)); // what stands there is damaged, or no file
      } catch (error) {
        if (!isFileError(error, 'ENOENT')) throw error;
      }
      try {
        await host.fs.createFile(pathOf(hash), bytes, { mode: 0o600 });
      } catch (error) {
        if (!isFileError(error, 'EEXIST')) throw error; // someone else kept the same bytes just now
      }
      return hash;
    },
    async get(hash) {
      if (!HASH.test(hash)) return null;
      try {
        const bytes = await host.fs.readFile(pathOf(hash));
        return (await host.sha256(bytes)) === hash ? bytes : null;
      } catch (error) {
        if (isFileError(error)) return null;
        throw error;
      }
    },
    async list() {
      try {
        return (await host.fs.readdir(folder)).filter((name) => HASH.test(name));
      } catch (error) {
        if (isFileError(error, 'ENOENT')) return [];
        throw error;
      }
    },
    async remove(hash) {
      if (!HASH.test(hash)) return;
      try {
        await host.fs.remove(pathOf(hash));
      } catch (error) {
        if (!isFileError(error, 'ENOENT')) throw error;
      }
    },
  };
}
