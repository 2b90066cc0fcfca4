// One search for files by the pattern of their path, ended at its deadline with what was found by then.
import path from 'node:path';
import { type FolderHandle, isFileError, type Located } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { GlobInput, GlobOutput } from '../../protocol/tool-io.js';
import { compileGlob, type GlobPattern } from '../../util/glob-pattern.js';
import { isMagic } from '../../util/posix-path.js';
import { errorText } from '../../util/text.js';
import { planSearch, type SearchPlan } from '../search.js';
import { locateFile, MAX_FILES_SHOWN, MAX_SORTED_BY_TIME, type RipgrepOutcome, runRipgrep } from '../shared/index.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import {
  comparePaths,
  createFirstItems,
  isSurelyBehind,
  locateRoot,
  newestFirst,
  quoteOddName,
  refuseNul,
  searchIn,
  walkArguments,
} from './search-paths.js';

/** Longer patterns are a mistake. */
const MAX_PATTERN_LENGTH = 4_096;

export async function findFiles(
  input: GlobInput,
  context: ToolContext,
  deadlineMs: number,
): Promise<ToolOutcome<GlobOutput>> {
  refuseNul({ pattern: input.pattern, path: input.path });
  const plan = planSearch(input, context.cwd);
  const pattern = compilePattern(input.pattern, plan.rest);
  const located = await locatePlan(plan, context);
  if (located === null) return report([], 0, 'finished', deadlineMs);
  const { files, total, ended } = await searchIn(located, context, (folder) =>
    findIn(folder, { plan, pattern, located, deadlineMs }, context),
  );
  const prefix = plan.root.endsWith('/') ? plan.root : `${plan.root}/`;
  return report(
    files.map((file) => prefix + file),
    total,
    ended,
    deadlineMs,
  );
}

/** The folder to search; null if the pattern names one that is not there. @throws ToolError if `path` is none */
async function locatePlan({ base, root }: SearchPlan, context: ToolContext): Promise<Located | null> {
  const { fs } = context.host;
  // What is searched was decided about; `path`, if it is another folder, is only told of.
  const start = await locateRoot(base, context, root === base ? undefined : () => fs.locate(base));
  if (start.stat.kind === 'file') throw new ToolError(`\`path\` is a file: ${base}. Give a folder, or read the file.`);
  if (root === base) return start;
  try {
    const located = await locateFile(context, root);
    return located.stat?.kind === 'directory' ? located : null;
  } catch (error) {
    if (isFileError(error)) return null; // there is no such folder
    throw error;
  }
}

interface Search {
  readonly plan: SearchPlan;
  readonly pattern: GlobPattern;
  readonly located: Located;
  readonly deadlineMs: number;
}

/** Paths relative to the folder. What is no file there, or is reached through a link that came meanwhile, is left out. */
interface FoundFiles {
  readonly files: readonly string[];
  readonly total: number;
  readonly ended: RipgrepOutcome['ended'];
}

