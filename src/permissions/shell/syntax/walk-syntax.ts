// Walks the syntax of a script in the order of the text. It follows the folder of the shell; programs are read by
// `readRun`. Its rule: what is not walked is said to be unknown.
import type {
  AndOr,
  Assignment,
  Command,
  CommandArgument,
  CommandNode,
  CompoundList,
  Coproc,
  For,
  Function as FunctionNode,
  ParsedScript,
  Pipeline,
  Statement,
  TestExpression,
  Word,
} from 'unbash';
import type { FileUse } from '../command-reading.js';
import { noteListing, notePattern } from '../programs/file-uses.js';
import { isModelled } from '../programs/programs.js';
import { readRun } from '../read-run.js';
import {
  type Bases,
  childState,
  joinBases,
  MAX_DEPTH,
  type Outcome,
  type Reader,
  type ShellState,
  type Starter,
  sayUnknown,
} from '../reader.js';
import { enterLoop, expandOperands, expandWord, learnValue } from './expand-word.js';
import { movesAnywhere, movesShell } from './find-moves.js';
import { readRedirections } from './redirections.js';
import {
  assignmentWord,
  isBare,
  type ListedNames,
  openAssignment,
  partsOf,
  readWord,
  type ShellWord,
} from './shell-word.js';
import { isEvaluatedVariable } from './variables.js';
import {
  noteAssignment,
  noteText,
  sayArithmetic,
  type WordWalk,
  walkArithmetic,
  walkArithmeticWord,
  walkWord,
} from './walk-words.js';

/** What is the same for all commands of one script. */
interface Walk extends WordWalk {
  /** What the program before it in a pipe lists; null if that is not known. */
  readonly names: ListedNames | null;
  readonly startedBy: readonly Starter[];
  readonly script: ParsedScript;
}

/** Walks one script in the given state, which follows it. */
export function walkScript(
  reader: Reader,
  script: ParsedScript,
  state: ShellState,
  startedBy: readonly Starter[],
): void {
  const [error] = script.errors ?? [];
  if (error !== undefined) sayUnknown(reader, `the syntax is not understood: ${error.message}`);
  if (reader.depth >= MAX_DEPTH) {
    sayUnknown(reader, `it is nested more than ${MAX_DEPTH} deep`);
    return;
  }
  reader.depth++;
  const nested = (inner: ParsedScript, innerState: ShellState): void =>
    walkScript(reader, inner, innerState, startedBy);
  walkStatements({ reader, state, startedBy, script, names: null, walkScript: nested }, script.commands);
  reader.depth--;
}

function walkStatements(walk: Walk, statements: readonly Statement[]): Outcome {
  const { state } = walk;
  let outcome: Outcome = unchanged(state);
  for (const { command, background } of statements) {
    if (background === true) {
      walk.reader.isReordered = true;
      walkAny({ ...walk, state: { ...childState(state), isCertain: false } }, command);
      outcome = unchanged(state);
    } else {
      outcome = walkAny(walk, command);
      state.bases = joinBases(outcome.ok, outcome.failed);
    }
  }
  return outcome;
}

function walkList(walk: Walk, list: CompoundList): Outcome {
  return walkStatements(walk, list.commands);
}

function unchanged({ bases }: ShellState): Outcome {
  return { ok: bases, failed: bases };
}

function walkAny(walk: Walk, node: Statement['command']): Outcome {
  if (node.type === 'AndOr') return walkAndOr(walk, node);
  if (node.type === 'Pipeline') return walkPipeline(walk, node);
  if (node.type === 'Command') return walkCommand(walk, node);
  const { reader } = walk;
  if (reader.depth >= MAX_DEPTH) {
    sayUnknown(reader, `it is nested more than ${MAX_DEPTH} deep`);
    return unchanged(walk.state);
  }
  reader.depth++;
  const outcome = walkCompound(walk, node);
  reader.depth--;
  return outcome;
}

