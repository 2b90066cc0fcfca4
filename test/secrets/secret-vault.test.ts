import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapTexts, someText } from '../../src/secrets/message-texts.js';
import { idsOfVariables, mayHoldPlaceholder, placeholderOf, variableOf } from '../../src/secrets/placeholder.js';
import { testVault } from '../support/test-vault.js';
import { secretSamples } from './secret-samples.js';

const samples = secretSamples(5);
const TOKEN = samples.find(({ kind }) => kind === 'github-token')?.secret ?? '';
const PEM = samples.find(({ kind }) => kind === 'private-key')?.secret ?? '';
const placeholderIn = (text: string) => /\{secret:[^}]*\}/.exec(text)?.[0] ?? '';

describe('a placeholder', () => {
  it('is the same for the same secret, and another for another key', async () => {
    const vault = await testVault().open();
    const first = await vault.hide(`a ${TOKEN} b`, 'found');
    expect(first).toMatch(/^a \{secret:github-token:[0-9a-f]{10}\} b$/);
    expect(await vault.hide(`GITHUB=${TOKEN};`, 'found')).toContain(placeholderIn(first));
    expect(await (await testVault().open()).hide(TOKEN, 'found')).toBe(placeholderIn(first));
    const other = await testVault(new Map(), [], 'another key').open();
    expect(await other.hide(TOKEN, 'found')).not.toBe(placeholderIn(first));
  });

  it('is no secret itself, of any kind', async () => {
    for (const { kind } of [...samples, { kind: 'value of MY_SERVICE_API_KEY' }]) {
      const vault = await testVault().open();
      const shown = placeholderOf(kind, '0123456789');
      for (const text of [shown, `API_KEY=${shown}`, `https://me:${shown}@host/`, `Authorization: Bearer ${shown}`]) {
        expect(await vault.hide(text, 'found')).toBe(text);
      }
      expect(mayHoldPlaceholder(shown)).toBe(true);
    }
  });

  it('has a name that a shell takes', () => {
    expect(variableOf('0a1b2c3d4e')).toBe('TURNWRIGHT_SECRET_0A1B2C3D4E');
    expect(idsOfVariables('echo "$TURNWRIGHT_SECRET_0A1B2C3D4E" $TURNWRIGHT_SECRET_XYZ')).toEqual(['0a1b2c3d4e']);
  });
});

