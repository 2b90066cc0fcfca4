// What findings say: in an answer, or in a file as Markdown, as JSON or as plain lines. Nothing is said that is not in them.
import { count } from '../../util/text.js';
import type { FileFact, Finding } from './flow.js';
import type { Facet } from './operands.js';

/** Lines of one finding that an answer shows. */
const MAX_SHOWN = 400;

/** A finding as it stands in an answer. */
export function describe(finding: Finding): string {
  const { title, isChange, text, exitCode, files = [], notes = [] } = finding;
  const said = notes.map((note) => `(${note})`);
  if (isChange === true) return [title, ...said].join('\n');
  if (text !== undefined) {
    const code = exitCode === undefined ? '' : ` (exit code ${exitCode})`;
    return [`${title}${code}:`, ...(text === '' ? ['(nothing)'] : fenced(text)), ...said].join('\n');
  }
  const heading = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`;
  const [only] = files;
  // A single file, or its number of lines, stands behind the title.
  if (files.length === 1 && only?.lines !== undefined) {
    return [`${heading}: ${finding.count ?? describeFile(only)}.`, ...said].join('\n');
  }
  const total = finding.count ?? files.length;
  const list = finding.files === undefined ? [] : (finding.matches?.map(describeMatch) ?? files.map(describeFile));
  const headline = finding.files !== undefined && total === 0 ? 'none found' : total;
  return [`${heading}: ${headline}.`, ...clip(list.map((line) => `- ${line}`)), ...said].join('\n');
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
function linesOf({ files, matches, count: total, text }: Finding, facets: readonly Facet[]): string[] {
  const isWhole = facets.includes('all');
  if (isWhole && text !== undefined) return [text];
  if (isWhole && matches !== undefined) return matches.map(describeMatch);
  const wants = (facet: Facet): boolean => isWhole || facets.includes(facet);
  const counted = total !== undefined && (facets.includes('count') || files === undefined) ? [`Count: ${total}`] : [];
  const [only, ...others] = files ?? [];
  const isTold = wants('path') || (wants('lines') && only?.lines !== undefined);
  if (only === undefined || !isTold) return wants('count') ? counted : [];
  if (others.length > 0)
    return [...[only, ...others].map((file) => (wants('lines') ? describeFile(file) : file.path)), ...counted];
  const lines = wants('lines') && only.lines !== undefined ? [`Lines: ${only.lines}`] : [];
  return [...(wants('path') ? [`Path: ${only.path}`] : []), ...lines, ...counted];
}

function describeFile({ path, lines }: FileFact): string {
  return lines === undefined ? path : `${path} (${count(lines, 'line')})`;
}

function describeMatch({ path, line, text }: { path: string; line: number; text: string }): string {
  return `${path}:${line}: ${text.trim()}`;
}

function clip(lines: readonly string[]): string[] {
  const left = lines.length - MAX_SHOWN;
  return left > 0 ? [...lines.slice(0, MAX_SHOWN), `… ${count(left, 'more line')}`] : [...lines];
}

/** In a fence that is longer than any in the text. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map(([, ticks = '']) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return [fence, ...clip(text.replace(/\n$/, '').split('\n')), fence];
}
