// The places where a session meets a secret, and what is seen of it afterwards in requests, messages, files and logs.
import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { getCommands } from '../../../src/context/slash-commands.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { resumeSession } from '../../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../../src/session/store/session-places.js';
import { collect } from '../../../src/testing/model/collect.js';
import { type ScriptedAnswer, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { agentTool } from '../../../src/tools/agent.js';
import { bashTool } from '../../../src/tools/bash.js';
import { readTool } from '../../../src/tools/files.js';
import { grepTool } from '../../../src/tools/search.js';
import { defineTool } from '../../../src/tools/tool.js';
import type { SecretSample } from '../../secrets/secret-samples.js';
import { commandHook } from '../command-hooks.js';
import { temporaryFolder, testEngine } from '../engine.js';

interface Met {
  readonly folder: string;
  readonly file: string;
}

/** What is there before, and what the session does. */
interface Meeting {
  /** What the model calls first. */
  readonly step: ScriptedAnswer;
  /** Its answers after that; if there is none, it is done. */
  readonly answers?: readonly ScriptedAnswer[];
  /** Of the file. */
  readonly content?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: Partial<QueryEngineConfig>;
  /** Default: one. */
  readonly prompts?: readonly string[];
  /** False: no request has the placeholder, as the model hears nothing of it, or less. Default true. */
  readonly isNamed?: false;
  /** True: another process goes on with the session, and its model reads all of it. */
  readonly isResumed?: true;
}

/** Where a session meets a secret. */
export const PLACES: Readonly<Record<string, (sample: SecretSample, met: Met) => Meeting>> = {
  Read: ({ text: given }, { file }) => ({
    content: `# keys\n${given}\nend\n`,
    step: toolCall('Read', { file_path: file }),
  }),
  'the middle of a long line by Read': ({ text: given }, { file }) => ({
    isNamed: false,
    content: `${'x '.repeat(990)}${given.replaceAll('\n', '\\n')} ${'y '.repeat(900)}`,
    step: toolCall('Read', { file_path: file }),
  }),
  Grep: ({ text: given }, { file }) => ({
    content: `before\nkey: ${given.replaceAll('\n', '\\n')}\nafter\n`,
    step: toolCall('Grep', { pattern: 'key', path: file, output_mode: 'content' }),
  }),
  Bash: ({ text: given }, { file }) => ({
    content: `a ${given} b`,
    step: toolCall('Bash', { command: `cat ${file}` }),
  }),
  'a long output, in its middle and at each edge': ({ text: given }, { file }) => ({
    content: Array.from({ length: 700 }, (_, line) => `line ${line} ${given}\n`).join(''),
    step: toolCall('Bash', { command: `cat ${file}` }),
  }),
  'chunks of an output': ({ text: given }, { file }) => ({
    content: given,
    step: toolCall('Bash', { command: `head -c 11 ${file}; sleep 0.02; tail -c +12 ${file}; echo; seq 1 9000` }),
  }),
  'an error of a program': ({ text: given }, { file }) => ({
    content: given,
    step: toolCall('Bash', { command: `sh -c 'echo "no such key: $(cat ${file})" >&2; exit 3'` }),
  }),
  'the environment of a command': ({ text: given }) => ({
    env: { SOME_SETTING: given },
    step: toolCall('Bash', { command: 'env' }),
  }),
  base64: ({ text: given }, { file }) => ({
    content: `login\n${given}\n`,
    step: toolCall('Bash', {
      command: `base64 ${file}; base64 -w0 ${file}; echo; echo "data: {token: $(base64 -w0 ${file})}"`,
    }),
  }),
  'a tool of an MCP server': ({ text: given }) => ({ step: toolCall('mcp__vault__get', { of: given.length }) }),
  'an error of a tool': () => ({ step: toolCall('Fails', {}) }),
  'a description of a tool of an MCP server': ({ text: given }) => ({
    config: { mcpClients: [vaultServer('ok', `Logs in with ${given} .`)] },
    step: toolCall('mcp__vault__get', {}),
  }),
  'a prompt': ({ text: given }) => ({ prompts: [`use\n${given}\nplease`], step: text('yes') }),
  'a file that a prompt names': ({ text: given }, { file }) => ({
    content: `a\n${given}\nb\n`,
    prompts: [`look at @${file}`],
    step: text('yes'),
  }),
  'what was looked up for a prompt': ({ text: given }) => ({
    config: { prefetch: async () => [`The key:\n${given}\n`] },
    step: text('yes'),
  }),
  'the context of a hook': ({ text: given }) => ({
    config: {
      hooks: {
        UserPromptSubmit: [{ hooks: [async () => context('UserPromptSubmit', `It says\n${given}\n`)] }],
      },
    },
    step: text('yes'),
  }),
  'the context and output of hooks after a call': ({ text: given }, { file }) => ({
    content: 'nothing',
    config: {
      hooks: {
        PostToolUse: [
          { hooks: [async () => context('PostToolUse', `It was\n${given}\n`)] },
          { hooks: [async () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: given } })] },
        ],
      },
    },
    step: toolCall('Read', { file_path: file }),
  }),
  'the output of a command of settings': ({ text: given }, { file }) => ({
    content: `a\n${given}\nb\n`,
    config: {
      includeHookEvents: true,
      commandHooks: [
        commandHook('UserPromptSubmit', `cat ${file}; cat ${file} >&2`),
        commandHook('PreToolUse', `cat ${file} >&2; exit 2`),
        commandHook('Stop', `cat ${file}; cat ${file} >&2; exit 1`),
      ],
    },
    step: toolCall('Read', { file_path: `${file}.other` }),
  }),
  'the last words of a server of tools': ({ text: given }) => ({
    config: {
      mcpServers: [
        {
          name: 'broken',
          command: process.execPath,
          args: ['-e', `console.error(${JSON.stringify(`no\n${given}\n`)}); process.exit(3)`],
          env: {},
        },
      ],
    },
    step: text('yes'),
    isNamed: false,
  }),
  'the reason of a hook that blocks': ({ text: given }, { file }) => ({
    content: 'nothing',
    config: {
      hooks: { PreToolUse: [{ hooks: [async () => ({ decision: 'block', reason: `not with\n${given}\n` })] }] },
    },
    step: toolCall('Read', { file_path: file }),
  }),
  'the reason of a hook that ends a prompt': ({ text: given }) => ({
    config: { hooks: { Stop: [{ hooks: [async () => ({ continue: false, stopReason: `not with\n${given}\n` })] }] } },
    step: text('yes'),
    isNamed: false,
  }),
  'a refusal of the host': ({ text: given }, { file }) => ({
    content: 'nothing',
    config: { canUseTool: async () => ({ behavior: 'deny', message: `not with\n${given}\n` }) },
    step: toolCall('Bash', { command: `touch ${file}.new` }),
  }),
  'what a subagent reads': ({ text: given }, { file }) => ({
    content: `a\n${given}\nb\n`,
    step: toolCall('Agent', { description: 'look', prompt: 'look', subagent_type: 'general-purpose' }),
    answers: [toolCall('Read', { file_path: file }), text('it was read'), text('done')],
  }),
  'the prompt of a subagent': ({ text: given }) => ({
    step: toolCall('Agent', { description: 'look', prompt: 'look', subagent_type: 'keys' }),
    config: { agents: [{ name: 'keys', description: 'Knows.', prompt: `The key is\n${given}\n` }] },
    answers: [text('it was read'), text('done')],
  }),
  'a conversation that is compacted': ({ text: given }, { file }) => ({
    content: `a\n${given}\nb\n${'word '.repeat(20_000)}`,
    prompts: ['go', '/compact', 'and on'],
    step: toolCall('Bash', { command: `cat ${file}` }),
    answers: [
      toolCall('Read', { file_path: file, limit: 2 }),
      text('read'),
      text('<summary>It was read.</summary>'),
      text('done'),
    ],
  }),
  'a session that is resumed': ({ text: given }, { file }) => ({
    content: `a\n${given}\nb\n`,
    isResumed: true,
    step: toolCall('Read', { file_path: file }),
  }),
};

