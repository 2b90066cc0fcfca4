// Calls as models write them where they should not, or wrongly. Made from a table: forms of the model families, each with
// what goes wrong in them, for calls that a seeded generator picks. Written from the published templates of the models.
import type { ToolDefinition } from '../../../src/providers/contract/provider.js';

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface CorpusCase {
  readonly family: string;
  readonly title: string;
  readonly text: string;
  readonly calls: readonly Call[];
  /** What stands before the calls. */
  readonly lead: string;
}

const text = { type: 'string' };

export const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'Read',
    description: 'Reads a file.',
    input_schema: {
      type: 'object',
      properties: { file_path: text, offset: { type: 'integer' }, limit: { type: 'integer' } },
      required: ['file_path'],
    },
  },
  {
    name: 'Bash',
    description: 'Runs a command.',
    input_schema: {
      type: 'object',
      properties: { command: text, timeout: { type: 'number' }, run_in_background: { type: 'boolean' } },
      required: ['command'],
    },
  },
  {
    name: 'Edit',
    description: 'Edits a file.',
    input_schema: {
      type: 'object',
      properties: { file_path: text, old_string: text, new_string: text, replace_all: { type: 'boolean' } },
      required: ['file_path', 'old_string', 'new_string'],
    },
  },
  {
    name: 'TodoWrite',
    description: 'Keeps a list.',
    input_schema: {
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          items: { type: 'object', properties: { content: text, done: { type: 'boolean' } }, required: ['content'] },
        },
      },
      required: ['todos'],
    },
  },
];

const CALLS: readonly Call[] = [
  { name: 'Read', input: { file_path: 'src/index.ts' } },
  { name: 'Read', input: { file_path: '/tmp/a b/ü.txt', offset: 10, limit: 200 } },
  { name: 'Bash', input: { command: 'ls -la | grep "x" && echo {a,b}' } },
  { name: 'Bash', input: { command: 'npm test', timeout: 1500.5, run_in_background: false } },
  { name: 'Bash', input: { command: 'cat <<EOF\n{"name": "Read"}\nEOF', run_in_background: true } },
  {
    name: 'Edit',
    input: { file_path: 'a.html', old_string: '<p class="x">\n  a < b\n</p>', new_string: '', replace_all: true },
  },
  { name: 'Edit', input: { file_path: 'a.py', old_string: 'x = "\\d+"', new_string: "y = 'it''s'\n\tz" } },
  { name: 'TodoWrite', input: { todos: [{ content: 'look', done: true }, { content: 'write it, "well"' }] } },
  { name: 'TodoWrite', input: { todos: [] } },
];

const LEADS = ['', 'Let me look at it.\n\n', 'I will use a tool, since `a < b` is not clear: {x}.\n'];

interface Family {
  readonly family: string;
  readonly write: (call: Call, json: (value: unknown) => string) => string;
  /** Words before it are possible. */
  readonly isMarked: boolean;
  /** The writer of JSON may be replaced by a careless one. */
  readonly isJson: boolean;
}

const nameAndInput = (key: string) => (call: Call, json: (value: unknown) => string) =>
  json({ name: call.name, [key]: call.input });
const args = nameAndInput('arguments');
const parameters = nameAndInput('parameters');
const raw = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const entries = (call: Call) => Object.entries(call.input);
const marked = { isMarked: true, isJson: true };
const tags = { isMarked: true, isJson: false };
const bare = { isMarked: false, isJson: true };

