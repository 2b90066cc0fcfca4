// Builds dist/: bundled ESM that shares chunks, type declarations, JSON Schemas of the tools and third-party
// licences. Built aside and swapped in whole, so that nobody sees half a build.
// Usage: node scripts/build.mjs [--js-only] [--sizes]   (--js-only leaves out the declarations and what is made of types, --sizes tells what a start loads)
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { scriptedModule, withScriptsByName, writeCaches, writeScripts } from './lib/chunk-scripts.mjs';
import { capture, secondsSince, toolPath } from './lib/run.mjs';
import { readSettingsSchema } from './lib/settings-schema.mjs';
import { ROOT, readJson, sourceHash } from './lib/setup.mjs';

const ENTRIES = {
  index: 'src/index.ts',
  protocol: 'src/protocol/index.ts',
  testing: 'src/testing/index.ts',
  claude: 'src/claude.ts',
  qoder: 'src/qoder.ts',
  'sdk-tools': 'src/sdk-tools.ts',
  'cli/main': 'src/cli/main.ts',
  // Run in threads of their own, by their names.
  'pdf-pages': 'src/tools/files/pdf-pages.ts',
  'page-markdown': 'src/providers/web/page-markdown.ts',
  // A thread of its own, which `imports` of package.json names.
  'script-worker': 'src/host/scripts/script-worker.ts',
};
const EXTERNAL = [/^node:/, '@vscode/ripgrep', '@opentelemetry/api', 'sharp', '@napi-rs/canvas'];
/** Schemas of the user's own are made with the user's own Zod. Protocols bring one that nobody sees. */
const ZOD = /^zod($|\/|-)/;
const BRINGS_ZOD = /node_modules[\\/]@(agentclientprotocol|modelcontextprotocol)[\\/]/;
/**
 * What is loaded together stands in one file: each file of its own costs a start a third of a millisecond. A group
 * takes what its files import, and leaves what they load later; the first group that fits wins.
 */
const GROUPS = [
  // For browsers too, so it may share a file with nothing that needs Node. What the session and what draws both use of
  // texts stands with it: else the terminal would load a session before its first frame.
  {
    name: 'protocol',
    files: [
      'src/protocol/index.ts',
      'src/util/text.ts',
      'src/util/media-headers.ts',
      'src/util/json.ts',
      'src/util/version.ts',
      'src/view/escape-text.ts',
      'src/view/figures.ts',
      'src/view/task-list.ts',
      'src/view/width.ts',
    ],
  },
  // What a session on this machine needs for a prompt with an answer of a model that is reached over the network.
  {
    name: 'core',
    // It starts from the code cache: 50 KB that a start loaded one by one cost it less CPU in here. What is over is told with
    // the rooms that it consists of; whether a start is fast enough, `npm run bench` says.
    expectedBytes: 440_000,
    files: [
      'src/sdk/query.ts',
      'src/session/query-engine.ts',
      'src/host/node-host.ts',
      // Small, and for whatever comes next.
      'src/util/map-bounded.ts',
    ],
  },
  // What only the command line needs: to read it, and to run one prompt.
  { name: 'command-line', files: ['src/cli/command-line.ts'] },
  { name: 'print-mode', files: ['src/cli/lines/print-mode.ts'] },
  // Published by the SDK, so every program that imports it loads them: without what reads settings or commands. What they
  // share with a session stands here, so that an import of the SDK does not load that as well.
  {
    name: 'published',
    files: [
      'src/permissions/decide.ts',
      'src/permissions/rule.ts',
      'src/providers/text-calls/tool-call-text.ts',
      'src/sdk/models/auth.ts',
      'src/sdk/tools/tool.ts',
      'src/sdk/permissions/permissions.ts',
      'src/sdk/settings/resolve-settings.ts',
      'src/sdk/sessions.ts',
      'src/sdk/startup.ts',
      'src/session/store/session-stores.ts',
      'src/session/store/session-facts.ts',
    ],
  },
  // How messages look, to every face: without it, lines would load the terminal.
  { name: 'view', files: ['src/view/items.ts'] },
  // The terminal, for whoever sits at one: its first frame, and what a session at it needs.
  { name: 'terminal', files: ['src/tui/run-terminal.ts'] },
  { name: 'terminal-session', files: ['src/tui/run-session.ts'] },
  // What the first call of one tool loads, its neighbours use too.
  {
    name: 'file-tools',
    files: ['src/tools/files/index.ts'],
  },
  // What a session that goes on with an earlier one reads before its first request.
  { name: 'resume', files: ['src/sdk/sessions/resume-options.ts'] },
  { name: 'settings', files: ['src/session/settings/open-settings.ts', 'src/sdk/settings/apply-settings.ts'] },
  { name: 'subagents', files: ['src/tools/agent/delegate.ts', 'src/session/agents/spawn-agent.ts'] },
  // What every MCP server has; beside the published client, all of them would load that.
  {
    name: 'mcp',
    files: ['src/mcp/transport.ts', 'src/mcp/http/http-definition.ts'],
  },
  // MCP servers over HTTP: the published client, which nothing else needs.
  {
    name: 'mcp-http',
    files: ['src/mcp/http/open-http-server.ts'],
  },
  { name: 'search-tools', files: ['src/tools/search/index.ts'] },
];
/** `scripts/lib/warm-scripts.mjs` opens the terminal by its name. */
const KEPT_FACADE = 'run-terminal';

