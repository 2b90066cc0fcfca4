import fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, it } from 'vitest';
import { toHtml, toMarkdown } from '../../../src/session/export/document-formats.js';
import {
  type DocumentItem,
  type DocumentMessage,
  type SessionDocument,
  toDocumentItems,
} from '../../../src/session/export/session-document.js';
import { hostileText } from './hostile.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = (data: string, mediaType = 'image/png') => ({
  type: 'image' as const,
  source: { type: 'base64' as const, media_type: mediaType, data },
});

let uuid = 0;
const user = (content: unknown, fields: object = {}): DocumentMessage =>
  ({
    type: 'user',
    uuid: `u${++uuid}`,
    timestamp: '2025-01-02T03:04:05Z',
    message: { role: 'user', content },
    ...fields,
  }) as never;
const assistant = (content: unknown): DocumentMessage =>
  ({ type: 'assistant', uuid: `a${++uuid}`, message: { role: 'assistant', model: 'claude-x', content } }) as never;
const call = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: unknown, isError = false) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: isError,
});

function documentOf(items: readonly DocumentItem[], title = 'A title'): SessionDocument {
  return {
    head: { sessionId: '11111111-1111-4111-8111-111111111111', title, cwd: '/work', createdAt: 0 },
    items,
    costs: [{ model: 'claude-x', inputTokens: 1_234, outputTokens: 5, costUsd: 0.5 }],
    totalCostUsd: 0.5,
    subagents: [],
  };
}

const CONVERSATION = [
  user('Look at <b>this</b>'),
  assistant([
    { type: 'thinking', thinking: 'secret thought', signature: 's' },
    { type: 'text', text: 'I **will**.\n```js\na < b\n```' },
    call('t1', 'Bash', { command: 'ls -l' }),
    call('t2', 'Read', { file_path: '/a', limit: 3 }),
    call('t3', 'Grep', { pattern: 'x' }),
  ]),
  user([result('t1', 'file.txt'), result('t2', [{ type: 'text', text: 'no such file' }], true)]),
  user('note', { isMeta: true }),
  user('what was before', { isCompactSummary: true }),
  user([image(PIXEL), { type: 'text', text: 'and this' }]),
];

describe('the document of a session', () => {
  it('has prompts, replies and calls with their results, and no thinking unless asked for', () => {
    const items = toDocumentItems(CONVERSATION, false);
    expect(items.map(({ kind, parts }) => [kind, ...parts.map((part) => part.kind)])).toEqual([
      ['prompt', 'text'],
      ['reply', 'text', 'call', 'call', 'call'],
      ['note', 'text'],
      ['summary', 'text'],
      ['prompt', 'media', 'text'],
    ]);
    expect(items[1]?.parts.slice(1)).toEqual([
      {
        kind: 'call',
        id: 't1',
        tool: 'Bash',
        input: 'ls -l',
        result: { isError: false, parts: [{ kind: 'text', text: 'file.txt' }] },
      },
      {
        kind: 'call',
        id: 't2',
        tool: 'Read',
        input: '{\n  "file_path": "/a",\n  "limit": 3\n}',
        result: { isError: true, parts: [{ kind: 'text', text: 'no such file' }] },
      },
      { kind: 'call', id: 't3', tool: 'Grep', input: 'x', result: null },
    ]);
    expect(toDocumentItems(CONVERSATION, true)[1]?.parts[0]).toEqual({ kind: 'thinking', text: 'secret thought' });
  });

  it('is made of anything', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.anything())), (values) => {
        const messages = values.map(([isUser, content]) => (isUser ? user(content) : assistant(content)));
        const document = documentOf(toDocumentItems(messages, true));
        toMarkdown(document, 100);
        toHtml(document, { maxChars: 100, maxImageChars: 100 });
      }),
    );
  });
});

