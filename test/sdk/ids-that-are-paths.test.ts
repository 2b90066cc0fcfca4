// Ids in the records of a session are words of whoever wrote them. One that is a path names nothing: every function
// reads the session by its file, and nothing outside its folder is touched.
import { expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import {
  exportSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
} from '../../src/sdk/sessions.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn } from '../../src/session/store/session-places.js';
import { plainStore } from '../support/plain-store.js';
import {
  answerLine,
  assistantLine,
  callBlock,
  fileText,
  linkLine,
  SESSION,
  userLine,
  uuidOf,
} from '../support/transcript-lines.js';

const FOLDER = '/home/user/.turnwright/projects/-project';
const PATHS = ['../../../../etc/passwd', '/etc/passwd', '..', 'subagents/../../x', 'C:\\x\\..\\y'];
/** Every field that holds an id. */
const IDS =
  /^(?:uuid|parentUuid|logicalParentUuid|leafUuid|sessionId|id|tool_use_id|toolUseId|agentId|parentAgentId|messageId|requestId)$/;

/** The same id becomes the same path. */
function withPaths(value: unknown, wanted: string, name = ''): unknown {
  if (typeof value === 'string') return IDS.test(name) ? `${wanted}${value === SESSION ? '' : `/${value}`}` : value;
  if (Array.isArray(value)) return value.map((item) => withPaths(item, wanted, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPaths(item, wanted, key)]));
}

it.each(PATHS)('%s', async (wanted) => {
  const lines = [
    userLine(1, 'before'),
    assistantLine(2, 'msg_2', [{ type: 'text', text: 'yes' }]),
    linkLine(3, 'system', { subtype: 'compact_boundary', compactMetadata: { trigger: 'auto', preTokens: 9 } }),
    userLine(4, 'A prompt'),
    assistantLine(5, 'msg_5', [callBlock('t1', 'Agent')]),
    answerLine(6, 't1', 'done', { extra: { toolUseResult: { agentId: 'a1', status: 'completed' } } }),
    { type: 'turnwright-deferred', toolUseId: 't9', sessionId: SESSION },
    { type: 'turnwright-state', leafUuid: uuidOf(6), sessionId: SESSION, state: {} },
    { type: 'last-prompt', lastPrompt: 'A prompt', sessionId: SESSION },
  ].map((line) => withPaths(line, wanted) as Record<string, unknown>);
  const inAgent = [userLine(1, 'in the agent', { extra: { isSidechain: true, agentId: 'a1' } })].map(
    (line) => withPaths(line, wanted) as Record<string, unknown>,
  );
  const meta = JSON.stringify(withPaths({ toolUseId: 't1', parentAgentId: 'a0' }, wanted));
  const host = createMemoryHost({
    files: {
      [`${FOLDER}/${SESSION}.jsonl`]: fileText(lines),
      [`${FOLDER}/${SESSION}/subagents/agent-a1.jsonl`]: fileText(inAgent),
      [`${FOLDER}/${SESSION}/subagents/agent-a1.meta.json`]: meta,
    },
  });
  const outside = () => Object.keys(host.files()).filter((file) => !file.startsWith(`${FOLDER}/`));
  const before = outside();

  expect(await listSessions({ host })).toMatchObject([{ sessionId: SESSION, summary: 'A prompt' }]);
  expect(await getSessionInfo(SESSION, { host })).toMatchObject({ summary: 'A prompt' });
  expect((await getSessionMessages(SESSION, { host })).map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
  expect(await listSubagents(SESSION, { host })).toEqual(['a1']);
  expect(await getSubagentMessages(SESSION, 'a1', { host })).toHaveLength(1);
  expect((await resumeSession(host, placeIn(FOLDER, SESSION))).messages).toHaveLength(3);
  expect(await exportSession(SESSION, { host, format: 'markdown' })).toContain('in the agent');
  const { sessionId } = await forkSession(SESSION, { host });
  expect((await getSessionMessages(sessionId, { host })).map(({ type }) => type)).toEqual([
    'user',
    'assistant',
    'user',
  ]);
  const store = plainStore();
  await importSessionToStore(SESSION, store, { host, dir: '/project' });
  expect([...store.data.values()].map(({ length }) => length)).toEqual([lines.length, inAgent.length]);
  expect(await getSessionMessages(SESSION, { host, dir: '/project', sessionStore: store })).toHaveLength(3);
  expect(outside()).toEqual(before);
});
