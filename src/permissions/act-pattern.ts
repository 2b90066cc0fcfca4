// A rule that denies or asks, held against what a run does and not how it is written: subcommands by any of their names,
// options bundled, split, in any order, short or long, in front of the subcommand or behind the operands. One rule: what
// the rule spells out must be there, in whatever form; what may be there is asked about.

import type { MainNames, NamedOption, NamedRun, ProgramRun } from './shell/index.js';

/** The words of a pattern, as far as they can be told apart. */
export interface PatternWords {
  /** The program by its usual name, then its words without quotes; null: any words. */
  readonly words: readonly (string | null)[];
  /** True if more words may follow. */
  readonly openEnd: boolean;
}

/** What a pattern names; made once, from the description of the first program of that name. */
interface Act {
  readonly named: NamedRun;
  readonly options: readonly NamedOption[];
  /** Operands; null: any number of them. */
  readonly operands: readonly (string | null)[];
  readonly openEnd: boolean;
}

/** Stands for any words in the list that the description of a program reads. No word of a command is one. */
const ANY_WORDS = '\0*';

/** A pattern that knows the program. */
export class ActPattern {
  readonly #pattern: PatternWords;
  readonly #program: string;
  #acts: readonly Act[] | undefined;

  constructor(pattern: PatternWords) {
    this.#pattern = pattern;
    this.#program = pattern.words[0] ?? '';
  }

  /**
   * Whether the run is what the pattern names: for certain, or if the words that are not known were others, or if options
   * that are not known took a value.
   * Contract: pure; `no` for programs without a description.
   */
  speaksOf(run: ProgramRun): 'yes' | 'maybe' | 'no' {
    // Most runs are of another program: nothing is made for them, no scope of a closure either.
    return run.usualName === this.#program && run.mainNames !== undefined ? this.#compare(run.mainNames) : 'no';
  }

  #compare(mainNames: MainNames): 'yes' | 'maybe' | 'no' {
    this.#acts ??= actsOf(this.#pattern, mainNames);
    const acts = this.#acts;
    if (acts.length > 0 && !mayBeOneOf(acts, mainNames)) return 'no';
    const found = best(acts, mainNames.runs());
    if (found !== 'no' || acts.length === 0) return found;
    return best(acts, mainNames.possible()) === 'no' ? 'no' : 'maybe';
  }

  /** Whether words behind a program of which nothing is known are what the pattern names, if it starts them. */
  mayBeStartedBy({ mayStart, mayStartNames: names, mainNames }: ProgramRun): boolean {
    if (mainNames === undefined || names === undefined) return false;
    for (let at = 0; at < names.length; at++) {
      if (names[at] !== this.#program) continue;
      this.#acts ??= actsOf(this.#pattern, mainNames);
      if (best(this.#acts, mainNames.of((mayStart[at] ?? '').split(' '))) !== 'no') return true;
    }
    return false;
  }
}

function mayBeOneOf(acts: readonly Act[], names: MainNames): boolean {
  for (let at = 0; at < acts.length; at++) {
    const subcommand = acts[at]?.named.subcommand ?? null;
    if (subcommand === null || names.mayBe(subcommand)) return true;
  }
  return false;
}

function best(acts: readonly Act[], runs: readonly NamedRun[]): 'yes' | 'maybe' | 'no' {
  let found: 'maybe' | 'no' = 'no';
  for (const act of acts)
    for (const run of runs) {
      const said = compare(act, run);
      if (said === 'yes') return said;
      if (said === 'maybe') found = said;
    }
  return found;
}

function actsOf({ words, openEnd }: PatternWords, names: MainNames): readonly Act[] {
  return names.of(words.map((word) => word ?? ANY_WORDS)).map((named) => {
    const operands = named.operands.map(({ word }) => (word.value === ANY_WORDS ? null : (word.value ?? '')));
    const options = [...named.globals, ...named.options];
    // Whatever is left open behind an option may be its value.
    return {
      named,
      options: options.map((option) => (option.value?.value === ANY_WORDS ? { ...option, value: null } : option)),
      operands,
      openEnd,
    };
  });
}

function compare(act: Act, run: NamedRun): 'yes' | 'maybe' | 'no' {
  const hasUnknown = run.operands.some(({ word }) => word.value === null && !word.isPipe);
  if (act.named.subcommand !== null && run.subcommand !== act.named.subcommand)
    return run.subcommand === null && hasUnknown ? 'maybe' : 'no';
  const there = [...run.globals, ...run.options];
  const options = worst(act.options.map((wanted) => hasOption(there, wanted)));
  // An unknown word may be the option that is missing.
  const mayHave = run.operands.some(
    ({ word }) => word.value === null && (word.head === '' || word.head.startsWith('-')),
  );
  const found = options === 'no' && mayHave ? 'maybe' : options;
  if (found === 'no') return 'no';
  const isExact = !act.openEnd && !act.operands.includes(null);
  if (isExact && run.options.some(({ main }) => !act.options.some((wanted) => wanted.main === main))) return 'no';
  const operands = run.operands.map(({ word }) => word.value);
  if (matches(act.operands, operands, act.openEnd)) return found;
  return hasUnknown && mayMatch(act.operands, operands) ? 'maybe' : 'no';
}

function worst(found: readonly ('yes' | 'maybe' | 'no')[]): 'yes' | 'maybe' | 'no' {
  return found.includes('no') ? 'no' : found.includes('maybe') ? 'maybe' : 'yes';
}

/** Whether an option of that name is among them; one whose value the pattern spells out with that value. */
function hasOption(there: readonly NamedOption[], { main, value }: NamedOption): 'yes' | 'maybe' | 'no' {
  const same = there.filter((option) => option.main === main);
  // One that the description does not have may be short for it.
  const isShort = (option: NamedOption) => !option.isKnown && option.main.length > 2 && main.startsWith(option.main);
  if (same.length === 0) return main.startsWith('--') && there.some(isShort) ? 'maybe' : 'no';
  if (value === null || same.some((option) => option.value?.value === value.value)) return 'yes';
  return same.some((option) => option.value?.value === null) ? 'maybe' : 'no';
}

/** True if the operands are the wanted ones in their order, with anything in the place of null. */
function matches(wanted: readonly (string | null)[], operands: readonly (string | null)[], openEnd: boolean): boolean {
  let at = 0;
  let isOpen = false;
  for (const word of wanted) {
    if (word === null) {
      isOpen = true;
      continue;
    }
    const found = isOpen ? operands.indexOf(word, at) : operands[at] === word ? at : -1;
    if (found === -1) return false;
    at = found + 1;
    isOpen = false;
  }
  return openEnd || isOpen || at === operands.length || (wanted.includes(null) && operands.at(-1) === wanted.at(-1));
}

/** True if the operands up to the first that is not known do not tell otherwise. */
function mayMatch(wanted: readonly (string | null)[], operands: readonly (string | null)[]): boolean {
  for (const [at, operand] of operands.entries()) {
    const word = wanted[at];
    if (operand === null || word === null || word === undefined) return true;
    if (operand !== word) return false;
  }
  return true;
}
