import { describe, expect, it } from 'vitest';
import { ONE_PIXEL_PNG } from '../../../src/testing/wire/wire-blocks.js';
import { validateModelRequest, validateWireRequest } from '../../../src/testing/wire/wire-validator.js';
import { WIRE_VIOLATION_CODES, type WireViolationCode } from '../../../src/testing/wire/wire-violation.js';
import { gifBytes, jpegBytes, pdfBytes, pngBytes, webpBytes } from '../../support/media.js';
import { ask, modelRequest, READ_TOOL, wireBody } from '../support.js';

const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const t = (text: string, more: object = {}) => ({ type: 'text', text, ...more });
const call = (id = 'toolu_1', more: object = {}) => ({ type: 'tool_use', id, name: 'Read', input: {}, ...more });
const result = (id = 'toolu_1', more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'ok',
  ...more,
});
const think = (thinking = 'hm', signature: unknown = 'sig') => ({ type: 'thinking', thinking, signature });
const image = (source: object = {}) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: ONE_PIXEL_PNG, ...source },
});
const cached = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) } });
const thinkingOn = { thinking: { type: 'enabled', budget_tokens: 1024 } };
const tool = (more: object) => ({ tools: [{ ...READ_TOOL, ...more }] });
const round = (one: unknown, two: unknown) => wireBody([user(t('go')), assistant(one), user(two)]);

const png = (width: number, height: number) => pngBytes(width, height).toString('base64');
const pdf = (...shape: Parameters<typeof pdfBytes>) => ({
  type: 'base64',
  media_type: 'application/pdf',
  data: pdfBytes(...shape).toString('base64'),
});

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

const plain = wireBody([user(t('hi'))]);
const paired = round(call(), result());
const prefilled = wireBody([user(t('go')), assistant(t('So'))]);
const withDocument = (source: object) => wireBody([user({ type: 'document', source })]);

const OPEN_SCHEMA = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
const withSchema = (changes: object) =>
  wireBody([user(t('hi'))], {
    output_config: { format: { type: 'json_schema', schema: { ...OPEN_SCHEMA, ...changes } } },
  });

/** Per code: a body that keeps the rule and one that breaks it. */
const TABLE: Record<
  Exclude<WireViolationCode, 'thinking_changed' | 'prefix_changed'>,
  [good: unknown, bad: unknown]
