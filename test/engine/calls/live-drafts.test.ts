import { describe, expect, it } from 'vitest';
import { createLiveDrafts } from '../../../src/engine/calls/call-deps.js';
import type { Draft } from '../../../src/engine/state/loop-state.js';

const draft = (content: string): Draft => ({ type: 'system', subtype: 'local_command_output', content });
const contentOf = (one: Draft) => ('content' in one ? one.content : one.type);

describe('live drafts', () => {
  it('come one by one until the work is done, and each is waited for', async () => {
    const live = createLiveDrafts();
    const steps: string[] = [];
    const work = (async () => {
      for (const name of ['a', 'b']) {
        await live.show(draft(name));
        steps.push(`shown ${name}`);
      }
      return 7;
    })();
    const showing = live.until(work);
    const first = await showing.next();
    expect(contentOf(first.value as Draft)).toBe('a');
    expect(steps).toEqual([]);
    const second = await showing.next();
    expect(contentOf(second.value as Draft)).toBe('b');
    expect(steps).toEqual(['shown a']);
    expect(await showing.next()).toEqual({ done: true, value: 7 });
  });

  it('of work that is not waited for come too: several calls show beside each other', async () => {
    const live = createLiveDrafts();
    const other = live.show(draft('other')).then(() => live.show(draft('more')));
    const shown: unknown[] = [];
    const showing = live.until(other.then(() => 2));
    for (let step = await showing.next(); !step.done; step = await showing.next()) shown.push(contentOf(step.value));
    expect(shown).toEqual(['other', 'more']);
  });

  it('hold nobody up once nobody listens', async () => {
    const live = createLiveDrafts();
    const waiting = live.show(draft('a'));
    live.close();
    await waiting;
    await live.show(draft('b'));
  });

  it('let go of who shows if the reader leaves in the middle', async () => {
    const live = createLiveDrafts();
    const shown = live.show(draft('a'));
    const showing = live.until(new Promise<never>(() => undefined));
    await showing.next();
    await showing.return(undefined as never);
    await shown;
  });
});
