// `tools`, `allowedTools` and `disallowedTools` sound alike and mean three things: what is offered, what runs unasked, what
// does not run. Every mix of them, with the modes, as docs/permissions.md has it.
import { access } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { getTools } from '../../src/tools/builtin.js';
import { temporaryFolder } from '../support/engine.js';

type Names = readonly string[] | undefined;
const TOOLS: readonly (Names | { readonly type: 'preset'; readonly preset: 'claude_code' })[] = [
  undefined,
  [],
  ['Read', 'Glob'],
  ['Bash', 'Read'],
  { type: 'preset', preset: 'claude_code' },
];
const ALLOWED: readonly Names[] = [undefined, [], ['Bash'], ['Bash(touch *)'], ['Read']];
const DISALLOWED: readonly Names[] = [undefined, ['Bash'], ['Bash(touch *)'], ['Bash(make *)']];
const all = (await getTools()).map(({ name }) => name);

interface Mix {
  readonly tools: (typeof TOOLS)[number];
  readonly allowedTools: Names;
  readonly disallowedTools: Names;
}

const MIXES: readonly Mix[] = TOOLS.flatMap((tools) =>
  ALLOWED.flatMap((allowedTools) => DISALLOWED.map((disallowedTools) => ({ tools, allowedTools, disallowedTools }))),
);

function offeredBy({ tools, disallowedTools = [] }: Mix): string[] {
  const listed = tools === undefined || 'type' in tools ? all : tools;
  return listed.filter((name) => !disallowedTools.includes(name)).sort();
}

/** Of a call of Bash that touches a file; nobody is there to ask. */
function runsIn(mix: Mix): boolean {
  const { allowedTools = [], disallowedTools = [] } = mix;
  const isDenied = disallowedTools.includes('Bash(touch *)');
  const isAllowed = allowedTools.some((rule) => rule.startsWith('Bash'));
  return offeredBy(mix).includes('Bash') && isAllowed && !isDenied;
}

async function run(options: Options) {
  const cwd = await temporaryFolder();
  const model = scriptedModel([toolCall('Bash', { command: 'touch made' }), text('ok')]);
  const env = { TURNWRIGHT_HOME: await temporaryFolder() };
  const result = lastResult(
    await collect(query({ prompt: 'go', options: { persistSession: false, ...options, provider: model, cwd, env } })),
  );
  const ran = await access(path.join(cwd, 'made')).then(
    () => true,
    () => false,
  );
  const [first] = model.requests;
  return { result, ran, offered: first?.tools.map(({ name }) => name).sort(), system: JSON.stringify(first?.system) };
}

/** What is given; an option that is not there is not the same as one that is undefined. */
const given = ({ tools, allowedTools, disallowedTools }: Mix): Options => ({
  ...(tools === undefined ? {} : { tools: 'type' in tools ? tools : [...tools] }),
  ...(allowedTools === undefined ? {} : { allowedTools: [...allowedTools] }),
  ...(disallowedTools === undefined ? {} : { disallowedTools: [...disallowedTools] }),
});

describe('tools, allowedTools and disallowedTools', () => {
  it('are mixed in a hundred ways', () => {
    expect(MIXES).toHaveLength(100);
  });

  it.each(MIXES.map((mix) => [JSON.stringify(mix), mix] as const))('%s', async (_name, mix) => {
    const { offered, ran, result } = await run(given(mix));
    expect({ offered, ran }).toEqual({ offered: offeredBy(mix), ran: runsIn(mix) });
    expect(result.subtype).toBe('success');
  });

  it('tools: [] sends no definition, and the instructions speak of none', async () => {
    const { offered, system } = await run({ tools: [] });
    expect(offered).toEqual([]);
    expect(all.filter((name) => new RegExp(`\\b${name} tool\\b|\\x60${name}\\x60`).test(system))).toEqual([]);
  });
});
