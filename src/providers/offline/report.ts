// What goes into a file or an answer: earlier findings as Markdown, plain text or JSON. Facts only, nothing made up.
import { type FileFact, type Finding, lastFiles } from './findings.js';
import type { Facet } from './step.js';

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
  /** The content itself, to be copied as it is where nothing else is written. */
  readonly raw?: string;
}

/** The content of a file at `path` with what `facets` ask for, or null where no finding has it. */
export function formatReport(found: readonly Finding[], facets: readonly Facet[], path: string): string | null {
  const sections = sectionsFor(found, facets);
  if (sections.length === 0) return null;
  if (/\.json$/i.test(path)) return `${JSON.stringify(asData(found, facets), null, 2)}\n`;
  const [only] = sections;
  const markdown = /\.(?:md|markdown|mdx)$/i.test(path);
  if (sections.length === 1 && only?.raw !== undefined) return endWithBreak(only.raw);
  if (!markdown) return endWithBreak(sections.map((section) => section.lines.map(plain).join('\n')).join('\n\n'));
  return endWithBreak(
    sections
      .map(
        (section) =>
          `# ${section.title.slice(0, 1).toUpperCase()}${section.title.slice(1)}\n\n${section.lines.join('\n')}`,
      )
      .join('\n\n'),
  );
}

/** The same for an answer, without headings. Empty where no finding has it. */
export function formatPlain(found: readonly Finding[], facets: readonly Facet[]): string {
  return sectionsFor(found, facets)
    .map((section) => section.lines.join('\n'))
    .join('\n\n');
}

