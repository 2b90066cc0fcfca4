// Folders that a host adds to a workspace while its session runs: commands may write there from the next one on, under the
// same guards.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { controlled } from '../support/controlled.js';

/** Not where temporary files are: every command may write there. */
async function folder(): Promise<string> {
  const made = await mkdtemp('/var/tmp/tw-added-');
  onTestFinished(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
}

describe('a folder that is added', () => {
  it('can be written by commands from then on, but for what is protected in it', async () => {
    const [cwd, other] = [await folder(), await folder()];
    await mkdir(path.join(other, 'sub/.git/hooks'), { recursive: true });
    await writeFile(path.join(other, 'sub/.git/config'), '');
    const write = `echo x > ${other}/a; echo x > ${other}/sub/.git/config; mkdir -p ${other}/.turnwright; true`;
    const model = scriptedModel([
      toolCall('Bash', { command: write }),
      text('one'),
      toolCall('Bash', { command: write }),
      text('two'),
    ]);
    const { session, ask } = await controlled(model, {
      cwd,
      sandbox: { enabled: true },
      canUseTool: async () => ({ behavior: 'allow' }),
    });
    await ask('One.');
    await expect(stat(path.join(other, 'a'))).rejects.toThrow('ENOENT');
    expect((await session.addDirectories([other])).added).toEqual([other]);
    await ask('Two.');
    expect(await readFile(path.join(other, 'a'), 'utf8')).toBe('x\n');
    expect(await readFile(path.join(other, 'sub/.git/config'), 'utf8')).toBe('');
    await expect(stat(path.join(other, '.turnwright'))).rejects.toThrow('ENOENT');
  });
});
