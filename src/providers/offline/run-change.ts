// Steps that change something: create, write, append, replace, run. A file is read before it is edited.

import { alternatives } from './file-query.js';
import { countOf, type Finding } from './findings.js';
import {
  ask,
  askAll,
  type CallResult,
  type Flow,
  failedCall,
  type Situation,
  StepFailure,
  toAbsolute,
} from './flow.js';
import { previousFiles } from './locate.js';
import { readFiles } from './read-file.js';
import { readNumbered, readOutput, readPaths } from './read-results.js';
import { escapePattern } from './recognise-text.js';
import { formatReport } from './report.js';
import { completeFacts } from './run-text.js';
import type { Step, Target } from './step.js';

type StepOf<Type extends Step['type']> = Extract<Step, { type: Type }>;

/** Files one replacement may touch. */
const MAX_EDITED = 20;

export function* runCommand(step: StepOf<'run'>, situation: Situation): Flow<Finding> {
  const { command } = step;
  const description = `Run ${command.replace(/\s+/g, ' ').slice(0, 80)}`;
  const [result] = yield* askAll(situation, `Running ${command.split('\n')[0]}`, [
    { name: 'Bash', input: { command, description } },
  ]);
  const output = result === undefined ? null : readOutput(result.text, result.isError);
  if (result === undefined) throw new StepFailure('Bash gave no result.');
  if (output === null) throw failedCall(result);
  return { step, title: `Output of ${command}`, output: { command, ...output }, notes: [] };
}

export function* runCreate(step: StepOf<'create'>, situation: Situation): Flow<Finding> {
  yield* writeFile(step.path, step.content, situation);
  return {
    step,
    title: step.path,
    change: `Wrote ${step.path} (${sizeOf(step.content)}).`,
    changed: [step.path],
    notes: [],
  };
}

export function* runWrite(step: StepOf<'write'>, situation: Situation): Flow<Finding> {
  const found = yield* completeFacts(step.facets, situation);
  const content = reportOf(found, step, step.path);
  yield* writeFile(step.path, content, situation);
  const change = `Wrote ${step.path} (${sizeOf(content)}).`;
  return { step, title: step.path, change, changed: [step.path], notes: [] };
}

function reportOf(found: readonly Finding[], step: StepOf<'write'> | StepOf<'append'>, path: string): string {
  const content = formatReport(found, step.facets, path);
  if (content === null)
    throw new StepFailure(`No earlier step found what "${step.source}" asks for, so nothing was written.`);
  return content;
}

function sizeOf(content: string): string {
  return countOf(content === '' ? 0 : content.replace(/\n$/, '').split('\n').length, 'line');
}

function* writeFile(path: string, content: string, situation: Situation): Flow<void> {
  const call = { name: 'Write', input: { file_path: toAbsolute(situation, path), content } };
  const [result] = yield* askAll(situation, `Writing ${path}.`, [call]);
  if (result === undefined) throw new StepFailure('Write gave no result.');
  if (!result.isError) return;
  if (!wantsRead(result)) throw failedCall(result);
  // The file is there and must be seen before it is replaced.
  yield* askAll(situation, `Reading ${path} before it is replaced.`, [
    { name: 'Read', input: { file_path: call.input.file_path } },
  ]);
  yield* ask(situation, `Writing ${path}.`, call);
}

function wantsRead(result: CallResult): boolean {
  return /\bread (?:it|the file)\b|has not been read|must (?:be )?read/i.test(result.text);
}

export function* runAppend(step: StepOf<'append'>, situation: Situation): Flow<Finding> {
  const path = onlyPath(step.target, situation);
  const found = step.content === null ? yield* completeFacts(step.facets, situation) : situation.found;
  const content = (step.content ?? reportOf(found, step, path)).replace(/\n$/, '');
  const file_path = toAbsolute(situation, path);
  const [read] = yield* askAll(situation, `Reading ${path}.`, [{ name: 'Read', input: { file_path } }]);
  if (read === undefined || (read.isError && !/not exist|no such|not found|ENOENT/i.test(read.text))) {
    throw read === undefined ? new StepFailure('Read gave no result.') : failedCall(read);
  }
  const lines = read.isError ? [] : (readNumbered(read.text)?.lines ?? situation.recall(file_path, read.turn) ?? null);
  if (lines === null) throw new StepFailure(`What ${path} holds is not known, so nothing was added to it.`);
  if (!read.isError && readNumbered(read.text)?.nextOffset)
    throw new StepFailure(`${path} is too long to add to safely.`);
  if (lines.every((line) => line === '')) {
    yield* writeFile(path, `${content}\n`, situation);
  } else {
    const tail = uniqueTail(lines);
    yield* ask(situation, `Adding to ${path}.`, {
      name: 'Edit',
      input: { file_path, old_string: tail, new_string: `${tail}\n${content}` },
    });
  }
  return {
    step,
    title: path,
    change: `Added ${countOf(content.split('\n').length, 'line')} to ${path}.`,
    changed: [path],
    notes: [],
  };
}

