// Agents beside the conversation: one that its call does not wait for goes on as a background task, whose caller hears of its end
// once; and agents are talked to again.
import path from 'node:path';
import type { AgentOutcome, Draft } from '../../engine/state/index.js';
import { isFileError } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { TaskExit, TaskProgram } from '../../tools/background-tasks.js';
import type { AgentRequest } from '../../tools/tool.js';
import { isRecord } from '../../util/json.js';
import { shorten } from '../../util/text.js';
import type { AgentRun } from '../core/index.js';
import { readTranscriptFile, toConversation } from '../store/index.js';
import type { AgentRoster, FoundAgent, KnownAgent, PastAgent } from '../tasks/index.js';
import { spoolFolder } from '../tools/index.js';
import type { ChildAgent } from './assemble-agent.js';

/** What is needed of the agent at work. */
export interface BesideWork {
  readonly request: Pick<AgentRequest, 'description' | 'prompt'>;
  readonly toolUseId: string;
  readonly runId: string;
  /** True if its call waited for it first. */
  readonly isMoved: boolean;
  hear: (text: string) => void;
  readonly messages: AsyncGenerator<Draft, AgentOutcome>;
  stop(): void;
  leave(): void;
}

type Step = IteratorResult<Draft, AgentOutcome>;

/** What it said that nobody read, characters; more is cut at the beginning, and the file has all. */
const MAX_UNREAD = 30_000;

/**
 * @param first the step that is under way
 * @throws ToolError if the session ends; then nothing of the agent is left
 */
export async function goOnBeside(
  parent: AgentRun,
  child: ChildAgent,
  work: BesideWork,
  first: Promise<Step>,
): Promise<AgentOutcome> {
  const { tasks } = parent.runtime;
  const { agentId, type } = child;
  try {
    const registry = await tasks.open();
    const request = {
      toolUseId: work.toolUseId,
      description: work.request.description,
      agent: { id: agentId, type: type.name, prompt: work.request.prompt, runId: work.runId },
      isMoved: work.isMoved,
    };
    const facts = await registry.forAgent(parent.agentId).start(request, () => openProgram(parent, child, work, first));
    const usage = { total_tokens: 0, tool_uses: 0, duration_ms: 0 };
    const background = { taskId: facts.id, outputFile: facts.outputFile };
    return { report: { agentId, agent: type.name, text: '', error: null, usage, background }, ends: null };
  } catch (error) {
    work.stop();
    await drain(work, first, () => undefined);
    throw error;
  }
}

async function openProgram(
  parent: AgentRun,
  child: ChildAgent,
  work: BesideWork,
  first: Promise<Step>,
): Promise<TaskProgram> {
  const { runtime, session } = parent;
  const output = await openOutput(parent, child.agentId);
  work.hear = (text) => output.add(text);
  const done = drain(work, first, (draft) => {
    if (draft.type === 'shown') runtime.tasks.show(draft.message);
  }).catch((error: unknown): null => {
    runtime.loop.log('agent_failed', { agent: child.type.name, error });
    return null;
  });
  const ended = done.then(async (outcome): Promise<TaskExit> => {
    const { text = '', error = 'The engine failed.' } = outcome?.report ?? {};
    if (error !== null) output.add(`[It did not finish. ${error}]`);
    const lost = await output.close();
    const report =
      error === null ? text : `It did not finish. ${error}${text === '' ? '' : `\n\nWhat it said last:\n\n${text}`}`;
    return { exitCode: error === null ? 0 : 1, notes: lost === null ? [] : [lost], report };
  });
  const { memory } = child.run.session;
  return {
    outputFile: output.file,
    ended,
    async stop() {
      work.stop();
      await ended;
    },
    async write(text) {
      memory.inbox?.push(text);
      return memory.inbox !== undefined && session.host !== undefined;
    },
    takeOutput: () => output.take(),
    inspect: async () => [],
  };
}

async function drain(work: BesideWork, first: Promise<Step>, show: (draft: Draft) => void): Promise<AgentOutcome> {
  for (let next = first; ; next = work.messages.next()) {
    const step = await next;
    if (step.done) return step.value;
    show(step.value);
  }
}

interface AgentOutput {
  /** Null if the session keeps no files. */
  readonly file: string | null;
  add(text: string): void;
  /** What was added since the last call. */
  take(): string;
  /** What is missing in the file, a sentence; null if nothing is. */
  close(): Promise<string | null>;
}

