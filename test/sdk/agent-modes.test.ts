// The mode of an agent's definition decides about its calls; what the session denies or asks about holds all the same.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PermissionMode } from '../../src/protocol/permissions.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function written(
  permissionMode: PermissionMode | undefined,
  disallowedTools: string[] = [],
  more: { readonly tools?: string[]; readonly ofAgent?: string[] } = {},
) {
  const cwd = await temporaryFolder();
  const model = scriptedModel([
    toolCall('Agent', { description: 'Write', prompt: 'Write it.', subagent_type: 'writer' }),
    toolCall('Write', { file_path: path.join(cwd, 'a.txt'), content: 'written' }),
    text('done'),
    text('all done'),
  ]);
  const writer = {
    description: 'Writes.',
    prompt: 'You write.',
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(more.ofAgent === undefined ? {} : { tools: more.ofAgent }),
  };
  const env = { TURNWRIGHT_HOME: await temporaryFolder() };
  const options = {
    provider: model,
    cwd,
    env,
    agents: { writer },
    disallowedTools,
    ...(more.tools === undefined ? {} : { tools: more.tools }),
  };
  expect(lastResult(await collect(query({ prompt: 'go', options }))).subtype).toBe('success');
  return readFile(path.join(cwd, 'a.txt'), 'utf8').catch(() => null);
}

describe('permissionMode of an agent', () => {
  it.each<[PermissionMode | undefined, string | null]>([
    [undefined, null],
    ['default', null],
    ['dontAsk', null],
    ['plan', null],
    ['acceptEdits', 'written'],
    ['auto', 'written'],
  ])('%s, in a session that nobody answers for: %s', async (mode, expected) => {
    expect(await written(mode)).toBe(expected);
    expect(await written(mode, ['Edit(*.txt)'])).toBeNull();
  });
});

describe('tools of an agent', () => {
  it.each<[ofAgent: string[] | undefined, disallowed: string[], expected: string | null]>([
    [['Write'], [], 'written'],
    [['Read', 'Write'], [], 'written'],
    [['Write'], ['Write'], null],
    [['Write'], ['Edit(*.txt)'], null],
    [undefined, [], null],
    [['Read'], [], null],
  ])('%j, which the main agent does not have, without %j: %s', async (ofAgent, disallowed, expected) => {
    expect(await written('acceptEdits', disallowed, { tools: ['Agent'], ...(ofAgent && { ofAgent }) })).toBe(expected);
  });
});
