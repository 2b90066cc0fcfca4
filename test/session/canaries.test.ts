// Twenty-five secrets are put where a session finds them; none reaches a process it starts, its messages, its
// transcript, its log or an error.
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROVIDER_SECRET_VARIABLES } from '../../src/providers/keys/key-variables.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { bashTool } from '../../src/tools/bash.js';
import { temporaryFolder, testEngine } from '../support/engine.js';

const names = PROVIDER_SECRET_VARIABLES.filter((name) => name !== 'TURNWRIGHT_PROVIDERS').slice(0, 24);
const canaries = Object.fromEntries(names.map((name, at) => [name, `canary-${at}-7f3a9c51e2b84d06`]));
const values = Object.values(canaries);
/** The value of one of them under a name that says nothing. */
const aliased = { BUILD_NUMBER: canaries[names[0] ?? ''] ?? '' };

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const files: string[] = [];
  for (const name of entries) {
    const file = path.join(folder, name);
    if ((await stat(file)).isFile()) files.push(await readFile(file, 'utf8'));
  }
  return files;
}

const found = (content: string) => values.filter((value) => content.includes(value));

async function session(commands: readonly string[]) {
  const home = await temporaryFolder();
  const logged: unknown[] = [];
  const model = scriptedModel([...commands.map((command) => toolCall('Bash', { command })), text('done')]);
  const { engine } = await testEngine(model, {
    tools: [bashTool],
    env: { TURNWRIGHT_HOME: home, ...canaries, ...aliased },
    log: (event, detail) => logged.push([event, detail]),
  });
  const messages = await collect(engine.submitMessage('go'));
  await engine.close();
  return { home, messages, logged, requests: model.requests };
}

describe('twenty-five secrets', () => {
  it('are enough of them', () => {
    expect(new Set([...names, ...Object.keys(aliased)]).size).toBeGreaterThanOrEqual(20);
    expect(new Set(values).size).toBe(names.length);
  });

  it('are in no environment of a process, nor of those it starts', async () => {
    const { messages, home, logged } = await session(['env; sh -c env; cat /proc/self/environ 2>/dev/null; exit 3']);
    const shown = JSON.stringify(messages);
    expect(shown).toContain('TURNWRIGHT_HOME');
    expect(found(shown)).toEqual([]);
    expect(shown).not.toContain('BUILD_NUMBER');
    for (const content of await filesBelow(home)) expect(found(content)).toEqual([]);
    expect(found(JSON.stringify(logged))).toEqual([]);
  });

  it('are not written to the transcript if a model or a command says one', async () => {
    const { home, messages } = await session([`echo ${values.slice(0, 5).join(' ')}; nosuchprogram ${values[5]}`]);
    expect(found(JSON.stringify(messages)).length).toBeGreaterThan(0); // the caller sees what ran
    const kept = await filesBelow(home);
    expect(kept.length).toBeGreaterThan(0);
    for (const content of kept) expect(found(content)).toEqual([]);
  });

  it('are in no request if a command or a file says one, and a word stands where it was', async () => {
    const file = path.join(await temporaryFolder(), '.env');
    await writeFile(file, `${names[6]}=${values[6]}\nPLAIN=as-it-is\n`);
    const { requests, messages } = await session([`cat ${file}`, `rev ${file} | rev; exit 4`]);
    const read = JSON.stringify(requests);
    expect(found(read)).toEqual([]);
    expect(found(JSON.stringify(messages))).toEqual([]);
    expect(read.match(new RegExp(`${names[6]}=\\{secret:${names[6]}:[0-9a-f]{10}\\}`, 'g'))).toHaveLength(3);
    expect(read).toContain('PLAIN=as-it-is');
  });

  it('are in no error of a command that cannot run', async () => {
    const { messages, logged, home } = await session(['\0', 'exec /nonexistent/program']);
    expect(found(JSON.stringify(messages))).toEqual([]);
    expect(found(JSON.stringify(logged))).toEqual([]);
    for (const content of await filesBelow(home)) expect(found(content)).toEqual([]);
  });
});
