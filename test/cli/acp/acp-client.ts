// A client of the official library that drives the built `turnwright acp` as an editor does, beside a scripted model on
// loopback. Keeps every update, and answers questions as a test says.
import { mkdirSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import {
  type ClientCapabilities,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';
import { type MockProvider, startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import type { MockFunction, MockStep } from '../../../src/testing/mock/mock-wire.js';
import { type CliEnd, type CliRun, mockEnv, startCli, temporaryFolder } from '../../e2e/run-cli.js';

export interface EditorOptions {
  readonly capabilities?: ClientCapabilities;
  readonly argv?: readonly string[];
  /** Instead of a key for the mock. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of an earlier editor, so that its sessions are there. */
  readonly home?: string;
  readonly cwd?: string;
  /** Answers a question; default: the first option. */
  readonly permission?: (request: RequestPermissionRequest, signal: AbortSignal) => Promise<string | null>;
  readonly elicitation?: (request: CreateElicitationRequest) => CreateElicitationResponse;
  /** Buffers that are not saved, by path. */
  readonly buffers?: Map<string, string>;
}

export interface Editor {
  readonly agent: ClientContext;
  readonly initialized: InitializeResponse;
  readonly run: CliRun;
  readonly mock: MockProvider;
  readonly home: string;
  readonly cwd: string;
  readonly questions: RequestPermissionRequest[];
  readonly forms: CreateElicitationRequest[];
  /** Paths of the files that were read and written through the client. */
  readonly read: string[];
  readonly written: string[];
  newSession(): Promise<NewSessionResponse>;
  prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<PromptResponse>;
  updates(sessionId: string): readonly SessionUpdate[];
  /** Resolves with the first update that fits, also one that has come already. */
  seen(sessionId: string, fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  /** Closes the program's stdin. */
  leave(): Promise<CliEnd>;
}

export async function openEditor(
  steps: readonly MockStep[] | MockFunction,
  options: EditorOptions = {},
): Promise<Editor> {
  const mock = await startMockProvider({ steps });
  onTestFinished(() => mock.close());
  const { home = temporaryFolder(), cwd = temporaryFolder(), buffers = new Map<string, string>() } = options;
  mkdirSync(cwd, { recursive: true });
  const env = { TURNWRIGHT_HOME: home, ...(options.env ?? mockEnv(mock.url)) };
  const run = startCli(['acp', ...(options.argv ?? [])], { env, cwd, stdin: null });
  const updates = new Map<string, SessionUpdate[]>();
  const listeners = new Set<() => void>();
  const questions: RequestPermissionRequest[] = [];
  const forms: CreateElicitationRequest[] = [];
  const read: string[] = [];
  const written: string[] = [];

  const permission =
    options.permission ?? (({ options: [first] }) => Promise.resolve(first === undefined ? null : first.optionId));
  const app = client({ name: 'test-editor' })
    .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
      updates.set(sessionId, [...(updates.get(sessionId) ?? []), update]);
      for (const listener of listeners) listener();
    })
    .onRequest(
      methods.client.session.requestPermission,
      async ({ params, signal }): Promise<RequestPermissionResponse> => {
        questions.push(params);
        const optionId = await permission(params, signal);
        return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
      },
    )
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      forms.push(params);
      return options.elicitation?.(params) ?? { action: 'cancel' };
    })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => {
      read.push(params.path);
      const content = buffers.get(params.path);
      if (content === undefined) throw new Error('no such buffer');
      return { content };
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
      const { writeFile } = await import('node:fs/promises');
      written.push(params.path);
      buffers.set(params.path, params.content);
      await writeFile(params.path, params.content);
      return {};
    });
  // The process gives its output as text.
  const input = (Readable.toWeb(run.child.stdout) as ReadableStream<string>).pipeThrough(new TextEncoderStream());
  const connection = app.connect(ndJsonStream(Writable.toWeb(run.child.stdin), input));
  onTestFinished(() => connection.close());
  const { agent } = connection;
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: options.capabilities ?? {},
    clientInfo: { name: 'test-editor', version: '1.0.0' },
  });
  const of = (sessionId: string) => updates.get(sessionId) ?? [];
  return {
    agent,
    initialized,
    run,
    mock,
    home,
    cwd,
    questions,
    forms,
    read,
    written,
    newSession: () => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    prompt: (sessionId, prompt) =>
      agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt,
      }),
    updates: of,
    seen: (sessionId, fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = of(sessionId).find(fits);
          if (found === undefined) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
      }),
    leave: () => {
      run.child.stdin.end();
      return run.ended;
    },
  };
}

/** The text of all chunks of one kind. */
export function said(
  updates: readonly SessionUpdate[],
  kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk' = 'agent_message_chunk',
): string {
  return updates
    .map((update) => (update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : ''))
    .join('');
}

/** Everything that was said of one call, later fields over earlier ones. */
export function callOf(updates: readonly SessionUpdate[], id: string): Record<string, unknown> {
  const own = updates.filter(
    (update) =>
      (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') && update.toolCallId === id,
  );
  return Object.assign({}, ...own) as Record<string, unknown>;
}