async function openOutput({ session, runtime }: AgentRun, agentId: string): Promise<AgentOutput> {
  const folder = spoolFolder(runtime.sessionFolder);
  const file = folder === null ? null : path.join(folder, `task-${agentId}.txt`);
  const handle = file === null ? null : await session.host.fs.openAppend(file).catch(() => null); // told at its end
  let unread = '';
  let writing: Promise<unknown> = Promise.resolve();
  let lost = file !== null && handle === null;
  return {
    file: handle === null ? null : file,
    add(text) {
      if (text.trim() === '') return;
      unread = `${unread}${text}\n`;
      if (unread.length > MAX_UNREAD) unread = `[…]\n${unread.slice(-MAX_UNREAD)}`;
      writing = writing
        .then(() => handle?.append(`${text}\n`))
        .catch(() => {
          lost = true; // told at its end
        });
    },
    take() {
      const text = unread;
      unread = '';
      return text;
    },
    async close() {
      await writing;
      await handle?.close().catch(() => {
        lost = true; // as above
      });
      return lost ? 'What it said could not all be written to its file; its transcript has it.' : null;
    },
  };
}

// Agents that are talked to again: those that work hear it at their next turn, those that ended go on with what they know.

const AGENT_ID = /^a[0-9a-f]{16}$/;

/** @throws ToolError if there is none, or nothing of it was kept */
export async function findAgent(
  { agentId, runtime, session }: AgentRun,
  roster: AgentRoster<PastAgent>,
  to: string,
): Promise<FoundAgent<PastAgent>> {
  const found = roster.find(to, agentId);
  if (found !== null && (found.isAtWork || found.past !== null)) return found;
  const id = found?.agent.id ?? to;
  const past = AGENT_ID.test(id) && agentId === null ? await readPast(session, runtime, id) : null;
  if (past !== null) return { agent: stranger(past), isAtWork: false, past };
  const named = roster.named(agentId).slice(-16);
  throw new ToolError(
    `There is no agent ${JSON.stringify(shorten(to, 60))} that could be talked to. ${named.length === 0 ? 'None was started here.' : `Agents: ${named.join(', ')}.`}`,
  );
}

/** Contract: the agent hears it before its next request, or goes on for it. */
export function tellAgent(agent: KnownAgent, request: AgentRequest): AgentOutcome {
  const { id: agentId, type } = agent;
  if (request.background === false)
    throw new ToolError(
      `The agent ${agentId} still works, so it cannot be waited for here. Talk to it with SendMessage.`,
    );
  if (!agent.say(request.prompt)) throw new ToolError(`The agent ${agentId} has just ended. Send it again.`);
  const usage = { total_tokens: 0, tool_uses: 0, duration_ms: 0 };
  return { report: { agentId, agent: type, text: '', error: null, usage, isHeard: true }, ends: null };
}

function stranger({ agentId, type, description, name }: PastAgent): KnownAgent {
  return {
    id: agentId,
    name,
    type,
    description,
    owner: null,
    toolUseId: null,
    say: () => false,
    moveToBackground: () => false,
  };
}

/** Of an earlier run of the session, or one that ended long ago. Null if nothing of it is there. */
async function readPast(
  { host, sessionId }: AgentRun['session'],
  { sessionFolder }: AgentRun['runtime'],
  agentId: string,
): Promise<PastAgent | null> {
  if (sessionFolder === null) return null;
  const file = path.join(sessionFolder, 'subagents', `agent-${agentId}.jsonl`);
  const [meta, read] = await Promise.all([
    readMeta(host, file.replace(/\.jsonl$/, '.meta.json')),
    readMessages(host, file, sessionId),
  ]);
  if (meta === null || read === null || read.messages.length === 0) return null;
  return { agentId, worktree: null, ...meta, ...read };
}

/** Bytes of its conversation that are read back, the newest. */
const MAX_BYTES = 4 * 1024 * 1024;

async function readMessages(
  host: AgentRun['session']['host'],
  file: string,
  sessionId: string,
): Promise<Pick<PastAgent, 'messages' | 'lastUuid'> | null> {
  try {
    const read = await readTranscriptFile(host, file, { sessionId, isSidechain: true, maxBytes: MAX_BYTES });
    return { messages: toConversation(read.entries), lastUuid: read.lastUuid };
  } catch (error) {
    if (isFileError(error)) return null; // there is none
    throw error;
  }
}

async function readMeta({ fs }: AgentRun['session']['host'], file: string) {
  try {
    const meta: unknown = JSON.parse(new TextDecoder().decode(await fs.readFile(file)));
    if (!isRecord(meta) || typeof meta['agentType'] !== 'string') return null;
    const { agentType: type, description = '', name = null } = meta;
    return { type, description: String(description), name: typeof name === 'string' ? name : null };
  } catch (error) {
    if (isFileError(error) || error instanceof SyntaxError) return null; // nothing of it is known
    throw error;
  }
}
