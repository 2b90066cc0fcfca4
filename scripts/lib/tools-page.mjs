// docs/tools.md: the built-in tools, from their definitions, between what is written by hand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSource } from './read-source.mjs';
import { ROOT } from './setup.mjs';

const PAGE = 'docs/tools.md';
const BEGIN = '<!-- begin: from the definitions, by `npm run reference` -->';
const END = '<!-- end: from the definitions -->';

/** The page with its generated part anew. @throws Error if its marks are gone */
export async function toolsPage() {
  const { listTools } = await readSource('src/sdk/tools/tool-catalogue.ts');
  const text = readFileSync(join(ROOT, PAGE), 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${PAGE} lacks the marks between which the tools stand`);
  const body = (await listTools()).map(section).join('\n\n');
  return { [PAGE]: `${text.slice(0, from + BEGIN.length)}\n\n${body}\n\n${text.slice(to)}` };
}

function section({ name, description, permission, offered, isRare, inputSchema }) {
  const facts = [
    `Permission: ${permission}.`,
    `Offered ${offered === null ? 'always' : `when ${offered}`}.`,
    ...(isRare ? ['Found by search if tools are deferred.'] : []),
  ];
  const { properties = {}, required = [] } = inputSchema;
  const rows = Object.entries(properties).map(
    ([field, schema]) =>
      `| \`${field}\`${required.includes(field) ? '' : '?'} | ${typeOf(schema)} | ${cell(schema.description ?? '')} |`,
  );
  const table =
    rows.length === 0
      ? 'It takes no input.'
      : ['| Input | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
  return `### ${name}\n\n${facts.join(' ')}\n\n${quoted(description)}\n\n${table}`;
}

function typeOf({ type, enum: choices, items, anyOf }) {
  if (choices !== undefined) return cell(choices.map((each) => `\`${each}\``).join(' | '));
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return `list of ${items?.type ?? 'values'}`;
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'JSON');
}

function quoted(text) {
  return text
    .split('\n')
    .map((line) => `> ${line.replaceAll('<', '\\<')}`.trimEnd())
    .join('\n');
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('\n', ' ');
}