/** Sources of ours that hold data of others: which, and whose. The licence text is in scripts/licences/. */
const DATA = {
  'src/providers/models/catalogue-data.ts': 'models.dev',
  'src/providers/models/model-limits-data.ts': 'models.dev',
};
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/**
 * A segmenter of graphemes and patterns of Unicode properties cost 17 ms to make, of which texts in ASCII need none: the
 * terminal's library gets each with the first text that does.
 */
const UNICODE_ON_DEMAND = {
  name: 'unicode-on-demand',
  transform: {
    filter: { id: /@earendil-works[\\/]pi-tui[\\/]dist[\\/]utils\.js$/ },
    handler(code) {
      const late = (name, made, method) => {
        const eager = `const ${name} = ${made};`;
        if (!code.includes(eager)) throw new Error(`the terminal's library has another ${name} now`);
        const value = `${name}Made`;
        const call = `(${value} === undefined ? (${value} = ${made}) : ${value})`;
        const given = method === 'replace' ? '[Symbol.replace]: (text, by) =>' : `${method}: (text) =>`;
        const does = method === 'replace' ? `text.replace(${call}, by)` : `${call}.${method}(text)`;
        return [eager, `let ${value}; const ${name} = { ${given} ${does} };`];
      };
      const parts = [
        late('segmenter', 'new Intl.Segmenter(undefined, { granularity: "grapheme" })', 'segment'),
        late('rgiEmojiRegex', String.raw`/^\p{RGI_Emoji}$/v`, 'test'),
        late(
          'zeroWidthRegex',
          String.raw`/^(?:\p{Default_Ignorable_Code_Point}|\p{Control}|\p{Mark}|\p{Surrogate})+$/v`,
          'test',
        ),
        late(
          'leadingNonPrintingRegex',
          String.raw`/^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mark}\p{Surrogate}]+/v`,
          'replace',
        ),
      ];
      return { code: parts.reduce((text, [eager, instead]) => text.replace(eager, () => instead), code), map: null };
    },
  },
};

const start = performance.now();
const jsOnly = process.argv.includes('--js-only');
const SHOWS_SIZES = process.argv.includes('--sizes');
const staging = join(ROOT, `.build-${process.pid}`);
const hash = sourceHash();
process.once('exit', () => rmSync(staging, { recursive: true, force: true }));

const missing = Object.values(ENTRIES).filter((path) => !existsSync(join(ROOT, path)));
if (missing.length > 0) fail(`these entry files do not exist: ${missing.join(', ')}`);

