// Skills in use outlive each way of making room, word for word; also twice in a row, and after a resume.
import { describe, expect, it } from 'vitest';
import { skillOfText, skillText } from '../../../src/context/skills/skill-definition.js';
import { createTokenEstimator } from '../../../src/engine/tokens/estimate-tokens.js';
import type { ContentBlock, MessageParam } from '../../../src/protocol/content.js';
import { ModelError } from '../../../src/protocol/errors.js';
import type { ModelRequest } from '../../../src/providers/contract/provider.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { activeSkills } from '../../../src/session/skills/active-skills.js';
import { collect } from '../../../src/testing/model/collect.js';
import { type ScriptedAnswer, text, toolCall } from '../../../src/testing/model/script.js';
import { type ScriptedFunction, scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { textOf } from '../../engine/long-histories.js';
import { type SkillsPlace, skillFile, skillsPlace } from '../../support/skills.js';
import { isSummaryRequest } from '../../support/summary-request.js';

const estimator = createTokenEstimator();
const of = (name: string, body = 'Do it.') => skillText({ name, folder: `/skills/${name}`, body, args: '' });
const called = (id: string, name = 'Skill'): MessageParam => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input: {} }],
});
const answered = (id: string, content: string, is_error = false): MessageParam => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content, is_error }],
});
const activeIn = (conversation: readonly MessageParam[], maxTokens = 10_000) =>
  activeSkills(conversation, { maxTokens, estimator });

describe('the conversation says which skills are in use', () => {
  it('by calls, by commands and by pins, as they were called last', () => {
    const conversation: MessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Older parts' },
          { type: 'text', text: of('kept') },
        ],
      },
      { role: 'user', content: of('typed') },
      called('a'),
      answered('a', of('called')),
      called('b'),
      answered('b', of('typed', 'Anew.')),
    ];
    expect(activeIn(conversation)).toEqual([of('kept'), of('called'), of('typed', 'Anew.')]);
  });

  it('by nothing else', () => {
    const conversation: MessageParam[] = [
      called('a', 'Read'),
      answered('a', of('of-a-file')),
      called('b'),
      answered('b', of('failed'), true),
      { role: 'assistant', content: [{ type: 'text', text: of('said') }] },
      { role: 'user', content: `Look: ${of('quoted')}` },
      called('c'),
      answered('c', '[removed]'),
    ];
    expect(activeIn(conversation)).toEqual([]);
    expect(skillOfText('The skill "a b" is in use. Paths in it start from its folder, /x\n')).toBeNull();
  });

  it('of more than fits those that were called last are kept, and the others named', () => {
    const big = textOf(800, 1);
    const conversation = ['one', 'two', 'three'].flatMap((name): MessageParam[] => [
      called(name),
      answered(name, of(name, name === 'two' ? big : 'Short.')),
    ]);
    expect(activeIn(conversation, 5_000)).toEqual([of('one', 'Short.'), of('two', big), of('three', 'Short.')]);
    expect(activeIn(conversation, 200)).toEqual([
      of('one', 'Short.'),
      of('three', 'Short.'),
      'Skills that were in use, and whose texts are too long to be kept: two. Where one still matters, call it again before going on.',
    ]);
  });
});

const WINDOW = 24_000;
const BODY = `Do it like this.\n\n${textOf(600, 7)}`;

async function placeWithSkills(): Promise<SkillsPlace> {
  const place = await skillsPlace();
  await place.write({
    'user/.claude/skills/called/SKILL.md': skillFile({}, BODY),
    'user/.claude/skills/typed/SKILL.md': skillFile({}, 'Typed. $ARGUMENTS'),
    'repo/long.txt': textOf(20_000, 3),
  });
  return place;
}

/** How often the text stands in a request, as a text of its own or as the result of a call. */
function timesIn({ messages }: ModelRequest, name: string): number {
  const blocks = messages.flatMap(({ content }): readonly (string | ContentBlock)[] =>
    typeof content === 'string' ? [content] : content,
  );
  const texts = blocks.flatMap((block) => {
    if (typeof block === 'string') return [block];
    if (block.type === 'text') return [block.text];
    return block.type === 'tool_result' && typeof block.content === 'string' ? [block.content] : [];
  });
  return texts.filter((each) => skillOfText(each)?.name === name).length;
}

