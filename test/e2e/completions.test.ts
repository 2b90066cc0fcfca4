// What the Tab key offers, asked of real shells: bash is there; zsh and fish where they are.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FLAGS } from '../../src/cli/args/flags.js';
import { vocabulary } from '../../src/cli/args/vocabulary.js';
import { PERMISSION_MODES } from '../../src/protocol/permissions.js';
import { buildEntry, ENTRY, runCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

/** As bash does it: words parted at blanks and at "=". */
const ASK_BASH = `
source "$1"; shift
for line; do
  read -ra COMP_WORDS <<< "\${line//=/ = }"
  if [[ $line == *' ' || $line == *= ]]; then COMP_WORDS+=(''); fi
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=()
  _turnwright turnwright "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  printf '%s\\n' "\${COMPREPLY[*]}"
done`;

async function place() {
  const [bin, cwd, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const program = join(bin, 'turnwright');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, TURNWRIGHT_HOME: home };
  mkdirSync(join(cwd, 'a folder'));
  writeFileSync(join(cwd, 'a file'), '');
  return { cwd, env, bin };
}

async function askBash(lines: readonly string[]) {
  const { cwd, env, bin } = await place();
  const script = join(bin, 'completion.bash');
  writeFileSync(script, (await runCli(['completions', 'bash'])).stdout);
  const { stdout: json } = await runCli(['-p', 'list the files', '--model', 'offline', '--output-format', 'json'], {
    cwd,
    env,
  });
  const id = (JSON.parse(json) as { session_id: string }).session_id.slice(0, 8);
  const asked = spawnSync('bash', ['--norc', '-c', ASK_BASH, 'bash', script, ...lines], { cwd, env, encoding: 'utf8' });
  expect(asked.stderr).toBe('');
  return { id, offered: asked.stdout.split('\n').slice(0, lines.length) };
}

describe('turnwright completions', () => {
  it('bash: commands, flags, choices, folders, and ids of the sessions of the folder', async () => {
    const { id, offered } = await askBash([
      'turnwright sess',
      'turnwright --output-f',
      'turnwright --output-format ',
      'turnwright --output-format=stream',
      'turnwright -p --permission-mode acc',
      'turnwright --resume ',
      'turnwright sessions sho',
      'turnwright sessions show ',
      'turnwright sessions show --js',
      'turnwright config set --scope pro',
      'turnwright -p --cwd a',
      'turnwright help doc',
      'turnwright -p sess',
      'turnwright sessions list --lim',
    ]);
    expect(offered).toEqual([
      'sessions',
      '--output-format',
      'text json stream-json',
      'stream-json',
      'acceptEdits',
      id,
      'show',
      id,
      '--json',
      'project',
      'a folder',
      'doctor',
      '',
      '--limit',
    ]);
  });

  it('every shell reads its script, and offers what is there', async () => {
    const { bin, cwd, env } = await place();
    const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;
    const file = join(bin, 'completion');
    for (const shell of ['zsh', 'fish'] as const) {
      const { code, stdout } = await runCli(['completions', shell]);
      writeFileSync(file, stdout);
      expect(code).toBe(0);
      for (const { name } of FLAGS.filter((flag) => !flag.name.includes('-'))) expect(stdout).toContain(name);
      if (has(shell))
        expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    }
    if (has('fish')) {
      const ask = `source ${file}; complete -C 'turnwright --output-format j'; complete -C 'turnwright sessions exp'`;
      const asked = spawnSync('fish', ['--no-config', '-c', ask], { cwd, env, encoding: 'utf8' });
      expect(asked.stdout).toMatch(/^json\t.*\nexport\t.*\n$/);
    }
  });

  it('says how it is kept, and refuses other shells', async () => {
    expect((await runCli(['completions'])).stdout).toContain('source <(turnwright completions bash)');
    expect(await runCli(['completions', 'tcsh'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
    // Nobody sees an error behind the Tab key.
    const nowhere = { env: { TURNWRIGHT_HOME: '/dev/null/x' } };
    expect(await runCli(['completions', '--sessions'], nowhere)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('what is offered', () => {
  it('has every flag, with its choices', () => {
    const { flags } = vocabulary();
    expect(flags.length).toBe(FLAGS.length);
    const modes = flags.find(({ names }) => names.includes('--permission-mode'));
    expect(modes?.values).toEqual({ kind: 'choice', choices: [...PERMISSION_MODES] });
    expect(flags.filter(({ about }) => about === '').map(({ names }) => names[0])).toEqual([]);
  });

  it.each(
    vocabulary()
      .commands.filter(({ name }) => name !== 'help')
      .map((command) => [command.name, command] as const),
  )('%s: the words and flags that its help tells of', async (name, { words, flags }) => {
    const helps = [(await runCli([name, '--help'])).stdout];
    if (name === 'models') helps.push((await runCli([name, 'probe', '--help'])).stdout);
    const help = helps.join('\n');
    const told = [...help.matchAll(new RegExp(`turnwright ${name} (--help)?.*`, 'g'))].join('\n');
    expect(words.filter((word) => !new RegExp(`\\b${word.name}\\b`).test(help)).map((word) => word.name)).toEqual([]);
    const rows = help.split('\n').filter((line) => /^ {2}(-\w, )?--[a-z]/.test(line) && !line.includes('(sessions)'));
    const named = [
      ...(rows.join('\n').match(/--[a-z][a-zA-Z-]+/g) ?? []),
      ...(told.match(/(?<=\[)--[a-z][a-zA-Z-]+/g) ?? []),
    ];
    const offered = flags.flatMap(({ names }) => names);
    expect([...new Set(named)].filter((flag) => !offered.includes(flag))).toEqual([]);
  });
});
