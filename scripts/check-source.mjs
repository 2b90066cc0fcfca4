// Rules of the house that no linter has: who may read the clock, chance, the process and its environment. Everyone else
// asks the injected Host. How long a file is, is a question for whoever reads the change: long ones are named.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { listFiles, ROOT } from './lib/setup.mjs';

const LONG = 400;
const MAY_TOUCH_MACHINE = /^src\/(host|cli|tui|testing)\//;
const THROUGH_HOST = new Map([
  ['Date.now', 'host.clock'],
  ['Math.random', 'host.ids'],
  ['crypto.randomUUID', 'host.ids'],
  ['crypto.getRandomValues', 'host.ids'],
]);

const faults = [];
const files = listFiles('src', ['.ts']);
for (const path of files) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const lines = text.trimEnd().split('\n').length;
  if (lines > LONG) console.log(`${path} has ${lines} lines: is it one concept?`);
  if (!MAY_TOUCH_MACHINE.test(path)) faults.push(...machineAccess(path, text));
}
for (const fault of faults) console.error(fault);
if (files.length === 0) console.error('No files under src/.');
if (faults.length > 0 || files.length === 0) process.exitCode = 1;
else console.log(`${files.length} files`);

function machineAccess(path, text) {
  const found = [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const report = (node, what, instead) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${path}:${line + 1}: ${what}; use ${instead}`);
  };
  const visit = (node) => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const name = `${node.expression.text}.${node.name.text}`;
      if (THROUGH_HOST.has(name)) report(node, name, THROUGH_HOST.get(name));
      if (node.expression.text === 'process') report(node, name, 'the injected Host');
    }
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
      report(node, 'new Date()', 'host.clock');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
