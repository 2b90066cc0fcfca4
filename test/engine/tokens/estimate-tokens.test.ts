import { describe, expect, it } from 'vitest';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import type { ContentBlock, MessageParam } from '../../../src/protocol/content.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';

const user = (content: unknown): MessageParam => ({ role: 'user', content }) as MessageParam;
const request = (messages: readonly MessageParam[], extra: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'm',
  system: [],
  tools: [],
  messages,
  maxTokens: 100,
  ...extra,
});

const PROSE = 'The quick reader opens every file that the task names, and writes down what each of them promises. ';
const CODE = "export function readFile(path: string): Promise<string> {\n  return host.fs.readText(path, 'utf8');\n}\n";
const JSON_TEXT = JSON.stringify({ id: 12, name: 'user', tags: ['a', 'b'], nested: { ok: true, n: 3.5 } });
const BASE64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJq8Zk3Lx0Qp7Vt2RnWs5YbHd4Gc9MfKj1UzXo6EaPl';

describe('the estimate of a text', () => {
  // Bounds are what real vocabularies make of these texts, with a quarter more to either side.
  it.each([
    ['prose', PROSE.repeat(50), 3.2, 6],
    ['source', CODE.repeat(50), 2.4, 4.6],
    ['JSON', JSON_TEXT.repeat(50), 1.5, 3.2],
    ['base64', BASE64.repeat(50), 1.1, 2.3],
    ['Chinese', '我们需要在今天完成这个项目的所有测试。'.repeat(50), 0.8, 1.6],
    ['Russian', 'Нам нужно сегодня завершить все тесты проекта. '.repeat(50), 2.2, 4.6],
    ['emoji', '😀🎉🚀✨'.repeat(50), 0.6, 1.5],
  ])('gives %s a likely number of characters per token', (_name, text, least, most) => {
    const ratio = text.length / createTokenEstimator().text(text);
    expect(ratio).toBeGreaterThan(least);
    expect(ratio).toBeLessThan(most);
  });

  it('is judged by samples if the text is long, close to the whole', () => {
    const estimator = createTokenEstimator();
    const piece = `${PROSE}${CODE}${JSON_TEXT}\n`;
    const whole = piece.repeat(Math.ceil(5_000_000 / piece.length));
    const expected = (estimator.text(piece.repeat(100)) / 100) * (whole.length / piece.length);
    expect(estimator.text(whole)).toBeGreaterThan(expected * 0.9);
    expect(estimator.text(whole)).toBeLessThan(expected * 1.1);
  });

  it('sees a dense middle of a long text', () => {
    const estimator = createTokenEstimator();
    const text = ' '.repeat(1_000_000) + BASE64.repeat(12_000) + ' '.repeat(1_000_000);
    expect(estimator.text(text)).toBeGreaterThan((BASE64.length * 12_000) / 4);
  });

  it('is 0 for nothing and at least 1 for anything', () => {
    expect(createTokenEstimator().text('')).toBe(0);
    expect(createTokenEstimator().text(' ')).toBeGreaterThanOrEqual(1);
  });
});

