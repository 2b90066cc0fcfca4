// All forms of calls: those with a mark, those as tags (a parameter is a tag of its own), and the JSON, fences and Python that
// are one by being the whole message. Rule: a call is whole with its closing tag only.

import { isRecord } from '../../util/json.js';
import { type CallForm, matchAt, type ReadCalls, type ReadForm, skipText } from './call-form.js';
import {
  jsonForm,
  keyedForm,
  pythonForm,
  readBareJson,
  readFenced,
  readFunctionCall,
  readNameAndInput,
  readNamedTag,
  readPythonLines,
  readPythonList,
  readTagged,
  TOKEN_FORMS,
} from './json-forms.js';
import { readLooseJson, setField } from './loose-json.js';
import { type OfferedTools, propertiesOf, readAs, typeOf } from './offered-tools.js';

const FUNCTION_OPEN = /\s*<function=["']?([\w.:-]+)["']?\s*>/y;
const PARAMETER_OPEN = /\s*<parameter=["']?([\w.-]+)["']?\s*>/y;
const FUNCTION_PARAMETER_CLOSE = /<\/parameter>/g;
const FUNCTION_CLOSE = /\s*<\/function>/y;
/** The namespace of a tag, as DeepSeek, MiniMax and Step have one. */
const SPACE_NAME = '(?:antml:|minimax:|steptml:|｜DSML｜)?';
const INVOKE_OPEN = new RegExp(`\\s*<${SPACE_NAME}invoke\\s+name=["']([\\w.:-]+)["']\\s*>`, 'y');
const INVOKE_PARAMETER = new RegExp(`\\s*<${SPACE_NAME}parameter\\s+name=["']([\\w.-]+)["'][^>\\n]*>`, 'y');
const INVOKE_CLOSE = new RegExp(`\\s*</${SPACE_NAME}invoke>`, 'y');
const PARAMETER_CLOSE = new RegExp(`</${SPACE_NAME}parameter>`, 'g');
const STEP_OPEN = /\s*<｜tool_call_begin｜>\s*(?:function)?<｜tool_sep｜>/y;
const STEP_CLOSE = '<｜tool_call_end｜>';
const GLM_NAME = /\s*([\w.:-]+)\s*(?=<arg_key>|<\/tool_call>)/y;
const GLM_KEY = /\s*<arg_key>\s*([\w.-]+)\s*<\/arg_key>\s*<arg_value>/y;
const GLM_VALUE_CLOSE = /<\/arg_value>/g;
const GLM_CLOSE = /\s*<\/tool_call>/y;

interface TagStyle {
  readonly parameter: RegExp;
  /** Global. */
  readonly closeOf: (parameter: string) => RegExp;
  readonly close: RegExp;
}

const FUNCTION_STYLE: TagStyle = {
  parameter: PARAMETER_OPEN,
  closeOf: () => FUNCTION_PARAMETER_CLOSE,
  close: FUNCTION_CLOSE,
};
const INVOKE_STYLE: TagStyle = {
  parameter: INVOKE_PARAMETER,
  closeOf: () => PARAMETER_CLOSE,
  close: INVOKE_CLOSE,
};
const GLM_STYLE: TagStyle = { parameter: GLM_KEY, closeOf: () => GLM_VALUE_CLOSE, close: GLM_CLOSE };

/** `<function=NAME>` around JSON or parameters. */
const readFunctionTag: ReadForm = (source, at, tools) => {
  const open = matchAt(FUNCTION_OPEN, source, at);
  if (open?.[1] === undefined) return null;
  const body = at + open[0].length;
  return readJsonBody(source, body, open[1], tools) ?? readParameters(source, body, open[1], FUNCTION_STYLE, tools);
};

/** `<invoke name="NAME">` around parameters. */
const readInvokeTag: ReadForm = (source, at, tools) => {
  const open = matchAt(INVOKE_OPEN, source, at);
  if (open?.[1] === undefined) return null;
  return readParameters(source, at + open[0].length, open[1], INVOKE_STYLE, tools);
};

/** `<invoke>` between tokens, as Step writes it. */
const readStep: ReadForm = (source, at, tools) => {
  const open = matchAt(STEP_OPEN, source, at);
  const inner = open === null ? null : readInvokeTag(source, at + open[0].length, tools);
  return inner === null ? null : { calls: inner.calls, end: skipText(source, inner.end, STEP_CLOSE) ?? inner.end };
};

/** What stands in `<tool_call>` if it is no JSON: a name and keys with values, as GLM writes it. */
const readKeysAndValues: ReadForm = (source, at, tools) => {
  const name = matchAt(GLM_NAME, source, at);
  if (name?.[1] === undefined) return null;
  return readParameters(source, at + name[0].length, name[1], GLM_STYLE, tools);
};

/** `<NAME>` around a tag for each parameter, as agents in editors have taught it. */
function namedTagForm(name: string): CallForm {
  const mark = `<${name}>`;
  const style: TagStyle = {
    parameter: /\s*<([\w.-]+)>/y,
    closeOf: (parameter) => new RegExp(`</${escaped(parameter)}>`, 'g'),
    close: new RegExp(`\\s*</${escaped(name)}>`, 'y'),
  };
  return {
    mark,
    atLineStart: true,
    read(source, at, tools) {
      const properties = propertiesOf(tools.named(name)?.input_schema ?? {});
      const read = readParameters(source, at + mark.length, name, style, tools);
      // Elsewhere a tag of that name may be, of what else it likes.
      return read?.calls.every(({ input }) => Object.keys(input).every((key) => Object.hasOwn(properties, key)))
        ? read
        : null;
    },
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Calls as tags inside of a tag; `close` may be missing if the calls have closing tags of their own. */
function wrappedForm(mark: string, close: string, read: ReadForm): CallForm {
  return { mark, read: (source, at, tools) => readWrapped(source, at + mark.length, close, read, tools) };
}

function readWrapped(
  source: string,
  start: number,
  close: string,
  read: ReadForm,
  tools: OfferedTools,
): ReadCalls | null {
  const first = read(source, start, tools);
  if (first === null) return null;
  const calls = [...first.calls];
  let { end } = first;
  for (let more = read(source, end, tools); more !== null; more = read(source, end, tools)) {
    calls.push(...more.calls);
    end = more.end;
  }
  return { calls, end: skipText(source, end, close) ?? end };
}

function readJsonBody(source: string, at: number, name: string, tools: OfferedTools): ReadCalls | null {
  const read = readLooseJson(source, at);
  if (read === null || !isRecord(read.value)) return null;
  const call = tools.call(name, read.value);
  // The object says by itself where it ends; some leave out the tag, or write the wrong one.
  const end = skipText(source, read.end, '</function>') ?? skipText(source, read.end, '<function>') ?? read.end;
  return call === null ? null : { calls: [call], end };
}

function readParameters(
  source: string,
  start: number,
  name: string,
  style: TagStyle,
  tools: OfferedTools,
): ReadCalls | null {
  const tool = tools.named(name);
  if (tool === undefined) return null;
  const properties = propertiesOf(tool.input_schema);
  const input: Record<string, unknown> = {};
  let at = start;
  for (;;) {
    const close = matchAt(style.close, source, at);
    if (close !== null) {
      const call = tools.call(name, input);
      return call === null ? null : { calls: [call], end: at + close[0].length };
    }
    const open = matchAt(style.parameter, source, at);
    if (open?.[1] === undefined || Object.hasOwn(input, open[1])) return null;
    const from = at + open[0].length;
    const value = endOfValue(source, from, open[1], style);
    if (value === null) return null;
    const type = typeOf(properties[open[1]]);
    const text = trimLines(source.slice(from, value.at));
    setField(input, open[1], type === undefined || type === 'string' ? text : readAs(text.trim(), type));
    at = value.end;
  }
}

/**
 * Where the text of a parameter ends: at the first closing tag behind which the call goes on. A text may hold such a tag
 * itself, as that of a file about tags does; what is left of it then stands behind the call, which is none for that.
 */
function endOfValue(
  source: string,
  from: number,
  parameter: string,
  style: TagStyle,
): { readonly at: number; readonly end: number } | null {
  const closing = style.closeOf(parameter);
  closing.lastIndex = from;
  for (let close = closing.exec(source); close !== null; close = closing.exec(source)) {
    const end = close.index + close[0].length;
    if (matchAt(style.close, source, end) !== null || matchAt(style.parameter, source, end) !== null) {
      return { at: close.index, end };
    }
  }
  return null;
}

/** The line ends that the tags stand on are no part of the value. */
function trimLines(text: string): string {
  return text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}

const FENCE = /```[ \t]*([\w-]*)[ \t]*\r?\n/y;
const FENCE_CLOSE = /\s*```[ \t]*(?=\r?\n|$)/y;

const TOOL_CALL = '<tool_call>';

/** Qwen and Hermes write JSON in `<tool_call>`, Qwen-Coder tags, GLM keys and values, Hunyuan a name and a fence. */
const readToolCallTag: ReadForm = (source, at, tools) => {
  const start = at + TOOL_CALL.length;
  return (
    readTagged(source, start, ['</tool_call>', TOOL_CALL], tools) ??
    readWrapped(source, start, '</tool_call>', readFunctionTag, tools) ??
    readWrapped(source, start, '</tool_call>', readInvokeTag, tools) ??
    readKeysAndValues(source, start, tools) ??
    readFenced(source, start, ['</tool_call>'], tools) ??
    readNameAndInput(source, start, '</tool_call>', tools)
  );
};

/** Behind white space, in another tag. */
const readInnerToolCallTag: ReadForm = (source, at, tools) => {
  const start = skipText(source, at, TOOL_CALL);
  return start === null ? null : readToolCallTag(source, start - TOOL_CALL.length, tools);
};

/** `functions` and `tools` in the plural, with tags, JSON or Python inside. */
function pluralForm(mark: string, close: string): CallForm {
  const forms = [
    wrappedForm(mark, close, readInvokeTag),
    wrappedForm(mark, close, readInnerToolCallTag),
    pythonForm(mark, close),
  ];
  return { mark, read: (source, at, tools) => firstOf(forms, source, at, tools) };
}

function firstOf(forms: readonly CallForm[], source: string, at: number, tools: OfferedTools): ReadCalls | null {
  for (const form of forms) {
    const read = form.read(source, at, tools);
    if (read !== null) return read;
  }
  return null;
}

/** JSON, or a tag for the name and one for the input. */
const readToolUse: ReadForm = (source, at, tools) => {
  const start = at + '<tool_use>'.length;
  return readTagged(source, start, ['</tool_use>'], tools) ?? readNameAndInput(source, start, '</tool_use>', tools);
};

/** Phi-4-mini puts a word before its list. */
const readFunctools: ReadForm = (source, at, tools) => readTagged(source, at + 'functools'.length, [], tools);

const readPythonTag: ReadForm = (source, at, tools) => {
  const start = at + '<|python_tag|>'.length;
  return readTagged(source, start, [], tools) ?? readPythonLines(source, start, tools);
};

/** A fence whose label says that it is a call. */
const LABELLED_FENCES = ['tool_calls', 'tool_call', 'tool_code', 'tool_use', 'function_call'];

const MARKED_FORMS: readonly CallForm[] = [
  { mark: TOOL_CALL, read: readToolCallTag },
  { mark: '<tool_call name=', read: readNamedTag },
  pluralForm('<tool_calls>', '</tool_calls>'),
  pluralForm('<function_calls>', '</function_calls>'),
  wrappedForm('<minimax:tool_call>', '</minimax:tool_call>', readInvokeTag),
  wrappedForm('<｜DSML｜function_calls>', '</｜DSML｜function_calls>', readInvokeTag),
  { mark: '<function=', read: readFunctionTag },
  { mark: '<invoke name=', read: readInvokeTag },
  jsonForm('<function_call>', ['</function_call>']),
  jsonForm('<functioncall>', ['</functioncall>']),
  { mark: '<tool_use>', read: readToolUse },
  jsonForm('<TOOLCALL>', ['</TOOLCALL>']),
  jsonForm('<|tool_call|>', ['<|/tool_call|>', '<|tool_call|>']),
  jsonForm('<|START_ACTION|>', ['<|END_ACTION|>']),
  jsonForm('<|action_start|><|plugin|>', ['<|action_end|>']),
  jsonForm('[TOOL_REQUEST]', ['[END_TOOL_REQUEST]']),
  { mark: '<|python_tag|>', read: readPythonTag },
  { mark: 'functools[', atLineStart: true, read: readFunctools },
  pythonForm('<|tool_call_start|>', '<|tool_call_end|>'),
  pythonForm('<|python_start|>', '<|python_end|>'),
  wrappedForm('<seed:tool_call>', '</seed:tool_call>', readFunctionTag),
  wrappedForm('<｜tool_calls_begin｜>', '<｜tool_calls_end｜>', readStep),
  keyedForm('<|tools_prefix|>', '<|tools_suffix|>'),
  { mark: '<start_function_call>call:', read: readFunctionCall },
  ...TOKEN_FORMS,
  ...LABELLED_FENCES.map((label): CallForm => ({ mark: `\`\`\`${label}`, atLineStart: true, read: readLabelledFence })),
];

/** All forms with a mark, for tools of these names. */
export function markedForms(names: readonly string[]): readonly CallForm[] {
  return [...MARKED_FORMS, ...names.map(namedTagForm)];
}

/** What stands behind calls and means nothing: tokens that end a message, and closing tags of what was never opened. */
export const ENDS =
  /(?:\s|<\|im_end\|>|<\|eot(?:_id)?\|>|<\|eom_id\|>|<\|endoftext\|>|<\|end\|>|<\|call\|>|<\/s>|<｜end▁of▁sentence｜>|<\/tool_calls?>|<\/function>|<\|END_OF_TURN_TOKEN\|>)*/y;

function readLabelledFence(source: string, at: number, tools: OfferedTools): ReadCalls | null {
  const open = matchAt(FENCE, source, at);
  if (open === null || !LABELLED_FENCES.includes(open[1] ?? '')) return null;
  const start = at + open[0].length;
  return closeFence(source, readTagged(source, start, ['```'], tools) ?? readPythonLines(source, start, tools));
}

/** A fence of any label, with calls and nothing else in it. For the beginning of a message. */
function readWholeFence(source: string, at: number, tools: OfferedTools, forms: readonly CallForm[]): ReadCalls | null {
  const open = matchAt(FENCE, source, at);
  if (open === null) return null;
  const start = at + open[0].length;
  const first = skipText(source, start, '') ?? start;
  const inside =
    readBareJson(source, first, tools) ??
    readPythonList(source, first, tools) ??
    forms.find(({ mark }) => source.startsWith(mark, first))?.read(source, first, tools) ??
    null;
  return closeFence(source, inside);
}

/** A fence is whole with its end only. Some readers have taken it already. */
function closeFence(source: string, read: ReadCalls | null): ReadCalls | null {
  if (read === null) return null;
  if (source.slice(0, read.end).endsWith('```')) return read;
  const close = matchAt(FENCE_CLOSE, source, read.end);
  return close === null ? null : { calls: read.calls, end: read.end + close[0].length };
}

/** What a message may begin with that is a call only because nothing else is in it. */
export function readWhole(
  source: string,
  at: number,
  tools: OfferedTools,
  forms: readonly CallForm[],
): ReadCalls | null {
  if (source[at] === '`') return readWholeFence(source, at, tools, forms);
  return readBareJson(source, at, tools) ?? readPythonList(source, at, tools);
}
