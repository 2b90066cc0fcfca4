import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { getSessionInfo, renameSession, tagSession } from '../../../src/sdk/sessions.js';
import { linesOutOfReach } from '../../../src/session/store/retention.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { testEngine } from '../../support/engine.js';
import { answer, type Line, prompt, toText, transcriptLines } from '../../support/transcripts.js';

const title = (customTitle: string): Line => ({ type: 'custom-title', customTitle });
const tag = (value: string): Line => ({ type: 'tag', tag: value });
/** About so many KiB of conversation. */
const kilobytes = (n: number): Line[] => Array.from({ length: n }, () => answer('x'.repeat(800)));

async function found(...lines: Line[]) {
  const content = toText(transcriptLines(lines));
  return linesOutOfReach(createMemoryHost({ files: { '/file': content } }), '/file', content.length);
}

describe('what is set long before the end', () => {
  it.each<[string, Line[], object[]]>([
    ['nothing of a short transcript', [prompt('a'), title('t'), ...kilobytes(20)], []],
    ['nothing that is near the end', [...kilobytes(100), title('t'), ...kilobytes(10)], []],
    [
      'a title that is far away',
      [prompt('a'), title('old'), title('t'), ...kilobytes(100)],
      [{ type: 'custom-title', customTitle: 't' }],
    ],
    [
      'the newest of each kind',
      [title('t'), tag('u'), ...kilobytes(100), tag('v'), ...kilobytes(5)],
      [{ type: 'custom-title', customTitle: 't' }],
    ],
    ['nothing that a prompt quotes', [prompt(toText([title('t')])), ...kilobytes(100)], []],
    ['nothing that is too far away to look for', [title('t'), ...kilobytes(9_500)], []],
  ])('gives %s', async (_name, lines, expected) => {
    expect(await found(...lines)).toEqual(expected);
  });

  it('passes over half a line', async () => {
    const lines = `{"type":"custom-title","custo\n${toText(transcriptLines(kilobytes(100)))}`;
    expect(await linesOutOfReach(createMemoryHost({ files: { '/file': lines } }), '/file', lines.length)).toEqual([]);
  });
});

it('a title and a tag set in the middle of a long session stay in lists', async () => {
  const long = 'many words '.repeat(3_000);
  const model = scriptedModel(Array.from({ length: 8 }, () => text(long)));
  const { engine, home } = await testEngine(model);
  const env = { TURNWRIGHT_HOME: home };
  let sessionId = '';
  for (let n = 0; n < 8; n++) {
    const [init] = await collect(engine.submitMessage(`prompt ${n}`));
    sessionId = init?.session_id ?? '';
    if (n !== 3) continue;
    await renameSession(sessionId, 'Half way', { env });
    await tagSession(sessionId, 'kept', { env });
  }
  expect((await getSessionInfo(sessionId, { env }))?.customTitle).toBeUndefined();
  await engine.close();
  expect(await getSessionInfo(sessionId, { env })).toMatchObject({
    customTitle: 'Half way',
    tag: 'kept',
    fileSize: expect.any(Number) as number,
  });
});
