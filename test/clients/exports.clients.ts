// What the published SDKs export at run time is exported by ours: every name, of the same kind, and constants with the same
// values. Adapters read constants when they are loaded, so one that is missing fails before anything runs.
import { describe, expect, it } from 'vitest';
import * as claude from '../../src/claude.js';
import * as qoder from '../../src/qoder.js';
import { exportsOf } from './drive.js';

const SURFACES = [
  { name: '@anthropic-ai/claude-agent-sdk', ours: claude },
  { name: '@anthropic-ai/claude-agent-sdk/core', ours: claude },
  { name: '@qoder-ai/qoder-agent-sdk', ours: qoder },
];

describe.each(SURFACES)('$name', ({ name, ours }) => {
  it('has no export that ours has not', () => {
    const theirs = exportsOf(name);
    expect(Object.keys(theirs).length).toBeGreaterThan(20);
    const own = Object.fromEntries(
      Object.keys(theirs).map((key) => {
        const value = (ours as Record<string, unknown>)[key];
        return [key, typeof value === 'function' ? 'function' : value];
      }),
    );
    expect(JSON.parse(JSON.stringify(own))).toEqual(theirs);
  });
});
