import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { MessageParam } from '../../../src/protocol/content.js';
import { pinSources } from '../../../src/session/tools/pin-sources.js';
import type { TaskFacts } from '../../../src/tools/background-tasks.js';
import { createFileStateCache } from '../../../src/tools/file-state-cache.js';
import { PLAN_APPROVED } from '../../../src/tools/plan-mode.js';
import type { TodoItem } from '../../../src/tools/tool.js';
import { temporaryFolder } from '../../support/engine.js';

const estimator = createTokenEstimator();

async function textsOf(
  todos: readonly TodoItem[],
  files: readonly string[] = [],
  conversation: readonly MessageParam[] = [],
  running: readonly TaskFacts[] = [],
  isHidden: (file: string) => boolean = () => false,
) {
  const readFileCache = createFileStateCache();
  for (const file of files) readFileCache.set(file, { mtimeMs: 0, size: 0, hash: '', range: null });
  const sources = pinSources(
    { getAppState: () => ({ todos }), readFileCache },
    createNodeHost(),
    conversation,
    () => running,
    undefined,
    undefined,
    async () => isHidden,
  );
  return Promise.all(
    sources.map(async ({ keep, read }) => ({ keep, texts: await read({ maxTokens: 1_000, estimator }) })),
  );
}

it('the todo list always goes along', async () => {
  const [todos] = await textsOf([
    { id: '1', content: 'Read it', status: 'completed' },
    { id: '2', content: 'Fix it', status: 'in_progress', priority: 'high' },
    { id: '3', content: 'Test it', status: 'pending' },
  ]);
  expect(todos?.keep).toBe('always');
  expect(todos?.texts).toHaveLength(1);
  expect(todos?.texts[0]).toMatch(
    /\[x\] Read it \(id 1\)\n\[~\] Fix it \(id 2, high priority\)\n\[ \] Test it \(id 3\)$/,
  );
  expect((await textsOf([]))[0]?.texts).toEqual([]);
});

it('a todo list that cannot be read is named as such', async () => {
  expect((await textsOf([null as unknown as TodoItem]))[0]?.texts).toEqual([
    expect.stringMatching(/^The todo list could not be read: /),
  ]);
});

it('background tasks that run always go along, by their ids', async () => {
  const task = (id: string): TaskFacts => ({
    id,
    kind: 'command',
    report: null,
    description: `the job ${id}`,
    status: 'running',
    exitCode: null,
    reason: null,
    notes: [],
    runsMs: 1,
    outputFile: null,
  });
  const [, , tasks] = await textsOf([], [], [], [task('b1'), task('b2')]);
  expect(tasks?.keep).toBe('always');
  expect(tasks?.texts[0]).toMatch(/\n\nb1: the job b1\nb2: the job b2$/);
  expect((await textsOf([]))[2]?.texts).toEqual([]);
});

const shown = (id: string, name = 'ExitPlanMode'): MessageParam => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input: { plan: 'as it was' } }],
});
const answered = (id: string, content: string, isError = false): MessageParam => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) }],
});

it('the plan that was approved last always goes along, as it was approved, from one compaction to the next', async () => {
  const planOf = async (conversation: readonly MessageParam[]) => (await textsOf([], [], conversation))[1]?.texts;
  const pinOf = (plan: string) => `The plan that the user approved:\n\n${plan}`;
  const first = [shown('a'), answered('a', `${PLAN_APPROVED}\n\n1. Look\n2. Mend`)];
  const pin = pinOf('1. Look\n2. Mend');
  expect((await textsOf([], [], first))[1]).toEqual({ keep: 'always', texts: [pin] });
  // One that was turned down, was not answered yet, or is another tool's, is none.
  const others = [shown('b'), answered('b', 'No.', true), shown('c', 'Read'), answered('c', `${PLAN_APPROVED}\n\nx`)];
  expect(await planOf([...first, ...others, shown('d')])).toEqual([pin]);
  const kept: MessageParam = { role: 'user', content: [{ type: 'text', text: pin }] };
  expect(await planOf([kept])).toEqual([pin]);
  expect(await planOf([kept, shown('e'), answered('e', `${PLAN_APPROVED}\n\nAnew`)])).toEqual([pinOf('Anew')]);
  // Pruned, so what was kept of it stands.
  expect(await planOf([kept, shown('f'), answered('f', '[removed]')])).toEqual([pin]);
  expect(await planOf([{ role: 'user', content: 'Go on.' }])).toEqual([]);
});

it('files go along as they are now, the one that was read last first, and what is gone does not', async () => {
  const folder = await temporaryFolder();
  const file = (name: string) => path.join(folder, name);
  await writeFile(file('a'), 'alpha\n');
  await writeFile(file('b'), 'beta');
  await writeFile(file('blank'), '\n');
  const files = (await textsOf([], [file('a'), file('gone'), file('blank'), file('b')])).at(-1);
  expect(files).toEqual({
    keep: 'as_fits',
    texts: ['b', 'a'].map(
      (name) => `The file ${file(name)}, as it is now:\n\n<file>\n${name === 'a' ? 'alpha\n' : 'beta'}\n</file>`,
    ),
  });
});

it('a file that a rule keeps from being read by now does not go along, whatever was shown of it before', async () => {
  const folder = await temporaryFolder();
  const [kept, other] = [path.join(folder, '.env'), path.join(folder, 'other')];
  await writeFile(kept, 'KEY-4711');
  await writeFile(other, 'plain');
  const files = (await textsOf([], [kept, other], [], [], (file) => file === kept)).at(-1);
  expect(files?.texts).toEqual([expect.stringContaining('plain')]);
});