const [chunks, declarations, messages] = await Promise.all([
  bundle(),
  jsOnly ? null : emitDeclarations(),
  jsOnly ? null : capture(process.execPath, [join(ROOT, 'scripts', 'message-schemas.mjs')]),
]);
checkGroups(chunks);
checkProtocolNeedsNoNode(chunks);
makeExecutable(join(staging, 'cli', 'main.js'));
// What is built aside finds its parts by a manifest of its own until it is in its place.
const manifest = join(staging, 'package.json');
writeFileSync(manifest, JSON.stringify({ type: 'module', imports: asStaged(readJson('package.json').imports) }));
copyFileSync(
  join(ROOT, 'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm'),
  join(staging, 'quickjs.wasm'),
);
const scripts = writeScripts(staging, chunks);
writeFileSync(join(staging, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicences(chunks));
const schemas = await writeToolSchemas();
if (declarations !== null && declarations.code !== 0) fail(`the type declarations:\n${declarations.output}`);
if (messages !== null && messages.code !== 0) fail(`the schema of messages:\n${messages.output}`);
if (messages !== null) writeFileSync(join(staging, 'schemas', 'messages.json'), messages.stdout);

const noCache = await writeCaches(
  staging,
  scripts.map(({ script }) => script),
);
if (noCache !== null) console.error(`warning: no code cache, so each start takes longer: ${noCache}`);

writeFileSync(join(staging, '.build.json'), JSON.stringify({ hash, types: !jsOnly, modules: modulesOf(chunks) }));
rmSync(manifest);
swapIn();
console.log(`dist/ built in ${secondsSince(start)}: ${describe(chunks)}, ${schemas} tool schemas.`);

/** @returns the files written, as rolldown describes them */
async function bundle() {
  try {
    const bundler = await rolldown({
      cwd: ROOT,
      input: ENTRIES,
      external: isExternal,
      platform: 'node',
      // Its main file is for module loaders that no bundler is.
      resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
      transform: { target: 'node20' },
      // Of the terminal's library only what is used: it does not say itself that its files only declare.
      treeshake: {
        moduleSideEffects: [{ test: /node_modules[\\/]@earendil-works[\\/]pi-tui[\\/]/, sideEffects: false }],
      },
      onLog: tellWarning,
      plugins: [UNICODE_ON_DEMAND],
    });
    const { output } = await bundler.write({
      dir: staging,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: ({ name }) => scriptedModule(name) ?? 'chunks/[name]-[hash].js',
      codeSplitting: {
        groups: GROUPS.map(({ name, files }, at) => ({ name, test: isOneOf(files), priority: GROUPS.length - at })),
      },
      // Functions and classes keep their names, so stack traces can be read and errors take theirs from the class.
      minify: { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: true } },
      // Their texts are in THIRD-PARTY-LICENSES.txt.
      comments: { legal: false },
    });
    await bundler.close();
    return withoutFacades(output.filter(({ type }) => type === 'chunk')).map(writeAscii);
  } catch (error) {
    return fail(`the bundle:\n${error.message}`);
  }
}

/**
 * For whatever is loaded late out of a shared file the bundler writes one more that only gives its exports their names. Each
 * costs a start half a millisecond: here the names are given where the file is imported.
 */
function withoutFacades(chunks) {
  const facades = new Map();
  for (const { name, fileName, code, isEntry } of chunks) {
    const [, exports, target] = /^export\{([^}]*)\}from["'`]\.\/([\w.-]+\.js)["'`];\s*$/.exec(code) ?? [];
    if (target === undefined || isEntry || dirname(fileName) !== 'chunks') continue;
    const names = exports
      .split(',')
      .map((each) => /^([\w$]+)(?: as ([\w$]+))?$/.exec(each) ?? fail(`${fileName}: ${each}`));
    facades.set(basename(fileName), { name, target, fields: names.map(([, own, given = own]) => `${given}:e.${own}`) });
  }
  const direct = (whole, place, file) => {
    const facade = facades.get(file);
    return facade === undefined
      ? whole
      : `import(\`${place}${facade.target}\`).then(e=>({${facade.fields.join(',')}}))`;
  };
  const isKept = ({ fileName, name }) => !facades.has(basename(fileName)) || name === KEPT_FACADE;
  for (const { fileName } of chunks.filter((chunk) => !isKept(chunk))) rmSync(join(staging, fileName));
  return chunks.filter(isKept).map(({ code, ...chunk }) => ({
    ...chunk,
    code: code.replace(/\bimport\(`((?:\.{1,2}\/)+(?:chunks\/)?)([\w.-]+\.js)`\)/g, direct),
  }));
}

