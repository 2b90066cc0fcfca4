// Which file is meant: a name that is not in the working directory, or "it".
import { type FileFact, factOf, lastFiles } from './findings.js';
import { askAll, type CallResult, type Flow, failedCall, type Situation, StepFailure, toRelative } from './flow.js';
import { readPaths } from './read-results.js';

/** The one file a bare name can mean where it is not in the working directory. @throws StepFailure otherwise */
export function* locate(path: string, failed: CallResult, situation: Situation): Flow<string> {
  const missing = /not exist|no such|not found|ENOENT|cannot find/i.test(failed.text);
  if (!missing || path.includes('/') || !situation.tools.has('Glob')) throw failedCall(failed);
  const pattern = /\./.test(path) ? `**/${path}` : `**/${path}{,.*}`;
  const [result] = yield* askAll(situation, `${path} is not in the working directory; looking for it below.`, [
    { name: 'Glob', input: { pattern } },
  ]);
  const paths =
    result === undefined || result.isError
      ? []
      : readPaths(result.text).entries.map((entry) => toRelative(situation, entry));
  const top = paths.filter((entry) => !entry.includes('/'));
  const only = paths.length === 1 ? paths[0] : top.length === 1 ? top[0] : undefined;
  if (only !== undefined) return only;
  if (paths.length === 0) throw failedCall(failed);
  throw new StepFailure(`Several files are called ${path}: ${paths.slice(0, 10).join(', ')}. Say which one.`);
}

/** @throws StepFailure where nothing was found before that "it" could mean */
export function previousFiles(situation: Situation, prefer: 'any' | 'looked' = 'any'): readonly FileFact[] {
  const files = lastFiles(situation.found, prefer);
  if (files === null) throw new StepFailure('It is not clear which file is meant. Name it.');
  if (files.length === 0) throw new StepFailure('The step before found no file, so there is nothing to go on with.');
  const texts = new Map(
    situation.found.flatMap((finding) => finding.texts ?? []).map((text) => [text.path, factOf(text)]),
  );
  return files.map((file) => ({ ...texts.get(file.path), ...file }));
}
