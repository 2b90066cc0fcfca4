// Options of the published SDKs that act: what goes out to the model, and what comes back.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../../src/protocol/options.js';
import { createBodyBuilder } from '../../../src/providers/anthropic/request-body.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { createSdkMcpServer, tool } from '../../../src/sdk/tools/tool.js';
import { collect, lastResult } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

async function run(model: ScriptedModel, more: Options = {}, prompt = 'go') {
  const cwd = more.cwd ?? (await temporaryFolder());
  const env = { TURNWRIGHT_HOME: await temporaryFolder(), ...more.env };
  return collect(query({ prompt, options: { provider: model, persistSession: false, ...more, cwd, env } }));
}

const sent = (model: ScriptedModel) => JSON.stringify(model.requests[0]);
const server = () =>
  createSdkMcpServer({
    name: 'far',
    tools: [tool('run', 'Runs.', { command: z.string() }, async () => ({ content: [{ type: 'text', text: 'ran' }] }))],
  });

describe('options that act', () => {
  it('permissionPrompts: nobody is asked, though there is somebody', async () => {
    let asked = 0;
    const canUseTool = async () => {
      asked += 1;
      return { behavior: 'allow' } as const;
    };
    const model = scriptedModel([toolCall('Bash', { command: 'touch x' }), text('ok')]);
    const messages = await run(model, { canUseTool, permissionPrompts: 'none' });
    expect(asked).toBe(0);
    expect(lastResult(messages).permission_denials).toMatchObject([{ tool_name: 'Bash' }]);
    await expect(run(scriptedModel([]), { permissionPrompts: 'all' as 'none' })).rejects.toThrow(/host or none/);
    await expect(run(scriptedModel([]), { permissionPrompts: 'none', deferPermissions: true })).rejects.toThrow(
      /Give one/,
    );
  });

  it('planMode begins with a plan, told as planModeInstructions say, and leads to permissionMode', async () => {
    const model = scriptedModel([
      toolCall('ExitPlanMode', { plan: 'Write x.' }),
      toolCall('Write', { file_path: 'x', content: '1' }),
      text('ok'),
    ]);
    const asked: string[] = [];
    const messages = await run(model, {
      planMode: true,
      planModeInstructions: 'Name three risks.',
      permissionMode: 'acceptEdits',
      canUseTool: async (name, input) => {
        asked.push(name);
        return { behavior: 'allow', updatedInput: input };
      },
    });
    expect(messages.find((one) => one.type === 'system' && one.subtype === 'init')).toMatchObject({
      permissionMode: 'plan',
    });
    expect(sent(model)).toContain('Name three risks.');
    expect(asked).toEqual(['ExitPlanMode']);
    expect(lastResult(messages).permission_denials).toEqual([]);
  });

  it('allowedMcpServerNames: the others are not there, and are named', async () => {
    const model = scriptedModel([text('ok')]);
    const mcpServers = { far: server(), near: server() };
    const messages = await run(model, { mcpServers, allowedMcpServerNames: ['near'] });
    expect(sent(model)).toContain('mcp__near__run');
    expect(sent(model)).not.toContain('mcp__far__run');
    expect(messages).toContainEqual(expect.objectContaining({ code: 'mcp_server_not_used' }));
  });

  it('toolAliases: the call goes to the other tool, in one step', async () => {
    const model = scriptedModel([toolCall('Bash', { command: 'ls' }), toolCall('Read', {}), text('ok')]);
    const messages = await run(model, {
      mcpServers: { far: server() },
      tools: [],
      allowedTools: ['mcp__far__run'],
      toolAliases: { Bash: 'mcp__far__run', Read: 'Bash' },
    });
    const results = JSON.stringify(messages.filter(({ type }) => type === 'user'));
    expect(results).toContain('ran');
    expect(results).toContain('There is no tool Bash.');
  });

  it('verbatimPrompts: a slash is no command', async () => {
    const model = scriptedModel([text('ok')]);
    await run(model, { verbatimPrompts: true }, '/cost');
    expect(model.calls).toBe(1);
    expect(sent(model)).toContain('/cost');
  });

  it('projectConfigRoot: settings of the project are read there', async () => {
    const [root, cwd] = [await temporaryFolder(), await temporaryFolder()];
    for (const [folder, language] of [
      [root, 'German'],
      [cwd, 'Dutch'],
    ] as const) {
      await mkdir(path.join(folder, '.claude'));
      await writeFile(path.join(folder, '.claude/settings.json'), JSON.stringify({ language }));
    }
    const model = scriptedModel([text('ok')]);
    await run(model, { cwd, projectConfigRoot: root, settingSources: ['project'] });
    expect(sent(model)).toContain('German');
    expect(sent(model)).not.toContain('Dutch');
    await expect(run(scriptedModel([]), { projectConfigRoot: 'here' })).rejects.toThrow(/absolute path/);
  });

  it('excludeDynamicSections: the environment goes with the first message', async () => {
    const model = scriptedModel([text('ok')]);
    const cwd = await temporaryFolder();
    const systemPrompt = { type: 'preset', preset: 'claude_code', excludeDynamicSections: true } as const;
    await run(model, { cwd, systemPrompt });
    expect(JSON.stringify(model.requests[0]?.system)).not.toContain(cwd);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain(cwd);
  });

  it('a boundary in a system prompt is a breakpoint, and is not sent', async () => {
    const model = scriptedModel([text('ok')]);
    await run(model, { systemPrompt: ['always', SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'today'], settingSources: [] });
    const [request] = model.requests;
    expect(request).toBeDefined();
    if (request === undefined) return;
    const pieces = createBodyBuilder().build(request);
    const body = pieces.map((piece) => new TextDecoder().decode(piece)).join('');
    expect(JSON.parse(body).system).toEqual([
      { type: 'text', text: 'always', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'today', cache_control: { type: 'ephemeral' } },
    ]);
    expect(body.match(/cache_control/g)?.length).toBeLessThanOrEqual(4);
    expect(body).not.toContain(SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
  });

  it('supportedDialogKinds without somebody who shows them is refused', async () => {
    await expect(run(scriptedModel([]), { supportedDialogKinds: ['x'] })).rejects.toThrow(/onUserDialog/);
    const onUserDialog = async () => null;
    const told = await run(scriptedModel([text('ok')]), { supportedDialogKinds: ['x'], onUserDialog });
    expect(told).toContainEqual(
      expect.objectContaining({
        message: expect.stringMatching(/supportedDialogKinds has no effect: .*turnwright_/),
      }),
    );
  });

  it('maxThinkingTokens and a display reach the request', async () => {
    const model = scriptedModel([text('ok')]);
    await run(model, { maxThinkingTokens: 2_000 });
    expect(model.requests[0]?.thinking).toEqual({ type: 'enabled', budgetTokens: 2_000 });
    const off = scriptedModel([text('ok')]);
    await run(off, { maxThinkingTokens: 0 });
    expect(off.requests[0]?.thinking).toEqual({ type: 'disabled' });
    const shown = scriptedModel([text('ok')]);
    await run(shown, { thinking: { type: 'adaptive', display: 'omitted' }, maxThinkingTokens: 0 });
    expect(shown.requests[0]?.thinking).toEqual({ type: 'adaptive', display: 'omitted' });
  });
});
