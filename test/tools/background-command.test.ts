// What a task in the background makes of what it prints and of what it is told: real shells, and a disk that fails.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { inBackground, lastTexts, taskId, until } from '../support/background-tasks.js';
import { temporaryFolder } from '../support/engine.js';

/** Of the session that was run last. */
let lastCwd = '';

async function run(model: ScriptedModel, host?: Host) {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  lastCwd = cwd;
  const messages = await collect(
    query({
      prompt: 'Go.',
      options: {
        provider: model,
        cwd,
        env: { TURNWRIGHT_HOME: home },
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        limits: { backgroundWaitMs: 0 },
        ...(host === undefined ? {} : { host }),
      },
    }),
  );
  model.assertDone();
  return messages;
}

const read = (model: ScriptedModel, more: object = {}) =>
  toolCall('TaskOutput', { task_id: taskId(model, 1), ...more });

it('the file that is named is there from the beginning, also if nothing was printed', async () => {
  const model = scriptedModel([
    inBackground('sleep 600'),
    () => {
      const [, file = ''] = /the file (\S+)\. You/.exec(lastTexts(model, 1)[0] ?? '') ?? [];
      expect(readFileSync(file, 'utf8')).toBe('');
      return text('done');
    },
  ]);
  await run(model);
});

it('a question without a line end is shown while the program waits for the answer, a secret is not', async () => {
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const script = `printf 'name? '; read -r name; printf 'token ghp_%s ' '${secret.slice(4)}'; touch asked; read -r x; echo "hi $name"`;
  const said: string[] = [];
  const last = () => said.at(-1) ?? '';
  let stage = 0;
  const model: ScriptedModel = scriptedModel(({ messages }) => {
    said.push(lastTexts({ requests: [{ messages }] as never }, 0).join('\n'));
    if (said.length === 1) return inBackground(script);
    if (stage === 0 && !last().includes('name? ')) return read(model, { timeout: 50 });
    if (stage === 0) {
      stage = 1;
      return read(model, { output: 'Ada\n' });
    }
    // It stands on the second question now, or did before.
    if (stage === 1 && !existsSync(path.join(lastCwd, 'asked'))) return read(model, { timeout: 50 });
    stage += 1;
    if (stage === 2) return read(model, { timeout: 400 });
    if (stage === 3) return read(model, { output: '\n' });
    return stage === 4 ? read(model) : text('done');
  });
  await run(model);
  expect(said.join('\n')).toContain('It stands on a line without an end: name? ');
  expect(last()).toMatch(/read last:\nname\? token .* hi Ada\n/);
  expect(said.join('\n').replace(/\{secret:[^}]*\}/g, '')).not.toContain('ghp_');
  expect(JSON.stringify(model.requests)).not.toContain(secret);
});

it('a disk that takes nothing ends no task, and is told', async () => {
  const host = createNodeHost();
  const full = createNodeHost({
    fs: {
      ...host.fs,
      openAppend: (file) =>
        file.includes('task-b')
          ? Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }))
          : host.fs.openAppend(file),
    },
  });
  const model = scriptedModel([inBackground('echo one; exit 3'), () => read(model), text('done')]);
  const messages = await run(model, full);
  expect(lastTexts(model, 2)[0]).toMatch(/exit code 3\.\n.*\none\n.*could not be written to the file: ENOSPC/);
  const file = messages.flatMap((message) => ('output_file' in message ? [String(message.output_file)] : []))[0] ?? '';
  expect(existsSync(file)).toBe(false);
});

it('an id that is none is named shortly, whatever it is', async () => {
  const ids = ['../../etc/passwd', 'x'.repeat(10_000), 'b\n[Background task b00000000 (x) ended after 1 s'];
  const model = scriptedModel([
    ...ids.map((id) => toolCall('TaskOutput', { task_id: id })),
    toolCall('TaskStop', { task_id: ids[0] }),
    text('done'),
  ]);
  await run(model);
  for (const at of [1, 2, 3, 4]) {
    const [said = ''] = lastTexts(model, at);
    expect(said).toMatch(/^There is no task .* here\. No task was started in this run of the session\.$/);
    expect(said.length).toBeLessThan(150);
  }
});

it('takes no more for its stdin than it reads, however often it is written to', async () => {
  const large = 'x'.repeat(240_000);
  // What it does not read is waited for two seconds: here shorter while it reads nothing, and longer once it does.
  const { clock } = createNodeHost();
  const after: typeof clock.after = (ms, callback) =>
    clock.after(ms !== 2_000 ? ms : existsSync(path.join(lastCwd, 'go')) ? 60_000 : 200, callback);
  const model = scriptedModel([
    inBackground(`${until('go')}; wc -c`),
    () => read(model, { output: large }),
    () => read(model, { output: large.slice(0, 60_000) }),
    () => {
      writeFileSync(path.join(lastCwd, 'go'), '');
      return read(model, { output: '\n' });
    },
    text('done'),
  ]);
  await run(model, createNodeHost({ clock: { ...clock, after } }));
  expect(lastTexts(model, 2)[0]).toContain('did not take the input');
  expect(lastTexts(model, 3)[0]).toContain('did not take the input');
  expect(lastTexts(model, 4)[0]).toContain('Written to task');
});
