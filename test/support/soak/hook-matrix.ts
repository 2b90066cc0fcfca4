// Each hook event with each kind of hook and each way to end: fired once, its answer heard as that of the other kinds, its failure
// told, nothing of it left.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { CommandHook } from '../../../src/hooks/command-hook.js';
import { canBlock } from '../../../src/hooks/declared-hooks.js';
import { createHookRunner, type HookResult } from '../../../src/hooks/run-hooks.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import { HOOK_EVENTS, type HookEvent } from '../../../src/protocol/hooks.js';
import { createSecrets } from '../../../src/providers/keys/key-variables.js';
import { openHookWeb } from '../../../src/session/web/index.js';
import { hookInput } from '../../hooks/inputs.js';
import { commandHook, loggedInputs, NO_POWERS, openedCommands } from '../command-hooks.js';
import { temporaryFolder } from '../engine.js';

export const KINDS = ['callback', 'command', 'http', 'prompt', 'agent'] as const;
export const ENDS = ['allow', 'deny', 'modify', 'timeout', 'crash'] as const;
export type HookKind = (typeof KINDS)[number];
export type HookEnd = (typeof ENDS)[number];

/** Milliseconds that a hook may take. One that never answers is late as soon as it was called. */
const TIMEOUT_MS = 60_000;

function answerOf(event: HookEvent, end: HookEnd): object {
  if (end === 'deny') return { decision: 'block', reason: 'not now' };
  const specific = { hookEventName: event, additionalContext: 'more' };
  return end === 'modify' ? { hookSpecificOutput: specific, systemMessage: 'changed' } : {};
}

export interface MatrixCase {
  readonly event: HookEvent;
  readonly kind: HookKind;
  readonly end: HookEnd;
  readonly onFailure: 'continue' | 'block';
}

/** What one of them came to. */
export interface MatrixResult {
  readonly calls: number;
  readonly result: HookResult;
  readonly ms: number;
}

export interface Matrix {
  run(each: MatrixCase): Promise<MatrixResult>;
  close(): Promise<void>;
}

/** All cases; `block` if the event can be refused, so that a failure has an effect. */
export function matrixCases(): readonly MatrixCase[] {
  return HOOK_EVENTS.flatMap((event) =>
    KINDS.flatMap((kind) =>
      ENDS.map((end): MatrixCase => ({ event, kind, end, onFailure: canBlock(event) ? 'block' : 'continue' })),
    ),
  );
}

