// Unpacks the archive of an npm package. One rule: it is bounded before it is large, and only files come out of it.
import { createTarDecoder } from 'modern-tar';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import { openSnapshot, type SnapshotLimits } from './snapshot.js';

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
