// Runs one subagent for a call: the same loop, on a history of its own, until it ends. Loaded with the first of them.
import path from 'node:path';
import {
  type AgentCall,
  type AgentOutcome,
  type Draft,
  TASKS_LEFT_HEADER,
  textOf,
  totalTokens,
} from '../../engine/state/index.js';
import type { HostClock } from '../../host/host.js';
import type { SDKMessage, TerminalReason } from '../../protocol/messages.js';
import type { SDKTaskNotificationMessage, TaskUsage } from '../../protocol/system-messages.js';
import type { TaskFacts } from '../../tools/shared/background-tasks.js';
import type { AgentReport, AgentRequest } from '../../tools/tool.js';
import { errorText, shorten } from '../../util/text.js';
import { type AgentRun, explanationOf, keep, type PromptEnding, transcriptNotices } from '../core/index.js';
import { configureRequests, fromHook, runLoop } from '../prompt/index.js';
import { assembleAgent, type ChildAgent } from './assemble-agent.js';

/** Longest summary in `task_notification`, characters. */
const MAX_SUMMARY = 300;

/**
 * Contract: throws `ToolError` before anything was shown, where the request cannot be met; after that, every
 * `task_started` has its `task_notification`, and nothing of the agent is left when this returns but its background
 * tasks, which are then its caller's.
 */
export async function* spawnAgent(
  parent: AgentRun,
  request: AgentRequest,
  call: AgentCall,
): AsyncGenerator<Draft, AgentOutcome> {
  const { host } = parent.session;
  // Not a listener of its own on the signal of the prompt, which many agents and calls share: Node warns at eleven.
  const timeLimit = new AbortController();
  const signal = AbortSignal.any([call.signal, timeLimit.signal]);
  let stopTimer: () => void = () => undefined;
  let child: ChildAgent | null = null;
  try {
    child = await assembleAgent(parent, request, { toolUseId: call.toolUseId, signal });
    const progress = startProgress(host.clock);
    let isLate = false;
    if (request.timeoutMs !== undefined)
      stopTimer = host.clock.after(request.timeoutMs, () => {
        isLate = true;
        timeLimit.abort();
      });
    yield show(parent, started(child, request, call));
    const ending = yield* workToEnd(parent, child, { request, call, progress, signal });
    await child.run.runtime.close();
    for (const message of transcriptNotices(child.run.session, child.run.runtime)) yield { type: 'shown', message };
    const report = withTasks(
      toReport(child, ending, isLate ? request.timeoutMs : undefined, progress.usage()),
      handOver(parent, child),
    );
    const status = report.error === null ? 'completed' : ending.reason === 'aborted' ? 'stopped' : 'failed';
    yield show(parent, ended(child, report, status, call));
    return { report, ends: endsPrompt(ending.reason) };
  } finally {
    stopTimer();
    if (child !== null) handOver(parent, child);
    await child?.run.runtime.close();
  }
}

/** What it began in the background goes on, and is the concern of who asked for the agent. */
function handOver({ agentId, runtime }: AgentRun, child: ChildAgent): readonly TaskFacts[] {
  return runtime.tasks.registry?.handOver(child.agentId, agentId) ?? [];
}

function withTasks(report: AgentReport, running: readonly TaskFacts[]): AgentReport {
  if (running.length === 0) return report;
  const list = running.map(({ id, description }) => `${id} (${description})`).join(', ');
  return {
    ...report,
    text: `${report.text}\n\n${TASKS_LEFT_HEADER}${list}.]`,
  };
}

/** What there is to tell of an agent while it works. */
interface Progress {
  add(tokens: number, toolUses: number): void;
  usage(): TaskUsage;
}

function startProgress(clock: Pick<HostClock, 'monotonic'>): Progress {
  const startedAt = clock.monotonic();
  let totalTokens = 0;
  let toolUses = 0;
  return {
    add(tokens, uses) {
      totalTokens += tokens;
      toolUses += uses;
    },
    usage: () => ({
      total_tokens: totalTokens,
      tool_uses: toolUses,
      duration_ms: Math.round(clock.monotonic() - startedAt),
    }),
  };
}

