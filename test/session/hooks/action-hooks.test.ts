// Hooks of settings that are no commands, in sessions: a server of the web, a model, a tool of an MCP server. Each kind
// lets a call go on, denies it, changes it, is late and fails.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HookAction } from '../../../src/hooks/declared-hooks.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { query } from '../../../src/sdk/query.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { type ScriptedAnswer, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { commandHook } from '../../support/command-hooks.js';
import { probeTool, temporaryFolder, testEngine } from '../../support/engine.js';
import { patientClock, type ServerScript, scriptedServer } from '../../support/mcp-server.js';

const ALLOW = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
const DENY = { decision: 'block', reason: 'not this one' };
const MODIFY = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { value: 'other' } },
};

async function startServer(serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(serve);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Case {
  readonly action: HookAction;
  /** The model's, between its call and its end. */
  readonly answers?: readonly ScriptedAnswer[];
  readonly server?: ServerScript;
}

/** A session whose model calls a tool once, with one hook before it. */
async function callWith({ action, answers = [], server }: Case, onFailure: 'continue' | 'block', timeoutMs = 30_000) {
  const folder = await temporaryFolder();
  const probe = probeTool();
  const model = scriptedModel([toolCall('Probe', { value: 'first' }), ...answers, text('ok')]);
  const asked: unknown[] = [];
  const { engine } = await testEngine(model, {
    cwd: folder,
    tools: [probe],
    canUseTool: async (_, input) => {
      asked.push(input);
      return { behavior: 'allow' };
    },
    permissions: { mode: 'default', allow: [], ask: [], deny: [], roots: [folder] },
    commandHooks: [commandHook('PreToolUse', 'shown', { action, onFailure, timeoutMs })],
    ...(server === undefined
      ? {}
      : { mcpServers: [scriptedServer(folder, server).definition], host: createNodeHost({ clock: patientClock() }) }),
  });
  const messages = await collect(engine.submitMessage('go'));
  await engine.close();
  const result = lastResult(messages);
  return { runs: probe.runs, asked, told: notices(messages), shown: JSON.stringify(messages), model, result };
}

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) =>
    each.type === 'system' && each.subtype === 'notice' && each.code === 'hook_failed' ? [each.message] : [],
  );

