// login, logout, auth status and models, over streams of the test's own.
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CliIo, createOutput } from '../../../src/cli/cli-io.js';
import { runAuth, runLogin, runLogout } from '../../../src/cli/commands/keys.js';
import { modelTable, runModels } from '../../../src/cli/commands/models.js';
import { readHidden } from '../../../src/cli/commands/read-hidden.js';
import { temporaryFolder } from '../../support/engine.js';

interface Terminal {
  readonly io: CliIo;
  readonly home: string;
  readonly shown: () => { out: string; err: string };
  readonly raw: boolean[];
}

async function terminal(typed: string, isTTY = false, env: Record<string, string> = {}, home = ''): Promise<Terminal> {
  const folder = home === '' ? await temporaryFolder() : home;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = { out: '', err: '' };
  stdout.on('data', (chunk) => {
    texts.out += String(chunk);
  });
  stderr.on('data', (chunk) => {
    texts.err += String(chunk);
  });
  const raw: boolean[] = [];
  const stdin = Object.assign(Readable.from(typed === '' ? [] : [Buffer.from(typed)], { objectMode: false }), {
    isTTY,
    setRawMode: (isRaw: boolean) => raw.push(isRaw),
  });
  const io: CliIo = {
    stdin,
    stdout,
    stderr,
    out: createOutput(stdout),
    err: createOutput(stderr),
    env: { TURNWRIGHT_HOME: folder, ...env },
    startedIn: () => folder,
    lifetime: new AbortController(),
    exit: () => undefined,
  };
  return { io, home: folder, shown: () => texts, raw };
}

const SECRET = 'sk-secretword-0123456789';

describe('login and logout', () => {
  it('keep a piped key in a file of mode 600, show it nowhere, and forget it', async () => {
    const { io, home, shown } = await terminal(`${SECRET}\n`);
    expect(await runLogin(['OpenAI', '--with-key'], io)).toBe(0);
    const file = path.join(home, 'credentials.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(SECRET);
    expect(shown().err).toMatch(/key for OpenAI is kept in .*credentials.json.*logout openai/);
    expect(JSON.stringify(shown())).not.toContain('secretword');
    const again = await terminal('', false, {}, home);
    expect(await runLogout(['openai'], again.io)).toBe(0);
    expect(await runLogout(['openai'], again.io)).toBe(1);
    expect(again.shown().err).toMatch(/forgotten.*\nNo key for OpenAI was kept/);
    await expect(stat(file)).rejects.toThrow(/ENOENT/);
  });

  it('ask at a terminal, which shows nothing meanwhile', async () => {
    const { io, home, shown, raw } = await terminal(`${SECRET}\r`, true);
    expect(await runLogin([], io)).toBe(0);
    expect(raw).toEqual([true, false]);
    expect(shown().err).toMatch(/^API key for Anthropic \(https:.*not shown: \n/);
    expect(JSON.stringify(shown())).not.toContain('secretword');
    expect(await readFile(path.join(home, 'credentials.json'), 'utf8')).toContain(SECRET);
  });

  it.each([
    ['\u0003', null],
    ['\u0004', null],
    ['', null],
    ['wrong\u0015right\n', 'right'],
    ['abd\u007fc\n', 'abc'],
    ['\u001b[200~pasted\u001b[201~\r', 'pasted'],
  ])('what is typed as %j is %j', async (typed, line) => {
    const { io, raw } = await terminal(typed, true);
    // Whoever sees the question may type at once.
    const rawAtQuestions: unknown[] = [];
    const write = async () => void rawAtQuestions.push(raw.at(-1));
    expect(await readHidden(io.stdin, 'Key: ', write)).toBe(line);
    expect(raw).toEqual([true, false]);
    expect(rawAtQuestions).toEqual([true, false]);
  });

  it('a key that is not given is not kept', async () => {
    const { io, shown, home } = await terminal('\u0003', true);
    expect(await runLogin([], io)).toBe(1);
    expect(shown().err).toMatch(/Nothing was kept/);
    await expect(stat(path.join(home, 'credentials.json'))).rejects.toThrow(/ENOENT/);
  });

  it.each([
    [['nobody', '--with-key'], 'k', /no provider "nobody".*anthropic, openai/],
    [['openai', SECRET], '', /name one provider and nothing else/],
    [['openai'], 'k', /stdin is not a terminal.*--with-key/],
    [['openai', '--with-key'], ' \n', /key is empty/],
    [['openai', '--with-key'], 'two words', /not a key: it has spaces/],
    [['openai', '--with-key'], 'x'.repeat(70_000), /longer than any key/],
    [['--key=x'], '', /unknown flag/],
  ])('login %j is refused with %s', async (argv, typed, why) => {
    const { io } = await terminal(typed);
    const error = await runLogin(argv, io).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ message: expect.stringMatching(why) });
    expect((error as Error).message).not.toContain('secretword');
  });
});

