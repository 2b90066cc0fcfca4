// Walks words for what they start: substitutions of every kind, and arithmetic, which evaluates what variables hold.
import type { ArithmeticExpression, ParameterOperation, ParsedScript, Redirection, Word, WordPart } from 'unbash';
import { isActingVariable } from '../../../util/acting-variables.js';
import { type Reader, type ShellState, sayUnknown } from '../reader.js';
import { isBare, partsOf } from './read-word.js';
import { isEvaluatedVariable, isReadByPath } from './variables.js';

export interface WordWalk {
  readonly reader: Reader;
  readonly state: ShellState;
  /** Walks a script that stands in the text, in a subshell. */
  walkScript(script: ParsedScript, state: ShellState): void;
}

/** A word of a command. */
export function walkWord(walk: WordWalk, word: Word): void {
  walkParts(walk, partsOf(word));
}

export function walkParts(walk: WordWalk, parts: readonly WordPart[] | undefined): void {
  if (parts !== undefined) for (const part of parts) walkPart(walk, part);
}

/** A text within an expansion: quotes in it need not be those of a word. */
function walkInner(walk: WordWalk, text: Word): void {
  if (!isBare(text)) walkParts(walk, text.parts);
}

function walkPart(walk: WordWalk, part: WordPart): void {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'SimpleExpansion':
      return;
    case 'Glob':
    case 'DoubleQuoted':
    case 'LocaleString':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      walkParts(walk, part.parts);
      if (part.type === 'ExtendedGlob') checkHidden(walk, part.pattern, part.parts);
      if (part.type === 'BraceExpansion') checkHidden(walk, part.text, part.parts);
      return;
    case 'ParameterExpansion':
      if (part.prefix === '!' && part.operation?.type !== 'Names') sayIndirect(walk, part.parameter);
      if (part.index !== undefined) walkArithmeticWord(walk, part.index);
      if (part.operation !== undefined) walkOperation(walk, part.parameter, part.operation);
      // What is set is the variable that the value names.
      if (part.prefix === '!' && part.operation?.type === 'Default' && part.operation.operator.includes('='))
        sayUnknown(walk.reader, 'an expansion sets a variable that is not named');
      return;
    case 'CommandExpansion':
      walk.reader.listed = null;
      walkNested(walk, part.script);
      noteOutput(walk.reader, part, part.script);
      return;
    case 'ProcessSubstitution':
      // Nobody waits for its end.
      walk.reader.isReordered = true;
      walk.reader.listed = null;
      walkNested(walk, part.script);
      notePipe(walk.reader, part, part.script);
      return;
    case 'ArithmeticExpansion':
      if (part.expression === undefined) sayArithmetic(walk, part.text);
      else walkArithmetic(walk, part.expression);
  }
}

function walkNested(walk: WordWalk, script: ParsedScript | undefined): void {
  if (script === undefined) sayUnknown(walk.reader, 'a substitution could not be read');
  else walk.walkScript(script, walk.state.inner());
}

/** Notes the names that a substitution consists of, if one program lists them and nothing else is in its output. */
function noteOutput(reader: Reader, part: object, script: ParsedScript | undefined): void {
  const { listed } = reader;
  if (listed === null || !isOfOneProgram(script)) return;
  // The shell leaves out what ends such names, so that they run together.
  if (listed.areEnded === true) return;
  reader.outputs ??= new Map();
  reader.outputs.set(part, { ...listed, areSplit: listed.areHashes !== true, isOutput: true, areForReading: true });
}

/** The same of a pipe, from which a loop may read names. */
function notePipe(reader: Reader, part: object, script: ParsedScript | undefined): void {
  const { listed } = reader;
  if (listed === null || !isOfOneProgram(script)) return;
  reader.outputs ??= new Map();
  reader.outputs.set(part, listed);
}

