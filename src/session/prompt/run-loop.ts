// Runs the loop for one agent, the session's own or a subagent: gives it what it needs, and keeps each message before it
// is shown.
import { initialState, queryLoop } from '../../engine/query-loop.js';
import {
  type Draft,
  type GateAnswer,
  type GateCall,
  type LoopDeps,
  type LoopState,
  type MessageDraft,
  type Outcome,
  totalTokens,
} from '../../engine/state/index.js';
import type { ToolSummaries } from '../../engine/tool-summaries.js';
import type { MessageParam } from '../../protocol/content.js';
import { ModelPolicyTimeoutError } from '../../protocol/errors.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { only, type Parts, passOn, relay, tellEach } from '../../util/relay.js';
import { type AgentRun, endingOf, keepShown, noticeDraft, type PromptEnding, publish } from '../core/index.js';
import { touchedSince } from '../instructions/index.js';
import { fromHook } from './hear-message.js';
import { configureRequests, lookAtSettings } from './prepare-prompt.js';

/**
 * What a reply needs is loaded while it is waited for: by then its request is on its way, so the start pays nothing, and
 * no model answers sooner.
 */
const PRELOAD_AFTER_MS = 25;
/** How long an interrupted tool may take to stop. */
const INTERRUPT_GRACE_MS = 2_500;
/** What the tools of a subagent have less of it, so that the agent can still say what it had done. */
const GRACE_PER_DEPTH_MS = 500;
/** Processes need that long to be terminated, then killed. */
const SHORTEST_GRACE_MS = 1_500;

/** Contract: throws only if the engine has a fault; the agent has nothing set aside afterwards. */
export function runLoop(run: AgentRun, signal: AbortSignal): AsyncGenerator<SDKMessage, PromptEnding> {
  return relay(loopParts(run, signal));
}

/** The same in parts, for a prompt that relays its own. */
export async function* loopParts(run: AgentRun, signal: AbortSignal): Parts<SDKMessage, PromptEnding> {
  const { session, runtime, tokens } = run;
  const { config, stamp, memory } = session;
  let own = 0;
  const summaries = await openSummaries(run, signal);
  const deps = loopDeps(run, signal, {
    tokensBeside: () => tokens.total - own,
    toolRoundEnded: summaries === null ? undefined : (round) => summaries.begin(round),
  });
  yield () => tellReturn(run);
  const preload = () => {
    memory.isPreloaded = true;
    runtime.prices.load().catch((error: unknown) => deps.log('catalogue_failed', { error }));
    for (const loading of [runtime.vault?.open(), runtime.gate.preload()])
      loading?.catch((error: unknown) => deps.log('preload_failed', { error }));
  };
  const cancelPreload = memory.isPreloaded === true ? null : session.host.clock.after(PRELOAD_AFTER_MS, preload);
  let isUnderWay = false;
  let loop: ReturnType<typeof queryLoop> | null = queryLoop(stateOf(run, config.jsonSchema !== undefined), deps);
  try {
    let next: Promise<IteratorResult<Draft, Outcome>> = loop.next();
    for (;;) {
      let step: Awaited<typeof next> | null = await firstOf(next, runtime);
      if (step === null) {
        isUnderWay = true;
        for (const pending of runtime.takeDrafts()) yield only(stamp(pending));
        isUnderWay = false;
        continue;
      }
      // The common case by far, and it changes nothing.
      if (!step.done && step.value.type === 'stream_event') {
        const [first, running] = [step.value, loop];
        step = yield* passOn(() => streamed(running, first, stamp, summaries));
      }
      if (step.done) {
        loop = null;
        rememberPolicy(run, step.value);
        if (summaries !== null) for (const draft of await summaries.finish()) yield only(stamp(draft));
        memory.compaction = step.value.state.compaction;
        memory.isPreloaded = true; // what this prompt did not load, a later one may not need either
        memory.fellBackTo = step.value.state.fallbacks > 0 ? step.value.state.model : null;
        return endingOf(step.value);
      }
      const draft = step.value;
      if (draft.type === 'reply') {
        const used = totalTokens(draft.message.usage);
        memory.turns += 1;
        own += used;
        tokens.total += used;
      }
      if (draft.type === 'delivered') {
        run.answered.push(draft.uuid);
        if (session.depth === 0) session.answering.uuid = draft.uuid;
      }
      if (draft.type === 'history_replaced') {
        yield () => publish(session, runtime, draft);
        await tellAgain(run);
      } else {
        for (const message of await keepShown(session, runtime, draft)) yield only(message);
        if (isSwitch(draft) && runtime.hooks.has('PostModelSwitch')) await hearSwitch(run, draft);
        for (const pending of runtime.takeDrafts()) yield only(stamp(pending));
      }
      if (summaries !== null) for (const summary of summaries.take()) yield only(stamp(summary));
      next = loop.next();
    }
  } finally {
    cancelPreload?.();
    if (isUnderWay) session.onAbandoned?.();
    await loop?.return(undefined as never);
    await summaries?.stop();
    runtime.spending.release();
  }
}

