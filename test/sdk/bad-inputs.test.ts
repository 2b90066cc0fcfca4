// Every built-in tool against bad input: a tool error that says what to do, never a crash, a hang or a change.
import { execFileSync, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ToolResultBlock } from '../../src/protocol/content.js';
import type { JsonSchema } from '../../src/protocol/json.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { listTools } from '../../src/sdk/tools/tool-catalogue.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const SERVER = fileURLToPath(new URL('../support/capable-server.mjs', import.meta.url));

type Input = Record<string, unknown>;
type Case = readonly [what: string, tool: string, input: Input];

/** Of what a call needs, something that would do. */
const GOOD: Readonly<Record<string, Input>> = {
  Agent: { description: 'd', prompt: 'p' },
  Bash: { command: 'true' },
  Read: { file_path: 'a.txt' },
  Edit: { file_path: 'a.txt', old_string: 'one', new_string: 'two' },
  Write: { file_path: 'new.txt', content: 'x' },
  NotebookEdit: { notebook_path: 'a.ipynb', new_source: 'x', cell_id: 'c' },
  Glob: { pattern: '*.txt' },
  Grep: { pattern: 'one' },
  TodoWrite: { todos: [{ content: 'c', status: 'pending' }] },
  TaskOutput: { task_id: 'b00000000' },
  SendMessage: { to: 'nobody', message: 'm' },
  TaskStop: { task_id: 'b00000000' },
  WebFetch: { url: 'http://127.0.0.1:1/', prompt: 'p' },
  EnterWorktree: { name: 'topic' },
  ExitWorktree: { action: 'keep' },
};
/** The same of tools that not every session has. */
const SOMETIMES: Readonly<Record<string, Input>> = {
  AskUserQuestion: { questions: [] },
  Config: { action: 'get', key: 'model' },
  EnterPlanMode: {},
  ExitPlanMode: {},
  ListMcpResources: { server_name: 'c' },
  Mcp: { server_name: 'c', tool_name: 'report', arguments: {} },
  ReadMcpResource: { server_name: 'c', uri: 'note://one' },
  RunScript: { code: 'return 1' },
  Skill: { skill: 'known' },
  TaskCreate: { subject: 's', description: 'd' },
  TaskGet: { taskId: '99' },
  TaskList: {},
  TaskUpdate: { taskId: '99' },
  ToolSearch: { query: 'anything' },
  UpdateGoal: { status: 'complete', reason: 'done' },
  WebSearch: { query: 'anything' },
};
/** There is nothing wrong with these. */
const ALSO_FINE = /^(?:Config: value as |(?:Mcp: arguments|TaskCreate: metadata) as \{)/; // any JSON, and get looks at none; any object
const HUGE = 'x'.repeat(30_000);

/** What no schema takes, of every field. */
function wrongShapes(name: string, good: Input, schema: JsonSchema): Case[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { type?: string }>;
    required?: string[];
  };
  return [
    ['no object', name, { ...good, [Object.keys(properties)[0] ?? 'x']: { deep: [null] } }],
    ['a field that there is not', name, { ...good, nonsense_field: 1 }],
    ...required.map((field): Case => [`${field} left out`, name, omit(good, field)]),
    ...Object.entries(properties).flatMap(([field, { type }]): Case[] =>
      [null, { a: 1 }, ...(type === 'string' ? [7, ['x']] : ['seven'])].map((value) => [
        `${field} as ${JSON.stringify(value)}`,
        name,
        { ...good, [field]: value },
      ]),
    ),
  ];
}

function omit(input: Input, field: string): Input {
  const { [field]: _gone, ...rest } = input;
  return rest;
}

/** Texts that fit the schema and mean nothing. */
function wrongTexts(name: string, good: Input): Case[] {
  return Object.entries(good)
    .filter(
      ([field, value]) =>
        typeof value === 'string' &&
        /path|url|task_id|command|pattern|old_string|cell_id|skill|server_name|tool_name|uri|status/.test(field),
    )
    .flatMap(([field]): Case[] => [
      [`${field} with NUL`, name, { ...good, [field]: `a\0b` }],
      [`${field} of 30 KB`, name, { ...good, [field]: HUGE }],
    ]);
}

