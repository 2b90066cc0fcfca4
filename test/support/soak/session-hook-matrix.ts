// Each hook event in whole sessions, with each kind of hook and each way to end: fired once when it is due, its refusal heard, its
// failure told, and the session goes on.
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { canBlock } from '../../../src/hooks/declared-hooks.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { ModelError } from '../../../src/protocol/errors.js';
import { HOOK_EVENTS, type HookEvent } from '../../../src/protocol/hooks.js';
import type { SDKMessage, SDKUserMessage } from '../../../src/protocol/messages.js';
import type { Settings } from '../../../src/protocol/settingsTypes.generated.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { type ScriptedAnswer, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { loggedInputs } from '../command-hooks.js';
import { temporaryFolder } from '../engine.js';
import { gitIn } from '../worktrees.js';

type Query = ReturnType<typeof query>;

export const SESSION_KINDS = ['callback', 'command', 'http', 'prompt'] as const;
export const SESSION_ENDS = ['allow', 'deny', 'modify', 'timeout', 'crash'] as const;
type Kind = (typeof SESSION_KINDS)[number];
type End = (typeof SESSION_ENDS)[number];

export interface SessionCase {
  readonly event: HookEvent;
  readonly kind: Kind;
  readonly end: End;
}

export function sessionCases(): readonly SessionCase[] {
  return HOOK_EVENTS.flatMap((event) =>
    SESSION_KINDS.flatMap((kind) => SESSION_ENDS.map((end): SessionCase => ({ event, kind, end }))),
  );
}

/** A session in which the event is due once. */
interface Scenario {
  readonly steps?: readonly ScriptedAnswer[];
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: Options;
  readonly matcher?: string;
  readonly isRepository?: boolean;
  /** Where a refusal brings the same moment again: it is due twice then. */
  readonly comesAgain?: boolean;
  /** What the user does; by default one prompt. */
  prompts?(during: During): AsyncGenerator<string>;
}

interface During {
  readonly cwd: string;
  readonly home: string;
  readonly query: () => Query;
  /** Until so many prompts have ended. */
  ended(prompts: number): Promise<void>;
  /** Until the hook was called, and what it has to tell was told. */
  heard(): Promise<void>;
  /** What a control failed with. */
  failed(error: unknown): void;
}

const GLOB = toolCall('Glob', { pattern: '*' });
const TOUCH = toolCall('Bash', { command: 'touch made' });
const ALLOW: Options = { canUseTool: async () => ({ behavior: 'allow' }) };
const ASK = toolCall('AskUserQuestion', { question: 'Which?' });
const ANSWER: Options = { onElicitation: async () => ({ action: 'accept', content: { answer: 'this' } }) };
const WORKTREES: Options = { ...ALLOW, tools: ['EnterWorktree', 'ExitWorktree', 'Glob'] };
const compacts = {
  steps: [text(`ok ${'word '.repeat(50)}`), text('<summary>short</summary>')],
  async *prompts() {
    yield* ['go', '/compact'];
  },
};
const switchesModel: Scenario['prompts'] = async function* ({ query: session, ended, failed }) {
  yield 'go';
  await ended(1);
  await session().setModel('other').catch(failed);
};
const untilHeard: Scenario['prompts'] = async function* ({ heard }) {
  yield 'go';
  await heard();
};
const background = { run_in_background: true };