describe('what it stands for', () => {
  const give = async (origin: 'typed' | 'found', secret = TOKEN) => {
    const vault = await testVault(new Map([['hunter2 & more', 'word']]), ['own-credential-1']).open();
    const shown = placeholderIn(await vault.hide(`x ${secret}`, origin));
    return { vault, shown };
  };

  it('goes into a sandbox, and into a file that holds it', async () => {
    const { vault, shown } = await give('found');
    expect(await vault.restore(`k=${shown}`, { kind: 'sandbox' })).toEqual({ text: `k=${TOKEN}`, kept: [] });
    const holds = { kind: 'file', text: `TOKEN=${TOKEN}\n` } as const;
    expect((await vault.restore(shown, holds)).text).toBe(TOKEN);
    for (const place of [{ kind: 'outside' }, { kind: 'file', text: 'empty' }] as const) {
      expect(await vault.restore(shown, place)).toMatchObject({ text: shown, kept: [{ why: 'found' }] });
    }
  });

  it('goes anywhere if the user typed it, also if it was read before or after', async () => {
    for (const order of [['typed'], ['found', 'typed'], ['typed', 'found']] as const) {
      const vault = await testVault().open();
      for (const origin of order) await vault.hide(TOKEN, origin);
      const shown = await vault.hide(TOKEN, 'found');
      expect((await vault.restore(shown, { kind: 'outside' })).text).toBe(TOKEN);
      expect((await vault.restore(shown, { kind: 'file', text: '' })).text).toBe(TOKEN);
    }
  });

  it('is known of configured values before they were met', async () => {
    const known = new Map([['a value of a variable', 'value of SOME_TOKEN']]);
    const before = await testVault(known).open();
    const shown = placeholderIn(await before.hide('it is a value of a variable', 'found'));
    expect((await (await testVault(known).open()).restore(shown, { kind: 'sandbox' })).text).toBe(
      'a value of a variable',
    );
  });

  it('is not given if nobody knows it, nor a credential of the session', async () => {
    const vault = await testVault(new Map([['own-credential-1', 'key of x']]), ['own-credential-1']).open();
    const own = placeholderIn(await vault.hide('own-credential-1', 'typed'));
    expect((await vault.restore(own, { kind: 'sandbox' })).kept).toMatchObject([{ why: 'own' }]);
    const unknown = placeholderOf('github-token', 'ffffffffff');
    expect((await vault.restore(unknown, { kind: 'sandbox' })).kept).toMatchObject([{ why: 'unknown' }]);
  });

  it('is known wherever it stands, once something said what it is', async () => {
    const vault = testVault();
    const opened = await vault.open();
    const shown = await opened.hide('postgres://me:correct-horse7@db/x', 'found');
    const given = placeholderIn(shown);
    expect(shown).toBe(`postgres://me:${given}@db/x`);
    for (const text of ['psql: correct-horse7 is wrong', Buffer.from('me:correct-horse7 or so').toString('base64')]) {
      expect(vault.suspects(text)).toBe(true);
      expect(await opened.hide(text, 'found')).not.toContain(text.slice(6, 20));
    }
    expect(await opened.hide('it is correct-horse7.', 'found')).toBe(`it is ${given}.`);
    // A word that might stand anywhere is no more than what it was found as.
    await opened.hide('postgres://me:sunshine@db/x', 'found');
    expect(await opened.hide('a day of sunshine', 'found')).toBe('a day of sunshine');
  });

  it.each([
    ['a word', 'correct-horse7'],
    ['a line', `the password is correct-horse7 ${'x '.repeat(60)}`],
    ['a page', `the password is correct-horse7 ${'x '.repeat(600)}`],
  ])('is looked for anew in %s that was clean before it was known', async (_name, text) => {
    const learning = testVault();
    const opened = await learning.open();
    expect([learning.suspects(text), learning.suspects(text)]).toEqual([false, false]);
    await opened.hide('postgres://me:correct-horse7@db/x', 'found');
    expect(learning.suspects(text)).toBe(true);

    let values: ReadonlyMap<string, string> = new Map();
    const told = testVault(() => values);
    expect(told.suspects(text)).toBe(false);
    values = new Map([['correct-horse7', 'value of X_PASSWORD']]);
    expect(told.suspects(text)).toBe(true);
  });

  it('stands in no command if a shell would act on it, and comes as a variable', async () => {
    const { vault, shown } = await give('found', 'hunter2 & more');
    const { text, kept, env } = await vault.restoreCommand(`echo ${shown}`, { kind: 'sandbox' });
    expect({ text, env }).toEqual({ text: `echo ${shown}`, env: {} });
    const [left] = kept;
    expect(left).toMatchObject({ why: 'shell', placeholder: shown });
    const asked = await vault.restoreCommand(`echo "$${left?.variable}"`, { kind: 'sandbox' });
    expect(asked).toMatchObject({ kept: [], env: { [left?.variable ?? '']: 'hunter2 & more' } });
    expect((await vault.restoreCommand(`echo "$${left?.variable}"`, { kind: 'outside' })).env).toEqual({});
  });

  it('is a key as it stands in its file, also if a tool had numbered the lines', async () => {
    const vault = await testVault().open();
    const lines = PEM.split('\n').map((line, at) => `${String(at + 1).padStart(6)}\t${line}`);
    const shown = await vault.hide(lines.join('\n'), 'found');
    expect(await vault.hide(PEM, 'found')).toBe(placeholderIn(shown));
    expect((await vault.restore(placeholderIn(shown), { kind: 'sandbox' })).text).toBe(PEM);
  });
});

