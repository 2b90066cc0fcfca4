// Who is asked about a call, and what they are told of it.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRule } from '../../src/permissions/rule.js';
import type { CanUseToolOptions, PermissionResult } from '../../src/protocol/permissions.js';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { getTools } from '../../src/tools/builtin.js';
import { defineTool } from '../../src/tools/tool.js';
import { probeTool, temporaryFolder, testEngine } from '../support/engine.js';

/** A tool that answers questions with `answer`, and remembers what it was asked. */
function answeringTool(answer: string | Error) {
  const asked: unknown[] = [];
  const tool = defineTool<Record<string, unknown>, null>({
    name: 'mcp__approvals__ask',
    description: 'Asks.',
    inputSchema: { type: 'object' },
    readOnly: true,
    concurrencySafe: true,
    title: () => 'ask',
    subject: () => ({ kind: 'external' }),
    async run(input) {
      asked.push(input);
      if (answer instanceof Error) throw answer;
      return { model: [{ type: 'text', text: answer }], data: null };
    },
  });
  return { tool, asked };
}

const rules = { mode: 'default', allow: [], ask: [], deny: [], roots: ['/w'] } as const;

async function runProbe(config: Partial<QueryEngineConfig>) {
  const model = scriptedModel([toolCall('Probe', { value: 'a' }), text('ok')]);
  const probe = probeTool();
  const { engine } = await testEngine(model, {
    permissions: rules,
    canUseTool: undefined,
    ...config,
    tools: [...(config.tools ?? []), probe],
  });
  const result = lastResult(await collect(engine.submitMessage('go')));
  return { ran: probe.runs, result, offered: model.requests[0]?.tools.map(({ name }) => name) ?? [] };
}

describe('what whoever was asked meant', () => {
  it.each<[string, PermissionResult, string]>([
    ['a yes', { behavior: 'allow' }, 'user_temporary'],
    ['a yes for this once', { behavior: 'allow', decisionClassification: 'user_temporary' }, 'user_temporary'],
    ['a yes from now on', { behavior: 'allow', decisionClassification: 'user_permanent' }, 'user_permanent'],
    [
      'a yes with a rule',
      {
        behavior: 'allow',
        updatedPermissions: [
          { type: 'addRules', rules: [{ toolName: 'Probe' }], behavior: 'allow', destination: 'session' },
        ],
      },
      'user_permanent',
    ],
    ['a yes that calls itself a no', { behavior: 'allow', decisionClassification: 'user_reject' }, 'user_temporary'],
    ['a no', { behavior: 'deny', message: 'no' }, 'user_reject'],
    [
      'a no that calls itself a yes',
      { behavior: 'deny', message: 'no', decisionClassification: 'user_permanent' },
      'user_reject',
    ],
  ])('%s is logged, and a no stands in the result', async (_what, answer, classification) => {
    const logged: unknown[] = [];
    const { result } = await runProbe({
      canUseTool: async () => answer,
      log: (event, detail) => void (event === 'permission_answered' && logged.push(detail)),
    });
    const { behavior } = answer;
    expect(logged).toEqual([{ tool: 'Probe', id: expect.any(String), behavior, classification }]);
    expect(result.permission_denials).toEqual(
      behavior === 'allow' ? [] : [expect.objectContaining({ decision_classification: 'user_reject' })],
    );
  });

  it('an answer about another call lets nothing run', async () => {
    const other = await runProbe({ canUseTool: async () => ({ behavior: 'allow', toolUseID: 'toolu_other' }) });
    expect(other.ran).toEqual([]);
    expect(other.result.permission_denials).toMatchObject([{ reason: expect.stringContaining('toolu_other') }]);
    const same = await runProbe({
      canUseTool: async (_tool, _input, { toolUseID }) => ({ behavior: 'allow', toolUseID }),
    });
    expect(same.ran).toEqual([{ value: 'a' }]);
  });

  it('is said of nothing that a rule decides', async () => {
    const logged: unknown[] = [];
    const { result } = await runProbe({
      permissions: { ...rules, deny: [parseRule('Probe')] },
      canUseTool: async () => ({ behavior: 'allow' }),
      log: (event, detail) => void (event === 'permission_answered' && logged.push(detail)),
    });
    expect(logged).toEqual([]);
    expect(result.permission_denials).toHaveLength(1);
    expect(result.permission_denials[0]).not.toHaveProperty('decision_classification');
  });
});

describe('a tool that is asked in place of a callback', () => {
  it('is shown the call, and its yes lets it run', async () => {
    const { tool, asked } = answeringTool('{"behavior":"allow"}');
    const { ran, offered } = await runProbe({ tools: [tool], permissionPromptToolName: tool.name });
    expect(ran).toEqual([{ value: 'a' }]);
    expect(asked).toEqual([{ tool_name: 'Probe', input: { value: 'a' }, tool_use_id: expect.any(String) }]);
    expect(offered).toEqual(['Probe']);
  });

  it('may change the input', async () => {
    const { tool } = answeringTool('{"behavior":"allow","updatedInput":{"value":"b"}}');
    expect((await runProbe({ tools: [tool], permissionPromptToolName: tool.name })).ran).toEqual([{ value: 'b' }]);
  });

  it.each([
    ['a no', '{"behavior":"deny","message":"not today"}', /not today/],
    ['no JSON', 'yes', /no JSON/],
    ['another behaviour', '{"behavior":"maybe"}', /no usable answer/],
    ['a list', '[]', /no usable answer/],
    ['nothing', 'null', /no usable answer/],
    ['an input that is none', '{"behavior":"allow","updatedInput":3}', /not an object/],
    ['a failure', new Error('it broke'), /it broke/],
  ])('%s is a no', async (_, answer, why) => {
    const { tool } = answeringTool(answer);
    const { ran, result } = await runProbe({ tools: [tool], permissionPromptToolName: tool.name });
    expect(ran).toEqual([]);
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Probe', reason: expect.stringMatching(why) }]);
  });

  it('must be there, and the only one who is asked', async () => {
    const { tool } = answeringTool('');
    const missing = await runProbe({ permissionPromptToolName: 'mcp__x__y' });
    expect(missing.result).toMatchObject({ is_error: true, errors: [expect.stringMatching(/no such tool/)] });
    const both = await runProbe({
      tools: [tool],
      permissionPromptToolName: tool.name,
      canUseTool: async () => ({ behavior: 'allow' }),
    });
    expect(both.result).toMatchObject({ is_error: true, errors: [expect.stringMatching(/Give one of them/)] });
    expect(both.ran).toEqual([]);
  });
});