function walkAndOr(walk: Walk, node: AndOr): Outcome {
  const { state } = walk;
  const wasCertain = state.isCertain;
  let outcome: Outcome = unchanged(state);
  node.commands.forEach((command, at) => {
    const operator = at === 0 ? null : node.operators[at - 1];
    if (operator !== null) {
      state.bases = operator === '&&' ? outcome.ok : outcome.failed;
      state.isCertain = false;
    }
    const next = walkAny(walk, command);
    if (operator === '&&') outcome = { ok: next.ok, failed: joinBases(outcome.failed, next.failed) };
    else if (operator === '||') outcome = { ok: joinBases(outcome.ok, next.ok), failed: next.failed };
    else outcome = next;
  });
  state.isCertain = wasCertain;
  return outcome;
}

function walkPipeline(walk: Walk, node: Pipeline): Outcome {
  const { state } = walk;
  const isNegated = node.prefixes.some(({ type }) => type === 'Negation');
  const [first] = node.commands;
  if (node.commands.length === 1 && first !== undefined) {
    const { ok, failed } = walkAny(walk, first);
    return isNegated ? { ok: failed, failed: ok } : { ok, failed };
  }
  walk.reader.isReordered = true;
  let names: ListedNames | null = null;
  for (const command of node.commands) {
    const isPlain = command.type === 'Command';
    walk.reader.listed = null;
    walkAny({ ...inner(walk, state.bases), names: isPlain ? names : null }, command);
    names = isPlain ? walk.reader.listed : null;
  }
  return unchanged(state);
}

function walkCompound(walk: Walk, node: Exclude<CommandNode, Command>): Outcome {
  const { state } = walk;
  switch (node.type) {
    case 'Redirected':
      readRedirections(walk, node.redirects);
      return walkAny(walk, node.command);
    case 'BraceGroup':
      return walkList(walk, node.body);
    case 'Subshell':
      walkList(inner(walk, state.bases), node.body);
      return unchanged(state);
    case 'If': {
      const tested = walkList(walk, node.clause);
      const ends: Bases[] = [branch(walk, tested.ok, node.then)];
      let failed = tested.failed;
      for (const { clause, then } of node.elif) {
        const next = inner(walk, failed);
        const again = walkList(next, clause);
        failed = again.failed;
        ends.push(branch(walk, again.ok, then));
      }
      ends.push(node.else === undefined ? failed : branch(walk, failed, node.else));
      return both(ends.reduce(joinBases));
    }
    case 'For':
      return walkFor(walk, node);
    case 'Select':
      for (const word of node.wordlist ?? []) {
        walkWord(walk, word);
        noteListings(walk, word);
        noteAssignment(walk.reader, node.name.value, word);
      }
      noteText(walk.reader, node.name.value, null);
      noteText(walk.reader, 'REPLY', null);
      return loop(walk, [node.body]);
    case 'While':
      return loop(walk, [node.clause, node.body]);
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) walkArithmetic(walk, part);
      return loop(walk, [node.body]);
    case 'ArithmeticCommand':
      if (node.expression !== undefined) walkArithmetic(walk, node.expression);
      else if (node.body.trim() !== '') sayArithmetic(walk, node.body);
      return unchanged(state);
    case 'TestCommand':
      walkTest(walk, node.expression);
      return unchanged(state);
    case 'Case': {
      walkWord(walk, node.word);
      let bases = state.bases;
      for (const { pattern, body } of node.items) {
        for (const word of pattern) walkWord(walk, word);
        // `;&` goes on with the next one.
        bases = joinBases(bases, branch(walk, bases, body));
      }
      return both(bases);
    }
    case 'Function':
      walkFunction(walk, node);
      return unchanged(state);
    case 'Coproc':
      walkCoproc(walk, node);
      return unchanged(state);
  }
}

function both(bases: Bases): Outcome {
  return { ok: bases, failed: bases };
}