const FAMILIES: readonly Family[] = [
  { family: 'hermes', ...marked, write: (call, json) => `<tool_call>\n${args(call, json)}\n</tool_call>` },
  { family: 'qwen2.5', ...marked, write: (call, json) => `<tool_call>${args(call, json)}</tool_call><|im_end|>` },
  {
    family: 'qwen-coder',
    ...tags,
    write: (call) =>
      `<tool_call>\n<function=${call.name}>\n${entries(call)
        .map(([key, value]) => `<parameter=${key}>\n${raw(value)}\n</parameter>\n`)
        .join('')}</function>\n</tool_call>`,
  },
  { family: 'qwen-agent', ...marked, write: (call, json) => `✿FUNCTION✿: ${call.name}\n✿ARGS✿: ${json(call.input)}` },
  {
    family: 'llama-3.1',
    ...marked,
    write: (call, json) => `<function=${call.name}>${json(call.input)}</function>`,
  },
  { family: 'llama-3.1', ...marked, write: (call, json) => `<|python_tag|>${parameters(call, json)}<|eom_id|>` },
  { family: 'llama-3.2', ...bare, write: parameters },
  { family: 'mistral', ...marked, write: (call, json) => `[TOOL_CALLS] [${args(call, json)}]</s>` },
  { family: 'mistral', ...marked, write: (call, json) => `[TOOL_CALLS]${call.name}[ARGS]${json(call.input)}` },
  {
    family: 'deepseek-v3',
    ...marked,
    write: (call, json) =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${json(call.input)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  },
  {
    family: 'deepseek-v3.1',
    ...marked,
    write: (call, json) =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${json(call.input)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  },
  {
    family: 'deepseek-v3.2',
    ...tags,
    write: (call) =>
      `<｜DSML｜function_calls>\n<｜DSML｜invoke name="${call.name}">\n${entries(call)
        .map(
          ([key, value]) =>
            `<｜DSML｜parameter name="${key}" string="${typeof value === 'string'}">${raw(value)}</｜DSML｜parameter>\n`,
        )
        .join('')}</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  },
  {
    family: 'command-r7b',
    ...marked,
    write: (call, json) =>
      `<|START_ACTION|>[${json({ tool_call_id: '0', tool_name: call.name, parameters: call.input })}]<|END_ACTION|>`,
  },
  {
    family: 'command-r',
    ...marked,
    write: (call, json) =>
      `Action: \`\`\`json\n[\n${json({ tool_name: call.name, parameters: call.input })}\n]\n\`\`\``,
  },
  {
    family: 'kimi-k2',
    ...marked,
    write: (call, json) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.${call.name}:0<|tool_call_argument_begin|>${json(call.input)}<|tool_call_end|><|tool_calls_section_end|>`,
  },
  { family: 'kimi-k2', ...marked, write: (call, json) => `functions.${call.name}:0${json(call.input)}` },
  {
    family: 'glm-4.5',
    ...tags,
    write: (call) =>
      `<tool_call>${call.name}\n${entries(call)
        .map(([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${raw(value)}</arg_value>\n`)
        .join('')}</tool_call>`,
  },
  {
    family: 'gpt-oss',
    ...marked,
    write: (call, json) =>
      `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${json(call.input)}<|call|>`,
  },
  { family: 'granite-3', ...marked, write: (call, json) => `<|tool_call|>[${args(call, json)}]` },
  { family: 'phi-4', ...marked, write: (call, json) => `<|tool_call|>[${args(call, json)}]<|/tool_call|>` },
  { family: 'nemotron', ...marked, write: (call, json) => `<TOOLCALL>[${args(call, json)}]</TOOLCALL>` },
  {
    family: 'minimax-m2',
    ...tags,
    write: (call) =>
      `<minimax:tool_call>\n<invoke name="${call.name}">\n${entries(call)
        .map(([key, value]) => `<parameter name="${key}">${raw(value)}</parameter>\n`)
        .join('')}</invoke>\n</minimax:tool_call>`,
  },
  { family: 'minimax-m1', ...marked, write: (call, json) => `<tool_calls>\n${args(call, json)}\n</tool_calls>` },
  {
    family: 'internlm2',
    ...marked,
    write: (call, json) => `<|action_start|><|plugin|>\n${parameters(call, json)}<|action_end|>`,
  },
  { family: 'lm-studio', ...marked, write: (call, json) => `[TOOL_REQUEST]${args(call, json)}[END_TOOL_REQUEST]` },
  { family: 'functionary', ...marked, write: (call, json) => `>>>${call.name}\n${json(call.input)}` },
  { family: 'phi-4-mini', ...marked, write: (call, json) => `functools[${args(call, json)}]` },
  { family: 'granite-3.3', ...marked, write: (call, json) => `<tool_call>[${args(call, json)}]</tool_call>` },
  {
    family: 'seed-oss',
    ...tags,
    write: (call) =>
      `<seed:tool_call>\n<function=${call.name}>\n${entries(call)
        .map(([key, value]) => `<parameter=${key}>${raw(value)}</parameter>\n`)
        .join('')}</function>\n</seed:tool_call>`,
  },
  {
    family: 'step-3',
    ...tags,
    write: (call) =>
      `<｜tool_calls_begin｜>\n<｜tool_call_begin｜>\nfunction<｜tool_sep｜><steptml:invoke name="${call.name}">\n${entries(
        call,
      )
        .map(([key, value]) => `<steptml:parameter name="${key}">${raw(value)}</steptml:parameter>\n`)
        .join('')}</steptml:invoke>\n<｜tool_call_end｜>\n<｜tool_calls_end｜>`,
  },
  {
    family: 'hunyuan',
    ...marked,
    write: (call, json) =>
      `<tool_calls>\n<tool_call>${call.name}\n\`\`\`json\n${json(call.input)}\n\`\`\`\n</tool_call>\n</tool_calls>`,
  },
  {
    family: 'apertus',
    ...marked,
    write: (call, json) => `<|tools_prefix|>[${json({ [call.name]: call.input })}]<|tools_suffix|>`,
  },
  {
    family: 'any',
    ...marked,
    write: (call, json) => `<tool_call name="${call.name}">${json(call.input)}</tool_call>`,
  },
  {
    family: 'any',
    ...marked,
    write: (call, json) =>
      `<tool_use>\n<name>${call.name}</name>\n<arguments>${json(call.input)}</arguments>\n</tool_use>`,
  },
  {
    family: 'editor',
    ...tags,
    write: (call) =>
      `<${call.name}>\n${entries(call)
        .map(([key, value]) => `<${key}>${raw(value)}</${key}>\n`)
        .join('')}</${call.name}>`,
  },
  { family: 'xlam', ...bare, write: (call, json) => `[${args(call, json)}]` },
  { family: 'any', ...bare, write: (call, json) => `\`\`\`json\n${args(call, json)}\n\`\`\`` },
  { family: 'any', ...bare, write: (call, json) => `\`\`\`\n${json({ tool: call.name, args: call.input })}\n\`\`\`\n` },
  {
    family: 'any',
    ...bare,
    write: (call, json) =>
      json({ tool_calls: [{ id: 'x', type: 'function', function: { name: call.name, arguments: call.input } }] }),
  },
  { family: 'react', ...marked, write: (call, json) => `Action: ${call.name}\nAction Input: ${json(call.input)}` },
];

/** How a model fails at JSON. */
type Slip = (value: unknown) => string;

const compact: Slip = (value) => JSON.stringify(value);
const SLIPS: Readonly<Record<string, Slip>> = {
  indented: (value) => JSON.stringify(value, null, 2),
  'trailing commas': (value) => JSON.stringify(value, null, 1).replace(/([^\s{[,])(\n\s*[}\]])/g, '$1,$2'),
  python: (value) => python(value),
  'bare keys': (value) => JSON.stringify(value).replace(/"(\w+)":/g, '$1: '),
  'line ends in strings': (value) => JSON.stringify(value).replace(/(?<!\\)\\n/g, '\n'),
};

/** What is wrong with the input, in the form it is written with. */
const FAULTS: Readonly<Record<string, (input: Call['input']) => unknown>> = {
  'as a text': (input) => JSON.stringify(input),
  wrapped: (input) => ({ input }),
  'numbers as texts': (input) =>
    Object.fromEntries(
      Object.entries(input).map(([key, value]) => [
        key,
        typeof value === 'string' || typeof value === 'object' ? value : String(value),
      ]),
    ),
  'lists as texts': (input) =>
    Object.fromEntries(
      Object.entries(input).map(([key, value]) => [key, typeof value === 'object' ? JSON.stringify(value) : value]),
    ),
  'keys in camel case': (input) =>
    Object.fromEntries(
      Object.entries(input).map(([key, value]) => [
        key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        value,
      ]),
    ),
};

function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, field]) => `'${key}': ${python(field)}`)
      .join(', ')}}`;
  return String(value);
}

/** Mulberry32: the same cases in each run. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Each form with each slip and each fault, for a call that chance picks. */
export function corpus(seed = 48): CorpusCase[] {
  const chance = createChance(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T;
  const cases: CorpusCase[] = [];
  for (const { family, isMarked, isJson, write } of FAMILIES) {
    const add = (title: string, given: Slip, fault: (input: Call['input']) => unknown) => {
      const call = pick(CALLS);
      const lead = isMarked ? pick(LEADS) : '';
      const text = write({ name: call.name, input: fault(call.input) as Call['input'] }, given);
      cases.push({ family, title: `${family}: ${title}: ${call.name}`, text: lead + text, calls: [call], lead });
    };
    add('as it should be', compact, (input) => input);
    add('as it should be, again', compact, (input) => input);
    if (!isJson) {
      add('keys in camel case', compact, FAULTS['keys in camel case'] ?? ((input) => input));
      continue;
    }
    for (const [title, given] of Object.entries(SLIPS)) add(title, given, (input) => input);
    // A name and a text behind it is no object, so there is nothing to repair it in.
    const takesText = write({ name: 'Read', input: {} }, compact).includes('"name"');
    for (const [title, fault] of Object.entries(FAULTS)) {
      if (takesText || title !== 'as a text') add(title, compact, fault);
    }
  }
  return cases;
}

/** Written by hand: what the table does not have. */
const READ = CALLS[0] as Call;
const LS: Call = { name: 'Bash', input: { command: 'ls' } };
const hand = (family: string, title: string, calls: readonly Call[], text: string, lead = ''): CorpusCase => ({
  family,
  title: `${family}: ${title}`,
  text: lead + text,
  calls,
  lead,
});

export const BY_HAND: readonly CorpusCase[] = [
  hand(
    'lfm2',
    'python',
    [READ, LS],
    '<|tool_call_start|>[Read(file_path="src/index.ts"), Bash(command="ls")]<|tool_call_end|>',
  ),
  hand(
    'lfm2',
    'JSON',
    [LS],
    '<|tool_call_start|>[{"name": "Bash", "arguments": {"command": "ls"}}]<|tool_call_end|>',
    'I look.\n',
  ),
  hand('llama-4', 'python in marks', [LS], '<|python_start|>[Bash(command="ls")]<|python_end|><|eot|>'),
  hand(
    'olmo-3',
    'python in a tag',
    [READ, LS],
    '<function_calls>\nRead(file_path="src/index.ts")\nBash(command="ls")\n</function_calls>',
  ),
  hand(
    'functiongemma',
    'as it should be',
    [LS],
    '<start_function_call>call:Bash{command:<escape>ls<escape>}<end_function_call>',
  ),
  hand(
    'functiongemma',
    'numbers, and two calls',
    [CALLS[1] as Call, LS],
    '<start_function_call>call:Read{file_path:<escape>/tmp/a b/ü.txt<escape>,offset:10,limit:200}<end_function_call><start_function_call>call:Bash{command:<escape>ls<escape>}<end_function_call>',
  ),
  hand(
    'hermes',
    'a name in another letter case',
    [LS],
    '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>',
  ),
  hand(
    'qwen-coder',
    'a name in another letter case',
    [LS],
    '<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>',
  ),
  hand(
    'any',
    'a tag for the name, in the tag of Hermes',
    [LS],
    '<tool_call><name>Bash</name><parameters>{"command": "ls"}</parameters></tool_call>',
  ),
  hand(
    'qwen2.5',
    'no closing tag',
    [READ],
    '<tool_call>\n{"name": "Read", "arguments": {"file_path": "src/index.ts"}}\n',
  ),
  hand(
    'qwen2.5',
    'no opening tag',
    [READ],
    '{"name": "Read", "arguments": {"file_path": "src/index.ts"}}\n</tool_call>',
  ),
  hand(
    'qwen2.5',
    'a brace too many',
    [READ],
    '<tool_call>{"name": "Read", "arguments": {"file_path": "src/index.ts"}}}</tool_call>',
  ),
  hand(
    'qwen2.5',
    'the last brace missing',
    [READ],
    '<tool_call>{"name": "Read", "arguments": {"file_path": "src/index.ts"}</tool_call>',
  ),
  hand(
    'hermes',
    'two calls',
    [READ, LS],
    '<tool_call>{"name":"Read","arguments":{"file_path":"src/index.ts"}}</tool_call>\n<tool_call>{"name":"Bash","arguments":{"command":"ls"}}</tool_call>',
  ),
  hand(
    'hermes',
    'two calls in one tag',
    [READ, LS],
    '<tool_call>\n{"name":"Read","arguments":{"file_path":"src/index.ts"}}\n{"name":"Bash","arguments":{"command":"ls"}}\n</tool_call>',
  ),
  hand(
    'hermes',
    'closed by an opening tag',
    [LS],
    '<tool_call>{"name":"Bash","arguments":{"command":"ls"}}<tool_call>',
  ),
  hand(
    'hermes',
    'a fence in the tag',
    [LS],
    '<tool_call>\n```json\n{"name":"Bash","arguments":{"command":"ls"}}\n```\n</tool_call>',
  ),
  hand(
    'hermes',
    'on the line of the words',
    [LS],
    '<tool_call>{"name":"Bash","arguments":{"command":"ls"}}</tool_call>',
    'Now: ',
  ),
  hand('hermes', 'arguments beside the name', [LS], '<tool_call>{"name":"Bash","command":"ls"}</tool_call>'),
  hand('qwen-coder', 'no tag around', [LS], '<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>'),
  hand(
    'qwen-coder',
    'no opening tag around',
    [LS],
    '<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>',
    'I look.\n',
  ),
  hand(
    'qwen-coder',
    'two calls',
    [LS, READ],
    '<tool_call>\n<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=Read>\n<parameter=file_path>\nsrc/index.ts\n</parameter>\n</function>\n</tool_call>',
  ),
  hand(
    'llama-3.1',
    'two calls',
    [READ, LS],
    '<|python_tag|>{"name": "Read", "parameters": {"file_path": "src/index.ts"}}; {"name": "Bash", "parameters": {"command": "ls"}}',
  ),
  hand('llama-3.1', 'the wrong closing tag', [LS], '<function=Bash>{"command": "ls"}<function>'),
  hand('llama-3.2', 'python', [READ, LS], '[Read(file_path="src/index.ts"), Bash(command=\'ls\')]'),
  hand(
    'llama-4',
    'python with numbers',
    [CALLS[1] as Call],
    '[Read(file_path="/tmp/a b/ü.txt", offset=10, limit=200)]<|eot_id|>',
  ),
  hand('llama-3.3', 'type first', [LS], '{"type": "function", "name": "Bash", "parameters": {"command": "ls"}}'),
  hand(
    'mistral',
    'two calls',
    [LS, READ],
    '[TOOL_CALLS][{"name": "Bash", "arguments": {"command": "ls"}}, {"name": "Read", "arguments": {"file_path": "src/index.ts"}}]',
  ),
  hand(
    'mistral',
    'two names',
    [LS, READ],
    '[TOOL_CALLS]Bash[ARGS]{"command": "ls"}[TOOL_CALLS]Read[ARGS]{"file_path": "src/index.ts"}',
  ),
  hand('gemma', 'tool_code', [LS], '```tool_code\nBash(command="ls")\n```', 'I will list them.\n'),
  hand('gemma', 'tool_code, printed', [LS], '```tool_code\nprint(default_api.Bash(command="ls"))\n```'),
  hand('gemma', 'JSON in a fence', [LS], '```json\n{"name": "Bash", "parameters": {"command": "ls"}}\n```'),
  hand(
    'deepseek-r1',
    'after a thought',
    [LS],
    '{"name": "Bash", "arguments": {"command": "ls"}}',
    '<think>\nI could say {"name": "Read"}.\n</think>\n\n',
  ),
  hand(
    'deepseek-r1',
    'after a thought without its beginning',
    [LS],
    '```json\n{"name": "Bash", "arguments": {"command": "ls"}}\n```',
    'Okay, <tool_call> is what I need.\n</think>\n\n',
  ),
  hand(
    'deepseek-v3',
    'no outer marks',
    [LS],
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>Bash\n```json\n{"command": "ls"}\n```<｜tool▁call▁end｜>',
  ),
  hand(
    'kimi-k2',
    'two calls',
    [LS, READ],
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.Bash:0<|tool_call_argument_begin|>{"command":"ls"}<|tool_call_end|><|tool_call_begin|>functions.Read:1<|tool_call_argument_begin|>{"file_path":"src/index.ts"}<|tool_call_end|><|tool_calls_section_end|>',
  ),
  hand('any', 'a labelled fence', [LS], '```tool_call\n{"name": "Bash", "arguments": {"command": "ls"}}\n```', 'So:\n'),
  hand(
    'any',
    'two objects',
    [LS, READ],
    '{"name": "Bash", "arguments": {"command": "ls"}}\n{"name": "Read", "arguments": {"file_path": "src/index.ts"}}',
  ),
  hand(
    'any',
    'a mark in a fence',
    [LS],
    '```xml\n<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>\n```',
  ),
];
