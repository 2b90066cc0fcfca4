// Reads a command line: its grammar, every program that could start, the files it names. Loaded with the first command
// that is asked about, because the grammar costs a start some twenty milliseconds.
import { parse } from 'unbash';
import { escapeSpaces } from '../command-text.js';
import type { CommandPlace, CommandReading, ProgramRun } from './command-reading.js';
import { finishRun } from './finish-run.js';
import { forgetMade, noteWrittenInput } from './programs/file-uses.js';
import { newShell, type Reader, type ShellState, sayUnknown, spend } from './reader.js';
import { checkValues } from './syntax/expand-word.js';
import { walkScript } from './syntax/walk-syntax.js';
import { checkEvaluated, checkLists } from './syntax/walk-words.js';

/** Commands of more signs are unknown. */
const MAX_COMMAND_LENGTH = 10_000;
/** What programs start is looked at again as part of each of them. */
const BUDGET_FACTOR = 5;
const MIN_BUDGET = 2_000;
/** What is longer still is not looked at. */
const MAX_READ_LENGTH = 100_000;

const NONE: readonly never[] = [];

/**
 * Reads a command line as bash would run it in the given place.
 * Contract: never throws and never runs anything; time grows with the length of the command. What it cannot prove it
 * reports as unknown.
 */
export function readCommand(command: string, place: CommandPlace): CommandReading {
  const reader: Reader = {
    command,
    folder: place.folder ?? place.cwd,
    own: place.isOwnRepository === false ? [place.folder ?? place.cwd] : [place.folder ?? place.cwd, place.cwd],
    home: place.home,
    looksAtGit: place.looksAtGit === true,
    top: place.top ?? null,
    pushed: NONE,
    looksElsewhere: place.looksElsewhere === true,
    runs: [],
    files: [],
    unpacks: [],
    made: [],
    opensDescriptors: false,
    isReordered: false,
    pipes: null,
    listed: null,
    outputs: null,
    moving: null,
    unknown: null,
    evaluated: new Set(),
    values: new Map(),
    lists: new Set(),
    listTexts: new Set(),
    knownVariables: new Set(),
    setVariables: new Set(),
    readsLines: false,
    changesInput: false,
    functionsMove: false,
    budget: BUDGET_FACTOR * Math.max(command.length, MIN_BUDGET),
    depth: 0,
    readScript: (code, state, startedBy) => readScript(reader, code, state, startedBy),
  };
  if (command.length > MAX_COMMAND_LENGTH) sayUnknown(reader, `it is longer than ${MAX_COMMAND_LENGTH} signs`);
  if (command.length <= MAX_READ_LENGTH) {
    try {
      readScript(reader, command, newShell(command, [place.cwd]), []);
      checkEvaluated(reader);
      checkLists(reader);
      checkValues(reader);
      noteWrittenInput(reader);
      forgetMade(reader);
    } catch (error) {
      // Whatever the grammar stumbles over is not known, and asking is always right.
      sayUnknown(reader, `it could not be read: ${error instanceof Error ? error.message : 'an unknown fault'}`);
    }
  }
  const programs = reader.runs.map((draft) => finishRun(draft));
  const unknown = reader.unknown ?? programs.find((run) => run.unknown !== null)?.unknown ?? null;
  if (reader.unknown !== null) programs.push(unknownRun(command, reader.unknown));
  const { files, unpacks } = reader;
  return { unknown, programs, files, ...(unpacks.length === 0 ? {} : { unpacks }) };
}

function readScript(
  reader: Reader,
  code: string,
  state: ShellState,
  startedBy: Parameters<Reader['readScript']>[2],
): void {
  if (!spend(reader, code.length)) return;
  if (opensTooMuch(code)) {
    sayUnknown(reader, 'it opens more brackets than it closes');
    return;
  }
  if (code.includes('\0')) sayUnknown(reader, 'it holds a NUL');
  walkScript(reader, parse(code), state, startedBy, state.text.code !== code);
}

/** Brackets open at one place; the grammar takes long over more, and bash would take none of it. */
const MAX_OPEN = 200;

function opensTooMuch(code: string): boolean {
  let open = 0;
  for (let at = 0; at < code.length; at++) {
    const sign = code.charCodeAt(at);
    if (sign === 0x28 || sign === 0x7b) open++;
    else if (sign === 0x29 || sign === 0x7d) open--;
    if (open > MAX_OPEN) return true;
  }
  return false;
}

/** Stands for what is unknown of the command as a whole, so that no rule about content allows it. */
function unknownRun(command: string, unknown: string): ProgramRun {
  const text = command.trim();
  return {
    text,
    words: [null],
    name: null,
    allowText: null,
    spelled: '',
    startedBy: [],
    restrictTexts: text.length > MAX_COMMAND_LENGTH ? [] : [...new Set([text, escapeSpaces(text)])],
    openTexts: [],
    mayStart: [],
    readOnly: false,
    isGit: false,
    startsIn: [null],
    unknown,
  };
}
