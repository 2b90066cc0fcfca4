// HTML as Markdown: what a page says stays, what nobody sees goes, and no page takes long.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../../src/providers/web/html-to-markdown.js';

const BASE = new URL('https://example.com/docs/');
const markdown = (html: string, limit = 1_000_000) => htmlToMarkdown(html, BASE, limit).markdown;

describe('a page as Markdown', () => {
  it.each([
    [
      'headings and paragraphs',
      '<h1>One</h1><p>two\n three</p><h3>Four</h3>five',
      '# One\n\ntwo three\n\n### Four\n\nfive',
    ],
    [
      'emphasis',
      'a <b>bold</b>, <i>thin</i> and <strong><em>both</em></strong>.',
      'a **bold**, _thin_ and **_both_**.',
    ],
    ['emphasis around spaces', 'a<b> b </b>c', 'a **b** c'],
    [
      'links',
      '<a href="/x?a=1&amp;b=2">here</a> <a href="y">there</a>',
      '[here](https://example.com/x?a=1&b=2) [there](https://example.com/docs/y)',
    ],
    ['links that lead nowhere', '<a href="javascript:x()">run</a> <a href="#top">up</a> <a>none</a>', 'run up none'],
    ['a base', '<base href="https://other.test/a/"><a href="b">c</a>', '[c](https://other.test/a/b)'],
    [
      'images',
      '<img src="a.png" alt="A cat"><img src="b.png"><img src="data:x" alt="no">',
      '![A cat](https://example.com/docs/a.png)',
    ],
    [
      'lists',
      '<ul><li>one<li>two<ol start=3><li>three</li><li>four</li></ol></li></ul>after',
      '- one\n- two\n  3. three\n  4. four\n\nafter',
    ],
    ['quotes', '<blockquote><p>one</p><p>two</p></blockquote>three', '> one\n>\n> two\n\nthree'],
    [
      'code',
      '<p>use <code>a `b`</code></p><pre class="language-js"><code>let a = 1;\n\n  b &lt; c</code></pre>',
      'use `` a `b` ``\n\n```js\nlet a = 1;\n\n  b < c\n```',
    ],
    [
      'tables',
      '<table><tr><th>a<th>b|c</tr><tr><td>1</td><td><p>2</p>3</td></tr></table>',
      '| a | b\\|c |\n| --- | --- |\n| 1 | 2 3 |',
    ],
    ['breaks and rules', 'a<br>b<hr>c', 'a\nb\n\n---\n\nc'],
    [
      'what runs or is not shown',
      'a<script>x</script><style>y</style><template>z</template><noscript>n</noscript>b',
      'ab',
    ],
    [
      'what is hidden',
      'a<p hidden>one</p><div style="display: none">two<div>three</div></div><span aria-hidden=true>four</span>b',
      'ab',
    ],
    ['what is hidden and not closed', '<ul><li hidden>one<li>two</ul>', '- two'],
    ['a body that hides itself', '<body style="visibility:hidden"><p>text</p>', 'text'],
    ['entities', '&lt;b&gt; &amp; &eacute; &#x1F600; &nosuch;', '<b> & é 😀 &nosuch;'],
    ['what is not closed', '<p>one<div><b>two<p>three', 'one\n\n**two**\n\n**three**'],
    ['a link over blocks', '<a href="/a"><h2>Head</h2><p>text</p></a>', '## [Head text](https://example.com/a)'],
    [
      'lists and headings in cells',
      '<table><tr><td><ul><li>a<li>b</ul><td><h2>c</h2></table><p>d',
      '| a b | c |\n| --- | --- |\n\nd',
    ],
  ])('%s', (_, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  it('has a title, and says if there is more of it', () => {
    const html = '<title> A &amp; B\n</title><p>one two three</p>';
    expect(htmlToMarkdown(html, BASE, 100)).toEqual({ markdown: 'one two three', title: 'A & B', isWhole: true });
    expect(htmlToMarkdown(html, BASE, 7)).toEqual({ markdown: 'one two', title: 'A & B', isWhole: false });
  });

  it.each([
    ['elements in each other', '<div>'],
    ['marks', '<b><i>x'],
    ['lists', '<ul><li>x'],
    ['quotes', '<blockquote>x'],
    ['tables', '<table><tr><td>x'],
    ['links', '<a href="/a">x'],
    ['code', '<pre><code>`'],
    ['ends', '</p></b></ul>'],
    ['attributes', '<p a="'],
    ['comments', '<!--x'],
    ['entities', '&amp'],
    ['spaces', '<pre> '],
  ])('takes as long as it is for 200,000 times %s', (_, piece) => {
    const cost = (times: number): number => {
      const before = process.cpuUsage();
      const { markdown: made } = htmlToMarkdown(piece.repeat(times), BASE, 1_000_000);
      expect(made.length).toBeLessThanOrEqual(1_000_000);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    cost(1_000);
    // What grows with the square takes minutes.
    expect(cost(200_000)).toBeLessThan(15_000);
  });

  it('of any text is text without what runs', () => {
    const pieces = fc.constantFrom(
      ...[
        '<',
        '>',
        '/',
        '"',
        "'",
        '=',
        '&',
        ';',
        '<!--',
        '-->',
        '<p>',
        '</p>',
        '<ul>',
        '<li>',
        '<table>',
        '<tr>',
        '<td>',
        '<pre>',
        '<code>',
        '</code>',
        '<a href=x>',
        '</a>',
        '<b>',
        '</b>',
        '<script>',
        '</script>',
        '<![CDATA[',
        'text',
        ' ',
        '\n',
        '`',
        '|',
        '&lt;',
        '<title>',
        '<p hidden>',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const html = `<script>SECRET</script>${parts.join('')}`;
        const made = htmlToMarkdown(html, BASE, 500);
        expect(made.markdown.length).toBeLessThanOrEqual(500);
        expect(made.markdown).not.toContain('SECRET');
      }),
      { numRuns: 2_000 },
    );
  });
});
