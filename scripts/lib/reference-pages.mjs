// The pages of docs/reference/: options, limits and variables, each from where it is declared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSource } from './read-source.mjs';
import { listFiles, ROOT } from './setup.mjs';
import { VARIABLES } from './variables.mjs';

const NOTE = 'Written by `npm run reference`; `npm run check` fails if it is out of date.';
/** Begins every name of a variable that is ours alone. */
const OUR_VARIABLE = /['"`]?\b(TURNWRIGHT_[A-Z][A-Z_]*[A-Z])\b/g;

/** @returns the text of each page, and what does not hold */
export async function referencePages(options) {
  const limits = await readLimits();
  const providers = await readProviders();
  const known = [
    ...Object.values(VARIABLES).flatMap((rows) => rows.flatMap(({ names }) => names)),
    ...limits.map(({ variable }) => variable),
  ];
  return {
    pages: {
      'docs/reference/options.md': optionsPage(options),
      'docs/reference/limits.md': limitsPage(limits),
      'docs/reference/variables.md': variablesPage(limits, providers),
    },
    faults: [...limits.flatMap(({ fault }) => fault ?? []), ...variableFaults(known)],
  };
}

function optionsPage(options) {
  const inOrder = [...options].sort((a, b) => a.topicAt - b.topicAt);
  const topics = [...new Set(inOrder.map(({ topic }) => topic))];
  const sections = topics.map((topic) => {
    const rows = options.filter((option) => option.topic === topic);
    return `## ${topic}\n\n${table(['Option', 'Type', 'What it does', 'Default', 'Setting, flags'], rows.map(optionRow))}`;
  });
  return `# Options of \`query()\`

${NOTE} Each option is declared in \`src/sdk/options/declared/\`. Options beat settings and variables, except for managed settings
([settings.md](../settings.md)).

${sections.join('\n')}`;
}

function optionRow({ name, type, wider, about, default: absent, setting, flags, see }) {
  return [
    `\`${name}\``,
    `\`${wider?.type ?? type}\``,
    `${wider?.about ?? about}${more(see)}`,
    absent ?? '',
    [...(setting === undefined ? [] : [setting]), ...flags.map(flagName)].map((each) => `\`${each}\``).join(', '),
  ];
}

function flagName({ name, shown = name, short, takes, optional }) {
  const value = takes ?? optional;
  return `${short === undefined ? '' : `-${short}, `}--${shown}${value === undefined ? '' : ` ${value}`}`;
}

function limitsPage(limits) {
  const rows = limits.map(({ name, default: usual, variable, setting, about }) => [
    `\`${name}\``,
    usual.toLocaleString('en-US'),
    `\`${variable}\``,
    setting === undefined ? '' : `\`retry.${setting}\``,
    about,
  ]);
  return `# Limits

${NOTE} Each is a field of the option \`limits\`, and a variable; some are settings too. The option beats the variable, and that the
setting; managed settings beat all.

${table(['Limit', 'Default', 'Variable', 'Setting', 'What it limits'], rows)}`;
}

function variablesPage(limits, providers) {
  const sections = Object.entries(VARIABLES).map(([topic, variables]) => {
    const rows = variables.map(({ names, about, default: absent, see }) => [
      code(names),
      `${about}${more(see)}`,
      absent ?? '',
    ]);
    return `## ${topic}\n\n${table(['Variable', 'Meaning', 'Default'], rows)}`;
  });
  const limitRows = limits.map(({ name, variable, default: usual }) => [
    `\`${variable}\``,
    `\`${name}\``,
    usual.toLocaleString('en-US'),
  ]);
  const providerRows = providers.map(({ displayName, id, keyVariables, baseUrlVariable }) => [
    `${displayName} (\`${id}\`)`,
    code(keyVariables ?? []),
    baseUrlVariable === undefined ? '' : `\`${baseUrlVariable}\``,
  ]);
  return `# Variables

${NOTE} All but the colours can be given to one session by the option \`env\`. Commands that tools run do not get the keys.

${sections.join('\n')}
## Limits

What each limits: [limits.md](limits.md).

${table(['Variable', 'Limit', 'Default'], limitRows)}
## Providers

The first key that is set counts. More: [models.md](../models.md#keys).

${table(['Provider', 'Key', 'Address'], providerRows)}`;
}

/** With what \`EngineLimits\` says of each. */
async function readLimits() {
  const { LIMITS } = await readSource('src/session/config/limits.ts');
  const source = readFileSync(join(ROOT, 'src/protocol/options.ts'), 'utf8');
  const body = source.slice(source.indexOf('interface EngineLimits {'));
  return Object.entries(LIMITS).map(([name, limit]) => {
    const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+readonly ${name}:`).exec(body)?.[1] ?? '';
    const text = comment.replace(/\s*\n\s*\*\s*/g, ' ').trim();
    const said = /Default ([\d,]+)/.exec(text)?.[1];
    const usual = limit.default.toLocaleString('en-US');
    const fault =
      said === usual ? undefined : `limits.${name}: EngineLimits says ${said} is the default, and it is ${usual}`;
    return { name, ...limit, about: text.replace(/ ?Default [\d,]+\./, '').trim(), fault };
  });
}

async function readProviders() {
  const { KNOWN_PROVIDERS } = await readSource('src/providers/choice/known-providers.ts');
  return KNOWN_PROVIDERS;
}

/** Names that the sources have and no page, and the other way round. */
function variableFaults(known) {
  const sources = listFiles('src', ['.ts']).map((path) => [
    path,
    withoutComments(readFileSync(join(ROOT, path), 'utf8')),
  ]);
  const all = sources.map(([, text]) => text).join('\n');
  const unknown = sources.flatMap(([path, text]) =>
    [...text.matchAll(OUR_VARIABLE)]
      .map(([, name]) => name)
      .filter((name) => !known.includes(name) && name !== 'TURNWRIGHT_SECRET')
      .map((name) => `${path}: ${name} is in no list of scripts/lib/variables.mjs`),
  );
  const unused = known.filter((name) => !all.includes(name) && !name.startsWith('NODE_'));
  return [...new Set(unknown), ...unused.map((name) => `${name} is declared, and nothing in src/ names it`)];
}

function withoutComments(text) {
  return text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
}

function more(see) {
  if (see === undefined) return '';
  const path = see.startsWith('reference/') ? see.slice('reference/'.length) : `../${see}`;
  return ` [More](${path})`;
}

function code(names) {
  return names.map((name) => `\`${name}\``).join(', ');
}

function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
