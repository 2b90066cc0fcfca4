import { symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentContext } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { withClientFiles } from '../../../src/cli/acp/client-files.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { temporaryFolder } from '../../e2e/run-cli.js';

/** The editor has the same text for every file, and writes nothing. */
function scene() {
  const folder = temporaryFolder();
  const file = join(folder, 'a.txt');
  writeFileSync(file, 'on disk\n');
  const asked: string[] = [];
  const state = { isConfined: false };
  const client = {
    request: async (method: string, { path }: { path: string }) => {
      asked.push(`${method} ${path}`);
      return { content: 'in the buffer\n' };
    },
  } as unknown as AgentContext;
  const { fs } = withClientFiles(createNodeHost(), {
    sessionId: 's',
    client: () => client,
    capabilities: { readTextFile: true, writeTextFile: true },
    folders: [folder],
    isConfined: () => state.isConfined,
    log: () => undefined,
  });
  const read = async () => {
    const handle = await fs.openLocated(await fs.locate(file));
    try {
      return new TextDecoder().decode(await handle.read(0, 1_000));
    } finally {
      await handle.close();
    }
  };
  return { folder, file, fs, asked, state, read };
}

it('asks the editor, but never if commands are confined', async () => {
  const { state, read, asked, fs, file } = scene();
  expect(await read()).toBe('in the buffer\n');
  expect(asked).toEqual([`fs/read_text_file ${file}`]);
  state.isConfined = true;
  expect(await read()).toBe('on disk\n');
  await fs.replaceLocated(await fs.locate(file), 'here\n');
  expect(await read()).toBe('here\n');
  expect(asked).toHaveLength(1);
});

it('the disk is asked for what is no text, and written if the editor saved nothing', async () => {
  const { read, asked, fs, file, folder } = scene();
  await fs.replaceLocated(await fs.locate(file), 'written\n');
  expect(asked).toEqual([`fs/write_text_file ${file}`]);
  expect(new TextDecoder().decode(await fs.readFile(file))).toBe('written\n');
  const made = join(folder, 'made.txt');
  expect((await fs.replaceLocated(await fs.locate(made), 'made\n')).size).toBe(5);
  writeFileSync(file, new Uint8Array([0, 1, 2]));
  expect(await read()).toBe('\0\u0001\u0002');
});

it('nothing goes through the editor if another file took the place', async () => {
  const { asked, fs, file, folder } = scene();
  const located = await fs.locate(file);
  const missing = await fs.locate(join(folder, 'new.txt'));
  unlinkSync(file);
  const outside = join(temporaryFolder(), 'secret.txt');
  writeFileSync(outside, 'secret\n');
  symlinkSync(outside, file);
  symlinkSync(outside, join(folder, 'new.txt'));
  for (const work of [
    () => fs.openLocated(located),
    () => fs.replaceLocated(located, 'x'),
    () => fs.replaceLocated(missing, 'x'),
  ])
    await expect(work()).rejects.toMatchObject({ code: 'ESTALE' });
  expect(asked).toEqual([]);
});