/**
 * The events of a stream. Between two of them nothing is told that could not wait for the reply.
 * @returns what comes behind them
 */
function streamed(
  loop: ReturnType<typeof queryLoop>,
  first: Extract<Draft, { type: 'stream_event' }>,
  stamp: AgentRun['session']['stamp'],
  summaries: ToolSummaries | null,
): AsyncGenerator<SDKMessage, IteratorResult<Draft, Outcome>> {
  let begun = false;
  return tellEach<IteratorResult<Draft, Outcome>, SDKMessage, IteratorResult<Draft, Outcome>>({
    ask() {
      if (begun) return loop.next();
      begun = true;
      return Promise.resolve({ value: first, done: false });
    },
    tell(step, further) {
      if (step.done || step.value.type !== 'stream_event') return { value: step, done: true };
      const value = stamp(step.value);
      if (summaries !== null) further.push(...summaries.take().map((draft) => stamp(draft)));
      return { value, done: false };
    },
  });
}

type ModelSwitch = Extract<Draft, { subtype: 'model_changed' }>;

function isSwitch(draft: Draft): draft is ModelSwitch {
  return draft.type === 'system' && draft.subtype === 'model_changed';
}

/** Few sessions have a hook that hears which model answers. */
async function hearSwitch({ session, runtime }: AgentRun, { from, to }: ModelSwitch): Promise<void> {
  if (session.depth > 0) return;
  await session.features.hearSwitched(session, runtime, from, to);
}

/** The step, or null once something is told beside it. */
function firstOf<T>(step: Promise<T>, { onTold }: Pick<AgentRun['runtime'], 'onTold'>): Promise<T | null> {
  return new Promise((resolve, reject) => {
    step.then(resolve, reject);
    onTold(() => resolve(null));
  });
}

/**
 * The message that told what instruction files say now, or how date and branch changed, may be gone with the history: then
 * the system prompt says it, as from here on nothing of a prompt cache is found anyway.
 */
async function tellAgain({ session, runtime }: AgentRun): Promise<void> {
  const { memory, history } = session;
  const wasRecorded = memory.recordedPrompt !== undefined;
  memory.recordedPrompt = undefined;
  const isGone = (since: { readonly by: MessageParam } | null | undefined) =>
    since != null && !history.params.includes(since.by);
  const isEnvironmentGone = isGone(memory.environment?.since);
  if (isEnvironmentGone) {
    const snapshot = memory.environment?.facts.snapshot ?? null;
    memory.repository = async () => snapshot;
    memory.environment = null;
  }
  if (isEnvironmentGone || wasRecorded || isGone(memory.instructions?.since)) await configureRequests(session, runtime);
}

