import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { only, type Parts, relay, tellEach } from '../../src/util/relay.js';

/** What a part does: so many messages, then it returns or throws. It may be a list, and may not let itself be left at once. */
interface Plan {
  readonly messages: number;
  readonly fails: boolean;
  readonly isList: boolean;
  readonly lingers: boolean;
}

interface Told {
  readonly events: string[];
}

function* listed({ messages, fails, lingers }: Plan, name: string, { events }: Told): Generator<string, string> {
  events.push(`${name} begins`);
  try {
    for (let at = 0; at < messages; at++) yield `${name}.${at}`;
    if (fails) throw new Error(name);
    return `${name} returned`;
  } finally {
    events.push(`${name} is left`);
    if (lingers) yield `${name} lingers`;
  }
}

async function* part(plan: Plan, name: string, told: Told): AsyncGenerator<string, string> {
  return yield* listed(plan, name, told);
}

const begun = (plan: Plan, name: string, told: Told) => (plan.isList ? listed : part)(plan, name, told);

/** By `yield*`, as it is meant. */
async function* plain(plans: readonly Plan[], told: Told): AsyncGenerator<string, string> {
  try {
    for (const [at, plan] of plans.entries()) {
      yield `before ${at}`;
      try {
        told.events.push(yield* begun(plan, String(at), told));
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
        told.events.push((yield () => begun(plan, String(at), told)) as string);
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

type Request = 'next' | 'return' | 'throw';

/** What each request comes to, and apart from it what happened inside. Requests of one step are made at once. */
async function ask(messages: AsyncGenerator<string, string>, told: Told, steps: readonly (readonly Request[])[]) {
  const answers: string[] = [];
  for (const requests of steps) {
    const asked = requests.map((request) =>
      request === 'next'
        ? messages.next()
        : request === 'return'
          ? messages.return('left')
          : messages.throw(new Error('T')),
    );
    for (const answer of asked) {
      const said = await answer.then(
        ({ done, value }) => `${done ? 'done' : 'told'} ${value}`,
        (error: Error) => `thrown ${error.message}`,
      );
      answers.push(said);
    }
  }
  return { answers, inside: told.events };
}

describe('a relay', () => {
  it('answers each request as yield* does: messages, what parts return and throw, and a reader who leaves or throws', async () => {
    const plan = fc.record({ messages: fc.nat(3), fails: fc.boolean(), isList: fc.boolean(), lingers: fc.boolean() });
    const request = fc.constantFrom<Request>('next', 'next', 'next', 'next', 'next', 'next', 'return', 'throw');
    const one = fc.array(request, { minLength: 1, maxLength: 1 });
    const steps = fc.array(fc.oneof({ weight: 4, arbitrary: one }, fc.array(request, { maxLength: 3 })), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { maxLength: 4 }), steps, async (plans, requests) => {
        const [expected, actual] = [{ events: [] }, { events: [] }];
        expect(await ask(relay(inParts(plans, actual)), actual, requests)).toEqual(
          await ask(plain(plans, expected), expected, requests),
        );
      }),
      { numRuns: 600 },
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

/** What becomes of a step: so many messages, or an error; and a source that fails at one of them. */
type Step = number | 'throws';

async function* stepsOf(count: number, fails: boolean, { events }: Told): AsyncGenerator<number, void> {
  try {
    for (let at = 0; at < count; at++) yield at;
    if (fails) throw new Error('source');
  } finally {
    events.push('the source is left');
  }
}

/** As it is meant. */
async function* toldPlainly(steps: readonly Step[], fails: boolean, told: Told): AsyncGenerator<string, string> {
  for await (const at of stepsOf(steps.length, fails, told)) {
    const step = steps[at] ?? 0;
    if (step === 'throws') throw new Error(`step ${at}`);
    for (let message = 0; message < step; message++) yield `${at}.${message}`;
  }
  return 'end';
}

function toldEach(steps: readonly Step[], fails: boolean, told: Told): AsyncGenerator<string, string> {
  const source = stepsOf(steps.length, fails, told);
  return tellEach<IteratorResult<number>, string, string>({
    ask: () => source.next(),
    tell(asked, further) {
      if (asked.done) return { value: 'end', done: true };
      const step = steps[asked.value] ?? 0;
      if (step === 'throws') throw new Error(`step ${asked.value}`);
      for (let message = 1; message < step; message++) further.push(`${asked.value}.${message}`);
      return step === 0 ? null : { value: `${asked.value}.0`, done: false };
    },
    leave: () => source.return(),
  });
}

describe('what is told of each step', () => {
  it('ends if its source fails, though that never lets itself be left', async () => {
    let isLeft = false;
    const told = tellEach<null, string, string>({
      ask: () => Promise.reject(new Error('gone')),
      tell: () => null,
      leave: () => {
        isLeft = true;
        return new Promise(() => undefined);
      },
    });
    await expect(told.next()).rejects.toThrow('gone');
    expect([await told.next(), isLeft]).toEqual([{ value: undefined, done: true }, false]);
  });

  it('is what a generator yields in a loop: no message, one, several, the end, errors, and a reader who leaves', async () => {
    const step = fc.constantFrom<Step>(0, 0, 1, 1, 1, 2, 3, 'throws');
    const request = fc.constantFrom<Request>('next', 'next', 'next', 'next', 'next', 'next', 'return', 'throw');
    const requests = fc.array(fc.tuple(request), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.boolean(), requests, async (steps, fails, asked) => {
        const [expected, actual] = [{ events: [] }, { events: [] }];
        expect(await ask(toldEach(steps, fails, actual), actual, asked)).toEqual(
          await ask(toldPlainly(steps, fails, expected), expected, asked),
        );
      }),
      { numRuns: 600 },
    );
  });
});
