// Controls that act on what a session may do and knows: modes, thinking, rules, folders, files.
import { mkdir, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookSubject } from '../../../src/hooks/matcher.js';
import { HOOK_EVENTS, type HookEvent, type HookInput } from '../../../src/protocol/hooks.js';
import type { PermissionResult } from '../../../src/protocol/permissions.js';
import { sampleInput } from '../../../src/sdk/hooks/try-hooks.js';
import type { SessionControls } from '../../../src/sdk/query-controls.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { controlled, gate } from '../../support/controlled.js';
import { temporaryFolder } from '../../support/engine.js';

const refuse = async (): Promise<PermissionResult> => ({ behavior: 'deny', message: 'no' });

describe('plan mode', () => {
  it('stands beside the permission mode: leaving it brings that back, also while a prompt runs', async () => {
    const running = gate();
    const model = scriptedModel([
      async () => {
        await running.passed;
        return toolCall('Write', { file_path: 'x.txt', content: 'x' });
      },
      text('ok'),
      text('ok'),
    ]);
    const { session, ask, say, result } = await controlled(model, {
      permissionMode: 'acceptEdits',
      canUseTool: refuse,
    });
    expect(await session.getPlanMode()).toEqual({ active: false });
    expect(await session.setPlanMode(true)).toEqual({ active: true });
    expect(await session.setPlanMode(true)).toEqual({ active: true });
    expect(await session.setPlanMode(false)).toEqual({ active: false });
    expect((await session.reinitialize()).permissionMode).toBe('acceptEdits');
    say('Write.');
    const reading = result();
    await session.setPlanMode(true);
    running.open();
    const denied = await reading;
    expect(denied.permission_denials).toMatchObject([{ tool_name: 'Write' }]);
    await ask('And?');
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toContain('ExitPlanMode');
    expect(await session.setPlanMode(false)).toEqual({ active: false });
    await expect(session.setPlanMode('yes' as never)).rejects.toThrow('true or false');
  });
});

describe('setMaxThinkingTokens', () => {
  it('counts from the next request on, and null goes back', async () => {
    const model = scriptedModel(() => text('ok'));
    const { session, ask } = await controlled(model, { thinking: { type: 'enabled', budgetTokens: 3_000 } });
    const asked = () => model.requests.at(-1)?.thinking;
    await session.setMaxThinkingTokens(5_000);
    await ask('1');
    expect(asked()).toEqual({ type: 'enabled', budgetTokens: 5_000 });
    await session.setMaxThinkingTokens(0);
    await ask('2');
    expect(asked()).toEqual({ type: 'disabled' });
    await session.setMaxThinkingTokens(null, 'omitted');
    await ask('3');
    expect(asked()).toEqual({ type: 'enabled', budgetTokens: 3_000, display: 'omitted' });
    await expect(session.setMaxThinkingTokens(2_000, 'highlights')).rejects.toMatchObject({ code: 'not_supported' });
    await ask('4');
    expect(asked()).toEqual({ type: 'enabled', budgetTokens: 2_000, display: 'omitted' });
    await expect(session.setMaxThinkingTokens(-1)).rejects.toThrow('whole number');
  });
});

describe('listPermissionRules and addDirectories', () => {
  it('say whose each rule is, and add what is a folder', async () => {
    const other = await temporaryFolder();
    const file = path.join(other, 'note.txt');
    await writeFile(file, 'hello');
    const model = scriptedModel([
      toolCall('Read', { file_path: file }),
      text('ok'),
      toolCall('Read', { file_path: file }),
      text('ok'),
    ]);
    const { session, cwd, ask } = await controlled(model, {
      allowedTools: ['Bash(git status)'],
      settings: { permissions: { deny: ['Read(*.key)'] } },
      canUseTool: refuse,
    });
    const { state } = await session.listPermissionRules();
    expect(state.rules).toEqual([
      { behavior: 'deny', rule: 'Read(*.key)', source: 'flagSettings', editability: 'readonly' },
      { behavior: 'allow', rule: 'Bash(git status)', source: 'cliArg', editability: 'session' },
    ]);
    expect(state.originalCwd).toBe(cwd);
    expect((await ask('Read.')).permission_denials).toHaveLength(1);
    const answer = await session.addDirectories([other, path.join(cwd, 'none'), file, other]);
    expect(answer.added).toEqual([other]);
    expect(answer.failed.map(({ path: each }) => each)).toEqual([path.join(cwd, 'none'), file]);
    expect(answer.directories).toEqual([other]);
    expect((await session.addDirectories([other])).added).toEqual([]);
    expect((await session.listPermissionRules()).state.workspaceDirectories).toMatchObject([
      { path: other, source: 'session' },
    ]);
    expect((await ask('Read again.')).permission_denials).toHaveLength(1);
    await expect(session.addDirectories('x' as never)).rejects.toThrow('list of folders');
  });
});

