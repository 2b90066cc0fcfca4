// `turnwright skills`, over streams of the test's own and real files.
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type CliIo, createOutput } from '../../../src/cli/cli-io.js';
import { runSkills } from '../../../src/cli/commands/agents-and-skills.js';
import { describeInput } from '../../../src/view/escape-text.js';
import { skillFile, skillsPlace } from '../../support/skills.js';

async function run(place: Awaited<ReturnType<typeof skillsPlace>>, ...argv: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let out = '';
  stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  const io: CliIo = {
    stdin: Readable.from([]),
    stdout,
    stderr,
    out: createOutput(stdout),
    err: createOutput(stderr),
    env: { TURNWRIGHT_HOME: place.home },
    startedIn: () => place.cwd,
    lifetime: new AbortController(),
    exit: () => undefined,
  };
  const code = await runSkills(argv, io);
  await io.out.flush();
  return { code, out };
}

it('lists what there is, whose, and how large; and what is refused, with the reason', async () => {
  const place = await skillsPlace();
  await place.write({
    'user/.turnwright/skills/fix/SKILL.md': skillFile({ 'allowed-tools': 'Bash(ls *)', 'user-invocable': 'false' }),
    'repo/.claude/skills/odd/SKILL.md': skillFile({ description: '"\\u001b[31mRed"' }),
    'repo/.claude/skills/bad/SKILL.md': 'Nothing.',
  });
  const [mine, odd, bad] = [
    path.join(place.home, 'skills/fix/SKILL.md'),
    path.join(place.cwd, '.claude/skills/odd/SKILL.md'),
    path.join(place.cwd, '.claude/skills/bad/SKILL.md'),
  ];
  const argv = ['list', '--cwd', place.cwd];
  const { code, out } = await run(place, ...argv);
  expect(code).toBe(0);
  expect(out.replace(/\d+ bytes, about \d+ tokens/g, 'N bytes')).toBe(
    `fix  Does it
    user, ${mine}, N bytes, for the model alone, allows Bash(ls *)
2 skills that cannot be used:
bad  it has no description: write one between --- lines at its beginning
    project, ${bad}
odd  nobody vouches for it as it stands
    project, ${odd}
`,
  );
  const trusted = await run(place, ...argv, '--trust');
  expect(trusted.out).toContain('odd  ');
  expect(trusted.out).not.toContain('\u001b');
  expect(JSON.parse((await run(place, ...argv, '--json', '--setting-sources', 'user')).out)).toMatchObject({
    skills: [{ name: 'fix', scope: 'user', file: mine, tokens: expect.any(Number) }],
    refused: [],
  });
  expect((await run(place, ...argv, '--setting-sources', 'none')).out).toBe('No skills here.\n');
});

it('says what it does not know, and helps', async () => {
  const place = await skillsPlace();
  expect((await run(place)).out).toContain('turnwright skills list');
  await expect(run(place, 'remove')).rejects.toThrow('unknown command "skills remove". Commands: list.');
  await expect(run(place, 'list', 'x')).rejects.toThrow('unexpected argument "x".');
});

it('a call is named by the skill and what it works on', () => {
  expect(describeInput({ skill: 'fix', args: 'a.ts' })).toBe('fix a.ts');
});