const SCENARIOS: Readonly<Record<HookEvent, Scenario>> = {
  SessionStart: {},
  UserPromptSubmit: {},
  PreToolUse: { steps: [GLOB] },
  PermissionRequest: { steps: [TOUCH], options: ALLOW },
  PermissionDenied: {
    steps: [TOUCH],
    options: { canUseTool: async () => ({ behavior: 'deny', message: 'no' }) },
  },
  PostToolUse: { steps: [GLOB] },
  PostToolUseFailure: { steps: [toolCall('Read', { file_path: '/nowhere/at/all' })], options: ALLOW },
  Stop: { comesAgain: true },
  StopFailure: { steps: [{ error: new ModelError('authentication', 'no key', { status: 401 }) }] },
  SubagentStart: { steps: [toolCall('Agent', { description: 'help', prompt: 'Help.' })], options: ALLOW },
  SubagentStop: {
    steps: [toolCall('Agent', { description: 'help', prompt: 'Help.' })],
    options: ALLOW,
    comesAgain: true,
  },
  PreCompact: compacts,
  PostCompact: compacts,
  Notification: { steps: [TOUCH], options: ALLOW, prompts: untilHeard },
  Elicitation: { steps: [ASK], options: ANSWER },
  ElicitationResult: { steps: [ASK], options: ANSWER },
  InstructionsLoaded: { files: { 'AGENTS.md': 'Use tabs.' } },
  Setup: { options: { setup: 'init' } },
  TaskCreated: { steps: [toolCall('Bash', { command: 'true', ...background })], options: ALLOW },
  TaskCompleted: {
    steps: [toolCall('Bash', { command: 'true', ...background })],
    options: ALLOW,
    prompts: untilHeard,
  },
  TeammateIdle: {
    steps: [toolCall('Agent', { description: 'help', prompt: 'Help.', ...background })],
    options: ALLOW,
    comesAgain: true,
    prompts: untilHeard,
  },
  ConfigChange: {
    async *prompts({ home, ended }) {
      yield 'go';
      await ended(1);
      await writeFile(path.join(home, 'settings.json'), '{"language": "German"}');
      yield 'on';
    },
  },
  CwdChanged: {
    steps: [toolCall('Bash', { command: 'cd sub' })],
    options: ALLOW,
    files: { 'sub/a.txt': '' },
  },
  FileChanged: {
    matcher: '.envrc',
    async *prompts({ cwd, ended }) {
      yield 'go';
      await ended(1);
      await writeFile(path.join(cwd, '.envrc'), 'a=1');
      yield 'on';
    },
  },
  WorktreeCreate: { steps: [toolCall('EnterWorktree', { name: 'x' })], options: WORKTREES, isRepository: true },
  WorktreeRemove: {
    steps: [toolCall('EnterWorktree', { name: 'x' }), toolCall('ExitWorktree', { action: 'remove' })],
    options: WORKTREES,
    isRepository: true,
  },
  PostToolBatch: { steps: [GLOB] },
  UserPromptExpansion: {
    files: { '.claude/commands/hello.md': 'Say hello.' },
    async *prompts() {
      yield '/hello';
    },
  },
  PreModelSwitch: { prompts: switchesModel },
  PostModelSwitch: { prompts: switchesModel },
  DirectoryAdded: {
    async *prompts({ query: session, ended, failed }) {
      yield 'go';
      await ended(1);
      await session()
        .addDirectories([await temporaryFolder()])
        .catch(failed);
    },
  },
  MessageDisplay: {},
  SessionEnd: {},
};

/** Seconds that a hook may take. One that never answers is late as soon as it was called. */
const TIMEOUT = 59;
const GIVE_UP_MS = 60_000;
const QUESTION = 'Is this moment fine?';

export interface SessionMatrix {
  /** What is wrong with one of them; null if nothing is. */
  run(each: SessionCase): Promise<string | null>;
  close(): Promise<void>;
}

function answerOf(event: HookEvent, end: End): object {
  if (end === 'deny') return { decision: 'block', reason: 'not now' };
  return end === 'modify' ? { systemMessage: 'changed', hookSpecificOutput: { hookEventName: event } } : {};
}