> = {
  body_invalid: [plain, [plain]],
  body_too_large: [wireBody([user(t('x'.repeat(30_000_000)))]), wireBody([user(t('x'.repeat(34_000_000)))])],
  not_json: [plain, wireBody([user(t('hi'))], { temperature: Number.NaN })],
  nesting_too_deep: [
    round(call('a', { input: nested(900) }), result('a')),
    round(call('a', { input: nested(2000) }), result('a')),
  ],
  lone_surrogate: [wireBody([user(t('\u{1f600}'))]), wireBody([user(t('a\ud83d'))])],
  unknown_field: [plain, wireBody([user(t('hi', { uuid: '1' }))])],
  field_invalid: [wireBody([user(t('hi'))], { temperature: 1 }), wireBody([user(t('hi'))], { temperature: 2 })],
  model_invalid: [plain, wireBody([user(t('hi'))], { model: '' })],
  stream_invalid: [plain, wireBody([user(t('hi'))], { stream: 'yes' })],
  max_tokens_invalid: [plain, wireBody([user(t('hi'))], { max_tokens: 0 })],
  thinking_config_invalid: [
    wireBody([user(t('hi'))], { thinking: { type: 'adaptive' } }),
    wireBody([user(t('hi'))], { thinking: { type: 'on' } }),
  ],
  thinking_budget_invalid: [
    wireBody([user(t('hi'))], thinkingOn),
    wireBody([user(t('hi'))], { ...thinkingOn, max_tokens: 1024 }),
  ],
  system_invalid: [
    wireBody([user(t('hi'))], { system: [t('be brief')] }),
    wireBody([user(t('hi'))], { system: [image()] }),
  ],
  tool_invalid: [plain, wireBody([user(t('hi'))], tool({ type: 'web_search' }))],
  tool_name_invalid: [
    wireBody([user(t('hi'))], tool({ name: 'mcp__a-b__c' })),
    wireBody([user(t('hi'))], tool({ name: 'a.b' })),
  ],
  tool_name_duplicate: [plain, wireBody([user(t('hi'))], { tools: [READ_TOOL, READ_TOOL] })],
  tool_schema_invalid: [plain, wireBody([user(t('hi'))], tool({ input_schema: { type: 'object', anyOf: [] } }))],
  tool_choice_invalid: [
    wireBody([user(t('hi'))], { tool_choice: { type: 'tool', name: 'Read' } }),
    wireBody([user(t('hi'))], { tool_choice: { type: 'tool', name: 'Bash' } }),
  ],
  messages_empty: [plain, wireBody([])],
  role_invalid: [plain, wireBody([{ role: 'system', content: 'x' }])],
  role_order: [prefilled, wireBody([user(t('a')), user(t('b'))])],
  content_invalid: [wireBody([{ role: 'user', content: 'text' }]), wireBody([{ role: 'user', content: 7 }])],
  content_empty: [plain, wireBody([user()])],
  block_unknown: [plain, wireBody([user({ type: 'video' })])],
  block_role: [paired, wireBody([user(think())])],
  text_invalid: [plain, wireBody([user({ type: 'text', text: 7 })])],
  text_empty: [round(call(), result('toolu_1', { content: '' })), wireBody([user(t(''))])],
  text_blank: [wireBody([user(t(' a '))]), wireBody([user(t(' \n\u00a0'))])],
  tool_use_invalid: [paired, round(call('toolu_1', { input: '{}' }), result())],
  tool_use_duplicate: [
    round(call('a'), result('a')),
    wireBody([user(t('go')), assistant(call()), user(result()), assistant(call()), user(result())]),
  ],
  tool_result_invalid: [paired, round(call(), result('toolu_1', { is_error: 'no' }))],
  tool_result_missing: [paired, round(call(), t('never mind'))],
  tool_result_orphan: [paired, wireBody([user(result())])],
  tool_result_duplicate: [paired, wireBody([user(t('go')), assistant(call()), user(result(), result())])],
  tool_result_order: [
    wireBody([user(t('go')), assistant(call()), user(result(), t('and'))]),
    wireBody([user(t('go')), assistant(call()), user(t('and'), result())]),
  ],
  tool_result_content: [
    round(call(), result('toolu_1', { content: [image()] })),
    round(call(), result('toolu_1', { content: [image()], is_error: true })),
  ],
  thinking_invalid: [
    wireBody([user(t('go')), assistant({ type: 'redacted_thinking', data: 'x' }, call()), user(result())]),
    wireBody([user(t('go')), assistant({ type: 'redacted_thinking' }, call()), user(result())]),
  ],
  thinking_unsigned: [
    wireBody([user(t('go')), assistant(think('a\ud83d'), t('x')), user(t('go on'))]),
    wireBody([user(t('go')), assistant(think('a', null), t('x')), user(t('go on'))]),
  ],
  thinking_order: [
    wireBody([user(t('go')), assistant(think(), t('x')), user(t('go on'))]),
    wireBody([user(t('go')), assistant(t('x'), think(), t('y')), user(t('go on'))]),
  ],
  thinking_last: [
    wireBody([user(t('go')), assistant(think(), t('x')), user(t('go on'))]),
    wireBody([user(t('go')), assistant(think()), user(t('go on'))]),
  ],
  thinking_missing: [
    wireBody([user(t('go')), assistant(think(), call()), user(result())], thinkingOn),
    wireBody([user(t('go')), assistant(call()), user(result())], thinkingOn),
  ],
  cache_control_invalid: [wireBody([user(t('hi', cached()))]), wireBody([user(t('hi', cached('2h')))])],
  cache_control_target: [
    wireBody([user(t('go')), assistant(think(), t('x', cached())), user(t('go on'))]),
    wireBody([user(t('go')), assistant({ ...think(), ...cached() }, t('x')), user(t('go on'))]),
  ],
  cache_control_order: [
    wireBody([user(t('a', cached('1h')), t('b', cached()))]),
    wireBody([user(t('a', cached()), t('b', cached('1h')))]),
  ],
  cache_control_excess: [
    wireBody([user(t('a', cached()), t('b', cached()), t('c', cached()), t('d', cached()))]),
    wireBody([user(t('a', cached()), t('b', cached()), t('c', cached()), t('d', cached()))], tool(cached())),
  ],
  output_schema_invalid: [withSchema({}), withSchema({ additionalProperties: true })],
  image_invalid: [wireBody([user(image())]), wireBody([user(image({ data: 'a b=' }))])],
  image_type_mismatch: [wireBody([user(image())]), wireBody([user(image({ media_type: 'image/jpeg' }))])],
  image_unreadable: [wireBody([user(image())]), wireBody([user(image({ data: 'AAAA' }))])],
  image_too_large: [
    wireBody([user(image({ data: pngBytes(1, 1, 4_500_000).toString('base64') }))]),
    wireBody([user(image({ data: pngBytes(1, 1, 6_000_000).toString('base64') }))]),
  ],
  image_dimensions: [
    wireBody([user(image({ data: png(8000, 10) }))]),
    wireBody([user(image({ data: png(10, 8001) }))]),
  ],
  image_excess: [
    wireBody([user(...Array.from({ length: 100 }, () => image()))]),
    wireBody([user(...Array.from({ length: 101 }, () => image()))]),
  ],
  document_invalid: [withDocument(pdf(1)), withDocument({ type: 'base64', media_type: 'text/html', data: 'AAAA' })],
  document_encrypted: [withDocument(pdf(1)), withDocument(pdf(1, { encrypted: true }))],
  document_pages: [
    wireBody([user({ type: 'document', source: pdf(60) }, { type: 'document', source: pdf(40) })]),
    wireBody([user({ type: 'document', source: pdf(60) }, { type: 'document', source: pdf(41) })]),
  ],
  prefill_whitespace: [prefilled, wireBody([user(t('go')), assistant(t('So '))])],
  prefill_forbidden: [prefilled, wireBody([user(t('go')), assistant(t('So'))], { thinking: { type: 'adaptive' } })],
};