describe('a text in pieces', () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 });

  it('is the same as in one piece, however it is cut', async () => {
    const sample = fc.constantFrom(...samples);
    const line = fc.oneof(
      fc.string({ maxLength: 40 }),
      sample.map(({ text }) => `key ${text} end`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), pieces, async (lines, sizes) => {
        const whole = lines.join('\n');
        const vault = await testVault().open();
        const stream = vault.stream();
        let shown = '';
        let at = 0;
        for (let turn = 0; at < whole.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          shown += await stream.push(whole.slice(at, at + size));
          at += size;
        }
        shown += await stream.end();
        expect(shown).toBe(await vault.hide(whole, 'found'));
      }),
      { seed: 7, numRuns: 150 },
    );
  });

  it('waits for the end of a line, of a key and of wrapped base64, and for no more than that', async () => {
    const stream = (await testVault().open()).stream();
    expect(await stream.push('one\ntw')).toBe('one\n');
    expect(await stream.push('o\n')).toBe('two\n');
    const [begin = '', ...rest] = PEM.split('\n');
    expect(await stream.push(`a\n${begin}\n${rest[0]}\n`)).toBe('a\n');
    expect(await stream.push(`${rest.slice(1).join('\n')}\nb\n`)).toMatch(/^\{secret:private-key:[0-9a-f]{10}\}\nb\n$/);
    const encoded = (
      Buffer.from(`login ${TOKEN} `.repeat(4))
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n');
    expect(await stream.push(`${encoded}\n`)).not.toContain(encoded.slice(0, 60));
    expect(await stream.end()).not.toContain(encoded.slice(-20));
  });

  it('goes on without line ends, and loses nothing', async () => {
    const stream = (await testVault().open()).stream();
    let shown = '';
    for (let turn = 0; turn < 60; turn++) shown += await stream.push('0123456789 '.repeat(500));
    expect(shown.length).toBeGreaterThan(60 * 5_500 - 2 * 65_536);
    expect(shown + (await stream.end())).toBe('0123456789 '.repeat(30_000));
  });
});

describe('base64', () => {
  it('is looked into wherever it begins, in both alphabets, over lines and with padding', async () => {
    const vault = await testVault().open();
    for (const { kind, text: given } of samples) {
      for (const before of ['', 'a', 'ab', 'abc']) {
        const data = Buffer.from(`${before}user: ${given}\n`);
        for (const encoded of [data.toString('base64'), data.toString('base64url')]) {
          for (const text of [`x ${encoded} y`, `path/${encoded}`, (encoded.match(/.{1,64}/g) ?? []).join('\n')]) {
            const shown = await vault.hide(text, 'found');
            expect({ kind, text: shown, isGone: !shown.includes(encoded.slice(-24, -4)) }).toMatchObject({
              isGone: true,
            });
            expect(shown).toContain('{secret:base64-');
          }
        }
      }
    }
  });

  it('without a secret stays', async () => {
    const vault = testVault();
    await vault.open();
    const images = Array.from({ length: 50 }, (_, at) =>
      Buffer.alloc(3_000, `${at} some bytes of an image `).toString('base64'),
    );
    for (const text of images) expect(await vault.hide(text, 'found', false)).toBe(text);
  });
});

describe('the texts of a value', () => {
  it('are all of them but ids, signed thinking and media, and nothing is copied without a change', () => {
    const value = {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'thinking', thinking: 'b', signature: 'c' },
      ],
    };
    const seen: string[] = [];
    someText(value, true, (text) => {
      seen.push(text);
      return false;
    });
    expect(seen).toEqual(['a']);
    expect(mapTexts(value, true, (text) => text)).toBe(value);
  });
});
