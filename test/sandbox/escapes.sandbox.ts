// Ways out of the sandbox. None gets out: by a command each is tried, and each by one more of the routes by which something
// runs inside; `npm run soak -- escapes` tries each by all. The same scripts do get out if there is no sandbox, as far as a
// test machine lets them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ESCAPE_ATTEMPTS, type EscapeAttempt } from '../support/escape-attempts.js';
import { type EscapePlace, exists, openEscapePlace, runPlain } from '../support/escape-place.js';
import { ESCAPE_ROUTES, openShellServer } from '../support/escape-routes.js';
import { SEED } from '../support/figures.js';
import { sandboxed } from '../support/sandboxed.js';

let place: EscapePlace;
beforeAll(async () => {
  place = await openEscapePlace();
});
afterAll(() => place.close());

const named = (attempts: readonly EscapeAttempt[]) => attempts.map((attempt) => [attempt.name, attempt] as const);

describe('ways out of the sandbox', () => {
  it('are many', () => {
    expect(ESCAPE_ATTEMPTS.length).toBeGreaterThan(140);
    expect(ESCAPE_ATTEMPTS.filter(({ works }) => works).length).toBeGreaterThanOrEqual(75);
  });
});

describe.each(ESCAPE_ROUTES.map((route, at) => ({ name: route.name, route, at })))(
  'ways out of the sandbox for $name',
  ({ route, at }) => {
    it('are not its work: it runs, writes in the workspace, and is confined', async () => {
      const { folders, env } = await place.prepare({}, onTestFinished);
      const script = 'echo made > made; cat made; grep CapEff /proc/self/status; echo $TURNWRIGHT_SANDBOX';
      const said = await route.run(script, folders, { env, onFinished: onTestFinished });
      expect(said).toMatch(/made.*0000000000000000.*bubblewrap/s);
      expect(readFileSync(path.join(folders.workspace, 'made'), 'utf8')).toBe('made\n');
      expect(readdirSync(folders.workspace).filter((name) => name !== 'server.sh')).toEqual(['made']);
    });

    const isTried = (attempt: number): boolean => at === 0 || (attempt + SEED) % (ESCAPE_ROUTES.length - 1) === at - 1;
    it.concurrent.for(named(ESCAPE_ATTEMPTS.filter((_, attempt) => isTried(attempt))))(
      '%s: no',
      async ([, attempt], { onTestFinished: onFinished }) => {
        expect(await place.tryOn(route, attempt, onFinished)).toEqual([]);
      },
    );
  },
);

describe('a server of tools', () => {
  it('cannot be held back from everything: that is taken back after the call that made it', async () => {
    const around = await sandboxed();
    await runPlain('git init -q .', around);
    const { run } = await openShellServer(around, { env: {}, onFinished: onTestFinished });
    expect(await run('echo ../evil > .git/commondir; echo done')).toContain('done');
    expect(exists(path.join(around.workspace, '.git/commondir'))).toBe(false);
    expect(around.told.map(({ message }) => message)).toEqual([expect.stringContaining('so it was removed')]);
  });
});

describe('without the sandbox they work, so each of them can', () => {
  it.concurrent.for(named(ESCAPE_ATTEMPTS.filter(({ works }) => works)))(
    '%s: yes',
    async ([, attempt], { onTestFinished: onFinished }) => {
      expect(await place.tryWithout(attempt, onFinished)).toBe(true);
    },
  );
});
