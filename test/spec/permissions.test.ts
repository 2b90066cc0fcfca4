// What `canUseTool` is told and what its answer changes, field by field (spec 004).
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CanUseToolOptions, PermissionResult } from '../../src/protocol/permissions.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import { missingFields } from './spec-names.js';

async function ask(answer: PermissionResult) {
  const cwd = await temporaryFolder();
  const asked: CanUseToolOptions[] = [];
  // In a folder of its own: of one around the workspace only that file would be suggested.
  const outside = path.join(await temporaryFolder(), 'a.txt');
  const model = scriptedModel([toolCall('Write', { file_path: outside, content: 'x' }), text('ok')]);
  const canUseTool = async (_name: string, _input: Record<string, unknown>, options: CanUseToolOptions) => {
    asked.push(options);
    return answer;
  };
  const env = { TURNWRIGHT_HOME: await temporaryFolder() };
  const messages = await collect(query({ prompt: 'go', options: { cwd, provider: model, env, canUseTool } }));
  return { asked, messages, result: lastResult(messages) };
}

describe('canUseTool', () => {
  it('is told everything about the call that the engine knows', async () => {
    const { asked } = await ask({ behavior: 'deny', message: 'no' });
    expect(asked).toHaveLength(1);
    expect(missingFields('CanUseToolOptions', asked)).toEqual(['agentID', 'exitPlanMode']);
    expect(asked[0]).toMatchObject({
      signal: expect.any(AbortSignal),
      blockedPath: expect.stringContaining('.txt'),
      decisionReasonType: 'workingDir',
      displayName: 'Write',
      toolUseID: expect.stringMatching(/^toolu_/),
      suggestions: expect.arrayContaining([expect.objectContaining({ type: 'addDirectories' })]),
    });
  });

  it('is told which subagent asks', async () => {
    const cwd = await temporaryFolder();
    const asked: CanUseToolOptions[] = [];
    const model = scriptedModel([
      toolCall('Agent', { description: 'write', prompt: 'Write.' }),
      toolCall('Write', { file_path: 'a.txt', content: 'x' }),
      text('refused'),
      text('ok'),
    ]);
    const canUseTool = async (_name: string, _input: Record<string, unknown>, options: CanUseToolOptions) => {
      asked.push(options);
      return { behavior: 'deny', message: 'no' } as const;
    };
    const env = { TURNWRIGHT_HOME: await temporaryFolder() };
    const messages = await collect(query({ prompt: 'go', options: { cwd, provider: model, env, canUseTool } }));
    const started = messages.find((message) => message.type === 'system' && message.subtype === 'task_started');
    expect(asked).toMatchObject([{ displayName: 'Write', agentID: (started as { task_id?: string }).task_id }]);
  });

  it('refuses with a message that the model reads and the result lists', async () => {
    const { result, messages } = await ask({ behavior: 'deny', message: 'not this file' });
    expect(JSON.stringify(messages)).toContain('not this file');
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Write', reason: 'not this file' }]);
  });
});