/** The next prompt starts from the model that was named last. */
function rememberPolicy({ session: { memory }, runtime }: AgentRun, { state, error }: Outcome): void {
  if (runtime.policy === null) return;
  memory.decidedModel = state.model;
  rememberLateDecision(memory, error);
}

/** A callback that was too slow is told by a throw as well. */
export function rememberLateDecision(memory: AgentRun['session']['memory'], error: Error | null): void {
  if (error instanceof ModelPolicyTimeoutError) memory.toThrow = error;
}

/** A prompt whose last one ended with another model begins with the first again. */
function* tellReturn(run: AgentRun): Generator<SDKMessage> {
  const { memory, stamp } = run.session;
  const from = memory.fellBackTo ?? null;
  const to = modelNow(run);
  memory.fellBackTo = null;
  if (from === null || from === to) return;
  const reason = 'Each prompt begins with its own model.';
  yield stamp({ type: 'system', subtype: 'model_changed', from, to, reason, trigger: 'prompt_started' });
}

/** Lines about rounds of tools cost requests, so they are for a session that wants them, and not for its subagents. */
async function openSummaries(run: AgentRun, signal: AbortSignal): Promise<ToolSummaries | null> {
  const { toolUseSummaries: wanted = false } = run.session.config;
  if (wanted === false || run.session.depth > 0) return null;
  const { features } = run.session;
  return features.createToolSummaries(loopDeps(run, signal), wanted === true ? undefined : wanted.model);
}

/** Where the loop starts from: the agent's conversation, and what is remembered of earlier prompts. */
export function stateOf(run: AgentRun, wantsValue: boolean): LoopState {
  const { history, memory } = run.session;
  const { compaction, turns: sessionTurns, decidedModel = modelNow(run) } = memory;
  return initialState({ messages: [...history.params], model: decidedModel, wantsValue, compaction, sessionTurns });
}

/** What `setModel` named, as far as the run has no model of its own; if the host names models, it changes nothing. */
function modelNow({ session, model, isModelNamed }: AgentRun): string {
  return isModelNamed ? model : session.modelOverride(model);
}

function turnsOf(own: number | undefined, left: number | undefined): number | undefined {
  return left === undefined || (own !== undefined && own < left) ? own : left;
}

/**
 * @param turns what only an agent that goes on for several turns has
 *
 * One literal without a spread: an object that grows by as many properties leaves 20 KB behind, each prompt.
 */