/**
 * Writes a chunk again in ASCII: for one character beyond, the engine keeps the whole file in two bytes a character and
 * reads it slower. An escape means the same in all text and expressions, but behind a backslash and in raw text.
 */
function writeAscii({ name, fileName, code, imports, modules, moduleIds }) {
  if (/\.raw\b\s*`[^`]*[^\0-\x7f]|\\[^\0-\x7f]/.test(code))
    fail(`${fileName} has text that cannot be written in ASCII as it is`);
  // Without the flag u, the two halves of a character beyond 16 bits are matched one by one.
  const ascii = code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const named = withScriptsByName(withStableCopies(ascii));
  writeFileSync(join(staging, fileName), named);
  return { name, fileName, code: named, imports, modules, moduleIds };
}

/**
 * In Node 20 an object that begins as a copy of another (`{ ...a, b }`) gets a hidden class of its own each time: it takes a
 * microsecond and 300 bytes, and whatever reads it afterwards is slow too. A copy into an object that is there takes a
 * twentieth of that, and means the same.
 */
function withStableCopies(code) {
  const begins = [];
  const look = (node) => {
    if (node.type === 'ObjectExpression' && node.properties[0]?.type === 'SpreadElement') begins.push(node.start + 1);
    for (const part of Object.values(node))
      for (const each of Array.isArray(part) ? part : [part]) if (typeof each?.type === 'string') look(each);
  };
  look(parseAst(code));
  let text = '';
  let from = 0;
  for (const at of begins.sort((a, b) => a - b)) {
    text += `${code.slice(from, at)}...{},`;
    from = at;
  }
  return text + code.slice(from);
}

function isExternal(id, importer = '') {
  if (ZOD.test(id)) return !BRINGS_ZOD.test(importer);
  return EXTERNAL.some((known) => (typeof known === 'string' ? known === id : known.test(id)));
}

/** One that is loaded both ways is meant so: a session loads what its caller has mostly loaded already. */
function tellWarning(level, { code, message }) {
  if (level === 'warn' && code !== 'INEFFECTIVE_DYNAMIC_IMPORT') console.error(`warning: ${message}`);
}

function isOneOf(files) {
  const paths = files.map((file) => join(ROOT, file));
  return (id) => paths.includes(id);
}

/** A file that was moved, or code that is loaded too soon, would make every start slower without a word. */
function checkGroups(chunks) {
  for (const { name, files, expectedBytes = Number.POSITIVE_INFINITY } of GROUPS) {
    const own = chunks.filter((chunk) => chunk.name === name);
    const bytes = own.reduce((sum, { code }) => sum + code.length, 0);
    if (bytes > expectedBytes)
      console.warn(`warning: ${name} has ${bytes} bytes, more than ${expectedBytes}: is all of it needed at a start?`);
    if (bytes > expectedBytes || (SHOWS_SIZES && expectedBytes !== Number.POSITIVE_INFINITY))
      console.log(sizesOf(name, own));
    const found = new Set(chunks.filter((chunk) => chunk.name === name).flatMap(({ moduleIds }) => moduleIds));
    const lost = files.filter((file) => !found.has(join(ROOT, file)) && !isEntry(file));
    if (lost.length > 0) fail(`GROUPS in scripts/build.mjs: ${lost.join(', ')} did not go into ${name}`);
  }
}

