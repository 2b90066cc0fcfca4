// Commands that do not end in the foreground: moved to the background by a person or a limit, or waiting for somebody to type.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { query } from '../../../src/sdk/query.js';
import type { QueryEngineConfig } from '../../../src/session/config/config.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { watchCommand } from '../../../src/tools/bash/background-command.js';
import { getTools } from '../../../src/tools/builtin.js';
import { resultOf, systemMessages } from '../../support/agents.js';
import { lastTexts, until } from '../../support/background-tasks.js';
import { temporaryFolder, testEngine } from '../../support/engine.js';
import { withMoreTime } from '../../support/more-time.js';
import { createToolContext } from '../../support/tool-context.js';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

const bash = (command: string, more: Record<string, unknown> = {}) =>
  toolCall('Bash', { command, ...more }, 'toolu_bash');

async function session(
  command: ReturnType<typeof bash>,
  config: Partial<QueryEngineConfig>,
  onMessage: (message: SDKMessage) => void = () => undefined,
) {
  const model = scriptedModel([command, text('done')]);
  const { engine } = await testEngine(model, { tools: await getTools(), cwd: folder, ...config });
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage('Go.')) {
    messages.push(message);
    onMessage(message);
  }
  return { engine, model, messages, result: resultOf(messages, 'toolu_bash') };
}

