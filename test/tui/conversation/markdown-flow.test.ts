// The model's text on its way into the scrollback: what is finished does not depend on how it was cut.
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { createConversation } from '../../../src/tui/conversation/conversation.js';
import { createMarkdownFlow } from '../../../src/tui/conversation/markdown-flow.js';
import { createTheme } from '../../../src/tui/theme.js';
import { randomOf } from '../../support/soak/scrollback.js';

const theme = createTheme({ env: { NO_COLOR: '1' } });
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');
const plain = (lines: readonly string[]) => lines.map((line) => line.replace(COLOUR, ''));
const flow = (columns = 60) => createMarkdownFlow(theme, () => columns);

function whole(text: string, columns?: number): string[] {
  const one = flow(columns);
  return plain([...one.push(text), ...one.end()]);
}

const TEXT = `# A heading

A paragraph with **bold**, *italic* and \`code\`, that is longer than
one line and goes on.

- first
- second with
  more of it
  - nested
- third

1. one
2. two

\`\`\`ts
const a = 1;
\tindented with a tab

// a fence: \`\`\` inside
\`\`\`

> a quote
> goes on

| a | b |
|---|---|
| 1 | 2 |

A title
===

---

Last, with 漢字, e\u0301 and 🙂.`;

it('begins no row with the blank that stood behind a word in bold', () => {
  expect(whole('one two **three** four five', 13)).toEqual(['one two three', 'four five']);
});

it('T23: what a message shows that came in pieces is what it shows as a whole', () => {
  const message = (fields: object) => ({ parent_tool_use_id: null, ...fields }) as unknown as SDKMessage;
  const random = randomOf(23);
  for (let run = 0; run < 60; run++) {
    const texts = TEXT.split('\n\n').filter(() => random() < 0.4);
    const content = texts.map((text) => ({ type: 'text', text }));
    const open = () => createConversation(theme, () => 30 + (run % 60), false);
    const [streamed, whole] = [open(), open()];
    const event = (fields: object) => streamed.take(message({ type: 'stream_event', event: fields }));
    const lines = event({ type: 'message_start', message: { id: 'm' } });
    for (const { text } of content) {
      lines.push(...event({ type: 'content_block_start', content_block: { type: 'text', text: '' } }));
      for (let at = 0; at < text.length; ) {
        const piece = text.slice(at, at + 1 + Math.floor(random() * 12));
        lines.push(...event({ type: 'content_block_delta', delta: { type: 'text_delta', text: piece } }));
        at += piece.length;
      }
      lines.push(...event({ type: 'content_block_stop' }));
    }
    // It is told once more as a whole, and shown once.
    lines.push(...streamed.take(message({ type: 'assistant', message: { id: 'm', content } })));
    expect(lines, texts.join('|')).toEqual(whole.take(message({ type: 'assistant', message: { id: 'm', content } })));
  }
});

describe('a text in pieces', () => {
  it('is finished block by block, and the same whatever the pieces', () => {
    const expected = whole(TEXT);
    const random = randomOf(3);
    for (let run = 0; run < 200; run++) {
      const one = flow();
      const lines: string[] = [];
      for (let at = 0; at < TEXT.length; ) {
        const size = 1 + Math.floor(random() * 30);
        lines.push(...one.push(TEXT.slice(at, at + size)));
        if (random() < 0.3) one.open();
        at += size;
      }
      lines.push(...one.end());
      expect(plain(lines), `run ${run}`).toEqual(expected);
    }
  });

  it('reads as Markdown does, with code as it is', () => {
    expect(whole(TEXT).slice(0, 25)).toEqual([
      'A heading',
      '',
      'A paragraph with bold, italic and code, that is longer than',
      'one line and goes on.',
      '',
      '- first',
      '- second with',
      '  more of it',
      '    - nested',
      '- third',
      '',
      '1. one',
      '2. two',
      '',
      'const a = 1;',
      '\tindented with a tab',
      '',
      '// a fence: ``` inside',
      '',
      '│ a quote',
      '│ goes on',
      '',
      '┌───┬───┐',
      '│ a │ b │',
      '├───┼───┤',
    ]);
  });

  it('gives a line of code out as soon as it is over, and lets a paragraph live', () => {
    const one = flow();
    expect(one.push('```\nfirst\nsec')).toEqual(['first']);
    expect(one.open()).toEqual(['sec']);
    expect(one.push('ond\n```\nA par')).toEqual(['second']);
    expect(plain(one.open())).toEqual(['', 'A par']);
    expect(one.push('agraph.\n')).toEqual([]);
    expect(plain(one.push('\nNext'))).toEqual(['', 'A paragraph.']);
  });

  it('shows what is finished as it was shown before', () => {
    const one = flow(30);
    one.push('Some words that need more than one row of the window');
    const open = one.open();
    expect(one.end()).toEqual(open);
  });

  it('leaves nothing hidden in what it draws', () => {
    const text = 'a\u202eb \x1b]52;c;aGk=\x07 \x1b[2J &#27; c\u200bd\n\n```\n\x1b[31m\n```\n';
    const lines = whole(text).join('\n');
    for (const hidden of ['\u202e', '\x07', '\u200b', '\x1b']) expect(lines).not.toContain(hidden);
    expect(lines).toContain('a\\u202eb \\x1b]52;c;aGk=\\x07');
  });

  it('takes blocks that are as long as nobody writes them', () => {
    expect(whole(`${'word '.repeat(40_000)}\n\nnext`).at(-1)).toBe('next');
    expect(whole(`\`\`\`\n${'x\n'.repeat(20_000)}`)).toHaveLength(20_000);
    expect(whole(`${'> '.repeat(3_000)}deep`).length).toBeGreaterThan(0);
    expect(whole(`${'['.repeat(20_000)}`).length).toBeGreaterThan(0);
  });
});
