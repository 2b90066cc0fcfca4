// Rules: instruction files in a folder `rules`, for every session or, with `paths` in their front matter, for files that
// match. One rule: a pattern is read as it was meant, quoted or not, since such files are written by hand for many programs.
import path from 'node:path';
import { entriesIn, type Host } from '../../host/host.js';
import { compileGlob, type GlobPattern } from '../../util/glob-pattern.js';
import { mapBounded } from '../../util/map-bounded.js';
import { type FrontField, type Problem, readFrontMatter } from '../markdown/index.js';
import type { ExtensionPlace } from '../settings/index.js';

/** Rules of one session. */
export const MAX_RULES = 200;
const MAX_DEPTH = 6;
const READS_AT_ONCE = 8;
const RULE_FILE = /\.(?:md|mdc)$/i;
/** Both are in use. */
const GLOB_FIELDS = ['paths', 'globs'];

export interface RuleFile {
  /** Absolute. */
  readonly file: string;
  readonly scope: ExtensionPlace['scope'];
  /** Absolute: where its patterns start. */
  readonly base: string;
}

export interface PathRule {
  readonly globs: readonly string[];
  readonly patterns: readonly GlobPattern[];
}

/**
 * Every rule file there is: those of the user first, then those of the project from the farthest folder to the nearest,
 * in each by the order of their names. @param cwd what patterns of the user's rules start from
 */
export async function findRuleFiles(
  { fs }: Pick<Host, 'fs'>,
  places: readonly ExtensionPlace[],
  cwd: string,
): Promise<readonly RuleFile[]> {
  const ordered = [...places].reverse().sort((a, b) => Number(a.scope === 'project') - Number(b.scope === 'project'));
  const found = await mapBounded(ordered, READS_AT_ONCE, async ({ scope, folder }) => {
    const base = scope === 'project' ? path.dirname(path.dirname(folder)) : cwd;
    return (await filesBelow(fs, folder, 0)).map((file): RuleFile => ({ file, scope, base }));
  });
  return found.flat().slice(0, MAX_RULES + 1);
}

async function filesBelow(fs: Host['fs'], folder: string, depth: number): Promise<readonly string[]> {
  const sorted = [...(await entriesIn(fs, folder))].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_RULES + 1);
  const nested = await mapBounded(sorted, READS_AT_ONCE, async ({ name, kind }) => {
    if (name.startsWith('.')) return [];
    const file = path.join(folder, name);
    if (kind === 'directory') return depth < MAX_DEPTH ? filesBelow(fs, file, depth + 1) : [];
    return RULE_FILE.test(name) ? [file] : [];
  });
  return nested.flat();
}

export interface ReadRule {
  /** Null: it holds for every file. */
  readonly rule: PathRule | null;
  readonly body: string;
}

export function readRule(text: string): ReadRule | Problem {
  const read = readFrontMatter(text);
  if ('problem' in read) return read;
  const globs = read.fields.filter(({ key }) => GLOB_FIELDS.includes(key)).flatMap(globsOf);
  if (globs.length === 0 || globs.includes('**') || globs.includes('**/*')) return { rule: null, body: read.body };
  try {
    return { rule: { globs, patterns: globs.map((glob) => compileGlob(anywhere(glob))) }, body: read.body };
  } catch (error) {
    if (error instanceof RangeError) return { problem: error.message };
    throw error;
  }
}

/** @param relative with `/` between its parts, as seen from the base of the rule */
export function matchesRule({ patterns }: PathRule, relative: string): boolean {
  return patterns.some((pattern) => pattern.matches(relative));
}

/** A pattern of a name alone means it at any depth, as in .gitignore. */
function anywhere(glob: string): string {
  const own = glob.replace(/^(?:\.?\/)+/, '');
  return glob.includes('/') ? (own.endsWith('/') ? `${own}**` : own) : `**/${own}`;
}

function globsOf({ first, rest }: FrontField): readonly string[] {
  const said = first.replace(/\s+#.*$/, '').trim();
  const items =
    said === ''
      ? rest.flatMap((line) => /^\s*-\s+(.*)$/.exec(line)?.[1] ?? [])
      : splitList(said.startsWith('[') ? [said, ...rest].join(' ').replace(/^\[|\]\s*$/g, '') : said);
  return items.map((item) => unquoted(item.replace(/\s+#.*$/, '').trim())).filter((item) => item !== '');
}

function unquoted(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

/** At commas outside braces. */
function splitList(text: string): string[] {
  const items: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at];
    if (sign === '{') depth++;
    else if (sign === '}') depth--;
    else if (at === text.length || (sign === ',' && depth <= 0)) {
      items.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return items;
}
