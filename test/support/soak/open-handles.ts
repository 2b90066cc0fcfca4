// What a long session keeps open: file descriptors, sockets, processes. It asks a server over loopback, runs commands and
// reads and writes files, so that whatever could be left open is opened again and again.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import { QueryEngine } from '../../../src/session/query-engine.js';
import { getTools } from '../../../src/tools/builtin.js';
import { reply, textBlock, toolBlock, type WireEvent, wire } from '../anthropic-replies.js';
import { temporaryFolder } from '../engine.js';
import { plainConfig } from '../plain-config.js';
import { startSseServer } from '../sse-server.js';

/** What was opened since the count began: tests of other files share the process, and what is left of them goes in its own time. */
export interface OpenHandles {
  readonly fds: number;
  readonly sockets: number;
  readonly processes: number;
}

export interface HandleFigures {
  readonly turns: number;
  readonly before: OpenHandles;
  /** After each prompt, the first left out: connections and the transcript are open from there on. */
  readonly during: readonly OpenHandles[];
  readonly after: OpenHandles;
}

const TURNS_PER_PROMPT = 20;
/** Small, so that there are compactions, whose requests count as well. */
const WINDOW = 20_000;
const DESCRIPTORS = '/proc/self/fd';

/** False if the machine does not say which descriptors are open. */
export const CAN_COUNT = existsSync(DESCRIPTORS);

export async function countHandles(turns: number): Promise<HandleFigures> {
  let turn = 0;
  const cwd = await temporaryFolder();
  const server = await startSseServer((response, { body }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(wire(answer(body, cwd, () => ++turn)));
  });
  onTestFinished(() => server.close());
  await server.until(() => !server.isOpen());
  const count = countFromNow();
  const before = count();
  const engine = new QueryEngine({
    ...plainConfig(),
    host: createNodeHost(),
    cwd,
    userSpecifiedModel: 'claude-haiku-4-5',
    tools: await getTools(),
    contextWindow: WINDOW,
    maxTurns: TURNS_PER_PROMPT,
    env: {
      TURNWRIGHT_HOME: await temporaryFolder(),
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'sk-ant-test',
    },
  });
  onTestFinished(() => engine.close());
  const during: OpenHandles[] = [];
  while (turn < turns) {
    for await (const message of engine.submitMessage(`go on from ${turn}`))
      if (message.type === 'result' && message.terminal_reason !== 'max_turns')
        throw new Error(`It ended at turn ${turn}: ${message.terminal_reason} ${message.result}`);
    during.push(await settled(count, during[1] ?? null));
  }
  await engine.close();
  // The server's end of a connection is in this process too, and closes after ours.
  await server.until(() => !server.isOpen());
  return { turns: turn, before, during: during.slice(1), after: await settled(count, before) };
}

/** The system takes its time to give back what was closed; what is still open after a minute was left open. */
async function settled(count: () => OpenHandles, expected: OpenHandles | null): Promise<OpenHandles> {
  let last = count();
  const wait = { timeout: 60_000, interval: 10 };
  const isSettled = () => {
    const [before, now] = [last, count()];
    last = now;
    expect(now).toEqual(expected ?? before);
  };
  await vi.waitFor(isSettled, wait).catch(() => undefined);
  return count();
}

function countFromNow(): () => OpenHandles {
  const opened = new Set(descriptors());
  const started = new Set(children());
  return () => {
    const mine = descriptors().filter((each) => !opened.has(each));
    return {
      fds: mine.length,
      sockets: mine.filter((each) => / (?:socket|pipe):/.test(each)).length,
      processes: children().filter((pid) => !started.has(pid)).length,
    };
  };
}

/** Each with what it stands for: a number is given again. */
function descriptors(): string[] {
  return readdirSync(DESCRIPTORS).flatMap((descriptor) => {
    try {
      return [`${descriptor} ${readlinkSync(path.join(DESCRIPTORS, descriptor))}`];
    } catch {
      return []; // the one by which they are listed
    }
  });
}

/** Living processes that this one started. */
function children(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
      return Number(parent) === process.pid && state !== 'Z';
    } catch {
      return false; // no process, or one that ended meanwhile
    }
  });
}

/** One call after the other, of tools that open something. */
function answer(body: string, cwd: string, nextTurn: () => number): WireEvent[] {
  if (body.includes('Summarise this conversation so that'))
    return reply(textBlock(0, '<summary>It went on.</summary>'));
  const turn = nextTurn();
  const call = CALLS[turn % CALLS.length] ?? CALLS[0];
  const [name, input] = call(turn, (at) => path.join(cwd, 'notes', `${at}.txt`));
  return reply(toolBlock(0, `toolu_${turn}`, JSON.stringify(input)).map((event) => withName(event, name)));
}

type Call = (turn: number, fileOf: (turn: number) => string) => readonly [name: string, input: object];

const CALLS: readonly [Call, ...Call[]] = [
  (turn) => ['Bash', { command: `echo ${turn}; seq 1 ${100 + (turn % 50)}` }],
  (turn, fileOf) => ['Write', { file_path: fileOf(turn), content: `turn ${turn}\n` }],
  (turn) => ['Bash', { command: `cat notes/${turn - 1}.txt | wc -c` }],
  (turn) => ['Glob', { pattern: `**/${turn - 2}.txt` }],
  (turn) => ['Grep', { pattern: `turn ${turn - 3}$`, output_mode: 'content' }],
  (turn, fileOf) => ['Read', { file_path: fileOf(turn - 4) }],
];

function withName(event: WireEvent, name: string): WireEvent {
  const { content_block: block } = event as { content_block?: object };
  return block === undefined ? event : { ...event, content_block: { ...block, name } };
}
