// How full the window is: every token in one part, and the parts add up, whatever the session holds.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SDKControlGetContextUsageResponse } from '../../../src/protocol/control-answers.js';
import { reply, text, toolCall } from '../../../src/testing/model/script-steps.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { controlled } from '../../support/controlled.js';
import { temporaryFolder } from '../../support/engine.js';

function addsUp(usage: SDKControlGetContextUsageResponse): void {
  const sumOf = (kinds: readonly string[]) =>
    usage.categories.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { tokens }) => sum + tokens, 0);
  expect(sumOf(['used', 'free', 'buffer'])).toBe(usage.rawMaxTokens);
  expect(sumOf(['used'])).toBe(usage.totalTokens);
  expect(usage.categories.every(({ tokens }) => Number.isInteger(tokens) && tokens >= 0)).toBe(true);
  const tokensOf = (id: string) => usage.categories.find((category) => category.id === id)?.tokens ?? 0;
  const total = (parts: readonly { readonly tokens: number }[] = []) =>
    parts.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(total(usage.systemPromptSections)).toBe(tokensOf('system_prompt'));
  expect(total(usage.systemTools)).toBe(tokensOf('system_tools'));
  expect(total(usage.memoryFiles)).toBe(tokensOf('memory_files'));
  expect(total(usage.agents)).toBe(tokensOf('custom_agents'));
  const { toolCallsByType: _, attachmentsByType: _types, ...kinds } = usage.messageBreakdown ?? {};
  expect(Object.values(kinds).reduce((sum, tokens) => sum + tokens, 0)).toBe(tokensOf('messages'));
}

describe('getContextUsage', () => {
  it('is known before the first prompt, sends nothing, and leaves the first prompt as it would have been', async () => {
    const model = scriptedModel([text('Hello.')]);
    const { session, cwd, ask } = await controlled(model);
    await writeFile(path.join(cwd, 'AGENTS.md'), 'Write short lines. '.repeat(40));
    const before = await session.getContextUsage();
    addsUp(before);
    expect(model.calls).toBe(0);
    expect(before.apiUsage).toBeNull();
    expect(before.memoryFiles).toMatchObject([{ path: 'AGENTS.md', type: 'Project' }]);
    expect(before.session).toMatchObject({ messageCount: 0, promptCount: 0 });
    await ask('Hi.');
    const other = scriptedModel([text('Hello.')]);
    const plain = await controlled(other, { cwd });
    await plain.ask('Hi.');
    expect(model.requests[0]?.system).toEqual(other.requests[0]?.system);
  });

  it('follows what the last request was billed, and counts what came since', async () => {
    const usage = { input_tokens: 3_000, cache_read_input_tokens: 9_000, output_tokens: 40 };
    const cwd = await temporaryFolder();
    const [file, none] = [path.join(cwd, 'a.txt'), path.join(cwd, 'none')];
    const script = [
      toolCall('Read', { file_path: file }),
      reply(toolCall('Read', { file_path: file }), toolCall('Read', { file_path: none })),
      text('Done.'),
    ];
    const { session, ask } = await controlled(scriptedModel(script, { usage }), { cwd });
    await writeFile(file, 'A line.\n'.repeat(300));
    await ask('Read it.');
    const now = await session.getContextUsage();
    addsUp(now);
    expect(now.apiUsage).toMatchObject({ input_tokens: 3_000, cache_read_input_tokens: 9_000 });
    // The last request, and the reply to it.
    expect(now.totalTokens).toBeGreaterThanOrEqual(12_000);
    expect(now.totalTokens).toBeLessThan(12_200);
    expect(now.duplicateFileReads).toEqual([{ path: file, count: 2 }]);
    expect(now.session).toMatchObject({ promptCount: 1, toolCalls: { total: 3, succeeded: 2, failed: 1 } });
    expect(now.messageBreakdown?.toolCallsByType).toMatchObject([{ name: 'Read' }]);
  });

  it('leaves lists and picture out of a summary, with the same sums', async () => {
    const { session, ask } = await controlled(scriptedModel([text('Hello.')]));
    await ask('Hi.');
    const [full, summary] = [await session.getContextUsage(), await session.getContextUsage({ detail: 'summary' })];
    expect(full.gridRows.flat()).toHaveLength(100);
    expect(summary).toMatchObject({ gridRows: [], memoryFiles: [], mcpTools: [], agents: [] });
    expect(summary.categories).toEqual(full.categories);
    await expect(session.getContextUsage({ detail: 'all' as never })).rejects.toThrow('Give summary or full');
  });

  it('names agents of the options apart from the tools', async () => {
    const agents = { critic: { description: 'Finds faults in prose. '.repeat(20), prompt: 'Be strict.' } };
    const { session } = await controlled(scriptedModel([]), { agents });
    const usage = await session.getContextUsage();
    addsUp(usage);
    expect(usage.agents).toMatchObject([{ agentType: 'critic' }]);
    expect(usage.agents[0]?.tokens).toBeGreaterThan(60);
  });

  it('adds up over random sessions, windows and counts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 3_000 }), { minLength: 0, maxLength: 3 }),
        fc.integer({ min: 1, max: 400_000 }),
        fc.boolean(),
        async (prompts, counted, autoCompact) => {
          const model = scriptedModel(() => text('ok'), { usage: { input_tokens: counted } });
          const { session, ask } = await controlled(model, { autoCompact, tools: [] });
          for (const prompt of prompts) await ask(prompt.trim() === '' ? 'x' : `_${prompt}`);
          const usage = await session.getContextUsage();
          addsUp(usage);
          expect(usage.isAutoCompactEnabled).toBe(autoCompact);
          expect(usage.totalTokens).toBeLessThanOrEqual(usage.rawMaxTokens);
          session.close();
        },
      ),
      { numRuns: 25 },
    );
  });
});
