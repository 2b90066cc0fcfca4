// Which sources the built package loads for a plain prompt: what is optional costs a start nothing. One rule: files are
// named by what is in them, never by their own names, which change with every build.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { openTurnwright } from '../support/terminal/open-pty.js';
import { buildEntry, mockEnv, startCli, temporaryFolder } from './run-cli.js';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** What only some sessions use. A folder ends in a slash. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  coordinator: ['src/subagents/built-in-prompts.ts'],
  'lines about rounds of tools': ['src/engine/tool-summaries.ts'],
  compaction: [
    'src/engine/compaction/compact.ts',
    'src/engine/compaction/ask-summary.ts',
    'src/session/prompt/local-commands.ts',
  ],
  sandbox: ['src/sandbox/', 'src/session/sandbox/session-sandbox.ts'],
  settings: [
    'src/session/settings/open-settings.ts',
    'src/sdk/settings/apply-settings.ts',
    'src/context/effective-settings.ts',
  ],
  skills: ['src/context/skills/', 'src/session/skills/', 'src/sdk/skills/skill-options.ts', 'src/tools/skill.ts'],
  subagents: ['src/session/agents/spawn-agent.ts', 'src/tools/agent/'],
  'tools of MCP servers': [
    'src/mcp/',
    'src/sdk/mcp/mcp-options.ts',
    'src/session/tools/open-server-tools.ts',
    'src/session/mcp/session-servers.ts',
    'src/session/prompt/join-servers.ts',
    'src/session/controls/server-controls.ts',
  ],
  'code mode': ['src/host/scripts/', 'src/tools/run-script.ts', 'src/session/tools/offer-scripts.ts'],
  'tool search': ['src/session/tools/defer-tools.ts', 'src/tools/tool-search.ts'],
  'MCP servers by HTTP': [
    'node_modules/@modelcontextprotocol/',
    'src/mcp/http/',
    'src/mcp/oauth/',
    'src/host/redirect-listener.ts',
  ],
  'servers of the project': ['src/context/project-servers.ts', 'src/context/trust.ts'],
  'servers of the command line': ['src/sdk/mcp/mcp-config.ts'],
  telemetry: ['src/session/telemetry/', 'node_modules/@opentelemetry/'],
  'the web': [
    'src/providers/web',
    'src/session/web/',
    'src/tools/web-fetch/',
    'src/tools/web-search',
    'src/session/prompt/ask-small-model.ts',
    'src/session/web/open-session-web.ts',
  ],
  checkpoints: ['checkpoints', 'call-recorder', 'journal', 'workspace', 'kept-content'].map(
    (name) => `src/session/checkpoints/${name}.ts`,
  ),
  resume: ['src/sdk/sessions/resume-options.ts'],
  'calls that wait': ['src/session/prompt/open-calls.ts'],
  'failures of model servers': [
    'src/providers/anthropic/classify-error.ts',
    'src/providers/http/failed-response.ts',
    'src/providers/http/http-failures.ts',
  ],
  'slash commands': ['src/session/input/run-command.ts', 'src/session/prompt/local-commands.ts'],
  'files of the user': ['src/session/models/user-files.ts', 'src/session/models/user-files.ts'],
  'the status of a repository': ['src/context/git/git-snapshot.ts'],
  'budgets that are shared': ['src/engine/state/limited-spending.ts'],
  editors: ['src/cli/acp/', 'src/cli/commands/acp.ts', 'node_modules/@agentclientprotocol/', 'node_modules/zod/'],
  'the terminal': ['src/tui/', 'node_modules/@earendil-works/'],
  'the offline model': ['src/providers/offline/'],
  'other providers': ['src/providers/openai/', 'src/providers/openai-chat/', 'src/providers/openai-responses/'],
};

/** Behind doors too, but loaded ahead while a model takes its time: prices, what answers calls, rules of permissions. */
const LOADED_AHEAD = [
  'src/providers/models/catalogue.ts',
  'src/session/permission/answer-call.ts',
  'src/permissions/rule.ts',
];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Where the doors of the features of a session lead: each `import()` of their lists, to a file, a whole room, what
 * `on-demand.ts` of a room gives out of it, or what a file of `sdk/on-demand/` gathers from rooms.
 */
