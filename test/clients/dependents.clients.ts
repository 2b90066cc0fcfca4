// Packages that import the Claude Agent SDK themselves run over `turnwright/claude`, which stands in its place: the provider
// for the AI SDK, and two tracers. Each runs in a process of its own, against a model server on loopback.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry } from '../e2e/run-cli.js';
import { temporaryFolder } from '../support/engine.js';

const FOLDER = process.env['TURNWRIGHT_TEST_DEPENDENTS'] ?? '';
const run = promisify(execFile);

beforeAll(buildEntry, 300_000);

/** What the program prints as JSON in its last line. It finds `options` for the SDK, and what it imports. */
async function program(source: string): Promise<Record<string, unknown>> {
  const mock = await startMockProvider({
    steps: [toolCall('Bash', { command: 'echo hi' }), text('Done.'), text('Again.')],
  });
  onTestFinished(() => mock.close());
  const home = await temporaryFolder();
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_BASE_URL: mock.url,
    ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef',
  };
  const options = JSON.stringify({ cwd: home, env, allowedTools: ['Bash'] });
  const whole = `const options = ${options};\n${source}\nprocess.exit(0);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', whole], { cwd: FOLDER, env });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
}

describe('packages over turnwright/claude', () => {
  it('the provider for the AI SDK: text, parts with tools, tokens, cost', async () => {
    const found = await program(`
      import { createClaudeCode } from 'ai-sdk-provider-claude-code';
      import { generateText, streamText } from 'ai';
      const model = createClaudeCode({ defaultSettings: options })('sonnet');
      const kinds = new Set();
      const stream = streamText({ model, prompt: 'go' });
      let output;
      for await (const part of stream.fullStream) {
        kinds.add(part.type);
        if (part.type === 'tool-result') output = part.output;
      }
      const { text, usage, providerMetadata } = await generateText({ model, prompt: 'again' });
      console.log(JSON.stringify({ streamed: await stream.text, kinds: [...kinds], output, text, usage, told: providerMetadata['claude-code'] }));
    `);
    expect(found).toMatchObject({
      streamed: 'Done.',
      kinds: expect.arrayContaining(['tool-call', 'tool-result', 'text-delta', 'finish']),
      text: 'Again.',
      usage: { inputTokens: expect.any(Number) },
      told: { costUsd: expect.any(Number), sessionId: expect.any(String) },
    });
    expect(String(found['output'])).toContain('hi');
  });

  it('LangSmith: a run for the conversation, each turn and each tool', async () => {
    const { runs } = await program(`
      import http from 'node:http';
      import * as sdk from '@anthropic-ai/claude-agent-sdk';
      import { Client } from 'langsmith';
      import { wrapClaudeAgentSDK } from 'langsmith/experimental/anthropic';
      const runs = [];
      const server = http.createServer((request, response) => {
        let body = '';
        request.on('data', (chunk) => { body += chunk; });
        request.on('end', () => {
          if (request.method === 'POST') runs.push(JSON.parse(body).name);
          response.setHeader('content-type', 'application/json').end('{}');
        });
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      const client = new Client({ apiUrl: 'http://127.0.0.1:' + server.address().port, apiKey: 'k', autoBatchTracing: false });
      const wrapped = wrapClaudeAgentSDK(sdk, { client, tracingEnabled: true });
      for await (const message of wrapped.query({ prompt: 'x', options }));
      await client.awaitPendingTraceBatches();
      console.log(JSON.stringify({ runs }));
    `);
    expect(runs).toEqual(expect.arrayContaining(['claude.conversation', 'claude.assistant.turn', 'Bash']));
  });

  it('OpenInference: a span for the query and each tool', async () => {
    const { spans } = await program(`
      import * as sdk from '@anthropic-ai/claude-agent-sdk';
      import { ClaudeAgentSDKInstrumentation } from '@arizeai/openinference-instrumentation-claude-agent-sdk';
      import { trace } from '@opentelemetry/api';
      const spans = [];
      const span = (name) => {
        const own = { spanContext: () => ({ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 }), isRecording: () => true, end: () => spans.push(name) };
        for (const method of ['setAttribute', 'setAttributes', 'setStatus', 'recordException', 'addEvent', 'updateName']) own[method] = () => own;
        return own;
      };
      trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan: span, startActiveSpan: (name, ...rest) => rest.at(-1)(span(name)) }) });
      const patched = { ...sdk };
      new ClaudeAgentSDKInstrumentation().manuallyInstrument(patched);
      for await (const message of patched.query({ prompt: 'x', options }));
      console.log(JSON.stringify({ spans }));
    `);
    expect(spans).toEqual(expect.arrayContaining(['Bash', 'ClaudeAgent.query']));
  });
});