describe('what is told of a call', () => {
  async function toldOf(name: string, input: object, mode: 'default' | 'plan' = 'default') {
    const asked: CanUseToolOptions[] = [];
    const folder = await temporaryFolder();
    const model = scriptedModel([toolCall(name, input), text('ok')]);
    const { engine } = await testEngine(model, {
      cwd: folder,
      tools: await getTools(),
      permissions: { ...rules, mode, roots: [folder] },
      canUseTool: async (_name, _input, options) => {
        asked.push(options);
        return { behavior: 'deny', message: 'no' };
      },
    });
    await collect(engine.submitMessage('go'));
    return { asked, folder };
  }

  it('says what would be touched, and what would answer for it from now on', async () => {
    const { asked, folder } = await toldOf('Write', { file_path: 'a.txt', content: 'x' });
    expect(asked).toMatchObject([
      {
        displayName: 'Write',
        description: `Changes ${path.join(folder, 'a.txt')}.`,
        blockedPath: path.join(folder, 'a.txt'),
        classifierApprovable: true,
        suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
    ]);
  });

  it('offers nothing that would not help: only a person approves a change to what runs later', async () => {
    const { asked } = await toldOf('Write', { file_path: '.git/hooks/pre-commit', content: 'x' });
    expect(asked).toMatchObject([{ decisionReasonType: 'safetyCheck', classifierApprovable: false }]);
    expect(asked[0]).not.toHaveProperty('suggestions');
  });

  it('offers the folder of a file outside', async () => {
    const { asked } = await toldOf('Read', { file_path: '/etc/hostname' });
    expect(asked).toMatchObject([
      {
        decisionReasonType: 'workingDir',
        suggestions: [{ type: 'addRules', rules: [{ toolName: 'Read', ruleContent: '//etc/**' }] }],
      },
    ]);
  });
});

describe('what a rule keeps from being read', () => {
  it('is left out of searches, which say so', async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'secrets'));
    await writeFile(path.join(folder, 'secrets', 'a.txt'), 'token here');
    await writeFile(path.join(folder, '.env'), 'token here');
    await writeFile(path.join(folder, 'plain.txt'), 'token here');
    const deny = ['Read(.env)', 'Read(/secrets/**)'].map((rule) => parseRule(rule));
    const model = scriptedModel([
      toolCall('Grep', { pattern: 'token', output_mode: 'content' }),
      toolCall('Grep', { pattern: 'token', output_mode: 'count' }),
      toolCall('Grep', { pattern: 'token' }),
      toolCall('Glob', { pattern: '**/*' }),
      toolCall('Grep', { pattern: 'token', path: '.env' }),
      text('ok'),
    ]);
    const permissions = { ...rules, mode: 'bypassPermissions', roots: [folder], deny } as const;
    const { engine } = await testEngine(model, { cwd: folder, tools: await getTools(), permissions });
    await collect(engine.submitMessage('go'));
    const results = model.requests.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)));
    for (const result of results) expect(result).not.toMatch(/token here.*token here|secrets\/a|\.env:/);
    for (const result of results.slice(0, 3)) expect(result).toContain('plain.txt');
    for (const result of results.slice(0, 3)) expect(result).toMatch(/left out: a permission rule/);
    expect(results[3]).not.toContain('.env');
    expect(results[4]).toContain('denied by a rule');
  });

  it('is told at any depth, and what is asked about is shown only if it was asked about', async () => {
    const folder = await temporaryFolder();
    for (const name of ['packages/x/secrets/a.txt', 'vendor/b.txt', 'docs/secrets', 'plain.txt']) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), 'token here');
    }
    const model = scriptedModel([
      toolCall('Grep', { pattern: 'token' }),
      toolCall('Glob', { pattern: '**/*' }),
      toolCall('Glob', { pattern: 'vendor/b.txt' }),
      toolCall('Grep', { pattern: 'token', path: 'vendor' }),
      text('ok'),
    ]);
    const parse = (rule: string) => parseRule(rule, { base: folder });
    const permissions = {
      ...rules,
      mode: 'bypassPermissions',
      roots: [folder],
      deny: [parse('Read(secrets/**)')],
      ask: [parse('Read(vendor/**)')],
    } as const;
    const asked: string[] = [];
    const { engine } = await testEngine(model, {
      cwd: folder,
      tools: await getTools(),
      permissions,
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: 'allow' };
      },
    });
    await collect(engine.submitMessage('go'));
    const results = model.requests.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)));
    for (const result of results.slice(0, 2)) {
      expect(result).toContain('plain.txt');
      expect(result).toContain('docs/secrets');
      expect(result).not.toMatch(/a\.txt|b\.txt/);
    }
    expect(results[2]).toContain('b.txt');
    expect(results[3]).toContain('b.txt');
    expect(asked).toEqual(['Glob', 'Grep']);
  });
});
