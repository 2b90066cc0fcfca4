// Links that a search follows although nobody named them: `grep -R` reads what a link in the folder leads to. Found by
// going through the folder, within bounds; beyond them it cannot be told what is read.
import path from 'node:path';
import { entriesIn } from '../host/entries-in.js';
import type { Host } from '../host/host.js';
import type { TouchedFile } from '../permissions/permission-call.js';
import type { ProgramRun } from '../permissions/shell/command-reading.js';

const MAX_FOLDERS = 4_000;
const MAX_ENTRIES = 60_000;
/** Links that lead out. */
const MAX_LINKS = 100;

const FOLLOWING: ReadonlyMap<string, RegExp> = new Map([
  ['grep', /^(?:-[a-zA-Z]*R|--dereference-r)/],
  ['egrep', /^(?:-[a-zA-Z]*R|--dereference-r)/],
  ['fgrep', /^(?:-[a-zA-Z]*R|--dereference-r)/],
  ['rg', /^(?:-[a-zA-Z]*L|--follow)/],
  ['ag', /^(?:-[a-zA-Z]*f|--follow)/],
  ['diff', /^(?:-[a-zA-Z]*r|--rec)/],
  ['cp', /^(?:-[a-zA-Z]*L|--deref)/],
  ['rsync', /^(?:-[a-zA-Z]*L|--copy-l)/],
  ['tar', /^(?:-[a-zA-Z]*h|--deref)/],
  ['zip', /^-[a-zA-Z]*r/],
]);
/** With these it goes by the links themselves. */
const STAYS = /^(?:--no-deref|-[a-zA-Z]*y$|--symlinks)/;

/** True where the program goes through folders and follows links in them. */
export function followsLinks({ name, words }: ProgramRun): boolean {
  const flag = FOLLOWING.get(name ?? '');
  if (flag === undefined) return false;
  const isSaid = words.slice(1).some((word) => word !== null && flag.test(word));
  return isSaid && !words.some((word) => word !== null && STAYS.test(word));
}

/** The links that lead out of `folder`, as files that are read. Contract: never throws for what stands on the disk. */
export async function linksOut(
  folder: string,
  program: string | null,
  fs: Host['fs'],
): Promise<readonly TouchedFile[]> {
  const use = { access: 'read', reach: 'itself', by: 'operand', program } as const;
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