/** The same walk in a copy of the state. */
function inner(walk: Walk, bases: Bases): Walk {
  return { ...walk, state: { ...childState(walk.state), bases, isCertain: false } };
}

function branch(walk: Walk, bases: Bases, list: CompoundList): Bases {
  const { ok, failed } = walkList(inner(walk, bases), list);
  return joinBases(ok, failed);
}

/** What a loop does to the folder it may do any number of times. */
function loop(walk: Walk, lists: readonly CompoundList[]): Outcome {
  walk.reader.isReordered = true;
  const moves = lists.some((list) => movesShell(list));
  const bases: Bases = moves ? [null] : walk.state.bases;
  for (const list of lists) branch(walk, bases, list);
  return both(bases);
}

function walkFor(walk: Walk, node: For): Outcome {
  const { reader, state } = walk;
  const name = node.name.value;
  for (const word of node.wordlist ?? []) {
    walkWord(walk, word);
    noteListings(walk, word);
  }
  const wasSet = reader.setVariables.has(name);
  for (const word of node.wordlist ?? []) noteAssignment(reader, name, word);
  if (node.wordlist === undefined) noteText(reader, name, null);
  const values = enterLoop(reader, state, node);
  if (values === null) return loop(walk, [node.body]);
  if (!wasSet) reader.setVariables.delete(name);
  return loop({ ...walk, state: { ...state, values } }, [node.body]);
}

function walkFunction(walk: Walk, node: FunctionNode): void {
  const { reader, state } = walk;
  reader.isReordered = true;
  const name = readWord(node.name).value;
  if (name === null || isModelled(name)) sayUnknown(reader, `a function takes the place of ${node.name.text}`);
  if (movesShell(node.body)) reader.functionsMove = true;
  // It is called from wherever the shell is then.
  const around = inner(walk, movesAnywhere(walk.script) ? [null] : state.bases);
  const body = { ...around, state: { ...around.state, values: null } };
  if (node.body.type === 'CompoundList') walkList(body, node.body);
  else walkAny(body, node.body);
  if (name !== null && state.isCertain) state.functions.add(name);
}

function walkCoproc(walk: Walk, node: Coproc): void {
  const body = inner(walk, walk.state.bases);
  walk.reader.isReordered = true;
  noteText(walk.reader, node.name?.value ?? 'COPROC', null);
  if (node.body.type === 'CompoundList') walkList(body, node.body);
  else walkAny(body, node.body);
}

const NUMERIC_TESTS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

function walkTest(walk: Walk, test: TestExpression): void {
  switch (test.type) {
    case 'TestUnary':
      if (test.operator === '-v' || test.operator === '-R') walkArithmeticWord(walk, test.operand);
      else walkWord(walk, test.operand);
      return;
    case 'TestBinary':
      for (const side of [test.left, test.right]) {
        if (NUMERIC_TESTS.has(test.operator)) walkArithmeticWord(walk, side);
        else walkWord(walk, side);
      }
      return;
    case 'TestLogical':
      for (const operand of test.operands) walkTest(walk, operand);
      return;
    case 'TestNot':
      walkTest(walk, test.operand);
      return;
    case 'TestGroup':
      walkTest(walk, test.expression);
  }
}

