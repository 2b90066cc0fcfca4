// Writes api/: one declaration file for each entry point, with everything that its names need, so that a person can
// read the published surface and a review sees how a change changes it. `--check` fails when a file is out of date, or
// does not compile by itself.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import ts from 'typescript';
import { capture, toolPath } from './lib/run.mjs';
import { ROOT } from './lib/setup.mjs';

const FOLDER = join(ROOT, 'api');
/** In this order: a name is declared where it comes first, and later entry points import it from there. */
const ENTRY_POINTS = [
  { name: 'turnwright/protocol', source: 'src/protocol/index.ts', file: 'protocol.d.ts' },
  { name: 'turnwright', source: 'src/index.ts', file: 'index.d.ts' },
  { name: 'turnwright/testing', source: 'src/testing/index.ts', file: 'testing.d.ts' },
  { name: 'turnwright/claude', source: 'src/claude.ts', file: 'claude.d.ts' },
  { name: 'turnwright/qoder', source: 'src/qoder.ts', file: 'qoder.d.ts' },
  { name: 'turnwright/sdk-tools', source: 'src/sdk-tools.ts', file: 'sdk-tools.d.ts' },
];

const options = compilerOptions();
const emitted = emitDeclarations();
const program = programOver(emitted);
const checker = program.getTypeChecker();

const written = new Map();
/** Which entry point exports a symbol first, and as what. */
const homes = new Map();
let count = 0;
for (const entry of ENTRY_POINTS) written.set(entry.file, await formatted(rollUp(entry), entry.file));

if (process.argv.includes('--check')) await check();
else {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const [file, text] of written) writeFileSync(join(FOLDER, file), text);
  console.log(`api/: ${count} names in ${written.size} files`);
}

function compilerOptions() {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  return { ...parsed.options, rootDir: join(ROOT, 'src') };
}

/** Declaration files as the package has them, by their path beside the source. Nothing is written to disk. */
function emitDeclarations() {
  const files = new Map();
  const sources = ENTRY_POINTS.map(({ source }) => join(ROOT, source));
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true };
  ts.createProgram(sources, { ...options, ...emit }).emit(undefined, (_path, content, _mark, _onError, from) => {
    const [source] = from ?? [];
    if (source !== undefined) files.set(source.fileName.replace(/\.ts$/, '.d.ts'), content);
  });
  return files;
}

function programOver(files) {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const isSource = (path) => path.startsWith(join(ROOT, 'src')) && !path.endsWith('.d.ts');
  host.fileExists = (path) => files.has(path) || (!isSource(path) && fileExists.call(host, path));
  host.readFile = (path) => files.get(path) ?? readFile.call(host, path);
  host.getSourceFile = (path, language, ...rest) =>
    files.has(path)
      ? ts.createSourceFile(path, files.get(path), language, true)
      : getSourceFile.call(host, path, language, ...rest);
  const roots = ENTRY_POINTS.map(({ source }) => join(ROOT, source).replace(/\.ts$/, '.d.ts'));
  return ts.createProgram(roots, { ...options, noEmit: true, skipLibCheck: true }, host);
}

