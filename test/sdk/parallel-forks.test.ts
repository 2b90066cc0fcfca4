// Forks of a session that made four calls at once: at whatever message, the model is asked what the session itself
// would ask it.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { projectFolder } from '../../src/session/store/session-places.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';
import {
  answerLine,
  assistantLine,
  callBlock,
  fileText,
  SESSION,
  textBlock,
  userLine,
} from '../support/transcript-lines.js';

const CALLS = ['a', 'b', 'c', 'd'];

/** As this engine writes it: the reply is one line, and so are its answers. */
const together = [
  userLine(1, 'look at four files'),
  assistantLine(2, 'msg_1', [textBlock('Four at once.'), ...CALLS.map((id) => callBlock(id))]),
  userLine(
    3,
    CALLS.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `content of ${id}` })),
  ),
  assistantLine(4, 'msg_2', [textBlock('Done.')]),
  userLine(5, 'and now?'),
  assistantLine(6, 'msg_3', [textBlock('Nothing.')]),
];

/** As other writers do: a line for each block and each answer, and the answers branch off. */
const branching = [
  userLine(1, 'look at four files'),
  assistantLine(2, 'msg_1', [textBlock('Four at once.')]),
  ...CALLS.map((id, index) => assistantLine(3 + index, 'msg_1', [callBlock(id)])),
  ...CALLS.map((id, index) => answerLine(7 + index, id, `content of ${id}`, { parent: 3 + index })),
  assistantLine(11, 'msg_2', [textBlock('Done.')]),
  userLine(12, 'and now?'),
  assistantLine(13, 'msg_3', [textBlock('Nothing.')]),
];

it.each([
  ['together', together],
  ['branching off', branching],
])('its calls and answers %s', async (_name, lines) => {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const folder = await projectFolder(createNodeHost(), home, cwd);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${SESSION}.jsonl`), fileText(lines));
  /** What the model is asked, and the session that asked. */
  const ask = async (options: Options) => {
    const model = scriptedModel([text('ok')]);
    const env = { TURNWRIGHT_HOME: home };
    const messages = await collect(query({ prompt: 'next', options: { ...options, provider: model, cwd, env } }));
    expect(lastResult(messages).subtype).toBe('success');
    return { asked: model.requests[0]?.messages, id: lastResult(messages).session_id };
  };
  for (const { uuid } of lines) {
    const at = { resume: SESSION, resumeSessionAt: String(uuid) };
    const parent = await ask({ ...at, persistSession: false });
    const fork = await ask({ ...at, forkSession: true });
    expect(fork.asked).toEqual(parent.asked);
    // And once more from its own file, where that prompt and its answer are the end.
    const again = await ask({ resume: fork.id, persistSession: false });
    expect(again.asked?.slice(0, parent.asked?.length)).toEqual(parent.asked);
  }
  const whole = await ask({ resume: SESSION, persistSession: false });
  const answered = whole.asked?.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  );
  expect(answered).toEqual(CALLS);
});
