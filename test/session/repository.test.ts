// The repository in the system prompt of a session: taken once beside its start, the same in each request, and never
// waited for.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { getCommands } from '../../src/context/slash-commands.js';
import type { Host, RunOptions, RunOutcome } from '../../src/host/host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import { query } from '../../src/sdk/query.js';
import { resumeSession } from '../../src/session/store/resume.js';
import { placeIn, projectFolder } from '../../src/session/store/session-places.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder, testEngine } from '../support/engine.js';

const systemOf = (request: ModelRequest | undefined) => request?.system.map((block) => block.text).join('\n') ?? '';
const EXITED: RunOutcome = { exitCode: 0, signal: null, ended: 'exited' };

/** A folder with a repository, and a host whose git says what `answer` gives. `isPatient`: git is waited for on a slow machine too. */
async function place(answer: (options: RunOptions) => Promise<RunOutcome>, isPatient = true) {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, '.git'));
  await writeFile(path.join(cwd, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const real = createNodeHost();
  const started: RunOptions[] = [];
  const run = (options: RunOptions) => {
    started.push(options);
    return answer(options);
  };
  const after: Host['clock']['after'] = (ms, callback) =>
    isPatient && ms <= 100 ? () => undefined : real.clock.after(ms, callback);
  const host: Host = { ...real, exec: { ...real.exec, run }, clock: { ...real.clock, after } };
  return { cwd, host, started };
}

const says = (output: string) => async (options: RunOptions) => {
  options.onStdout(new TextEncoder().encode(output));
  return EXITED;
};

it('is taken once, for the first prompt, and stays in each request', async () => {
  let file = 'first';
  const { cwd, host, started } = await place((options) => says(`abc Change\n\0 M ${file}\n`)(options));
  const model = scriptedModel(() => text('ok'));
  const { engine } = await testEngine(model, { cwd, host, mayRunGit: true, commands: await getCommands() });
  // A command asks no model, and what was begun for it is done again.
  await collect(engine.submitMessage('/cost'));
  const before = started.length;
  await collect(engine.submitMessage('one'));
  file = 'second';
  await collect(engine.submitMessage('two'));
  expect(systemOf(model.requests[0])).toMatch(/Last commits.*\n {2}abc Change\nGit status.*\n {3}M first\n/);
  expect(systemOf(model.requests[1])).toBe(systemOf(model.requests[0]));
  expect(started).toHaveLength(before + 1);
  for (const prompt of ['/clear', 'three']) await collect(engine.submitMessage(prompt));
  expect(systemOf(model.requests[2])).toContain('M second');
});

it('a git that does not end holds up no prompt, and is ended', async () => {
  const ended: string[] = [];
  const { cwd, host } = await place(
    (options) =>
      new Promise((resolve) => {
        options.signal.addEventListener('abort', () => {
          ended.push('aborted');
          resolve({ exitCode: null, signal: 'SIGTERM', ended: 'aborted' });
        });
      }),
    false,
  );
  const model = scriptedModel([text('ok')]);
  const { engine } = await testEngine(model, { cwd, host, mayRunGit: true });
  expect(lastResult(await collect(engine.submitMessage('one'))).subtype).toBe('success');
  expect(systemOf(model.requests[0])).toContain('not shown, because git took too long. Run git if you need them.');
  expect(ended).toEqual(['aborted']);
});

it('of a git that is slow, what it has said by then is told, and it is ended', async () => {
  let hang: () => void = () => undefined;
  let nameBranch: () => void = () => undefined;
  const hangs = Promise.all([
    new Promise<void>((resolve) => {
      hang = resolve;
    }),
    new Promise<void>((resolve) => {
      nameBranch = resolve;
    }),
  ]);
  const { cwd, host } = await place(
    (options) =>
      new Promise((resolve) => {
        options.signal.addEventListener('abort', () =>
          resolve({ exitCode: null, signal: 'SIGTERM', ended: 'aborted' }),
        );
        options.onStdout(new TextEncoder().encode('abc One\n\0'));
        hang();
      }),
  );
  await mkdir(path.join(cwd, '.git', 'refs', 'heads'), { recursive: true });
  await writeFile(path.join(cwd, '.git', 'refs', 'heads', 'main'), 'abc\n');
  const { clock } = createNodeHost();
  const after: Host['clock']['after'] = (ms, callback) => {
    if (ms > 100) return clock.after(ms, callback);
    void hangs.then(callback);
    return () => undefined;
  };
  // The main branch is found beside git, by files: time passes once both are known.
  const lstatAll: Host['fs']['lstatAll'] = async (paths) => {
    const found = await host.fs.lstatAll(paths);
    if (paths.some((each) => each.includes('refs/heads'))) setImmediate(nameBranch);
    return found;
  };
  const slow: Host = { ...host, fs: { ...host.fs, lstatAll }, clock: { ...clock, after } };
  const model = scriptedModel([text('ok')]);
  const { engine } = await testEngine(model, { cwd, host: slow, mayRunGit: true });
  await collect(engine.submitMessage('one'));
  expect(systemOf(model.requests[0])).toMatch(
    /Main branch: main\nLast commits.*\n {2}abc One\nGit status: not shown, because git took too long\. Run git status if you need it\.\n/,
  );
});

it('is kept for a session that is resumed, as data', async () => {
  const { cwd, host, started } = await place(says('abc One\n\0 M a\n'));
  const sessionId = host.ids.uuid();
  const first = scriptedModel(() => text('ok'));
  const { engine, home } = await testEngine(first, { cwd, host, sessionId, mayRunGit: true });
  await collect(engine.submitMessage('one'));
  await engine.close();
  const resumed = await resumeSession(host, placeIn(await projectFolder(host, home, cwd), sessionId));
  const second = scriptedModel(() => text('ok'));
  const again = await testEngine(second, {
    cwd,
    host,
    sessionId,
    mayRunGit: true,
    env: { TURNWRIGHT_HOME: home },
    initialMessages: resumed.messages,
    resumedFrom: resumed.lastUuid,
    resumedState: resumed.state,
  });
  await collect(again.engine.submitMessage('two'));
  expect(systemOf(second.requests[0])).toBe(systemOf(first.requests[0]));
  expect(systemOf(second.requests[0])).toContain('abc One');
  expect(started).toHaveLength(1);
});

it('git is started only if nothing of the folder waits for trust', async () => {
  const ask = async (cwd: string, host: Host) => {
    const home = await temporaryFolder();
    const model = scriptedModel([text('ok')]);
    const run = query({ prompt: 'hi', options: { cwd, host, provider: model, env: { TURNWRIGHT_HOME: home } } });
    onTestFinished(() => run.close());
    await collect(run);
    return systemOf(model.requests[0]);
  };
  const plain = await place(says('abc One\n\0'));
  expect(await ask(plain.cwd, plain.host)).toContain('abc One');
  expect(plain.started).toHaveLength(1);

  const asking = await place(says('abc One\n\0'));
  await mkdir(path.join(asking.cwd, '.claude'));
  await writeFile(path.join(asking.cwd, '.claude', 'settings.json'), '{"permissions":{"allow":["Bash"]}}');
  expect(await ask(asking.cwd, asking.host)).toContain('nobody has vouched for this folder');

  const configured = await place(says('abc One\n\0'));
  await writeFile(path.join(configured.cwd, '.git', 'config'), '[core]\n\tfsmonitor = ./evil.sh\n');
  expect(await ask(configured.cwd, configured.host)).toContain('nobody has vouched for this folder');
  expect([...asking.started, ...configured.started]).toEqual([]);
});
