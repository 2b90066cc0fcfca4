// What a request leads to: the first call of each form, joined parts, what is not understood, the documentation.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { JOBS } from '../../../src/providers/offline/plan.js';
import { CWD, drive, firstCalls, numbered } from './drive.js';

type Expected = readonly [name: string, input: Record<string, unknown>];

const glob = (pattern: string, path?: string): Expected => [
  'Glob',
  path === undefined ? { pattern } : { pattern, path },
];
const read = (path: string): Expected => ['Read', { file_path: path }];
const write = (path: string, content: string): Expected => ['Write', { file_path: path, content }];
const bash = (command: string): Expected => ['Bash', { command, description: expect.any(String) }];
const counts = (input: Record<string, unknown> = {}): Expected => [
  'Grep',
  { pattern: '^', output_mode: 'count', head_limit: 0, ...input },
];
const search = (pattern: string, input: Record<string, unknown> = {}): Expected => [
  'Grep',
  { pattern, output_mode: 'content', head_limit: 200, ...input },
];
const withText = (pattern: string, input: Record<string, unknown> = {}): Expected => [
  'Grep',
  { pattern, output_mode: 'files_with_matches', ...input },
];
const TS = '*.{ts,tsx}';

const PHRASINGS: readonly (readonly [string, Expected])[] = [
  ['list the files in src', glob('**/*', 'src')],
  ['List all files.', glob('**/*')],
  ['ls', glob('**/*')],
  ['ls src/tools', glob('**/*', 'src/tools')],
  ['please list all TypeScript files in this project', glob(TS, '.')],
  ['can you show me all the Python files?', glob('*.py')],
  ['find files named package.json', glob('package.json')],
  ['find package.json', glob('package.json')],
  ['find package.json in src', glob('package.json', 'src')],
  ['list the files called `my file` in src', glob('my file', 'src')],
  ['find files matching *.md', glob('*.md')],
  ['list `*.ts` files in src', glob('*.ts', 'src')],
  ['list *.ts in src', glob('*.ts', 'src')],
  ['list the .css files in "my folder"', glob('*.css', 'my folder')],
  ['how many TypeScript files are there?', glob(TS)],
  ['how many Markdown files are in docs?', glob('*.md', 'docs')],
  ['count the Rust files in crates', glob('*.rs', 'crates')],
  ['count the number of files in the src', glob('**/*', 'src')],
  ['find the largest TypeScript file under src', counts({ path: 'src', glob: TS })],
  ['Find the biggest file', counts()],
  ['show the top 5 largest Go files', counts({ glob: '*.go' })],
  ['count the lines in src/a.ts', counts({ path: 'src/a.ts' })],
  ['How many lines does README.md have?', counts({ path: 'README.md' })],
  ['how many lines are in all TypeScript files under src', counts({ path: 'src', glob: TS })],
  ['search for "x y" in src', search('x y', { path: 'src' })],
  ['search for foo.bar', search('foo\\.bar')],
  ['grep TODO in src/tools', search('TODO', { path: 'src/tools' })],
  ['look for "a(b" in TypeScript files', search('a\\(b', { glob: TS })],
  ['find "Export" in src/a.ts', search('Export', { path: 'src/a.ts' })],
  ['show README.md', read('README.md')],
  ['cat /etc/hosts', read('/etc/hosts')],
  ['Could you please show me the contents of src/a.ts, thanks', read('src/a.ts')],
  ['read "my notes.md"', read('my notes.md')],
  ['open Makefile', read('Makefile')],
  ['run `npm test`', bash('npm test')],
  ['execute ls -la', bash('ls -la')],
  ['run the command git log --format="%h then %s"', bash('git log --format="%h then %s"')],
  ['run echo the cat, please', bash('echo the cat, please')],
  ['create hello.txt with "hello"', write('hello.txt', 'hello')],
  ['create a file called notes.md containing "a and then b"', write('notes.md', 'a and then b')],
  ['make a new file data.txt with the text "one\\ntwo"', write('data.txt', 'one\ntwo')],
  ['write "hello" to out/x.txt', write('out/x.txt', 'hello')],
  ['write hi to b.txt', write('b.txt', 'hi')],
  ['Write constructor into a.txt', write('a.txt', 'constructor')],
  ['save `a\\nb` as x.txt', write('x.txt', 'a\\nb')],
  ['replace "foo" with "bar" in src/a.ts', withText('foo', { path: 'src/a.ts' })],
  ['change X to Y in src/a.ts', withText('X', { path: 'src/a.ts' })],
  ['replace foo by bar in all TypeScript files under src', withText('foo', { path: 'src', glob: TS })],
];

describe('the forms', () => {
  it.each(PHRASINGS)('%s', async (prompt, [name, input]) => {
    expect((await firstCalls(prompt))[0]).toEqual({ name, input });
  });
});

