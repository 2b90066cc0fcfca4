// What a provider package of the AI SDK would not take, or send on as something its API refuses: the strict reader of what
// model objects are asked. Rule: only what the published types say, and what every API behind them wants.
import type { AiSdkVersion, Fields } from '../../src/providers/ai-sdk/language-model.js';

const ROLES: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'file'],
  assistant: ['text', 'reasoning', 'tool-call'],
  tool: ['tool-result'],
};
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ['type', 'text', 'providerOptions'],
  reasoning: ['type', 'text', 'providerOptions'],
  file: ['type', 'mediaType', 'data', 'filename', 'providerOptions'],
  'tool-call': ['type', 'toolCallId', 'toolName', 'input', 'providerOptions'],
  'tool-result': ['type', 'toolCallId', 'toolName', 'output', 'providerOptions'],
};
const OPTIONS = [
  'prompt',
  'maxOutputTokens',
  'tools',
  'toolChoice',
  'reasoning',
  'providerOptions',
  'includeRawChunks',
  'abortSignal',
];
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What is wrong with a request, in words; empty for a good one. */
export function checkAiSdkRequest(options: Fields, version: AiSdkVersion): string[] {
  const problems: string[] = [];
  const strangers = Object.keys(options).filter((key) => !OPTIONS.includes(key));
  if (strangers.length > 0) problems.push(`options that are not there: ${strangers}`);
  if (version !== 'v4' && options['reasoning'] !== undefined) problems.push(`reasoning in ${version}`);
  if (!(Number.isInteger(options['maxOutputTokens']) && Number(options['maxOutputTokens']) > 0)) {
    problems.push(`maxOutputTokens ${String(options['maxOutputTokens'])}`);
  }
  if (!(options['abortSignal'] instanceof AbortSignal)) problems.push('no abortSignal');
  problems.push(...checkTools((options['tools'] ?? []) as readonly Fields[]));
  problems.push(...checkPrompt(options['prompt'] as readonly Fields[], version));
  return problems;
}

function checkTools(tools: readonly Fields[]): string[] {
  const names = tools.map(({ name }) => String(name));
  return [
    ...names.filter((name) => !TOOL_NAME.test(name)).map((name) => `the tool name ${name}`),
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `two tools named ${name}`),
    ...tools.flatMap(({ type, inputSchema }) =>
      type === 'function' && typeof inputSchema === 'object' ? [] : ['a tool that is no function with a schema'],
    ),
  ];
}

function checkPrompt(prompt: readonly Fields[], version: AiSdkVersion): string[] {
  const problems: string[] = [];
  /** Calls of the assistant's last message that no result answers yet, with their tools. */
  let open = new Map<string, string>();
  const seen = new Set<string>();
  for (const [index, message] of prompt.entries()) {
    const { role, content } = message;
    const place = `prompt[${index}]`;
    if (role === 'system') {
      if (index > 0 || typeof content !== 'string' || content === '') problems.push(`${place}: a system message`);
      continue;
    }
    const parts = Array.isArray(content) ? (content as readonly Fields[]) : [];
    if (parts.length === 0) problems.push(`${place}: ${String(role)} says nothing`);
    for (const part of parts)
      problems.push(...checkPart(part, String(role), version).map((what) => `${place}: ${what}`));
    if (role !== 'tool' && open.size > 0) problems.push(`${place}: no results of ${[...open.keys()]}`);
    if (role === 'assistant') {
      const calls = parts.filter(({ type }) => type === 'tool-call');
      for (const { toolCallId } of calls) {
        if (seen.has(String(toolCallId))) problems.push(`${place}: the id ${String(toolCallId)} twice`);
        seen.add(String(toolCallId));
      }
      open = new Map(calls.map(({ toolCallId, toolName }) => [String(toolCallId), String(toolName)]));
    } else {
      for (const { type, toolCallId, toolName } of parts) {
        if (type !== 'tool-result') continue;
        if (open.get(String(toolCallId)) !== toolName)
          problems.push(`${place}: a result of no call, ${String(toolCallId)}`);
        open.delete(String(toolCallId));
      }
    }
  }
  const [last] = prompt.slice(-1);
  if (last?.['role'] !== 'user' && last?.['role'] !== 'tool') problems.push('the prompt does not end with the user');
  return problems;
}

function checkPart(part: Fields, role: string, version: AiSdkVersion): string[] {
  const type = String(part['type']);
  if (!(ROLES[role] ?? []).includes(type)) return [`a part ${type} of ${role}`];
  const problems = Object.keys(part)
    .filter((key) => !(FIELDS[type] ?? []).includes(key))
    .map((key) => `the field ${key} of ${type}`);
  if (type === 'text' && (typeof part['text'] !== 'string' || part['text'] === '')) problems.push('an empty text');
  if (type === 'file' && !isFileData(part['data'], version)) problems.push(`the data of a file in ${version}`);
  if (type === 'tool-call' || type === 'tool-result') {
    if (!TOOL_NAME.test(String(part['toolName']))) problems.push(`the tool name ${String(part['toolName'])}`);
    if (typeof part['toolCallId'] !== 'string' || part['toolCallId'] === '') problems.push(`${type} without an id`);
  }
  if (type === 'tool-call' && (typeof part['input'] !== 'object' || part['input'] === null)) problems.push('no input');
  if (type === 'tool-result') {
    const { type: kind, value } = part['output'] as Fields;
    if (!/^(?:text|error-text)$/.test(String(kind)) || typeof value !== 'string')
      problems.push('the output of a result');
  }
  return problems;
}

function isFileData(data: unknown, version: AiSdkVersion): boolean {
  const isPlain = typeof data === 'string' || data instanceof URL || data instanceof Uint8Array;
  if (version !== 'v4') return isPlain;
  const { type, data: bytes, url } = (typeof data === 'object' && data !== null ? data : {}) as Fields;
  return (type === 'data' && typeof bytes === 'string') || (type === 'url' && url instanceof URL);
}