/** The last lines, as many as make them unique in the text. */
function uniqueTail(lines: readonly string[]): string {
  const text = lines.join('\n');
  for (let start = lines.length - 1; start > 0; start--) {
    const tail = lines.slice(start).join('\n');
    if (tail !== '' && text.indexOf(tail) === text.length - tail.length) return tail;
  }
  return text;
}

function onlyPath(target: Target, situation: Situation): string {
  const paths = target.kind === 'paths' ? target.paths : previousFiles(situation).map((file) => file.path);
  const [path] = paths;
  if (path === undefined || paths.length > 1) throw new StepFailure('It is not clear which file is meant. Name one.');
  return path;
}

export function* runReplace(step: StepOf<'replace'>, situation: Situation): Flow<Finding> {
  const oldText = step.oldText ?? situation.found.findLast((finding) => finding.needle !== undefined)?.needle;
  if (oldText === undefined) throw new StepFailure('It is not clear which text is to be replaced. Quote it.');
  if (oldText === step.newText)
    throw new StepFailure('The old and the new text are the same, so there is nothing to replace.');
  const paths = yield* filesToEdit(step.target, oldText, situation);
  const texts = yield* readFiles(paths, null, situation);
  const edits = texts.flatMap((text) => {
    const count = occurrences(text.lines.join('\n'), oldText);
    return count === 0 ? [] : [{ text, count }];
  });
  if (edits.length === 0)
    throw new StepFailure(`${JSON.stringify(oldText)} does not occur in ${paths.join(', ')}, so nothing was changed.`);
  const chosen = step.which === 'first' ? edits.slice(0, 1) : edits;
  const calls = chosen.map(({ text, count }) => ({
    name: 'Edit',
    input: {
      file_path: toAbsolute(situation, text.path),
      ...editOf(text.lines.join('\n'), oldText, step.newText, step.which === 'first' ? 1 : count),
    },
  }));
  const results = yield* askAll(situation, `Replacing in ${chosen.map(({ text }) => text.path).join(', ')}.`, calls);
  return report(
    step,
    chosen.map(({ text, count }) => ({ path: text.path, count: step.which === 'first' ? 1 : count })),
    results,
  );
}

function report(
  step: StepOf<'replace'>,
  edits: readonly { path: string; count: number }[],
  results: readonly CallResult[],
): Finding {
  const done = edits.filter((_, index) => results[index]?.isError === false);
  const failed = results.find((result) => result.isError);
  if (done.length === 0 && failed !== undefined) throw failedCall(failed);
  const change = done.map(({ path, count }) => `Replaced ${countOf(count, 'occurrence')} in ${path}.`).join('\n');
  const notes = results
    .filter((result) => result.isError)
    .map((result) => `Not changed: ${failedCall(result).message}`);
  return { step, title: 'Replacement', change, changed: done.map(({ path }) => path), notes };
}

function* filesToEdit(target: Target, oldText: string, situation: Situation): Flow<string[]> {
  if (target.kind === 'paths') return [...target.paths];
  if (target.kind === 'previous')
    return previousFiles(situation)
      .map((file) => file.path)
      .slice(0, MAX_EDITED);
  const { query } = target;
  const glob = query.globs.length === 0 ? {} : { glob: alternatives(query.globs) };
  const places = query.folders.length === 0 ? [{}] : query.folders.map((path) => ({ path }));
  const calls = places.map((place) => ({
    name: 'Grep',
    input: { pattern: escapePattern(oldText), ...place, ...glob, output_mode: 'files_with_matches' },
  }));
  const results = yield* askAll(situation, `Looking for ${JSON.stringify(oldText)} in ${query.label}.`, calls);
  const paths = results.flatMap((result) => {
    if (result.isError) throw failedCall(result);
    return readPaths(result.text).entries;
  });
  if (paths.length === 0)
    throw new StepFailure(`${JSON.stringify(oldText)} does not occur in ${query.label}, so nothing was changed.`);
  if (paths.length > MAX_EDITED)
    throw new StepFailure(
      `${paths.length} files hold ${JSON.stringify(oldText)}; at most ${MAX_EDITED} are changed at once. Name a folder or a kind of files.`,
    );
  return paths;
}

function occurrences(text: string, part: string): number {
  return part === '' ? 0 : text.split(part).length - 1;
}

/** One of several occurrences is named by the text before it, as much as makes it unique. */
function editOf(text: string, oldText: string, newText: string, count: number): Record<string, unknown> {
  const total = occurrences(text, oldText);
  if (count === total) return { old_string: oldText, new_string: newText, ...(total > 1 ? { replace_all: true } : {}) };
  const at = text.indexOf(oldText);
  const end = at + oldText.length;
  let start = at;
  while (start > 0 && occurrences(text, text.slice(start, end)) > 1) start = text.lastIndexOf('\n', start - 2) + 1;
  let after = end;
  while (occurrences(text, text.slice(start, after)) > 1 && after < text.length) after += 1;
  return { old_string: text.slice(start, after), new_string: text.slice(start, at) + newText + text.slice(end, after) };
}