export async function openMatrix(): Promise<Matrix> {
  const folder = await temporaryFolder();
  let posted = 0;
  const server = createServer((request, response) => {
    posted += 1;
    const [, event = '', end = ''] = (request.url ?? '').split('/');
    request.resume().on('end', () => {
      if (end === 'timeout') return;
      if (end === 'crash') response.statusCode = 500;
      response.end(JSON.stringify(answerOf(event as HookEvent, end as HookEnd)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const host = createNodeHost();
  let at = 0;

  const run = async ({ event, kind, end, onFailure }: MatrixCase): Promise<MatrixResult> => {
    at += 1;
    const log = path.join(folder, `log-${at}`);
    let asked = 0;
    posted = 0;
    const ask = async (signal: AbortSignal): Promise<string> => {
      asked += 1;
      if (end === 'timeout')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('x'))));
      if (end === 'crash') return 'perhaps';
      return end === 'deny' ? '{"ok": false, "reason": "not now"}' : '{"ok": true}';
    };
    const settings = { onFailure, timeoutMs: TIMEOUT_MS };
    const hook = hookOf(kind, event, end, log, port, settings);
    const powers = {
      ...NO_POWERS,
      openWeb: async () => openHookWeb({}, host, {}, createSecrets()),
      askModel: async (_: unknown, signal: AbortSignal) => ask(signal),
      askAgent: async (_: unknown, signal: AbortSignal) => ask(signal),
    };
    let called = 0;
    const callback = async (_input: unknown, _id: unknown, { signal }: { readonly signal: AbortSignal }) => {
      called += 1;
      if (end === 'crash') throw new Error('broken');
      if (end === 'timeout') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return answerOf(event, end);
    };
    const commands = openedCommands(hook === null ? [] : [hook], folder, {}, powers);
    const matchers = hook === null ? { [event]: [{ hooks: [callback], timeout: TIMEOUT_MS / 1000, onFailure }] } : {};
    const began = performance.now();
    const callsOf = () =>
      ({ callback: called, command: loggedInputs(log).length, http: posted, prompt: asked, agent: asked })[kind];
    const after = (ms: number, act: () => void) => {
      if (end !== 'timeout') return host.clock.after(ms, act);
      let isOver = false;
      const look = () => {
        if (isOver) return;
        if (callsOf() > 0) act();
        else setImmediate(look);
      };
      look();
      return () => {
        isOver = true;
      };
    };
    const runner = createHookRunner(matchers as never, { ...host, clock: { ...host.clock, after } }, commands.declared);
    const result = await runner.run(hookInput(event), 'toolu_1', new AbortController().signal);
    const ms = performance.now() - began;
    await commands.close();
    const calls = callsOf();
    return { calls, result, ms };
  };
  return {
    run,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function hookOf(
  kind: HookKind,
  event: HookEvent,
  end: HookEnd,
  log: string,
  port: number,
  settings: Pick<CommandHook, 'onFailure' | 'timeoutMs'>,
): CommandHook | null {
  switch (kind) {
    case 'callback':
      return null;
    case 'command': {
      const last = {
        allow: "echo '{}'",
        deny: 'echo "not now" >&2; exit 2',
        modify: `echo '${JSON.stringify(answerOf(event, end))}'`,
        timeout: 'sleep 60',
        crash: 'exit 3',
      }[end];
      return commandHook(event, `cat >> '${log}'; ${last}`, settings);
    }
    case 'http': {
      const url = `http://127.0.0.1:${port}/${event}/${end}`;
      return commandHook(event, 'posts', {
        ...settings,
        action: { type: 'http', url, headers: {}, allowedEnvVars: [] },
      });
    }
    case 'prompt':
    case 'agent':
      return commandHook(event, 'asks', { ...settings, action: { type: kind, prompt: 'Is it?', model: undefined } });
    default:
      return kind satisfies never;
  }
}

/** True if the event is refused, in whatever way it can be. */
function isRefused({ block, permission, request, elicitation }: HookResult): boolean {
  return (
    block !== null ||
    permission?.behavior === 'deny' ||
    request?.behavior === 'deny' ||
    elicitation?.action === 'decline'
  );
}

/** What is wrong with one of them; null if nothing is. */
export function matrixProblem(
  { event, kind, end, onFailure }: MatrixCase,
  { calls, result, ms }: MatrixResult,
): string | null {
  if (calls !== 1) return `it was called ${calls} times`;
  const mayRefuse = canBlock(event);
  const isFailure = end === 'timeout' || end === 'crash';
  // An exit code that refuses is a failure if nothing can be refused.
  const refusesInVain = end === 'deny' && kind === 'command' && !mayRefuse;
  if (isFailure !== result.failures.length > 0 && !refusesInVain && end !== 'modify')
    return `failures: ${JSON.stringify(result.failures)}`;
  const refuses = (end === 'deny' && mayRefuse) || (isFailure && onFailure === 'block');
  if (end !== 'modify' && mayRefuse && isRefused(result) !== refuses)
    return refuses ? 'it refused nothing' : 'it refused';
  if (end === 'timeout' && ms > TIMEOUT_MS) return `it was waited for ${Math.round(ms)} ms`;
  return null;
}

/** What a change comes to, of whatever kind of hook. */
export const changeOf = ({ additionalContext, systemMessages, failures }: HookResult) => ({
  additionalContext,
  systemMessages,
  failures: failures.map(({ error }) => error),
});