describe('Markdown', () => {
  it('shows all of it', () => {
    const text = toMarkdown(documentOf(toDocumentItems(CONVERSATION, false)), 1_000);
    for (const part of [
      '# A title\n\n- Session: `11111111-1111-4111-8111-111111111111`\n- Folder: `/work`\n- Started: `1970-01-01 00:00:00 UTC`',
      '- Tokens of claude-x: `1,234 in, 5 out, $0.5000`\n- Cost: `$0.5000`',
      '## Prompt (2025-01-02 03:04:05 UTC)\n\n> Look at &lt;b>this&lt;/b>',
      '## Reply (claude-x)\n\n> I **will**.\n> ```js\n> a < b\n> ```',
      '**Call: Bash**\n\n```\nls -l\n```\n\n**Result**\n\n```\nfile.txt\n```',
      '**Failed**\n\n```\nno such file\n```',
      '**Call: Grep**\n\n```\nx\n```\n\nNo result.',
      'image: image/png, 70 bytes',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('secret');
  });

  it('says what it folds', () => {
    const items = toDocumentItems(
      [assistant([call('t', 'Bash', { command: 'x' })]), user([result('t', 'y'.repeat(5_000))])],
      false,
    );
    expect(toMarkdown(documentOf(items), 100)).toContain('[… 4900 characters left out …]');
  });

  it('has the headings of the session and no others, whatever stands in it', () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (first, second, third) => {
        const items = toDocumentItems(
          [
            user(first),
            assistant([{ type: 'text', text: second }, call('t', third, { [first]: second, a: 1 })]),
            user([result('t', third)]),
          ],
          false,
        );
        const tokens = marked.lexer(toMarkdown(documentOf(items, first), 10_000));
        const headings = tokens.filter(({ type }) => type === 'heading').length;
        expect(headings).toBe(1 + items.length);
        expect(
          tokens.every(({ type }) => ['heading', 'list', 'blockquote', 'code', 'paragraph', 'space'].includes(type)),
        ).toBe(true);
      }),
      { numRuns: 500, seed: 42 },
    );
  });
});

describe('HTML', () => {
  /** Everything the page may have between angle brackets. */
  const OWN =
    /<!doctype html>|<html lang="en">|<meta charset="utf-8">|<meta (?:http-equiv="Content-Security-Policy"|name="[a-z]+") content="[^"<>]*">|<\/?(?:html|head|body|title|style|h[1-3]|small|dl|dt|dd|section|details|summary|code|pre|p|div)>|<(?:section|details|div) class="(?:prompt|reply|note|summary|thinking|failed|text)">|<img alt="[^"<>]*" src="data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}">/g;

  it('shows all of it, and images in the page', () => {
    const html = toHtml(documentOf(toDocumentItems(CONVERSATION, true)), { maxChars: 1_000, maxImageChars: 1_000 });
    for (const part of [
      '<title>A title</title>',
      '<div class="text">Look at &lt;b&gt;this&lt;/b&gt;</div>',
      '<pre>\na &lt; b</pre>',
      '<summary>Bash <code>ls -l</code></summary>',
      '<details class="failed">',
      '<p>No result.</p>',
      '<details class="thinking">',
      `src="data:image/png;base64,${PIXEL}"`,
      "default-src 'none'",
    ]) {
      expect(html).toContain(part);
    }
    expect(html).not.toMatch(/<script|\son\w+=|https?:/);
  });

  it('shows no image that is too large, of another kind, or no base64', () => {
    const shown = (block: object, maxImageChars = 1_000) =>
      toHtml(documentOf(toDocumentItems([user([block])], false)), { maxChars: 100, maxImageChars }).includes('<img');
    expect(shown(image(PIXEL))).toBe(true);
    expect(shown(image(PIXEL), 10)).toBe(false);
    expect(shown(image(PIXEL, 'image/svg+xml'))).toBe(false);
    expect(shown(image(`${PIXEL}" onload="x`))).toBe(false);
    expect(shown({ type: 'image', source: { type: 'url', url: 'https://tracker/x.png' } })).toBe(false);
    const two = toHtml(documentOf(toDocumentItems([user([image(PIXEL), image(PIXEL)])], false)), {
      maxChars: 100,
      maxImageChars: PIXEL.length,
    });
    expect(two.match(/<img/g)?.length).toBe(1);
  });

  it('has no tags but its own, whatever stands in it', () => {
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (first, second, third) => {
        const messages = [
          user([
            { type: 'text', text: first },
            image(second, third),
            image(PIXEL, third),
            { type: 'document', title: first, source: {} },
          ]),
          assistant([
            { type: 'thinking', thinking: first },
            { type: 'text', text: second },
            call('t', third, { [first]: second }),
          ]),
          user([result('t', [{ type: 'text', text: third }], true)]),
        ];
        const document = documentOf(toDocumentItems(messages, true), first);
        const page = toHtml(
          {
            ...document,
            head: { ...document.head, cwd: second, tag: third, gitBranch: first },
            costs: [{ model: first, inputTokens: 1, outputTokens: 1, costUsd: null }],
            totalCostUsd: null,
            subagents: [{ agentId: second, items: document.items }],
          },
          { maxChars: 10_000, maxImageChars: 10_000 },
        );
        const rest = page.replace(/<style>[^<]*<\/style>/, '').replace(OWN, '');
        expect(rest).not.toMatch(/[<"']/);
        expect(rest.replace(/>/g, '')).toBe(rest);
        expect(rest).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
      }),
      { numRuns: 500, seed: 42 },
    );
  });
});
