// Agents that are talked to again: those that work hear it at their next turn, those that ended go on with what they know.
import path from 'node:path';
import type { AgentOutcome } from '../../engine/state/index.js';
import { isFileError } from '../../host/host.js';
import { ToolError } from '../../protocol/errors.js';
import type { AgentRequest } from '../../tools/tool.js';
import { isRecord } from '../../util/is-record.js';
import { shorten } from '../../util/text.js';
import type { AgentRun } from '../core/index.js';
import { readTranscriptFile, toConversation } from '../store/index.js';
import type { AgentRoster, FoundAgent, KnownAgent, PastAgent } from '../tasks/index.js';

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
