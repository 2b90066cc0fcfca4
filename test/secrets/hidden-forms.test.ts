// Secrets as programs print them: coloured, escaped, in compact JSON, in two bytes a character, in pieces without an end.
import { describe, expect, it } from 'vitest';
import { toWellFormed } from '../../src/util/text.js';
import { testVault } from '../support/test-vault.js';
import { secretSamples } from './secret-samples.js';

const samples = secretSamples(13);
const TOKEN = samples.find(({ kind }) => kind === 'github-token')?.secret ?? '';
const PEM = samples.find(({ kind }) => kind === 'private-key')?.secret ?? '';
/** Base64 as it comes: no word in it is long. */
const PARTED = 'aB3dE6gH9jK/mN2pQ5sT8vW+yZ1bC4eF7hJ/kL0nP3rS6u';

const middle = (text: string) => text.slice(4, -4);

describe('a secret is seen at first sight and taken out', () => {
  const forms: readonly [string, string, string][] = [
    ['a name and parted base64', `DB_SECRET=${PARTED}`, PARTED],
    ['a bearer and parted base64', `Authorization: Bearer ${PARTED}`, PARTED],
    ['compact JSON', JSON.stringify({ DB_PASSWORD: PARTED }), PARTED],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ DB_PASSWORD: PARTED })), PARTED],
    ['JSON with escaped slashes', JSON.stringify({ DB_PASSWORD: PARTED }).replaceAll('/', '\\/'), PARTED.slice(0, 14)],
    ['an address with escaped slashes', String.raw`"postgres:\/\/app:hunter2-of-db@db\/x"`, 'hunter2-of-db'],
    ['AWS in JSON in JSON', String.raw`{\\\"SecretAccessKey\\\": \\\"${PARTED.slice(0, 40)}\\\"}`, PARTED.slice(0, 40)],
    ['a colour', `\u001b[1;32m${TOKEN}\u001b[0m`, TOKEN],
    ['a coloured name', `\u001b[33mDB_SECRET\u001b[0m=\u001b[32m${PARTED}\u001b[0m`, PARTED],
    ['an escaped colour', String.raw`\u001b[32m${TOKEN}\u001b[39m`, TOKEN],
    ['an escaped character', String.raw`a\u0026${TOKEN}\u003c`, TOKEN],
    ['an encoded address', `to=%2Fcb%3Ftoken%3D${TOKEN}%26x`, TOKEN],
    ['a name as settings have it', `  "refresh_token" : "${PARTED}",`, PARTED],
    ['a name as code has it', `const sessionSecret = '${PARTED}';`, PARTED],
    ['such a name in JSON in JSON', JSON.stringify(JSON.stringify({ oauthToken: PARTED })), PARTED],
    ['a flag', `run --db-password=${PARTED.replaceAll('/', '_')} --more`, PARTED.slice(0, 10)],
    ['a query', `GET /x?access_token=${PARTED.replaceAll('/', '_')}&y=1`, PARTED.slice(0, 10)],
    ['YAML', `user: app\n  secret: ${PARTED}\n`, PARTED],
    ['a line that a patch takes away', `@@ -1 +0,0 @@\n-${TOKEN}\n`, TOKEN],
  ];

  it.each(forms)('%s', async (_, text, secret) => {
    const vault = testVault();
    expect(vault.suspects(text)).toBe(true);
    const opened = await vault.open();
    expect(vault.suspects(text)).toBe(true);
    expect(await opened.hide(text, 'found')).not.toContain(middle(secret));
  });

  it('in two bytes a character, by shape and by what is known', async () => {
    const vault = testVault(new Map([['word-of-mine-12', 'value of X_TOKEN']]));
    for (const secret of [TOKEN, 'word-of-mine-12']) {
      const text = Buffer.from(`A=1\r\nB=${secret}\r\n`, 'utf16le').toString('latin1');
      expect(vault.suspects(text)).toBe(true);
      const shown = await (await vault.open()).hide(text, 'found');
      expect(shown.replaceAll('\0', '')).not.toContain(secret);
      expect(shown).toContain('{secret:');
    }
    const binary = 'a\0b\0\0\0c';
    expect(await (await vault.open()).hide(binary, 'found')).toBe(binary);
  });

  it('in four bytes a character', async () => {
    const vault = testVault();
    const wide = Buffer.from([...`A=1\nB=${TOKEN}\n`].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0]));
    for (const text of [wide.toString('latin1'), wide.subarray(1).toString('latin1')]) {
      expect(vault.suspects(text)).toBe(true);
      expect((await (await vault.open()).hide(text, 'found')).replaceAll('\0', '')).not.toContain(TOKEN);
    }
  });

  it('and not in what only looks so by chance: images are not looked through by every pattern', async () => {
    const vault = testVault();
    await vault.open();
    for (let seed = 1; seed <= 4; seed++) {
      const bytes = noise(seed, 250_000);
      const holed = Buffer.from(bytes.map((byte, at) => (at % 10 < 3 ? 0 : byte)));
      for (const image of [bytes, holed]) expect(vault.suspects(image.toString('base64'))).toBe(false);
    }
  });

  it('as a short key, and in an object that says itself what it holds', async () => {
    const vault = testVault(new Map([['word-of-mine', 'value of X_TOKEN']]));
    expect(JSON.stringify(await vault.hide({ 'word-of-mine': 1 }, 'found', false))).toContain('{secret:X_TOKEN:');
    const data = { at: new URL('postgres://app:hunter2-of-db@db/x'), on: new Date(0) };
    const shown = await vault.hide(data, 'found', false);
    expect(JSON.stringify(shown)).not.toContain('hunter2-of-db');
    expect(shown.on).toBe(data.on);
  });
});

