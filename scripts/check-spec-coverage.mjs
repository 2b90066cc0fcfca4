// Says for each name of the specification whether a test shows it working. scripts/spec-names.json has the names,
// docs/spec-coverage.json a state for each: {"state": "tested", "test": "<file> > <part of the test's title>"} or
// {"state": "later"}. A missing name, an unknown state and a test that does not exist fail the check.
// Usage: node scripts/check-spec-coverage.mjs [--list]
//        node scripts/check-spec-coverage.mjs --set "<group> [<name>]" ("later" | "<file> > <title>")
// In --set, `*` in a group or name stands for any text; without a name, all names of the group are meant.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, readJson } from './lib/setup.mjs';

const COVERAGE = join(ROOT, 'docs', 'spec-coverage.json');
const SEPARATOR = ' > ';
const MAX_SHOWN = 40;

const names = readJson('scripts/spec-names.json');
const coverage = existsSync(COVERAGE) ? JSON.parse(readFileSync(COVERAGE, 'utf8')) : {};
const titlesByFile = new Map();
const [mode, target, value] = process.argv.slice(2);

if (mode === '--set') set(target ?? '', value ?? '');
else if (mode === '--list') list();
else if (mode === undefined) check();
else fail(`unknown argument ${mode}`);

function check() {
  const faults = [];
  let tested = 0;
  forEachName((group, name) => {
    const entry = coverage[group]?.[name];
    if (entry === undefined) faults.push(`${group} ${name}: has no state`);
    else if (entry.state === 'tested') {
      tested += 1;
      const fault = testFault(entry.test);
      if (fault) faults.push(`${group} ${name}: ${fault}`);
    } else if (entry.state !== 'later') faults.push(`${group} ${name}: unknown state ${JSON.stringify(entry.state)}`);
  });
  for (const [group, entries] of Object.entries(coverage)) {
    for (const name of Object.keys(entries)) {
      if (!names[group]?.includes(name)) faults.push(`${group} ${name}: not a name of the specification`);
    }
  }
  for (const fault of faults.slice(0, MAX_SHOWN)) console.error(`docs/spec-coverage.json: ${fault}`);
  if (faults.length > MAX_SHOWN) console.error(`… and ${faults.length - MAX_SHOWN} more`);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(`${tested} of ${total()} names tested`);
}

/** Why a test reference does not hold, or undefined where it does. */
function testFault(reference) {
  const at = typeof reference === 'string' ? reference.indexOf(SEPARATOR) : -1;
  if (at === -1) return `"test" must be "<file>${SEPARATOR}<part of the title>"`;
  const file = reference.slice(0, at);
  const title = reference.slice(at + SEPARATOR.length);
  if (!existsSync(join(ROOT, file))) return `no such file: ${file}`;
  if (title.trim() === '') return 'names no test';
  return testTitles(file).some((known) => known.includes(title)) ? undefined : `${file} has no test "${title}"`;
}

/** Full titles (`describe > test`) of the tests of a file; skipped and planned ones do not count. */
function testTitles(path) {
  const known = titlesByFile.get(path);
  if (known) return known;
  const file = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.ES2023, true);
  const titles = [];
  const visit = (node, prefix) => {
    const call = ts.isCallExpression(node) ? testCall(node) : undefined;
    const title = call ? prefix + call.title : prefix;
    if (call && !call.isGroup) titles.push(title);
    ts.forEachChild(node, (child) => visit(child, call?.isGroup ? title + SEPARATOR : prefix));
  };
  visit(file, '');
  titlesByFile.set(path, titles);
  return titles;
}

/** Reads `it('…')`, `test.each(…)('…')`, `describe('…')` and their kind. */
function testCall(node) {
  const [first] = node.arguments;
  if (!first || !(ts.isStringLiteralLike(first) || ts.isTemplateExpression(first))) return undefined;
  const words = [];
  let callee = node.expression;
  for (;;) {
    if (ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee)) callee = callee.expression ?? callee.tag;
    else if (ts.isPropertyAccessExpression(callee)) {
      words.push(callee.name.text);
      callee = callee.expression;
    } else break;
  }
  if (!ts.isIdentifier(callee) || !['it', 'test', 'describe'].includes(callee.text)) return undefined;
  if (words.includes('skip') || words.includes('todo')) return undefined;
  const title = ts.isStringLiteralLike(first) ? first.text : first.getText().slice(1, -1);
  return { title, isGroup: callee.text === 'describe' };
}

function list() {
  for (const [group, members] of Object.entries(names)) {
    const tested = members.filter((name) => coverage[group]?.[name]?.state === 'tested');
    console.log(`${group}: ${tested.length} of ${members.length} tested`);
    const later = members.filter((name) => !tested.includes(name));
    if (later.length > 0) console.log(`  later: ${later.join(', ')}`);
  }
  let tested = 0;
  forEachName((group, name) => {
    if (coverage[group]?.[name]?.state === 'tested') tested += 1;
  });
  console.log(`${tested} of ${total()} names tested`);
}

function set(pattern, state) {
  const [groupPattern = '', ...rest] = pattern.split(' ');
  const isGroup = matcher(groupPattern);
  const isName = matcher(rest.length > 0 ? rest.join(' ') : '*');
  const entry = state === 'later' ? { state } : { state: 'tested', test: state };
  const fault = state === 'later' ? undefined : testFault(state);
  if (fault) fail(fault);
  let count = 0;
  const updated = {};
  forEachName((group, name) => {
    const chosen = isGroup(group) && isName(name);
    if (chosen) count += 1;
    updated[group] ??= {};
    updated[group][name] = chosen ? entry : (coverage[group]?.[name] ?? { state: 'later' });
  });
  if (count === 0) fail(`no name fits "${pattern}"`);
  writeFileSync(COVERAGE, format(updated));
  console.log(`${count} names set`);
}

/** One name a line, so that a diff shows what changed. */
function format(groups) {
  const blocks = Object.entries(groups).map(([group, entries]) => {
    const lines = Object.entries(entries).map(
      ([name, entry]) => `    ${JSON.stringify(name)}: ${JSON.stringify(entry)}`,
    );
    return `  ${JSON.stringify(group)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${blocks.join(',\n')}\n}\n`;
}

function matcher(pattern) {
  const escaped = pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
  const expression = new RegExp(`^${escaped.join('.*')}$`);
  return (text) => expression.test(text);
}

function forEachName(action) {
  for (const [group, members] of Object.entries(names)) for (const name of members) action(group, name);
}

function total() {
  return Object.values(names).flat().length;
}

function fail(reason) {
  console.error(`Spec coverage: ${reason}.`);
  process.exit(1);
}
