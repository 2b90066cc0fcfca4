import { describe, expect, it } from 'vitest';
import { isFileError } from '../../src/host/host.js';
import { fakeHost } from '../../src/testing/index.js';

describe('fakeHost', () => {
  it('keeps files in memory, apart from every other host', async () => {
    const [one, two] = [fakeHost(), fakeHost()];
    await one.fs.writeFileAtomic('/home/user/a.txt', 'hello');
    expect(Buffer.from(await one.fs.readFile('/home/user/a.txt')).toString()).toBe('hello');
    const missing = await two.fs.readFile('/home/user/a.txt').catch((error: unknown) => error);
    expect(isFileError(missing, 'ENOENT')).toBe(true);
  });

  it('gives the same ids and times in every run', () => {
    const [one, two] = [fakeHost(), fakeHost()];
    expect(one.clock.now()).toBe(two.clock.now());
    expect([one.ids.uuid(), one.ids.uuid(), one.ids.random()]).toEqual([
      two.ids.uuid(),
      two.ids.uuid(),
      two.ids.random(),
    ]);
  });
});
