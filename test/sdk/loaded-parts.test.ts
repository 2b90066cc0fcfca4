// What a session says of itself: every agent, skill, command, plugin, server, hook and instruction file with its source, and every
// candidate that is not there, with the reason; the same as `turnwright doctor` has.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { LoadedPart, RejectedPart } from '../../src/protocol/system-messages.js';
import { loadedIn } from '../../src/sdk/faces/doctor.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

const head = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n${body}\n`;
const FILES: Readonly<Record<string, string>> = {
  'work/.git/HEAD': 'ref: refs/heads/main\n',
  'work/AGENTS.md': 'See @more.md and @gone.md.',
  'work/more.md': 'More.',
  'work/.claude/skills/good/SKILL.md': head('description: Works.\nhooks:\n  Stop:\n    - hooks: [{ command: "true" }]'),
  'work/.claude/skills/bad/SKILL.md': head('name: bad'),
  'work/.claude/skills/empty/x.md': '',
  'work/.claude/agents/good.md': head(
    'name: good\ndescription: Works.\nhooks:\n  PreToolUse:\n    - hooks: [{ command: "true" }]',
  ),
  'work/.claude/agents/bad.md': head('name: bad\ndescription: x\nmaxTurns: many'),
  'work/.claude/agents/mode.md': head('name: mode\ndescription: x\npermissionMode: never'),
  'work/.claude/agents/mine.md': head('name: mine\ndescription: x'),
  'work/.claude/agents/denied.md': head('name: denied\ndescription: x'),
  'work/.claude/agents/README.md': 'Notes.',
  'work/.claude/commands/hello.md': 'Say hello.',
  'work/.claude/commands/clear.md': 'Takes the name of a built-in one.',
  'work/.claude/settings.json': JSON.stringify({
    hooks: {
      Stop: [
        {
          hooks: [
            { type: 'command', command: 'true' },
            { type: 'dance', command: 'x' },
          ],
        },
      ],
    },
    permissions: { deny: ['Agent(denied)'] },
    disabledMcpjsonServers: ['off'],
  }),
  'work/.mcp.json': JSON.stringify({
    mcpServers: {
      on: { command: 'true' },
      list: [],
      off: { command: 'true' },
      odd: { command: 7 },
      mine: { command: 'true' },
    },
  }),
  'kit/.claude-plugin/plugin.json': '{"name": "kit", "agents": ["../elsewhere"]}',
  'kit/skills/of-kit/SKILL.md': head('description: Works.'),
  'kit/hooks/hooks.json': JSON.stringify({
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }, { type: 'command' }] }], Never: [] },
  }),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file
  'kit/.mcp.json': JSON.stringify({ a: { command: 'true' }, b: { command: '${NOT_SET}' }, c: { url: 7 } }),
};

const lines = (parts: readonly (LoadedPart | RejectedPart)[] | undefined, top: string) =>
  (parts ?? [])
    .map((part) => {
      const source = path.isAbsolute(part.source) ? path.relative(top, part.source) : part.source;
      return `${part.kind} ${part.name.replace(`${top}/`, '')}: ${source}${'reason' in part ? ` (${part.reason})` : ''}`;
    })
    .sort();

it('is in init, whole, and doctor has the same of what stands in files', async () => {
  const top = await temporaryFolder();
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(path.dirname(path.join(top, name)), { recursive: true });
    await writeFile(path.join(top, name), content);
  }
  const cwd = path.join(top, 'work');
  const node = createNodeHost({ env: { PATH: process.env['PATH'], TURNWRIGHT_HOME: path.join(top, 'home') } });
  const host = { ...node, platform: { ...node.platform, homedir: path.join(top, 'user'), cwd } };
  const options: Options = {
    ...{ host, cwd, provider: scriptedModel([text('ok')]), settingSources: ['user', 'project', 'local'] },
    plugins: [{ type: 'local', path: path.join(top, 'kit') }],
    agents: { mine: { description: 'Of the host.', prompt: 'x' } },
    mcpServers: { mine: { command: 'true' } },
    hooks: { Stop: [{ hooks: [async () => ({})] }] },
  };
  const [init] = await collect(query({ prompt: 'go', options }));
  const { loaded, rejected } = init as { loaded: readonly LoadedPart[]; rejected: readonly RejectedPart[] };
  expect(lines(loaded, top)).toMatchInlineSnapshot(`
    [
      "agent good: work/.claude/agents/good.md",
      "agent mine: option",
      "command hello: work/.claude/commands/hello.md",
      "hook PreToolUse[0].hooks[0] (agent good): work/.claude/agents/good.md",
      "hook Stop[0].hooks[0] (.claude/settings.json): work/.claude/settings.json",
      "hook Stop[0].hooks[0] (plugin kit): kit/hooks/hooks.json",
      "hook Stop[0].hooks[0] (skill good): work/.claude/skills/good/SKILL.md",
      "hook Stop[0].hooks[0]: option",
      "instructions AGENTS.md: work/AGENTS.md",
      "instructions more.md: work/more.md",
      "plugin kit: kit",
      "server mine: option",
      "server on: work/.mcp.json",
      "server plugin_kit_a: kit",
      "skill good: work/.claude/skills/good/SKILL.md",
      "skill kit:of-kit: kit/skills/of-kit/SKILL.md",
    ]
  `);
  expect(lines(rejected, top)).toMatchInlineSnapshot(`
    [
      "agent README: work/.claude/agents/README.md (it has no front matter, so it is no agent)",
      "agent bad: work/.claude/agents/bad.md (line 4 of it: maxTurns must be a whole number of at least 1)",
      "agent denied: work/.claude/agents/denied.md (a rule denies it)",
      "agent mine: work/.claude/agents/mine.md (the option agents has one of that name)",
      "agent mode: work/.claude/agents/mode.md (its.permissionMode is "never". It is one of default, acceptEdits, bypassPermissions, yolo, plan, dontAsk, auto)",
      "command clear: work/.claude/commands/clear.md (there is a command /clear already)",
      "hook Stop[0].hooks[1] (plugin kit): kit/hooks/hooks.json (it has no command)",
      "hook Stop[0].hooks[1]: work/.claude/settings.json (is an object; expected an object with type, command, timeout, onFailure, async, asyncTimeout, statusMessage, or an object with type, url, headers, allowedEnvVars, timeout, onFailure, async, asyncTimeout, statusMessage, or an object with type, prompt, model, timeout, onFailure, async, asyncTimeout, statusMessage, or an object with type, prompt, model, timeout, onFailure, async, asyncTimeout, statusMessage, or an object with type, server, tool, input, timeout, onFailure, async, asyncTimeout, statusMessage)",
      "instructions gone.md (imported by AGENTS.md): gone.md (imported by AGENTS.md) (there is no such file)",
      "plugin kit: kit (agents names "../elsewhere", which is no path within the plugin)",
      "server list: work/.mcp.json (it is not an object)",
      "server mine: work/.mcp.json (the option mcpServers has one of that name)",
      "server odd: work/.mcp.json (it has no command)",
      "server off: work/.mcp.json (settings switch it off)",
      "server plugin_kit_b: kit (it needs the variable NOT_SET, which is not set)",
      "server plugin_kit_c: kit (mcpServers.plugin_kit_c has no url)",
      "skill bad: work/.claude/skills/bad/SKILL.md (it has no description: write one between --- lines at its beginning)",
      "skill empty: work/.claude/skills/empty/SKILL.md (it has no SKILL.md)",
    ]
  `);
  const found = await loadedIn(host, cwd, true);
  const ofFiles = (parts: readonly string[]) =>
    parts.filter((part) => !/kit|: option|option agents|option mcp/.test(part));
  expect(ofFiles(lines(found.loaded, top)).filter((part) => !/mine/.test(part))).toEqual(ofFiles(lines(loaded, top)));
  expect(lines(found.rejected, top)).toEqual(ofFiles(lines(rejected, top)));
});