describe('the estimate of a request', () => {
  it('looks at each message, tool and system block once', () => {
    let reads = 0;
    const watched = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(object, key) {
          reads++;
          return Reflect.get(object, key);
        },
      });
    const estimator = createTokenEstimator();
    const whole = request([watched(user('hello')), watched(user([{ type: 'text', text: 'x' }]))], {
      system: [watched({ type: 'text' as const, text: 'be brief' })],
      tools: [watched({ name: 'Read', description: 'reads', input_schema: { type: 'object' } })],
    });
    const first = estimator.request(whole);
    const readOnce = reads;
    expect(readOnce).toBeGreaterThan(0);
    expect(estimator.request(whole)).toBe(first);
    expect(estimator.request({ ...whole, messages: [...whole.messages] })).toBe(first);
    expect(reads).toBe(readOnce);
  });

  it('is the same whatever conversation was asked about before', () => {
    const said = Array.from({ length: 8 }, (_, at) => user(PROSE.repeat(at + 1)));
    const [first, second, ...rest] = said as [MessageParam, MessageParam, ...MessageParam[]];
    const grown = said.slice(0, 3);
    const estimator = createTokenEstimator();
    const conversations = [grown, said, [first, user('another'), ...rest], [second], [], [first], [first, second]];
    for (const conversation of conversations) {
      expect(estimator.messages(conversation)).toBe(createTokenEstimator().messages(conversation));
    }
    // A list that grows is still the same list.
    estimator.messages(grown);
    grown.push(second);
    expect(estimator.messages(grown)).toBe(createTokenEstimator().messages(grown));
  });

  it('is that of the request at hand, whichever part of its frame changed', () => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } } };
    const tools = [{ name: 'Read', description: PROSE, input_schema: schema }];
    const system = [{ type: 'text' as const, text: PROSE }];
    const whole = request([], { system, tools, outputSchema: schema });
    const estimator = createTokenEstimator();
    const requests = [
      whole,
      { ...whole, tools: [] },
      whole,
      { ...whole, system: [] },
      whole,
      request([], { system, tools }),
    ];
    for (const each of requests) {
      expect(estimator.frame(each)).toBe(createTokenEstimator().frame(each));
      expect(estimator.frameAtMost(each)).toBeGreaterThanOrEqual(estimator.frame(each));
    }
  });

  it('counts system, tools, messages and schema', () => {
    const { request: estimate } = createTokenEstimator();
    const base = estimate(request([user('hello')]));
    const system = [{ type: 'text' as const, text: PROSE }];
    const tools = [{ name: 'Read', description: PROSE, input_schema: { type: 'object' as const } }];
    expect(estimate(request([user('hello')], { system }))).toBeGreaterThan(base + 15);
    expect(estimate(request([user('hello')], { tools }))).toBeGreaterThan(base + 300);
    expect(
      estimate(request([user('hello')], { outputSchema: { type: 'object', description: PROSE } })),
    ).toBeGreaterThan(base + 15);
  });

  it('gives media a price by kind, not by the length of its base64', () => {
    const { block } = createTokenEstimator();
    const media = (type: string, mediaType: string, length: number) =>
      ({ type, source: { type: 'base64', media_type: mediaType, data: 'A'.repeat(length) } }) as ContentBlock;
    expect(block(media('image', 'image/png', 5_000_000))).toBe(block(media('image', 'image/png', 1_000)));
    expect(block(media('image', 'image/png', 5_000_000))).toBeLessThan(2_000);
    expect(block(media('document', 'application/pdf', 1_000))).toBeLessThan(4_000);
    expect(block(media('document', 'application/pdf', 1_000_000))).toBeGreaterThan(20_000);
    expect(block(media('document', 'application/pdf', 40_000_000))).toBeLessThan(350_000);
    expect(block({ type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } })).toBeGreaterThan(
      1_000,
    );
  });

  it('takes withheld thinking by its signature', () => {
    const { block } = createTokenEstimator();
    expect(block({ type: 'thinking', thinking: '', signature: 'x'.repeat(5_000) })).toBeGreaterThan(900);
  });

  it('has an upper bound above the estimate', () => {
    const estimator = createTokenEstimator();
    const whole = request([user(PROSE.repeat(100))]);
    expect(estimator.upperBound(whole)).toBeGreaterThanOrEqual(estimator.request(whole) * 1.29);
  });

  it('survives what a damaged history holds', () => {
    const deep: unknown[] = [];
    let inner: unknown[] = deep;
    for (let depth = 0; depth < 50_000; depth++) {
      const next: unknown[] = [];
      inner.push(next);
      inner = next;
    }
    const odd = [
      null,
      7,
      {},
      { type: 'text' },
      { type: 'image' },
      { type: 'document' },
      { type: 'tool_result' },
      { type: 'tool_use', input: deep },
      { type: 'thinking' },
    ];
    const estimator = createTokenEstimator();
    for (const content of [undefined, null, 7, {}, odd]) {
      expect(Number.isFinite(estimator.request(request([user(content)])))).toBe(true);
    }
  });
});

describe('calibration', () => {
  const whole = request([user(PROSE.repeat(100))]);

  it('moves the estimate to the real count, then half way to each later one', () => {
    const estimator = createTokenEstimator();
    const raw = estimator.request(whole);
    estimator.calibrate(whole, raw * 1.2);
    expect(estimator.request(whole) / raw).toBeCloseTo(1.2, 2);
    estimator.calibrate(whole, raw);
    expect(estimator.request(whole) / raw).toBeCloseTo(1.1, 2);
    expect(estimator.text(PROSE)).toBeGreaterThan(createTokenEstimator().text(PROSE));
  });

  it('stays within its bounds', () => {
    const estimator = createTokenEstimator();
    const raw = estimator.request(whole);
    for (let time = 0; time < 10; time++) estimator.calibrate(whole, raw * 100);
    const most = estimator.request(whole);
    expect(most).toBeLessThanOrEqual(raw * 2);
    for (let time = 0; time < 30; time++) estimator.calibrate(whole, 1);
    expect(most / estimator.request(whole)).toBeCloseTo(4, 1);
  });

  it('ignores counts that say nothing', () => {
    const estimator = createTokenEstimator();
    const raw = estimator.request(whole);
    for (const actual of [0, -5, Number.NaN, Number.POSITIVE_INFINITY]) estimator.calibrate(whole, actual);
    estimator.calibrate(request([user('short')]), 900);
    expect(estimator.request(whole)).toBe(raw);
  });
});

describe('what a request holds beside its messages, for little work', () => {
  it.each([
    ['prose', PROSE],
    ['source', CODE],
    ['JSON', JSON_TEXT],
    ['base64', BASE64],
    ['Chinese', '我们需要在今天完成这个项目的所有测试。'],
    ['emoji', '😀🎉🚀✨'],
    ['line breaks', '\n\n\n\n'],
    ['signs', '{}[]();:,.'],
  ])('is never less than the estimate: %s', (_name, text) => {
    const parts = request([], {
      system: [{ type: 'text', text: text.repeat(20) }],
      tools: [
        { name: 't', description: text.repeat(20), input_schema: { type: 'object', enum: [1, [], {}, [[]], text] } },
      ],
      outputSchema: { type: 'object', properties: { [text]: { type: 'string' } } },
    });
    const estimator = createTokenEstimator();
    const rough = estimator.frameAtMost(parts);
    const exact = estimator.frame(parts);
    expect(rough).toBeGreaterThanOrEqual(exact);
    expect(estimator.frameAtMost(parts)).toBe(exact);
  });
});
