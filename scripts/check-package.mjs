// Checks the tarball that would be published: its files, its manifest (publint) and its types (attw).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { pack } from './lib/pack.mjs';
import { capture, toolPath } from './lib/run.mjs';
import { readJson } from './lib/setup.mjs';

const MUST_HAVE = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'package.json',
  'dist/index.js',
  'docs/settings.md',
  'dist/protocol.js',
  'dist/testing.js',
  'dist/cli/main.js',
  'dist/types/index.d.ts',
  'dist/types/protocol/index.d.ts',
  'dist/types/testing/index.d.ts',
  'dist/claude.js',
  'dist/qoder.js',
  'dist/types/claude.d.ts',
  'dist/types/qoder.d.ts',
  'dist/types/sdk-tools.d.ts',
  'dist/schemas/Read.json',
  'dist/schemas/messages.json',
  'dist/schemas/settings.json',
  'dist/THIRD-PARTY-LICENSES.txt',
];
const MAY_HAVE =
  /^(LICENSE|README\.md|CHANGELOG\.md|SECURITY\.md|package\.json|docs\/(reference\/)?(README|[a-z-]+)\.md|docs\/pictures\/[a-z-]+\.svg|dist\/.+\.(js|d\.ts|json|txt|cache|wasm))$/;

const folder = mkdtempSync(join(tmpdir(), 'turnwright-pack-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const { tarball, files } = await pack(folder);
const faults = [...contentFaults(), ...(await manifestFaults())];
for (const fault of faults) console.error(fault);

const attw = [toolPath('@arethetypeswrong/cli', 'dist', 'index.js'), tarball, '--profile', 'esm-only', '--no-emoji'];
const types = await capture(process.execPath, [...attw, '--no-color', '--format', 'ascii']);
if (types.code !== 0) console.error(types.output);

if (faults.length > 0 || types.code !== 0) process.exitCode = 1;
else console.log(`${files.length} files`);

function contentFaults() {
  const missing = MUST_HAVE.filter((path) => !files.includes(path)).map((path) => `the tarball lacks ${path}`);
  const extra = files
    .filter((path) => !MAY_HAVE.test(path) || path.includes('/.'))
    .map((path) => `the tarball should not have ${path}`);
  return [...missing, ...extra];
}

async function manifestFaults() {
  const bytes = readFileSync(tarball);
  const archive = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages } = await publint({ pack: { tarball: archive }, strict: true });
  const manifest = readJson('package.json');
  return messages
    .filter(({ type }) => type !== 'suggestion')
    .map((message) => `publint: ${formatMessage(message, manifest, { color: false })}`);
}
