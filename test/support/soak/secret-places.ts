// The places where a session meets a secret, and what is seen of it afterwards in requests, messages, files and logs.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { collect } from '../../../src/testing/collect.js';
import { text, toolCall } from '../../../src/testing/script-steps.js';
import { type ScriptedStep, scriptedModel } from '../../../src/testing/scripted-model.js';
import { bashTool } from '../../../src/tools/bash.js';
import { grepTool } from '../../../src/tools/grep.js';
import { readTool } from '../../../src/tools/read.js';
import { defineTool } from '../../../src/tools/tool.js';
import type { SecretSample } from '../../secrets/secret-samples.js';
import { temporaryFolder, testEngine } from '../engine.js';

interface Met {
  readonly folder: string;
  readonly file: string;
}

/** Where a session meets a secret: what the model calls, and what is there before. */
export const PLACES: Readonly<
  Record<
    string,
    (
      sample: SecretSample,
      met: Met,
    ) => {
      readonly step: ScriptedStep;
      readonly content?: string;
      readonly env?: Readonly<Record<string, string>>;
    }
  >
> = {
  Read: ({ text: given }, { file }) => ({
    content: `# keys\n${given}\nend\n`,
    step: toolCall('Read', { file_path: file }),
  }),
  'the middle of a long line by Read': ({ text: given }, { file }) => ({
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
};

const vaultServer = (said: string) => ({
  name: 'vault',
  type: 'connected' as const,
  client: {
    listTools: async () => ({ tools: [{ name: 'get', inputSchema: { type: 'object' as const } }] }),
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
): Promise<{ readonly seen: readonly string[]; readonly requests: string }> {
  const [folder, home] = [await temporaryFolder(), await temporaryFolder()];
  const file = path.join(folder, 'notes.txt');
  const { step, content, env } = PLACES[place]?.(sample, { folder, file }) ?? { step: text('') };
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
  const model = scriptedModel([step, text('done')]);
  const { engine } = await testEngine(model, {
    tools: [readTool, grepTool, bashTool, fails],
    mcpClients: [vaultServer(`{"token": ${JSON.stringify(sample.text)}}`)],
    cwd: folder,
    env: { TURNWRIGHT_HOME: home, ...env },
    log: (event, detail) => logged.push([event, detail instanceof Error ? detail.message : detail]),
  });
  const messages = await collect(engine.submitMessage('go'));
  await engine.close();
  model.assertDone();
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
  return { seen, requests: shown.requests };
}
