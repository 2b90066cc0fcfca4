// Each message that a session sends today has the fields of the specification, read from the messages themselves, and
// fits the JSON Schema that the build publishes.

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import { parseRule } from '../../src/permissions/rule.js';
import { ModelError } from '../../src/protocol/errors.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, thinking, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { ONE_PIXEL_PNG } from '../../src/testing/wire/wire-blocks.js';
import { createAskUserQuestion } from '../../src/tools/ask-user-question.js';
import { getTools } from '../../src/tools/builtin.js';
import { commandHook } from '../support/command-hooks.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';
import { missingFields } from './spec-names.js';

/** Everything two prompts and a compaction give rise to, with one retry, one refusal by rule and one hook. */
async function eventfulSession(): Promise<SDKMessage[]> {
  const model = scriptedModel([
    { error: new ModelError('overloaded', 'busy', { status: 529 }) },
    reply(thinking('hm', 'sig=='), text('I will probe.'), toolCall('Probe', { value: 'a' }), toolCall('Denied')),
    text('Done.'),
    text('<summary>We probed.</summary>'),
  ]);
  const folder = await temporaryFolder();
  const { engine } = await testEngine(model, {
    cwd: folder,
    tools: [probeTool(), probeTool({ name: 'Denied' })],
    commands: await getCommands(),
    includePartialMessages: true,
    includeHookEvents: true,
    replayUserMessages: true,
    permissions: {
      mode: 'default',
      allow: [],
      ask: [],
      deny: [parseRule('Denied')],
      roots: [folder],
    },
    hooks: { PreToolUse: [{ matcher: 'Probe', hooks: [async () => ({})] }] },
    commandHooks: [commandHook('PreToolUse', 'true')],
  });
  const messages: SDKMessage[] = [];
  for (const prompt of ['go', '/compact', '/cost']) messages.push(...(await collect(engine.submitMessage(prompt))));
  model.assertDone();
  return messages;
}

/** What only some sessions send: a subagent that calls a tool, a question to the user, a changed file, a title. */
async function busySession(): Promise<SDKMessage[]> {
  const model = scriptedModel([
    toolCall('Agent', { description: 'help', prompt: 'Help.' }),
    toolCall('Probe', { value: 'a' }),
    text('Helped.'),
    toolCall('AskUserQuestion', { question: 'Which?' }),
    toolCall('Write', { file_path: 'a.txt', content: 'new' }),
    text('Done.'),
    text('A short title'),
  ]);
  const { engine } = await testEngine(model, {
    tools: [...(await getTools()), createAskUserQuestion(), probeTool()],
    handleElicitation: async () => ({ action: 'accept', content: { answer: 'this' } }),
    enableFileCheckpointing: true,
    titles: 'model',
  });
  const messages = await collect(engine.submitMessage('go'));
  model.assertDone();
  return messages;
}

const system = (subtype: string) => (message: SDKMessage) => message.type === 'system' && message.subtype === subtype;

/** A message, how it is told apart, and the fields of the specification that it does not have. */
const VARIANTS: readonly [group: string, isOne: (message: SDKMessage) => boolean, absent: readonly string[]][] = [
  ['SDKAssistantMessage', (message) => message.type === 'assistant', []],
  ['SDKUserMessage', (message) => message.type === 'user' && !('subtype' in message), []],
  ['SDKUserMessageReplay', (message) => message.type === 'user' && 'isReplay' in message, []],
  ['SDKPartialAssistantMessage', (message) => message.type === 'stream_event', []],
  ['SDKSystemMessage', system('init'), []],
  ['SDKCompactBoundaryMessage', system('compact_boundary'), []],
  ['SDKStatusMessage', system('status'), ['permissionMode']],
  ['SDKAPIRetryMessage', system('api_retry'), []],
  ['SDKLocalCommandOutputMessage', system('local_command_output'), []],
  ['SDKHookStartedMessage', system('hook_started'), []],
  ['SDKHookResponseMessage', system('hook_response'), []],
  ['SDKPermissionDeniedMessage', system('permission_denied'), ['agent_id']],
];

/** The same for the messages of `busySession`. */
const BUSY_VARIANTS: typeof VARIANTS = [
  ['SDKTaskStartedMessage', system('task_started'), ['workflow_name']],
  ['SDKTaskProgressMessage', system('task_progress'), ['summary']],
  ['SDKTaskNotificationMessage', system('task_notification'), []],
  ['SDKElicitationCompleteMessage', system('elicitation_complete'), []],
  ['SDKFilesPersistedEvent', system('files_persisted'), []],
  ['SDKSessionTitleChangedMessage', system('session_title_changed'), []],
];