function endWithBreak(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function plain(line: string): string {
  return line.replace(/^- /, '');
}

function sectionsFor(found: readonly Finding[], facets: readonly Facet[]): Section[] {
  if (facets.includes('all')) return unsaved(found).map(wholeSection);
  if (facets.includes('it')) {
    const last = found.findLast(hasData);
    return last === undefined ? [] : [wholeSection(last)];
  }
  const sections: Section[] = [];
  if (facets.some((facet) => facet === 'paths' || facet === 'lines' || facet === 'bytes'))
    sections.push(...fileSection(found, facets));
  if (facets.includes('count')) sections.push(...countSection(found, sections.length > 0));
  if (facets.includes('matches')) sections.push(...pick(found, (finding) => finding.matches !== undefined));
  if (facets.includes('summary')) sections.push(...pick(found, (finding) => finding.summary !== undefined));
  if (facets.includes('output')) sections.push(...pick(found, (finding) => finding.output !== undefined, true));
  if (facets.includes('text')) sections.push(...pick(found, (finding) => finding.texts !== undefined, true));
  return sections;
}

/** Findings since the last write. */
function unsaved(found: readonly Finding[]): Finding[] {
  const start = found.findLastIndex((finding) => finding.step.type === 'write') + 1;
  return found.slice(start).filter(hasData);
}

function hasData(finding: Finding): boolean {
  return finding.change === undefined && finding.told === undefined;
}

/** The last finding of a kind; for an answer to "the output" anything else that was just found will do. */
function pick(found: readonly Finding[], has: (finding: Finding) => boolean, orLast = false): Section[] {
  const finding = found.findLast(has) ?? (orLast ? found.findLast(hasData) : undefined);
  return finding === undefined ? [] : [wholeSection(finding)];
}

function fileSection(found: readonly Finding[], facets: readonly Facet[]): Section[] {
  const files = lastFiles(found, 'looked');
  if (files === null || files.length === 0) return [];
  const source = found.findLast((finding) => finding.change === undefined && lastFiles([finding]) !== null);
  const title = source === undefined ? 'Files' : source.title;
  const [only] = files;
  if (files.length > 1 || only === undefined)
    return [{ title, lines: files.map((file) => `- ${describeFile(file, facets)}`) }];
  const lines = [
    ...(facets.includes('paths') || facets.length === 0 ? [`- Path: ${only.path}`] : []),
    ...(facets.includes('lines') && only.lines !== undefined ? [`- Lines: ${only.lines}`] : []),
    ...(facets.includes('bytes') && only.bytes !== undefined ? [`- Size: ${only.bytes} bytes`] : []),
  ];
  return lines.length === 0 ? [] : [{ title, lines }];
}

function countSection(found: readonly Finding[], follows: boolean): Section[] {
  const finding = found.findLast((candidate) => candidate.count !== undefined);
  const files = lastFiles(found, 'looked');
  const value = finding?.count?.value ?? files?.length;
  if (value === undefined) return [];
  return [{ title: follows ? 'Count' : (finding?.title ?? 'Count'), lines: [`- Count: ${value}`] }];
}

/** One file with what is known of it, or with the facets asked for. */
export function describeFile(file: FileFact, facets: readonly Facet[] = ['lines', 'bytes']): string {
  const facts = [
    ...(facets.includes('lines') && file.lines !== undefined
      ? [`${file.lines} ${file.lines === 1 ? 'line' : 'lines'}`]
      : []),
    ...(facets.includes('bytes') && file.bytes !== undefined ? [`${file.bytes} bytes`] : []),
  ];
  return facts.length === 0 ? file.path : `${file.path} (${facts.join(', ')})`;
}

function wholeSection(finding: Finding): Section {
  const { title } = finding;
  const notes = finding.notes.map((note) => `- Note: ${note}`);
  if (finding.summary !== undefined) return { title, lines: [...finding.summary.split('\n'), ...notes] };
  if (finding.output !== undefined) {
    const { text, exitCode } = finding.output;
    return { title, lines: [`- Exit code: ${exitCode}`, '', ...fenced(text)], raw: endWithBreak(text) };
  }
  if (finding.texts !== undefined) {
    const [only] = finding.texts;
    if (finding.texts.length === 1 && only !== undefined)
      return { title, lines: fenced(only.lines.join('\n')), raw: endWithBreak(only.lines.join('\n')) };
    return {
      title,
      lines: finding.texts.flatMap((text) => [`- ${text.path}`, '', ...fenced(text.lines.join('\n')), '']),
    };
  }
  if (finding.matches !== undefined) {
    const matches = finding.matches.map((match) => `- ${match.path}:${match.line}: ${match.text.trim()}`);
    return { title, lines: [...(matches.length === 0 ? ['- No matches'] : matches), ...notes] };
  }
  return { title, lines: [...listLines(finding), ...notes] };
}

function listLines(finding: Finding): string[] {
  const { files, count, step } = finding;
  if (step.type === 'count_files' || (step.type === 'search' && step.show === 'count'))
    return [`- Count: ${count?.value ?? 0}`];
  const [only] = files ?? [];
  if (files !== undefined && files.length === 1 && only !== undefined)
    return fileSection([finding], ['paths', 'lines', 'bytes']).flatMap((section) => [...section.lines]);
  const lines = (files ?? []).map((file) => `- ${describeFile(file)}`);
  const total = step.type === 'count_lines' && count !== undefined ? [`- Total: ${count.value} lines`] : [];
  return lines.length === 0 ? ['- None found'] : [...lines, ...total];
}

/** A fence longer than any in the text. */
export function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map((match) => match[1]?.length ?? 0));
  const fence = '`'.repeat(longest + 1);
  return [fence, ...(text === '' ? [] : text.replace(/\n$/, '').split('\n')), fence];
}

/** Findings as data, for .json files. */
function asData(found: readonly Finding[], facets: readonly Facet[]): unknown {
  const chosen = facets.includes('all')
    ? unsaved(found)
    : [found.findLast(hasData)].filter((finding) => finding !== undefined);
  const data = chosen.map((finding) => ({
    title: finding.title,
    ...(finding.files === undefined ? {} : { files: finding.files }),
    ...(finding.count === undefined ? {} : { count: finding.count.value }),
    ...(finding.matches === undefined ? {} : { matches: finding.matches }),
    ...(finding.summary === undefined ? {} : { summary: finding.summary }),
    ...(finding.output === undefined ? {} : { output: finding.output }),
    ...(finding.texts === undefined
      ? {}
      : { texts: finding.texts.map((text) => ({ path: text.path, text: text.lines.join('\n') })) }),
  }));
  return data.length === 1 ? data[0] : data;
}
