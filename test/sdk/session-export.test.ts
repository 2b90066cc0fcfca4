import { describe, expect, it } from 'vitest';
import { createMemoryHost, type MemoryHost } from '../../src/host/memory/memory-host.js';
import { exportSession } from '../../src/sdk/sessions.js';
import { plainStore } from '../support/plain-store.js';
import { answer, type Line, prompt, toText, transcriptLines } from '../support/transcripts.js';

const FOLDER = '/home/user/.turnwright/projects/-project';
const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';

const USAGE = { input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const reply = (id: string, model: string, ...content: object[]): Line => ({
  type: 'assistant',
  message: { id, role: 'assistant', model, content, usage: USAGE },
});
const text = (value: string) => ({ type: 'text', text: value });
const state = (models: object): Line => ({ type: 'turnwright-state', state: { ledger: { apiDurationMs: 1, models } } });

function machine(lines: readonly Line[]): MemoryHost {
  const host = createMemoryHost();
  host.fs.addFile(`${FOLDER}/${ID}.jsonl`, toText(transcriptLines(lines, { sessionId: ID, cwd: '/project' })));
  return host;
}

const SESSION = [
  prompt('first'),
  reply('m1', 'claude-sonnet-4-5', { type: 'thinking', thinking: 'hm', signature: 's' }, text('one')),
  prompt('second'),
  reply('m2', 'claude-sonnet-4-5', text('two')),
  // A compaction: a summary, and what it kept.
  { ...prompt('sum of it', { isCompactSummary: true }), parentUuid: null } as Line,
  prompt('second'),
  reply('m2', 'claude-sonnet-4-5', text('two')),
  prompt('third'),
  answer('three'),
];

/** As the session itself writes it: what follows a compaction names what was before. */
function linked(): Line[] {
  const lines = transcriptLines(SESSION, { sessionId: ID, cwd: '/project' });
  return lines.map((line, at) => (at === 4 ? { ...line, logicalParentUuid: lines[3]?.['uuid'] } : line));
}

describe('exportSession', () => {
  it('has the whole conversation once, across compactions', async () => {
    const host = createMemoryHost();
    host.fs.addFile(`${FOLDER}/${ID}.jsonl`, toText(linked()));
    const markdown = await exportSession(ID, { host });
    const shown = ['> first', '> one', '> second', '> two', '> sum of it', '> third', '> three'];
    expect(markdown.match(/^> .*$/gm)).toEqual(shown);
    expect(markdown).toContain('# first\n');
    expect(markdown).not.toContain('Thinking');
    expect(await exportSession(ID, { host, includeThinking: true })).toContain('Thinking:\n\n> hm');
    expect(await exportSession(ID, { host, format: 'html' })).toContain('<div class="text">third</div>');

    const json = JSON.parse(await exportSession(ID, { host, format: 'json' })) as {
      messages: { message: { content: unknown } }[];
    };
    expect(json).toMatchObject({
      format: 'turnwright-session',
      version: 1,
      session: { sessionId: ID, title: 'first' },
    });
    expect(json.messages.map(({ message }) => message.content)).toEqual([
      'first',
      [text('one')],
      'second',
      [text('two')],
      'third',
      [text('three')],
    ]);
    const withThinking = await exportSession(ID, { host, format: 'json', includeThinking: true });
    expect(withThinking).toContain('"thinking": "hm"');
  });

  it('says what it cost: as the session counted it, else by known prices', async () => {
    const [first, second] = [prompt('first'), reply('m1', 'claude-sonnet-4-5', text('one'))];
    const costs = async (lines: Line[]) => {
      const json = JSON.parse(await exportSession(ID, { host: machine(lines), format: 'json' })) as Record<
        string,
        unknown
      >;
      return [json['totalCostUsd'], json['usage']];
    };
    const line = { usage: USAGE, costPico: '250000000000', isPriceKnown: true };
    expect(await costs([first, second, state({ 'claude-x': line })])).toEqual([
      0.25,
      [{ model: 'claude-x', inputTokens: 1_000, outputTokens: 100, costUsd: 0.25 }],
    ]);
    // 1,000 tokens at 3 dollars and 100 at 15 dollars a million.
    expect(await costs([first, second, second])).toEqual([
      0.0045,
      [{ model: 'claude-sonnet-4-5', inputTokens: 1_000, outputTokens: 100, costUsd: 0.0045 }],
    ]);
    expect((await costs([first, second, reply('m2', 'unheard-of', text('x'))]))[0]).toBeNull();
    expect(await costs([first, answer('no model')])).toEqual([0, []]);
    expect((await costs([first, state({ a: { ...line, costPico: 'x' }, b: 7 })]))[0]).toBeNull();
  });

  it('has subagents, from the disk and from a store', async () => {
    const subagent = transcriptLines([prompt('task', { isSidechain: true }), answer('did it', { isSidechain: true })], {
      sessionId: ID,
    });
    const host = machine([prompt('first'), answer('one')]);
    host.fs.addFile(`${FOLDER}/${ID}/subagents/agent-a1.jsonl`, toText(subagent));
    const markdown = await exportSession(ID, { host });
    expect(markdown).toContain('## Subagent `a1`\n\n### Prompt');
    expect(markdown).toContain('> did it');

    for (const sessionStore of [plainStore('listSubkeys'), plainStore()]) {
      const key = { projectKey: '-project', sessionId: ID };
      await sessionStore.append(key, transcriptLines([prompt('first')], { sessionId: ID }) as { type: string }[]);
      await sessionStore.append({ ...key, subpath: 'subagents/agent-a1' }, subagent as { type: string }[]);
      const fromStore = await exportSession(ID, { host, sessionStore });
      expect(fromStore).toContain('> first');
      expect(fromStore.includes('> did it')).toBe(sessionStore.listSubkeys !== undefined);
    }
  });

  it('refuses what it cannot do', async () => {
    const host = machine([prompt('first')]);
    await expect(exportSession(OTHER, { host })).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(exportSession('../x', { host })).rejects.toMatchObject({ code: 'session_invalid' });
    await expect(exportSession(ID, { host, format: 'pdf' as never })).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(exportSession(ID, { host, maxResultChars: 0 })).rejects.toMatchObject({ code: 'config_invalid' });
  });
});