describe('messages', () => {
  it.each(VARIANTS)('%s has the fields of the specification', async (group, isOne, absent) => {
    const messages = (await eventfulSession()).filter(isOne);
    expect(messages.length).toBeGreaterThan(0);
    expect(missingFields(group, messages)).toEqual(absent);
  });

  it.each(BUSY_VARIANTS)(
    '%s has the fields of the specification, where there is cause for it',
    async (group, isOne, absent) => {
      const messages = (await busySession()).filter(isOne);
      expect(messages.length).toBeGreaterThan(0);
      expect(missingFields(group, messages)).toEqual(absent);
    },
  );

  it('SDKResultMessage has the fields of the specification, whatever ended the prompt', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const value = await testEngine(scriptedModel([toolCall('StructuredOutput', { n: 1 })]), { jsonSchema: schema });
    const none = await testEngine(scriptedModel([{ error: new ModelError('authentication', 'no', { status: 401 }) }]));
    const success = lastResult(await collect(value.engine.submitMessage('go')));
    const failure = lastResult(await collect(none.engine.submitMessage('go')));
    expect(missingFields('SDKResultMessage', [success])).toEqual(['errors', 'modelUsage.costUSD']);
    expect(Object.values(success.modelUsage)).toEqual([expect.objectContaining({ costUSD: null })]);
    const failed = ['cost_unknown', 'modelUsage.costUSD', 'structured_output'];
    expect(missingFields('SDKResultMessage', [failure]).filter((name) => !failed.includes(name))).toEqual([]);
    expect(success).toMatchObject({ stop_reason: expect.any(String), total_cost_usd: 0, is_error: false });
    expect(failure).toMatchObject({ errors: ['no'], is_error: true, terminal_reason: 'api_error' });
  });

  it('holds text, thinking, tool_use and tool_result blocks', async () => {
    const messages = await eventfulSession();
    const blocks = messages.flatMap((message) =>
      (message.type === 'assistant' || message.type === 'user') && Array.isArray(message.message.content)
        ? (message.message.content as { type: string }[]).map((block) => block.type)
        : [],
    );
    expect(new Set(blocks)).toEqual(new Set(['thinking', 'text', 'tool_use', 'tool_result']));
  });

  it('sends an image block of a prompt to the model', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG } } as const;
    const model = scriptedModel([text('a picture')]);
    const { engine } = await testEngine(model);
    await collect(engine.submitMessage([{ type: 'text', text: 'What is this?' }, image]));
    expect(model.requests[0]?.messages[0]?.content).toContainEqual(image);
  });
});

describe('stop reasons', () => {
  it('tool_use is told if calls were asked for and the prompt ended before they ran', async () => {
    const { engine } = await testEngine(scriptedModel([reply(toolCall('Probe'), toolCall('Probe'))]), {
      tools: [probeTool()],
      canUseTool: async () => ({ behavior: 'deny', message: 'stop', interrupt: true }),
    });
    expect(lastResult(await collect(engine.submitMessage('go'))).stop_reason).toBe('tool_use');
  });
});

describe('recovery', () => {
  it.each([
    ['a rate limit', new ModelError('rate_limit', 'slow down', { status: 429, retryAfterMs: 1 })],
    ['a network failure', new ModelError('connection', 'reset')],
    ['a cut stream', new ModelError('stream_cut', 'cut')],
  ])('retries after %s, and tells each attempt', async (_name, error) => {
    const { engine } = await testEngine(scriptedModel([{ error }, { error }, text('here')]));
    const messages = await collect(engine.submitMessage('go'));
    expect(messages.filter(system('api_retry')).map((message) => 'attempt' in message && message.attempt)).toEqual([
      1, 2,
    ]);
    expect(lastResult(messages).result).toBe('here');
  });
});

/** The published schema, as the build makes it. */
const publishedSchema = (): Schema & { $defs: Record<string, Schema> } =>
  JSON.parse(
    execFileSync(process.execPath, [path.join(import.meta.dirname, '../../scripts/message-schemas.mjs')], {
      encoding: 'utf8',
    }),
  );

/** The same, for objects that have no other fields than those that it names. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = parts['type'] === 'object' && 'properties' in parts && !('additionalProperties' in parts);
  return isOpen ? { ...parts, additionalProperties: false } : parts;
}

describe('the JSON Schema of messages', () => {
  const schema = publishedSchema();
  const accepts = new Validator(schema, '2020-12');
  const acceptsExactly = new Validator(closed(schema) as Schema, '2020-12');

  it('fits every message, and names every field of it', async () => {
    const messages = [...(await eventfulSession()), ...(await busySession())];
    const kinds = new Set(messages.map((message) => `${message.type} ${'subtype' in message ? message.subtype : ''}`));
    expect(kinds.size).toBeGreaterThan(15);
    for (const message of messages) {
      // As it is on the wire.
      const sent: unknown = JSON.parse(JSON.stringify(message));
      expect(accepts.validate(sent), JSON.stringify(sent)).toMatchObject({ valid: true });
      expect(acceptsExactly.validate(sent).valid, JSON.stringify(sent)).toBe(true);
    }
  });

  it('refuses a message without its id, which only those of a user may lack, and a kind that there is not', async () => {
    const messages = [...(await eventfulSession()), ...(await busySession())];
    for (const message of messages) {
      const { uuid, ...without } = JSON.parse(JSON.stringify(message));
      expect(uuid).toBeTypeOf('string');
      if (message.type !== 'user') expect(accepts.validate(without).valid, JSON.stringify(without)).toBe(false);
      expect(accepts.validate({ ...without, uuid, type: 'none' }).valid).toBe(false);
    }
  });

  it('has a definition for each kind, with what its fields mean', () => {
    const kinds = (schema.anyOf ?? []).map(({ $ref }) => String($ref).replace('#/$defs/', ''));
    expect(kinds).toEqual(expect.arrayContaining(['SDKAssistantMessage', 'SDKUserMessage', 'SDKResultSuccess']));
    expect(kinds.filter((kind) => schema.$defs[kind]?.type !== 'object')).toEqual([]);
    expect(schema.$defs['SDKResultSuccess']?.properties?.['total_cost_usd']).toMatchObject({ type: 'number' });
  });
});