export async function openSessionMatrix(): Promise<SessionMatrix> {
  let onPost: () => { readonly body: object | null; readonly status: number } = () => ({ body: {}, status: 200 });
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { body, status } = onPost();
      response.statusCode = status;
      if (body !== null) response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const node = createNodeHost();

  const run = async ({ event, kind, end }: SessionCase): Promise<string | null> => {
    const scenario = SCENARIOS[event];
    const top = await temporaryFolder();
    const [cwd, home, log] = [path.join(top, 'work'), path.join(top, 'home'), path.join(top, 'log')];
    for (const [name, content] of Object.entries({ 'a.txt': 'a', ...scenario.files })) {
      await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
      await writeFile(path.join(cwd, name), content);
    }
    await mkdir(home);
    if (scenario.isRepository === true) {
      gitIn(cwd, 'init', '-q');
      gitIn(cwd, 'add', '.');
      gitIn(cwd, 'commit', '-qm', 'first');
    }
    let counted = 0;
    const calls = () => (kind === 'command' ? loggedInputs(log).length : counted);
    // Only the first moment is refused or broken, or a session would never come to its end.
    const endNow = (): End => {
      counted += 1;
      return counted === 1 ? end : 'allow';
    };
    onPost = () => {
      const now = endNow();
      return { body: now === 'timeout' ? null : answerOf(event, now), status: now === 'crash' ? 500 : 200 };
    };
    const steps = [...(scenario.steps ?? [])];
    const requests: string[] = [];
    const model = scriptedModel((request): ScriptedAnswer => {
      const said = JSON.stringify(request.messages);
      if (said.includes(QUESTION) && request.tools.length === 0) {
        const now = endNow();
        if (now === 'timeout') return { stall: true } as unknown as ScriptedAnswer;
        if (now === 'crash') return text('perhaps');
        return text(now === 'deny' ? '{"ok": false, "reason": "not now"}' : '{"ok": true}');
      }
      requests.push(said);
      return steps.shift() ?? text('ok');
    });
    const onFailure = canBlock(event) ? ('block' as const) : ('continue' as const);
    const callback = async (_: unknown, _id: unknown, { signal }: { readonly signal: AbortSignal }) => {
      const now = endNow();
      if (now === 'crash') throw new Error('broken');
      if (now === 'timeout') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return answerOf(event, now);
    };
    const group = scenario.matcher === undefined ? {} : { matcher: scenario.matcher };
    const hook = settingsHook(kind, event, end, log, port);
    const settings =
      hook === null
        ? {}
        : { settings: { hooks: { [event]: [{ ...group, hooks: [{ ...hook, timeout: TIMEOUT, onFailure }] }] } } };
    const hooks =
      hook === null ? { hooks: { [event]: [{ ...group, hooks: [callback], timeout: TIMEOUT, onFailure }] } } : {};
    const after = (ms: number, act: () => void) => {
      if (ms !== TIMEOUT * 1000) return node.clock.after(ms, act);
      // Only the first call of it is late.
      if (end !== 'timeout' || calls() > 0) return () => undefined;
      let isOver = false;
      const look = () => {
        if (isOver) return;
        if (calls() > 0) act();
        else setImmediate(look);
      };
      look();
      return () => {
        isOver = true;
      };
    };
    const messages: SDKMessage[] = [];
    const notices = (code: string) =>
      messages.filter((each) => each.type === 'system' && each.subtype === 'notice' && each.code === code).length;
    const fails = end === 'timeout' || end === 'crash';
    const refuses = canBlock(event) && (fails || end === 'deny');
    // An exit code that refuses is a failure if nothing can be refused.
    const isFailure = fails || (end === 'deny' && kind === 'command' && !canBlock(event));
    const toTell = isFailure || (end === 'modify' && kind !== 'prompt') ? 1 : 0;
    let results = 0;
    const failures: unknown[] = [];
    const until = async (holds: () => boolean) => {
      const began = performance.now();
      while (!holds()) {
        if (performance.now() - began > GIVE_UP_MS) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const during: During = {
      cwd,
      home,
      query: () => session,
      ended: (prompts) => until(() => results >= prompts),
      heard: () => until(() => calls() > 0 && notices('hook_failed') + notices('hook_message') >= toTell),
      failed: (error) => void failures.push(error),
    };
    const typed = async function* (): AsyncGenerator<SDKUserMessage> {
      for await (const content of scenario.prompts?.(during) ?? one('go'))
        yield { type: 'user', parent_tool_use_id: null, message: { role: 'user', content } } as SDKUserMessage;
    };
    const session: Query = query({
      prompt: typed(),
      options: {
        host: { ...node, clock: { ...node.clock, after } },
        cwd,
        provider: model,
        env: { TURNWRIGHT_HOME: home, GIT_CONFIG_GLOBAL: '/dev/null' },
        settingSources: ['user', 'project'],
        ...scenario.options,
        ...settings,
        ...hooks,
      } as Options,
    });
    for await (const message of session) {
      messages.push(message);
      if (message.type === 'result') results += 1;
    }
    const told = JSON.stringify([messages, requests, failures.map(String)]);

    const due = refuses && scenario.comesAgain === true ? 2 : 1;
    if (calls() !== due) return `it was called ${calls()} times in place of ${due}`;
    if (messages.at(-1) === undefined || results === 0) return 'the session did not end';
    // A question that a hook declines has no reason.
    const reason = event.startsWith('Elicitation') ? /declin/ : end === 'deny' ? /not now/ : /a failure of it blocks/;
    if (refuses && !reason.test(told)) return 'its refusal was not heard';
    const expected = isFailure ? 1 : 0;
    if (notices('hook_failed') !== expected)
      return `${notices('hook_failed')} failures were told in place of ${expected}`;
    if (end === 'modify' && kind !== 'prompt' && notices('hook_message') !== 1) return 'what it said was not told once';
    return null;
  };
  return {
    run,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function* one(prompt: string): AsyncGenerator<string> {
  yield prompt;
}

type HookOfSettings = NonNullable<NonNullable<Settings['hooks']>[HookEvent]>[number]['hooks'][number];

function settingsHook(kind: Kind, event: HookEvent, end: End, log: string, port: number): HookOfSettings | null {
  switch (kind) {
    case 'callback':
      return null;
    case 'http':
      return { type: 'http', url: `http://127.0.0.1:${port}/` };
    case 'prompt':
      return { type: 'prompt', prompt: QUESTION };
    case 'command': {
      const last = {
        allow: "echo '{}'",
        deny: 'echo "not now" >&2; exit 2',
        modify: `echo '${JSON.stringify(answerOf(event, end))}'`,
        timeout: 'sleep 60',
        crash: 'exit 3',
      }[end];
      return {
        type: 'command',
        command: `[ -e '${log}' ] && last=1; cat >> '${log}'; [ -n "$last" ] && exit 0; ${last}`,
      };
    }
    default:
      return kind satisfies never;
  }
}