function isOfOneProgram(script: ParsedScript | undefined): boolean {
  const [statement, another] = script?.commands ?? [];
  if (statement === undefined || another !== undefined || statement.background === true) return false;
  const { command } = statement;
  return command.type === 'Pipeline' || (command.type === 'Command' && isOutputAlone(command.redirects));
}

/** True if what the redirections lead to the output of a program is nothing but that. */
export function isOutputAlone(redirects: readonly Redirection[]): boolean {
  return redirects.every(
    ({ operator, descriptor }) =>
      /^>>?$/.test(operator) && descriptor?.type === 'FileDescriptor' && descriptor.value === 2,
  );
}

/** If the grammar gives no parts, no substitution may stand in the text. */
function checkHidden(walk: WordWalk, text: string, parts: readonly WordPart[] | undefined): void {
  if (parts === undefined && /[$`]|[<>]\(/.test(text)) sayUnknown(walk.reader, 'a pattern holds an expansion');
}

function walkOperation(walk: WordWalk, parameter: string, operation: ParameterOperation): void {
  switch (operation.type) {
    case 'Default':
      walkInner(walk, operation.operand);
      if (operation.operator.includes('=')) noteAssignment(walk.reader, parameter, operation.operand);
      return;
    case 'Remove':
      walkInner(walk, operation.operand);
      return;
    case 'Replace':
      walkInner(walk, operation.pattern);
      walkInner(walk, operation.replacement);
      return;
    case 'Slice':
      walkArithmeticWord(walk, operation.offset);
      if (operation.length !== undefined) walkArithmeticWord(walk, operation.length);
      return;
    case 'CaseModification':
      if (operation.operand !== undefined) walkInner(walk, operation.operand);
      return;
    case 'Transform':
      // `@P` runs the substitutions that the value holds; the others only quote or tell.
      if (!/^[UuLQEAKak]$/.test(operation.operand.value))
        sayUnknown(walk.reader, 'an expansion evaluates the value of a variable');
      walkInner(walk, operation.operand);
      return;
    case 'Names':
      return;
    case 'Unknown':
      sayUnknown(walk.reader, 'an expansion is of an unknown kind');
  }
}

/** A word that bash takes as arithmetic: an index, an offset, a side of `-eq`. */
export function walkArithmeticWord(walk: WordWalk, word: Word): void {
  walkInner(walk, word);
  if (word.text !== '@' && word.text !== '*') sayArithmetic(walk, word.text);
}

export function walkArithmetic(walk: WordWalk, expression: ArithmeticExpression): void {
  switch (expression.type) {
    case 'ArithmeticBinary':
      walkArithmetic(walk, expression.left);
      walkArithmetic(walk, expression.right);
      return;
    case 'ArithmeticUnary':
      walkArithmetic(walk, expression.operand);
      return;
    case 'ArithmeticTernary':
      walkArithmetic(walk, expression.test);
      walkArithmetic(walk, expression.consequent);
      walkArithmetic(walk, expression.alternate);
      return;
    case 'ArithmeticGroup':
      walkArithmetic(walk, expression.expression);
      return;
    case 'ArithmeticWord':
      walkParts(walk, expression.parts);
      sayArithmetic(walk, expression.value);
      return;
    case 'ArithmeticCommandExpansion':
      walkNested(walk, expression.script);
      sayUnknown(walk.reader, 'the output of a command is evaluated as arithmetic');
  }
}

const UNTOLD_TEXT = /\$[@*_0-9]|\$\{[^A-Za-z]|\$\(|`|['\\]/;

/** `${!x}`: what the value names may have an index, which is evaluated. A word that the shell was given can be any text. */
function sayIndirect(walk: WordWalk, parameter: string): void {
  if (/^[@*\d]/.test(parameter)) sayUnknown(walk.reader, 'an expansion takes a word that is not known for a name');
  else sayArithmetic(walk, parameter);
}

/** Notes that a text is evaluated as arithmetic: numbers are harmless, names stand for what variables hold. */
export function sayArithmetic({ reader }: Pick<WordWalk, 'reader'>, text: string): void {
  // Parameters that hold words of commands, and output of commands, can hold any text.
  if (UNTOLD_TEXT.test(text)) sayUnknown(reader, 'a text that is not known is evaluated as arithmetic');
  for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
    if (isActingVariable(name)) sayUnknown(reader, `${name} is changed, which other programs act on`);
    reader.evaluated.add(name);
  }
}

/** Notes what a variable of the shell is set to; undefined is a list or another value that is not followed. */
export function noteAssignment(reader: Reader, name: string, value: Word | undefined): void {
  if (value === undefined || mayHoldCode(value)) {
    noteText(reader, name, null);
    return;
  }
  // What is left holds no substitution; variables in it are names as any others.
  noteText(reader, name, value.text.replaceAll('$', ' '));
}

const EXPANDS = /[$`]/;

/** As `noteAssignment` for a text that another command sets; null is a text that nothing is known of. */
export function noteText(reader: Reader, name: string, text: string | null): void {
  if (isActingVariable(name) || isReadByPath(name, text ?? ''))
    sayUnknown(reader, `${name} is set, which other programs act on`);
  if (isEvaluatedVariable(name)) reader.evaluated.add(name);
  reader.setVariables.add(name);
  const known = reader.values.get(name) ?? { names: new Set<string>(), holdsCode: false };
  reader.values.set(name, known);
  if (text === null || EXPANDS.test(text)) known.holdsCode = true;
  else for (const [inner] of text.matchAll(/[A-Za-z_]\w*/g)) known.names.add(inner);
}

/**
 * Variables that the shell sets itself to a text that the line may have chosen: `_` is the last word of the command before,
 * and the one that the engine hands the line over in is the line.
 */
const SET_BY_SHELL = /^(?:_$|_turnwright|BASH|REPLY|OPTARG|PIPESTATUS|DIRSTACK|MAPFILE|COPROC)/;

/** Says so if arithmetic evaluates a variable that may hold a substitution, directly or by way of others. */
export function checkEvaluated(reader: Reader): void {
  if (reader.evaluated.size === 0) return;
  const queue = new Set(reader.evaluated);
  for (const name of queue) {
    const value = reader.values.get(name);
    if (value?.holdsCode === true || SET_BY_SHELL.test(name)) {
      sayUnknown(reader, `arithmetic evaluates what ${name} holds`);
      return;
    }
    for (const inner of value?.names ?? []) queue.add(inner);
  }
}

/** Lists that the shell sets itself. */
const OWN_LISTS = /^(?:BASH|REPLY|PIPESTATUS|DIRSTACK|MAPFILE|COPROC|FUNCNAME|GROUPS)/;

/** Says so if a text becomes the value of a list, which runs the substitutions in it. */
export function checkLists(reader: Reader): void {
  for (const name of reader.listTexts)
    if (reader.lists.has(name) || OWN_LISTS.test(name))
      sayUnknown(reader, `the substitutions in the value of ${name} are run`);
}

/** True if the value may be a text that runs a program when it is evaluated as arithmetic. */
function mayHoldCode(word: Word): boolean {
  if (word.parts === undefined) return EXPANDS.test(word.value);
  return word.parts.some((part) => partMayHoldCode(part));
}

function partMayHoldCode(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return EXPANDS.test(part.value);
    case 'DoubleQuoted':
      return part.parts.some((child) => partMayHoldCode(child));
    case 'ArithmeticExpansion':
      return false;
    case 'SimpleExpansion':
      // Another variable is noted if it is set; parameters that hold words are not.
      return !/^\$(?:[A-Za-z]\w*|[?#$!])$/.test(part.text) || /^\$(?:BASH|REPLY|OPTARG)/.test(part.text);
    case 'ParameterExpansion':
      return part.prefix !== '#' && (part.operation !== undefined || part.prefix === '!' || part.index !== undefined);
    default:
      return true;
  }
}
