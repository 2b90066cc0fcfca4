// Bytes of a terminal as inputs: cut anywhere, pasted with and without brackets, broken.
import { describe, expect, it } from 'vitest';
import { parseKey } from '../../../src/tui/pi.js';
import { createInputReader, type Input } from '../../../src/tui/screen/input.js';
import { randomOf } from '../../support/soak/scrollback.js';
import { stepClock } from '../../support/terminal/drawn-screen.js';

function reader() {
  const inputs: Input[] = [];
  const replies: string[] = [];
  const clock = stepClock();
  const read = createInputReader({
    clock,
    nameOf: parseKey,
    onInput: (input) => void inputs.push(input),
    onReply: (reply) => void replies.push(reply),
  });
  const keys = () =>
    inputs.map((input) =>
      input.type === 'key' ? (input.key ?? input.data) : input.type === 'paste' ? { paste: input.text } : input.focused,
    );
  return { read, clock, inputs, replies, keys, push: (text: string) => read.push(Buffer.from(text)) };
}

describe('keys', () => {
  it('have names, and characters without one are told as they are', async () => {
    const { push, keys, clock } = reader();
    for (const bytes of [
      'a',
      'é',
      '漢',
      '\r',
      '\n',
      '\t',
      '\x1b[Z',
      '\x03',
      '\x1b\r',
      '\x1b[13;2u',
      '\x7f',
      '\x1b[1;5D',
    ]) {
      push(bytes);
      await clock.pass(100);
    }
    const named = [
      'a',
      'é',
      '漢',
      'enter',
      'ctrl+j',
      'tab',
      'shift+tab',
      'ctrl+c',
      'alt+enter',
      'shift+enter',
      'backspace',
      'ctrl+left',
    ];
    expect(keys()).toEqual(named);
  });

  it('are the same however a slow line cuts them', async () => {
    const bytes = Buffer.from('é漢🙂\x1b[A\x1b[1;5Dx\x1b[200~a\rb\x1b[201~\x1b[I\x1bOPz');
    const whole = reader();
    whole.read.push(bytes);
    await whole.clock.pass(1_000);
    for (let cut = 1; cut < bytes.length; cut++) {
      const parts = reader();
      parts.read.push(bytes.subarray(0, cut));
      await parts.clock.pass(20);
      parts.read.push(bytes.subarray(cut));
      await parts.clock.pass(1_000);
      expect(parts.keys(), `cut at ${cut}`).toEqual(whole.keys());
    }
  });

  it('know Escape alone, twice, and before an arrow', async () => {
    const { push, keys, clock } = reader();
    push('\x1b');
    expect(keys()).toEqual([]);
    await clock.pass(60);
    push('\x1b\x1b');
    await clock.pass(60);
    push('\x1b[A');
    expect(keys()).toEqual(['escape', 'escape', 'escape', 'up']);
  });

  it('are not made of a sequence whose rest never comes', async () => {
    const { push, keys, clock } = reader();
    push('\x1b[1;');
    await clock.pass(1_000);
    push('a');
    expect(keys()).toEqual(['a']);
  });

  it('send what was typed with Enter behind it in one burst', async () => {
    const { push, keys, clock } = reader();
    push('hello\r');
    await clock.pass(100);
    expect(keys()).toEqual(['h', 'e', 'l', 'l', 'o', 'enter']);
  });

  it('are not what the terminal answers to a query', async () => {
    const { push, keys, replies, clock } = reader();
    push('\x1b[?1u\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62;c\x1b[12;40R');
    await clock.pass(100);
    expect(keys()).toEqual([]);
    expect(replies).toEqual(['\x1b[?1u', '\x1b]11;rgb:0000/0000/0000\x1b\\', '\x1b[?62;c', '\x1b[12;40R']);
  });

  it('survive bytes that are no UTF-8, and NUL', async () => {
    const { read, keys, clock } = reader();
    read.push(Buffer.from([0xff, 0x61, 0xc3]));
    await clock.pass(100);
    read.push(Buffer.from([0x28, 0x00]));
    await clock.pass(100);
    expect(keys()).toEqual(['\ufffd', 'a', '\ufffd', '(', 'ctrl+space']);
  });
});

describe('a paste', () => {
  const text = 'first\n\tsecond\n\nfourth, with \x1b[31mcolour\x1b[0m and \x07\n';

  it.each(['brackets', 'none'])('is one, whole and once, with %s around it, however it is cut', async (how) => {
    const random = randomOf(7);
    for (let run = 0; run < 60; run++) {
      const body = text.repeat(1 + Math.floor(random() * 40));
      const typed = body.replaceAll('\n', '\r');
      const bytes = Buffer.from(how === 'brackets' ? `\x1b[200~${typed}\x1b[201~` : typed);
      const { read, keys, clock } = reader();
      for (let at = 0; at < bytes.length; ) {
        // A terminal without brackets writes what it can at once.
        const size = how === 'brackets' ? 1 + Math.floor(random() * 200) : 70 + Math.floor(random() * 200);
        read.push(bytes.subarray(at, at + size));
        at += size;
        await clock.pass(Math.floor(random() * 20));
      }
      await clock.pass(1_000);
      expect(keys(), `run ${run}`).toEqual([{ paste: body }]);
    }
  });

  it('whose closing bracket was lost swallows neither Ctrl-C nor what comes later', async () => {
    const out = reader();
    out.push('\x1b[200~one\x03\rtwo');
    await out.clock.pass(600);
    out.push('\x03');
    expect(out.keys()).toEqual([{ paste: 'one\x03\ntwo' }, 'ctrl+c']);
    const late = reader();
    late.push('\x1b[200~one');
    await late.clock.pass(11_000);
    late.push('a');
    expect(late.keys()).toEqual([{ paste: 'one' }, 'a']);
  });

  it('of 8 MB takes no more than a look at each byte', async () => {
    const { read, keys, clock } = reader();
    const body = 'a line of a paste\r'.repeat(466_034);
    const bytes = Buffer.from(`\x1b[200~${body}\x1b[201~`);
    for (let at = 0; at < bytes.length; at += 65_536) read.push(bytes.subarray(at, at + 65_536));
    await clock.pass(100);
    expect(keys()).toHaveLength(1);
    const [paste] = keys() as { paste: string }[];
    expect(paste?.paste.length).toBe(body.length);
  });

  it('without brackets that stops on its way sends nothing, and goes on as a paste', async () => {
    const { push, keys, clock } = reader();
    push('a line of what was copied\r'.repeat(200));
    await clock.pass(200);
    push('a line after a rest\r');
    await clock.pass(300);
    push('the last one\r');
    await clock.pass(400);
    push('\r');
    await clock.pass(10);
    push('next\r');
    await clock.pass(100);
    const body = `${'a line of what was copied\n'.repeat(200)}a line after a rest\n`;
    expect(keys()).toEqual([{ paste: body }, { paste: 'the last one\n' }, 'enter', ...'next', 'enter']);
  });

  it('of few lines that comes key by key, but faster than anybody types, sends nothing', async () => {
    const { push, keys, clock } = reader();
    for (const character of 'one\rtwo\r') {
      push(character);
      await clock.pass(1);
    }
    await clock.pass(1_000);
    expect(keys()).not.toContain('enter');
    expect(keys()).toEqual(['o', 'n', 'e', { paste: '\ntwo\n' }]);
  });
});
