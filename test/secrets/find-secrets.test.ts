import { readdirSync, readFileSync, statSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../src/providers/keys/key-variables.js';
import { SECRET_FAMILIES } from '../../src/secrets/find-secrets.js';
import { isOwnCredential, knownSecrets } from '../../src/secrets/known-values.js';
import type { TranscriptEntry } from '../../src/session/store/entry.js';
import { redactEntry } from '../../src/session/store/entry-content.js';
import { testVault } from '../support/test-vault.js';
import { secretSamples } from './secret-samples.js';

const NONE: ReadonlyMap<string, string> = new Map();
const samples = secretSamples(7);

function entryWith(message: unknown, toolUseResult?: unknown): TranscriptEntry {
  return {
    type: 'user',
    uuid: 'u',
    parentUuid: null,
    message,
    ...(toolUseResult === undefined ? {} : { toolUseResult }),
  } as TranscriptEntry;
}

async function cleaned(entry: TranscriptEntry, values = NONE) {
  const vault = testVault(values);
  const clean = await redactEntry(entry, vault);
  return { clean, text: JSON.stringify(clean), kinds: Object.fromEntries(vault.takeFound()) };
}

const result = (content: unknown) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] });

describe('what is taken out before it is written', () => {
  it('has a sample for each family but those that share one', () => {
    const covered = new Set(samples.map(({ kind }) => kind));
    const missing = SECRET_FAMILIES.map(({ kind }) => kind).filter((kind) => !covered.has(kind));
    expect(missing).toEqual(['putty-key']);
    expect(covered.size).toBeGreaterThanOrEqual(60);
  });

  it.each(samples.map((sample) => [sample.kind, sample] as const))('%s', async (kind, { text, secret }) => {
    const places: readonly [string, TranscriptEntry][] = [
      ['a prompt', entryWith({ role: 'user', content: `use ${text} please` })],
      ['a text block', entryWith({ role: 'assistant', content: [{ type: 'text', text: `"${text}"` }] })],
      [
        'an input',
        entryWith({ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'X', input: { id: text } }] }),
      ],
      ['a result', entryWith(result(`stdout:\n${text}\nok`))],
      ['a result of blocks', entryWith(result([{ type: 'text', text: `(${text})` }]))],
      ['quoted JSON', entryWith(result(JSON.stringify({ stdout: `a\n${text}\nb` })))],
      ["the tool's own result", entryWith(result('ok'), { lines: ['a', `${text}`] })],
      ['a key', entryWith(result('ok'), { [`${text}`]: 1 })],
      [
        'a document',
        entryWith({
          role: 'user',
          content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } }],
        }),
      ],
      ['the last prompt', { type: 'last-prompt', lastPrompt: `say ${text}`, sessionId: 's' }],
    ];
    for (const [place, entry] of places) {
      const { text: written, kinds } = await cleaned(entry);
      const inside = JSON.stringify(secret).slice(1, -1);
      expect({ place, isGone: !written.includes(inside), kinds }).toEqual({
        place,
        isGone: true,
        kinds: { [kind]: 1 },
      });
      expect(written).toMatch(new RegExp(`\\{secret:${kind}:[0-9a-f]{10}\\}`));
      expect(() => JSON.parse(written)).not.toThrow();
    }
  });

  it('leaves thinking, signatures, ids and the bytes of media as they are', async () => {
    const key = samples[0]?.text ?? '';
    const entry = entryWith({
      id: key,
      role: 'assistant',
      model: key,
      content: [
        { type: 'thinking', thinking: key, signature: key },
        { type: 'redacted_thinking', data: key },
        { type: 'tool_use', id: key, name: 'X', input: {} },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: key } },
      ],
    });
    const { clean, kinds } = await cleaned(entry);
    expect(clean).toBe(entry);
    expect(kinds).toEqual({});
  });

  it('gives the very same entry if there is nothing to take out, and never changes the one it is given', async () => {
    const plain = entryWith(
      result('src/session/store/transcript.ts: a94a8fe5ccb19ba61c4c0873d391e987982fbbd3 https://a.b/c'),
    );
    expect((await cleaned(plain)).clean).toBe(plain);
    const secret = entryWith(result(`x ${samples[3]?.text}`), { kept: { deep: [1, 'a'] } });
    const before = JSON.stringify(secret);
    const { clean } = await cleaned(secret);
    expect(JSON.stringify(secret)).toBe(before);
    // What has nothing in it is shared.
    expect((clean as { toolUseResult?: unknown }).toolUseResult).toBe(
      (secret as { toolUseResult?: unknown }).toolUseResult,
    );
  });

  it('knows them as they stand in JSON and in an address, of which no call gets one of the session', async () => {
    const value = 'p"ss/w\\rd\nof two lines';
    const env = { ANTHROPIC_API_KEY: value };
    const values = knownSecrets(env, createSecrets());
    for (const form of [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]) {
      expect((await cleaned(entryWith(result(`at ${form}.`)), values)).text).toMatch(
        /at \{secret:ANTHROPIC_API_KEY:\w+}\./,
      );
      expect(isOwnCredential(form, env, createSecrets())).toBe(true);
    }
    expect(isOwnCredential('another', env, createSecrets())).toBe(false);
  });

  it('knows the values of configured credentials, however they look, the longer one first', async () => {
    const values = knownSecrets(
      {
        ANTHROPIC_API_KEY: 'sesame-1',
        ANTHROPIC_AUTH_TOKEN: 'short',
        MY_SERVICE_TOKEN: 'open sesame or else',
        OTHER_TOKEN: 'open sesame or else, please',
        PATH_TO_TOKEN: '/run/secrets/token',
        MAX_TOKENS: '4096409640964096',
        GOOGLE_APPLICATION_CREDENTIALS_TOKEN: './key.json.and.more',
        EMPTY_SECRET: undefined,
      },
      createSecrets(),
    );
    expect([...values]).toEqual([
      ['open%20sesame%20or%20else%2C%20please', 'value of OTHER_TOKEN'],
      ['open sesame or else, please', 'value of OTHER_TOKEN'],
      ['open%20sesame%20or%20else', 'value of MY_SERVICE_TOKEN'],
      ['open sesame or else', 'value of MY_SERVICE_TOKEN'],
      ['sesame-1', 'value of ANTHROPIC_API_KEY'],
    ]);
    const { text, kinds } = await cleaned(
      entryWith(result('a sesame-1 b sesame-1 c open sesame or else, please d short /run/secrets/token')),
      values,
    );
    const plain = text.replace(/:[0-9a-f]{10}\}/g, '}');
    expect(plain).toContain(
      'a {secret:ANTHROPIC_API_KEY} b {secret:ANTHROPIC_API_KEY} c {secret:OTHER_TOKEN} d short /run/secrets/token',
    );
    // Each counts once, however often it stands there.
    expect(kinds).toEqual({ 'value of ANTHROPIC_API_KEY': 1, 'value of OTHER_TOKEN': 1 });
  });

  it('takes a key that was cut, and leaves a text about keys', async () => {
    const [begin, line] = [['-----BEGIN', 'PRIVATE KEY-----'].join(' '), 'b'.repeat(64)];
    expect((await cleaned(entryWith(result(`${begin}\n${line}\n${line}\nend of the part`)))).text).toMatch(
      /\{secret:private-key:[0-9a-f]{10}\}end of the part/,
    );
    const about = entryWith(result(`A file that begins with ${begin} is a key.`));
    expect((await cleaned(about)).clean).toBe(about);
  });

  it.each([
    'postgres://user:password@localhost/db',
    `https://user:${'$'}{PASSWORD}@example.org/`,
    'http://localhost:8080/@scope/name',
    'API_KEY=process.env.SOME_LONG_VARIABLE_NAME_123',
    'const API_KEY = getTheApiKeyFromTheEnvironment1(name)',
    'the class sk-fading-circle-loader-animation',
    'Bearer tokens-are-what-the-server-wants',
    'integrity sha512-mSvBtxKwPmZ5gGK8yxqL8JJyTQ9bvGnVqSPZ8lOYGwq0cUfTVDlLVJ6rQ==',
    '3b241101-e2bb-4255-8caf-4136c566a962',
    'AKIAEXAMPLE',
    'eyJustAWord.eyJ',
  ])('leaves %s', async (text) => {
    const entry = entryWith(result(text));
    expect((await cleaned(entry)).clean).toBe(entry);
  });

  it('finds every secret among any text, in any place', async () => {
    const around = fc.string({ unit: 'grapheme', maxLength: 60 });
    const secret = fc.integer({ min: 0, max: 10_000 }).chain((seed) => fc.constantFrom(...secretSamples(seed)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(around, fc.constantFrom(' ', '\n', '"', '(', ',', '\t'), secret), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.constantFrom('text', 'quoted', 'deep'),
        async (parts, where) => {
          // A name with a value and `(` is a call.
          const text = parts
            .map(([before, gap, { text: given }]) => `${before}${gap}${given}${gap === '(' ? ')' : gap}`)
            .join('');
          const content = where === 'quoted' ? JSON.stringify({ text }) : text;
          const entry = where === 'deep' ? entryWith(result('x'), { a: [{ b: content }] }) : entryWith(result(content));
          const { clean, text: written } = await cleaned(entry);
          for (const [, , { secret: given }] of parts) {
            expect(written).not.toContain(JSON.stringify(given).slice(1, -1));
            expect(written).not.toContain(given);
          }
          // Once more changes nothing.
          expect((await cleaned(clean)).clean).toBe(clean);
        },
      ),
      { seed: 42, numRuns: 300 },
    );
  });

  it('takes time in proportion to the text, whatever stands in it', async () => {
    for (const unit of [
      'sk-',
      'eyJ',
      'eyJaaaaaaaaaa.',
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN ',
      'A_',
      'API_KEY=',
      '://a:',
      'Bearer ',
      'a',
      '0',
      'xoxb-',
      'hooks.slack.com/services/',
      'AccountKey=',
      'Q~',
      'ghp_a',
      '1//0',
      'SG.',
      '-us1',
      ':AA',
      '.',
      'aB3dEfGh.',
      'M1a.',
    ]) {
      await cleaned(entryWith(result(unit.repeat(Math.ceil(400_000 / unit.length)))));
    }
  });
});

