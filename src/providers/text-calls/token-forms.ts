// Calls between special tokens of a model, which reach the text where a server does not know the model's template.

import { isRecord } from '../../util/is-record.js';
import { type CallForm, matchAt, type ReadCalls, type ReadForm, skipText } from './call-form.js';
import { readTagged } from './json-forms.js';
import { readLooseJson } from './loose-json.js';
import type { FoundCall, OfferedTools } from './offered-tools.js';

const DEEPSEEK_CALL = /\s*<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.:-]+)(?:<｜tool▁sep｜>)?\s*/y;
const KIMI_CALL = /\s*<\|tool_call_begin\|>\s*([\w.:-]+)\s*<\|tool_call_argument_begin\|>\s*/y;
const HARMONY_CALL =
  /(?:<\|start\|>assistant)?<\|channel\|>(?:commentary|analysis)\s+to=([\w.:-]+)\s*(?:<\|constrain\|>)?\s*(?:json)?\s*<\|message\|>/y;
const BRACKET_CALL = /\s*(?:\[TOOL_CALLS\])?([\w.:-]+)(?:\[CALL_ID\]\w+)?(?:\[ARGS\])?\s*(?=\{)/y;
const PREFIX_CALL = /functions\.([\w.-]+(?::\d+)?)\s*(?=\{)/y;
const FENCED_CALL = /\s*([\w.:-]+)\s*(?=```json)/y;
const LINE_CALL = />>>\s*([\w.:-]+)[ \t]*\n\s*(?=\{)/y;
const QWEN_CALL = /✿FUNCTION✿:\s*([\w.:-]+)\s*✿ARGS✿:\s*/y;
const ACTION_CALL = /Action:[ \t]*([\w.:-]+)[ \t]*\n\s*Action Input:\s*(?=\{)/y;

/** A name, then its input as JSON, perhaps in a fence, then what closes the call; some of them after each other. */
function namedForm(mark: string, open: RegExp, closes: readonly string[], around: readonly string[] = []): CallForm {
  const read: ReadForm = (source, start, tools) => {
    const calls: FoundCall[] = [];
    let at = start;
    if (around[0] !== undefined) at = skipText(source, at, around[0]) ?? at;
    for (let call = readNamed(source, at, open, closes, tools); ; call = readNamed(source, at, open, closes, tools)) {
      if (call === null) break;
      calls.push(...call.calls);
      at = call.end;
    }
    const end = around[1] === undefined ? at : (skipText(source, at, around[1]) ?? at);
    return calls.length === 0 ? null : { calls, end };
  };
  return { mark, read };
}

function readNamed(
  source: string,
  at: number,
  open: RegExp,
  closes: readonly string[],
  tools: OfferedTools,
): ReadCalls | null {
  const head = matchAt(open, source, at);
  if (head?.[1] === undefined) return null;
  let body = at + head[0].length;
  const fenced = skipText(source, body, '```json');
  body = fenced ?? body;
  const read = readLooseJson(source, body);
  const call = read === null || !isRecord(read.value) ? null : tools.call(head[1], read.value);
  if (read === null || call === null) return null;
  let { end } = read;
  if (fenced !== null) {
    const closed = skipText(source, end, '```');
    if (closed === null) return null;
    end = closed;
  }
  for (const close of closes) end = skipText(source, end, close) ?? end;
  return { calls: [call], end };
}

/** A name and its input in a fence. */
export function readFenced(
  source: string,
  at: number,
  closes: readonly string[],
  tools: OfferedTools,
): ReadCalls | null {
  return readNamed(source, at, FENCED_CALL, closes, tools);
}

/** Mistral writes a list of calls, or names with an input behind each. */
const readBrackets: ReadForm = (source, at, tools) =>
  readTagged(source, at + '[TOOL_CALLS]'.length, [], tools) ??
  namedForm('[TOOL_CALLS]', BRACKET_CALL, []).read(source, at, tools);

/** Command-R writes a list behind `Action:`; others a name, and the input on a line of its own. */
const readAction: ReadForm = (source, at, tools) =>
  skipText(source, at + 'Action:'.length, '```json') === null
    ? namedForm('Action:', ACTION_CALL, []).read(source, at, tools)
    : readTagged(source, at + 'Action:'.length, [], tools);

export const TOKEN_FORMS: readonly CallForm[] = [
  namedForm(
    '<｜tool▁calls▁begin｜>',
    DEEPSEEK_CALL,
    ['<｜tool▁call▁end｜>'],
    ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  ),
  namedForm('<｜tool▁call▁begin｜>', DEEPSEEK_CALL, ['<｜tool▁call▁end｜>'], ['', '<｜tool▁calls▁end｜>']),
  namedForm(
    '<|tool_calls_section_begin|>',
    KIMI_CALL,
    ['<|tool_call_end|>'],
    ['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
  ),
  namedForm('<|tool_call_begin|>', KIMI_CALL, ['<|tool_call_end|>'], ['', '<|tool_calls_section_end|>']),
  namedForm('<|channel|>', HARMONY_CALL, ['<|call|>']),
  namedForm('<|start|>assistant<|channel|>', HARMONY_CALL, ['<|call|>']),
  { mark: '[TOOL_CALLS]', read: readBrackets },
  { ...namedForm('functions.', PREFIX_CALL, []), atLineStart: true },
  { ...namedForm('>>>', LINE_CALL, []), atLineStart: true },
  namedForm('✿FUNCTION✿', QWEN_CALL, ['✿RETURN✿']),
  { mark: 'Action:', atLineStart: true, read: readAction },
];