/** Bytes as of an image, the same each time. */
function noise(seed: number, length: number): Buffer {
  let state = seed;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 24;
    }),
  );
}

describe('every placeholder names a secret', () => {
  const WHOLE = /\{secret:[^{}]*\}/g;
  const idsIn = (text: string) => [...text.matchAll(WHOLE)].map(([found]) => /:([0-9a-f]{10})\}$/.exec(found)?.[1]);

  it('also of what the same text had told before', async () => {
    const encoded = Buffer.from('hunter2-of-db').toString('base64');
    const vault = await testVault().open();
    const shown = await vault.hide(`postgres://app:hunter2-of-db@db/x and ${encoded}`, 'found');
    expect(shown).not.toContain(encoded.slice(0, 12));
    const ids = idsIn(shown);
    expect(ids).toHaveLength(2);
    expect(ids.every((id) => id !== undefined)).toBe(true);
    expect((await vault.restore(shown, { kind: 'sandbox' })).kept).toEqual([]);
  });

  it('also if one text has more of them than are remembered', async () => {
    const vault = await testVault().open();
    const lines = Array.from({ length: 10_050 }, (_, at) => `ghp_${String(at).padStart(36, 'a1b2c3')}`);
    const ids = idsIn(await vault.hide(lines.join('\n'), 'found'));
    expect(ids).toHaveLength(lines.length);
    expect(ids.every((id) => id !== undefined)).toBe(true);
  });

  it('and what was learnt of many is known without a look at all of them for each', async () => {
    const vault = await testVault().open();
    const lines = Array.from({ length: 3_000 }, (_, at) => `a://u:hunter2-of-${at}@h`);
    const shown = await vault.hide(lines.join('\n'), 'found');
    expect(new Set(idsIn(shown)).size).toBe(lines.length);
  });
});

