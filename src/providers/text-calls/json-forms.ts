// Calls as JSON between two marks, bare, or in a fence; and as Python, `[Read(file_path="a.txt")]`, as Llama and Gemma write
// them.
import { isRecord } from '../../util/json.js';
import { type CallForm, matchAt, type ReadCalls, type ReadForm, skipText } from './call-form.js';
import { type LooseValue, readLooseJson, setField, skipSpace } from './loose-json.js';
import { type FoundCall, fitsByName, type OfferedTools } from './offered-tools.js';

const FENCE_OPEN = /\s*```(?:json)?[ \t]*\r?\n/y;
const FENCE_CLOSE = /\s*```[ \t]*(?=\n|$|<)/y;
const BETWEEN = /\s*[;,]?\s*/y;
/** Brackets too many, as some models close more than they opened. */
const TOO_MANY = /[\s}\]]*/y;

/** One or more values between `mark` and one of `closes`, which may be missing at the end of the text. */
export function jsonForm(mark: string, closes: readonly string[] = []): CallForm {
  return { mark, read: (source, at, tools) => readTagged(source, at + mark.length, closes, tools) };
}

export function readTagged(
  source: string,
  start: number,
  closes: readonly string[],
  tools: OfferedTools,
): ReadCalls | null {
  const fence = matchAt(FENCE_OPEN, source, start);
  const found = readValues(source, start + (fence?.[0].length ?? 0), closes, tools);
  if (found === null) return null;
  const { calls } = found;
  let { end } = found;
  if (fence !== null) {
    const closed = matchAt(FENCE_CLOSE, source, end);
    if (closed === null) return null;
    end += closed[0].length;
  }
  const closed = closeOf(source, end, closes);
  return { calls, end: closed ?? end };
}

function readValues(source: string, start: number, closes: readonly string[], tools: OfferedTools): ReadCalls | null {
  const calls: FoundCall[] = [];
  for (let at = skipSpace(source, start); ; ) {
    const read = readLooseJson(source, at) ?? readClosed(source, at, closes);
    const found = read === null ? null : tools.calls(read.value, true);
    if (read === null || found === null) return null;
    calls.push(...found);
    const surplus = read.end + (matchAt(TOO_MANY, source, read.end)?.[0].length ?? 0);
    if (surplus > read.end && closeOf(source, surplus, closes) !== null) return { calls, end: surplus };
    at = read.end + (matchAt(BETWEEN, source, read.end)?.[0].length ?? 0);
    if (source[at] !== '{') return { calls, end: read.end };
  }
}

/** A value whose last brace is missing, if the mark behind it says that it is over. */
function readClosed(source: string, at: number, closes: readonly string[]): LooseValue | null {
  const ends = closes.map((close) => source.indexOf(close, at)).filter((end) => end !== -1);
  if (ends.length === 0) return null;
  const body = source.slice(at, Math.min(...ends)).trimEnd();
  const read = readLooseJson(body, 0, { isClosed: true });
  return read !== null && read.end === body.length ? { value: read.value, end: at + read.end } : null;
}

function closeOf(source: string, at: number, closes: readonly string[]): number | null {
  for (const close of closes) {
    const end = skipText(source, at, close);
    if (end !== null) return end;
  }
  return null;
}

/** JSON without a mark: nothing but its content says that it is a call. */
export function readBareJson(source: string, at: number, tools: OfferedTools): ReadCalls | null {
  const calls: FoundCall[] = [];
  for (let from = at; ; ) {
    const read = readLooseJson(source, from);
    const found = read === null ? null : tools.calls(read.value, false);
    if (read === null || found === null) return calls.length === 0 ? null : { calls, end: from };
    calls.push(...found);
    from = skipSpace(source, read.end);
    if (source[from] !== '{') return { calls, end: read.end };
  }
}

// Calls of newer models between tokens or tags of their own: lists of Python or JSON, names as keys, a name in the tag.

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

// Calls between special tokens of a model, which reach the text if a server does not know the model's template.

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

const NAME = /\s*([A-Za-z_][\w.-]*)\(/y;
const KEY = /\s*([A-Za-z_]\w*)\s*=\s*/y;

/** `[NAME(key=value), …]`. */
export const readPythonList: ReadForm = (source, at, tools) => {
  if (source[at] !== '[') return null;
  const calls: FoundCall[] = [];
  for (let from = at + 1; ; ) {
    const call = readPythonCall(source, from, tools);
    if (call === null) return null;
    calls.push(call.call);
    const end = skipSpace(source, call.end);
    if (source[end] === ']') return { calls, end: end + 1 };
    if (source[end] !== ',') return null;
    from = end + 1;
  }
};

/** Calls on lines of their own, or a list; perhaps in `print()`. */
export const readPythonLines: ReadForm = (source, at, tools) => {
  const start = skipSpace(source, at);
  if (source[start] === '[') return readPythonList(source, start, tools);
  const calls: FoundCall[] = [];
  let end = start;
  for (let call = readPrinted(source, end, tools); call !== null; call = readPrinted(source, end, tools)) {
    calls.push(call.call);
    end = call.end;
  }
  return calls.length === 0 ? null : { calls, end };
};

interface PythonCall {
  readonly call: FoundCall;
  readonly end: number;
}

function readPrinted(source: string, at: number, tools: OfferedTools): PythonCall | null {
  const start = skipSpace(source, at);
  if (!source.startsWith('print(', start)) return readPythonCall(source, start, tools);
  const call = readPythonCall(source, start + 'print('.length, tools);
  const end = call === null ? -1 : skipSpace(source, call.end);
  return call !== null && source[end] === ')' ? { call: call.call, end: end + 1 } : null;
}

function readPythonCall(source: string, at: number, tools: OfferedTools): PythonCall | null {
  const head = matchAt(NAME, source, at);
  const tool = head?.[1] === undefined ? undefined : tools.named(head[1]);
  if (head === null || tool === undefined) return null;
  const input: Record<string, unknown> = {};
  let from = skipSpace(source, at + head[0].length);
  while (source[from] !== ')') {
    const key = matchAt(KEY, source, from);
    if (key?.[1] === undefined || Object.hasOwn(input, key[1])) return null;
    const value = readLooseJson(source, from + key[0].length);
    if (value === null) return null;
    setField(input, key[1], value.value);
    from = skipSpace(source, value.end);
    if (source[from] === ',') from = skipSpace(source, from + 1);
    else if (source[from] !== ')') return null;
  }
  const call = tools.call(tool.name, input);
  return call !== null && fitsByName(call.input, tool.input_schema) ? { call, end: from + 1 } : null;
}
