import { mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/protocol/errors.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { type ScriptedAnswer, text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const KEY = 'a-key-that-nobody-may-read';

async function start(more: Options, steps: readonly ScriptedAnswer[] = [text('the hidden answer')]) {
  const cwd = await temporaryFolder();
  const env = { TURNWRIGHT_HOME: await temporaryFolder(), SERVICE_TOKEN: KEY, ...more.env };
  const provider = scriptedModel(steps);
  return { cwd, messages: collect(query({ prompt: 'the hidden question', options: { provider, cwd, ...more, env } })) };
}

const kindsIn = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { kind: string }).kind);

describe('the option onAuthExpired', () => {
  const refused = { error: new ModelError('authentication', 'no', { status: 401 }) };

  it('is called once if a key was refused, and what it throws is nothing', async () => {
    let calls = 0;
    const onAuthExpired = () => {
      calls += 1;
      throw new Error('of the host');
    };
    const { messages } = await start({ onAuthExpired }, [refused]);
    expect(lastResult(await messages)).toMatchObject({ is_error: true });
    expect(calls).toBe(1);
    await (await start({ onAuthExpired }, [text('fine')])).messages;
    expect(calls).toBe(1);
  });
});

describe('the options stderr, debug and debugFile', () => {
  it('stderr alone gets each notice as a line, and nothing else', async () => {
    const lines: string[] = [];
    const { messages } = await start({ stderr: (line) => lines.push(line), evolution: { enabled: true } });
    await messages;
    expect(lines).toEqual([expect.stringMatching(/^The option evolution has no effect.*\n$/)]);
  });

  it('debug gives stderr a line about each message, without what was said', async () => {
    const lines: string[] = [];
    const { messages } = await start({ stderr: (line) => lines.push(line), debug: true });
    expect(lastResult(await messages).result).toBe('the hidden answer');
    expect(kindsIn(lines.join(''))).toEqual(['start', 'system/init', 'assistant', 'result/success']);
    expect(lines.join('')).not.toMatch(/hidden/);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ usage: { output_tokens: expect.any(Number) } });
  });

  it('debugFile has them in a file, relative to the session, and each session adds to it', async () => {
    const { cwd, messages } = await start({ debugFile: 'debug.log' });
    await messages;
    await (await start({ cwd, debugFile: 'debug.log' })).messages;
    const kinds = kindsIn(await readFile(path.join(cwd, 'debug.log'), 'utf8'));
    expect(kinds.filter((kind) => kind === 'result/success')).toHaveLength(2);
    expect((await stat(path.join(cwd, 'debug.log'))).mode & 0o077).toBe(0);
  });

  it('a fault is told with its stack, and no secret', async () => {
    const lines: string[] = [];
    const stop = new AbortController();
    const { messages } = await start(
      {
        stderr: (line) => lines.push(line),
        debug: true,
        abortController: stop,
        hooks: {
          UserPromptSubmit: [
            {
              hooks: [
                async () => {
                  stop.abort();
                  return {};
                },
              ],
            },
          ],
        },
      },
      [],
    );
    await expect(messages).rejects.toThrow('aborted');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ kind: 'error', stack: expect.any(String) });
  });

  it('takes the values of secret variables and of auth out of every line', async () => {
    const lines: string[] = [];
    const { messages } = await start({ stderr: (line) => lines.push(line), debug: true, limits: { maxRetries: 0 } }, [
      { error: new ModelError('invalid_request', `refused ${KEY}`, { status: 400 }) },
    ]);
    await messages.catch(() => undefined);
    expect(lines.join('')).toContain('refused');
    expect(lines.join('')).not.toContain(KEY);
  });

  it('a callback that throws changes nothing', async () => {
    const { messages } = await start({
      debug: true,
      stderr: () => {
        throw new Error('the log broke');
      },
    });
    expect(lastResult(await messages).result).toBe('the hidden answer');
  });

  it('a file that cannot be written is an error before anything is asked', async () => {
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, 'folder'));
    const { messages } = await start({ cwd, debugFile: 'folder' }, []);
    await expect(messages).rejects.toThrow(/option debugFile cannot be written/);
  });
});
