// Makes a line that hides something as short as it can be with the same fault.
import { type Hole, holeOf, type Place, tryLine } from './explore.js';

const MAX_TRIES = 60;

/** Parts of a line: words with the quotes around them, and the signs between commands. */
const PART = /(?:'[^']*'|"[^"]*"|\\.|[^\s;|&()])+|[;|&()]+/g;

async function shrink(hole: Hole, place: Place): Promise<Hole> {
  let best = hole;
  let tries = 0;
  const attempt = async (parts: readonly string[]): Promise<boolean> => {
    if (parts.length === 0 || tries >= MAX_TRIES) return false;
    tries++;
    const line = parts.join(' ');
    const { hidden } = await tryLine(line, place);
    const same = hidden.map((each) => holeOf(line, each, place.fixture)).find(({ kind }) => kind === hole.kind);
    if (same === undefined) return false;
    best = same;
    return true;
  };
  let parts: string[] = hole.line.match(PART) ?? [];
  for (let size = Math.ceil(parts.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < parts.length; ) {
      const fewer = parts.toSpliced(at, size);
      if (await attempt(fewer)) parts = fewer;
      else at += size;
    }
  }
  return best;
}

/** The kind with the options of the line: holes of a program that other options make are others. */
function withOptions(hole: Hole): Hole {
  if (!hole.kind.includes('(rule') && /(?:dir-|link|\bL)[\w-]*\/\.\./.test(hole.line))
    return { ...hole, kind: 'any program, through a link and back' };
  const [program = ''] = hole.kind.split(' ');
  const runs = hole.line.split(/[;|&()\n]|\b(?:do|then)\b/);
  const own = runs.filter((run) => ` ${run.trim()} `.includes(` ${program.replace(/^git-.*/, 'git')} `)).join(' ');
  const options = own.match(/(?<=\s)--?[A-Za-z][\w-]*/g) ?? [];
  const [, verb = ''] = /\bgit (?:-\S+ |-C \S+ )*([a-z][\w-]*)/.exec(own) ?? [];
  const names = options.map((option) => (option.startsWith('--') ? option : option.slice(0, 2)));
  return { ...hole, kind: [hole.kind, ...(verb === '' ? [] : [verb]), ...new Set(names.sort())].join(' ') };
}

/** Lines of one kind that are shrunk; of the rest of a kind with many nothing new is learned. */
const MAX_OF_KIND = 8;

/** For `explore`: the first holes of each kind as short as they can be. */
export function shrinkFirst(): (hole: Hole, tried: unknown, place: Place) => Promise<Hole> {
  const seen = new Map<string, number>();
  return async (hole, _tried, place) => {
    const count = (seen.get(hole.kind) ?? 0) + 1;
    seen.set(hole.kind, count);
    return withOptions(count > MAX_OF_KIND ? hole : await shrink(hole, place));
  };
}
