// The commands that show and change what a session works with: each answers in text, asks no model, and says what it takes.
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

async function place(files: Readonly<Record<string, string>> = {}) {
  const base = await realpath(await temporaryFolder());
  const cwd = path.join(base, 'work');
  await mkdir(cwd);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.join(cwd, path.dirname(name)), { recursive: true });
    await writeFile(path.join(cwd, name), content);
  }
  const host = createNodeHost();
  const home = path.join(base, 'sessions');
  const options = (more: Options): Options => ({
    cwd,
    host: { ...host, platform: { ...host.platform, homedir: path.join(base, 'home') } },
    env: { TURNWRIGHT_HOME: home },
    ...more,
  });
  /** The answers of each, in their order. */
  const say = async (prompts: readonly string[], more: Options = {}): Promise<string[]> => {
    async function* typed() {
      for (const content of prompts)
        yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' } as const;
    }
    const provider = more.provider ?? scriptedModel([]);
    return results(await collect(query({ prompt: typed(), options: options({ provider, ...more }) })));
  };
  return { base, cwd, home, options, say };
}

const results = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'result' ? [message.subtype === 'success' ? message.result : message.errors.join('\n')] : [],
  );

describe('a command of the session', () => {
  it('is told with the others, and stands behind a skill of its name', async () => {
    const { options } = await place({
      '.claude/skills/review/SKILL.md': '---\ndescription: Ours.\n---\nReview as we do.',
    });
    const session = query({
      prompt: '/help',
      options: options({ provider: scriptedModel([]), settingSources: ['project'] }),
    });
    const commands = await session.supportedCommands();
    const names = commands.map(({ name }) => name);
    for (const name of [
      'add-dir',
      'agents',
      'config',
      'context',
      'doctor',
      'export',
      'hooks',
      'init',
      'mcp',
      'memory',
      'model',
      'permissions',
      'resume',
      'rewind',
      'skills',
      'status',
      'tasks',
    ])
      expect(names).toContain(name);
    expect(names.filter((name) => name === 'review')).toHaveLength(1);
    expect(commands.find(({ name }) => name === 'review')?.description).toBe('Ours.');
    const messages = await collect(session);
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
    expect(init).toMatchObject({ slash_commands: expect.arrayContaining(['context', 'memory']) });
    expect(results(messages)[0]).toContain('/context  Shows what fills the context window');
  });

  it('shows the context, instruction files and the session, without a model', async () => {
    const { cwd, say } = await place({
      'AGENTS.md': 'Be kind. See @more.md and @gone.md',
      'more.md': 'More.',
      '.claude/rules/a.md': '---\npaths: "*.ts"\n---\nTypes.',
    });
    const [context, memory, status] = await say(['/context', '/memory', '/status']);
    expect(context).toMatch(/^[\d,]+ of 200,000 tokens \(\d+ %\) of /);
    expect(context).toMatch(/ {2}Memory files +\d+/);
    expect(context).toContain('AGENTS.md (project): ');
    expect(memory).toMatch(/more\.md {2}project, imported, \d+ tokens\n {2}AGENTS\.md {2}project, \d+ tokens/);
    expect(memory).toContain('.claude/rules/a.md  *.ts');
    expect(memory).toContain('gone.md (imported by AGENTS.md): there is no such file');
    expect(status).toContain(`Folder  ${cwd}`);
    expect(status).toMatch(/Mode {2}default/);
    expect(status).toMatch(/^Model {2}.* \(scripted, (?:no|your) key\)$/m);
  });

  it('adds a note to a file of the project, of one person and of the user', async () => {
    const { cwd, home, say } = await place({ 'CLAUDE.md': 'Rules' });
    const model = scriptedModel((request) =>
      text(JSON.stringify(request.messages).includes('tabs') ? 'told' : 'not told'),
    );
    const answers = await say(
      [
        'Hello.',
        '/memory add Use tabs.',
        '/memory add local Mine alone.',
        '/memory add user Everywhere.',
        'Again.',
        '/memory add',
        '/memory drop',
      ],
      { provider: model },
    );
    expect(answers.slice(0, 5)).toEqual([
      'not told',
      'Noted in CLAUDE.md. It counts from the next prompt on.',
      'Noted in AGENTS.local.md. It counts from the next prompt on.',
      `Noted in ${path.join(home, 'AGENTS.md')}. It counts from the next prompt on.`,
      'told',
    ]);
    expect(answers[5]).toContain('A note has 1 to');
    expect(answers[6]).toContain('/memory add [project|local|user]');
    expect(await readFile(path.join(cwd, 'CLAUDE.md'), 'utf8')).toBe('Rules\n- Use tabs.\n');
    expect(await readFile(path.join(home, 'AGENTS.md'), 'utf8')).toBe('- Everywhere.\n');
  });

  it('changes the model and the mode, and says what it does not take', async () => {
    const { say } = await place();
    const model = scriptedModel([text('ok')]);
    const [changed, mode, wrong, asked] = await say(
      ['/model other-model', '/permissions acceptEdits', '/permissions everything', 'Hello.'],
      { provider: model },
    );
    expect(changed).toBe('The model is other-model from the next request on.');
    expect(mode).toContain('Mode: acceptEdits');
    expect(wrong).toContain('There is no mode "everything". Modes: default, acceptEdits');
    expect(asked).toBe('ok');
    expect(model.requests[0]?.model).toBe('other-model');
  });

  it('shows rules with whose they are, settings, hooks, skills, agents and servers', async () => {
    const { say } = await place({
      '.claude/settings.json': JSON.stringify({
        permissions: { deny: ['Read(.env)'] },
        effort: 'low',
        hooks: { Stop: [{ hooks: [{ type: 'command', command: 'echo done' }] }] },
      }),
      '.claude/skills/release/SKILL.md': '---\ndescription: Makes a release.\n---\nRelease.',
      '.claude/skills/broken/SKILL.md': 'no description',
      '.claude/agents/lost.md': '---\nname: lost\n---\nYou are lost.',
    });
    const [rules, config, key, none, hooks, skills, agents, servers, doctor] = await say(
      ['/permissions', '/config', '/config effort', '/config efort', '/hooks', '/skills', '/agents', '/mcp', '/doctor'],
      { settingSources: ['project'], allowedTools: ['Bash(npm test)'] },
    );
    expect(rules).toMatch(/deny:\n {2}Read\(\.env\) {2}projectSettings/);
    expect(rules).toContain('Bash(npm test)');
    expect(config).toContain('effort = "low"');
    expect(key).toContain('effort = "low"');
    expect(none).toContain('Did you mean effort?');
    expect(hooks).toContain('Stop  echo done  [project]');
    expect(skills).toContain('release  Makes a release.  [project]');
    expect(skills).toMatch(/Not there:\n {2}broken: /);
    expect(agents).toContain('general-purpose');
    expect(servers).toContain('There are no MCP servers.');
    expect(doctor).toContain('skill broken: ');
    expect(doctor).toContain('agent lost: it has no description');
  });

  it('lists prompts and earlier sessions, and exports the conversation once', async () => {
    const { cwd, say } = await place();
    const answers = await say(
      [
        'What is here?',
        '/rewind',
        '/export talk.md',
        '/export talk.md',
        '/export talk.exe',
        '/resume',
        '/resume nowhere',
        '/tasks',
        '/goal',
        '/goal pause',
        '/goal clear',
      ],
      { provider: scriptedModel([text('Nothing much.')]) },
    );
    expect(answers[1]).toMatch(/[0-9a-f]{8} {2}What is here\?/);
    expect(answers[2]).toContain(path.join(cwd, 'talk.md'));
    expect(await readFile(path.join(cwd, 'talk.md'), 'utf8')).toContain('Nothing much.');
    expect(answers[3]).toContain('is there already');
    expect(answers[4]).toContain('.md, .html or .json');
    expect(answers[5]).toMatch(/[0-9a-f]{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}What is here\?/);
    expect(answers[6]).toContain('No session has "nowhere"');
    expect(answers[7]).toBe('Nothing runs in the background.');
    expect(answers.slice(8)).toEqual([
      'There is no goal. /goal <what is to be reached> sets one.',
      'There is no goal. /goal <what is to be reached> sets one.',
      'There is no goal.',
    ]);
  });

  it('adds a folder that files may be read from at once', async () => {
    const { base, say } = await place();
    await mkdir(path.join(base, 'other'));
    await writeFile(path.join(base, 'other', 'a.txt'), 'found it');
    const read = toolCall('Read', { file_path: path.join(base, 'other', 'a.txt') });
    const model = scriptedModel([read, text('no'), read, text('yes')]);
    const answers = await say(['Read.', '/add-dir ../other', 'Read.', '/add-dir ../none', '/add-dir'], {
      provider: model,
    });
    expect(answers[1]).toContain(`${path.join(base, 'other')} is part of the workspace`);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).not.toContain('found it');
    expect(JSON.stringify(model.requests[3]?.messages.at(-1))).toContain('found it');
    expect(answers[3]).toContain('there is no such folder');
    expect(answers[4]).toContain('Name the folder');
  });

  it('asks the model for /init and /review with what the user adds', async () => {
    const { say } = await place();
    const model = scriptedModel([text('written'), text('reviewed')]);
    expect(await say(['/init the tests', '/review main'], { provider: model })).toEqual(['written', 'reviewed']);
    expect(JSON.stringify(model.requests[0]?.messages)).toMatch(/Write an AGENTS\.md.*The user adds: the tests/);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('Review this: main.');
  });
});