/** What a group consists of, by room: kilobytes before names are shortened, the largest first. */
function sizesOf(name, chunks) {
  const sizes = new Map();
  for (const { modules } of chunks)
    for (const [id, { renderedLength }] of Object.entries(modules)) {
      const room = relative(ROOT, dirname(id)).replace(/^.*node_modules\//, '');
      sizes.set(room, (sizes.get(room) ?? 0) + renderedLength);
    }
  const rows = [...sizes]
    .sort(([, a], [, b]) => b - a)
    .map(([room, size]) => `  ${(size / 1_000).toFixed(1).padStart(6)} KB  ${room}`);
  return [`What ${name} holds, in source:`, ...rows].join('\n');
}

function isEntry(file) {
  return Object.values(ENTRIES).includes(file);
}

function emitDeclarations() {
  const args = [toolPath('typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json', '--outDir', join(staging, 'types')];
  return capture(process.execPath, args);
}

/** `turnwright/protocol` is for browsers too: nothing it loads may name a Node module or a package. */
function checkProtocolNeedsNoNode(chunks) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const queue = ['protocol.js'];
  for (const name of queue) {
    for (const target of byName.get(name).imports) {
      if (!byName.has(target)) fail(`dist/protocol.js loads ${target}; it must need no Node and no package`);
      if (!queue.includes(target)) queue.push(target);
    }
  }
}

function makeExecutable(path) {
  const code = readFileSync(path, 'utf8');
  if (!code.startsWith('#!')) writeFileSync(path, `#!/usr/bin/env node\n${code}`);
  chmodSync(path, 0o755);
}

/** The licence text of all packages and data in the bundles. A package without one fails the build. */
function thirdPartyLicences(chunks) {
  const bundled = new Set();
  const data = new Set();
  for (const { modules } of chunks) {
    for (const [id, { renderedLength }] of Object.entries(modules)) {
      const path = relative(ROOT, id);
      const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
      if (match && renderedLength > 0) bundled.add(match[1]);
      if (DATA[path] !== undefined && renderedLength > 0) data.add(DATA[path]);
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

/** The text a package brings, or the one we keep if there is none in its folder (scripts/licences/). */
function licenceText(folder, name) {
  const files = folder === null ? [] : readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const kept = join(ROOT, 'scripts', 'licences', `${name.replace('/', '__')}.txt`);
  if (files.length > 0) return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  if (!existsSync(kept)) fail(`${name} is bundled but brings no licence text; put it into ${kept}`);
  return readFileSync(kept, 'utf8').trim();
}

/** Which sources each file holds code of, for the test of what a start loads. */
function modulesOf(chunks) {
  const sources = ({ modules }) =>
    Object.entries(modules)
      .filter(([, { renderedLength }]) => renderedLength > 0)
      .map(([id]) => relative(ROOT, id).replaceAll('\\', '/'));
  const files = chunks.map((chunk) => [chunk.fileName, sources(chunk)]);
  return Object.fromEntries([...files, ...scripts.map(({ chunk, script }) => [script, sources(chunk)])]);
}

/** Writes schemas/<Tool>.json from the built package itself, and that of the settings. Returns how many tools. */
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
  writeFileSync(join(staging, 'schemas', 'settings.json'), `${JSON.stringify(await readSettingsSchema(), null, 2)}\n`);
  if (tools.length === 0) fail('getTools() returned no tools');
  return tools.length;
}

/** The same with paths from `dist/` on. */
function asStaged(imports) {
  return JSON.parse(JSON.stringify(imports).replaceAll('"./dist/', '"./'));
}

function swapIn() {
  const dist = join(ROOT, 'dist');
  const old = `${staging}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(staging, dist);
  rmSync(old, { recursive: true, force: true });
}

function describe(chunks) {
  const kilobytes = (files) => Math.ceil(files.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0) / 1024);
  const core = chunks.filter(({ name }) => GROUPS.some((group) => group.name === name));
  const names = core.map((chunk) => `${chunk.name} ${kilobytes([chunk])} KB`);
  return `${names.join(', ')}, ${kilobytes(chunks)} KB in all`;
}

function fail(reason) {
  process.stderr.write(`Build failed: ${reason}\n`);
  process.exit(1);
}