/** Files behind all tools, so that each part of a request has something to go on with. */
const something = ({ name }: { name: string }): string => {
  if (name === 'Glob') return `${CWD}/src/a.md`;
  return name === 'Grep' ? 'src/a.ts:3:foo' : name === 'Read' ? numbered('foo') : 'Done.';
};

describe('several parts', () => {
  it.each([
    ['list the files in src, show README.md and count its lines', ['Glob', 'Read', 'Grep']],
    ['list the files in src\nshow README.md\ncount the lines in it', ['Glob', 'Read', 'Grep']],
    ['First list the Markdown files; then save the list to files.md', ['Glob', 'Write']],
    ['Find package.json. Then show it. Finally, please run `ls`', ['Glob', 'Read', 'Bash']],
    ['run npm test and write the output to out.txt', ['Bash', 'Write']],
    ['find the biggest file, and then write its name, path and number of lines into r.md', ['Grep', 'Write']],
    ['count the files and write the number and list to n.txt', ['Glob', 'Write']],
    ['create a.txt with "x", and show it', ['Write', 'Read']],
    ['search for "foo" in src, then replace foo with bar in them', ['Grep', 'Grep', 'Read', 'Edit']],
  ])('%s', async (prompt, expected) => {
    const counted = prompt.includes('biggest') ? 'src/a.ts:3' : null;
    const answerer = (call: { name: string }): string => (call.name === 'Grep' && counted) || something(call);
    const { calls, refuses } = await drive(prompt, answerer);
    expect(refuses).toBe(false);
    expect(calls.map((call) => call.name)).toEqual(expected);
  });
});

describe('what is not understood', () => {
  it.each([
    'hello',
    'Hi!',
    'what is the meaning of life?',
    'refactor the auth module',
    'write a poem about cats to poem.txt',
    'write tests to a.test.ts',
    'write hello world to hi.txt',
    'write its size to size.txt',
    'list the files that changed last week',
    'explain quantum physics',
    'fix the bug in the parser',
    'create a function that adds two numbers',
    'search the web for cats',
    'show me the way',
    'run the tests',
    'find the largest prime number below 100',
    'delete everything',
    'don’t list the files',
    '…',
    '{}',
    'constructor',
    'list the constructor files',
    'create a.txt with "x" or maybe "y"',
    'list files larger than 100 lines',
    'count words in README.md',
    'summarise README.md',
    'Summarise this conversation so that the work can go on from your summary alone.',
  ])('%s', async (prompt) => {
    const { answer, calls, refuses } = await drive(prompt, () => 'unused');
    expect(calls).toEqual([]);
    expect(answer).toContain(`I did not understand ${JSON.stringify(prompt.replace(/[.?!]$/, '')).slice(0, -1)}`);
    expect(refuses).toBe(true);
  });

  it('says that it is no language model, how to get one, and what it can do, each of which it can', async () => {
    const { answer } = await drive('hello', () => 'unused');
    expect(answer).toMatch(/not a language model[\s\S]*turnwright login[\s\S]*ANTHROPIC_API_KEY[\s\S]*--model/);
    const examples = [...answer.matchAll(/^- (.+)$/gm)].map(([, example = '']) => example);
    expect(examples.length).toBeGreaterThan(7);
    for (const example of examples) expect(await drive(example, something)).toMatchObject({ refuses: false });
  });

  it('does nothing of a request of which it does not understand a part, and names that part', async () => {
    const { answer, calls, refuses } = await drive('list the Python files, then paint them blue', something);
    expect({ calls, refuses }).toEqual({ calls: [], refuses: true });
    expect(answer).toContain('I did not understand "paint them blue", so I did nothing.');
    const and = await drive('show a.md and then sort it by date and write "x" to b.md', something);
    expect(and.calls).toEqual([]);
    expect(and.answer).toContain('"sort it by date"');
  });
});

describe('the documentation', () => {
  const text = readFileSync(fileURLToPath(new URL('../../../docs/offline-model.md', import.meta.url)), 'utf8');
  const [requests = ''] = text.split('## The grammar');
  const examples = [...requests.matchAll(/^\| .+? \| (`+) ?(.+?) ?\1 \|$/gm)].map(([, , example = '']) => example);

  it('prints the grammar as it is, in the order in which the forms are tried', () => {
    const [, grammar] = /```text\n([\s\S]+?)\n```/.exec(text) ?? [];
    expect(grammar?.split('\n')).toEqual(JOBS.flatMap(({ forms }) => forms));
  });

  it('has examples', () => expect(examples.length).toBeGreaterThan(15));

  it.each(examples)('%s', async (example) => {
    expect(await drive(example, something)).toMatchObject({ refuses: false });
  });
});