const summary = text(`<summary>${textOf(200, 5)}</summary>`);

function playing(steps: ScriptedAnswer[], summaries: ScriptedAnswer = summary): ScriptedFunction {
  return (request) => (isSummaryRequest(request) ? summaries : (steps.shift() ?? text('Done.')));
}

const options = (place: SkillsPlace, model: Options['provider']): Options => ({
  ...place.options,
  ...(model === undefined ? {} : { provider: model }),
  contextWindow: WINDOW,
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
});
const look = (at: number) => toolCall('Read', { file_path: 'long.txt', offset: at, limit: 200 });

describe('skills in use stand word for word', () => {
  it('in the request after a compaction, after another one, and after a resume', async () => {
    const place = await placeWithSkills();
    const steps = [toolCall('Skill', { skill: 'called' }), text('Ok.'), text('Typed it.')];
    const model = scriptedModel(playing(steps));
    let sessionId: string | undefined;
    for (const prompt of ['Go.', '/typed now', 'More.', '/compact', 'Next.', '/compact', 'And?']) {
      const own = options(place, model);
      const messages = await collect(
        query({ prompt, options: sessionId === undefined ? own : { ...own, resume: sessionId } }),
      );
      sessionId = messages[0]?.session_id;
    }
    const requests = model.requests.filter((request) => !isSummaryRequest(request));
    expect(requests).toHaveLength(6);
    for (const request of requests.slice(-2)) {
      expect(JSON.stringify(request.messages)).toContain('compacted to save space');
      expect([timesIn(request, 'called'), timesIn(request, 'typed')]).toEqual([1, 1]);
      expect(JSON.stringify(request.messages)).toContain(JSON.stringify(BODY).slice(1, -1));
      expect(JSON.stringify(request.messages)).toContain('Typed. now');
    }
    expect(model.violations).toEqual([]);
  });

  it('after old results were removed, and after cuts without a model', async () => {
    for (const way of ['pruned', 'refused', 'refused twice'] as const) {
      const place = await placeWithSkills();
      let refusals = way === 'pruned' ? 0 : way === 'refused' ? 1 : 2;
      let n = 0;
      const model = scriptedModel((request) => {
        if (isSummaryRequest(request)) return text('No.');
        if (n > 0 && n < 14) {
          if (n > 8 && refusals > 0) {
            refusals--;
            return { error: new ModelError('context_overflow', 'too long', { status: 400 }) };
          }
          return look(n++ * 200);
        }
        return n++ === 0 ? toolCall('Skill', { skill: 'called' }) : text('Done.');
      });
      const messages = await collect(query({ prompt: 'Go.', options: options(place, model) }));
      const cuts = messages.filter(
        (each) => each.type === 'system' && each.subtype === 'notice' && each.code === 'history_shrunk',
      );
      expect(cuts.length, way).toBeGreaterThan(0);
      const last = model.requests.at(-1) as ModelRequest;
      expect(JSON.stringify(last.messages), way).toContain('to save space');
      // Of a cut to so little, only its name is left.
      const isKept = way !== 'refused twice';
      expect(timesIn(last, 'called'), way).toBe(isKept ? 1 : 0);
      expect(JSON.stringify(last.messages), way).toContain(
        isKept ? JSON.stringify(BODY).slice(1, -1) : 'whose texts are too long to be kept: called.',
      );
      expect(model.violations).toEqual([]);
    }
  });

  it('no more after /clear', async () => {
    const place = await placeWithSkills();
    const model = scriptedModel(playing([toolCall('Skill', { skill: 'called' })]));
    let sessionId: string | undefined;
    for (const prompt of ['Go.', '/clear', 'Anew.', '/compact', 'And?']) {
      const own = options(place, model);
      const messages = await collect(
        query({ prompt, options: sessionId === undefined ? own : { ...own, resume: sessionId } }),
      );
      sessionId = messages[0]?.session_id;
    }
    expect(timesIn(model.requests.at(-1) as ModelRequest, 'called')).toBe(0);
  });
});