/** One entry point, whole: what it exports, and what that needs and nobody exports. */
function rollUp({ name, source, file }) {
  const exported = exportsOf(source);
  const own = new Map();
  const imported = new Map();
  const outside = new Map();
  const again = [];
  const names = new Map();

  for (const { name: as, symbol } of exported) {
    const home = homes.get(symbol);
    if (home === undefined) add(symbol, as);
    else again.push({ as, home });
  }
  for (const symbol of own.keys()) for (const part of partsOf(symbol)) visit(part);

  const bodies = [...own.keys()].flatMap((symbol) => partsOf(symbol).map((part) => ({ symbol, part })));
  bodies.sort(inOrder);
  const sections = [];
  let section = '';
  const done = new Set();
  for (const { symbol, part } of bodies) {
    if (done.has(part)) continue;
    done.add(part);
    const from = relative(join(ROOT, 'src'), part.getSourceFile().fileName).replace(/\.d\.ts$/, '.ts');
    if (from !== section) sections.push(`// ${from}`);
    section = from;
    sections.push(printed(part, symbol));
  }
  const others = exported.filter(({ as, name: n, symbol }) => own.has(symbol) && (as ?? n) !== own.get(symbol).name);
  for (const { name: as, symbol } of exported) if (!homes.has(symbol)) homes.set(symbol, { file, as });
  count += exported.length;

  return [
    `// The published surface of \`${name}\`. Written by \`npm run api\`; a change here is a change for users.`,
    [...outside].map(([module, list]) => outsideImport(module, list)).join('\n'),
    importLines(imported),
    again.length === 0 ? '' : reExports(again),
    sections.join('\n\n'),
    others.length === 0 ? '' : `export { ${others.map((o) => `${own.get(o.symbol).name} as ${o.name}`).join(', ')} };`,
    // Without it every declaration of the file would count as exported.
    'export {};',
  ]
    .filter((text) => text !== '')
    .join('\n\n');

  function add(symbol, as) {
    if (own.has(symbol)) return;
    const declared = symbol.name === 'default' ? (as ?? 'value') : symbol.name;
    let local = as !== undefined && !names.has(as) && as === declared ? as : declared;
    for (let n = 1; names.has(local) && names.get(local) !== symbol; n++) local = `${declared}_${n}`;
    names.set(local, symbol);
    own.set(symbol, { name: local, isExported: as !== undefined && as === local });
  }

  /** What a declaration speaks of is declared here too, or imported. */
  function visit(part) {
    each(part, (node) => {
      const symbol = meant(node);
      if (symbol === undefined) return;
      const foreign = outsideOf(node, symbol);
      if (foreign !== undefined) return void listed(outside, foreign.module).set(foreign.name, foreign.as);
      if (!isOurs(symbol) || own.has(symbol)) return;
      const home = homes.get(symbol);
      if (home === undefined) add(symbol, undefined);
      else listed(imported, home.file).set(home.as, localOf(home.as, symbol));
    });
  }

  function localOf(as, symbol) {
    for (let n = 0; ; n++) {
      const local = n === 0 ? as : `${as}_${n}`;
      if (names.has(local) && names.get(local) !== symbol) continue;
      names.set(local, symbol);
      return local;
    }
  }

  function nameHere(symbol) {
    if (own.has(symbol)) return own.get(symbol).name;
    const home = homes.get(symbol);
    return home === undefined ? undefined : imported.get(home.file)?.get(home.as);
  }

  function printed(part, symbol) {
    const text = part.getFullText();
    const start = part.getFullStart();
    const edits = [];
    each(part, (node) => {
      const target = meant(node);
      const here = target === undefined ? undefined : nameHere(target);
      if (here === undefined) return;
      if (ts.isImportTypeNode(node)) {
        const end = node.qualifier === undefined ? node.getEnd() : node.qualifier.getEnd();
        edits.push([node.getStart() - start, end - start, `${node.isTypeOf ? 'typeof ' : ''}${here}`]);
      } else if (node.text !== here) edits.push([node.getStart() - start, node.getEnd() - start, here]);
    });
    for (const modifier of part.modifiers ?? []) {
      if (modifier.kind === ts.SyntaxKind.ExportKeyword || modifier.kind === ts.SyntaxKind.DefaultKeyword)
        edits.push([modifier.getStart() - start, modifier.getEnd() - start, '']);
    }
    let out = text;
    for (const [from, to, by] of edits.sort((a, b) => b[0] - a[0])) out = out.slice(0, from) + by + out.slice(to);
    const { isExported } = own.get(symbol);
    const comment = /^\s*(?:\/\*\*[\s\S]*?\*\/\s*)?/.exec(out)?.[0] ?? '';
    const code = out.slice(comment.length).trim();
    const bare = /^(declare|interface|type)\b/.test(code) ? code : `declare ${code}`;
    return `${comment.trim()}\n${isExported ? 'export ' : ''}${bare}`.trim();
  }
}