/** Places that are no files to work on. */
const PLACES = [
  'fifo',
  'loop',
  'dangling',
  'folder',
  'a.txt/below',
  'missing.txt',
  '../../../../../../../../dev/zero',
  '/dev/zero',
  '/dev/full',
  '/proc/self/mem',
  '/proc/self/fd/0',
  `${'d/'.repeat(3_000)}f`,
  'n'.repeat(400),
  '~nobody/x',
];

const wrongPlaces = (): Case[] =>
  PLACES.flatMap((place): Case[] => [
    [place, 'Read', { file_path: place }],
    [place, 'Edit', { file_path: place, old_string: 'one', new_string: 'two' }],
    ...(/missing|^d\/|nobody/.test(place) ? [] : [[place, 'Write', { file_path: place, content: 'x' }] as Case]),
    [place, 'NotebookEdit', { notebook_path: place, new_source: 'x', cell_id: 'c' }],
    ...(place === 'folder' ? [] : [[place, 'Glob', { pattern: '*', path: place }] as Case]),
    ...(place === 'folder' ? [] : [[place, 'Grep', { pattern: 'x', path: place }] as Case]),
  ]);

const OTHERS: readonly Case[] = [
  ['a glob that ends nowhere', 'Glob', { pattern: '[' }],
  ['a pattern that is none', 'Grep', { pattern: '(' }],
  ['a pattern that backtracks', 'Grep', { pattern: '(?=(a+)+$)b' }],
  ['an offset behind the end', 'Read', { file_path: 'a.txt', offset: 9e15 }],
  ['no range of pages', 'Read', { file_path: 'a.txt', pages: '1-2' }],
  ['a half of a character', 'Write', { file_path: 'b.txt', content: '\ud800' }],
  ['an address that is none', 'WebFetch', { url: 'http://', prompt: 'p' }],
  ['another scheme', 'WebFetch', { url: 'file:///etc/passwd', prompt: 'p' }],
  ['a time below zero', 'Bash', { command: 'true', timeout: -1 }],
  ['a time beyond all', 'Bash', { command: 'true', timeout: 1e300 }],
];
/** Not wrong: the tool shows what there is, or nothing. */
const FINE =
  /^(Agent: description left out|Bash: command of|Bash: a time|Grep: (pattern of|a pattern that backtracks)|Glob: a glob)/;

/** What names nothing, or something that cannot be read. */
const wrongOfServersAndSkills = (): Case[] => [
  ...['none', '../known', '/etc/passwd', 'pipe', 'memory', 'folder'].map(
    (skill): Case => [`the skill ${skill}`, 'Skill', { skill }],
  ),
  ['no server', 'ListMcpResources', { server_name: 'none' }],
  ...['note://none', '../../etc/passwd', 'file:///etc/passwd', '@c:note://one'].map(
    (uri): Case => [`the resource ${uri}`, 'ReadMcpResource', { server_name: 'c', uri }],
  ),
  ['no server', 'ReadMcpResource', { server_name: '__proto__', uri: 'note://one' }],
  ['no server', 'Mcp', { server_name: 'constructor', tool_name: 'report' }],
  ['no tool of the server', 'Mcp', { server_name: 'c', tool_name: '__proto__' }],
  ['a tool of the engine', 'Mcp', { server_name: 'c', tool_name: 'Bash', arguments: { command: 'true' } }],
];

/** One that works, and some whose text is no file to read. */
function makeSkills(folder: string): void {
  const make = (name: string) => mkdirSync(join(folder, name), { recursive: true });
  const file = (name: string) => join(folder, name, 'SKILL.md');
  for (const name of ['known', 'pipe', 'memory', 'folder']) make(name);
  writeFileSync(file('known'), '---\nname: known\ndescription: Known.\n---\nDo it.\n');
  execFileSync('mkfifo', [file('pipe')]);
  symlinkSync('/proc/self/mem', file('memory'));
  mkdirSync(file('folder'));
}

