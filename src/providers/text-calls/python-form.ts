// Calls as Python: `[Read(file_path="a.txt"), Bash(command='ls')]`, as Llama and Gemma write them. Arguments by name only.
import { matchAt, type ReadForm } from './call-form.js';
import { readLooseJson, setField, skipSpace } from './loose-json.js';
import type { FoundCall, OfferedTools } from './offered-tools.js';
import { fitsByName } from './repair-input.js';

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