function exportsOf(source) {
  const file = program.getSourceFile(join(ROOT, source).replace(/\.ts$/, '.d.ts'));
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(file))
    .map((symbol) => ({ name: symbol.name, symbol: resolved(symbol) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function resolved(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The statements that declare it. */
function partsOf(symbol) {
  const statements = (symbol.declarations ?? []).map((declaration) => {
    let node = declaration;
    while (node.parent !== undefined && !ts.isSourceFile(node.parent)) node = node.parent;
    return node;
  });
  return [...new Set(statements)].filter(
    (statement) => !ts.isSourceFile(statement) && emitted.has(statement.getSourceFile().fileName),
  );
}

function isOurs(symbol) {
  return partsOf(symbol).some((part) =>
    symbol.declarations.some(
      (declaration) =>
        declaration === part || (ts.isVariableDeclaration(declaration) && declaration.parent.parent === part),
    ),
  );
}

/** Every name, `Module.name` and `import('…')` type below a node. */
function each(node, visit) {
  if (ts.isIdentifier(node) || ts.isImportTypeNode(node) || isOfModule(node)) visit(node);
  ts.forEachChild(node, (child) => each(child, visit));
}

/** `Module.name` of an `import * as Module` of ours. */
function isOfModule(node) {
  if (!ts.isQualifiedName(node) || !ts.isIdentifier(node.left)) return false;
  const module = checker.getSymbolAtLocation(node.left);
  const file = module === undefined ? undefined : resolved(module).declarations?.[0];
  return file !== undefined && ts.isSourceFile(file) && emitted.has(file.fileName);
}

/** The symbol of a top level that a name means; undefined for members, parameters and the like. */
function meant(node) {
  if (ts.isImportTypeNode(node)) {
    const symbol = checker.getSymbolAtLocation(node.qualifier ?? node.argument.literal);
    return symbol === undefined ? undefined : resolved(symbol);
  }
  if (ts.isQualifiedName(node)) return resolved(checker.getSymbolAtLocation(node.right));
  const { parent } = node;
  if (isOfModule(parent)) return undefined;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return undefined;
  if (ts.isQualifiedName(parent) && parent.right === node) return undefined;
  if (ts.isImportTypeNode(parent)) return undefined;
  const symbol = checker.getSymbolAtLocation(node);
  if (symbol === undefined) return undefined;
  const found = resolved(symbol);
  return partsOf(found).length === 0 || isOurs(found) ? found : undefined;
}

/** A name that a file imports from a package. */
function outsideOf(node, symbol) {
  if (!ts.isIdentifier(node) || partsOf(symbol).length > 0) return undefined;
  const local = checker.getSymbolAtLocation(node);
  const [declaration] = local?.declarations ?? [];
  if (declaration === undefined || !ts.isImportSpecifier(declaration)) return undefined;
  const module = declaration.parent.parent.parent.moduleSpecifier.text;
  if (module.startsWith('.')) return undefined;
  return { module, name: (declaration.propertyName ?? declaration.name).text, as: declaration.name.text };
}

function listed(lists, key) {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list = new Map();
  lists.set(key, list);
  return list;
}

function outsideImport(module, list) {
  const names = [...list].map(([name, as]) => (name === as ? name : `${name} as ${as}`)).sort();
  return `import type { ${names.join(', ')} } from '${module}';`;
}

function importLines(imported) {
  return [...imported]
    .map(([file, list]) => {
      const names = [...list].map(([name, as]) => (name === as ? name : `${name} as ${as}`)).sort();
      return `import { ${names.join(', ')} } from './${file.replace('.d.ts', '.js')}';`;
    })
    .join('\n');
}

function reExports(again) {
  const files = new Map();
  for (const { as, home } of again) listed(files, home.file).set(home.as, as);
  return [...files]
    .map(([file, list]) => {
      const names = [...list].map(([name, as]) => (name === as ? name : `${name} as ${as}`));
      return `export { ${names.join(', ')} } from './${file.replace('.d.ts', '.js')}';`;
    })
    .join('\n');
}

function inOrder(a, b) {
  const [first, second] = [a, b].map(({ part }) => part.getSourceFile().fileName);
  if (first !== second) return first < second ? -1 : 1;
  return a.part.pos - b.part.pos;
}

/** As the formatter of the project has it. */
async function formatted(text, file) {
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const { execFileSync } = await import('node:child_process');
  return execFileSync(biome, ['format', `--stdin-file-path=${join('src', file)}`], {
    input: text,
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'pipe'],
  }).toString();
}

async function check() {
  const there = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  const stale = [...new Set([...there, ...written.keys()])].filter((file) => textOf(file) !== written.get(file));
  if (stale.length > 0) {
    console.error(`api: the published surface changed; run \`npm run api\` and review the diff of ${stale.join(', ')}`);
    for (const file of stale) console.error(difference(textOf(file), written.get(file) ?? ''));
    process.exit(1);
  }
  const tsc = toolPath('typescript', 'bin', 'tsc');
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2023'];
  const files = [...written.keys()].map((file) => join('api', file));
  const { code, output } = await capture(process.execPath, [
    tsc,
    ...flags,
    '--types',
    'node',
    '--ignoreConfig',
    ...files,
  ]);
  if (code !== 0) {
    console.error(output);
    process.exit(1);
  }
  console.log(`${count} names`);
}

function textOf(file) {
  const path = join(FOLDER, basename(file));
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function difference(before, after) {
  const old = new Set(before.split('\n'));
  const now = new Set(after.split('\n'));
  const gone = [...old].filter((line) => !now.has(line)).map((line) => `- ${line}`);
  const come = [...now].filter((line) => !old.has(line)).map((line) => `+ ${line}`);
  return [...gone, ...come].slice(0, 40).join('\n');
}
