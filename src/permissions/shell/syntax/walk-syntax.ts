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
  HereDoc,
  ParsedScript,
  Pipeline,
  Redirect,
  Redirection,
  Statement,
  TestExpression,
  While,
  Word,
  WordPart,
} from 'unbash';
import type { FileUse } from '../command-reading.js';
import { addFile, addUnknownFile, noteListing, noteMentions, notePattern } from '../programs/file-uses.js';
import { isModelled } from '../programs/programs.js';
import { type RunSetting, readRun } from '../read-run.js';
import {
  type AssignmentWord,
  type Bases,
  type Input,
  joinBases,
  MAX_DEPTH,
  type Outcome,
  type Reader,
  type ShellState,
  type Starter,
  sayUnknown,
} from '../reader.js';
import {
  enterLines,
  enterLoop,
  expandOperand,
  expandOperands,
  expandWord,
  INNER_TILDE,
  learnValue,
} from './expand-word.js';
import { movesAnywhere, movesShell } from './moves.js';
import { isBare, partsOf, readWord } from './read-word.js';
import {
  assignmentWord,
  type ListedNames,
  openAssignment,
  type ShellWord,
  tildeWord,
  vanishingWord,
} from './shell-word.js';
import { isEvaluatedVariable, NULL_GLOB } from './variables.js';
import {
  isOutputAlone,
  noteAssignment,
  noteText,
  sayArithmetic,
  type WordWalk,
  walkArithmetic,
  walkArithmeticWord,
  walkParts,
  walkWord,
} from './walk-words.js';

/** What is the same for all commands of one script. */
class Walk implements WordWalk {
  readonly reader: Reader;
  readonly state: ShellState;
  readonly startedBy: readonly Starter[];
  readonly script: ParsedScript;
  /** What the program before it in a pipe lists; null if that is not known. */
  readonly names: ListedNames | null;
  /** The shell runs more than this script, which stands in a text that it evaluates. */
  readonly isPart: boolean;

  constructor(
    reader: Reader,
    state: ShellState,
    startedBy: readonly Starter[],
    script: ParsedScript,
    names: ListedNames | null = null,
    isPart = false,
  ) {
    this.reader = reader;
    this.state = state;
    this.startedBy = startedBy;
    this.script = script;
    this.names = names;
    this.isPart = isPart;
  }

  /** The same walk in another state. */
  in(state: ShellState, names: ListedNames | null = this.names): Walk {
    return new Walk(this.reader, state, this.startedBy, this.script, names, this.isPart);
  }

  /** True if the shell may be elsewhere before or after, so that what runs then is not where it is written. */
  movesAnywhere(): boolean {
    if (this.isPart) return true;
    // Each function and trap asks, and looks at all of the script.
    const { reader, script } = this;
    reader.moving ??= new Map();
    const known = reader.moving.get(script) ?? movesAnywhere(script);
    reader.moving.set(script, known);
    return known;
  }

  walkScript(script: ParsedScript, state: ShellState): void {
    walkScript(this.reader, script, state, this.startedBy);
  }
}

/**
 * Walks one script in the given state, which follows it.
 * @param isPart the shell of the state runs more than this
 */
export function walkScript(
  reader: Reader,
  script: ParsedScript,
  state: ShellState,
  startedBy: readonly Starter[],
  isPart = false,
): void {
  const [error] = script.errors ?? [];
  if (error !== undefined) sayUnknown(reader, `the syntax is not understood: ${error.message}`);
  if (reader.depth >= MAX_DEPTH) {
    sayUnknown(reader, `it is nested more than ${MAX_DEPTH} deep`);
    return;
  }
  reader.depth++;
  walkStatements(new Walk(reader, state, startedBy, script, null, isPart), script.commands);
  reader.depth--;
}