/** Code, declarations, documents and lists of this project and of others, a part of each. */
const CODE = ['src', 'scripts', 'bench', 'examples'];
const OTHERS = [
  '@anthropic-ai/sdk',
  '@modelcontextprotocol/client',
  '@types/node',
  'dependency-cruiser',
  'fast-check',
  'knip',
  'rolldown',
  'typescript/lib',
  'vitest',
  'yaml',
  'zod',
].map((name) => `node_modules/${name}`);
const MAX_OF_EACH = 380_000;

describe('code', () => {
  it('is left alone: of 5 MB no file in a hundred is changed', async () => {
    let [size, files] = [0, 0];
    const changed: string[] = [];
    for (const folder of [...CODE, ...OTHERS]) {
      let ofFolder = 0;
      for (const path of sourceFiles(folder)) {
        if (ofFolder > MAX_OF_EACH) break;
        const content = readFileSync(path, 'utf8');
        const entry = entryWith(result(content));
        if ((await cleaned(entry)).clean !== entry) changed.push(path);
        ofFolder += content.length;
        files += 1;
      }
      size += ofFolder;
    }
    expect(size).toBeGreaterThan(5_000_000);
    expect(changed.length / files).toBeLessThan(0.01);
  });
});

function* sourceFiles(folder: string): Generator<string> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.(?:[cm]?[jt]sx?|json|md|ya?ml)$/.test(name)) continue;
    const path = `${folder}/${name}`;
    const stat = statSync(path);
    if (stat.isFile() && stat.size < MAX_OF_EACH) yield path;
  }
}