describe('readFile', () => {
  it('shows files of the workspace, and none that a rule hides or that lies elsewhere', async () => {
    const elsewhere = await temporaryFolder();
    await writeFile(path.join(elsewhere, 'secret.txt'), 'secret');
    const { session, cwd } = await controlled(scriptedModel([]), {
      settings: { permissions: { deny: ['Read(*.key)', 'Read(private/**)'] } },
    });
    await writeFile(path.join(cwd, 'a.txt'), 'zwölf Zeichen');
    await writeFile(path.join(cwd, 'my.key'), 'k');
    await writeFile(path.join(cwd, 'image.bin'), Uint8Array.of(0, 1, 255));
    await mkdir(path.join(cwd, 'private'));
    await writeFile(path.join(cwd, 'private', 'b.txt'), 'b');
    await symlink(path.join(elsewhere, 'secret.txt'), path.join(cwd, 'link.txt'));
    await symlink(path.join(cwd, 'my.key'), path.join(cwd, 'harmless.txt'));
    await symlink(elsewhere, path.join(cwd, 'out'));
    expect(await session.readFile('a.txt')).toEqual({ contents: 'zwölf Zeichen', absPath: path.join(cwd, 'a.txt') });
    expect(await session.readFile('a.txt', { maxBytes: 3 })).toMatchObject({ contents: 'zw', truncated: true });
    expect(await session.readFile('a.txt', { maxBytes: 0 })).toMatchObject({ contents: '', truncated: true });
    expect(await session.readFile('image.bin')).toMatchObject({ contents: 'AAH/', encoding: 'base64' });
    expect(await session.readFile('a.txt', { encoding: 'base64', maxBytes: 2 })).toMatchObject({
      contents: 'enc=',
      encoding: 'base64',
    });
    for (const refused of [
      'my.key',
      'harmless.txt',
      'private/b.txt',
      'link.txt',
      'out/secret.txt',
      '../x',
      '.',
      'none',
    ])
      expect(await session.readFile(refused), refused).toBeNull();
    expect(await session.readFile(path.join(elsewhere, 'secret.txt'))).toBeNull();
    await expect(session.readFile('')).rejects.toThrow('path of a file');
    await expect(session.readFile('a.txt', { maxBytes: -1 })).rejects.toThrow('maxBytes');
  });
});

describe('seedReadState', () => {
  it('lets a file be edited that was read before, and none that changed since', async () => {
    const cwd = await realpath(await temporaryFolder());
    const [known, changed] = [path.join(cwd, 'known.txt'), path.join(cwd, 'changed.txt')];
    await writeFile(known, 'one');
    await writeFile(changed, 'one');
    const edit = (file: string) => toolCall('Edit', { file_path: file, old_string: 'one', new_string: 'two' });
    const model = scriptedModel([reply(edit(known), edit(changed)), text('ok')]);
    const { session, ask } = await controlled(model, { cwd, permissionMode: 'acceptEdits' });
    const { mtimeMs } = await stat(known);
    await session.seedReadState('known.txt', Math.floor(mtimeMs));
    await session.seedReadState(changed, 1_000);
    await session.seedReadState('none.txt', 1_000);
    await ask('Edit.');
    const results = model.requests.at(-1)?.messages.at(-1)?.content as readonly { readonly is_error?: boolean }[];
    expect(results.map(({ is_error: isError }) => isError === true)).toEqual([false, true]);
    expect((await session.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()).session).toMatchObject({
      total_lines_added: 1,
      total_lines_removed: 1,
    });
    await expect(session.seedReadState('known.txt', Number.NaN)).rejects.toThrow('milliseconds');
  });
});