async function findIn(folder: FolderHandle, search: Search, context: ToolContext): Promise<FoundFiles> {
  const { plan, pattern, deadlineMs } = search;
  const hides = await hiddenBelow(search, context);
  // A path without any pattern in it needs no walk, and is found even if it is ignored.
  if (!isMagic(plan.rest) && hides?.(plan.rest) !== true) {
    const [stat] = await folder.lstatAll([plan.rest]);
    if (stat?.kind === 'file' || stat?.kind === 'symlink') return { files: [plan.rest], total: 1, ended: 'finished' };
  }
  // Too many to be dated are shown in order of path, and then no more is kept than is shown.
  let few: string[] = [];
  const found = createFirstItems<string>(MAX_FILES_SHOWN, comparePaths);
  const outcome = await runRipgrep(
    {
      arguments: ['--files', '--null', ...walkArguments(plan.root), ...narrowArguments(pattern)],
      cwd: folder.cwd,
      separator: 'nul',
      deadlineMs,
      // What ripgrep alone decides, and stands behind all that will be shown, is only counted.
      ...(pattern.isNameAlone && hides === null && { passOver: countBehind(found) }),
      onRecord(relative) {
        if (!pattern.matches(relative) || hides?.(relative) === true) return true;
        found.add(relative);
        if (found.total() <= MAX_SORTED_BY_TIME) few.push(relative);
        else few = [];
        return true;
      },
    },
    context,
  );
  if (outcome.exitCode === 2 && outcome.errorText !== '') {
    throw new ToolError(`The search failed: ${outcome.errorText}`);
  }
  const isSorted = found.total() <= MAX_SORTED_BY_TIME;
  const first = isSorted ? few : found.items();
  const stats = await folder.lstatAll(first);
  const files = first.flatMap((path, index) => {
    const stat = stats[index] ?? null;
    return stat?.kind === 'file' ? [{ path, mtimeMs: stat.mtimeMs }] : [];
  });
  const shown = (isSorted ? files.sort(newestFirst) : files).map(({ path }) => path);
  return { files: shown, total: found.total() - (first.length - files.length), ended: outcome.ended };
}

function countBehind(found: ReturnType<typeof createFirstItems<string>>) {
  let bound: string | null = null;
  let boundBytes = new Uint8Array();
  return (bytes: Uint8Array, start: number, end: number): boolean => {
    const latest = found.bound();
    if (latest === null) return false;
    if (latest !== bound) {
      bound = latest;
      boundBytes = new TextEncoder().encode(latest);
    }
    if (!isSurelyBehind(bytes, start, end, boundBytes)) return false;
    found.countBehind();
    return true;
  };
}

/** By the name that the call gives a folder and by that behind its links; null: none. */
async function hiddenBelow(
  { plan, located }: Search,
  context: ToolContext,
): Promise<((file: string) => boolean) | null> {
  const hides = (await context.hiddenFiles?.(plan.root)) ?? null;
  if (hides === null) return null;
  const names = [...new Set([plan.root, located.realPath])];
  return (file) => names.some((folder) => hides(path.join(folder, file)));
}

function compilePattern(given: string, rest: string): GlobPattern {
  if (given.length > MAX_PATTERN_LENGTH) throw new ToolError('The pattern is too long. Give a shorter one.');
  if (given.trim() === '') throw new ToolError('The pattern is empty. Give one such as `**/*.ts`.');
  try {
    return compileGlob(rest);
  } catch (error) {
    throw new ToolError(errorText(error));
  }
}

/** Lets ripgrep leave out early what cannot match. A type filter, not `--glob`: a glob would undo .gitignore. */
function narrowArguments(pattern: GlobPattern): string[] {
  const types = (pattern.lastParts ?? []).flatMap((part) => ['--type-add', `wanted:${part}`]);
  return [
    ...(types.length > 0 ? [...types, '--type', 'wanted'] : []),
    ...(pattern.maxDepth === null ? [] : ['--max-depth', String(pattern.maxDepth)]),
  ];
}

function report(
  files: readonly string[],
  total: number,
  ended: RipgrepOutcome['ended'],
  deadlineMs: number,
): ToolOutcome<GlobOutput> {
  const shown = files.slice(0, MAX_FILES_SHOWN);
  const late = ended === 'deadline';
  const lines = shown.map(quoteOddName);
  if (total === 0) lines.push(late ? 'No files found so far.' : 'No files found.');
  if (total > shown.length) {
    const order = total > MAX_SORTED_BY_TIME ? 'by path' : 'newest first';
    lines.push(`[Truncated: ${shown.length} of ${total} files shown, ${order}. Use a narrower pattern or path.]`);
  }
  if (late) {
    lines.push(`[Stopped after ${deadlineMs} ms: the result is partial. Use a narrower pattern or path.]`);
  }
  const truncated = late || total > shown.length;
  return {
    model: lines.join('\n'),
    data: { files: [...shown], totalMatches: total, ...(truncated && { truncated }) },
  };
}
