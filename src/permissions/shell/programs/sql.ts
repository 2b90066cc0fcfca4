// Programs that read queries: `sqlite3`, `psql`, `mysql`. Their languages have a way to the shell and to files, so only
// what plainly asks is harmless.

import { literalWord, replacedWord, type ShellWord } from '../syntax/shell-word.js';
import { sayActing, sayLost, type Task } from '../task.js';
import { noteMentions } from './file-uses.js';
import { isInput, useFile, useUnknownFile } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readOptions, sayActingWords } from './read-by-table.js';
import { scanOptions } from './scan-options.js';

export const SQL_PROGRAMS: Programs = {
  // Languages of queries with a way to the shell. `module` holds a query.
  'sqlite3 duckdb': {
    options: {
      module: '-cmd -c',
      acts: '-init',
      value: '-separator -newline -nullvalue -mmap -maxsize',
      tells: '-version -help --version --help',
    },
    isSingleDash: true,
    keepsApart: true,
    read: readSql,
  },
  psql: {
    options: {
      module: '-c,--command',
      read: '-f,--file',
      write: '-o,--output -L,--log-file',
      value:
        '-v,--set,--variable -h,--host -p,--port -U,--username -d,--dbname -F,--field-separator -R,--record-separator -T,--table-attr -P,--pset',
      tells: '-V,--version --help -l,--list',
    },
    read: readSql,
    actingValues: /^(?:-o|--output=)\s*\||^(?:-v|--set=|--variable=).*(?:`|PROMPT|PAGER|EDITOR)/,
  },
  'mysql mariadb': {
    options: {
      module: '-e,--execute',
      acts: '--pager --init-command --defaults-file --defaults-extra-file --plugin-dir',
      write: '--tee',
      value: '-h,--host -P,--port -u,--user -D,--database -S,--socket --delimiter',
      tells: '-V,--version --help',
    },
    read: readSql,
  },
  'mongo mongosh redis-cli clickhouse-client': {
    options: {
      code: '-c -e -cmd --command --execute --eval',
      read: '-f -init --file',
      value: '-h -p -U -d -u -P -H -D --host --port --user --dbname --database',
    },
    operands: 'none',
    // Commands of it are the same in any case.
    spellings: (words) => [words.map((word) => (word.value === null ? word : literalWord(word.value.toLowerCase())))],
    actingVerbs: /^(?:config|eval|module|script|debug|slaveof|replicaof)$/i,
  },
};

/** Commands of the programs themselves, and functions that run something or open files. */
const ACTING =
  /(?:^|[\n;])\s*[.\\]|\\|\bvacuum\s+into\b|load_extension|writefile|readfile|\bfsdir\b|\bzipfile\b|\bcsv\s*\(|(?:^|[\n;])\s*(?:tee|pager|edit)\b|\bedit\s*\(|fts3_tokenizer|\battach\b|\bprogram\b|\bcopy\b|\blo_(?:import|export)\b|pg_(?:read|ls|file)|\bsystem\b|\bsource\b|\bload\s+data\b|\binto\s+(?:out|dump)file\b|load_file|\bdo\s+\$|\blanguage\b|sys_(?:exec|eval)/i;

/** `duckdb` takes a table in quotes for a file, and loads extensions. */
const OPENS_FILES =
  /\b(?:from|join|into|to|describe|summarize)\s*\(?\s*['"]|\b(?:load|install|copy|export|import|glob|read_\w+|\w+_scan|parquet_\w+|sniff_csv|getenv|secret\w*)\b|\bset\b.*(?:directory|extension|repository)/i;

/** Commands that only tell, each on a line of its own. */
const TELLING =
  /^\s*(?:\.(?:tables|schema|fullschema|headers?|mode|dump|ind(?:ex|ic)es|databases|width|nullvalue|stats|show|help|version|quit|exit|timer)|\\(?:d\S*|l\+?|x|conninfo|timing|q))(?:[ \t][^|`\\\n]*)?$/gm;

/** Files that a query writes, if it says so in plain words. */
const WRITING =
  /(?:^|[\n;])\s*(?:\.(?:output|once|backup|save|log|clone)|\\[ogw])\s+([^\s'"|]+)|(?:\binto|\battach(?:\s+database)?)\s+'([^']+)'/gi;

function mayAct(query: string): boolean {
  return ACTING.test(query.replace(TELLING, ''));
}

/** A file with those that stand beside it while it is changed; it may be written as an address. */
function useDatabase(task: Task, word: ShellWord): void {
  const { value } = word;
  if (value === ':memory:' || value === '') return;
  const address = /^file:(?:\/\/(?:localhost)?(?=\/))?/i.exec(word.head)?.[0];
  if (value === null || (address !== undefined && /[%#]/.test(value))) {
    if (address === undefined) useFile(task, word, 'write');
    else useUnknownFile(task, 'write', `${task.name} decodes ${word.text} itself`);
    return;
  }
  const file = address === undefined ? value : value.slice(address.length).replace(/\?.*$/, '');
  useFile(task, replacedWord(word, file), 'read');
  for (const ending of ['', '-journal', '-wal', '-shm']) useFile(task, replacedWord(word, `${file}${ending}`), 'write');
}

function readSql(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table);
  // The text of a query is looked at here.
  readOptions(task, table, { ...scanned, options: scanned.options.filter(({ effect }) => effect !== 'module') });
  sayActingWords(task, table, scanned);
  const { options, operands } = scanned;
  const isSqlite = task.name === 'sqlite3' || task.name === 'duckdb';
  const [database] = operands;
  if (isSqlite && database !== undefined) useDatabase(task, database.word);
  const queries = [
    ...options.flatMap(({ effect, value, at }) => (effect === 'module' && value !== null ? [{ word: value, at }] : [])),
    ...(isSqlite ? operands.slice(1) : []),
  ];
  for (const { word, at } of queries) {
    if (word.value === null) sayLost(task, `the query of ${task.name} is not static`);
    else if (mayAct(word.value) || (task.name === 'duckdb' && OPENS_FILES.test(word.value))) {
      for (const [, plain, quoted] of word.value.matchAll(WRITING))
        useFile(task, literalWord(plain ?? quoted ?? ''), 'write');
      sayActing(task, `the query of ${task.name} may run programs or open files`, at);
      noteMentions(task, word.value);
    }
  }
  // How to connect may stand in one word, with files of keys and passwords in it.
  if (!isSqlite)
    for (const { word } of operands) if (word.value?.includes('=') === true) noteMentions(task, word.value);
  const hasFile = options.some(({ effect, value }) => effect === 'read' && value !== null && !isInput(value));
  const tells = options.some(({ effect }) => effect === 'tells');
  if (queries.length > 0 || hasFile || tells) return;
  if (task.input === null || mayAct(task.input)) sayLost(task, `${task.name} runs what it reads as its input`);
}