describe('what a client shows and completes', () => {
  it('getHooksListing has the hooks of settings and of code, in the order of events, without hidden characters', async () => {
    const cwd = await temporaryFolder();
    const hook = { type: 'command', command: 'echo a\u202eb', timeout: 5, statusMessage: 'Looking' } as const;
    const { session } = await controlled(scriptedModel([]), {
      cwd,
      settings: { hooks: { Stop: [{ hooks: [hook] }], PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } },
      hooks: {
        SessionStart: [
          {
            hooks: [
              async function greet() {
                return {};
              },
            ],
          },
        ],
      },
    });
    const { events, hooks, eventCatalog, policy } = await session.getHooksListing();
    expect(events.map(({ name, hookCount }) => [name, hookCount])).toEqual([
      ['PreToolUse', 1],
      ['SessionStart', 1],
      ['Stop', 1],
    ]);
    expect(hooks).toMatchObject([
      {
        event: 'PreToolUse',
        matcher: 'Bash',
        source: 'flagSettings',
        type: 'command',
        displayText: 'Looking',
        timeout: 5,
      },
      { event: 'SessionStart', matcher: '', source: 'sessionHook', type: 'callback', commandText: 'greet' },
      { event: 'Stop', matcher: '' },
    ]);
    expect(JSON.stringify(hooks)).not.toContain('\u202e');
    expect(policy).toMatchObject({ managedOnly: false, policyHookCount: 0 });
    // What the catalogue says of matchers is what a matcher is held against.
    const sample = (event: HookEvent) => hookSubject({ hook_event_name: event, ...sampleInput(event) } as HookInput);
    expect(eventCatalog.map(({ name, supportsMatcher }) => [name, supportsMatcher])).toEqual(
      HOOK_EVENTS.map((event) => [event, sample(event) !== null]),
    );
  });

  it('suggestFiles ranks the files that git does not ignore and Read may read', async () => {
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, 'src', 'deep'), { recursive: true });
    await mkdir(path.join(cwd, '.git'));
    for (const file of ['src/deep/query.ts', 'query.md', 'src/secret-query.ts', 'out.log'])
      await writeFile(path.join(cwd, file), 'x');
    await writeFile(path.join(cwd, '.gitignore'), '*.log\n');
    const { session } = await controlled(scriptedModel([]), { cwd, disallowedTools: ['Read(src/secret-*)'] });
    expect(await session.suggestFiles('query')).toEqual({
      suggestions: [
        { path: 'query.md', type: 'file' },
        { path: 'src/deep/query.ts', type: 'file' },
      ],
    });
    expect((await session.suggestFiles('')).suggestions).toContainEqual({ path: 'src/', type: 'directory' });
    expect((await session.suggestFiles('out')).suggestions).toEqual([]);
    await expect(session.suggestFiles(3 as never)).rejects.toThrow('a text');
  });

  it('registerRepoRoot adds a folder below those of the session, once, and what it brings', async () => {
    const cwd = await temporaryFolder();
    const skill = path.join(cwd, '.turnwright', 'skills', 'later');
    await mkdir(path.join(cwd, 'repo'));
    const { session } = await controlled(scriptedModel([]), { cwd, settingSources: ['project'] });
    await session.getPlanMode();
    await mkdir(skill, { recursive: true });
    await writeFile(path.join(skill, 'SKILL.md'), '---\nname: later\ndescription: d\n---\nx');
    await session.registerRepoRoot('repo', { reloadSkills: true, reloadPlugins: true });
    const names = (await session.supportedCommands()).map(({ name }) => name);
    expect(names).toContain('later');
    expect((await session.addDirectories([])).directories).toEqual([await realpath(path.join(cwd, 'repo'))]);
    await expect(session.registerRepoRoot('repo')).rejects.toThrow('already');
    await expect(session.registerRepoRoot('/')).rejects.toThrow('does not lie below');
    await expect(session.registerRepoRoot('none')).rejects.toThrow('there is no such folder');
    await expect(session.registerRepoRoot('')).rejects.toThrow('takes a folder');
  });
});

describe('getSettings', () => {
  it('says what is in force, of whom, and what is used, without keys', async () => {
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, '.turnwright'));
    const local = { effort: 'low', language: 'German', env: { MY_TOKEN: 'abcdefghijklmnop' } };
    await writeFile(path.join(cwd, '.turnwright', 'settings.local.json'), JSON.stringify(local));
    const settings = {
      effort: 'high',
      apiKeyHelper: 'print-key',
      attribution: { commit: 'abcdefghijklmnop' },
    } as const;
    const { session, ask } = await controlled(scriptedModel([text('ok')]), {
      cwd,
      settings,
      settingSources: ['project', 'local'],
    });
    const answer = await session.getSettings();
    expect(answer.effective).toMatchObject({ effort: 'high', language: 'German' });
    expect(answer.sources.map(({ source }) => source)).toEqual(['localSettings', 'flagSettings']);
    expect(answer.sources[0]?.settings).toMatchObject({ effort: 'low' });
    expect(answer.applied).toMatchObject({ model: 'scripted', effort: 'high' });
    expect(JSON.stringify(answer)).not.toMatch(/abcdefghijklmnop|print-key/);
    await ask('Hi.');
    expect(await session.getSettings()).toEqual(answer);
  });
});

describe('after close', () => {
  const CALLS: readonly ((controls: SessionControls) => Promise<unknown>)[] = [
    (controls) => controls.getContextUsage(),
    (controls) => controls.setMaxThinkingTokens(1_000),
    (controls) => controls.getSettings(),
    (controls) => controls.listPermissionRules(),
    (controls) => controls.readFile('a'),
    (controls) => controls.askSideQuestion('What?'),
    (controls) => controls.setPlanMode(true),
    (controls) => controls.mcpServerStatus(),
    (controls) => controls.renameSession('x'),
    (controls) => controls.getHooksListing(),
    (controls) => controls.suggestFiles('x'),
    (controls) => controls.registerRepoRoot('x'),
    (controls) => controls.callMcpTool('mcp__a__b'),
    (controls) => controls.injectMcpToken('a', { accessToken: 'x' }),
  ];

  it('each control rejects with a typed error, whether the session ran, ended or never began', async () => {
    const never = await controlled(scriptedModel([]));
    never.session.close();
    const opened = await controlled(scriptedModel([]));
    await opened.session.getPlanMode();
    opened.session.close();
    const ended = await controlled(scriptedModel([text('ok')]));
    await ended.ask('Hi.');
    await ended.end();
    for (const { session } of [never, opened, ended])
      for (const call of CALLS)
        await expect(call(session), call.toString()).rejects.toMatchObject({ code: 'session_invalid' });
  });
});
