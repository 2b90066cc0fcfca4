// What the transport leaves behind in a process.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { textReply, wire } from '../support/anthropic-replies.js';
import { sendChunks, startSseServer } from '../support/sse-server.js';

const PROGRAM = `
  import { createAnthropicProvider } from './src/providers/anthropic.ts';
  import { createNodeHost } from './src/host/node-host.ts';
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
  const outfile = join(folder, 'program.mjs');
  const stdin = { contents: PROGRAM, resolveDir: resolve(import.meta.dirname, '../..'), loader: 'ts' as const };
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile, logLevel: 'error' });

  const child = spawn(process.execPath, [outfile, server.url], { stdio: ['ignore', 'pipe', 'inherit'] });
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
