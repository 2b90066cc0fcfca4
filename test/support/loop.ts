// The loop by itself, over the scripted model and a machine in memory: from any state, and with a look at each of its own.

import { createCompactor } from '../../src/engine/compaction/compactor.js';
import { structuredOutputTool } from '../../src/engine/output/structured-output.js';
import { createJsonValidator } from '../../src/engine/output/validate-json.js';
import { initialState, queryLoop } from '../../src/engine/query-loop.js';
import { createRequestBuilder, type RequestSettings } from '../../src/engine/request/build-request.js';
import {
  createLimitWatch,
  type Draft,
  type LoopDeps,
  type LoopState,
  type Outcome,
} from '../../src/engine/state/loop-state.js';
import { FREE_SPENDING } from '../../src/engine/state/spending.js';
import { createTokenEstimator } from '../../src/engine/tokens/estimate-tokens.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { resolveLimits } from '../../src/session/config/limits.js';
import { NO_HOOKS } from '../../src/session/hooks/live-hooks.js';
import type { ScriptedModel } from '../../src/testing/model/scripted-model.js';
import { createToolContext } from './tool-context.js';

export interface LoopRun {
  readonly drafts: readonly Draft[];
  readonly outcome: Outcome;
  /** The states that requests were built from, the first included. */
  readonly states: readonly LoopState[];
}

/** What a loop without limits, hooks or rules needs; every call is allowed. */
export function loopDeps(model: ScriptedModel, overrides: Partial<LoopDeps> = {}): LoopDeps {
  const host = createMemoryHost();
  const contextWindow = overrides.contextWindow ?? (() => 200_000);
  const estimator = createTokenEstimator();
  const compactor = createCompactor({ estimator, contextWindow, isAutomatic: true, pinSources: async () => [] });
  const { currentTools = () => [], outputSchema } = overrides;
  const requests = createRequestBuilder();
  const outputTool = outputSchema === undefined ? {} : { outputSchema, outputTool: structuredOutputTool(outputSchema) };
  const settings: RequestSettings = {
    system: ['You are tested.'],
    tools: currentTools(),
    maxTokens: 32_000,
    ...outputTool,
    nativeSchema: (name, schema) => model.outputSchema?.(name, schema) ?? null,
  } as RequestSettings;
  requests.configure(settings);
  return {
    provider: model,
    currentTools,
    host,
    limits: resolveLimits({}, { maxRetries: 0, retryBaseMs: 0, retryMaxMs: 0 }),
    limitWatch: createLimitWatch(),
    waitsUntilReset: false,
    fallback: null,
    decideModel: null,
    namedModel: () => 'scripted',
    maxTurns: undefined,
    taskBudget: undefined,
    tokensBeside: () => 0,
    spending: FREE_SPENDING,
    compactor,
    maxOutputTokens: () => null,
    learnOutputLimit: () => undefined,
    contextWindow,
    hooks: NO_HOOKS,
    outputSchema,
    includePartialMessages: false,
    signal: new AbortController().signal,
    buildRequest: (state) => requests.build(state),
    asksForValueAsText: (state) => requests.asksForValueAsText(state.model),
    leaveOut: (request, refused) => requests.leaveOut(request, refused),
    decidePermission: async ({ input }) => ({ behavior: 'allow', input }),
    decideChanged: async ({ input }) => ({ behavior: 'allow', input }),
    decideWithoutAsking: async ({ input }) => ({ behavior: 'allow', input }),
    toolContext: (toolUseId, signal) => createToolContext({ toolUseId, signal, host, cwd: '/' }),
    interruptGraceMs: 100,
    takeQueuedMessage: () => null,
    beforeSideEffect: async () => null,
    validateJson: createJsonValidator(),
    recordRequest: () => undefined,
    log: () => undefined,
    ...overrides,
  };
}

/** Runs the loop to its end, from a prompt `go` or from the state that is given. */
export async function runLoop(deps: LoopDeps, from: Partial<LoopState> = {}): Promise<LoopRun> {
  const states: LoopState[] = [];
  const watched: LoopDeps = {
    ...deps,
    buildRequest(state) {
      states.push(state);
      return deps.buildRequest(state);
    },
  };
  const start = initialState({
    messages: [{ role: 'user', content: 'go' }],
    model: 'scripted',
    wantsValue: deps.outputSchema !== undefined,
  });
  const loop = queryLoop({ ...start, ...from }, watched);
  const drafts: Draft[] = [];
  for (;;) {
    const step = await loop.next();
    if (step.done) return { drafts, outcome: step.value, states };
    drafts.push(step.value);
  }
}