describe('auth status', () => {
  it('tells where each key comes from and who answers, never a key', async () => {
    const { io, home } = await terminal(SECRET);
    await runLogin(['openai', '--with-key'], io);
    const env = { GROQ_API_KEY: SECRET, OPENAI_BASE_URL: 'http://gate/v1' };
    const plain = await terminal('', false, env, home);
    expect(await runAuth(['status'], plain.io)).toBe(0);
    expect(plain.shown().out).toMatch(
      /^openai {2}key kept by login\ngroq {4}key in GROQ_API_KEY\nWithout --model, openai\//,
    );
    const json = await terminal('', false, env, home);
    await runAuth(['status', '--json'], json.io);
    const status = JSON.parse(json.shown().out) as { providers: { provider: string }[] };
    expect(status).toMatchObject({ chosen: { provider: 'openai' }, file: path.join(home, 'credentials.json') });
    expect(status.providers.find(({ provider }) => provider === 'openai')).toEqual({
      provider: 'openai',
      displayName: 'OpenAI',
      source: 'login',
      variable: null,
      needsKey: true,
      baseUrl: 'http://gate/v1',
    });
    expect(plain.shown().out + json.shown().out).not.toContain('secretword');
  });

  it('warns of kept keys that others can read, does not use them, and tells the rest', async () => {
    const { io, home } = await terminal(SECRET);
    await runLogin(['openai', '--with-key'], io);
    await chmod(path.join(home, 'credentials.json'), 0o644);
    const { io: later, shown } = await terminal('', false, { GROQ_API_KEY: SECRET }, home);
    expect(await runAuth(['status'], later)).toBe(0);
    expect(shown().err).toMatch(
      /^warning: The keys in .*credentials.json can be read by others \(mode 644\).*chmod 600/,
    );
    expect(shown().out).toMatch(/^groq {2}key in GROQ_API_KEY\nWithout --model, groq\//);
    expect(JSON.stringify(shown())).not.toContain('secretword');
  });

  it('without any key says so', async () => {
    const { io, shown } = await terminal('');
    await runAuth(['status'], io);
    expect(shown().out).toMatch(
      /^No model can answer, because there is no key\. .*"turnwright login".*--model offline/,
    );
    const json = await terminal('');
    await runAuth(['status', '--json'], json.io);
    expect(JSON.parse(json.shown().out)).toMatchObject({
      chosen: null,
      whyNone: expect.stringContaining('no key'),
      lacksKey: true,
    });
  });

  it('tells what answers by settings and variables, and why a model that is named there cannot', async () => {
    const { io, home, shown } = await terminal('');
    await writeFile(path.join(home, 'settings.json'), '{"model":"offline"}');
    await runAuth(['status'], io);
    expect(shown().out).toBe('Without --model, offline/offline answers.\n');
    const named = await terminal('', false, { TURNWRIGHT_MODEL: 'gpt-x', GROQ_API_KEY: SECRET });
    expect(await runAuth(['status'], named.io)).toBe(0);
    expect(named.shown().out).toMatch(/^groq {2}key in GROQ_API_KEY\nThe model "gpt-x" needs a key for OpenAI/);
  });

  it('alone prints its help, and knows no other command', async () => {
    const { io, shown } = await terminal('');
    expect(await runAuth([], io)).toBe(0);
    expect(shown().out).toMatch(/turnwright auth status/);
    await expect(runAuth(['stauts'], io)).rejects.toThrow(/turnwright auth status/);
  });
});

describe('models', () => {
  it('lists the catalogue, and marks what the keys can reach', async () => {
    const { io, shown } = await terminal('', false, { GEMINI_API_KEY: 'k' });
    expect(await runModels([], io)).toBe(0);
    const { out, err } = shown();
    expect(out).toMatch(/^ +MODEL +WINDOW +REPLY +INPUT +PRICE\n/);
    expect(out).toMatch(/\n {3}anthropic\/claude-haiku-4-5 +200k +64k +text image pdf +1 \/ 5 \/ 0.1\n/);
    expect(out).toMatch(/\n\* {2}google\/gemini-2.5-pro +1.05M/);
    expect(err).toMatch(/^Figures of 20\d\d-\d\d-\d\d\.\nNot listed, but usable: ollama\/NAME/);
  });

  it('of one provider, as JSON, with what a file says', async () => {
    const { io, home, shown } = await terminal('');
    const file = path.join(home, 'models.json');
    await writeFile(file, JSON.stringify({ 'ollama/mine': { contextWindow: 4_096, maxOutputTokens: 1_024 } }));
    const own = await terminal('', false, { TURNWRIGHT_MODELS_FILE: file });
    expect(await runModels(['ollama', '--json'], own.io)).toBe(0);
    expect(JSON.parse(own.shown().out)).toMatchObject({
      models: [{ name: 'ollama/mine', contextWindow: 4_096, price: null, usable: true }],
      unlisted: [],
    });
    await runModels(['gemini', '--json'], io);
    const { models } = JSON.parse(shown().out) as { models: { provider: string }[] };
    expect(new Set(models.map(({ provider }) => provider))).toEqual(new Set(['google']));
    await expect(runModels(['nobody'], io)).rejects.toThrow(/no provider "nobody"/);
    await expect(runModels(['a', 'b'], io)).rejects.toThrow(/unexpected argument/);
  });

  it('an unknown price is a question mark, and lines end with what they say', () => {
    const model = { provider: 'a', model: 'b', name: 'a/b', contextWindow: 1, maxOutputTokens: 1, usable: false };
    const [, line] = modelTable([{ ...model, input: ['text'], reasoning: false, price: null }], {
      colour: false,
      columns: 80,
      verbose: false,
    });
    expect(line).toBe('  a/b        0k     0k  text   ?');
  });
});