function makeFolder(root: string): void {
  writeFileSync(join(root, 'a.txt'), 'one\n');
  writeFileSync(join(root, 'a.ipynb'), '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}');
  mkdirSync(join(root, 'folder'));
  execFileSync('mkfifo', [join(root, 'fifo')]);
  symlinkSync('loop', join(root, 'loop'));
  symlinkSync('/nowhere/at/all', join(root, 'dangling'));
}

/** Names, and what files hold; a pipe is not read. */
const contentOf = (root: string) =>
  readdirSync(root).map((name) => [name, name.startsWith('a.') ? readFileSync(join(root, name), 'utf8') : null]);

async function runAll(cases: readonly Case[], more: Partial<Options> = {}, goal?: string) {
  const cwd = await temporaryFolder();
  makeFolder(cwd);
  const before = contentOf(cwd);
  // What is there may be replaced, so that it is the input that is refused.
  const seen: Case[] = [
    ['', 'Read', { file_path: 'a.txt' }],
    ['', 'Read', { file_path: 'a.ipynb' }],
  ];
  const calls = [...seen, ...cases];
  const steps = [...calls.map(([, tool, input]) => toolCall(tool, input)), text('done')];
  // A call that is good enough for Agent starts one.
  const model = scriptedModel(({ messages }) =>
    /"go"|go: /.test(JSON.stringify(messages[0])) ? (steps.shift() ?? text('done')) : text('report'),
  );
  const messages = await collect(
    query({
      prompt: goal === undefined ? 'go' : `/goal go: ${goal}`,
      options: {
        cwd,
        provider: model,
        env: { TURNWRIGHT_HOME: await temporaryFolder() },
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        persistSession: false,
        ...more,
      },
    }),
  );
  // A goal has prompts of its own.
  const ends = messages.filter(({ type }) => type === 'result');
  expect(ends.length).toBeGreaterThan(0);
  for (const end of ends)
    expect(end).toMatchObject({ subtype: 'success', result: expect.stringMatching(/^done$|^Goal \(active\)/) });
  expect(model.violations).toEqual([]);
  const results = messages.flatMap((message) =>
    message.type === 'user' && Array.isArray(message.message.content)
      ? message.message.content.filter((block): block is ToolResultBlock => block.type === 'tool_result')
      : [],
  );
  expect(results).toHaveLength(calls.length);
  expect(contentOf(cwd)).toEqual(before);
  return results.slice(seen.length).map((result, at) => ({ case: cases[at] as Case, result }));
}

