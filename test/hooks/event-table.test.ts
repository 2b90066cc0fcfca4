// The table of events in docs/hooks.md says what the code does.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canBlock } from '../../src/hooks/declared-hooks.js';
import { hookSubject } from '../../src/hooks/matcher.js';
import { HOOK_EVENTS, type HookInput } from '../../src/protocol/hooks.js';
import { isFired } from '../../src/session/config/check-config.js';
import { hookInput } from './inputs.js';

const document = readFileSync(new URL('../../docs/hooks.md', import.meta.url), 'utf8');
const rows = document
  .slice(document.indexOf('## Events'))
  .split('\n')
  .flatMap((line) => {
    const [, event, , input = '', matcher = '', , refused = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const name = HOOK_EVENTS.find((each) => event === `\`${each}\``);
    return name === undefined ? [] : [{ event: name, input, matcher, refused }];
  });

describe('the table of events', () => {
  it('has a row for each event that fires, and names the others', () => {
    expect(rows.map(({ event }) => event).sort()).toEqual(HOOK_EVENTS.filter(isFired).sort());
    const others = document.slice(document.lastIndexOf('\n\n'));
    for (const event of HOOK_EVENTS.filter((each) => !isFired(each))) expect(others).toContain(`\`${event}\``);
  });

  it.each(rows)('$event: who may refuse, what a matcher is held against, which fields there are', (row) => {
    expect(row.refused.startsWith('yes')).toBe(canBlock(row.event));
    const input = hookInput(row.event) as HookInput & Record<string, unknown>;
    const isName = row.matcher.startsWith('name of ');
    const subject = row.matcher === 'tool' ? 'tool_name' : row.matcher.replace(/^name of |`/g, '');
    expect(hookSubject(input)).toEqual(
      subject === '' ? null : isName ? String(input[subject]).split('/').at(-1) : input[subject],
    );
    const own = Object.keys(input).filter(
      (key) => !['session_id', 'transcript_path', 'cwd', 'permission_mode', 'hook_event_name'].includes(key),
    );
    const named = row.input.startsWith('as PreToolUse') ? `${row.input} tool_name tool_input tool_use_id` : row.input;
    for (const key of own) expect(named).toContain(key);
  });
});