const context = (hookEventName: 'UserPromptSubmit' | 'PostToolUse', additionalContext: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

const vaultServer = (said: string, description = 'Gets.') => ({
  name: 'vault',
  type: 'connected' as const,
  client: {
    listTools: async () => ({ tools: [{ name: 'get', description, inputSchema: { type: 'object' as const } }] }),
    callTool: async () => ({ content: [{ type: 'text', text: said }] }),
  },
});

async function everyFile(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const file = path.join(folder, name);
    if ((await stat(file)).isFile()) files.push(await readFile(file, 'utf8'));
  }
  return files;
}

/** The parts of a secret that must not be seen: all of it, and each half. */
function partsOf(secret: string): readonly string[] {
  const lines = secret.split('\n').filter((line) => line.length >= 12 && !line.startsWith('-----'));
  return lines.flatMap((line) => {
    const half = Math.floor(line.length / 2);
    return [line, ...(line.length >= 40 ? [line.slice(0, half), line.slice(half)] : [])];
  });
}

/** A session that meets one secret in one place. `seen`: where any part of it was seen; empty is right. */
export async function meetSecret(
  place: string,
  sample: SecretSample,
): Promise<{ readonly seen: readonly string[]; readonly isNamed: boolean }> {
  const [folder, home] = [await temporaryFolder(), await temporaryFolder()];
  const file = path.join(folder, 'notes.txt');
  const met = PLACES[place]?.(sample, { folder, file });
  if (met === undefined) throw new Error(`There is no place "${place}".`);
  const { step, answers = [], content, env, config, prompts = ['go'], isResumed = false, isNamed = true } = met;
  if (content !== undefined) await writeFile(file, content);
  const logged: unknown[] = [];
  const fails = defineTool<object, null>({
    name: 'Fails',
    description: 'Fails.',
    inputSchema: { type: 'object', properties: {} },
    readOnly: false,
    concurrencySafe: false,
    title: () => 'fails',
    subject: () => ({ kind: 'none' }),
    run: async () => {
      throw new Error(`401 for ${sample.text}`);
    },
  });
  const steps = [step, ...answers];
  const model = scriptedModel(() => steps.shift() ?? text('done'));
  const options: Partial<QueryEngineConfig> = {
    tools: [readTool, grepTool, bashTool, agentTool, fails],
    commands: await getCommands(),
    mcpClients: [vaultServer(`{"token": ${JSON.stringify(sample.text)}}`)],
    agents: [],
    cwd: folder,
    env: { TURNWRIGHT_HOME: home, ...env },
    log: (event, detail) => logged.push([event, detail instanceof Error ? detail.message : detail]),
    ...config,
  };
  const messages: SDKMessage[] = [];
  const run = async (more: Partial<QueryEngineConfig>, said: readonly string[]) => {
    const { engine } = await testEngine(model, { ...options, ...more });
    for (const prompt of said) messages.push(...(await collect(engine.submitMessage(prompt))));
    await engine.close();
  };
  const [host, sessionId] = [createNodeHost(), randomUUID()];
  await run({ sessionId }, prompts);
  if (isResumed) {
    const {
      messages: before,
      lastUuid,
      state,
    } = await resumeSession(host, placeIn(await projectFolder(host, home, folder), sessionId));
    await run({ sessionId, initialMessages: before, resumedFrom: lastUuid, resumedState: state }, ['and on']);
  }
  if (steps.length > 0) throw new Error(`${steps.length} answers of the model were not asked for.`);
  const shown = {
    requests: JSON.stringify(model.requests),
    messages: JSON.stringify(messages),
    files: (await everyFile(home)).join('\n'),
    log: JSON.stringify(logged),
  };
  const encoded = Buffer.from(sample.secret).toString('base64');
  const parts = [...partsOf(sample.secret), encoded.slice(4, 24)];
  const seen = Object.entries(shown).flatMap(([where, all]) =>
    parts.filter((part) => all.includes(part)).map((part) => `${where}: ${part}`),
  );
  return { seen, isNamed: !isNamed || shown.requests.includes('{secret:') };
}
