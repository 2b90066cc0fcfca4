// Which blobs of a session no line of it names. Looked for as text in whole lines: a line that is damaged and still has
// the name in it keeps its blob.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { linesForwards } from './forward-lines.js';
import { entriesOf, type SessionPlace } from './session-places.js';

const HASH = /^[0-9a-f]{64}$/;
const NAMED = /[0-9a-f]{64}/g;

function blobFolder({ ownFolder }: SessionPlace): string {
  return path.join(ownFolder, 'blobs');
}

/** Absolute paths. Contract: reads nothing where there are no blobs. @throws FileError */
export async function unreferencedBlobs(host: Pick<Host, 'fs'>, place: SessionPlace): Promise<readonly string[]> {
  const folder = blobFolder(place);
  const unnamed = new Set<string>();
  for (const { name, kind } of await entriesOf(host, folder)) if (kind === 'file' && HASH.test(name)) unnamed.add(name);
  if (unnamed.size === 0) return [];
  const agents = path.join(place.ownFolder, 'subagents');
  const transcripts = (await entriesOf(host, agents)).filter(
    ({ name, kind }) => kind === 'file' && name.endsWith('.jsonl'),
  );
  for (const file of [place.file, ...transcripts.map(({ name }) => path.join(agents, name))]) {
    await withoutNamed(host, file, unnamed);
    if (unnamed.size === 0) return [];
  }
  return [...unnamed].map((name) => path.join(folder, name));
}

async function withoutNamed({ fs }: Pick<Host, 'fs'>, file: string, names: Set<string>): Promise<void> {
  const decoder = new TextDecoder('latin1');
  const source = await fs.openRead(file);
  try {
    for await (const lines of linesForwards(source, (await source.stat()).size)) {
      for (const line of lines) for (const [name] of decoder.decode(line).matchAll(NAMED)) names.delete(name);
    }
  } finally {
    await source.close();
  }
}
