import { readdirSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openPersonalFiles } from '../../../src/sdk/faces/personal-files.js';
import { keepDraft } from '../../../src/tui/composer/draft.js';
import { temporaryFolder } from '../../support/engine.js';

/** A clock that is moved by hand. */
function handClock() {
  const waiting: (() => void)[] = [];
  return {
    now: () => 0,
    after(_ms: number, run: () => void) {
      waiting.push(run);
      return () => void waiting.splice(waiting.indexOf(run), waiting.includes(run) ? 1 : 0);
    },
    tick: () => {
      for (const run of waiting.splice(0)) run();
    },
    get waits() {
      return waiting.length;
    },
  };
}

async function setUp() {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  const files = await openPersonalFiles({ cwd, env: { TURNWRIGHT_HOME: home } });
  const clock = handClock();
  const alive = new Set([1, 2]);
  const draftOf = (pid: number) => {
    let text = '';
    const parts = {
      files,
      clock,
      pid,
      isAlive: (each: number) => alive.has(each),
      read: () => text,
      isEmpty: () => text === '',
    };
    const kept = keepDraft(parts);
    const type = (typed: string): void => {
      text = typed;
      kept.changed();
    };
    return { ...kept, type };
  };
  return { home, clock, alive, draftOf };
}

test('the draft of a process that died is given to the next one, once', async () => {
  const { home, clock, alive, draftOf } = await setUp();
  const lost = draftOf(1);
  lost.type('half a pro');
  lost.type('half a prompt');
  expect(clock.waits).toBe(1);
  clock.tick();
  await lost.flush();
  const [name = ''] = readdirSync(`${home}/drafts`);
  expect(statSync(`${home}/drafts/${name}`).mode & 0o777).toBe(0o600);
  const next = draftOf(2);
  expect(await next.takeLeft()).toEqual([]);
  alive.delete(1);
  expect(await next.takeLeft()).toEqual(['half a prompt']);
  expect(await next.takeLeft()).toEqual([]);
});

test('what was sent or thrown away leaves nothing', async () => {
  const { home, clock, alive, draftOf } = await setUp();
  const draft = draftOf(1);
  draft.type('text');
  clock.tick();
  await draft.flush();
  draft.type('');
  await draft.flush();
  expect(readdirSync(`${home}/drafts`)).toEqual([]);
  draft.type('again');
  await draft.drop();
  alive.delete(1);
  expect(await draftOf(2).takeLeft()).toEqual([]);
  // Nothing wakes anybody up.
  expect(clock.waits).toBe(0);
});

test('secrets of a draft stay in the composer', async () => {
  const { alive, draftOf } = await setUp();
  const draft = draftOf(1);
  draft.type(`push with ghp_${'a1B2'.repeat(9)}`);
  await draft.flush();
  alive.delete(1);
  expect((await draftOf(2).takeLeft())[0]).toMatch(/^push with \[redacted: /);
});
