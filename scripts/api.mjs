// Writes api.md: every exported name of every entry point, with its type on one line. Committed, so that a change of
// the published surface is a change in a review. `--check` fails where the file is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './lib/setup.mjs';

const API_FILE = join(ROOT, 'api.md');
/** In this order: a name is described where it comes first, and later entry points refer to it. */
const ENTRY_POINTS = [
  { name: 'turnwright/protocol', file: 'src/protocol/index.ts' },
  { name: 'turnwright', file: 'src/index.ts' },
  { name: 'turnwright/testing', file: 'src/testing/index.ts' },
  { name: 'turnwright/claude', file: 'src/claude.ts' },
  { name: 'turnwright/qoder', file: 'src/qoder.ts' },
  { name: 'turnwright/sdk-tools', file: 'src/sdk-tools.ts' },
];
const INTRO = `# Published surface

Written by \`npm run api\`; \`npm run check\` fails when it is out of date. A change here is a change for users.
`;
const PLURAL = { class: 'Classes', function: 'Functions', const: 'Constants', interface: 'Interfaces', type: 'Types' };

const missing = ENTRY_POINTS.filter(({ file }) => !existsSync(join(ROOT, file)));
if (missing.length > 0) fail(`no such entry file: ${missing.map(({ file }) => file).join(', ')}`);

const printer = ts.createPrinter({ removeComments: true });
const program = createProgram();
const checker = program.getTypeChecker();
const declarations = emitDeclarations();
const text = render();

if (!process.argv.includes('--check')) {
  writeFileSync(API_FILE, text);
  console.log(`api.md: ${text.split('\n- ').length - 1} names`);
} else if (existsSync(API_FILE) && readFileSync(API_FILE, 'utf8') === text) {
  console.log(`${text.split('\n- ').length - 1} names`);
} else {
  fail(`the published surface changed; run \`npm run api\` and review the diff\n${difference(text)}`);
}

function createProgram() {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const files = ENTRY_POINTS.map(({ file }) => join(ROOT, file));
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true };
  return ts.createProgram(files, { ...options, ...emit, rootDir: join(ROOT, 'src') });
}

/** Declaration files by the source file they come from, parsed. Nothing is written to disk. */
function emitDeclarations() {
  const emitted = new Map();
  program.emit(undefined, (_path, content, _mark, _onError, sources) => {
    const source = sources?.[0]?.fileName;
    if (source) emitted.set(source, ts.createSourceFile(`${source}.d.ts`, content, ts.ScriptTarget.ES2023, true));
  });
  return emitted;
}

function render() {
  const described = new Map();
  const sections = ENTRY_POINTS.map(({ name, file }) => {
    const lines = new Map(Object.keys(PLURAL).map((kind) => [kind, []]));
    for (const exported of exportsOf(file)) {
      const seenIn = described.get(exported.symbol);
      const { kind, signature } = describe(exported);
      const shown = seenIn ? `see \`${seenIn}\`` : code(signature);
      lines.get(kind).push(`- \`${exported.name}\`: ${shown}`);
      if (!seenIn) described.set(exported.symbol, name);
    }
    const groups = [...lines].filter(([, group]) => group.length > 0);
    return `## \`${name}\`\n\n${groups.map(([kind, group]) => `### ${PLURAL[kind]}\n\n${group.join('\n')}\n`).join('\n')}`;
  });
  return `${INTRO}\n${sections.join('\n')}`;
}

function exportsOf(file) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(ROOT, file)));
  if (!module) return [];
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({
      name: symbol.name,
      symbol: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The kind of an export and its declaration as the compiler publishes it, without comments, on one line. */
function describe({ name, symbol }) {
  const statements = (symbol.declarations ?? []).flatMap((declaration) => {
    const published = declarations.get(declaration.getSourceFile().fileName);
    return published ? publishedStatements(published, symbol.name) : [];
  });
  if (statements.length === 0) fail(`${name} has no declaration in src/`);
  const unique = [...new Set(statements)];
  return { kind: kindOf(unique[0]), signature: unique.map(print).join(' ') };
}

function publishedStatements(file, name) {
  return file.statements.filter((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.some((declaration) => declaration.name.getText() === name)
      : statement.name?.getText() === name,
  );
}

function kindOf(statement) {
  if (ts.isClassDeclaration(statement)) return 'class';
  if (ts.isFunctionDeclaration(statement)) return 'function';
  if (ts.isInterfaceDeclaration(statement)) return 'interface';
  return ts.isVariableStatement(statement) ? 'const' : 'type';
}

function print(statement) {
  const shown = ts.isClassDeclaration(statement) ? withoutPrivateMembers(statement) : statement;
  const line = printer.printNode(ts.EmitHint.Unspecified, shown, statement.getSourceFile()).replace(/\s+/g, ' ');
  return line
    .replace(/^export /, '')
    .replace(/^declare /, '')
    .trim();
}

function withoutPrivateMembers(statement) {
  const isPrivate = (member) =>
    (member.name && ts.isPrivateIdentifier(member.name)) ||
    member.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.PrivateKeyword);
  const members = statement.members.filter((member) => !isPrivate(member));
  const { modifiers, name, typeParameters, heritageClauses } = statement;
  return ts.factory.updateClassDeclaration(statement, modifiers, name, typeParameters, heritageClauses, members);
}

function code(signature) {
  return signature.includes('`') ? `\`\` ${signature} \`\`` : `\`${signature}\``;
}

function difference(current) {
  const committed = existsSync(API_FILE) ? readFileSync(API_FILE, 'utf8').split('\n') : [];
  const lines = current.split('\n');
  const removed = committed.filter((line) => !lines.includes(line)).map((line) => `- ${line}`);
  const added = lines.filter((line) => !committed.includes(line)).map((line) => `+ ${line}`);
  return [...removed, ...added].slice(0, 40).join('\n');
}

function fail(reason) {
  console.error(`api.md: ${reason}`);
  process.exit(1);
}
