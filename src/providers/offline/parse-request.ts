// Reads a request in plain English into steps. Pure. What it does not understand it says, and it never guesses: a
// part with a word that no rule accounts for is `not_understood`.
import { parseFacets } from './facets.js';
import { type Phrase, readPhrase, splitRequest } from './phrase.js';
import {
  recogniseDirectCommand,
  recogniseReplace,
  recogniseRun,
  recogniseTodo,
  recogniseWrite,
} from './recognise-change.js';
import { recogniseCountFiles, recogniseCountLines, recogniseList, recogniseRank } from './recognise-find.js';
import { recogniseSearch, recogniseShow, recogniseSummarise } from './recognise-text.js';
import type { Step, StepAction } from './step.js';
import { COURTESY, UNSUPPORTED_VERBS } from './vocabulary.js';

/** More parts than this is prose, not a request. */
const MAX_STEPS = 20;

// First match wins: what changes files before what reads them, the special before the general.
const RECOGNISERS: readonly ((phrase: Phrase) => StepAction[] | null)[] = [
  recogniseReplace,
  (phrase) => recogniseWrite(phrase, recognise),
  recogniseRun,
  recogniseSummarise,
  recogniseCountLines,
  recogniseRank,
  recogniseSearch,
  recogniseCountFiles,
  recogniseFacets,
  recogniseShow,
  recogniseList,
  recogniseDirectCommand,
];

/**
 * The steps of a request, in order. Empty where nothing in it was understood, or less than half of it: then it was
 * not meant for this planner, and doing a part of it would be a guess.
 */
export function parseRequest(request: string): Step[] {
  if (isRecap(request)) return [{ type: 'recap', source: 'the conversation so far' }];
  const whole = readPhrase(request);
  if (whole === null) return [];
  // The items of a to-do list are written with the same commas and verbs that join parts of a request.
  const todo = recogniseTodo(whole);
  if (todo !== null) return todo.map((action) => ({ ...action, source: whole.original() }));
  const steps: Step[] = [];
  for (const phrase of splitRequest(whole)) {
    const source = phrase.original();
    if (COURTESY.test(phrase.text)) continue;
    const actions = showsEarlierFiles(phrase, steps) ?? recognise(phrase) ?? [notUnderstood(phrase)];
    steps.push(...actions.map((action) => ({ ...action, source })));
  }
  const understood = steps.filter((step) => step.type !== 'not_understood').length;
  if (understood === 0 || understood * 2 < steps.length || steps.length > MAX_STEPS) return [];
  return steps;
}

/** "show the files" lists them at the start of a request, and shows those that were found later in it. */
function showsEarlierFiles(phrase: Phrase, steps: readonly Step[]): StepAction[] | null {
  const asks = /^(?:show|read|open|print|display)(?: me)? (?:the|these|those|that) files?$/i.test(phrase.text);
  const found = steps.some((step) => step.type !== 'not_understood');
  return asks && found ? [{ type: 'show', target: { kind: 'previous' }, range: null }] : null;
}

function recognise(phrase: Phrase): StepAction[] | null {
  for (const recogniser of RECOGNISERS) {
    const steps = recogniser(phrase);
    if (steps !== null) return steps;
  }
  return null;
}

/** "its path and line count", said after "tell me", "show", "report": what is known of earlier results. */
function recogniseFacets(phrase: Phrase): StepAction[] | null {
  const match =
    /^(?:tell(?: me)?|give(?: me)?|say|show(?: me)?|print|report|output|display|list|what (?:is|are)|the|its|their)\s+(.+)$/i.exec(
      phrase.text,
    );
  if (match === null || !/\b(?:its|their|the|it|them|how many)\b/i.test(phrase.text)) return null;
  const lead = /^(?:the|its|their)\b/i.test(phrase.text) ? phrase.copy() : phrase.copy(match[1] ?? '');
  const facets = parseFacets(lead);
  if (facets === null || facets.includes('it') || facets.includes('text')) return null;
  return [{ type: 'tell', facets }];
}

function notUnderstood(phrase: Phrase): StepAction {
  const verb = phrase.text.split(/\s+/)[0]?.toLowerCase() ?? '';
  return { type: 'not_understood', action: UNSUPPORTED_VERBS.includes(verb) };
}

/** Also what an engine asks of a model when it compacts a conversation. */
function isRecap(request: string): boolean {
  const text = request.slice(0, 4_000);
  return (
    /\bsummar(?:y|ise|ize)\b[^.\n]{0,60}\b(?:conversation|session|discussion|chat)\b/i.test(text) ||
    /^\s*what (?:did|have) (?:we|you|i) (?:do|done|did)\b/i.test(text)
  );
}
