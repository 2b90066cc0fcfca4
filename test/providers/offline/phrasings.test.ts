// Phrasings and the first calls they lead to; what is not understood; the examples of the documentation.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../../../src/providers/offline/answer.js';
import { parseRequest } from '../../../src/providers/offline/parse-request.js';
import { CWD, drive, firstCalls } from './drive.js';

type Expected = readonly [name: string, input: Record<string, unknown>];

const file = (path: string): string => `${CWD}/${path}`;
const glob = (pattern: string, path?: string): Expected => [
  'Glob',
  path === undefined ? { pattern } : { pattern, path },
];
const read = (path: string, part: Record<string, unknown> = {}): Expected => [
  'Read',
  { file_path: file(path), ...part },
];
const write = (path: string, content: string): Expected => ['Write', { file_path: file(path), content }];
const bash = (command: string): Expected => ['Bash', { command, description: expect.any(String) }];
const counts = (input: Record<string, unknown> = {}): Expected => [
  'Grep',
  { pattern: '^', output_mode: 'count', head_limit: 0, ...input },
];
const lines = (path: string): Expected => ['Grep', { pattern: '^', output_mode: 'count', path: file(path) }];
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
  ['ls src/tools', glob('**/*', 'src/tools')],
  ['please list all TypeScript files in this project', glob('**/*.{ts,tsx}')],
  ['can you show me all the Python files?', glob('**/*.py')],
  ['what files are in src/tools?', glob('**/*', 'src/tools')],
  ['which Markdown files are there in docs?', glob('**/*.md', 'docs')],
  ["what's in this folder?", glob('**/*')],
  ['find all JSON and YAML files', glob('**/*.{json,yml,yaml}')],
  ['find files named package.json', glob('**/package.json')],
  ['find package.json', glob('**/package.json')],
  ['where is tsconfig.json?', glob('**/tsconfig.json')],
  ['find files matching *.md', glob('**/*.md')],
  ['list `*.ts` files in src', glob('**/*.ts', 'src')],
  ['find files whose name contains "config"', glob('**/*config*')],
  ['list the files with the extension .css', glob('**/*.css')],
  [
    'list the TypeScript test files under test',
    glob('**/{*.test.ts,*.spec.ts,*_test.ts,test_*.ts,*.test.tsx,*.spec.tsx,*_test.tsx,test_*.tsx}', 'test'),
  ],
  ['list the folders in src', glob('**/*', 'src')],
  ['how many TypeScript files are there?', glob('**/*.{ts,tsx}')],
  ['count the Rust files in crates', glob('**/*.rs', 'crates')],
  ['find the largest TypeScript file under src', counts({ path: 'src', glob: TS })],
  ['Find the biggest file', counts()],
  ['what are the 3 longest Go files?', counts({ glob: '*.go' })],
  ['show the top 5 largest files in `my folder`', counts({ path: 'my folder' })],
  ['which file has the most lines?', counts()],
  ['find the smallest shell script in this repository', counts({ glob: '*.{sh,bash}' })],
  [
    'find the largest markdown file by size',
    bash("find . -type f -not -path '*/.git/*' -not -path '*/node_modules/*' \\( -name '*.md' \\) -exec wc -c {} +"),
  ],
  ['count the lines in src/a.ts', lines('src/a.ts')],
  ['How many lines does README.md have?', lines('README.md')],
  ['how long is README.md', lines('README.md')],
  ["what is the line count of 'src/a.ts'?", lines('src/a.ts')],
  ['how many lines are in all TypeScript files under src', counts({ path: 'src', glob: TS })],
  ['how many lines of code are in src?', counts({ path: 'src' })],
  ['search for "x y" in src', search('x y', { path: 'src' })],
  ['search src for foo.bar', search('foo\\.bar', { path: 'src' })],
  ['grep TODO in src/tools', search('TODO', { path: 'src/tools' })],
  ['look for "a(b" in TypeScript files', search('a\\(b', { glob: TS })],
  ['find all TODO comments', search('TODO')],
  ['how many TODOs are in src', ['Grep', { pattern: 'TODO', output_mode: 'count', head_limit: 0, path: 'src' }]],
  ['search for /log.*Error/ in src', search('log.*Error', { path: 'src' })],
  ['find "Export" in src/a.ts ignoring case', search('Export', { path: file('src/a.ts'), '-i': true })],
  ['which files contain "foo"?', withText('foo')],
  ['find TypeScript files containing createServer in src', withText('createServer', { path: 'src', glob: TS })],
  ['which files import zod?', withText('\\b(import|require|from|use|include)\\b.*zod')],
  [
    'how many times does "foo" occur in src?',
    ['Grep', { pattern: 'foo', output_mode: 'count', head_limit: 0, path: 'src' }],
  ],
  ['where is createServer used?', search('\\bcreateServer\\b')],
  ['find usages of createServer in lib', search('createServer', { path: 'lib' })],
  ['show README.md', read('README.md')],
  ['cat /etc/hosts', ['Read', { file_path: '/etc/hosts' }]],
  ['Could you please show me the contents of src/a.ts, thanks', read('src/a.ts')],
  ['show index.ts in src', read('src/index.ts')],
  ['show the first 20 lines of README.md', read('README.md', { offset: 1, limit: 20 })],
  ['print lines 10-20 of src/a.ts', read('src/a.ts', { offset: 10, limit: 11 })],
  ['show the last 5 lines of `log.txt`', read('log.txt')],
  ['what is in package.json?', read('package.json')],
  ['what does README.md say?', read('README.md')],
  ['read "my notes.md"', read('my notes.md')],
  ['summarise README.md', read('README.md')],
  ['Summarize docs/a.md', read('docs/a.md')],
  ['give me a summary of docs/a.md', read('docs/a.md')],
  ['what does src/a.ts do?', read('src/a.ts')],
  ['tell me about README.md', read('README.md')],
  ['run `npm test`', bash('npm test')],
  ['execute ls -la', bash('ls -la')],
  ['run the command git log --format="%h then %s"', bash('git log --format="%h then %s"')],
  ['$ echo hi', bash('echo hi')],
  ['create hello.txt with "hello"', write('hello.txt', 'hello')],
  ['create a file called notes.md containing "a and then b"', write('notes.md', 'a and then b')],
  ['create an empty file x.txt', write('x.txt', '')],
  ['make a new file foo.txt with the text hello world', write('foo.txt', 'hello world')],
  ['create data.txt with "one\\ntwo"', write('data.txt', 'one\ntwo')],
  [
    'create notes.md with:\n- one, then two\n- "three" and show it',
    write('notes.md', '- one, then two\n- "three" and show it\n'),
  ],
  [
    'create a.js with the following content:\n```js\nconsole.log("then")\n```\nThen run `node a.js`',
    write('a.js', 'console.log("then")\n'),
  ],
  ['write "hello" to out/x.txt', write('out/x.txt', 'hello')],
  ['write hello world to x.txt', write('x.txt', 'hello world')],
  ['write hello to hi.txt', write('hi.txt', 'hello')],
  ['create hi.txt with hello', write('hi.txt', 'hello')],
  ['save done to status.txt', write('status.txt', 'done')],
  ['replace "foo" with "bar" in src/a.ts', read('src/a.ts')],
  ['change X to Y in src/a.ts', read('src/a.ts')],
  ['in src/a.ts, replace `x` by `y`', read('src/a.ts')],
  ['rename foo to bar in all TypeScript files under src', withText('foo', { path: 'src', glob: TS })],
  ['append "more" to notes.md', read('notes.md')],
  [
    'make a todo list: read the docs; write tests',
    [
      'TodoWrite',
      {
        todos: [
          { content: 'read the docs', status: 'pending' },
          { content: 'write tests', status: 'pending' },
        ],
      },
    ],
  ],
  ['copy notes.md to backup.md', read('notes.md')],
  ['find all files with "TODO" in them', withText('TODO')],
  ['count the number of files in src', glob('**/*', 'src')],
  ['find where createServer is used', search('\\bcreateServer\\b')],
  ['run the tests with `npm test`', bash('npm test')],
  ['use the Bash tool to run `ls`', bash('ls')],
  ['git status', bash('git status')],
  ['ls -la', bash('ls -la')],
  ['summarise this project', glob('**/README*')],
  ['summarise README.md in three sentences', read('README.md')],
  ['add the line "x" to the end of notes.txt', read('notes.txt')],
];