function walkStatements(walk: Walk, statements: readonly Statement[]): Outcome {
  const { state } = walk;
  let outcome: Outcome = state.unchanged;
  for (const { command, background } of statements) {
    if (background === true) {
      walk.reader.isReordered = true;
      walkAny(walk.in(state.inner()), command);
      outcome = state.unchanged;
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

function walkAny(walk: Walk, node: Statement['command']): Outcome {
  if (node.type === 'AndOr') return walkAndOr(walk, node);
  if (node.type === 'Pipeline') return walkPipeline(walk, node);
  if (node.type === 'Command') return walkCommand(walk, node);
  const { reader } = walk;
  if (reader.depth >= MAX_DEPTH) {
    sayUnknown(reader, `it is nested more than ${MAX_DEPTH} deep`);
    return walk.state.unchanged;
  }
  reader.depth++;
  const outcome = walkCompound(walk, node);
  reader.depth--;
  return outcome;
}

function walkAndOr(walk: Walk, node: AndOr): Outcome {
  const { state } = walk;
  const wasCertain = state.isCertain;
  let outcome: Outcome = state.unchanged;
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
  // Each one turns it around.
  let isNegated = false;
  for (const { type } of node.prefixes) if (type === 'Negation') isNegated = !isNegated;
  const [first] = node.commands;
  if (node.commands.length === 1 && first !== undefined) {
    const { ok, failed } = walkAny(walk, first);
    return isNegated ? { ok: failed, failed: ok } : { ok, failed };
  }
  const { reader } = walk;
  const files = reader.files.length;
  const made = reader.made.length;
  let names: ListedNames | null = null;
  for (const [at, command] of node.commands.entries()) {
    const isPlain = command.type === 'Command';
    reader.listed = null;
    const place = walk.in(state.inner(), isPlain ? names : null);
    if (command.type === 'While' && names !== null) walkLines(place, command, names);
    else walkAny(place, command);
    const isAlone = isPlain && node.operators[at] !== '|&' && isOutputAlone(command.redirects);
    names = isAlone ? reader.listed : null;
  }
  reader.listed = names;
  // The shell waits for all of them before it goes on.
  const madeEnd = reader.made.length;
  if (madeEnd > made) {
    reader.pipes ??= [];
    reader.pipes.push({ files, filesEnd: reader.files.length, made, madeEnd });
  }
  return state.unchanged;
}

function walkCompound(walk: Walk, node: Exclude<CommandNode, Command>): Outcome {
  const { state } = walk;
  switch (node.type) {
    case 'Redirected': {
      readRedirections(walk, node.redirects);
      const names = node.command.type === 'While' ? namesOfInput(walk, node.redirects) : null;
      return names === null ? walkAny(walk, node.command) : walkLines(walk, node.command as While, names);
    }
    case 'BraceGroup':
      return walkList(walk, node.body);
    case 'Subshell':
      walkList(inner(walk, state.bases), node.body);
      return state.unchanged;
    case 'If': {
      const tested = walkList(walk, node.clause);
      let ends = branch(walk, tested.ok, node.then);
      let failed = tested.failed;
      for (const { clause, then } of node.elif) {
        const next = inner(walk, failed);
        const again = walkList(next, clause);
        failed = again.failed;
        ends = joinBases(ends, branch(walk, again.ok, then));
      }
      return both(joinBases(ends, node.else === undefined ? failed : branch(walk, failed, node.else)));
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
      return state.unchanged;
    case 'TestCommand':
      walkTest(walk, node.expression);
      return state.unchanged;
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
      return state.unchanged;
    case 'Coproc':
      walkCoproc(walk, node);
      return state.unchanged;
  }
}

function both(bases: Bases): Outcome {
  return { ok: bases, failed: bases };
}

/** The same walk in a copy of the state. */
function inner(walk: Walk, bases: Bases): Walk {
  return walk.in(walk.state.inner(bases));
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

/** A loop that reads names which a program lists, a line or a text at a time: `while IFS= read -r f; do …`. */
function walkLines(walk: Walk, node: While, names: ListedNames): Outcome {
  const { reader, state } = walk;
  const name = readName(node, names.areEnded === true);
  if (name === null) return walkAny(walk, node);
  const { areEnded, ...listed } = names;
  const values = enterLines(reader, state, name, { ...listed, areSplit: areEnded !== true });
  const wasSet = reader.setVariables.has(name);
  const outcome = walkAny(values === null ? walk : walk.in(state.withValues(values)), node);
  if (values !== null && !wasSet) reader.setVariables.delete(name);
  return outcome;
}

/** The one variable that the clause of a loop reads into, and nothing else; null if it does more, or reads in another way. */
function readName({ clause, kind }: While, isEnded: boolean): string | null {
  const [statement, another] = clause.commands;
  if (
    kind !== 'while' ||
    another !== undefined ||
    statement?.background === true ||
    statement?.command.type !== 'Command'
  )
    return null;
  const { name, prefix, args, redirects } = statement.command;
  const isPlain = prefix.every((item) => item.type === 'Assignment' && item.text === 'IFS=');
  const text = args.map((item) => item.text).join(' ');
  const form = isEnded ? /^(?:-r -d|-d|-rd) (?:''|\$'\\0')(?: -r)? ([A-Za-z_]\w*)$/ : /^(?:-r )?([A-Za-z_]\w*)$/;
  return name?.text === 'read' && isPlain && redirects.length === 0 ? (form.exec(text)?.[1] ?? null) : null;
}

/** The names in a pipe that is the input, and nothing else is. */
function namesOfInput({ reader }: Walk, redirects: readonly Redirection[]): ListedNames | null {
  const [redirect, another] = redirects;
  if (redirect?.type !== 'Redirect' || another !== undefined || redirect.operator !== '<') return null;
  if (redirect.descriptor !== undefined || reader.outputs === null) return null;
  const [part, more] = redirect.target?.parts ?? [];
  return part === undefined || more !== undefined ? null : (reader.outputs.get(part) ?? null);
}

function walkFor(walk: Walk, node: For): Outcome {
  const { reader, state } = walk;
  const name = node.name.value;
  const { wordlist = [] } = node;
  const words: ShellWord[] = [];
  for (const word of wordlist) {
    walkWord(walk, word);
    const expanded = expandWord(reader, state, word);
    noteListed(walk, word, expanded);
    words.push(expanded);
  }
  const wasSet = reader.setVariables.has(name);
  for (const word of wordlist) noteAssignment(reader, name, word);
  if (node.wordlist === undefined) noteText(reader, name, null);
  const values = enterLoop(reader, state, node, words);
  if (values === null) return loop(walk, [node.body]);
  if (!wasSet) reader.setVariables.delete(name);
  return loop(walk.in(state.withValues(values)), [node.body]);
}

function walkFunction(walk: Walk, node: FunctionNode): void {
  const { reader, state } = walk;
  reader.isReordered = true;
  const name = readWord(node.name).value;
  if (name === null || isModelled(name)) sayUnknown(reader, `a function takes the place of ${node.name.text}`);
  if (movesShell(node.body)) reader.functionsMove = true;
  // It is called from wherever the shell is then.
  const around = inner(walk, walk.movesAnywhere() ? [null] : state.bases);
  const body = around.in(around.state.withValues(null));
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
  const assignments = assignmentsOf(node);
  for (const item of assignments) {
    walkAssignment(walk, item);
    if (isEvaluatedVariable(item.name)) noteSet(walk, item);
  }
  if (node.name !== undefined) walkWord(walk, node.name);
  let sets = false;
  for (const item of node.args) {
    if (item.type === 'Word') walkWord(walk, item);
    else {
      walkAssignment(walk, item);
      sets = true;
    }
  }
  const redirects = redirectsOf(node);
  const known = reader.files.length;
  const input = readRedirections(walk, redirects);
  const inputFile = input === null && redirects.length > 0 ? openedFile(walk, redirects, known) : null;
  if (node.name === undefined) {
    for (const item of assignments) setVariable(walk, item);
    return state.unchanged;
  }
  if (sets) walkExport(walk, node.args);
  const setting: RunSetting = {
    reader,
    state,
    startedBy: walk.startedBy,
    input: input ?? null,
    inputFile,
    names: redirects.length === 0 ? walk.names : null,
    isExternal: false,
    isElsewhere: false,
    script: walk,
  };
  const words = commandWords(walk, node.name, node.args);
  return readRun(setting, assignedWords(walk, assignments), words);
}

const NONE: readonly never[] = [];

/** Most commands have none, and then the arguments are all that stands behind the name. */
function redirectsOf(node: Command): Command['redirects'] {
  return node.prefix.length === 0 && node.args === node.suffix ? NONE : node.redirects;
}

/** Most commands have none. */
function assignmentsOf({ prefix }: Command): readonly Assignment[] {
  return prefix.length === 0 ? NONE : prefix.filter((item) => item.type === 'Assignment');
}

function assignedWords(walk: Walk, assignments: readonly Assignment[]): readonly AssignmentWord[] {
  return assignments.length === 0
    ? NONE
    : assignments.map((item) => ({ name: item.name, word: assignedWord(walk, item) }));
}

/** The words of a command as the program gets them: nearly always as many as are written. */
function commandWords(walk: Walk, name: Word, args: readonly CommandArgument[]): readonly ShellWord[] {
  const words = new Array<ShellWord>(args.length + 1);
  words[0] = expandWord(walk.reader, walk.state, name);
  let at = 1;
  for (const item of args) {
    if (item.type !== 'Word') words[at++] = assignedWord(walk, item);
    else if (isBare(item)) words[at++] = readWord(item);
    else if (!item.text.includes('{')) words[at++] = operandWord(walk, item);
    else for (const word of operandWords(walk, item)) words[at++] = word;
  }
  // A list in braces may be nothing.
  if (at < words.length) words.length = at;
  return words;
}

/** The file that the redirections open as input, of those noted from `known` on. */
function openedFile({ reader }: Walk, redirects: Command['redirects'], known: number): FileUse | null {
  // Of a substitution the files are others.
  if (redirects.some((item) => 'target' in item && item.target?.text.includes('(') === true)) return null;
  const opened = reader.files.slice(known).filter(({ access, by }) => access === 'read' && by === 'redirection');
  const last = opened.at(-1);
  // Of names that are listed it is one.
  return last === undefined || last.reach !== 'itself' ? null : last;
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
    if (item.value.text.includes('$')) notePatternBehind(walk, item.value);
  } else
    for (const element of item.value.elements) {
      walkWord(walk, element);
      noteListings(walk, element);
    }
}

const WILDCARD = /[*?[]/;

/** Wildcards behind variables whose values are known, in those values, or in what is put in their place. */
function notePatternBehind(walk: Walk, value: Word): void {
  if (value.parts?.some((part) => mayMakePattern(part)) === true) addUnknownFile(walk, LISTING);
  if (!WILDCARD.test(value.text) && !hasPatterns(walk)) return;
  const word = expandWord(walk.reader, walk.state, value);
  for (const each of word.choices ?? [word])
    if (each.value !== null) notePattern(walk, each.value);
    else if (each.isGlob && each !== word) noteListing(walk, each);
}

function hasPatterns({ state: { values } }: Walk): boolean {
  if (values !== null)
    for (const words of values.values())
      if (words.some(({ value, isGlob }) => isGlob || WILDCARD.test(value ?? ''))) return true;
  return false;
}

function noteSet({ reader }: Walk, item: Assignment): void {
  if (item.value.type === 'Word') {
    noteAssignment(reader, item.name, item.value);
    return;
  }
  for (const element of item.value.elements) noteAssignment(reader, item.name, element);
}

/** What gives variables to the programs that the line starts later. */
const GIVES = /\bexport\b|allexport|\bset\s+-\w*a/;

/** An assignment of the shell itself, whose value may be known from then on. */
function setVariable(walk: Walk, item: Assignment): void {
  const { reader, state } = walk;
  const wasSet = reader.setVariables.has(item.name);
  noteSet(walk, item);
  if (item.value.type === 'Word' && GIVES.test(reader.command)) {
    const held = expandWord(reader, state, item.value).value;
    if (held !== null) noteMentions({ reader, name: 'export', bases: state.bases, isElsewhere: false }, held);
  }
  if (item.value.type !== 'Word' || item.index !== undefined || item.append === true || wasSet) return;
  const before = state.values;
  learnValue(reader, state, item.name, item.value);
  if (state.values !== before) reader.setVariables.delete(item.name);
}

/** An argument that is no list in braces. */
function operandWord(walk: Walk, item: Word): ShellWord {
  const word = expandOperand(walk.reader, walk.state, item);
  noteListed(walk, item, word);
  return mayVanish(walk, item, word) ? vanishingWord(word) : word;
}

function operandWords(walk: Walk, item: Word): readonly ShellWord[] {
  const words = expandOperands(walk.reader, walk.state, item);
  for (const word of words) noteListed(walk, item, word);
  return words.some((word) => mayVanish(walk, item, word)) ? words.map((word) => vanishingWord(word)) : words;
}

/** With an option of bash a pattern that matches nothing is no word, so that others take its place. */
function mayVanish({ reader }: Walk, item: Word, { value }: ShellWord): boolean {
  if (value !== null || !reader.command.includes(NULL_GLOB)) return false;
  return partsOf(item)?.every(({ type }) => type === 'DoubleQuoted') !== true;
}

/** As `noteListed`, for words that no command gets. */
function noteListings(walk: Walk, item: Word): void {
  if (partsOf(item) !== undefined) noteListed(walk, item, expandWord(walk.reader, walk.state, item));
}

/** Wildcards make the shell look into folders, whatever becomes of the names. */
function noteListed(walk: Walk, item: Word, word: ShellWord): void {
  if (word.value !== null) return;
  let expands = false;
  for (const part of partsOf(item) ?? []) {
    if (part.type === 'Glob' || part.type === 'ExtendedGlob') {
      noteListing(walk, word);
      return;
    }
    if (part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion') expands = true;
    if (part.type !== 'DoubleQuoted' && mayMakePattern(part)) {
      addUnknownFile(walk, LISTING);
      return;
    }
  }
  if (!expands) return;
  // What a variable holds may be a pattern: behind a folder it is one of names in there.
  if (word.choices !== null) noteListing(walk, word);
  else if (word.below === null && word.head.includes('/'))
    addFile(walk, tildeWord(word.head.slice(0, word.head.lastIndexOf('/') + 1), word.tilde), LISTING);
}

const LISTING = { access: 'read', by: 'operand', program: null } as const;

/** True for an expansion that has wildcards in what it puts in the place of a value. */
function mayMakePattern(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.some((child) => mayMakePattern(child));
  if (part.type !== 'ParameterExpansion') return false;
  const { operation } = part;
  if (operation?.type === 'Default') return WILDCARD.test(operation.operand.text);
  return operation?.type === 'Replace' && WILDCARD.test(operation.replacement.text);
}

/** An argument in the form of an assignment is one word all the same. */
function assignedWord({ reader, state }: Walk, item: Assignment): ShellWord {
  const start = `${item.name}${item.append === true ? '+' : ''}=`;
  if (item.value.type !== 'Word' || item.index !== undefined || INNER_TILDE.test(item.value.text))
    return openAssignment(item.text, item.name);
  return assignmentWord(item.text, start, expandWord(reader, state, item.value));
}

// Redirections: which files they open, and what a command reads as its input.

/**
 * Notes the files of redirections and walks the words in them.
 * @returns the text that the command reads as its input; null if it reads a file; undefined if nothing is said
 */
function readRedirections(walk: WordWalk, redirections: readonly Redirection[]): Input | undefined {
  let input: Input | undefined;
  for (const item of redirections) {
    const { descriptor } = item;
    if (descriptor?.type === 'FileDescriptorVariable') noteText(walk.reader, descriptor.name, null);
    const isInput = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0);
    if (item.type === 'HereDoc') {
      walkParts(walk, item.body.parts);
      if (isInput) input = documentText(item);
    } else if (item.type === 'HereString') {
      if (item.target !== undefined) walkWord(walk, item.target);
      if (isInput) input = item.target === undefined ? null : readWord(item.target).value;
    } else {
      readRedirect(walk, item);
      if (isInput && item.operator.startsWith('<')) input = null;
    }
  }
  return input;
}

const EXPANDED = /[$`\\]/;
const DESCRIPTOR = /^(?:\d+-?|-)$/;
const CONNECTS = /^\/dev\/(?:tcp|udp)\//;

/** The text of a heredoc if nothing in it is expanded. */
function documentText({ delimiter, body, operator }: HereDoc): Input {
  // Tabs at the start of lines go; commands do not mind them, other texts might.
  const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
  if (delimiter?.quoted === true) return text;
  return EXPANDED.test(text) ? null : text;
}

function readRedirect(walk: WordWalk, { operator, target }: Redirect): void {
  if (target === undefined) {
    sayUnknown(walk.reader, 'a redirection has no target');
    return;
  }
  walkWord(walk, target);
  const word = expandOperand(walk.reader, walk.state, target);
  const isCopy = operator === '>&' || operator === '<&';
  // A descriptor is copied, closed or moved.
  if (isCopy && word.value !== null && DESCRIPTOR.test(word.value)) return;
  if (operator === '<&') {
    // Anything but a descriptor is an error.
    return;
  }
  if (word.value !== null && CONNECTS.test(word.value))
    sayUnknown(walk.reader, 'a redirection opens a connection to the network');
  else if (word.value === null && word.head.startsWith('/dev/'))
    sayUnknown(walk.reader, 'a redirection may open a connection to the network');
  const user = { by: 'redirection', program: null } as const;
  // The shell opens one of the names, as a program would.
  if (operator === '<' && (word.below ?? word.choices) !== null) {
    addFile(walk, word, { by: 'redirection', program: 'bash', access: 'read' });
    return;
  }
  if (word.below !== null || word.choices?.some(({ below }) => below !== null) === true) {
    for (const access of ['read', 'write'] as const)
      if (access === (operator.startsWith('<') ? 'read' : 'write') || operator === '<>')
        addUnknownFile(walk, { ...user, access });
    return;
  }
  if (operator === '<' || operator === '<>') addFile(walk, word, { ...user, access: 'read' });
  if (operator !== '<') addFile(walk, word, { ...user, access: 'write' });
}