function behindDoors(): readonly string[] {
  return ['src/session/features.ts', 'src/sdk/features.ts'].flatMap((list) =>
    targetsOf(list, /\bimport\('(\.[^']+)'\)/g).flatMap((door) => {
      // What a room needs anyway is given out as well: its own door says so.
      if (door.endsWith('on-demand.ts')) return targetsOf(door, /\bfrom '(\.\/[^']+)'/g);
      if (!door.includes('/on-demand/')) return [door.replace(/\/index\.ts$/, '/')];
      return [...new Set(namesIn(door).map(([name, source]) => homeOf(name, source)))];
    }),
  );
}

function targetsOf(file: string, naming: RegExp): string[] {
  return [...textOf(file).matchAll(naming)].map(([, target = '']) => beside(file, target));
}

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const beside = (file: string, target: string) =>
  relative(ROOT, join(ROOT, file, '..', target.replace(/\.js$/, '.ts'))).replaceAll('\\', '/');

/** What a file gives on, each name with the file that it takes it from. */
function namesIn(file: string): readonly (readonly [string, string])[] {
  const all = [...textOf(file).matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)];
  return all.flatMap(([, names = '', from = '']) =>
    names.split(',').map((name) => [name.trim(), beside(file, from)] as const),
  );
}

/** The file that a name is of, through the doors of rooms. */
function homeOf(name: string, file: string): string {
  const [, source] = namesIn(file).find(([given]) => given === name) ?? [];
  return source === undefined ? file : homeOf(name, source);
}

beforeAll(buildEntry, 300_000);

/** Runs the program, or the command line, once; the sources whose code was loaded. */
async function loadedBy(program: 'sdk' | 'cli', steps: readonly MockStep[], more = ''): Promise<string[]> {
  const mock = await startMockProvider({ steps });
  onTestFinished(() => mock.close());
  const coverage = temporaryFolder();
  const env = { ...mockEnv(mock.url), NODE_V8_COVERAGE: coverage };
  if (program === 'cli') {
    const run = await startCli(['-p', 'hello'], { env }).ended;
    expect(run.code, run.stderr).toBe(0);
  } else {
    const { code, errors } = await runProgram(env, more);
    expect(code, errors).toBe(0);
  }
  expect(mock.requests.length).toBe(steps.length);
  return sourcesIn(coverage);
}

async function runProgram(env: Record<string, string>, more: string) {
  const folder = temporaryFolder();
  const file = join(folder, 'program.mjs');
  const index = pathToFileURL(join(DIST, 'index.js')).href;
  writeFileSync(
    file,
    `import { query } from ${JSON.stringify(index)};
    for await (const message of query({ prompt: 'hello', options: { ${more} } }))
      if (message.type === 'result' && message.is_error) throw new Error(message.errors.join());`,
  );
  const base = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: folder, TURNWRIGHT_HOME: folder };
  const child = spawn(process.execPath, [file], { cwd: folder, env: { ...base, ...env } });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, errors };
}

/** The sources in each file of the build. */
function modulesOfFiles(): Readonly<Record<string, readonly string[]>> {
  const { modules } = JSON.parse(readFileSync(join(DIST, '.build.json'), 'utf8')) as {
    readonly modules: Readonly<Record<string, readonly string[]>>;
  };
  return modules;
}

/** The files of `dist/` of which code was loaded, from the coverage that Node writes: it names every script. */
function filesIn(coverage: string): string[] {
  const scripts = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  return scripts.flatMap((url) => {
    // A script has a name of its own.
    if (url.startsWith('turnwright:')) return [`chunks/${url.slice('turnwright:'.length)}`];
    const file = url.startsWith('file:') ? relative(DIST, fileURLToPath(url)).replaceAll('\\', '/') : '..';
    return file.startsWith('..') ? [] : [file];
  });
}

function sourcesIn(coverage: string): string[] {
  const modules = modulesOfFiles();
  return filesIn(coverage).flatMap((file) => modules[file] ?? []);
}

const among = (sources: readonly string[], wanted: readonly string[]) =>
  sources.filter((source) => wanted.some((each) => (each.endsWith('/') ? source.startsWith(each) : source === each)));

