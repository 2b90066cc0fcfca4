import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/protocol/errors.js';
import type { Settings } from '../../src/protocol/options.js';
import { query } from '../../src/sdk/query.js';
import { readSettings } from '../../src/sdk/settings-option.js';
import { collect, lastResult } from '../../src/testing/collect.js';
import { text, toolCall } from '../../src/testing/script-steps.js';
import { scriptedModel } from '../../src/testing/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const attributionOf = (settings: Settings) => readSettings(settings).attribution;
const STANDARD = { commit: expect.stringMatching(/^Co-Authored-By: Turnwright /), pr: expect.stringMatching(/./) };

describe('settings given as an object', () => {
  it.each<[Settings, unknown]>([
    [{}, undefined],
    [{ attribution: false }, undefined],
    [{ includeCoAuthoredBy: false }, undefined],
    [{ attribution: true }, STANDARD],
    [{ includeCoAuthoredBy: true }, STANDARD],
    [{ attribution: false, includeCoAuthoredBy: true }, undefined],
    [{ attribution: { commit: ' Made-by: me\n' } }, { commit: 'Made-by: me', pr: '' }],
    [
      { attribution: { commit: '', pr: 'By me.' }, includeCoAuthoredBy: true },
      { commit: '', pr: 'By me.' },
    ],
  ])('%j', (settings, attribution) => {
    expect(attributionOf(settings)).toEqual(attribution);
    expect(readSettings(settings).notices).toEqual([]);
  });

  it.each([
    [{ includeCoAuthoredBy: 'yes' }, /includeCoAuthoredBy/],
    [{ attribution: 'me' }, /attribution must be/],
    [{ attribution: { commit: 5 } }, /attribution.commit/],
    [{ attribution: { pr: 'x'.repeat(2_001) } }, /2001 characters/],
    [[], /must be an object/],
  ])('refuses %j', (settings, why) => {
    const read = () => readSettings(settings as Settings);
    expect(read).toThrow(why);
    expect(read).toThrow(ConfigError);
  });

  it.each<[string | Settings, string]>([
    [{ model: 'x' }, 'model does nothing'],
    [{ model: 'x', hooks: {} }, 'model, hooks do nothing'],
    [{ attribution: { commit: 'x', sessionUrl: false } as never }, 'attribution.sessionUrl does nothing'],
    ['/etc/settings.json', 'it names a file'],
  ])('says what of %j has no effect', (settings, told) => {
    expect(readSettings(settings).notices).toEqual([
      { code: 'option_without_effect', message: expect.stringContaining(told) },
    ]);
  });
});

describe('attribution', () => {
  it('is told to the model, also beside a prompt of the caller’s own; without it nothing is', async () => {
    const model = scriptedModel(() => text('ok'));
    const sent = async (settings: Settings, systemPrompt?: string) => {
      const options = { provider: model, cwd: await temporaryFolder(), persistSession: false, settings };
      await collect(
        query({ prompt: 'go', options: systemPrompt === undefined ? options : { ...options, systemPrompt } }),
      );
      return (
        model.requests
          .at(-1)
          ?.system.map((block) => block.text)
          .join('\n') ?? ''
      );
    };
    const attribution = { commit: 'Made-by: me\nReviewed-by: you', pr: 'By me.' };
    expect(await sent({ attribution })).toMatch(
      /end its message with an empty line and this text, as it is:\n<text>\nMade-by: me\nReviewed-by: you\n<\/text>[\s\S]*pull request[\s\S]*\nBy me\.\n/,
    );
    expect(await sent({ attribution: { pr: 'By me.' } }, 'Only this.')).toMatch(
      /^Only this\.\n# Commits[\s\S]*By me\./,
    );
    expect(await sent({ attribution: { pr: 'By me.' } })).not.toContain('make a commit, end');
    expect(await sent({})).not.toContain('# Commits');
  });

  it('changes no commit that was made', async () => {
    const cwd = await temporaryFolder();
    const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
    git('init', '-q');
    const command = 'git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m "As it was written"';
    const model = scriptedModel([toolCall('Bash', { command }), text('ok')]);
    const options = {
      provider: model,
      cwd,
      persistSession: false,
      allowedTools: ['Bash'],
      settings: { attribution: true },
    };
    expect(lastResult(await collect(query({ prompt: 'commit', options }))).subtype).toBe('success');
    expect(git('log', '--format=%B').trim()).toBe('As it was written');
  });
});
