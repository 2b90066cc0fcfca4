import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { only, type Parts, passOn, relay } from '../../src/util/relay.js';

/** What a part does: so many messages, then it returns or throws. */
interface Plan {
  readonly messages: number;
  readonly fails: boolean;
}

interface Told {
  readonly events: string[];
}

async function* part({ messages, fails }: Plan, name: string, { events }: Told): AsyncGenerator<string, string> {
  events.push(`${name} begins`);
  try {
    for (let at = 0; at < messages; at++) yield `${name}.${at}`;
    if (fails) throw new Error(name);
    return `${name} returned`;
  } finally {
    events.push(`${name} is left`);
  }
}

/** By `yield*`, as it is meant. */
async function* plain(plans: readonly Plan[], told: Told): AsyncGenerator<string, string> {
  try {
    for (const [at, plan] of plans.entries()) {
      yield `before ${at}`;
      try {
        told.events.push(yield* part(plan, String(at), told));
      } catch (error) {
        told.events.push(`caught ${(error as Error).message}`);
        if (at % 3 === 2) throw error;
      }
    }
    return 'end';
  } finally {
    told.events.push('all is left');
  }
}

/** The same in parts. */
async function* inParts(plans: readonly Plan[], told: Told): Parts<string, string> {
  try {
    for (const [at, plan] of plans.entries()) {
      yield only(`before ${at}`);
      try {
        told.events.push(yield* passOn(() => part(plan, String(at), told)));
      } catch (error) {
        told.events.push(`caught ${(error as Error).message}`);
        if (at % 3 === 2) throw error;
      }
    }
    return 'end';
  } finally {
    told.events.push('all is left');
  }
}

/** Reads at most `most` messages, then leaves. */
async function read(messages: AsyncGenerator<string, string>, told: Told, most: number): Promise<string[]> {
  const { events } = told;
  try {
    for (let count = 0; ; count++) {
      if (count === most) {
        const { done } = await messages.return('left');
        return [...events, `returned ${done}`];
      }
      const step = await messages.next();
      events.push(step.done ? `done ${step.value}` : step.value);
      if (step.done) return events;
    }
  } catch (error) {
    return [...events, `thrown ${(error as Error).message}`];
  }
}

describe('a relay', () => {
  it('passes on what the parts yield, return and throw, and an early end, as yield* does', async () => {
    const plan = fc.record({ messages: fc.nat(3), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { maxLength: 5 }), fc.nat(20), async (plans, most) => {
        const [expected, actual] = [{ events: [] }, { events: [] }];
        expect(await read(relay(inParts(plans, actual)), actual, most)).toEqual(
          await read(plain(plans, expected), expected, most),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('begins a part in the step in which its first message is asked for', async () => {
    const events: string[] = [];
    async function* parts(): Parts<number, void> {
      yield () => {
        events.push('begun');
        return [1];
      };
    }
    const messages = relay(parts());
    expect(events).toEqual([]);
    expect(await messages.next()).toEqual({ done: false, value: 1 });
    expect(events).toEqual(['begun']);
  });
});
