// What the transport leaves behind in a process.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'rolldown';
import { expect, it } from 'vitest';
import { textReply, wire } from '../../support/anthropic-replies.js';
import { sendChunks, startSseServer } from '../../support/sse-server.js';

const SOURCES = resolve(import.meta.dirname, '../../../src');
const PROGRAM = `
  import { createAnthropicProvider } from '${SOURCES}/providers/anthropic/anthropic.ts';
  import { createNodeHost } from '${SOURCES}/host/node-host.ts';
  const provider = createAnthropicProvider({ apiKey: 'k', baseUrl: process.argv[2], clock: createNodeHost().clock });
  const request = { model: 'm', system: [], tools: [], messages: [{ role: 'user', content: 'x' }], maxTokens: 1 };
  const limits = { requestTimeoutMs: 600_000, streamIdleMs: 600_000 };
  for await (const event of provider.stream(request, limits, new AbortController().signal)) console.log(event.type);
`;

it.each([
  ['ends the body', true],
  ['keeps the body open after message_stop', false],
])('a process ends by itself although it never closed its provider, where the server %s', async (_, ends) => {
  const server = await startSseServer(async (response) => {
    await sendChunks(response, [wire(textReply('x'))]);
    if (ends) response.end();
  });
  const folder = await mkdtemp(join(tmpdir(), 'turnwright-http-'));
  const [input, dir] = [join(folder, 'program.ts'), join(folder, 'out')];
  await writeFile(input, PROGRAM);
  await build({
    input,
    external: /^node:/,
    platform: 'node',
    output: { dir, format: 'esm', entryFileNames: '[name].mjs' },
  });

  const child = spawn(process.execPath, [join(dir, 'program.mjs'), server.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise((done) => child.on('close', done));
  expect(output.trim().split('\n').at(-1)).toBe('message_stop');
  expect(code).toBe(0);
  await server.close();
  await rm(folder, { recursive: true });
});
