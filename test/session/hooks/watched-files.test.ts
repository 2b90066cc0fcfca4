// FileChanged: files that hooks named, told of when they are another than before.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HookCallback } from '../../../src/protocol/hooks.js';
import { query } from '../../../src/sdk/query.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

/** What FileChanged was told of; `between` is done with each request. */
async function changes(
  watchPaths: unknown,
  between: (cwd: string, request: number) => Promise<void>,
  matcher?: string,
  again?: readonly string[],
) {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'a.env'), '1');
  const told: string[] = [];
  const start: HookCallback = async () =>
    ({ hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths } }) as never;
  const changed: HookCallback = async (input) => {
    if (input.hook_event_name === 'FileChanged') told.push(`${input.event} ${input.file_path.slice(cwd.length + 1)}`);
    return { hookSpecificOutput: { hookEventName: 'FileChanged', watchPaths: again } } as never;
  };
  let requests = 0;
  const messages = await collect(
    query({
      prompt: 'go',
      options: {
        cwd,
        provider: scriptedModel(async () => {
          requests += 1;
          await between(cwd, requests);
          return requests < 4 ? toolCall('Glob', { pattern: `${requests}*` }) : text('done');
        }),
        env: { TURNWRIGHT_HOME: await temporaryFolder() },
        hooks: {
          SessionStart: [{ hooks: [start] }],
          FileChanged: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [changed] }],
        },
      },
    }),
  );
  return { told, messages };
}

it('tells of a watched file that is changed, removed and made', async () => {
  const { told, messages } = await changes(['a.env'], async (cwd, request) => {
    if (request === 1) await writeFile(join(cwd, 'a.env'), 'two');
    if (request === 2) await rm(join(cwd, 'a.env'));
    if (request === 3) await writeFile(join(cwd, 'a.env'), 'three');
    await writeFile(join(cwd, 'b.env'), String(request));
  });
  expect(told).toEqual(['change a.env', 'unlink a.env', 'add a.env']);
  expect(JSON.stringify(messages)).not.toContain('have no effect');
});

it('watches the names of its matcher, and what a FileChanged hook names then', async () => {
  const { told } = await changes(
    undefined,
    async (cwd, request) => {
      await mkdir(join(cwd, 'd'), { recursive: true });
      await writeFile(join(cwd, 'c.env'), 'x'.repeat(request));
      await writeFile(join(cwd, 'd', 'a.env'), 'x'.repeat(request));
    },
    'a.env|c.env',
    ['d/a.env'],
  );
  expect(told).toEqual(['add c.env', 'change c.env', 'change c.env', 'change d/a.env']);
});

it('tells of an answer that names no paths, and watches nothing', async () => {
  const { told, messages } = await changes([7], async (cwd, request) => {
    await writeFile(join(cwd, 'a.env'), 'x'.repeat(request));
  });
  expect(told).toEqual([]);
  expect(JSON.stringify(messages)).toContain('watchPaths must be a list of strings');
});
