// What a prompt of a session that has answered before asks of the machine. It is paid with every prompt of everybody, so it is
// counted: times depend on the machine, these do not.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { query } from '../../src/sdk/query.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';

it('a plain prompt looks at few files, opens none, and sets no timer', async () => {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'turnwright-warm-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  const { fs, clock } = createNodeHost();
  const asked: string[] = [];
  const counted = Object.fromEntries(
    Object.entries(fs).map(([name, call]) => [
      name,
      (...given: unknown[]) => {
        const paths = Array.isArray(given[0]) ? given[0] : [given[0]];
        asked.push(...paths.map((path) => `${name} ${String(path).replace(home, '~')}`));
        return (call as (...all: unknown[]) => unknown)(...given);
      },
    ]),
  ) as unknown as typeof fs;
  const host = createNodeHost({
    fs: counted,
    clock: {
      ...clock,
      // Later: what was made for this test has stood for a while.
      now: () => clock.now() + 60_000,
      after(ms, callback) {
        asked.push(`timer ${ms}`);
        // A reply of a script would often be there before what is loaded while one waits for it.
        if (ms < 100) callback();
        return ms < 100 ? () => undefined : clock.after(ms, callback);
      },
    },
  });
  const prompts = ['one', 'two', 'three'];
  const answers: (() => void)[] = [];
  async function* typed() {
    for (const content of prompts) {
      await new Promise<void>((resolve) => {
        answers.push(resolve);
        if (content === 'one') resolve();
      });
      asked.length = 0;
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null } as const;
    }
  }
  const model = scriptedModel(() => {
    before.push([...asked]);
    return text('ok');
  });
  const before: string[][] = [];
  const env = { HOME: home, TURNWRIGHT_HOME: join(home, '.turnwright') };
  for await (const message of query({ prompt: typed(), options: { host, provider: model, cwd, env } }))
    if (message.type === 'result') answers.at(-1)?.();
  expect(before).toHaveLength(3);
  const looks = before[2] ?? [];
  // Settings, folders of extensions, the repository, instruction files: in batches.
  expect(looks.filter((each) => !each.startsWith('lstatAll') && !each.startsWith('realpath'))).toEqual([]);
  // Folders that answer for what is not in them are looked at for the settings, and again behind the hooks of the prompt.
  const again = looks.filter((each, at) => looks.indexOf(each) !== at);
  expect(again.filter((each, at) => again.indexOf(each) !== at)).toEqual([]);
  expect(looks.length).toBeLessThan(22);
});
