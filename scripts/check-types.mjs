// Type errors, and promises that nobody waits for. Biome finds most of the second kind; this one also knows the
// types of Node and of packages. `void promise` says that not waiting is meant. `turnwright/protocol` is for browsers too,
// so it is also compiled with their types instead of Node's.
import { relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from './lib/setup.mjs';

const { fileNames, options } = readConfig();
const program = ts.createProgram(fileNames, options);
const formatHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => ROOT,
  getNewLine: () => '\n',
};
const diagnostics = ts.getPreEmitDiagnostics(program);
if (diagnostics.length > 0) console.error(ts.formatDiagnostics(diagnostics, formatHost));
const inBrowser = ts.getPreEmitDiagnostics(protocolInBrowser());
if (inBrowser.length > 0)
  console.error(`src/protocol/ without the types of Node:\n${ts.formatDiagnostics(inBrowser, formatHost)}`);

const checker = program.getTypeChecker();
const files = program
  .getSourceFiles()
  .filter((file) => !file.isDeclarationFile && !file.fileName.includes('node_modules'));
const floating = files.flatMap((file) => findFloating(file));
for (const place of floating)
  console.error(`${place}: a promise that nobody waits for; await, return, catch or void it`);

if (files.length === 0) console.error('No source files found: check "include" in tsconfig.json.');
if (diagnostics.length + inBrowser.length + floating.length > 0 || files.length === 0) process.exitCode = 1;
else console.log(`${files.length} files`);

function readConfig() {
  const config = ts.getParsedCommandLineOfConfigFile(
    `${ROOT}/tsconfig.json`,
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
        throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
      },
    },
  );
  return config;
}

/** What a browser's program sees of it: no types but those of the language and of the web. */
function protocolInBrowser() {
  const lib = [...options.lib, 'lib.dom.d.ts'];
  return ts.createProgram([`${ROOT}/src/protocol/index.ts`], { ...options, lib, types: [], paths: {} });
}

function findFloating(file) {
  const found = [];
  const visit = (node) => {
    if (ts.isExpressionStatement(node) && isFloating(node.expression)) {
      const { line, character } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${relative(ROOT, file.fileName)}:${line + 1}:${character + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** True if the value of an expression statement is a promise, or an array of them, without a handler. */
function isFloating(node) {
  if (ts.isParenthesizedExpression(node)) return isFloating(node.expression);
  if (ts.isConditionalExpression(node)) return isFloating(node.whenTrue) || isFloating(node.whenFalse);
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    if (kind === ts.SyntaxKind.CommaToken) return isFloating(node.left) || isFloating(node.right);
    // An assignment keeps its promise; `a && b()` ends in b().
    return kind < ts.SyntaxKind.FirstAssignment || kind > ts.SyntaxKind.LastAssignment ? isFloating(node.right) : false;
  }
  if (ts.isVoidExpression(node) || ts.isAwaitExpression(node) || ts.isYieldExpression(node)) return false;
  const type = checker.getTypeAtLocation(node);
  if (checker.isArrayType(type)) return checker.getTypeArguments(type).some((element) => isThenable(element, node));
  return isThenable(type, node) && !isHandled(node);
}

function isThenable(type, node) {
  if (type.isUnion()) return type.types.some((part) => isThenable(part, node));
  if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never)) return false;
  const then = checker.getPropertyOfType(checker.getApparentType(type), 'then');
  return then !== undefined && checker.getTypeOfSymbolAtLocation(then, node).getCallSignatures().length > 0;
}

/** `.catch(f)`, `.then(f, g)`, and `.finally(f)` after one of them. */
function isHandled(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  if (name.text === 'catch') return node.arguments.length > 0;
  if (name.text === 'then') return node.arguments.length > 1;
  return name.text === 'finally' && isHandled(expression);
}