describe('what a placeholder may become', () => {
  it('is no option, path, assignment or range of a command', async () => {
    for (const value of [
      '-o/etc/cron.d/job',
      '/usr/bin/python3',
      '../../bin/tool',
      'LD_PRELOAD=evil.so',
      '1..999999999',
      '@/etc/passwd',
      'one,two-three',
    ]) {
      const vault = await testVault(new Map([[value, 'value of X_TOKEN']])).open();
      const shown = await vault.hide(value, 'typed');
      const { kept } = await vault.restoreCommand(`run ${shown}`, { kind: 'sandbox' });
      expect({ value, kept }).toMatchObject({ kept: [{ why: 'shell' }] });
    }
  });

  it('is no variable that stays empty', async () => {
    const vault = await testVault().open();
    const id = /[0-9a-f]{10}/.exec(await vault.hide(TOKEN, 'found'))?.[0] ?? '';
    const command = `curl -H "A: $TURNWRIGHT_SECRET_${id.toUpperCase()}"`;
    expect((await vault.restoreCommand(command, { kind: 'sandbox' })).kept).toEqual([]);
    expect((await vault.restoreCommand(command, { kind: 'outside' })).kept).toMatchObject([{ why: 'found' }]);
    const unknown = await vault.restoreCommand('echo $TURNWRIGHT_SECRET_0123456789', { kind: 'sandbox' });
    expect(unknown.kept).toMatchObject([{ why: 'unknown' }]);
  });

  it('is a key in a file with other line ends, and no more than a word in a file about placeholders', async () => {
    const vault = await testVault().open();
    const shown = await vault.hide(PEM, 'found');
    const windows = PEM.replaceAll('\n', '\r\n');
    expect(await vault.hide(windows, 'found')).toBe(shown);
    expect((await vault.restore(shown, { kind: 'file', text: `key:\r\n${windows}\r\n` })).text).toBe(PEM);
    const example = '{secret:github-token:1a2b3c4d5e}';
    const about = { kind: 'file', text: `stands a word like ${example}.` } as const;
    expect(await vault.restore(`a word: ${example}`, about)).toEqual({ text: `a word: ${example}`, kept: [] });
  });
});

describe('a long text without line ends', () => {
  /** 64 K are there, and more comes: wherever the first part ends, a secret may stand. */
  const parted = async (secretText: string, hidden: string, filler = 'x, ') => {
    for (const shift of [0, 7, 19, 31, 53]) {
      const vault = await testVault().open();
      const stream = vault.stream();
      const all = `${filler.repeat(60_000 / filler.length)}${' '.repeat(shift)}${`${filler}${secretText}`.repeat(300)}`;
      let shown = '';
      for (let at = 0; at < all.length; at += 4_096) shown += await stream.push(all.slice(at, at + 4_096));
      shown += await stream.end();
      expect(shown).not.toContain(hidden);
    }
  };

  it('is parted where no secret is', async () => {
    await parted(`"API_TOKEN": "${PARTED}", `, PARTED.slice(-14));
    await parted('postgres://app:hunter2!of#my-db@db/x ', 'of#my-db');
    await parted(`Authorization: Bearer ${PARTED} `, PARTED.slice(-14));
  });

  it('is parted in no character', async () => {
    const stream = (await testVault().open()).stream();
    const all = '😀'.repeat(50_000);
    const shown = [await stream.push(all.slice(0, 70_001)), await stream.push(all.slice(70_001)), await stream.end()];
    expect(shown.map(toWellFormed)).toEqual(shown);
    expect(shown.join('')).toBe(all);
  });
});

it('a key or a value of several lines waits for its end', async () => {
  const value = 'first line of mine\nsecond line of mine';
  const lines = ['PuTTY-User-Key-File-3: ssh-rsa', 'Private-Lines: 3', 'Q'.repeat(64), 'R'.repeat(64), 'S1'.repeat(9)];
  const stream = (await testVault(new Map([[value, 'value of X_SECRET']])).open()).stream();
  let shown = '';
  for (const line of [...lines, 'Private-MAC: 00', 'a', ...value.split('\n'), 'b'])
    shown += await stream.push(`${line}\n`);
  shown += await stream.end();
  expect(shown).not.toMatch(/QQQQ|S1S1S1|of mine/);
  expect(shown).toMatch(/\{secret:putty-key:[0-9a-f]{10}\}/);
  expect(shown).toMatch(/a\n\{secret:X_SECRET:[0-9a-f]{10}\}\nb\n$/);
});
