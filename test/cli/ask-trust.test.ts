// The question whether a folder's settings may act, at a terminal of the test's own.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CliIo, createOutput } from '../../src/cli/cli-io.js';
import { createLineReader } from '../../src/cli/lines/line-reader.js';
import { askTrust } from '../../src/cli/questions/ask-person.js';
import type { QueryOptions } from '../../src/protocol/query-options.generated.js';
import { temporaryFolder } from '../support/engine.js';

async function place() {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const write = (name: string, content: unknown) => {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content));
  };
  /** Asks, and answers where something is asked. @returns what was shown */
  const ask = async (answer: string | null, options: QueryOptions = {}): Promise<string> => {
    const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
    let shown = '';
    stderr.on('data', (chunk) => {
      shown += String(chunk);
      if (!shown.endsWith('> ')) return;
      if (answer === null) stdin.end();
      else stdin.write(`${answer}\n`);
    });
    const io: CliIo = {
      stdin,
      stdout,
      stderr,
      out: createOutput(stdout),
      err: createOutput(stderr),
      env: { NO_COLOR: '1', TURNWRIGHT_HOME: home },
      startedIn: () => cwd,
      lifetime: new AbortController(),
      exit: () => undefined,
    };
    const reader = createLineReader(stdin);
    await askTrust(io, reader, { cwd, ...options }, io.lifetime.signal);
    await io.err.flush();
    reader.close();
    return shown;
  };
  const trusted = () => {
    try {
      return readFileSync(path.join(home, 'trust.json'), 'utf8');
    } catch {
      return null;
    }
  };
  return { cwd, write, ask, trusted };
}

const ASKED = 'nobody has vouched for';