describe('phrasings', () => {
  it('covers at least sixty', () => expect(PHRASINGS.length).toBeGreaterThanOrEqual(60));

  it.each(PHRASINGS)('%s', async (prompt, [name, input]) => {
    expect((await firstCalls(prompt))[0]).toEqual({ name, input });
  });
});

describe('several parts', () => {
  const types = (prompt: string): string[] => parseRequest(prompt).map((step) => step.type);

  it.each([
    ['list the files in src, show README.md and count its lines', ['list', 'show', 'count_lines']],
    ['1. list the files in src\n2. show README.md\n3. count the lines in it', ['list', 'show', 'count_lines']],
    ['First list the Markdown files; then save the list to files.md', ['list', 'write']],
    ['Find the largest file. After that, summarise it.', ['rank', 'summarise']],
    ['write the number of TypeScript files in src to count.txt', ['count_files', 'write']],
    ['write the names of the 3 largest files in src to big.md', ['rank', 'write']],
    ['save the output of `ls` to ls.txt', ['run', 'write']],
    ['summarise README.md into notes/out.md', ['summarise', 'write']],
    ['show the contents of the largest TypeScript file under src', ['rank', 'show']],
    ['list the files in src with their line counts', ['list', 'count_lines']],
    ['list the TypeScript files in src and test', ['list']],
    ['run npm test and write the output to out.txt', ['run', 'write']],
    ['write src/ to list.txt', ['list', 'write']],
    [
      'What is the largest file, and how many lines does it have? Write both to report.md',
      ['rank', 'count_lines', 'write'],
    ],
    [
      'Find the biggest file in src. Be brief. Then write its name and number of lines into report.md',
      ['rank', 'write'],
    ],
    ['search for "a" in src and replace it with "b" in src/x.ts', ['search', 'replace']],
    ['create a.txt with "x", append "y" to it, then show it', ['create', 'append', 'show']],
    ['create a.txt with "1" and b.txt with "2"', ['create', 'create']],
    ['write "a" to a.txt and "b" to b.txt', ['create', 'create']],
    ['search for "foo" in src then show the files', ['search', 'show']],
    ['find the largest file and write a report with its path and number of lines to r.md', ['rank', 'write']],
    ['create greeting.txt containing Hello World and then read it back', ['create', 'show']],
  ])('%s', (prompt, expected) => expect(types(prompt)).toEqual(expected));

  it('takes "the largest files" as ten and "the largest file" as one', () => {
    expect(parseRequest('find the largest files')[0]).toMatchObject({ count: 10 });
    expect(parseRequest('which of the Go files is the largest file?')[0]).toMatchObject({ count: 1 });
  });

  it('takes several folders', () => {
    expect(parseRequest('list the TypeScript files in src and test')[0]).toMatchObject({
      query: { folders: ['src', 'test'] },
    });
  });
});

