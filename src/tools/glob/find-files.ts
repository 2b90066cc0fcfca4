// One search for files by the pattern of their path, ended at its deadline with what was found by then.
import path from 'node:path';
import { isFileError } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { GlobInput, GlobOutput } from '../../protocol/tool-io.js';
import { compileGlob, type GlobPattern } from '../../util/glob-pattern.js';
import { isMagic } from '../../util/glob-root.js';
import { errorText } from '../../util/text.js';
import { type RipgrepOutcome, runRipgrep } from '../ripgrep.js';
import { MAX_FILES_SHOWN, MAX_SORTED_BY_TIME } from '../search-limits.js';
import {
  checkRoot,
  comparePaths,
  createFirstItems,
  quoteOddName,
  refuseNul,
  sortNewestFirst,
  walkArguments,
} from '../search-paths.js';
import type { ToolContext, ToolOutcome } from '../tool.js';
import { planSearch, type SearchPlan } from './plan-search.js';

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
  if ((await checkRoot(plan.base, context)) === 'file') {
    throw new ToolError(`\`path\` is a file: ${plan.base}. Give a folder, or read the file.`);
  }
  const hides = (await context.hiddenFiles?.(plan.root)) ?? null;
  const plainFile = await findPlainFile(plan, context);
  if (plainFile !== null) {
    const found = hides?.(plainFile) === true ? [] : [plainFile];
    return report(found, found.length, 'finished', deadlineMs);
  }
  if (plan.root !== plan.base && !(await isFolder(plan.root, context))) return report([], 0, 'finished', deadlineMs);

  const prefix = plan.root.endsWith('/') ? plan.root : `${plan.root}/`;
  const found = createFirstItems<string>(MAX_SORTED_BY_TIME, comparePaths);
  const outcome = await runRipgrep(
    {
      arguments: ['--files', '--null', ...walkArguments(plan.root), ...narrowArguments(pattern), '--', './'],
      cwd: plan.root,
      separator: 'nul',
      deadlineMs,
      onRecord(record) {
        const relative = record.startsWith('./') ? record.slice(2) : record;
        if (pattern.matches(relative) && !(hides?.(prefix + relative) ?? false)) found.add(prefix + relative);
        return true;
      },
    },
    context,
  );
  if (outcome.exitCode === 2 && outcome.errorText !== '') {
    throw new ToolError(`The search failed: ${outcome.errorText}`);
  }
  const inOrder = found.items();
  const files = found.total() <= MAX_SORTED_BY_TIME ? await sortNewestFirst(inOrder, context) : inOrder;
  return report(files, found.total(), outcome.ended, deadlineMs);
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

/** A path without any pattern in it needs no walk, and is found even where it is ignored. */
async function findPlainFile(plan: SearchPlan, context: ToolContext): Promise<string | null> {
  if (isMagic(plan.rest)) return null;
  const file = path.join(plan.root, plan.rest);
  return (await readKind(file, context)) === 'file' ? file : null;
}

async function isFolder(file: string, context: ToolContext): Promise<boolean> {
  return (await readKind(file, context)) === 'directory';
}

async function readKind(file: string, context: ToolContext): Promise<string | null> {
  try {
    return (await context.host.fs.stat(file)).kind;
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
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
