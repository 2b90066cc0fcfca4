// Says for each name of the specification what holds it. scripts/spec-names.json has the names, test/spec/coverage.json
// a state for each: {"state": "tested", "test": "<file> > <part of the test's title>"} if that test shows its effect,
// {"state": "typed", "test": …} if the type is there, compared by `npm run check`, and no effect is shown, or
// {"state": "later"}. A missing name, an unknown state and a test that does not exist fail the check; so does a test
// that only compares types and is given for an effect, and one that runs and is given for a type.
// Usage: node scripts/check-spec-coverage.mjs [--list]
//        node scripts/check-spec-coverage.mjs --set "<group> [<name>]" ("later" | "<file> > <title>")
// --set finds out by itself whether the test shows an effect or a type. In it, `*` in a group or name stands for any text; without a name, all names of the group are meant.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT, readJson } from './lib/setup.mjs';

const COVERAGE = join(ROOT, 'test', 'spec', 'coverage.json');
const SEPARATOR = ' > ';
const MAX_SHOWN = 40;

const names = readJson('scripts/spec-names.json');
const coverage = existsSync(COVERAGE) ? JSON.parse(readFileSync(COVERAGE, 'utf8')) : {};
const testsByFile = new Map();
const [mode, target, value] = process.argv.slice(2);

if (mode === '--set') set(target ?? '', value ?? '');
else if (mode === '--list') list();
else if (mode === undefined) check();
else fail(`unknown argument ${mode}`);

function check() {
  const faults = [];
  forEachName((group, name) => {
    const fault = entryFault(coverage[group]?.[name]);
    if (fault) faults.push(`${group} ${name}: ${fault}`);
  });
  for (const [group, entries] of Object.entries(coverage)) {
    for (const name of Object.keys(entries)) {
      if (!names[group]?.includes(name)) faults.push(`${group} ${name}: not a name of the specification`);
    }
  }
  for (const fault of faults.slice(0, MAX_SHOWN)) console.error(`test/spec/coverage.json: ${fault}`);
  if (faults.length > MAX_SHOWN) console.error(`… and ${faults.length - MAX_SHOWN} more`);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(counts());
}

/** Why an entry does not hold, or undefined if it does. */
function entryFault(entry) {
  if (entry === undefined) return 'has no state';
  if (entry.state === 'later') return undefined;
  if (entry.state !== 'tested' && entry.state !== 'typed') return `unknown state ${JSON.stringify(entry.state)}`;
  const fault = testFault(entry.test);
  if (fault) return fault;
  const state = stateOf(entry.test);
  if (state === entry.state) return undefined;
  return state === 'typed'
    ? `its test only compares types, which shows no effect: "typed", or another test`
    : 'its test runs something: "tested", or the test that compares the type';
}

/** `typed` if all tests of that name only compare types. */
function stateOf(reference) {
  const at = reference.indexOf(SEPARATOR);
  const title = reference.slice(at + SEPARATOR.length);
  const meant = testsOf(reference.slice(0, at)).filter((test) => test.title.includes(title));
  return meant.every((test) => test.isTypeOnly) ? 'typed' : 'tested';
}

/** Why a test reference does not hold, or undefined if it does. */
function testFault(reference) {
  const at = typeof reference === 'string' ? reference.indexOf(SEPARATOR) : -1;
  if (at === -1) return `"test" must be "<file>${SEPARATOR}<part of the title>"`;
  const file = reference.slice(0, at);
  const title = reference.slice(at + SEPARATOR.length);
  if (!existsSync(join(ROOT, file))) return `no such file: ${file}`;
  if (title.trim() === '') return 'names no test';
  return testsOf(file).some((known) => known.title.includes(title)) ? undefined : `${file} has no test "${title}"`;
}

/** The tests of a file with their full titles (`describe > test`); skipped and planned ones do not count. */
function testsOf(path) {
  const known = testsByFile.get(path);
  if (known) return known;
  const file = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.ES2023, true);
  const tests = [];
  const visit = (node, prefix) => {
    const call = ts.isCallExpression(node) ? testCall(node) : undefined;
    const title = call ? prefix + call.title : prefix;
    if (call && !call.isGroup) tests.push({ title, isTypeOnly: comparesTypesOnly(node) });
    ts.forEachChild(node, (child) => visit(child, call?.isGroup ? title + SEPARATOR : prefix));
  };
  visit(file, '');
  testsByFile.set(path, tests);
  return tests;
}

/** `expectTypeOf` does nothing when a test runs, so a test with nothing beside it cannot fail there. */
function comparesTypesOnly(test) {
  const called = new Set();
  const visit = (node) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) called.add(node.expression.text);
    ts.forEachChild(node, visit);
  };
  visit(test);
  return called.has('expectTypeOf') && !called.has('expect');
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
    const inState = (state) => members.filter((name) => (coverage[group]?.[name]?.state ?? 'later') === state);
    console.log(`${group}: ${inState('tested').length} of ${members.length} tested`);
    for (const state of ['typed', 'later']) {
      if (inState(state).length > 0) console.log(`  ${state}: ${inState(state).join(', ')}`);
    }
  }
  console.log(counts());
}

function counts() {
  const count = { tested: 0, typed: 0, later: 0 };
  let total = 0;
  forEachName((group, name) => {
    count[coverage[group]?.[name]?.state ?? 'later'] += 1;
    total += 1;
  });
  return `of ${total} names ${count.tested} have a test that shows their effect, ${count.typed} only their type, ${count.later} nothing yet`;
}

function set(pattern, state) {
  const [groupPattern = '', ...rest] = pattern.split(' ');
  const isGroup = matcher(groupPattern);
  const isName = matcher(rest.length > 0 ? rest.join(' ') : '*');
  const fault = state === 'later' ? undefined : testFault(state);
  if (fault) fail(fault);
  const entry = state === 'later' ? { state } : { state: stateOf(state), test: state };
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

function fail(reason) {
  console.error(`Spec coverage: ${reason}.`);
  process.exit(1);
}
