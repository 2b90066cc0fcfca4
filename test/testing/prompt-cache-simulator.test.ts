// The simulated prompt cache keeps the rules that the Messages API has for its own.
import { describe, expect, it } from 'vitest';
import { createPromptCache, type PromptCacheRules } from '../support/prompt-cache/simulator.js';

const LONG = 'word '.repeat(1_000);
const mark = { cache_control: { type: 'ephemeral' } };
const block = (text: string, isMarked = false) => ({ type: 'text', text, ...(isMarked ? mark : {}) });
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const base = (messages: readonly unknown[], more: object = {}) => ({
  model: 'm',
  system: [block(`rules ${LONG}`, true)],
  messages,
  ...more,
});

function start(rules: Partial<PromptCacheRules> = {}) {
  let now = 0;
  const cache = createPromptCache({ now: () => now, ...rules });
  return {
    pass: (ms: number) => {
      now += ms;
    },
    ask(body: Record<string, unknown>, isAnswered = true) {
      const { reading, answered } = cache.ask(body, null);
      if (isAnswered) answered();
      return reading;
    },
  };
}

describe('the simulated prompt cache', () => {
  it('finds what a breakpoint wrote, up to it and no further', () => {
    const { ask } = start();
    const first = ask(base([user(block(LONG, true))]));
    expect(first).toMatchObject({ cached: 0, possible: 0, before: 0 });
    const second = ask(base([user(block(LONG)), assistant(block('yes')), user(block('more', true))]));
    expect(second).toMatchObject({ cached: first.input, possible: first.input, breaks: [] });
  });

  it('has nothing of a request that was never answered', () => {
    const { ask } = start();
    ask(base([user(block(LONG, true))]), false);
    expect(ask(base([user(block(LONG, true))]))).toMatchObject({ cached: 0, possible: 0 });
  });

  it('looks at twenty blocks before a breakpoint, its own included', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => block(`call ${at}`));
    for (const [count, isFound] of [
      [18, true],
      [19, false],
    ] as const) {
      const { ask } = start();
      ask(base([user(block(LONG, true))]));
      const reading = ask(base([user(block(LONG)), assistant(...many(count)), user(block('x', true))]));
      expect(reading.cached === reading.possible).toBe(isFound);
      expect(reading.breaks).toEqual(isFound ? [] : ['look_back']);
    }
  });

  it('keeps no prefix that is too short, and forgets after five minutes without use', () => {
    const short = start();
    const body = { model: 'm', messages: [user(block('hello', true))] };
    short.ask(body);
    expect(short.ask(body)).toMatchObject({ cached: 0, possible: 0 });
    const { ask, pass } = start();
    ask(base([user(block(LONG, true))]));
    for (const [minutes, isKept] of [
      [4, true],
      [4, true],
      [6, false],
    ] as const) {
      pass(minutes * 60_000);
      const reading = ask(base([user(block(LONG, true))]));
      expect(reading.cached > 0).toBe(isKept);
      expect(reading.breaks).toEqual(isKept ? [] : ['expired']);
    }
  });

  it.each([
    ['model', { model: 'other' }, 0],
    ['system', { system: [block(`other ${LONG}`, true)] }, 0],
    ['output_format', { output_config: { format: { type: 'json_schema' } } }, 0],
    ['thinking', { thinking: { type: 'adaptive' } }, 1],
    ['tool_choice', { tool_choice: { type: 'none' } }, 1],
  ])('breaks by another %s', (cause, change, systemIsKept) => {
    const { ask } = start();
    ask(base([user(block(LONG, true))]));
    const reading = ask(base([user(block(LONG)), assistant(block('y')), user(block('x', true))], change));
    expect(reading.breaks).toEqual([cause]);
    expect(reading.cached > 0).toBe(systemIsKept === 1);
    expect(reading.cached).toBeLessThan(reading.before);
  });

  it('names the first character that differs', () => {
    const { ask } = start();
    ask(base([user(block(LONG)), assistant(block('one')), user(block('two', true))]));
    const reading = ask(base([user(block(LONG)), assistant(block('ono')), user(block('two', true))]));
    expect(reading.breaks).toEqual(['unexplained']);
    expect(reading.difference).toEqual({ path: 'messages.1.content.0', at: JSON.stringify(block('on')).length - 2 });
  });
});