const http = async (serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<Case> => ({
  action: { type: 'http', url: await startServer(serve), headers: {}, allowedEnvVars: [] },
});
const says = (value: unknown) => http((_, response) => response.end(JSON.stringify(value)));
const prompt = async (...answers: readonly ScriptedAnswer[]): Promise<Case> => ({
  action: { type: 'prompt', prompt: 'May this run? $ARGUMENTS', model: undefined },
  answers,
});
const tool = async (value: unknown, server: ServerScript = {}): Promise<Case> => ({
  action: { type: 'mcp_tool', server: 's', tool: 'echo', input: { text: `plain ${JSON.stringify(value)}` } },
  server,
});

describe('a call', () => {
  it.each<[string, () => Promise<Case>]>([
    ['http', () => says(ALLOW)],
    ['mcp_tool', () => tool(ALLOW)],
  ])('is allowed by a hook of the type %s, and nobody is asked', async (_, make) => {
    const { runs, asked, told } = await callWith(await make(), 'block');
    expect({ runs, asked, told }).toEqual({ runs: [{ value: 'first' }], asked: [], told: [] });
  });

  it('that a prompt finds right is decided as without it', async () => {
    const { runs, asked, told, model } = await callWith(await prompt(text('```json\n{"ok": true}\n```')), 'block');
    expect({ runs: runs.length, asked: asked.length, told }).toEqual({ runs: 1, asked: 1, told: [] });
    const question = model.requests[1];
    expect(question?.tools).toEqual([]);
    expect(JSON.stringify(question?.messages)).toContain('May this run? {\\"hook_event_name\\":\\"PreToolUse\\"');
  });

  it('that a prompt looks at pays for the question too', async () => {
    const answer = { blocks: [text('{"ok": true}')], usage: { input_tokens: 50_000, output_tokens: 7 } };
    const { result } = await callWith(await prompt(answer), 'block');
    const tokens = Object.values(result.modelUsage).reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(tokens).toBeGreaterThan(50_000);
    expect(JSON.stringify(result)).toContain('"result":"ok"');
  });

  it.each<[string, () => Promise<Case>]>([
    ['http', () => says(DENY)],
    ['prompt', () => prompt(text('{"ok": false, "reason": "not this one"}'))],
    ['mcp_tool', () => tool(DENY)],
  ])('is denied by a hook of the type %s', async (_, make) => {
    const { runs, asked, told, shown } = await callWith(await make(), 'continue');
    expect({ runs, asked, told }).toEqual({ runs: [], asked: [], told: [] });
    expect(shown).toContain('not this one');
  });

  it.each<[string, () => Promise<Case>]>([
    ['http', () => says(MODIFY)],
    ['mcp_tool', () => tool(MODIFY)],
  ])('is changed by a hook of the type %s', async (_, make) => {
    expect((await callWith(await make(), 'continue')).runs).toEqual([{ value: 'other' }]);
  });

  it.each<[string, () => Promise<Case>]>([
    ['http', () => http(() => undefined)],
    ['prompt', () => prompt({ stall: true })],
    ['mcp_tool', () => tool({}, { silent: ['tools/call'] })],
  ])('goes on, or is denied, after a hook of the type %s that is late', async (_, make) => {
    for (const [onFailure, ran] of [
      ['continue', 1],
      ['block', 0],
    ] as const) {
      const { runs, told } = await callWith(await make(), onFailure, 150);
      expect(told).toEqual([expect.stringContaining('it did not answer within 0.15 s')]);
      expect(runs).toHaveLength(ran);
    }
  });

  it.each<[string, () => Promise<Case>, string]>([
    ['http', () => http((_, response) => void response.destroy()), '127.0.0.1'],
    ['prompt', () => prompt(text('I would rather not say.')), 'the model gave no {"ok": true}'],
    ['mcp_tool', () => tool({}, { crashOnce: 'crashed' }), 'The MCP server s failed'],
    [
      'mcp_tool',
      async () => ({ action: { type: 'mcp_tool', server: 'gone', tool: 'echo', input: {} } }),
      'There is no mcp__gone__echo',
    ],
  ])('goes on, or is denied, after a hook of the type %s that fails', async (_, make, why) => {
    for (const [onFailure, ran] of [
      ['continue', 1],
      ['block', 0],
    ] as const) {
      const { runs, told } = await callWith(await make(), onFailure);
      expect(told).toEqual([expect.stringContaining(why)]);
      expect(runs).toHaveLength(ran);
    }
  });

  it('is told to a tool of a server by the fields that its input names', async () => {
    const action: HookAction = {
      type: 'mcp_tool',
      server: 's',
      tool: 'echo',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings have it
      input: { text: 'plain {"decision":"block","reason":"${tool_name} ${tool_input.value}${tool_input.toString}"}' },
    };
    expect((await callWith({ action, server: {} }, 'block')).shown).toContain('Probe first');
  });
});

describe('hooks of settings', () => {
  it('of the types http and prompt run as they stand, and what cannot be used is told', async () => {
    const bodies: string[] = [];
    const url = await startServer(async (request, response) => {
      bodies.push(await readText(request));
      response.end();
    });
    const settings = {
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              { type: 'http', url },
              { type: 'prompt', prompt: 'Is it polite?', timeout: 20 },
              { type: 'http', url: 'ftp://example.com/' },
              { type: 'http', url, headers: { Host: 'other' } },
              { type: 'watch', prompt: 'Look around.' },
            ],
          },
        ],
      },
    };
    const model = scriptedModel([text('{"ok": false, "reason": "say please"}'), text('never asked')]);
    const cwd = await temporaryFolder();
    const options = { provider: model, cwd, settings: settings as never, persistSession: false };
    const messages = await collect(query({ prompt: 'go', options }));
    expect(bodies.map((body) => JSON.parse(body).prompt)).toEqual(['go']);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Is it polite?');
    const told = JSON.stringify(messages);
    expect(told).toContain('say please');
    expect(told).toContain('hooks[2] does not run: its url cannot be used: ftp: is not http or https');
    expect(told).toContain('hooks[3] does not run: it may not set the header');
    expect(told).toContain('hooks.UserPromptSubmit[0].hooks[4]');
  });
});
