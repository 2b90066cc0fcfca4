// An extractive summary: what a file says of itself, picked out, never rephrased. It says that it is extractive.
import { countOf, type TextFact } from './findings.js';

const MAX_HEADINGS = 15;
const MAX_NAMES = 20;
const MAX_SENTENCE_CHARACTERS = 400;

const DECLARATION =
  /^(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+|public\s+|abstract\s+|async\s+|declare\s+)*(?:function\*?|class|interface|type|enum|const|def|fn|func|struct|trait|module)\s+([A-Za-z_$][\w$]*)/;

export function summariseText(text: TextFact): string {
  const { path, lines } = text;
  const facts = [`${path}, extractive summary (picked from the file, not written by a language model):`];
  const size = `${countOf(lines.length, 'line')}${text.whole ? '' : ' read; the file goes on'}`;
  facts.push(`- Size: ${size}, ${countOf(lines.filter((line) => line.trim() === '').length, 'blank line')}`);
  if (lines.every((line) => line.trim() === '')) return [...facts, '- The file has no text.'].join('\n');
  return [...facts, ...describe(path, lines)].join('\n');
}

function describe(path: string, lines: readonly string[]): string[] {
  if (/\.jsonc?$/i.test(path)) return describeJson(lines);
  if (/\.(?:md|markdown|mdx|rst|adoc|txt)$/i.test(path) || !/\.\w+$/.test(path)) return describeProse(lines);
  return describeCode(lines);
}

function describeProse(lines: readonly string[]): string[] {
  const prose = withoutFences(lines);
  const headings = prose.flatMap((line) => {
    const match = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ depth: match[1].length, text: match[2] }];
  });
  const title = headings.find((heading) => heading.depth === 1)?.text;
  const rest = headings.filter((heading) => heading.text !== title).map((heading) => heading.text);
  const opening = sentences(firstParagraph(prose), 2);
  return [
    ...(title === undefined ? [] : [`- Title: ${title}`]),
    ...(opening === '' ? [] : [`- Begins: ${opening}`]),
    ...(rest.length === 0 ? [] : [`- Sections: ${listed(rest, MAX_HEADINGS)}`]),
  ];
}

function withoutFences(lines: readonly string[]): string[] {
  let fenced = false;
  return lines.filter((line) => {
    const mark = /^\s*(?:```|~~~)/.test(line);
    if (mark) fenced = !fenced;
    return !mark && !fenced;
  });
}

function firstParagraph(lines: readonly string[]): string {
  const start = lines.findIndex(
    (line) =>
      /^\s*[\p{L}\p{N}"'*_([`]/u.test(line) && !/^\s*(?:[-*+]|\d+\.)\s|^\s*\[!?\[|^\s*!\[|^#|^\s*-{3,}/.test(line),
  );
  if (start < 0) return '';
  const after = lines.slice(start);
  const end = after.findIndex((line) => line.trim() === '' || line.startsWith('#'));
  return after
    .slice(0, end < 0 ? 12 : end)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function sentences(text: string, count: number): string {
  const found = text.match(/[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*\s*/g) ?? [];
  const picked = found.slice(0, count).join('').trim();
  return picked.length > MAX_SENTENCE_CHARACTERS ? `${picked.slice(0, MAX_SENTENCE_CHARACTERS)}…` : picked;
}

function describeCode(lines: readonly string[]): string[] {
  const comment = openingComment(lines);
  const names = [...new Set(lines.flatMap((line) => DECLARATION.exec(line)?.[1] ?? []))];
  return [
    ...(comment === '' ? [] : [`- Opening comment: ${comment}`]),
    ...(names.length === 0 ? [] : [`- Declares: ${listed(names, MAX_NAMES)}`]),
  ];
}

function openingComment(lines: readonly string[]): string {
  const start = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#!'));
  const text: string[] = [];
  for (const line of lines.slice(Math.max(0, start), start + 12)) {
    const match = /^\s*(?:\/\/+|#+|\/\*+|\*+(?!\/)|"""|--|<!--)\s?(.*?)\s*(?:\*\/|"""|-->)?$/.exec(line);
    if (match === null) break;
    text.push(match[1] ?? '');
  }
  return sentences(text.join(' ').replace(/\s+/g, ' ').trim(), 2);
}

function describeJson(lines: readonly string[]): string[] {
  try {
    const value: unknown = JSON.parse(lines.join('\n'));
    if (Array.isArray(value)) return [`- A JSON array of ${countOf(value.length, 'item')}`];
    if (typeof value !== 'object' || value === null) return ['- A single JSON value'];
    const entries = Object.entries(value);
    const plain = entries.filter(([, held]) => typeof held === 'string' || typeof held === 'number').slice(0, 5);
    return [
      `- JSON with the keys: ${listed(
        entries.map(([key]) => key),
        MAX_NAMES,
      )}`,
      ...plain.map(([key, held]) => `- ${key}: ${String(held).slice(0, 120)}`),
    ];
  } catch {
    // JSON with comments, or only a part of it: its text says nothing about its shape.
    return ['- Not plain JSON, so its keys were not read.'];
  }
}

function listed(items: readonly string[], limit: number): string {
  const more = items.length - limit;
  return `${items.slice(0, limit).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
