// How full the window is: every token in one part, and the parts add up, whatever the session holds.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenEstimator } from '../../../src/engine/tokens/index.js';
import type { SDKControlGetContextUsageResponse } from '../../../src/protocol/control.js';
import { createSdkMcpServer, tool } from '../../../src/sdk/tools/tool.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
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
      { numRuns: 15 },
    );
  });

  it('counts what the next request sends, part by part, whatever the session has', async () => {
    const words = fc.string({ minLength: 1, maxLength: 400 });
    const lines = words.map((said) => said.replaceAll(/[^\w .-]/g, 'x'));
    const has = fc.record({
      instructions: fc.option(words, { nil: null }),
      skills: fc.array(lines, { maxLength: 4 }),
      agents: fc.array(lines, { maxLength: 3 }),
      tools: fc.array(lines, { maxLength: 3 }),
      append: fc.option(words, { nil: undefined }),
      prompts: fc.array(words, { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(has, async ({ instructions, skills, agents, tools, append, prompts }) => {
        const cwd = await temporaryFolder();
        if (instructions !== null) await writeFile(path.join(cwd, 'AGENTS.md'), instructions);
        for (const [at, description] of skills.entries()) {
          await mkdir(path.join(cwd, `.claude/skills/s${at}`), { recursive: true });
          const text = `---\ndescription: "d ${description}"\n---\nDo it.\n`;
          await writeFile(path.join(cwd, `.claude/skills/s${at}/SKILL.md`), text);
        }
        let asked = 0;
        const model = scriptedModel(() => (asked++ % 2 === 0 ? toolCall('Glob', { pattern: '*' }) : text('ok')), {
          usage: { input_tokens: 0 },
        });
        const { session, ask } = await controlled(model, {
          cwd,
          settingSources: ['project'],
          autoCompact: false,
          ...(append === undefined ? {} : { systemPrompt: { type: 'preset', preset: 'claude_code', append } }),
          agents: Object.fromEntries(
            agents.map((description, at) => [`a${at}`, { description: `d ${description}`, prompt: 'x' }]),
          ),
          mcpServers: {
            kit: createSdkMcpServer({
              name: 'kit',
              tools: tools.map((said, at) => tool(`t${at}`, `d ${said}`, {}, async () => ({ content: [] }))),
            }),
          },
        });
        for (const prompt of prompts) await ask(`_${prompt}`);
        const usage = await session.getContextUsage();
        addsUp(usage);
        await ask('go on');
        const sent = model.requests.at(-2);
        if (sent === undefined) throw new Error('Nothing was sent.');
        // All but what the last prompt brought.
        const before = { ...sent, messages: sent.messages.slice(0, -1) };
        const estimator = createTokenEstimator();
        expect(usage.totalTokens).toBe(estimator.request(before));
        const tokensOf = (...ids: readonly string[]) =>
          usage.categories.filter(({ id }) => ids.includes(id)).reduce((sum, { tokens }) => sum + tokens, 0);
        // Each part is rounded by itself.
        const parts = 60 + 4 * sent.messages.length;
        const near = (tokens: number, expected: number) =>
          expect(Math.abs(tokens - expected)).toBeLessThanOrEqual(parts);
        near(tokensOf('messages'), estimator.messages(before.messages));
        near(
          tokensOf('system_tools', 'mcp_tools', 'custom_agents', 'skills'),
          estimator.frame({ ...before, system: [] }),
        );
        near(
          tokensOf('system_prompt', 'memory_files'),
          estimator.frame(before) - estimator.frame({ ...before, system: [] }),
        );
        expect(usage.skills?.skillFrontmatter).toHaveLength(skills.length);
        expect(usage.agents).toHaveLength(agents.length);
        expect(usage.mcpTools).toHaveLength(tools.length);
        expect(usage.memoryFiles).toHaveLength(instructions === null || instructions.trim() === '' ? 0 : 1);
        session.close();
      }),
      { numRuns: 8 },
    );
  });
});