describe('bad input', () => {
  it('of every tool and every kind is an error that says what is wrong, and changes nothing', async () => {
    const tools = (await listTools()).filter(({ offered, name }) => offered === null && GOOD[name] !== undefined);
    expect(tools.length).toBeGreaterThanOrEqual(11);
    const cases = [
      ...tools.flatMap(({ name, inputSchema }) => wrongShapes(name, GOOD[name] ?? {}, inputSchema)),
      ...tools.filter(({ name }) => name !== 'Agent').flatMap(({ name }) => wrongTexts(name, GOOD[name] ?? {})),
      ...wrongPlaces(),
      ...OTHERS,
    ];
    const results = [];
    for (let at = 0; at < cases.length; at += 40) results.push(...(await runAll(cases.slice(at, at + 40))));
    const wrong = results.flatMap(({ case: [what, tool], result }) => {
      const said = typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
      const isFine =
        FINE.test(`${tool}: ${what}`) ||
        (result.is_error === true &&
          said.length > 20 &&
          said.length < 20_000 &&
          !/TypeError|RangeError|undefined|\[object Object\]|\n +at /.test(said));
      return isFine ? [] : [`${tool}: ${what.slice(0, 60)} -> ${said.slice(0, 160)}`];
    });
    expect(wrong).toEqual([]);
  });

  it('of the tools that only some sessions have is one too', async () => {
    const tools = (await listTools()).filter(({ name }) => SOMETIMES[name] !== undefined);
    const names = tools.map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(SOMETIMES).sort());
    const cases = tools.flatMap(({ name, inputSchema }) => [
      ...wrongShapes(name, SOMETIMES[name] ?? {}, inputSchema),
      ...wrongTexts(name, SOMETIMES[name] ?? {}),
    ]);
    const home = await temporaryFolder();
    makeSkills(join(home, 'skills'));
    const offered: Partial<Options> = {
      tools: ['Read', ...names.filter((name) => !/^(?:ToolSearch|RunScript|UpdateGoal|.*Mcp.*)$/.test(name))],
      codeMode: true,
      toolSearch: 'always',
      web: { search: { provider: 'searxng', url: 'http://127.0.0.1:1/' } } as never,
      mcpServers: { c: { command: process.execPath, args: [SERVER, join(home, 'messages.log')] } },
      env: { TURNWRIGHT_HOME: home },
      settingSources: ['user'],
    };
    const all = [...cases, ...wrongOfServersAndSkills()];
    const half = Math.ceil(all.length / 2);
    const results = [];
    for (const some of [all.slice(0, half), all.slice(half)])
      results.push(...(await runAll(some, offered, 'All is refused.')));
    const wrong = results.flatMap(({ case: [what, tool], result }) => {
      const said = typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
      const isTold =
        result.is_error === true &&
        said.length > 20 &&
        said.length < 20_000 &&
        !/There is no tool (?!mcp__)|TypeError|\[object Object\]|\n +at /.test(said);
      return isTold || ALSO_FINE.test(`${tool}: ${what}`)
        ? []
        : [`${tool}: ${what.slice(0, 60)} -> ${said.slice(0, 160)}`];
    });
    expect(wrong).toEqual([]);
  });

  it('of files that change, vanish and come back meanwhile is an error or a result, and nothing is half written', async () => {
    const cwd = await temporaryFolder();
    const flips = `while :; do printf 'one\\n' > v.txt; : > v.txt; rm v.txt; mkdir v.txt; rmdir v.txt; mkfifo v.txt; rm v.txt; ln -s v.txt v.txt; rm v.txt; done`;
    const restless = spawn('bash', ['-c', flips], { cwd, stdio: 'ignore' });
    const ended = new Promise((resolve) => restless.once('exit', resolve));
    const file_path = join(cwd, 'v.txt');
    const round = [
      toolCall('Read', { file_path }),
      toolCall('Edit', { file_path, old_string: 'one', new_string: 'two' }),
      toolCall('Write', { file_path, content: 'three\n' }),
      toolCall('Grep', { pattern: 'o', output_mode: 'content' }),
      toolCall('Glob', { pattern: '*.txt' }),
    ];
    const steps = [...Array.from({ length: 8 }, () => round).flat(), text('done')];
    const messages = await collect(
      query({
        prompt: 'go',
        options: {
          ...{ cwd, provider: scriptedModel(steps), persistSession: false, settingSources: [] },
          env: { TURNWRIGHT_HOME: await temporaryFolder() },
          permissionMode: 'bypassPermissions',
          allowDangerouslySkipPermissions: true,
        },
      }),
    ).finally(() => restless.kill('SIGKILL'));
    await ended;
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'done' });
    const said = messages.flatMap((message) =>
      message.type === 'user' && Array.isArray(message.message.content)
        ? // What is told beside results, such as of files that changed, comes or does not come, as it happens.
          message.message.content.flatMap((block) => (block.type === 'tool_result' ? [JSON.stringify(block)] : []))
        : [],
    );
    expect(said).toHaveLength(8 * round.length);
    for (const each of said) expect(each).not.toMatch(/TypeError|RangeError|\[object Object\]|\\n +at /);
    // A file is there whole or not at all, and no other is left behind.
    const left = readdirSync(cwd);
    expect(['', 'v.txt']).toContain(left.join());
    if (left.length > 0 && lstatSync(file_path).isFile())
      expect(['', 'one\n', 'two\n', 'three\n']).toContain(readFileSync(file_path, 'utf8'));
  });

  it('is looked for in every tool there is', async () => {
    const names = (await listTools()).map(({ name }) => name);
    expect(names.filter((name) => GOOD[name] === undefined && SOMETIMES[name] === undefined)).toEqual([]);
  });
});
