// The JavaScript samples of the documents run as they stand, on the built package, with a model on this machine.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text } from '../../src/testing/model/script.js';
import { buildEntry, mockEnv } from '../e2e/run-cli.js';
import { temporaryFolder } from '../support/engine.js';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

beforeAll(buildEntry);

/** The fenced `js` blocks of a document, in order. */
async function samplesOf(document: string): Promise<string[]> {
  const source = await readFile(path.join(root, document), 'utf8');
  return [...source.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
}

/** Runs a program that finds this repository as the package `turnwright`. `flags` are Node's. */
async function runProgram(source: string, flags: readonly string[] = []) {
  const model = await startMockProvider({ steps: [text('Done.')] });
  onTestFinished(() => model.close());
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'node_modules'));
  await symlink(root, path.join(folder, 'node_modules', 'turnwright'), 'dir');
  await writeFile(path.join(folder, 'sample.mjs'), source);
  const child = spawn(process.execPath, [...flags, 'sample.mjs'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: folder, ...mockEnv(model.url) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, output };
}

/** As the sites that show Markdown make them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
  return new Set(headings);
}

describe('the samples', () => {
  it('README.md: the SDK program', async () => {
    const [program = '', ...others] = await samplesOf('README.md');
    expect(others).toEqual([]);
    const ran = await runProgram(program);
    expect(ran).toMatchObject({ code: 0, output: expect.stringMatching(/^success /) });
  });

  it('docs/testing.md: every test passes', async () => {
    const samples = await samplesOf('docs/testing.md');
    const tests = samples.join('\n').match(/^test\(/gm) ?? [];
    expect(tests.length).toBeGreaterThan(5);
    const { code, output } = await runProgram(samples.join('\n'), ['--test', '--test-reporter=tap']);
    expect(output).toMatch(new RegExp(`^# pass ${tests.length}$`, 'm'));
    expect(code).toBe(0);
  });
});

describe('the sample of docs/subagents.md', () => {
  it('runs, whatever the model makes of it', async () => {
    const [sample = '', ...others] = await samplesOf('docs/subagents.md');
    expect(others).toEqual([]);
    expect(await runProgram(sample)).toMatchObject({ code: 0, output: 'success\n' });
  });
});

describe('links between the documents', () => {
  it.each([
    'README.md',
    'AGENTS.md',
    'docs/README.md',
    'docs/architecture.md',
    'docs/glossary.md',
    'docs/hooks.md',
    'docs/protocol.md',
    'docs/subagents.md',
    'docs/testing.md',
    'docs/tools-of-your-own.md',
  ])('%s: every linked file is there', async (document) => {
    const source = await readFile(path.join(root, document), 'utf8');
    const links = [...source.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1] ?? '');
    const missing = links.filter((link) => !existsSync(path.resolve(root, path.dirname(document), link)));
    expect(missing).toEqual([]);
  });

  it('every linked heading is there, in every page', async () => {
    const pages = (await readdir(path.join(root, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
    const documents = ['README.md', 'AGENTS.md', 'SECURITY.md', ...pages.map((name) => path.join('docs', name))];
    const texts = new Map<string, string>();
    for (const document of documents) texts.set(document, await readFile(path.join(root, document), 'utf8'));
    const links = [...texts].flatMap(([document, text]) =>
      [...text.matchAll(/\]\(([^)#:\s]*)#([^)]+)\)/g)].map(([, to = '', anchor = '']) => ({
        document,
        target: to === '' ? document : path.join(path.dirname(document), to),
        anchor,
      })),
    );
    expect(links.length).toBeGreaterThan(50);
    const missing = links.filter(({ target, anchor }) => !anchorsOf(texts.get(target) ?? '').has(anchor));
    expect(missing).toEqual([]);
  });

  it('docs/README.md: every page is there', async () => {
    const contents = await readFile(path.join(root, 'docs/README.md'), 'utf8');
    const pages = (await readdir(path.join(root, 'docs'))).filter(
      (name) => name.endsWith('.md') && name !== 'README.md',
    );
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.filter((name) => !contents.includes(`](${name})`))).toEqual([]);
  });

  it('scripts: every source file they read is there', async () => {
    const names = (await readdir(path.join(root, 'scripts'), { recursive: true })).filter((name) =>
      name.endsWith('.mjs'),
    );
    const texts = await Promise.all(names.map((name) => readFile(path.join(root, 'scripts', name), 'utf8')));
    const read = texts.flatMap((text) =>
      [...text.matchAll(/join\(ROOT, ('src'(?:, '[^']+')+)\)/g)].map(([, parts = '']) =>
        parts.replace(/'/g, '').split(', '),
      ),
    );
    expect(read.length).toBeGreaterThan(1);
    expect(read.filter((parts) => !existsSync(path.join(root, ...parts)))).toEqual([]);
  });

  it.each(['AGENTS.md', 'docs/adding.md', 'docs/architecture.md'])(
    '%s: every source and test file it names is there',
    async (document) => {
      const source = await readFile(path.join(root, document), 'utf8');
      const named = [...source.matchAll(/`((?:src\/|test\/)?[a-z-]+(?:\/[a-z-]+)+\.(?:test\.)?ts)`/g)];
      const missing = named
        .map((match) => match[1] ?? '')
        .filter((file) => !existsSync(path.join(root, file)) && !existsSync(path.join(root, 'src', file)));
      expect(named.length).toBeGreaterThan(20);
      expect(missing).toEqual([]);
    },
  );
});
