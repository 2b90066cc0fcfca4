import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CliIo, createOutput } from '../../src/cli/cli-io.js';
import { chooseSession } from '../../src/cli/lines/around-session.js';
import { temporaryFolder } from '../support/engine.js';
import { prompt, writeSession } from '../support/transcripts.js';

const idOf = (n: number) => `${n}0000000-0000-4000-8000-000000000000`;

/** Asks at a terminal; `typed` is typed line by line, each when the question for it is there. */
async function choose(sessions: number, typed: readonly string[] | null) {
  const [home, cwd] = [await temporaryFolder(), await temporaryFolder()];
  for (let n = 1; n <= sessions; n++) {
    await writeSession(home, [prompt(`prompt ${n}\x1b[31m`)], { cwd, sessionId: idOf(n), startedAt: n });
  }
  await writeSession(home, [prompt('elsewhere')], { cwd: '/elsewhere' });
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
  const waiting = [...(typed ?? [])];
  let shown = '';
  stderr.on('data', (chunk) => {
    shown += String(chunk);
    if (!String(chunk).includes('Which one?')) return;
    const line = waiting.shift();
    if (line === undefined) stdin.end();
    else stdin.write(`${line}\n`);
  });
  const io: CliIo = {
    stdin,
    stdout,
    stderr,
    out: createOutput(stdout),
    err: createOutput(stderr),
    env: { NO_COLOR: '1' },
    startedIn: () => cwd,
    lifetime: new AbortController(),
    exit: () => undefined,
  };
  const chosen = await chooseSession({ cwd, continue: true, env: { TURNWRIGHT_HOME: home }, maxTurns: 3 }, io);
  return { chosen, shown };
}

describe('a session to go on with', () => {
  it('is chosen by its number, from those of the folder', async () => {
    const { chosen, shown } = await choose(3, ['2']);
    const row = /^ 2 {2}(\d)0000000 .*prompt \1\\x1b\[31m$/m.exec(shown);
    expect(chosen?.resume).toBe(idOf(Number(row?.[1])));
    expect(chosen).toMatchObject({ maxTurns: 3 });
    expect(chosen).not.toHaveProperty('continue');
    expect(shown).not.toContain('elsewhere');
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('is the newest for Enter, and the one that is meant after a slip', async () => {
    const newest = await choose(3, ['']);
    const first = /^ 1 {2}(\d)0000000/m.exec(newest.shown)?.[1];
    expect(newest.chosen?.resume).toBe(idOf(Number(first)));
    expect((await choose(3, ['9', 'x', '1'])).chosen?.resume).toBeDefined();
  });

  it.each<[string, string[] | null]>([
    ['q', ['q']],
    ['the end of input', []],
    ['three slips', ['0', '4', 'abc']],
  ])('is none after %s', async (_name, typed) => {
    expect((await choose(3, typed)).chosen).toBeNull();
  });

  it('is not asked for if there is none', async () => {
    const { chosen, shown } = await choose(0, null);
    expect(chosen).toMatchObject({ continue: true });
    expect(shown).toBe('');
  });
});
