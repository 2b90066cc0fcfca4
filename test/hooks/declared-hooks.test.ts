// A declaration that cannot be used is an error when it is given.
import { describe, expect, it } from 'vitest';
import { createHookRunner, type HookMatchers } from '../../src/hooks/run-hooks.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { ConfigError } from '../../src/protocol/errors.js';
import { HOOK_EVENTS } from '../../src/protocol/hooks.js';

const hook = async () => ({});

function create(hooks: unknown) {
  return createHookRunner(hooks as HookMatchers, createMemoryHost());
}

describe('createHookRunner', () => {
  it.each<[hooks: unknown, message: string]>([
    [null, 'hooks must be an object'],
    [[], 'hooks must be an object'],
    [{ preToolUse: [] }, 'hooks.preToolUse: there is no such hook event'],
    [{ PreToolUse: { hooks: [hook] } }, 'hooks.PreToolUse must be a list'],
    [{ PreToolUse: null }, 'hooks.PreToolUse must be a list'],
    [{ PreToolUse: [hook] }, 'hooks.PreToolUse[0] must be an object'],
    [{ PreToolUse: [{ hooks: [hook] }, null] }, 'hooks.PreToolUse[1] must be an object'],
    [{ PreToolUse: [{ hooks: hook }] }, 'hooks.PreToolUse[0].hooks must be a list'],
    [{ PreToolUse: [{}] }, 'hooks.PreToolUse[0].hooks must be a list'],
    [{ PreToolUse: [{ hooks: [hook, { type: 'command' }] }] }, 'hooks.PreToolUse[0].hooks[1] must be a function'],
    [{ PreToolUse: [{ hooks: [hook], matcher: /Bash/ }] }, 'hooks.PreToolUse[0].matcher must be a string'],
    [{ PreToolUse: [{ hooks: [hook], matcher: '(' }] }, 'hooks.PreToolUse[0].matcher "(" is not a regular expression'],
    // Also where the event ignores its matcher, and where there is no hook to run.
    [{ Stop: [{ hooks: [], matcher: '(' }] }, 'hooks.Stop[0].matcher "(" is not a regular expression'],
    [{ Stop: [{ hooks: [hook], timeout: 0 }] }, 'hooks.Stop[0].timeout must be a number of seconds above 0; it is "0"'],
    [{ Stop: [{ hooks: [hook], timeout: -1 }] }, 'hooks.Stop[0].timeout'],
    [{ Stop: [{ hooks: [hook], timeout: Number.NaN }] }, 'hooks.Stop[0].timeout'],
    [{ Stop: [{ hooks: [hook], timeout: Number.POSITIVE_INFINITY }] }, 'hooks.Stop[0].timeout'],
    [{ Stop: [{ hooks: [hook], timeout: '5' }] }, 'hooks.Stop[0].timeout'],
    [{ Stop: [{ hooks: [hook], timeout: {} }] }, 'it is a object'],
    [{ Stop: [{ hooks: [hook], onFailure: 'deny' }] }, "hooks.Stop[0].onFailure must be 'continue' or 'block'"],
    [{ SessionStart: [{ hooks: [hook], onFailure: 'block' }] }, 'a SessionStart hook can block nothing'],
  ])('refuses %o', (hooks, message) => {
    expect(() => create(hooks)).toThrow(ConfigError);
    expect(() => create(hooks)).toThrow(message);
  });

  it('names all events if one looks like a slip', () => {
    expect(() => create({ preToolUse: [] })).toThrow(HOOK_EVENTS.join(', '));
    expect(HOOK_EVENTS).toHaveLength(33);
  });

  it('passes over events of other engines, and names that every object inherits', () => {
    for (const event of ['PostModelSwitch', 'WhenTheMoonIsFull', 'toString'])
      expect(() => create({ [event]: [{ hooks: [hook] }] })).not.toThrow();
  });

  it.each([
    [{}],
    [{ PreToolUse: undefined }],
    [{ PreToolUse: [] }],
    [{ Stop: [{ hooks: [] }] }],
    [{ Stop: [{ hooks: [hook], timeout: 1e9, onFailure: 'continue', somethingNew: 1 }] }],
    [{ SessionStart: [{ hooks: [hook], onFailure: 'continue', matcher: undefined }] }],
  ])('accepts %o', (hooks) => {
    expect(() => create(hooks)).not.toThrow();
  });

  it('accepts a function whose name is overwritten', () => {
    const odd = Object.defineProperty(async () => ({}), 'name', { value: 42 });
    expect(create({ Stop: [{ hooks: [odd] }] }).has('Stop')).toBe(true);
  });
});