describe('validateWireRequest', () => {
  it.each(Object.entries(TABLE))('%s: takes the good body, reports the bad one', (code, [good, bad]) => {
    expect(validateWireRequest(good)).toEqual([]);
    expect(validateWireRequest(bad).map((violation) => violation.code)).toContain(code);
  });

  it('has a row for every code that one request can break', () => {
    const acrossRequests = ['thinking_changed', 'prefix_changed'];
    expect([...Object.keys(TABLE), ...acrossRequests].sort()).toEqual([...WIRE_VIOLATION_CODES].sort());
  });

  it('names the place as the API does', () => {
    const body = wireBody([user(t('go')), assistant(call('a')), user(result('a', { content: [t('x'), t('')] }))]);
    expect(validateWireRequest(body)).toEqual([
      {
        code: 'text_empty',
        path: 'messages.2.content.0.content.1.text',
        detail: 'Text content blocks must be non-empty',
      },
    ]);
  });

  it.each([
    [undefined],
    [null],
    [7],
    ['text'],
    [[]],
    [{}],
    [{ messages: [null, 1, [], { role: 'user', content: [null, 'x'] }] }],
  ])('never throws and always objects to %j', (body) => {
    expect(validateWireRequest(body).length).toBeGreaterThan(0);
  });

  it('survives a cyclic body', () => {
    const body = wireBody([user(t('hi'))]);
    body['metadata'] = { self: body };
    expect(validateWireRequest(body).map((violation) => violation.code)).toContain('nesting_too_deep');
  });

  it('lowers the longest image side once there are more than 20 images', () => {
    const wide = () => image({ data: png(2500, 10) });
    const bodyOf = (count: number) => wireBody([user(...Array.from({ length: count }, wide))]);
    expect(validateWireRequest(bodyOf(20))).toEqual([]);
    expect(validateWireRequest(bodyOf(21)).map((violation) => violation.code)).toContain('image_dimensions');
  });

  it.each([
    ['gif', 'image/gif', gifBytes(9001, 1)],
    ['jpeg', 'image/jpeg', jpegBytes(1, 9001)],
    ['webp', 'image/webp', webpBytes(9001, 1)],
  ])('reads the dimensions of a %s', (_name, mediaType, bytes) => {
    const found = validateWireRequest(
      wireBody([user(image({ media_type: mediaType, data: bytes.toString('base64') }))]),
    );
    expect(found.map(({ code, detail }) => [code, detail.slice(0, 4)])).toEqual([['image_dimensions', '9001']]);
  });

  it.each([
    ['image/png', pngBytes(10, 10)],
    ['image/gif', gifBytes(10, 10)],
    ['image/jpeg', jpegBytes(10, 10)],
    ['image/webp', webpBytes(10, 10)],
  ])('refuses an %s that was cut', (mediaType, bytes) => {
    const sent = (data: Buffer) =>
      validateWireRequest(wireBody([user(image({ media_type: mediaType, data: data.toString('base64') }))]));
    expect(sent(bytes)).toEqual([]);
    expect(sent(bytes.subarray(0, -10)).map(({ code }) => code)).toEqual(['image_unreadable']);
  });

  it.each([
    ['a keyword that is not known', { properties: { n: { type: 'integer', minimum: 1 } } }, '.properties.n.minimum'],
    ['several types', { properties: { n: { type: ['integer', 'null'] } } }, '.properties.n.type'],
    [
      'an open object inside',
      { properties: { n: { type: 'object', properties: {} } } },
      '.properties.n.additionalProperties',
    ],
    [
      'two items at least',
      { properties: { n: { type: 'array', items: { type: 'null' }, minItems: 2 } } },
      '.properties.n.minItems',
    ],
    ['a reference that leads nowhere', { properties: { n: { $ref: '#/$defs/gone' } } }, '.properties.n.$ref'],
    [
      'a schema that holds itself',
      { properties: { n: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } },
      '.properties.n.items.$ref',
    ],
    [
      'more than 24 optional properties',
      { properties: Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`p${n}`, { type: 'null' }])) },
      '',
    ],
  ])('refuses an output schema with %s', (_name, changes, place) => {
    const found = validateWireRequest(withSchema(changes));
    expect(found.map(({ code }) => code)).toContain('output_schema_invalid');
    expect(found.map(({ path }) => path)).toContain(`output_config.format.schema${place}`);
  });

  it('asks for the thinking of the running turn only', () => {
    const over = [user(t('go')), assistant(call('a')), user(result('a')), assistant(t('done')), user(t('next'))];
    expect(validateWireRequest(wireBody(over, thinkingOn))).toEqual([]);
    const later = [
      user(t('go')),
      assistant(think(), call('a')),
      user(result('a')),
      assistant(call('b')),
      user(result('b')),
    ];
    expect(validateWireRequest(wireBody(later, thinkingOn))).toEqual([]);
  });

  it('takes the size of the body from the caller', () => {
    expect(validateWireRequest(plain, { bytes: 33 * 1024 * 1024 + 1 }).map(({ code }) => code)).toEqual([
      'body_too_large',
    ]);
  });
});

describe('validateModelRequest', () => {
  it('takes a valid request with every option', () => {
    const request = modelRequest([ask('hi')], {
      thinking: { type: 'enabled', budgetTokens: 2000 },
      effort: 'high',
      outputSchema: OPEN_SCHEMA,
    });
    expect(validateModelRequest(request)).toEqual([]);
  });

  it('applies the same rules', () => {
    const request = modelRequest([ask('')], { maxTokens: 1000, thinking: { type: 'enabled', budgetTokens: 2000 } });
    expect(
      validateModelRequest(request)
        .map(({ code }) => code)
        .sort(),
    ).toEqual(['text_empty', 'thinking_budget_invalid']);
  });
});
