// Calls of newer models between tokens or tags of their own: lists of Python or JSON, names as keys, a name in the tag.

import { isRecord } from '../../util/is-record.js';
import { type CallForm, matchAt, type ReadCalls, type ReadForm, skipText } from './call-form.js';
import { readTagged } from './json-forms.js';
import { readLooseJson } from './loose-json.js';
import type { OfferedTools } from './offered-tools.js';
import { readPythonLines } from './python-form.js';

const NAMED_TAG = /<tool_call\s+name=["']([\w.:-]+)["']\s*>\s*/y;
const NAME_AND_INPUT =
  /\s*<(name|tool_name|tool|function)>\s*([\w.:-]+)\s*<\/\1>\s*<(arguments|parameters|input|args|tool_input)>\s*/y;
const FUNCTION_CALL = /<start_function_call>call:([\w.:-]+)\s*(?=\{)/y;
const FUNCTION_CALL_END = '<end_function_call>';
const ESCAPED = /<escape>([\s\S]*?)<escape>/g;

/** Python, as LFM2, Llama 4 and OLMo write it, or JSON. */
export function pythonForm(mark: string, close: string): CallForm {
  return {
    mark,
    read(source, at, tools) {
      const start = at + mark.length;
      const python = readPythonLines(source, start, tools);
      if (python === null) return readTagged(source, start, [close], tools);
      return { calls: python.calls, end: skipText(source, python.end, close) ?? python.end };
    },
  };
}

/** `[{"NAME": {…}}]` between two marks, as Apertus writes it. */
export function keyedForm(mark: string, close: string): CallForm {
  return {
    mark,
    read(source, at, tools) {
      const list = readLooseJson(source, at + mark.length);
      if (list === null || !Array.isArray(list.value) || list.value.length === 0) return null;
      const calls = list.value.map((item: unknown) => keyedCall(item, tools));
      if (calls.includes(null)) return null;
      return { calls: calls.flatMap((call) => call ?? []), end: skipText(source, list.end, close) ?? list.end };
    },
  };
}

function keyedCall(item: unknown, tools: OfferedTools) {
  const [entry, ...others] = isRecord(item) ? Object.entries(item) : [];
  return entry === undefined || others.length > 0 || !isRecord(entry[1]) ? null : tools.call(entry[0], entry[1]);
}

/** `<tool_call name="NAME">` around the input. */
export const readNamedTag: ReadForm = (source, at, tools) => {
  const open = matchAt(NAMED_TAG, source, at);
  return open?.[1] === undefined ? null : readInput(source, at + open[0].length, open[1], ['</tool_call>'], tools);
};

/** A tag for the name and one for the input, in one that says that it is a call. */
export function readNameAndInput(source: string, at: number, close: string, tools: OfferedTools): ReadCalls | null {
  const open = matchAt(NAME_AND_INPUT, source, at);
  if (open?.[2] === undefined) return null;
  const inner = readInput(source, at + open[0].length, open[2], [`</${open[3]}>`], tools);
  return inner === null ? null : { calls: inner.calls, end: skipText(source, inner.end, close) ?? inner.end };
}

/** The input as JSON, and all that closes it. */
function readInput(
  source: string,
  at: number,
  name: string,
  closes: readonly string[],
  tools: OfferedTools,
): ReadCalls | null {
  const read = readLooseJson(source, at);
  const call = read === null || !isRecord(read.value) ? null : tools.call(name, read.value);
  if (read === null || call === null) return null;
  let { end } = read;
  for (const close of closes) {
    const closed = skipText(source, end, close);
    if (closed === null) return null;
    end = closed;
  }
  return { calls: [call], end };
}

/** `<start_function_call>call:NAME{key:<escape>text<escape>}`, as FunctionGemma writes it; several after each other. */
export const readFunctionCall: ReadForm = (source, at, tools) => {
  const open = matchAt(FUNCTION_CALL, source, at);
  const body = at + (open?.[0].length ?? 0);
  const end = source.indexOf(FUNCTION_CALL_END, body);
  if (open?.[1] === undefined || end === -1) return null;
  const json = source.slice(body, end).replace(ESCAPED, (_, text: string) => JSON.stringify(text));
  const read = readLooseJson(json);
  if (read === null || !isRecord(read.value) || json.slice(read.end).trim() !== '') return null;
  const call = tools.call(open[1], read.value);
  return call === null ? null : { calls: [call], end: end + FUNCTION_CALL_END.length };
};
