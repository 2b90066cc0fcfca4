// Figures of the house: files, lines, files with one importer, places that load on demand. For a decision record, and for
// whoever looks for fragments. Usage: node scripts/figures.mjs [--singles] [--doors]
//
// An importer is whoever names something of a file, types included; doors are looked through, and published entries count as
// importers. A file that only re-exports is a door. A row is a file whose only importer is a list: a door, a tool, a program,
// a topic of options.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { LISTS_OF_DOORS } from './lib/doors.mjs';
import { listFiles, ROOT } from './lib/setup.mjs';

const ENTRIES = ['index', 'claude', 'qoder', 'sdk-tools', 'protocol/index', 'testing/index'].map(
  (name) => `src/${name}.ts`,
);
const LISTS = [
  ...LISTS_OF_DOORS,
  'src/permissions/shell/programs/programs.ts',
  'src/sdk/options/declared/index.ts',
  'src/tools/builtin.ts',
  'src/tui/pagers/open-panel.ts',
];

const paths = listFiles('src', ['.ts']);
const files = new Map(paths.map((path) => [path, read(path)]));
const importers = new Map(paths.map((path) => [path, new Set()]));
for (const [path, { imports, exports }] of files) {
  const named = ENTRIES.includes(path) ? [...imports, ...exports] : imports;
  for (const { from, name } of named)
    for (const home of homesOf(from, name)) if (home !== path) importers.get(home).add(path);
}

const singles = paths
  .filter((path) => !files.get(path).isDoor && importers.get(path).size === 1)
  .map((path) => ({ path, lines: files.get(path).lines, by: [...importers.get(path)][0] }));
const isRow = ({ path, by }) => LISTS.includes(by) || ENTRIES.includes(by) || path.endsWith('.generated.ts');
const loading = paths.filter((path) => files.get(path).loads > 0);
const lines = paths.map((path) => files.get(path).lines).sort((a, b) => a - b);

if (process.argv.includes('--singles'))
  for (const { path, lines: count, by } of singles.filter((each) => !isRow(each)).sort((a, b) => a.lines - b.lines))
    console.log(`${String(count).padStart(4)}  ${path} <- ${by}`);
if (process.argv.includes('--doors')) for (const path of loading) console.log(`${files.get(path).loads}  ${path}`);
console.log({
  files: paths.length,
  lines: lines.reduce((sum, count) => sum + count, 0),
  median: lines[lines.length >> 1],
  doors: paths.filter((path) => files.get(path).isDoor).length,
  'files with one importer': singles.length,
  'of these rows of a list': singles.filter(isRow).length,
  'files that load on demand': loading.length,
  'import() in them': loading.reduce((sum, path) => sum + files.get(path).loads, 0),
});

function read(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const imports = [];
  const exports = [];
  let loads = 0;
  const target = (specifier) => join(dirname(path), specifier.text).replace(/\.js$/, '.ts');
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) {
      const bindings = node.importClause?.namedBindings;
      const names = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [];
      const from = target(node.moduleSpecifier);
      imports.push(...names.map(({ propertyName, name }) => ({ from, name: (propertyName ?? name).text })));
      if (names.length === 0) imports.push({ from, name: '*' });
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
      const from = target(node.moduleSpecifier);
      const names = node.exportClause?.elements ?? [];
      exports.push(
        ...names.map(({ propertyName, name }) => ({ from, as: name.text, name: (propertyName ?? name).text })),
      );
      if (names.length === 0) exports.push({ from, as: '*', name: '*' });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      loads += 1;
      if (ts.isStringLiteral(node.arguments[0])) imports.push({ from: target(node.arguments[0]), name: '*' });
    } else if (ts.isImportTypeNode(node)) {
      imports.push({ from: target(node.argument.literal), name: node.qualifier?.getText() ?? '*' });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const isDoor = source.statements.length > 0 && source.statements.every(ts.isExportDeclaration);
  return { imports, exports, loads, isDoor, lines: text.trimEnd().split('\n').length };
}

/** The files that a name of a file is of, through doors. */
function homesOf(path, name) {
  const file = files.get(path);
  if (file === undefined) return [];
  if (name === '*') return [path, ...file.exports.flatMap((each) => homesOf(each.from, each.name))];
  const given = file.exports.filter(({ as }) => as === name || as === '*');
  if (given.length === 0) return [path];
  return given.flatMap((each) => homesOf(each.from, each.as === '*' ? name : each.name));
}
