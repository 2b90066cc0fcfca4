// The file with the keys that `login` keeps.
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { credentialsFile, readStoredKeys, writeStoredKey } from '../../../src/session/models/credentials-file.js';
import { temporaryFolder } from '../../support/engine.js';

const host = createNodeHost();

async function someFile(): Promise<string> {
  return credentialsFile(host, { TURNWRIGHT_HOME: path.join(await temporaryFolder(), 'new') });
}

describe('stored keys', () => {
  it('are kept for each provider in a file that nobody else can read', async () => {
    const file = await someFile();
    await writeStoredKey(host, file, 'openai', 'key one');
    await writeStoredKey(host, file, 'anthropic', 'key two');
    await writeStoredKey(host, file, 'openai', 'key three');
    expect(await readStoredKeys(host, file)).toEqual(
      new Map([
        ['anthropic', 'key two'],
        ['openai', 'key three'],
      ]),
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o077).toBe(0);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ version: 1 });
  });

  it('go one by one, and the file with the last', async () => {
    const file = await someFile();
    await writeStoredKey(host, file, 'openai', 'a');
    await writeStoredKey(host, file, 'groq', 'b');
    await writeStoredKey(host, file, 'openai', null);
    expect([...(await readStoredKeys(host, file)).keys()]).toEqual(['groq']);
    await writeStoredKey(host, file, 'groq', null);
    await expect(stat(file)).rejects.toThrow(/ENOENT/);
    await writeStoredKey(host, file, 'groq', null);
    expect(await readStoredKeys(host, file)).toEqual(new Map());
  });

  it.each([0o640, 0o604, 0o666, 0o620])('mode %o is refused, for reading and for adding', async (mode) => {
    const file = await someFile();
    await writeStoredKey(host, file, 'openai', 'secretword');
    await chmod(file, mode);
    await expect(readStoredKeys(host, file)).rejects.toThrow(/can be read by others \(mode 6\d\d\).*chmod 600/);
    await expect(writeStoredKey(host, file, 'groq', 'x')).rejects.toThrow(/can be read by others/);
    expect(await readFile(file, 'utf8')).not.toContain('groq');
  });

  it.each(['secretword', '[]', '{}', '{"keys": []}', '{"keys": {"a": 5}}', '{"keys": {"a": "'])(
    'refuses %s',
    async (text) => {
      const file = await someFile();
      await mkdir(path.dirname(file));
      await writeFile(file, text, { mode: 0o600 });
      await expect(readStoredKeys(host, file)).rejects.toThrow(/not what "turnwright login" writes/);
      await expect(readStoredKeys(host, file)).rejects.not.toThrow(/secretword/);
    },
  );

  it('work on any host', async () => {
    const memory = createMemoryHost();
    const file = credentialsFile(memory, {});
    expect(await readStoredKeys(memory, file)).toEqual(new Map());
    await writeStoredKey(memory, file, 'openai', 'k');
    expect(await readStoredKeys(memory, file)).toEqual(new Map([['openai', 'k']]));
    expect((await memory.fs.stat(file)).mode).toBe(0o600);
  });

  it('a folder in their place is told', async () => {
    const file = await someFile();
    await mkdir(file, { recursive: true, mode: 0o700 });
    await expect(readStoredKeys(host, file)).rejects.toThrow(/cannot be read/);
  });
});