describe('a command that runs', () => {
  it.each([
    ['at its timeout', true],
    ['after a time of the host', false],
  ])('goes on in the background %s, with all it printed, and its end is told', async (_when, atTimeout) => {
    const go = path.join(folder, 'go');
    let limitMs = 0;
    const runFor = async (ms: number) => {
      limitMs = ms;
      const command = `echo before; ${until(go)}; echo after; cd /; exit 3`;
      return atTimeout
        ? session(bash(command, { timeout: ms }), { backgroundOnTimeout: true })
        : session(bash(command), { backgroundAfterMs: ms });
    };
    const { engine, messages, result } = await withMoreTime(900, runFor, (ran) => ran.result.text.includes('before'));
    const why = atTimeout ? `It ran longer than ${limitMs} ms.` : 'It runs for long.';
    const data = atTimeout ? { timedOutAfterMs: limitMs } : {};
    expect(result.text).toMatch(/^Goes on in the background as task b[0-9a-f]{8}\. /);
    expect(result.text).toContain(why);
    expect(result.text).toContain('It printed so far:\nbefore');
    expect(result).toMatchObject({ isError: false, data: { stdout: 'before\n', stderr: '', exitCode: 0, ...data } });
    const [task] = engine.backgroundTasks();
    expect(result.data).toMatchObject({ backgroundTaskId: task?.id });
    writeFileSync(go, '');
    await expect.poll(() => engine.backgroundTasks(), { interval: 10 }).toEqual([]);
    expect(readFileSync(task?.outputFile ?? '', 'utf8')).toBe('before\nafter\n');
    expect(systemMessages(messages, 'task_started')).toMatchObject([{ task_id: task?.id, tool_use_id: 'toolu_bash' }]);
    await engine.close();
    expect(engine.takeClosingMessages().length).toBeGreaterThan(0);
  });

  it('is moved by a person, by a control of the query', async () => {
    const model = scriptedModel([bash('echo $$ > pid; exec sleep 60'), text('done')]);
    const session = query({
      prompt: 'Go.',
      options: {
        provider: model,
        cwd: folder,
        env: { TURNWRIGHT_HOME: folder },
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        limits: { backgroundWaitMs: 0 },
      },
    });
    const moved: boolean[] = [];
    const messages: SDKMessage[] = [];
    for await (const message of session) {
      messages.push(message);
      const hasBegun = () => existsSync(path.join(folder, 'pid')) && readFileSync(path.join(folder, 'pid')).length > 0;
      if (message.type !== 'tool_progress' || moved.length > 0 || !hasBegun()) continue;
      expect(await session.backgroundTasks('toolu_other')).toBe(false);
      moved.push(await session.backgroundTasks('toolu_bash'));
    }
    expect(moved).toEqual([true]);
    expect(resultOf(messages, 'toolu_bash')).toMatchObject({ data: { backgroundedByUser: true } });
    const pid = Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  it('tells every second that it runs, and what it prints', async () => {
    const told: string[] = [];
    const times: number[] = [];
    // It says the next line once the one before was told, and ends once all were.
    await session(bash(`for i in 1 2; do echo line $i; ${until('told$i')}; done`), {}, (message) => {
      if (message.type !== 'tool_progress') return;
      told.push(message.output ?? '');
      times.push(message.elapsed_time_seconds);
      for (const line of [1, 2])
        if (told.join('').includes(`line ${line}`)) writeFileSync(path.join(folder, `told${line}`), '');
    });
    expect(times.length).toBeGreaterThanOrEqual(2);
    expect(told.join('')).toBe('line 1\nline 2\n');
  });
});

describe('a command that waits for somebody', () => {
  it.skipIf(process.platform !== 'linux')(
    'to type at a terminal of its own is stopped within ten seconds, and that is told',
    async () => {
      const started = Date.now();
      const { result } = await session(
        bash("printf 'x\\n'; sleep 99 | script -qc 'printf \"Password: \"; read secret' /dev/null"),
        {},
      );
      expect(Date.now() - started).toBeLessThan(60_000);
      expect(result).toMatchObject({ isError: true, data: { interrupted: true } });
      expect(result.text).toContain('waited for somebody to type at a terminal');
      expect(result.text).toContain('Password:');
    },
  );

  it.each([
    'read x; echo "[$x]"',
    'cat',
    'read x < /dev/tty',
    'python3 -c "input()"',
    'git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty',
    'ssh-keygen -q -t ed25519 -f key',
  ])('to give it input has none, and ends: %s', async (command) => {
    const started = Date.now();
    await session(bash(command), {});
    expect(Date.now() - started).toBeLessThan(60_000);
  });

  it('to answer a question is told by its last line, and only once it is silent', () => {
    const timers: (() => void)[] = [];
    const base = createToolContext();
    const host = {
      ...base.host,
      clock: {
        ...base.host.clock,
        after(_ms: number, run: () => void) {
          timers.push(run);
          return () => undefined;
        },
      },
    };
    const asks = (line: string, quietMs: number) => {
      timers.length = 0;
      const context = {
        ...base,
        host,
        openTasks: async () => Promise.reject(new Error('unused')),
        background: { afterMs: null, atTimeout: false, listen: () => () => undefined },
      };
      const watch = watchCommand(context, 1_000, { standsOn: () => ({ line, quietMs }) });
      timers[0]?.();
      return watch.movedBy;
    };
    for (const line of [
      'Password: ',
      "Password for 'https://a@b': ",
      'Continue? [y/N] ',
      'Overwrite (y/n)? ',
      'Are you sure you want to continue connecting (yes/no/[fingerprint])? ',
      'Press any key to continue',
      'Enter passphrase for key "x": ',
    ])
      expect([line, asks(line, 7_000), asks(line, 100)]).toEqual([line, 'question', null]);
    for (const line of [
      '',
      'Installing dependencies...',
      'Password reset mails sent: 5',
      '[12/40] compiling',
      'yes',
      'http://localhost:3000',
    ])
      expect([line, asks(line, 60_000)]).toEqual([line, null]);
  });
});

describe('what else a result of a command says', () => {
  it.each([
    ['echo a | grep b', 'No matches found'],
    ['echo a > a; echo b > b; diff a b', 'Files differ'],
    ['false', undefined],
  ])('what the exit code of %s means', async (command, meaning) => {
    const { result } = await session(bash(command), {});
    expect((result.data as { returnCodeInterpretation?: string }).returnCodeInterpretation).toBe(meaning);
  });

  it('where all of a long output is, which Read shows from any line', async () => {
    const model = scriptedModel([
      bash('seq 1 20000'),
      (request) => {
        const file = /is in (\S+) …/.exec(JSON.stringify(request.messages))?.[1] ?? '';
        return toolCall('Read', { file_path: file, offset: 10_000, limit: 2 });
      },
      text('done'),
    ]);
    const { engine } = await testEngine(model, { tools: await getTools(), cwd: folder });
    const messages = await collect(engine.submitMessage('Go.'));
    const { data } = resultOf(messages, 'toolu_bash');
    expect(data).toMatchObject({
      persistedOutputPath: expect.stringContaining('tool-results'),
      persistedOutputSize: 108_894,
    });
    expect(lastTexts(model, 2).join('\n')).toMatch(/10000\s+10000\n\s*10001\s+10001/);
  });
});
