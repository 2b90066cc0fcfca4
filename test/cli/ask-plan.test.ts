// A plan shown at the terminal: approved, changed, or planned on.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../src/cli/lines/line-reader.js';
import { createAskPlan, oneAtATime } from '../../src/cli/questions/ask-person.js';
import { sharedFolder } from '../support/shared-folder.js';

const STYLE = { colour: false, columns: 80, verbose: false };

/** What comes of a plan; each answer is a line, or something that is done before the next question. */
async function ask(answers: (string | null | (() => string))[], planFilePath?: string) {
  const input = new PassThrough();
  const shown: string[] = [];
  const canUseTool = createAskPlan({
    reader: createLineReader(input),
    style: STYLE,
    inTurn: oneAtATime(),
    write: async (text) => {
      shown.push(text);
      const answer = answers.shift();
      if (answer === null) input.end();
      else if (answer !== undefined) input.write(`${typeof answer === 'function' ? answer() : answer}\n`);
    },
  });
  const file = planFilePath === undefined ? {} : { planFilePath };
  const result = await canUseTool(
    'ExitPlanMode',
    { plan: '1. Look.' },
    { signal: new AbortController().signal, toolUseID: 't', exitPlanMode: { plan: '1. Look.', ...file } },
  );
  return { result, shown };
}

describe('a plan at the terminal', () => {
  it('is shown whole, and begun with a yes', async () => {
    const { result, shown } = await ask(['y']);
    expect(shown[0]).toContain('1. Look.');
    expect(result).toEqual({ behavior: 'allow', decisionClassification: 'user_temporary' });
  });

  it('is begun with edits accepted', async () => {
    const { result } = await ask(['a']);
    expect(result).toMatchObject({
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    });
  });

  it.each([
    [['n'], /plan on\. Ask/],
    [['no, tests first'], /says: tests first/],
    [['e', 'tests first'], /says: tests first/],
    [['?', '?', '?'], /no clear answer/],
    [[null], /input has ended/],
  ])('is planned on after %j', async (answers, message) => {
    const { result } = await ask(answers);
    expect(result).toMatchObject({ behavior: 'deny', message: expect.stringMatching(message) });
  });

  it('that was changed in its file is shown again, and approved as it was shown last', async () => {
    const file = join(sharedFolder('plan'), 'plan.md');
    const change = () => {
      writeFileSync(file, '1. Test.\n');
      return 'c';
    };
    const { result, shown } = await ask([change, 'y'], file);
    expect(shown[1]).toContain('1. Test.');
    expect(result).toMatchObject({ behavior: 'allow', updatedInput: { plan: '1. Test.' } });
  });

  it('whose file is gone says so, and asks on', async () => {
    const { result, shown } = await ask(['c', 'y'], join(sharedFolder('plan'), 'none.md'));
    expect(shown[1]).toContain('cannot be read');
    expect(result).toEqual({ behavior: 'allow', decisionClassification: 'user_temporary' });
  });
});
