// Rules of the house that no linter has: who may read the clock, chance, the process and its environment; everyone else asks
// the injected Host. Who may load on demand: the list of doors of a floor; everyone else asks that. A condition in a comment
// says "if" or "when". What two functions would say, one says. How long a file is, is a question for whoever reads the change: long ones are named.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { LISTS_OF_DOORS, LOADS_ITSELF } from './lib/doors.mjs';
import { createSameFunctions } from './lib/same-functions.mjs';
import { listFiles, ROOT } from './lib/setup.mjs';

const LONG = 400;
const MAY_TOUCH_MACHINE = /^src\/(host|cli|tui|testing)\//;
const THROUGH_HOST = new Map([
  ['Date.now', 'host.clock'],
  ['Math.random', 'host.ids'],
  ['crypto.randomUUID', 'host.ids'],
  ['crypto.getRandomValues', 'host.ids'],
]);

/** Forms of "where" that mean a condition and never a place. */
const CONDITION =
  /\b(?:also|only|even|exactly|null) where\b|\bwhere (?:there (?:is|are|was|were)|nobody|nothing|none|somebody)\b/i;

const faults = [];
const loading = new Set();
const sameFunctions = createSameFunctions();
const files = listFiles('src', ['.ts']);
for (const path of files) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const lines = text.trimEnd().split('\n').length;
  if (lines > LONG) console.log(`${path} has ${lines} lines: is it one concept?`);
  faults.push(...brokenRules(path, text), ...conditions(path, text));
}
for (const path of [...LISTS_OF_DOORS, ...LOADS_ITSELF.keys()])
  if (!loading.has(path)) faults.push(`${path} loads nothing on demand; take it out of scripts/lib/doors.mjs`);
faults.push(...sameFunctions.faults());
for (const fault of faults) console.error(fault);
if (files.length === 0) console.error('No files under src/.');
if (faults.length > 0 || files.length === 0) process.exitCode = 1;
else console.log(`${files.length} files, ${loading.size} of which load on demand`);

function conditions(path, text) {
  return text.split('\n').flatMap((line, index) => {
    const comment = /^\s*(?:\*|\/\*\*|\/\/) (.*)/.exec(line)?.[1] ?? '';
    return CONDITION.test(comment) ? [`${path}:${index + 1}: "where" for a condition; write "if" or "when"`] : [];
  });
}

function brokenRules(path, text) {
  const found = [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  sameFunctions.add(path, file);
  const report = (node, what, instead) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${path}:${line + 1}: ${what}; use ${instead}`);
  };
  const mayLoad = LISTS_OF_DOORS.includes(path) || LOADS_ITSELF.has(path);
  const mayTouchMachine = MAY_TOUCH_MACHINE.test(path);
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      loading.add(path);
      if (!mayLoad) report(node, 'import()', `the list of doors of its floor (${listOf(path)})`);
    }
    if (!mayTouchMachine) lookForMachine(node);
    ts.forEachChild(node, visit);
  };
  const lookForMachine = (node) => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const name = `${node.expression.text}.${node.name.text}`;
      if (THROUGH_HOST.has(name)) report(node, name, THROUGH_HOST.get(name));
      if (node.expression.text === 'process') report(node, name, 'the injected Host');
    }
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
      report(node, 'new Date()', 'host.clock');
    }
  };
  visit(file);
  return found;
}

function listOf(path) {
  const [, floor] = path.split('/');
  return (
    LISTS_OF_DOORS.find((list) => list.startsWith(`src/${floor}/`)) ?? `src/${floor}/doors.ts, which has to be made`
  );
}