describe.each(['sdk', 'cli'] as const)('a plain prompt by the %s', (program) => {
  it('loads what it needs and nothing that is optional', async () => {
    const sources = await loadedBy(program, [text('Hello.')]);
    expect(among(sources, ['src/session/query-engine.ts', 'src/engine/query-loop.ts'])).toHaveLength(2);
    const loaded = Object.entries(OPTIONAL).map(([what, wanted]) => [what, among(sources, wanted)]);
    expect(Object.fromEntries(loaded)).toEqual(Object.fromEntries(Object.keys(OPTIONAL).map((what) => [what, []])));
    const doors = behindDoors();
    // Each leads to sources of the build, so that none is missed for its name.
    const built = Object.values(modulesOfFiles()).flat();
    expect(doors.filter((door) => among(built, [door]).length === 0)).toEqual([]);
    expect(doors.length).toBeGreaterThan(50);
    expect(among(sources, doors).filter((source) => !LOADED_AHEAD.includes(source))).toEqual([]);
  });
});

it('what is optional is seen when it is used', async () => {
  const steps = [toolCall('Agent', { description: 'help', prompt: 'Help.' }), text('Helped.'), text('Done.')];
  const sources = await loadedBy('sdk', steps, 'enableFileCheckpointing: true, settings: { effort: "low" }');
  for (const what of ['subagents', 'settings', 'checkpoints'])
    expect(among(sources, OPTIONAL[what] ?? []), what).not.toEqual([]);
});

it('the terminal draws its first frame, whole, before it loads what no frame shows', async () => {
  const cwd = temporaryFolder();
  const coverage = temporaryFolder();
  const facts = join(cwd, 'facts.json');
  const spy = join(cwd, 'spy.mjs');
  writeFileSync(
    spy,
    `import { takeCoverage } from 'node:v8';
    const write = process.getBuiltinModule('node:fs').writeFileSync;
    const builtins = [...process.moduleLoadList];
    let segmenters = 0;
    Intl.Segmenter = class extends Intl.Segmenter { constructor(...given) { super(...given); segmenters++; } };
    const draw = process.stdout.write;
    process.stdout.write = function (text, ...rest) {
      if (String(text).includes('Turnwright')) {
        process.stdout.write = draw;
        takeCoverage();
        const loaded = process.moduleLoadList.filter((name) => !builtins.includes(name));
        write(${JSON.stringify(facts)}, JSON.stringify({ frame: String(text), segmenters, loaded }));
      }
      return draw.call(this, text, ...rest);
    };`,
  );
  const env = { ...mockEnv('http://127.0.0.1:9'), HOME: cwd, TURNWRIGHT_HOME: cwd, NODE_V8_COVERAGE: coverage };
  const face = openTurnwright([], { cwd, env: { ...env, NODE_OPTIONS: `--import=${pathToFileURL(spy).href}` } });
  await face.until('shows the keys');
  const { frame, segmenters, loaded } = JSON.parse(readFileSync(facts, 'utf8')) as {
    readonly frame: string;
    readonly segmenters: number;
    readonly loaded: readonly string[];
  };
  // The lines above the draft and the draft: what came in two frames would come 8 ms later.
  expect(frame).toContain('> ');
  expect(segmenters).toBe(0);
  const sources = sourcesIn(coverage);
  expect(among(sources, ['src/tui/screen/screen.ts', 'src/tui/composer/composer.ts'])).toHaveLength(2);
  const late = [
    'src/session/',
    'src/engine/',
    'src/providers/',
    'src/host/',
    'src/sdk/query.ts',
    'node_modules/marked/',
  ];
  expect(among(sources, [...late, 'src/tui/run-session.ts', 'src/cli/lines/print-mode.ts'])).toEqual([]);
  // The entry, the command line, what it shares with the protocol, and the terminal, which is a file and its script.
  expect(filesIn(coverage)).toHaveLength(5);
  const costly = ['child_process', 'crypto', 'http', 'https', 'worker_threads', 'zlib'];
  expect(costly.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([]);
  // What is typed before anything could take it waits in the terminal.
  face.type('early');
  await face.until('> early');
});