function walkCommand(walk: Walk, node: Command): Outcome {
  const { reader, state } = walk;
  const assignments: Assignment[] = [];
  for (const item of node.prefix) if (item.type === 'Assignment') assignments.push(item);
  for (const item of assignments) {
    walkAssignment(walk, item);
    if (isEvaluatedVariable(item.name)) noteSet(walk, item);
  }
  if (node.name !== undefined) walkWord(walk, node.name);
  for (const item of node.args) {
    if (item.type === 'Word') walkWord(walk, item);
    else walkAssignment(walk, item);
  }
  const known = reader.files.length;
  const input = readRedirections(walk, node.redirects);
  const inputFile = input === null && node.redirects.length > 0 ? openedFile(walk, node, known) : null;
  if (node.name === undefined) {
    for (const item of assignments) setVariable(walk, item);
    return unchanged(state);
  }
  if (node.args.some(({ type }) => type === 'Assignment')) walkExport(walk, node.args);
  const words = [expandWord(reader, state, node.name)];
  for (const item of node.args) {
    if (item.type === 'Word' && isBare(item)) words.push(readWord(item));
    else words.push(...argumentWords(walk, item));
  }
  return readRun(
    {
      reader,
      state,
      startedBy: walk.startedBy,
      input: input ?? null,
      inputFile,
      names: node.redirects.length === 0 ? walk.names : null,
      isExternal: false,
    },
    assignments.map((item) => ({ name: item.name, word: assignedWord(walk, item) })),
    words,
  );
}

/** The file that the redirections open as input, of those noted from `known` on. */
function openedFile({ reader }: Walk, { redirects }: Command, known: number): FileUse | null {
  // Of a substitution the files are others.
  if (redirects.some((item) => 'target' in item && item.target?.text.includes('(') === true)) return null;
  const opened = reader.files.slice(known).filter(({ access, by }) => access === 'read' && by === 'redirection');
  return opened.at(-1) ?? null;
}

/** Assignments behind a command, such as those of `export`. */
function walkExport(walk: Walk, args: readonly CommandArgument[]): void {
  const isPlain = args.every((item) => item.type === 'Assignment' || /^[A-Za-z_]/.test(item.text));
  for (const item of args) if (item.type === 'Assignment') isPlain ? setVariable(walk, item) : noteSet(walk, item);
}

/** Substitutions in an assignment, and what it does to arithmetic. */
function walkAssignment(walk: Walk, item: Assignment): void {
  if (item.index !== undefined || item.value.type !== 'Word') walk.reader.lists.add(item.name);
  if (item.index !== undefined) walkArithmeticWord(walk, item.index);
  if (item.value.type === 'Word') {
    walkWord(walk, item.value);
    notePattern(walk, item.value.value);
  } else
    for (const element of item.value.elements) {
      walkWord(walk, element);
      noteListings(walk, element);
    }
}

function noteSet({ reader }: Walk, item: Assignment): void {
  if (item.value.type === 'Word') {
    noteAssignment(reader, item.name, item.value);
    return;
  }
  for (const element of item.value.elements) noteAssignment(reader, item.name, element);
}

/** An assignment of the shell itself, whose value may be known from then on. */
function setVariable(walk: Walk, item: Assignment): void {
  const { reader, state } = walk;
  const wasSet = reader.setVariables.has(item.name);
  noteSet(walk, item);
  if (item.value.type !== 'Word' || item.index !== undefined || item.append === true || wasSet) return;
  learnValue(reader, state, item.name, item.value);
  if (state.values?.has(item.name) === true) reader.setVariables.delete(item.name);
}

function argumentWords(walk: Walk, item: CommandArgument): readonly ShellWord[] {
  if (item.type !== 'Word') return [assignedWord(walk, item)];
  const words = expandOperands(walk.reader, walk.state, item);
  noteListings(walk, item, words);
  return words;
}

/** Wildcards make the shell look into folders, whatever becomes of the names. */
function noteListings(walk: Walk, item: Word, words?: readonly ShellWord[]): void {
  if (partsOf(item)?.some(({ type }) => type === 'Glob' || type === 'ExtendedGlob') === true)
    for (const word of words ?? [readWord(item)]) noteListing(walk, word);
}

/** An argument in the form of an assignment is one word all the same. */
function assignedWord({ reader, state }: Walk, item: Assignment): ShellWord {
  const start = `${item.name}${item.append === true ? '+' : ''}=`;
  if (item.value.type !== 'Word' || item.index !== undefined) return openAssignment(item.text, item.name);
  return assignmentWord(item.text, start, expandWord(reader, state, item.value));
}
