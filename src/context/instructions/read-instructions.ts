// The texts of instruction files, with what they import and the rules beside them: files in a folder `rules`, for every session
// or for files that match. One rule: every file ends in the list or among those left out, with the reason; nobody's file leads to
// what its owner may not show the model.
import path from 'node:path';
import { entriesIn, type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { compileGlob } from '../../util/glob-pattern.js';
import { mapBounded } from '../../util/map-bounded.js';
import { unquoted } from '../../util/text.js';
import { type FrontField, type Problem, readFrontMatter } from '../markdown/index.js';
import type { ExtensionPlace } from '../settings/index.js';
import {
  type InstructionFile,
  type InstructionPlace,
  type InstructionSources,
  type Instructions,
  type LeftOutFile,
  LOCAL_FILES,
  type LoadReason,
  type MemoryType,
  type PathRule,
  PROJECT_FILES,
  type WaitingRule,
} from './instruction-places.js';

/** Bytes of each file that are used, and characters of all. */
const MAX_BYTES = 64 * 1024;
const MAX_TOTAL = 256 * 1024;
/** Files between one that is named here and one that it imports. */
const MAX_DEPTH = 5;
const MAX_IMPORTS = 100;
const INSTRUCTION_NAMES = [...PROJECT_FILES, ...LOCAL_FILES].map((name) => path.basename(name));

export interface ReadRequest {
  readonly host: Pick<Host, 'fs' | 'platform'>;
  /** Absolute. */
  readonly cwd: string;
  /** The working directory and the folders above it in its repository, the nearest first, links resolved. */
  readonly folders: readonly string[];
  readonly sources: Pick<InstructionSources, 'rules' | 'isGranted' | 'excludes'>;
  /** True for a file that rules keep from being read. */
  readonly isHidden?: ((file: string) => boolean) | undefined;
}

/** Contract: never throws for what stands on the disk. A text that stands twice counts once, where it is nearest. */
export async function readInstructions(
  places: readonly InstructionPlace[],
  request: ReadRequest,
): Promise<Instructions> {
  const reader = createReader(request);
  const groups = await Promise.all(places.map((place) => reader.withImports(place, 'session_start')));
  const rules = await reader.rules();
  const own = groups.flat();
  const of = (files: readonly InstructionFile[], ...types: readonly MemoryType[]) =>
    files.filter(({ type }) => types.includes(type));
  const ordered = [
    ...of(own, 'User'),
    ...of(rules.always, 'User'),
    ...of(own, 'Project', 'Local'),
    ...of(rules.always, 'Project'),
    ...of(own, 'Managed'),
  ];
  return {
    files: withinLimits(once(ordered)),
    waiting: rules.waiting,
    leftOut: reader.leftOut,
    folders: request.folders,
  };
}

/** Reads what is there of these places only, for a folder that was come to later. Contract: as `readInstructions`. */
export async function readNested(
  places: readonly InstructionPlace[],
  request: ReadRequest,
): Promise<Pick<Instructions, 'files' | 'leftOut'>> {
  const reader = createReader(request);
  const groups = await Promise.all(places.map((place) => reader.withImports(place, 'nested_traversal')));
  return { files: withinLimits(once(groups.flat())), leftOut: reader.leftOut };
}

function createReader({ host, cwd, folders, sources, isHidden = () => false }: ReadRequest) {
  const top = folders.at(-1) ?? cwd;
  const [own = cwd] = folders;
  const leftOut: LeftOutFile[] = [];
  let imports = 0;
  const { homedir } = host.platform;
  const sourceOf = (file: string, type: MemoryType): string => {
    if (type !== 'User' && type !== 'Managed' && (isInside(top, file) || top === own))
      return path.relative(own, file) || file;
    return isInside(homedir, file) ? `~/${path.relative(homedir, file)}` : file;
  };
  const isExcluded = excludedBy(sources.excludes, homedir);
  const leave = (source: string, why: string, isProblem = true) => void leftOut.push({ source, why, isProblem });

  /** The text, or null with the reason kept. */
  const read = async (file: string, real: string, source: string): Promise<string | null> => {
    if (isHidden(file) || isHidden(real)) {
      leave(source, 'a permission rule keeps it from being read', false);
      return null;
    }
    const handle = await host.fs.openRead(real);
    try {
      const stat = await handle.stat();
      if (stat.kind !== 'file') return null;
      const bytes = await handle.read(0, MAX_BYTES);
      if (bytes.includes(0)) {
        leave(source, 'it is not text');
        return null;
      }
      const text = new TextDecoder().decode(bytes);
      return stat.size > MAX_BYTES
        ? `${text}\n[${path.basename(file)} is longer; the rest was left out. Read the file for it.]`
        : text;
    } finally {
      await handle.close();
    }
  };

  const isOpenTo = (type: MemoryType, real: string) =>
    type === 'User' || type === 'Managed' || sources.isGranted === true || isInside(top, real);

  /** What the file imports, and then the file: it has the last word over that. */
  const withImports = async (
    { file, type }: InstructionPlace,
    reason: LoadReason,
    chain: readonly string[] = [],
  ): Promise<readonly InstructionFile[]> => {
    const source = sourceOf(file, type);
    try {
      const real = await host.fs.realpath(file);
      const isImport = chain.length > 0;
      if (type !== 'Managed' && (isExcluded(file) || isExcluded(real))) {
        leave(source, 'settings leave it out (claudeMdExcludes)', false);
        return [];
      }
      // A repository may bring a link to anything: what it names elsewhere is not sent along unasked.
      if (!isOpenTo(type, real) && (isImport || !INSTRUCTION_NAMES.includes(path.basename(real)))) {
        if (isImport) leave(source, 'it lies outside the repository, and nobody vouches for the folder');
        return isImport
          ? []
          : [
              {
                source,
                file,
                type,
                reason,
                text: `[${path.basename(file)} is a link that leads out of the repository, so it was not read.]`,
              },
            ];
      }
      const text = await read(file, real, source);
      if (text === null || text.trim() === '') return [];
      const parent = chain.at(-1);
      const itself: InstructionFile = { source, file, type, reason, text, ...(parent === undefined ? {} : { parent }) };
      return [...(await importsOf(itself, [...chain, real])), itself];
    } catch (error) {
      if (isFileError(error)) return []; // it is gone, or cannot be read: the session works without
      throw error;
    }
  };

  /** @param chain the real files that led here, the last of them `of` */
  const importsOf = async (of: InstructionFile, chain: readonly string[]): Promise<readonly InstructionFile[]> => {
    const found: InstructionFile[] = [];
    for (const name of importsIn(of.text)) {
      const target = name.startsWith('~/')
        ? path.join(homedir, name.slice(2))
        : path.resolve(path.dirname(of.file), name);
      const stat = await host.fs.stat(target).catch(() => null); // a name without a file is no import
      const asked = `${name} (imported by ${of.source})`;
      if (stat?.kind !== 'file') {
        if (looksLikePath(name)) leave(asked, stat === null ? 'there is no such file' : 'it is not a file', false);
        continue;
      }
      const real = await host.fs.realpath(target).catch(() => target); // gone again: told by the read
      if (chain.includes(real)) leave(asked, 'it is imported in a circle');
      else if (chain.length > MAX_DEPTH) leave(asked, `imports go at most ${MAX_DEPTH} files deep`);
      else if (imports >= MAX_IMPORTS) leave(asked, `at most ${MAX_IMPORTS} files are imported`);
      else {
        imports++;
        found.push(...(await withImports({ file: target, type: of.type }, 'include', chain)));
      }
    }
    return found;
  };

  return {
    leftOut,
    withImports,
    async rules(): Promise<{ readonly always: readonly InstructionFile[]; readonly waiting: readonly WaitingRule[] }> {
      const always: InstructionFile[] = [];
      const waiting: WaitingRule[] = [];
      const files = await findRuleFiles(host, sources.rules ?? [], own);
      if (files.length > MAX_RULES) leave(files[MAX_RULES]?.file ?? '', `at most ${MAX_RULES} rules are read`);
      for (const { file, scope, base } of files.slice(0, MAX_RULES)) {
        const group = await withImports({ file, type: scope === 'user' ? 'User' : 'Project' }, 'session_start');
        const itself = group.at(-1);
        if (itself === undefined) continue;
        const parsed = readRule(itself.text);
        if ('problem' in parsed) leave(itself.source, parsed.problem);
        else if (parsed.body.trim() === '') leave(itself.source, 'it says nothing', false);
        else {
          const { rule } = parsed;
          const text = parsed.body.trim();
          const imported = group.slice(0, -1);
          if (rule === null) always.push(...imported, { ...itself, text });
          else {
            const own: InstructionFile = { ...itself, text, reason: 'path_glob_match', globs: rule.globs };
            waiting.push({ rule, base, files: [...imported, own] });
          }
        }
      }
      return { always, waiting };
    },
  };
}

/** A glob that cannot be read leaves out nothing. */
function excludedBy(globs: readonly string[] = [], homedir: string): (file: string) => boolean {
  const patterns = globs.flatMap((glob) => {
    try {
      return [compileGlob((glob.startsWith('~/') ? path.join(homedir, glob.slice(2)) : glob).replace(/^\//, ''))];
    } catch {
      return []; // more alternatives than anybody means
    }
  });
  return (file) => patterns.some((pattern) => pattern.matches(file.replace(/^\//, '')));
}

/** One of each file; of those that say the same the nearest, and in one folder the first. */
function once(files: readonly InstructionFile[]): readonly InstructionFile[] {
  return files.filter((each, at) => {
    const isNearer = (other: InstructionFile, position: number) =>
      path.dirname(other.file) === path.dirname(each.file) ? position < at : position > at;
    return !files.some(
      (other, position) =>
        position !== at && (other.text === each.text || other.file === each.file) && isNearer(other, position),
    );
  });
}

/** What is nearest is whole; of what there is no room for, that is said in its place. */
function withinLimits(files: readonly InstructionFile[]): readonly InstructionFile[] {
  let total = 0;
  return files
    .toReversed()
    .map((each) => {
      total += each.text.length;
      return total > MAX_TOTAL
        ? { ...each, text: `[${each.source} was left out: nearer ones are long. Read the file.]` }
        : each;
    })
    .toReversed();
}

// What an instruction file imports: `@path` in its prose. Pure. One rule: nothing in code is an import, so a file may
// show one without having it.

/** A fence opens and ends a block of code. */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MENTION = /(?:^|[\s(])@((?:\\ |[^\s`'"<>()[\]{}])+)/g;

/** The paths as they are written, each once, in their order. Whether a file is meant shows when it is looked for. */
function importsIn(text: string): readonly string[] {
  if (!text.includes('@')) return [];
  const found = new Set<string>();
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    for (const [, said = ''] of withoutCode(line).matchAll(MENTION)) {
      const name = said.replaceAll('\\ ', ' ').replace(/[.,;:!?]+$/, '');
      if (name !== '' && !name.includes('\0')) found.add(name);
    }
  }
  return [...found];
}

/** Code within a line is left out: from a run of backquotes to the next one of the same length. Takes linear time. */
function withoutCode(line: string): string {
  if (!line.includes('`')) return line;
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ at: run.index, end: run.index + run[0].length }));
  const closing = new Map<number, number>();
  const closedBy = runs.map(() => -1);
  for (const [index, { at, end }] of [...runs.entries()].reverse()) {
    closedBy[index] = closing.get(end - at) ?? -1;
    closing.set(end - at, index);
  }
  let kept = '';
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const closer = closedBy[index] ?? -1;
    if (closer < 0) continue;
    kept += `${line.slice(from, runs[index]?.at)} `;
    from = runs[closer]?.end ?? line.length;
    index = closer;
  }
  return kept + line.slice(from);
}

/** True for what reads like a path rather than a person or a package: only then is a missing file worth a word. */
function looksLikePath(name: string): boolean {
  return /^[.~/]/.test(name) || /\.(?:md|mdx|txt|mdc)$/i.test(name);
}

/** Rules of one session. */
export const MAX_RULES = 200;
const MAX_RULE_DEPTH = 6;
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
    if (kind === 'directory') return depth < MAX_RULE_DEPTH ? filesBelow(fs, file, depth + 1) : [];
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