describe('the question whether a folder is trusted', () => {
  it('is not asked if nothing would act', async () => {
    const { write, ask } = await place();
    expect(await ask('y')).toBe('');
    write('.claude/settings.json', { permissions: { deny: ['Bash'], ask: ['Edit'] }, hooks: { Stop: [] }, zzz: 1 });
    expect(await ask('y')).toBe('');
  });

  it('lists all that would act, and asks again for what changed since', async () => {
    const { write, ask, trusted } = await place();
    write('.claude/settings.json', { permissions: { allow: ['Bash', 'Write'], deny: ['X'] }, env: { CI: '1' } });
    const shown = await ask('y');
    expect(shown).toContain('permissions.allow = "Bash"\n');
    expect(shown).toContain('permissions.allow = "Write"\n');
    expect(shown).toContain('env.CI = "1"\n');
    expect(shown).not.toContain('"X"');
    expect(shown).toContain('[y] yes, these 3 as they stand');
    expect(await ask('y')).toBe('');
    write('.claude/settings.json', { permissions: { allow: ['Bash', 'Write'] }, env: { CI: '2' } });
    const again = await ask('n');
    expect(again).toContain('env.CI = "2"\n');
    expect(again).not.toContain('Bash');
    expect(trusted()).toContain('env.CI');
  });

  it('names the files that a hook runs, and asks again if one of them changed', async () => {
    const { write, ask } = await place();
    const hooks = (...commands: string[]) => ({
      Stop: [{ hooks: commands.map((command) => ({ type: 'command', command })) }],
    });
    write('.claude/settings.json', { hooks: hooks('./hooks/a.sh', 'python3 "tools/b c.py"', 'echo') });
    write('hooks/a.sh', 'exit 0');
    write('tools/b c.py', 'pass');
    const shown = await ask('y');
    expect(shown).toContain('hooks.Stop = {"hooks":[{"type":"command","command":"./hooks/a.sh"}');
    expect(shown).toContain('\n      with hooks/a.sh, tools/b c.py, as they stand\n');
    expect(await ask('y')).toBe('');
    write('tools/b c.py', 'Pass');
    expect(await ask('n')).toContain(ASKED);
  });

  it.each(['n', '', 'yep', 'trust', null])('takes %j for no', async (answer) => {
    const { write, ask, trusted } = await place();
    write('.qoder/settings.local.json', { model: 'evil/x' });
    expect(await ask(answer)).toContain('Not trusted: only what denies or asks counts.');
    expect(trusted()).toBeNull();
    expect(await ask('n')).toContain(ASKED);
  });

  it('shows nothing that moves the cursor, hides or imitates another line', async () => {
    const { write, ask } = await place();
    const value = '\u001b[2J\u001b[1;1H\r\n  [y] harmless\u202e\u200b';
    write('.claude/settings.json', { env: { A: value }, permissions: { allow: [`Read\u001b[8m`] } });
    const shown = await ask('n');
    for (const hidden of ['\u001b', '\r', '\u202e', '\u200b']) expect(shown).not.toContain(hidden);
    expect(shown).toContain('env.A = "\\u001b[2J\\u001b[1;1H\\r\\n  [y] harmless\\u202e\\u200b"');
    expect(shown.split('\n').filter((line) => line.includes('[y]'))).toHaveLength(2);
  });

  it('is not asked about what is too much to be read; then nothing acts', async () => {
    const { write, ask, trusted } = await place();
    write('.claude/settings.json', { permissions: { allow: Array.from({ length: 201 }, (_, at) => `Tool${at}`) } });
    expect(await ask('y')).toContain('too many or too long to be shown');
    write('.claude/settings.json', { env: { A: 'x'.repeat(2_001) } });
    expect(await ask('y')).toContain('too many or too long to be shown');
    expect(trusted()).toBeNull();
  });

  it('is not asked if sources are named', async () => {
    const { write, ask } = await place();
    write('.claude/settings.json', { model: 'x' });
    expect(await ask('y', { settingSources: ['user'] })).toBe('');
    expect(await ask('y', { settingSources: ['user', 'project', 'local'] })).toBe('');
  });

  it('is about skills, too: what each is for, what it allows, and what its files hash to', async () => {
    const { write, ask, trusted } = await place();
    write('.claude/skills/fix/SKILL.md', '---\ndescription: Fixes\nallowed-tools: Bash(ls *)\n---\nFix it.');
    const shown = await ask('y');
    expect(shown).toContain('brings skills that nobody has vouched for');
    expect(shown).toMatch(
      /skill fix = \{"name":"fix","description":"Fixes","allowedTools":\["Bash\(ls \*\)"\],"files":1,.*"sha256":"[0-9a-f]{64}"\}/,
    );
    expect(shown).toContain('[y] yes, these 1 as they stand');
    expect(trusted()).toContain('.claude/skills/fix/SKILL.md#skill fix');
    expect(await ask('y')).toBe('');
    write('.claude/skills/fix/run.sh', 'rm -rf /');
    expect(await ask('n')).toContain('skill fix');
  });

  it('is about servers of tools, with the files of the project that they name', async () => {
    const { write, ask, trusted } = await place();
    write('tools/server.mjs', 'one');
    write('.mcp.json', {
      mcpServers: { tickets: { command: 'node', args: ['tools/server.mjs'] }, off: { command: 'evil' } },
    });
    write('.turnwright/settings.json', { disabledMcpjsonServers: ['off'] });
    const shown = await ask('y');
    expect(shown).toMatch(
      /\.mcp\.json\n.*mcpServers\.tickets = \{"command":"node".*\n.*with tools\/server\.mjs, as it stands/,
    );
    expect(shown).toContain('these 1 as they stand');
    expect(trusted()).toContain('.mcp.json#mcpServers.tickets');
    expect(await ask('y')).toBe('');
    expect(await ask('y', { strictMcpConfig: true })).toBe('');
    write('tools/server.mjs', 'two');
    expect(await ask('y', { strictMcpConfig: true })).toBe('');
    expect(await ask('n')).toContain('mcpServers.tickets');
  });

  it('is about programs that git would start, too', async () => {
    const { cwd, write, ask } = await place();
    write('.git/HEAD', 'ref: refs/heads/main\n');
    write('.git/config', '[core]\n\tbare = false\n\tfsmonitor = "touch x"\n[diff "j"]\n\ttextconv = cat\n');
    const shown = await ask('y');
    expect(shown).toContain(`git would start these programs whenever it is run:\n  ${cwd}/.git/config\n`);
    expect(shown).toContain('core.fsmonitor = "touch x"\n');
    expect(shown).toContain('diff.j.textconv = "cat"\n');
    expect(await ask('y')).toBe('');
    write('.git/config', '[core]\n\tfsmonitor = "touch y"\n[diff "j"]\n\ttextconv = cat\n');
    expect(await ask('y')).not.toContain('textconv');
  });
});
