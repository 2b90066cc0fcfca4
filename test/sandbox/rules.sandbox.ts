// Deny rules and the sandbox are one policy: what a rule keeps from tools no sandboxed command opens, though its line does
// not name it, and what the sandbox keeps from commands no tool for files opens.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';

const SECRET = 'SECRET-7d1c';

async function workspace() {
  const base = await mkdtemp('/var/tmp/tw-rules-');
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of [
    'work/.env',
    'work/deep/er/.env',
    'work/keys/a.pem',
    'work/vault/x',
    'outside/x',
    'work/open.txt',
  ]) {
    await mkdir(path.join(base, path.dirname(name)), { recursive: true });
    await writeFile(path.join(base, name), name === 'work/open.txt' ? 'open' : SECRET);
  }
  return { base, cwd: path.join(base, 'work') };
}

async function run(cwd: string, calls: readonly ReturnType<typeof toolCall>[], options: Options) {
  const model = scriptedModel([...calls, text('done')]);
  const env = { TURNWRIGHT_HOME: path.join(path.dirname(cwd), 'home') };
  const given = { sandbox: { enabled: true }, ...options, provider: model, cwd, env };
  const result = lastResult(await collect(query({ prompt: 'go', options: given })));
  expect(result.subtype).toBe('success');
  return JSON.stringify(model.requests.at(-1)?.messages);
}

/** Opens every file below a folder, without naming any of them. */
const WALK = `const fs = require("fs"); const walk = (at) => { try { for (const { name } of fs.readdirSync(at, { withFileTypes: true })) walk(at + "/" + name); } catch { try { console.log(at, fs.readFileSync(at, "utf8")); } catch {} } }; walk(process.argv[1])`;
const readAll = (folder: string) => toolCall('Bash', { command: `node -e '${WALK}' ${folder}` });

describe('a deny rule', () => {
  it.each([
    ['Read(.env)', 2],
    ['Read(*.pem)', 1],
    ['Read(/vault/**)', 1],
    ['Read(vault/)', 1],
    ['Read(vault/**)', 1],
    ['Read(er/**)', 1],
    ['Read(deep/er/)', 1],
    // A file is no folder.
    ['Read(a.pem/**)', 0],
  ])('%s hides from commands what it keeps from tools', async (rule, count) => {
    const { cwd } = await workspace();
    const free = await run(cwd, [readAll('.')], {});
    expect(free.split(SECRET)).toHaveLength(5);
    const kept = await run(cwd, [readAll('.')], { disallowedTools: [rule] });
    expect(kept).toContain('open');
    expect(kept.split(SECRET)).toHaveLength(5 - count);
  });

  it('of a path outside hides that', async () => {
    const { base, cwd } = await workspace();
    const calls = [readAll('../outside')];
    expect(await run(cwd, calls, {})).toContain(SECRET);
    expect(await run(cwd, calls, { disallowedTools: [`Read(/${base}/outside/**)`] })).not.toContain(SECRET);
  });

  it('about edits keeps commands from changing', async () => {
    const { cwd } = await workspace();
    const change = toolCall('Bash', {
      command: `node -e 'for (const name of ["open.txt", "vault/x", "vault/new"]) try { require("fs").writeFileSync(name, "changed"); } catch {}'`,
    });
    await run(cwd, [change], { disallowedTools: ['Edit(/vault/**)'] });
    expect(await readFile(path.join(cwd, 'open.txt'), 'utf8')).toBe('changed');
    expect(await readFile(path.join(cwd, 'vault/x'), 'utf8')).toBe(SECRET);
    await expect(readFile(path.join(cwd, 'vault/new'))).rejects.toThrow('ENOENT');
  });

  it('about everything leaves commands something to run', async () => {
    const { cwd } = await workspace();
    const said = await run(cwd, [toolCall('Bash', { command: 'echo alive' })], { disallowedTools: ['Read(//**)'] });
    expect(said).toContain('alive');
  });
});

describe('what the sandbox keeps from commands', () => {
  it('no tool reads, finds or changes', async () => {
    const { cwd } = await workspace();
    const sandbox = { enabled: true, filesystem: { denyRead: ['vault', '.env'], denyWrite: ['keys'] } };
    const said = await run(
      cwd,
      [
        toolCall('Read', { file_path: path.join(cwd, 'vault/x') }),
        toolCall('Read', { file_path: path.join(cwd, '.env') }),
        toolCall('Grep', { pattern: 'SECRET', output_mode: 'content', glob: 'vault/**' }),
        toolCall('Write', { file_path: path.join(cwd, 'keys/new.pem'), content: 'changed' }),
        toolCall('Write', { file_path: path.join(cwd, 'ok.txt'), content: 'changed' }),
      ],
      { sandbox, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    );
    expect(said).not.toContain(SECRET);
    expect(await readFile(path.join(cwd, 'ok.txt'), 'utf8')).toBe('changed');
    await expect(readFile(path.join(cwd, 'keys/new.pem'))).rejects.toThrow('ENOENT');
  });
});