export function loopDeps(
  run: AgentRun,
  signal: AbortSignal,
  turns?: Pick<LoopDeps, 'tokensBeside' | 'toolRoundEnded'>,
): LoopDeps {
  const { session, runtime } = run;
  const { config, host, depth, features } = session;
  const { loop } = runtime;
  return {
    validateJson: loop.validateJson,
    limitWatch: loop.limitWatch,
    toolContext: loop.toolContext,
    lostPlace: loop.lostPlace,
    gitWatch: loop.gitWatch,
    beforeSideEffect: loop.beforeSideEffect,
    recordRequest: loop.recordRequest,
    activity: runtime.telemetry?.watch(run.agentId),
    contextWindow: loop.contextWindow,
    maxOutputTokens: loop.maxOutputTokens,
    learnOutputLimit: loop.learnOutputLimit,
    log: loop.log,
    tell: runtime.tell,
    provider: runtime.provider,
    toolAliases: session.config.toolAliases,
    isUndefined: (name) => runtime.requests.lacks(name),
    currentTools: () => runtime.setup.tools,
    host,
    limits: runtime.limits,
    waitsUntilReset: config.waitUntilReset ?? false,
    fallback: runtime.chain(() => modelNow(run)),
    namedModel: () => (runtime.policy === null ? modelNow(run) : null),
    decideModel: runtime.policy?.decider(signal) ?? null,
    maxTurns: turnsOf(runtime.setup.maxTurns, depth === 0 ? session.memory.turnsLeft : undefined),
    taskBudget: config.taskBudget?.total,
    tokensBeside: turns?.tokensBeside ?? (() => 0),
    toolRoundEnded: turns?.toolRoundEnded,
    outputSchema: config.jsonSchema,
    parseOutput: config.parseOutput,
    includePartialMessages: config.includePartialMessages ?? false,
    signal,
    interruptGraceMs: Math.max(SHORTEST_GRACE_MS, INTERRUPT_GRACE_MS - depth * GRACE_PER_DEPTH_MS),
    spending: runtime.spending,
    compactor: runtime.compactor,
    hooks: runtime.hooks,
    buildRequest: (state) => runtime.requests.build(state),
    asksForValueAsText: (state) => runtime.requests.asksForValueAsText(state.model),
    leaveOut: (request, refused) => runtime.requests.leaveOut(request, refused),
    // What the user says meanwhile is for the session's own agent.
    credentials: runtime,
    vault: runtime.vault,
    takeSettings: () => (depth === 0 ? lookAround(run) : null),
    takeQueuedMessage: () =>
      takeLaterContext(run) ??
      features.first('betweenTurns', { run, signal, touched: takeTouched(run) }) ??
      takeInbox(session),
    decidePermission: (call) =>
      config.autoMode === undefined ? runtime.gate.decide(call) : decideJudged(run, signal, call),
    deferCall: depth === 0 ? (call) => features.deferCall(run, call) : undefined,
    decideChanged: (call, approvedBy) => runtime.gate.decideChanged(call, approvedBy),
    decideWithoutAsking: (call) => runtime.gate.decideWithoutAsking(call),
    approveTools: (rules) => runtime.gate.approveForPrompt(rules, true),
    startHooks: (skill) => features.startSkillHooks(run, skill),
    askModel: (question, until) => features.askSmallModel(run, question, loopDeps(run, until)),
    spawnAgent: depth < runtime.agents.maxDepth ? (request, call) => session.spawnAgent(run, request, call) : undefined,
  };
}

/** What hooks say when their moment is over. */
function takeLaterContext({ session, runtime }: AgentRun): Promise<readonly Draft[]> | null {
  if (session.depth > 0 || runtime.laterContext.length === 0) return null;
  const message = { role: 'user', content: runtime.laterContext.splice(0).map(fromHook).join('\n\n') } as const;
  return Promise.resolve([{ type: 'delivered', message, uuid: session.host.ids.uuid(), isMeta: true }]);
}

/** Files that the agent came to since this was asked last, as far as they may bring instructions along. */
function takeTouched({ session: { config, memory } }: AgentRun): readonly string[] {
  return touchedSince(config.readFileCache, memory.loadedInstructions);
}

/** What was said to a subagent while it works. */
function takeInbox({ memory, host }: AgentRun['session']): Promise<readonly Draft[]> | null {
  const said = memory.inbox?.splice(0) ?? [];
  if (said.length === 0) return null;
  const message = { role: 'user', content: said.join('\n\n') } as const;
  return Promise.resolve([{ type: 'delivered', message, uuid: host.ids.uuid(), isMeta: true }]);
}

/** At what may have changed meanwhile; null if nothing did, as far as is known at once. */
function lookAround(run: AgentRun): Promise<readonly MessageDraft[]> | null {
  const { session, runtime } = run;
  const looking = lookAtSettings(session, 'turn');
  const watching = runtime.hooks.has('FileChanged') ? runtime.watchedFiles().then((files) => files.look()) : null;
  const acting = session.features.at('turnBegins', { run });
  if (looking === null && watching === null && acting === null) return null;
  return (async () => {
    await acting;
    await watching;
    return ((await looking) ?? []).map(noticeDraft);
  })();
}

async function decideJudged(run: AgentRun, signal: AbortSignal, call: GateCall): Promise<GateAnswer> {
  return run.session.features.decideWithJudge({ run, signal, depsUntil: (until) => loopDeps(run, until) }, call);
}
