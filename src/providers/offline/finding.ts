// What a job found out or did, and how that is told: in an answer, or in a file as Markdown, as JSON or as plain lines.
// Nothing is said that is not in the finding.
import { count } from '../../util/text.js';
import type { Facet } from './grammar.js';

/** A file, or a line of one that was searched for. */
export interface FileFact {
  /** Relative to the working directory if it lies in it. */
  readonly path: string;
  /** How many it has. */
  readonly lines?: number;
  /** One line of it, with its number. */
  readonly text?: string;
  readonly line?: number;
}

/** All of it comes from tool results. */
export interface Finding {
  /** For people: `Largest TypeScript file in src, by line count`; of a change the whole sentence. */
  readonly title: string;
  readonly isChange?: true;
  readonly files?: readonly FileFact[];
  /** The number of files, matches or lines that the job was to find. */
  readonly count?: number;
  /** The lines of all files together. */
  readonly lines?: number;
  /** The content of files, or the output of a command. */
  readonly text?: string;
  readonly exitCode?: number;
  /** What the tools say they did not show. */
  readonly notes?: readonly string[];
}

/** Lines of one finding that an answer shows. */
const MAX_SHOWN = 400;

/** A finding as it stands in an answer. */
export function describe({ title, isChange, files, count: counted, text, exitCode, notes = [] }: Finding): string {
  const told = (...lines: string[]) => [...lines, ...notes.map((note) => `(${note})`)].join('\n');
  if (isChange === true) return told(title);
  if (text !== undefined) {
    const code = exitCode === undefined ? '' : ` (exit code ${exitCode})`;
    return told(`${title}${code}:`, ...(text === '' ? ['(nothing)'] : fenced(text)));
  }
  const heading = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`;
  const [only] = files ?? [];
  // A single file, or its number of lines, stands behind the title.
  if (files?.length === 1 && only?.lines !== undefined) return told(`${heading}: ${counted ?? describeFile(only)}.`);
  const total = counted ?? files?.length ?? 0;
  const list = files?.map((file) => `- ${describeFile(file)}`) ?? [];
  return told(`${heading}: ${files !== undefined && total === 0 ? 'none found' : total}.`, ...clip(list));
}

/** The content of a file at `path`; null if what was found last does not say what is asked for. */
export function reportOf(found: readonly Finding[], facets: readonly Facet[], path: string): string | null {
  const data = found.findLast((finding) => finding.isChange !== true);
  const lines = data === undefined ? [] : linesOf(data, facets);
  if (data === undefined || lines.length === 0) return null;
  if (data.text !== undefined) return `${data.text.replace(/\n$/, '')}\n`;
  if (/\.json$/i.test(path)) return `${JSON.stringify(data, null, 2)}\n`;
  const all = [...lines, ...(data.notes ?? []).map((note) => `Note: ${note}`)];
  const isMarkdown = /\.(?:md|markdown)$/i.test(path);
  return `${isMarkdown ? `# ${data.title}\n\n- ${all.join('\n- ')}` : all.join('\n')}\n`;
}

/** A finding as lines, or what `facets` name of it. */
function linesOf({ files, count: total, text }: Finding, facets: readonly Facet[]): readonly string[] {
  const isWhole = facets.includes('all');
  if (isWhole && text !== undefined) return [text];
  const wants = (facet: Facet): boolean => isWhole || facets.includes(facet);
  const lines = (files ?? []).flatMap((file) => {
    if (wants('path')) return wants('lines') ? describeFile(file) : file.path;
    return wants('lines') && file.lines !== undefined ? count(file.lines, 'line') : [];
  });
  const isCounted = facets.includes('count') || (isWhole && files === undefined);
  return [...new Set(lines), ...(isCounted && total !== undefined ? [`Count: ${total}`] : [])];
}

/** Each once. */
export function pathsOf(files: readonly FileFact[]): readonly string[] {
  return [...new Set(files.map(({ path }) => path))];
}

function describeFile({ path, lines, line, text }: FileFact): string {
  if (text !== undefined) return `${path}:${line}: ${text.trim()}`;
  return lines === undefined ? path : `${path} (${count(lines, 'line')})`;
}

function clip(lines: readonly string[]): string[] {
  const left = lines.length - MAX_SHOWN;
  return left > 0 ? [...lines.slice(0, MAX_SHOWN), `… ${count(left, 'more line')}`] : [...lines];
}

/** In a fence that the text does not end. */
function fenced(text: string): string[] {
  const [longest = '``'] = (text.match(/`{3,}/g) ?? []).toSorted((a, b) => b.length - a.length);
  return [`${longest}\``, ...clip(text.replace(/\n$/, '').split('\n')), `${longest}\``];
}
