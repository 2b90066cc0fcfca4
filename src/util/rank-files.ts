// Which files fit what somebody types behind `@`, the best first. Pure: it is given their list.

export interface ListedFile {
  /** From the working directory, with `/`; of a folder with one at its end. */
  readonly path: string;
  readonly isIgnored: boolean;
}

const NO_MATCH = 99;

/** Each list of files in small letters, as long as the list lives. */
const lowered = new WeakMap<readonly ListedFile[], readonly string[]>();

/**
 * The files that fit a query best. The name of a file counts before the folders it lies in, letters side by side before
 * letters in their order, short paths before long ones; what is ignored comes last.
 */
export function rankFiles(files: readonly ListedFile[], query: string, most: number): readonly ListedFile[] {
  if (query === '') return files.filter((file) => isTopmost(file.path)).slice(0, most);
  let texts = lowered.get(files);
  if (texts === undefined) {
    texts = files.map(({ path }) => path.toLowerCase());
    lowered.set(files, texts);
  }
  const wanted = query.replace(/^\.\//, '').toLowerCase();
  // The best so far, in their order: of twenty thousand that fit, some forty are shown.
  const best: RankedFile[] = [];
  for (let at = 0; at < files.length; at++) {
    const file = files[at] as ListedFile;
    const rank = fileRank(texts[at] as string, wanted);
    if (rank === NO_MATCH) continue;
    const ranked = { file, rank: file.isIgnored ? rank + NO_MATCH : rank };
    if (best.length >= most && byRank(ranked, best.at(-1) as RankedFile) >= 0) continue;
    let place = best.length;
    while (place > 0 && byRank(ranked, best[place - 1] as RankedFile) < 0) place -= 1;
    best.splice(place, 0, ranked);
    if (best.length > most) best.pop();
  }
  return best.map(({ file }) => file);
}

interface RankedFile {
  readonly file: ListedFile;
  readonly rank: number;
}

function byRank(a: RankedFile, b: RankedFile): number {
  return a.rank - b.rank || a.file.path.length - b.file.path.length || (a.file.path < b.file.path ? -1 : 1);
}

function fileRank(path: string, query: string): number {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  const name = path.slice(path.lastIndexOf('/', end - 1) + 1);
  if (query.endsWith('/') && path.startsWith(query)) return path === query ? 0 : 1;
  if (name === query || path === query) return 0;
  if (name.startsWith(query)) return 1;
  if (path.startsWith(query)) return 2;
  if (name.includes(query)) return 3;
  if (path.includes(query)) return 4;
  if (holdsInOrder(name, query)) return 5;
  return holdsInOrder(path, query) ? 6 : NO_MATCH;
}

/** True if the letters stand in the text in this order. */
export function holdsInOrder(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at === -1) return false;
    from = at + letter.length;
  }
  return true;
}

function isTopmost(path: string): boolean {
  const slash = path.indexOf('/');
  return slash === -1 || slash === path.length - 1;
}

/**
 * Files, and behind the first of each folder that folder itself.
 * @param known folders that are listed already; those of these files are added
 */
export function withFolders(names: readonly string[], isIgnored: boolean, known: Set<string>): ListedFile[] {
  const files: ListedFile[] = [];
  for (const name of names) {
    files.push({ path: name, isIgnored });
    for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
      const folder = name.slice(0, end + 1);
      if (known.has(folder)) break;
      known.add(folder);
      files.push({ path: folder, isIgnored });
    }
  }
  return files;
}
