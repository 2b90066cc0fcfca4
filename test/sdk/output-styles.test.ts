// Output styles: which there are, what the model is told in one, and that a folder nobody vouches for brings none.
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function place(files: Readonly<Record<string, string>> = {}) {
  const base = await realpath(await temporaryFolder());
  const cwd = path.join(base, 'work');
  await mkdir(cwd);
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(base, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const host = createNodeHost();
  const start = (outputStyle: string | undefined, more: Options = {}) => {
    const model = scriptedModel([text('ok')]);
    const session = query({
      prompt: 'Go.',
      options: {
        cwd,
        host: { ...host, platform: { ...host.platform, homedir: path.join(base, 'home') } },
        env: { TURNWRIGHT_HOME: path.join(base, 'sessions') },
        provider: model,
        ...(outputStyle === undefined ? {} : { settings: { outputStyle } }),
        ...more,
      },
    });
    return { session, model };
  };
  const run = async (outputStyle: string | undefined, more: Options = {}) => {
    const { session, model } = start(outputStyle, more);
    const messages = await collect(session);
    return { messages, system: model.requests[0]?.system.map((block) => block.text).join('\n') ?? '' };
  };
  return { start, run };
}

const STYLES = {
  'work/.claude/output-styles/short.md': '---\nname: Short\nkeep-coding-instructions: true\n---\nOne sentence.',
  'home/.claude/output-styles/poet.md': '---\ndescription: In verse\n---\nRhyme.',
  'home/.claude/output-styles/empty.md': '---\nname: x\n---\n',
};
const ANSWERING = '# How you answer';
const WORKING = '# How you work';

it('takes the place of what is said of answers, and of how code is worked on unless it keeps that', async () => {
  const { run } = await place(STYLES);
  const plain = await run(undefined);
  expect([plain.system.includes(ANSWERING), plain.system.includes(WORKING)]).toEqual([true, true]);
  const short = await run('SHORT', { settingSources: ['project'] });
  expect(short.messages[0]).toMatchObject({ subtype: 'init', output_style: 'Short' });
  expect(short.system).toContain('# Output style: Short\nOne sentence.');
  expect([short.system.includes(ANSWERING), short.system.includes(WORKING)]).toEqual([false, true]);
  const poet = await run('poet');
  expect(poet.system).toContain('Rhyme.');
  expect([poet.system.includes(ANSWERING), poet.system.includes(WORKING), poet.system.includes('# Safety')]).toEqual([
    false,
    false,
    true,
  ]);
  expect((await run('learning')).system).toContain('TODO(human)');
  expect((await run('default')).system).toBe(plain.system);
});

it('is not used if there is none of that name, or if nobody vouches for its folder, and that is told', async () => {
  const { run } = await place(STYLES);
  const none = await run('shrt');
  expect(none.messages[0]).toMatchObject({ output_style: 'default' });
  expect(none.messages).toContainEqual(
    expect.objectContaining({
      code: 'settings_problem',
      message: expect.stringContaining('there is none of that name'),
      remedy: 'Styles: default, poet, Explanatory, Learning.',
    }),
  );
  const untrusted = await run('short');
  expect(untrusted.system).not.toContain('One sentence.');
  expect(JSON.stringify(untrusted.messages)).toContain('nobody vouches for it as it stands');
});

it('is listed with all that there are, those of plugins too', async () => {
  const { start } = await place({ ...STYLES, 'kit/output-styles/loud.md': 'Loud.', 'kit/commands/a.md': 'x' });
  const { session } = start('kit:loud', { plugins: [{ type: 'local', path: '../kit' }] });
  const { available_output_styles: all, output_style: own } = await session.initializationResult();
  expect([own, all]).toEqual(['kit:loud', ['default', 'poet', 'kit:loud', 'Explanatory', 'Learning']]);
  expect(await session.reloadOutputStyles()).toEqual({ available_output_styles: all });
  await session.return(undefined);
  session.close();
});
