// What a form of a call in a text is: how it begins, and how it is read.

import type { ModelEvent } from '../../protocol/content.js';
import type { ToolCallProfile } from '../../protocol/model-options.js';
import type { ModelRequest } from '../contract/index.js';
import type { FoundCall, OfferedTools } from './offered-tools.js';

export interface ReadCalls {
  readonly calls: readonly FoundCall[];
  /** The place at which the text goes on behind them. */
  readonly end: number;
}

/** Reads what begins at `at`; null if it is no whole call of an offered tool. */
export type ReadForm = (source: string, at: number, tools: OfferedTools) => ReadCalls | null;

export interface CallForm {
  /** What the form begins with. */
  readonly mark: string;
  /** It counts at the beginning of a line only, since it could be a word of prose. */
  readonly atLineStart?: boolean;
  readonly read: ReadForm;
}

/** The end of `expected` if the text goes on with it, white space aside; null if it does not. */
export function skipText(source: string, at: number, expected: string): number | null {
  let from = at;
  while (/\s/.test(source[from] ?? '')) from++;
  return source.startsWith(expected, from) ? from + expected.length : null;
}

/** What a sticky pattern finds at that place. */
export function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

// What the wrapper loads with its first request.

export interface ToolCallReader {
  /** The request as the model gets it. */
  ask(request: ModelRequest): ModelRequest;
  /** The events of its reply, calls made of what are calls. */
  read(events: AsyncIterable<ModelEvent>, request: ModelRequest): AsyncIterable<ModelEvent>;
}

// How a model calls tools, as data. It is read with every provider, the rest only if it says so.

export type { ToolCallProfile } from '../../protocol/model-options.js';

export const TOOL_CALL_PROFILES = ['native', 'auto', 'text'] as const satisfies readonly ToolCallProfile[];

/** Models whose own makers serve them, and that keep to the API wherever they are reached. */
const NATIVE_MODELS = /(?:^|\/)(?:claude|gpt-(?!oss)|chatgpt|o\d|gemini|grok)[\w.:-]*$/i;

/** @param ofServer what is known of the server; default `native` */
export function toolCallProfile(model: string, ofServer: ToolCallProfile = 'native'): ToolCallProfile {
  return ofServer === 'auto' && NATIVE_MODELS.test(model) ? 'native' : ofServer;
}
