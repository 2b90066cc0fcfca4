// Sessions that are made ready before their prompt, or their folder, is known.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { filterEscalatingDefaultMode, resolveSettings } from '../../src/sdk/settings/resolve-settings.js';
import { prewarm, startup } from '../../src/sdk/startup.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function options(...answers: string[]) {
  const home = await temporaryFolder();
  const provider = scriptedModel(answers.map((answer) => text(answer)));
  return { home, provider, env: { TURNWRIGHT_HOME: home }, cwd: home };
}

describe('startup', () => {
  it('is open before its prompt, takes one, and no second', async () => {
    const given = await options('Done.');
    const warm = await startup({ options: given });
    expect(given.provider.requests).toHaveLength(0);
    const messages = await collect(warm.query('x'));
    expect(lastResult(messages).result).toBe('Done.');
    expect(() => warm.query('y')).toThrow(/only be called once/);
  });

  it('tells what is wrong at once, and is over when it is closed', async () => {
    await expect(startup({ options: { ...(await options()), cwd: '/nowhere/at/all' } })).rejects.toThrow(/cwd/);
    const warm = await startup({ options: await options() });
    warm.close();
    expect(() => warm.query('x')).toThrow(/was closed/);
  });
});

describe('prewarm', () => {
  it('becomes a session of the folder that claims it', async () => {
    const { cwd, ...given } = await options('Done.');
    const other = await temporaryFolder();
    const spare = await prewarm({ options: { ...given, cwd } });
    const session = spare.claim({ prompt: 'x', options: { cwd: other, appendSystemPrompt: 'Be brief.', title: 'T' } });
    const { sessionId, cwd: claimed } = await spare.claimed;
    const messages = await collect(session);
    expect(messages[0]).toMatchObject({ cwd: other, session_id: sessionId });
    expect(claimed).toBe(other);
    expect(JSON.stringify(given.provider.requests[0]?.system)).toContain('Be brief.');
    expect(() => spare.claim({ prompt: 'x', options: { cwd } })).toThrow(/only be claimed once/);
  });

  it('rejects what was claimed if it cannot be opened, or was closed', async () => {
    const broken = await prewarm({ options: await options() });
    const session = broken.claim({ prompt: 'x', options: { cwd: '/nowhere/at/all' } });
    await expect(broken.claimed).rejects.toThrow(/cwd/);
    await expect(collect(session)).rejects.toThrow(/cwd/);
    const closed = await prewarm({ options: await options() });
    closed.close();
    await expect(closed.claimed).rejects.toThrow(/spare_closed/);
    await closed.exited;
    expect(() => closed.claim({ prompt: 'x', options: { cwd: '/' } })).toThrow(/was closed/);
  });
});

describe('resolveSettings', () => {
  it('tells what counts, where it comes from, and what each file says', async () => {
    const { home, env } = await options();
    const cwd = await temporaryFolder();
    const user = path.join(home, 'settings.json');
    const project = path.join(cwd, '.claude/settings.json');
    await writeFile(user, JSON.stringify({ model: 'opus' }));
    await mkdir(path.dirname(project));
    await writeFile(
      project,
      JSON.stringify({ permissions: { allow: ['Bash'], deny: ['WebFetch'], defaultMode: 'acceptEdits' } }),
    );
    const found = await resolveSettings({ cwd, env });
    expect(found.effective).toEqual({ model: 'opus', permissions: { deny: ['WebFetch'] } });
    expect(found.provenance).toEqual({
      model: { source: 'user', path: user },
      permissions: { source: 'project', path: project },
    });
    expect(found.sources.map(({ source, path: file }) => [source, file])).toEqual([
      ['user', user],
      ['project', project],
    ]);
    const trusted = await resolveSettings({ cwd, env, trustFolder: true });
    expect(trusted.effective.permissions).toMatchObject({ allow: ['Bash'], defaultMode: 'acceptEdits' });
    expect(filterEscalatingDefaultMode(trusted).permissions).toEqual({ allow: ['Bash'], deny: ['WebFetch'] });
    expect(await resolveSettings({ cwd: home, env, settingSources: [] })).toEqual({
      effective: {},
      provenance: {},
      sources: [],
    });
  });
});
