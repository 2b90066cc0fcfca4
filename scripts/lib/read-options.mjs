// The declared options, for scripts, and what can be wrong with a declaration that types do not tell.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SETTING_GROUPS, settingType } from './option-sources.mjs';
import { readSource } from './read-source.mjs';
import { readSettingsSchema } from './settings-schema.mjs';
import { listFiles, ROOT } from './setup.mjs';

const PLAIN_TYPES = { flag: 'boolean', number: 'number', text: 'string', path: 'string', texts: 'string[]' };
/** The kinds that what a flag reads is of. */
const READS = {
  true: ['flag'],
  false: ['flag'],
  text: ['text', 'path'],
  count: ['number'],
  amount: ['number'],
  one: ['texts'],
  list: ['texts'],
};

/** @returns each option with its name, its topic and all that is absent in its declaration filled in, by the alphabet */
export async function readOptions() {
  const { DECLARED } = await readSource('src/sdk/options/declared/index.ts');
  const options = Object.entries(DECLARED).flatMap(([topic, rows], topicAt) =>
    Object.entries(rows).map(([name, row], at) => ({
      ...row,
      name,
      topic,
      topicAt,
      at,
      kinds: [row.kind].flat(),
      type: row.type ?? PLAIN_TYPES[row.kind],
      flags: (row.flags ?? []).map((flag) => ({ ...flag, name: flag.name ?? kebab(name) })),
    })),
  );
  return options.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What does not hold, one line each. */
export async function faultsOf(options) {
  const schema = await readSettingsSchema();
  const below = listFiles('src/session', ['.ts']).concat(listFiles('src/engine', ['.ts']));
  const texts = below.filter((path) => basename(path) !== 'config.ts').map(read);
  const names = options.map(({ name }) => name);
  const flags = options.flatMap((option) => option.flags.map(({ name }) => name));
  return [
    ...twice(names).map((name) => `${name} is declared twice`),
    ...twice(flags).map((name) => `--${name} is declared twice`),
    ...options.flatMap((option) => {
      const { name, type, about, default: absent, setting, inSettings, see, acts, idle } = option;
      const found = [];
      if (type === undefined) found.push('its kind says no type, so give one');
      if (!/[.!?]$/.test(about)) found.push('`about` is no sentence');
      if (absent !== undefined && /\.$/.test(absent)) found.push('`default` ends with a stop');
      if (inSettings !== undefined) {
        const group = setting?.split('.').slice(0, -1).join('.');
        if (setting === undefined) found.push('`inSettings` is of a key, so name it in `setting`');
        else if (group !== '' && !SETTING_GROUPS.includes(group))
          found.push(`keys of options stand in no object ${group}: ${SETTING_GROUPS.join(', ')}`);
        if (inSettings.takes === undefined && settingType(option) === null)
          found.push('its kind is too little for a setting, so say what the key `takes`');
      } else if (setting !== undefined && !hasKey(schema, setting)) found.push(`there is no setting ${setting}`);
      if (see !== undefined && !hasSection(see)) found.push(`there is no docs/${see}`);
      if (acts === undefined && idle === undefined) found.push('it acts nowhere: say where, or that it is idle');
      if (acts === 'session' && !texts.some((text) => mentions(text, name)))
        found.push('no file of src/session/ or src/engine/ reads it');
      if (acts !== undefined && acts !== 'session' && !isRead(`src/sdk/${acts}.ts`, name))
        found.push(`src/sdk/${acts}.ts does not read it`);
      for (const flag of option.flags) {
        if (flag.reads !== 'own' && !READS[flag.reads].some((kind) => option.kinds.includes(kind)))
          found.push(`--${flag.name} reads no ${option.kinds.join(' or ')}`);
      }
      return found.map((fault) => `${name}: ${fault}`);
    }),
  ];
}

function twice(names) {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}

function hasKey(schema, key) {
  let at = schema;
  for (const part of key.split('.')) at = at?.properties?.[part] ?? at?.additionalProperties;
  return at !== undefined;
}

/** A file of docs/, and the heading that the link means. */
function hasSection(link) {
  const [file, anchor] = link.split('#');
  const path = join(ROOT, 'docs', file);
  if (file.startsWith('reference/')) return true; // written by the same run
  if (!existsSync(path)) return false;
  if (anchor === undefined) return true;
  const headings = readFileSync(path, 'utf8').match(/^#+ .+$/gm) ?? [];
  return headings.some((heading) => slug(heading.replace(/^#+ /, '')) === anchor);
}

function slug(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** With-settings gives the whole options to the session's own reader of settings. */
function isRead(path, name) {
  if (!existsSync(join(ROOT, path))) return false;
  if (path.endsWith('/with-settings.ts')) {
    const finder = listFiles('src/session', ['.ts']).find((file) => basename(file) === 'find-settings.ts');
    return finder !== undefined && mentions(read(finder), name);
  }
  return mentions(read(path), name);
}

function mentions(text, name) {
  return new RegExp(`\\b${name}\\b`).test(text);
}

function read(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}

function kebab(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
