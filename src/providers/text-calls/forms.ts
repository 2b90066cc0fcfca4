// All forms of calls with a mark, and the JSON, fences and Python that are one by being the whole message.
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
  readTagged,
  TOKEN_FORMS,
} from './json-forms.js';
import type { OfferedTools } from './offered-tools.js';
import { readPythonLines, readPythonList } from './python-form.js';
import {
  namedTagForm,
  readFunctionTag,
  readInvokeTag,
  readKeysAndValues,
  readStep,
  readWrapped,
  wrappedForm,
} from './xml-forms.js';

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