interface Work {
  readonly request: AgentRequest;
  readonly call: AgentCall;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Contract: never throws; a fault of the engine is an end like others. */
async function* workToEnd(parent: AgentRun, child: ChildAgent, task: Work): AsyncGenerator<Draft, PromptEnding> {
  try {
    return yield* work(parent, child, task);
  } catch (error) {
    parent.runtime.loop.log('agent_failed', { agent: child.type.name, error });
    return { reason: 'engine_error', turns: 0, text: '', stopReason: null, error: errorText(error), structured: null };
  }
}

/** The agent's task becomes its first message; then the loop runs to its end. */
async function* work(parent: AgentRun, child: ChildAgent, task: Work): AsyncGenerator<Draft, PromptEnding> {
  const { run } = child;
  const { session, runtime } = run;
  const { hooks, prices, budget } = runtime;
  if (budget !== null) await prices.load();
  const heard = hooks.has('SubagentStart') ? await hooks.run('SubagentStart', {}) : null;
  const context = (heard?.additionalContext ?? []).map(fromHook);
  const timestamp = new Date(session.host.clock.now()).toISOString();
  const message = { role: 'user', content: [task.request.prompt, ...context].join('\n\n') } as const;
  await keep(session, runtime, { type: 'user', uuid: session.host.ids.uuid(), timestamp, message });
  await writeMeta(parent, child, task);
  for (const notice of transcriptNotices(session, runtime)) yield { type: 'shown', message: notice };
  for (const draft of runtime.takeDrafts()) yield { type: 'shown', message: session.stamp(draft) };
  await configureRequests(session, runtime);

  const messages = runLoop(run, task.signal);
  try {
    for (;;) {
      const step = await messages.next();
      if (step.done) return step.value;
      const shown = session.config.forwardSubagentText === false ? withoutText(step.value) : step.value;
      if (shown !== null) yield { type: 'shown', message: shown };
      if (countReply(step.value, child, task.progress)) yield show(parent, progressed(child, step.value, task));
    }
  } finally {
    await messages.return(undefined as never);
  }
}

/** Calls and their results only; null where nothing of the message is left. */
function withoutText(message: SDKMessage): SDKMessage | null {
  if (message.type === 'stream_event') return null;
  if (message.type === 'user') return typeof message.message.content === 'string' ? null : message;
  if (message.type !== 'assistant') return message;
  const content = message.message.content.filter(({ type }) => type !== 'text' && !type.endsWith('thinking'));
  return content.length === 0 ? null : { ...message, message: { ...message.message, content } };
}

/** True for a reply of the agent itself that calls tools. */
function countReply(message: SDKMessage, { toolUseId }: ChildAgent, progress: Progress): boolean {
  if (message.type !== 'assistant' || message.parent_tool_use_id !== toolUseId) return false;
  const calls = message.message.content.filter((block) => block.type === 'tool_use').length;
  progress.add(totalTokens(message.message.usage), calls);
  return calls > 0;
}

/** Beside the transcript: which call it belongs to. Readers of the layout look for it there. */
async function writeMeta(parent: AgentRun, child: ChildAgent, { request, call }: Work): Promise<void> {
  const { session, runtime } = child.run;
  const { path: file } = runtime.transcript;
  if (file === null) return;
  const meta = {
    agentType: child.type.name,
    description: await runtime.transcript.withoutSecrets(request.description),
    toolUseId: call.toolUseId,
    ...(parent.agentId === null ? {} : { parentAgentId: parent.agentId }),
  };
  const target = path.join(path.dirname(file), `${path.basename(file, '.jsonl')}.meta.json`);
  try {
    await session.host.fs.writeFileAtomic(target, `${JSON.stringify(meta)}\n`, { mode: 0o600 });
  } catch (error) {
    // The transcript beside it fails the same way, and tells it.
    runtime.loop.log('agent_meta_failed', { error });
  }
}

/** Messages about the agent are the caller's own: they stand where its call does. */
function show(parent: AgentRun, draft: Parameters<AgentRun['session']['stamp']>[0]): Draft {
  return { type: 'shown', message: parent.session.stamp(draft) };
}

function started(child: ChildAgent, request: AgentRequest, call: AgentCall) {
  return {
    type: 'system',
    subtype: 'task_started',
    task_id: child.agentId,
    tool_use_id: call.toolUseId,
    description: request.description,
    subagent_type: child.type.name,
    task_type: 'local_agent',
    prompt: request.prompt,
  } as const;
}

function progressed(child: ChildAgent, message: SDKMessage, { request, call, progress }: Work) {
  const blocks = message.type === 'assistant' ? message.message.content : [];
  const last = blocks.findLast((block) => block.type === 'tool_use');
  return {
    type: 'system',
    subtype: 'task_progress',
    task_id: child.agentId,
    tool_use_id: call.toolUseId,
    description: request.description,
    subagent_type: child.type.name,
    usage: progress.usage(),
    ...(last === undefined ? {} : { last_tool_name: last.name }),
  } as const;
}

function ended(child: ChildAgent, report: AgentReport, status: SDKTaskNotificationMessage['status'], call: AgentCall) {
  return {
    type: 'system',
    subtype: 'task_notification',
    task_id: child.agentId,
    tool_use_id: call.toolUseId,
    status,
    output_file: child.run.runtime.transcript.path ?? '',
    summary: shorten(report.error ?? report.text, MAX_SUMMARY),
    usage: report.usage,
  } as const;
}

function toReport(
  child: ChildAgent,
  ending: PromptEnding,
  timeLimitMs: number | undefined,
  usage: TaskUsage,
): AgentReport {
  const { agentId, type } = child;
  const error = ending.reason === 'completed' ? null : whyUnfinished(ending, timeLimitMs);
  // An agent that was cut in the middle of a reply has said something all the same.
  const text = ending.text === '' && error !== null ? lastText(child) : ending.text;
  return { agentId, agent: type.name, text, error, usage };
}

function whyUnfinished(ending: PromptEnding, timeLimitMs: number | undefined): string {
  switch (ending.reason) {
    case 'aborted':
      return timeLimitMs === undefined
        ? 'It was interrupted.'
        : `It was stopped at its time limit of ${timeLimitMs} ms.`;
    case 'hook_stopped':
      return 'A hook ended it.';
    case 'task_budget':
      return 'The budget of tokens was used up before it was done.';
    default:
      return explanationOf(ending);
  }
}

function lastText({ run }: ChildAgent): string {
  const replies = run.session.history.messages.filter((message) => message.type === 'assistant');
  return replies.map(({ message }) => textOf(message.content)).findLast((text) => text !== '') ?? '';
}

/** A person or a hook that ends the prompt means all of it, whichever agent asked. */
function endsPrompt(reason: TerminalReason): TerminalReason | null {
  return reason === 'permission_interrupt' || reason === 'hook_stopped' ? reason : null;
}