describe('what is not understood', () => {
  it.each([
    'hello',
    'Hi!',
    'what is the meaning of life?',
    'refactor the auth module',
    'write a poem about cats to poem.txt',
    'list the files that changed last week',
    'explain quantum physics',
    'who are you?',
    'fix the bug in the parser',
    'create a function that adds two numbers',
    'search the web for cats',
    'show me the way',
    'run the tests',
    'find the largest prime number below 100',
    'delete everything',
    'don’t list the files',
    'write some tests',
    '…',
    '{}',
    'create a README.md for this project',
    'create a.txt with "x" or maybe "y"',
    'list files larger than 100 lines',
    'count words in README.md',
    'Show README.md. Then think hard about it. Is it good? Why?',
  ])('%s', async (prompt) => {
    const { answer, calls, refuses } = await drive(prompt, () => 'unused');
    expect(calls).toEqual([]);
    expect(answer).toBe(CAPABILITIES);
    expect(refuses).toBe(true);
  });

  it('says that it is no language model and how to get one', () => {
    expect(CAPABILITIES).toMatch(/not a language model/);
    expect(CAPABILITIES).toMatch(/ANTHROPIC_API_KEY/);
    expect(CAPABILITIES).toMatch(/--model/);
  });

  it('does the parts it understands and names the one it does not', async () => {
    const { answer, calls, refuses } = await drive('list the Python files, then paint them blue', () => `${CWD}/a.py`);
    expect(refuses).toBe(true);
    expect(calls.map((call) => call.name)).toEqual(['Glob']);
    expect(answer).toMatch(/a\.py/);
    expect(answer).toMatch(/did not understand this part.*paint them blue/);
  });

  it('does not build on an action it cannot do', async () => {
    const { answer, calls } = await drive(
      'find a.py, sort it by date, then write the result to out.md',
      () => `${CWD}/a.py`,
    );
    expect(calls.map((call) => call.name)).toEqual(['Glob']);
    expect(answer).toMatch(/not done: "write the result to out\.md"/);
  });
});

describe('the documentation', () => {
  const text = readFileSync(fileURLToPath(new URL('../../../docs/offline-model.md', import.meta.url)), 'utf8');
  const examples = text.split('\n').flatMap((line) => {
    const cell = line.startsWith('| ') ? line.split(' | ')[1]?.replace(/ \|$/, '').trim() : undefined;
    const match = /^(`+) ?(.+?) ?\1$/.exec(cell ?? '');
    return match?.[2] === undefined ? [] : [match[2]];
  });

  it('has examples', () => expect(examples.length).toBeGreaterThan(30));

  it.each(examples)('%s', (example) => {
    const steps = parseRequest(example);
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.map((step) => step.type)).not.toContain('not_understood');
  });
});
