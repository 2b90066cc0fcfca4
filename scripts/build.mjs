// Builds dist/: bundled ESM that shares chunks, type declarations, JSON Schemas of the tools and third-party
// licences. Built aside and swapped in whole, so that nobody sees half a build.
// Usage: node scripts/build.mjs [--js-only]   (--js-only leaves out the declarations)
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { capture, secondsSince, toolPath } from './lib/run.mjs';
import { ROOT, sourceHash } from './lib/setup.mjs';

const ENTRIES = {
  index: 'src/index.ts',
  protocol: 'src/protocol/index.ts',
  testing: 'src/testing/index.ts',
  'cli/main': 'src/cli/main.ts',
};
const EXTERNAL = ['zod', 'zod/*', 'zod-to-json-schema', '@modelcontextprotocol/*', '@vscode/ripgrep'];
/** Sources of ours that hold data of others: which, and whose. The licence text is in scripts/licences/. */
const DATA = {
  'src/providers/catalogue-data.ts': 'models.dev',
  'src/providers/model-limits-data.ts': 'models.dev',
};
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

const start = performance.now();
const jsOnly = process.argv.includes('--js-only');
const staging = join(ROOT, `.build-${process.pid}`);
const hash = sourceHash();
process.once('exit', () => rmSync(staging, { recursive: true, force: true }));

const missing = Object.values(ENTRIES).filter((path) => !existsSync(join(ROOT, path)));
if (missing.length > 0) fail(`these entry files do not exist: ${missing.join(', ')}`);

const [metafile, declarations] = await Promise.all([bundle(), jsOnly ? null : emitDeclarations()]);
checkProtocolNeedsNoNode(metafile);
makeExecutable(join(staging, 'cli', 'main.js'));
writeFileSync(join(staging, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicences(metafile));
const schemas = await writeToolSchemas();
if (declarations !== null && declarations.code !== 0) fail(`the type declarations:\n${declarations.output}`);

writeFileSync(join(staging, '.build.json'), JSON.stringify({ hash, types: !jsOnly }));
swapIn();
console.log(`dist/ built in ${secondsSince(start)}: ${describe(metafile)}, ${schemas} tool schemas.`);

async function bundle() {
  try {
    const result = await build({
      absWorkingDir: ROOT,
      entryPoints: ENTRIES,
      outdir: staging,
      chunkNames: 'chunks/[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: EXTERNAL,
      minifyWhitespace: true,
      minifySyntax: true,
      // Names stay as they are, so stack traces can be read and error classes take their name from the class.
      minifyIdentifiers: false,
      // Their texts are in THIRD-PARTY-LICENSES.txt.
      legalComments: 'none',
      charset: 'utf8',
      metafile: true,
      logLevel: 'silent',
    });
    for (const warning of result.warnings) console.error(`warning: ${warning.text}`);
    return result.metafile;
  } catch (error) {
    const lines = error.errors?.map((e) => `${e.location?.file ?? ''}:${e.location?.line ?? ''} ${e.text}`);
    return fail(`the bundle:\n${lines?.join('\n') ?? error.stack}`);
  }
}

function emitDeclarations() {
  const args = [toolPath('typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json', '--outDir', join(staging, 'types')];
  return capture(process.execPath, args);
}

/** `turnwright/protocol` is for browsers too: nothing it loads may name a Node module. */
function checkProtocolNeedsNoNode(metafile) {
  const outputs = new Map(Object.entries(metafile.outputs));
  const queue = [...outputs.keys()].filter((path) => path.endsWith('/protocol.js'));
  const seen = new Set(queue);
  for (const path of queue) {
    for (const { path: target, external } of outputs.get(path)?.imports ?? []) {
      if (external) fail(`dist/protocol.js loads ${target}; it must need no Node and no package`);
      if (!seen.has(target)) {
        seen.add(target);
        queue.push(target);
      }
    }
  }
}

function makeExecutable(path) {
  const code = readFileSync(path, 'utf8');
  if (!code.startsWith('#!')) writeFileSync(path, `#!/usr/bin/env node\n${code}`);
  chmodSync(path, 0o755);
}

/** The licence text of all packages and data in the bundles. A package without one fails the build. */
function thirdPartyLicences(metafile) {
  const bundled = new Set();
  const data = new Set();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (match && bytesInOutput > 0) bundled.add(match[1]);
      if (DATA[input] !== undefined && bytesInOutput > 0) data.add(DATA[input]);
    }
  }
  const parts = [...bundled].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${licenceText(join(ROOT, folder), name)}\n`;
  });
  const gone = Object.keys(DATA).filter((path) => !data.has(DATA[path]));
  if (gone.length > 0)
    fail(`data with a licence is no longer where DATA in scripts/build.mjs says: ${gone.join(', ')}`);
  for (const name of data) parts.push(`${name} (data)\n\n${licenceText(null, name)}\n`);
  const intro = 'Parts of these packages and data are included in the files of this folder, under the terms below.\n';
  return [intro, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** The text a package brings, or the one we keep where there is none in its folder (scripts/licences/). */
function licenceText(folder, name) {
  const files = folder === null ? [] : readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const kept = join(ROOT, 'scripts', 'licences', `${name.replace('/', '__')}.txt`);
  if (files.length > 0) return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  if (!existsSync(kept)) fail(`${name} is bundled but brings no licence text; put it into ${kept}`);
  return readFileSync(kept, 'utf8').trim();
}

/** Writes schemas/<Tool>.json from the built package itself. Returns how many. */
async function writeToolSchemas() {
  const library = await import(pathToFileURL(join(staging, 'index.js')).href);
  if (typeof library.getTools !== 'function') {
    fail('src/index.ts must export getTools(): the JSON Schemas of the tools come from it');
  }
  const tools = await library.getTools();
  mkdirSync(join(staging, 'schemas'));
  for (const tool of tools) {
    writeFileSync(join(staging, 'schemas', `${tool.name}.json`), `${JSON.stringify(tool.inputSchema, null, 2)}\n`);
  }
  if (tools.length === 0) fail('getTools() returned no tools');
  return tools.length;
}

function swapIn() {
  const dist = join(ROOT, 'dist');
  const old = `${staging}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(staging, dist);
  rmSync(old, { recursive: true, force: true });
}

function describe(metafile) {
  const paths = Object.values(ENTRIES);
  const entries = Object.entries(metafile.outputs).filter(([, output]) => paths.includes(output.entryPoint));
  const total = Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
  const names = entries.map(([path, { bytes }]) => `${basename(path)} ${Math.ceil(bytes / 1024)} KB`);
  return `${names.join(', ')}, ${Math.ceil(total / 1024)} KB in all`;
}

function fail(reason) {
  process.stderr.write(`Build failed: ${reason}\n`);
  process.exit(1);
}
