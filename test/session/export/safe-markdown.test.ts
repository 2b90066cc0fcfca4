import fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, it } from 'vitest';
import {
  codeBlock,
  codeInline,
  plainInline,
  quoted,
  safeMarkdown,
} from '../../../src/session/export/document-formats.js';
import { fold, splitCode, visible } from '../../../src/session/export/safe-text.js';
import { hostileText } from './hostile.js';

const render = (markdown: string) => marked.parse(markdown, { async: false, gfm: true }) as string;

/** Every tag of the page. What Markdown itself writes has these names, and links these addresses. */
function foreignTags(html: string): string[] {
  const own =
    /^<\/?(?:p|blockquote|h[1-6]|ul|ol(?: start="\d+")?|li|em|strong|del|hr|br|table|thead|tbody|tr|t[hd](?: align="(?:left|right|center)")?|pre|code(?: class="language-[^"<>]*")?|input (?:checked="" )?disabled="" type="checkbox"|a(?: href="(?:https?:\/\/|mailto:)[^"<>]*"(?: title="[^"<>]*")?)?)>$/;
  return (html.match(/<[^>]*>?/g) ?? []).filter((tag) => !own.test(tag));
}

describe('Markdown of others', () => {
  it('keeps its look', () => {
    const markdown = [
      '# Title',
      'Some **bold** and `code <b>` and a [link](https://ok.example).',
      '- one',
      '- two \\* three',
      '```js',
      'if (a < b) `x`;',
      '```',
      'a < b',
    ].join('\n');
    const html = render(safeMarkdown(markdown));
    expect(html).toContain('<h1>Title</h1>');
    expect(html).toContain('<strong>bold</strong> and <code>code &lt;b&gt;</code>');
    expect(html).toContain('<a href="https://ok.example">link</a>');
    expect(html).toContain('<li>one</li>');
    expect(html).toContain('<li>two * three</li>');
    expect(html).toContain('<code class="language-js">if (a &lt; b) `x`;');
    expect(html).toContain('a &lt; b');
  });

  it.each([
    ['HTML', '<script>alert(1)</script>', '&lt;script>'],
    ['escaped HTML', 'a \\<b>', 'a &lt;b>'],
    ['image', '![a](http://tracker/x.png)', '&#33;[a](http://tracker/x.png)'],
    ['escaped image', '\\![a](http://tracker/x.png)', '&#33;[a](http://tracker/x.png)'],
    ['link that is not a page', '[a](javascript:x)', '[a]&#40;javascript:x)'],
    ['definition', '[a]: javascript:x', '[a&#93;: javascript:x'],
    ['backtick alone', 'it`s', 'it&#96;s'],
    ['code that a table would split', '`a | <b>`', '&#96;a | &lt;b>&#96;'],
  ])('has no %s', (_name, text, expected) => {
    expect(safeMarkdown(text)).toContain(expected);
    expect(foreignTags(render(safeMarkdown(text)))).toEqual([]);
  });

  it('brings no HTML, no image and no other link into a page, whatever it is', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(foreignTags(render(safeMarkdown(text)))).toEqual([]);
        expect(foreignTags(render(quoted(text)))).toEqual([]);
      }),
      { numRuns: 3_000, seed: 42 },
    );
  });

  it('cannot leave its quote, whatever it is', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const tokens = marked.lexer(`# before\n\n${quoted(text)}\n\n## after\n`).filter(({ type }) => type !== 'space');
        expect([tokens[0]?.type, tokens.at(-1)?.type]).toEqual(['heading', 'heading']);
        expect(tokens.slice(1, -1).every(({ type }) => type === 'blockquote')).toBe(true);
      }),
      { numRuns: 1_000, seed: 42 },
    );
  });
});

describe('code and headings', () => {
  it('hold whatever is put into them', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = visible(text);
        const [block, after] = marked.lexer(`${codeBlock(shown)}\n\nafter\n`).filter(({ type }) => type !== 'space');
        // This reader of Markdown makes spaces of tabs.
        const spaces = (value: unknown) => String(value).replaceAll('\t', '    ');
        expect([block?.type, spaces(block && 'text' in block && block.text)]).toEqual(['code', spaces(shown)]);
        expect(after).toMatchObject({ type: 'paragraph', text: 'after' });
        for (const inline of [plainInline(text), codeInline(text)]) {
          const html = render(`# a ${inline} b`);
          expect(foreignTags(html)).toEqual([]);
          expect(html.match(/<h1>/g)?.length).toBe(1);
          expect(inline).not.toContain('\n');
        }
      }),
      { numRuns: 1_000, seed: 42 },
    );
  });
});

describe('text', () => {
  it('shows what is hidden', () => {
    expect(visible('a\r\nb\rc\td\0\x1b[1m\u202e\ud800\u{e0041}é')).toBe(
      'a\nb\nc\td\\x00\\x1b[1m\\u202e\\ud800\\u{e0041}é',
    );
  });

  it('is folded with a word about it, never inside a character', () => {
    expect(fold('short', 10)).toBe('short');
    expect(fold('0123456789abcdefghij', 8)).toBe('012345\n[… 12 characters left out …]\nij');
    const smiles = '\u{1f600}'.repeat(20);
    for (const limit of [1, 2, 3, 4, 5, 9]) expect(fold(smiles, limit)).not.toMatch(/\p{Cs}/u);
  });

  it('is split where its code begins and ends', () => {
    expect(splitCode('a\n```js\nb\n```\nc\n~~~\nd\n```\n')).toEqual([
      { kind: 'text', text: 'a', language: '' },
      { kind: 'code', text: 'b', language: 'js' },
      { kind: 'text', text: 'c', language: '' },
      { kind: 'code', text: 'd\n```\n', language: '' },
    ]);
  });
});
