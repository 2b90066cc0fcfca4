// The vocabulary between reading a request and carrying it out: what one part of a request asks for. Types only.

/** Which files are meant. */
export interface FileQuery {
  /** For people: `TypeScript files under src`. */
  readonly label: string;
  /** Name patterns; one of them must match. Empty: any file. One with a slash is a pattern over paths. */
  readonly globs: readonly string[];
  /** As typed. Empty: the working directory. */
  readonly folders: readonly string[];
}

/** What a part of a request is about. `previous`: what an earlier part found ("it", "them", "the result"). */
export type Target =
  | { readonly kind: 'paths'; readonly paths: readonly string[] }
  | { readonly kind: 'query'; readonly query: FileQuery }
  | { readonly kind: 'previous' };

/** What to look for in files. */
export interface Needle {
  /** For people: `"foo"`, `the definition of foo`. */
  readonly label: string;
  /** A regular expression, ready for Grep. */
  readonly pattern: string;
  /** The text itself where the needle is plain text, so a later part can replace it. */
  readonly literal: string | null;
  readonly ignoreCase: boolean;
}

/** Lines of a file, counted from 1. `last`: that many from the end. */
export type LineRange =
  | { readonly kind: 'span'; readonly from: number; readonly count: number }
  | { readonly kind: 'last'; readonly count: number };

/** A property of earlier results to write or tell. `all`: every unsaved result; `it`: the last one as it is. */
export type Facet = 'paths' | 'lines' | 'bytes' | 'count' | 'matches' | 'summary' | 'text' | 'output' | 'it' | 'all';

export type StepAction =
  | {
      readonly type: 'list';
      readonly query: FileQuery;
      readonly what: 'files' | 'folders';
      readonly limit: number | null;
    }
  | { readonly type: 'count_files'; readonly query: FileQuery }
  | {
      readonly type: 'rank';
      readonly target: Target;
      readonly order: 'largest' | 'smallest';
      readonly count: number;
      readonly measure: 'lines' | 'bytes';
    }
  | {
      readonly type: 'search';
      readonly needle: Needle;
      readonly target: Target;
      readonly show: 'matches' | 'files' | 'count';
    }
  | { readonly type: 'show'; readonly target: Target; readonly range: LineRange | null }
  | { readonly type: 'summarise'; readonly target: Target }
  | { readonly type: 'count_lines'; readonly target: Target }
  | { readonly type: 'run'; readonly command: string }
  | { readonly type: 'create'; readonly path: string; readonly content: string }
  | {
      readonly type: 'append';
      readonly target: Target;
      readonly content: string | null;
      readonly facets: readonly Facet[];
    }
  | { readonly type: 'write'; readonly path: string; readonly facets: readonly Facet[] }
  | { readonly type: 'tell'; readonly facets: readonly Facet[] }
  | {
      readonly type: 'replace';
      readonly target: Target;
      /** Null: what an earlier part searched for. */
      readonly oldText: string | null;
      readonly newText: string;
      readonly which: 'all' | 'first';
    }
  | { readonly type: 'todo'; readonly items: readonly string[] }
  | { readonly type: 'recap' }
  /** `action`: it asked for something to be done, so later parts may lean on it. */
  | { readonly type: 'not_understood'; readonly action: boolean };

/** One part of a request. `source` is how the user put it. */
export type Step = StepAction & { readonly source: string };

/** True where the step needs what an earlier step found. */
export function refersBack(step: Step): boolean {
  switch (step.type) {
    case 'rank':
    case 'search':
    case 'show':
    case 'summarise':
    case 'count_lines':
      return step.target.kind === 'previous';
    case 'append':
      return step.target.kind === 'previous' || step.content === null;
    case 'replace':
      return step.target.kind === 'previous' || step.oldText === null;
    case 'write':
    case 'tell':
      return true;
    default:
      return false;
  }
}
