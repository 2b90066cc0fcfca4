// Which blobs of a session no line of it names. Looked for as text, whatever stands around it: a line that is damaged and
// still has the name in it keeps its blob.
import path from 'node:path';
import { entriesIn } from '../../host/entries-in.js';
import type { Host } from '../../host/host.js';
import type { SessionPlace } from './session-places.js';

const HASH = /^[0-9a-f]{64}$/;
const NAMED = /[0-9a-f]{64}/g;
const CHUNK_BYTES = 1024 * 1024;
const OVERLAP_BYTES = 128;

function blobFolder({ ownFolder }: SessionPlace): string {
  return path.join(ownFolder, 'blobs');
}

/** Absolute paths. Contract: reads nothing where there are no blobs. @throws FileError */
export async function unreferencedBlobs(host: Pick<Host, 'fs'>, place: SessionPlace): Promise<readonly string[]> {
  const folder = blobFolder(place);
  const unnamed = new Set<string>();
  for (const { name, kind } of await entriesIn(host.fs, folder))
    if (kind === 'file' && HASH.test(name)) unnamed.add(name);
  if (unnamed.size === 0) return [];
  const agents = path.join(place.ownFolder, 'subagents');
  const transcripts = (await entriesIn(host.fs, agents)).filter(
    ({ name, kind }) => kind === 'file' && name.endsWith('.jsonl'),
  );
  for (const file of [place.file, ...transcripts.map(({ name }) => path.join(agents, name))]) {
    await withoutNamed(host, file, unnamed);
    if (unnamed.size === 0) return [];
  }
  return [...unnamed].map((name) => path.join(folder, name));
}

/** Looked at piece by piece; the pieces overlap by more than a name. */
async function withoutNamed({ fs }: Pick<Host, 'fs'>, file: string, names: Set<string>): Promise<void> {
  const decoder = new TextDecoder('latin1');
  const source = await fs.openRead(file);
  try {
    const { size } = await source.stat();
    for (let at = 0; at < size && names.size > 0; at += CHUNK_BYTES) {
      const piece = await source.read(Math.max(0, at - OVERLAP_BYTES), CHUNK_BYTES + OVERLAP_BYTES);
      for (const [name] of decoder.decode(piece).matchAll(NAMED)) names.delete(name);
    }
  } finally {
    await source.close();
  }
}
