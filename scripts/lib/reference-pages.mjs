// The pages of docs/reference/: options, settings, limits and variables, each from where it is declared; and of README.md
// the table of the options that most programs set.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_GROUPS } from './option-sources.mjs';
import { readSource } from './read-source.mjs';
import { readSettingsSchema } from './settings-schema.mjs';
import { listFiles, ROOT } from './setup.mjs';
import { VARIABLES } from './variables.mjs';

const README_START = '<!-- Written by `npm run reference` from the declarations of the options. -->';
const README_END = '<!-- The end of it. -->';
const NOTE = 'Written by `npm run reference`; `npm run check` fails if it is out of date.';
/** Begins every name of a variable that is ours alone. */
const OUR_VARIABLE = /['"`]?\b(TURNWRIGHT_[A-Z][A-Z_]*[A-Z])\b/g;

/** @returns the text of each page, and what does not hold */
export async function referencePages(options, limits) {
  const providers = await readProviders();
  const known = [
    ...Object.values(VARIABLES).flatMap((rows) => rows.flatMap(({ names }) => names)),
    ...limits.map(({ variable }) => variable),
  ];
  return {
    pages: {
      'docs/reference/options.md': optionsPage(options),
      'docs/reference/settings.md': settingsPage(options, await readSettingsSchema()),
      'README.md': readme(options),
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

/** Of README.md only what stands between two comments. */
function readme(options) {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [start, end] = [text.indexOf(README_START), text.indexOf(README_END)];
  if (start < 0 || end < start) throw new Error(`README.md has no ${README_START} and ${README_END}`);
  const rows = options
    .filter(({ inReadme }) => inReadme === true)
    .sort((a, b) => a.topicAt - b.topicAt || a.at - b.at)
    .map(({ name, flags, wider, about, see }) => [
      `\`${name}\``,
      flags
        .slice(0, 1)
        .map((flag) => `\`${flagName(flag)}\``)
        .join(''),
      `${wider?.about ?? about}${see === undefined ? '' : ` [More](docs/${see})`}`,
    ]);
  return `${text.slice(0, start)}${README_START}\n${table(['Option', 'Flag', 'What it does'], rows)}${text.slice(end)}`;
}

function settingsPage(options, schema) {
  const optionOf = new Map(options.flatMap(({ name, setting }) => (setting === undefined ? [] : [[setting, name]])));
  const keys = Object.entries(schema.properties).flatMap(([key, value]) =>
    SETTING_GROUPS.includes(key) || key === 'autoMode'
      ? Object.entries(value.properties).map(([part, inner]) => [`${key}.${part}`, inner])
      : [[key, value]],
  );
  const rows = keys
    .sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map(([key, value]) => [
      `\`${key}\``,
      settingType(value),
      `${value['x-managed'] === true ? 'Managed only. ' : ''}${value.description ?? ''}`,
      optionOf.has(key) ? `\`${optionOf.get(key)}\`` : '',
    ]);
  return `# Settings

${NOTE} What counts before what, and whose files are read: [settings.md](../settings.md). Keys that say what an
option says are declared with it; the others in \`src/context/settings/schema.ts\`. Lists of several files are put together if the
type says "of all files"; of anything else the strongest file counts.

${table(['Key', 'Type', 'What it does', 'Option'], rows)}`;
}

/** In a few words. */
function settingType({ type, enum: values, anyOf, items, properties, additionalProperties, ...rest }) {
  if (anyOf !== undefined) return anyOf.map(settingType).join(' or ');
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  if (type === 'array')
    return `list of ${items.type === 'object' ? 'objects' : 'texts'}${rest['x-merge'] === 'concat' ? ' of all files' : ''}`;
  if (type === 'object')
    return properties === undefined || Object.keys(properties).length > 8
      ? 'object'
      : `\`{ ${Object.keys(properties).join(', ')} }\``;
  return { boolean: 'true, false', integer: 'whole number', string: 'text' }[type] ?? type ?? 'any';
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
export async function readLimits() {
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
