// Links that a search follows although nobody named them: `grep -R` reads what a link in the folder leads to. Found by
// going through the folder, within bounds; beyond them it cannot be told what is read.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { entriesIn } from '../../host/host.js';
import type { TouchedFile } from '../../permissions/permission-call.js';

const MAX_FOLDERS = 4_000;
const MAX_ENTRIES = 60_000;
/** Links that lead out. */
const MAX_LINKS = 100;

/** Blanks and quotes, at which names are split on their way from one program to another. */
const SPLITS = /[\s'"\\]/;

/**
 * The links that lead out of `folder`, as files that are used like it.
 * Contract: never throws for what stands on the disk. `splitsNames`: with a name that is split, what is used is not known.
 */
export async function linksOut(
  folder: string,
  use: Pick<TouchedFile, 'access' | 'reach' | 'by' | 'program'>,
  splitsNames: boolean,
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const found: TouchedFile[] = [];
  let [folders, entries] = [0, 0];
  const top = await fs.realpath(folder).catch(() => folder); // nothing is read of what is not there
  for (let level: readonly string[] = [top]; level.length > 0; ) {
    const next: string[] = [];
    for (const each of level) {
      const inside = await entriesIn(fs, each);
      entries += inside.length;
      if (++folders > MAX_FOLDERS || entries > MAX_ENTRIES || found.length > MAX_LINKS)
        return [...found, { path: null, realPath: null, ...use }];
      for (const { name, kind } of inside) {
        const target = path.join(each, name);
        if (splitsNames && SPLITS.test(name)) return [...found, { path: null, realPath: null, ...use }];
        if (kind === 'directory') next.push(target);
        if (kind !== 'symlink') continue;
        const real = await fs.realpath(target).catch(() => null); // one that leads nowhere is not read
        if (real !== null && real !== top && !real.startsWith(`${top}/`))
          found.push({ path: target, realPath: real, ...use });
      }
    }
    level = next;
  }
  return found;
}
