// Who may run a script in the sandbox. Every way out (`ESCAPE_ATTEMPTS`) is tried by each of them: one more is one more
// entry of `ESCAPE_ROUTES`. Attempts of a route run at the same time, each in folders and a sandbox of its own.
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { createHookRunner, type HookEventReport } from '../../src/hooks/run-hooks.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { openLastingServer } from '../../src/mcp/lasting-server.js';
import { createSecrets } from '../../src/providers/keys/key-variables.js';
import { query } from '../../src/sdk/query.js';
import { openCommandHooks } from '../../src/session/hooks/command-hooks.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedModel, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { hookInput } from '../hooks/inputs.js';
import { delegate, modelOfAgents } from './agents.js';
import { taskId } from './background-tasks.js';
import { commandHook, NO_POWERS } from './command-hooks.js';
import { type OnFinished, openSandboxed, type Sandboxed, type SandboxFolders } from './sandboxed.js';

const SHELL_SERVER = new URL('shell-server.sh', import.meta.url);

export interface RouteOptions {
  /** Variables that the script gets beside the usual ones. */
  readonly env: Readonly<Record<string, string>>;
  readonly onFinished: OnFinished;
}

export interface EscapeRoute {
  /** Who it is, such as `a command`. */
  readonly name: string;
  /**
   * Runs a script inside.
   * Contract: nothing of it runs any more when this settles; gives all that it printed, and throws if it did not run.
   */
  run(script: string, folders: SandboxFolders, options: RouteOptions): Promise<string>;
}

export const ESCAPE_ROUTES: readonly EscapeRoute[] = [
  { name: 'a command', run: runAsCommand },
  { name: 'a hook of a project', run: runAsHook },
  { name: 'a server of tools', run: runInServer },
  { name: 'a command of a subagent', run: runInSubagent },
  { name: 'a command in the background', run: runInBackground },
];

async function runAsCommand(script: string, folders: SandboxFolders, { env, onFinished }: RouteOptions) {
  const { run } = await openSandboxed(folders, { onFinished });
  const { stdout, stderr } = await run(script, { env });
  return `${stdout}${stderr}`;
}

const usualEnv = (home: string) => ({ PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: home });

/** As a hook that a repository brings along. */
async function runAsHook(script: string, folders: SandboxFolders, { env, onFinished }: RouteOptions) {
  const { workspace, home, sandbox } = await openSandboxed(folders, { onFinished });
  const hook = commandHook('PreToolUse', script, { isConfined: true, projectFolder: workspace });
  const host = createNodeHost();
  const commands = openCommandHooks([hook], {
    host,
    cwd: workspace,
    env: { ...usualEnv(home), LANG: 'C.UTF-8', ...env },
    secrets: createSecrets(),
    sandbox,
    powers: NO_POWERS,
  });
  const reports: HookEventReport[] = [];
  const runner = createHookRunner({}, { ...host, onReport: (report) => reports.push(report) }, commands.declared);
  await runner.run(hookInput('PreToolUse'), undefined, new AbortController().signal);
  await commands.close();
  const printed = JSON.stringify(reports);
  if (!printed.includes('"hook_response"')) throw new Error(`The hook did not run: ${printed}`);
  return printed;
}

async function runInServer(script: string, folders: SandboxFolders, { env, onFinished }: RouteOptions) {
  const server = await openShellServer(await openSandboxed(folders, { onFinished }), { env, onFinished });
  const said = await server.run(script);
  await server.close();
  return said;
}

/** What the tool calls of a session, and of its agents, gave back. */
async function runInSession(
  provider: ScriptedModel,
  { workspace, home }: SandboxFolders,
  env: RouteOptions['env'],
): Promise<string> {
  const host = createNodeHost();
  const messages = await collect(
    query({
      prompt: 'go',
      options: {
        provider,
        host: { ...host, platform: { ...host.platform, homedir: home } },
        cwd: workspace,
        env: { ...usualEnv(home), ...env, TURNWRIGHT_HOME: path.join(home, '.turnwright') },
        sandbox: { enabled: true },
        settingSources: [],
        canUseTool: async () => ({ behavior: 'allow' }),
        limits: { backgroundWaitMs: 0 },
      },
    }),
  );
  if (lastResult(messages).subtype !== 'success') throw new Error(JSON.stringify(lastResult(messages)));
  return JSON.stringify(messages.filter(({ type }) => type === 'user'));
}

async function runInSubagent(script: string, folders: SandboxFolders, { env }: RouteOptions) {
  const model = modelOfAgents({
    main: [delegate(null, 'Go.'), text('done')],
    general: [toolCall('Bash', { command: script, description: 'a try', timeout: 60_000 }), text('done')],
  });
  return runInSession(model, folders, env);
}

async function runInBackground(script: string, folders: SandboxFolders, { env }: RouteOptions) {
  const model = scriptedModel([
    toolCall('Bash', { command: script, description: 'a try', timeout: 60_000, run_in_background: true }),
    // What the rules refuse before the sandbox does has no task.
    (request) =>
      JSON.stringify(request.messages.at(-1)).includes('was denied')
        ? text('refused')
        : toolCall('TaskOutput', { task_id: taskId(model, 1), timeout: 90_000 }),
    text('done'),
  ]);
  return runInSession(model, folders, env);
}

type Call = (params: object, options: { readonly signal: AbortSignal }) => Promise<unknown>;

/** A server of tools inside, which runs what it is called with. */
export async function openShellServer({ workspace, home, sandbox }: Sandboxed, { env, onFinished }: RouteOptions) {
  await copyFile(SHELL_SERVER, path.join(workspace, 'server.sh'));
  const { exec, clock } = createNodeHost();
  const server = openLastingServer(
    { name: 's', command: '/bin/bash', args: ['server.sh'], env },
    {
      exec,
      clock,
      monotonic: () => clock.monotonic(),
      cwd: workspace,
      env: usualEnv(home),
      sandbox,
      asked: { elicit: null, roots: () => [workspace] },
      startTimeoutMs: 30_000,
      hide: async (text) => text,
      onNotice: () => undefined,
    },
  );
  onFinished(() => server.close());
  await server.started;
  const { connection } = server.offer();
  if (connection.type !== 'connected') throw new Error(connection.error);
  const call = connection.client?.callTool as unknown as Call;
  const run = async (script: string): Promise<string> => {
    const params = { name: 'run', arguments: { script: Buffer.from(script).toString('base64') } };
    // A script may end the server that runs it.
    const answer = await call(params, { signal: new AbortController().signal }).catch((error: unknown) => error);
    return answer instanceof Error ? answer.message : JSON.stringify(answer);
  };
  return { run, close: () => server.close() };
}
