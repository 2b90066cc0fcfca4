// What a session may have beside its core: the doors to it, what opens them, and at which moments of a prompt it acts. One
// rule: nothing else in `session/` loads a feature, so whoever asks what is loaded when reads these lists from top to bottom.
import { loadOnce } from '../util/load-once.js';
import type { QueryEngineConfig } from './config/index.js';
import type { AskedFor, FeatureParts, FeatureQuestions, Features, Moments } from './core/index.js';
import { canAsk } from './permission/index.js';
import { lacksPlanTool, mayDeferTools, mayJoin, namesServerPrompt } from './prompt/index.js';

/** What is loaded when it is first needed: rooms, and doors to what a room does not always need. */
export const DOORS = {
  /** What only some prompts do. */
  prompt: loadOnce(() => import('./prompt/on-demand.js')),
  /** Models that are asked beside the loop: for a title, a hook, a tool, a judge. */
  beside: loadOnce(() => import('./prompt/beside-on-demand.js')),
  /** Answers to permission questions and others that come from elsewhere than the host's callback. */
  permission: loadOnce(() => import('./permission/on-demand.js')),
  /** Who decides which model answers, and what it may cost. */
  models: loadOnce(() => import('./models/on-demand.js')),
  /** Tools that are found by a search, and code mode. */
  tools: loadOnce(() => import('./tools/on-demand.js')),
  /** MCP servers. */
  servers: loadOnce(() => import('./prompt/servers-on-demand.js')),
  /** The first subagent, or the first hook that an agent answers. */
  agents: loadOnce(() => import('./agents/index.js')),
  /** The first command or agent in the background, and an agent's place in the queue of those that work. */
  tasks: loadOnce(() => import('./tasks/on-demand.js')),
  /** Hooks that call tools of MCP servers, or listen to FileChanged. */
  hooks: loadOnce(() => import('./hooks/on-demand.js')),
  /** A skill or an agent brings hooks along. */
  ownHooks: loadOnce(() => import('./prompt/own-hooks.js')),
  /** The first call of a tool for the web, or of a hook that sends something. */
  web: loadOnce(() => import('./web/index.js')),
  /** Commands are confined. */
  sandbox: loadOnce(() => import('./sandbox/session-sandbox.js')),
  /** The first call that writes, or that starts git. */
  gitWatch: loadOnce(() => import('./sandbox/open-git-watch.js')),
  /** Files are kept as they were, or a session that kept them goes on without. */
  checkpoints: loadOnce(() => import('./checkpoints/checkpoints.js')),
  /** The session, or its files, is set back. */
  rewind: loadOnce(() => import('./rewind/index.js')),
  /** Somebody asks or changes something of a session that lives. */
  controls: loadOnce(() => import('./controls/index.js')),
  /** A checkout of its own, for the session or an agent; also if sessions left some behind. */
  worktrees: loadOnce(() => import('./worktrees/index.js')),
  /** OpenTelemetry. */
  telemetry: loadOnce(() => import('./telemetry/index.js')),
} as const;

/** Variables of the session. */
type Env = Readonly<Record<string, string | undefined>>;

/** Opened as the session is put together (`assemble.ts`), if its configuration asks for it, in the order of this list; closed in reverse. */
interface Opened {
  isNeeded(config: QueryEngineConfig, env: Env): boolean;
  door(): Promise<unknown>;
}

export const OPENED = {
  /** The option `web`; without it, the first call opens it. */
  web: { isNeeded: ({ web }) => web !== undefined, door: DOORS.web },
  sandbox: { isNeeded: ({ sandbox }) => sandbox?.enabled === true, door: DOORS.sandbox },
  /** Without servers in the configuration, the first that is added opens it. */
  servers: {
    isNeeded: ({ mcpClients, mcpServers = [] }) => mcpClients.length + mcpServers.length > 0,
    door: DOORS.servers,
  },
  /** A tool answers permission questions. */
  promptTool: {
    isNeeded: ({ permissionPromptToolName }) => permissionPromptToolName !== undefined,
    door: DOORS.permission,
  },
  /** The option counts before our variable, and that before the one of the published SDKs. */
  telemetry: {
    isNeeded: ({ telemetry }, env) =>
      (telemetry ?? isSet(env['TURNWRIGHT_TELEMETRY'] ?? env['CLAUDE_CODE_ENABLE_TELEMETRY'])) !== false,
    door: DOORS.telemetry,
  },
  /** Somebody can be asked, other than for permission. */
  elicitation: { isNeeded: canAsk, door: DOORS.permission },
  /** A policy on untrusted content. */
  provenance: { isNeeded: ({ untrustedContent }) => untrustedContent !== undefined, door: DOORS.permission },
  /** The host names the model of each request. */
  modelPolicy: { isNeeded: ({ resolveModel }) => resolveModel !== undefined, door: DOORS.models },
  /** Another model may answer; a host that names models names that one too. */
  fallback: {
    isNeeded: ({ fallback, fallbackModel, resolveModel }) =>
      resolveModel === undefined && (fallback !== undefined || fallbackModel !== undefined),
    door: DOORS.models,
  },
  /** What may be spent is limited. */
  budget: {
    isNeeded: ({ budget, maxBudgetUsd }) => budget !== undefined || maxBudgetUsd !== undefined,
    door: DOORS.models,
  },
} as const satisfies Readonly<Record<string, Opened>>;

/**
 * Takes part in prompts: if a question of `at` is answered by true, what `parts` gives acts at that moment, in the order of
 * this list.
 */
interface TakingPart {
  readonly at: FeatureQuestions;
  parts(): Promise<FeatureParts>;
}

const TAKING_PART: readonly TakingPart[] = [
  // Folders that the agent comes to bring instructions, rules and skills along.
  {
    at: {
      tellBeside: ({ attached }) => attached.length > 0,
      betweenTurns: ({ touched }) => touched.length > 0,
    },
    parts: async () => (await DOORS.prompt()).laterInstructions,
  },
  // Something works in the background, or did so before the session was resumed.
  {
    at: {
      tellBeside: ({ session: { config, memory }, runtime: { tasks } }) =>
        tasks.registry !== null || (config.resumedFrom != null && memory.areTasksTold !== true),
      betweenTurns: ({ run }) => (run.runtime.tasks.registry?.untold(run.agentId).length ?? 0) > 0,
    },
    parts: async () => (await DOORS.prompt()).tasks,
  },
  // The user said something while the prompt runs, or something for the next one.
  {
    at: { betweenTurns: ({ run }) => mayJoin(run) },
    parts: async () => (await DOORS.prompt()).queuedMessages,
  },
  // MCP servers at a prompt.
  {
    at: {
      promptBegins: ({ runtime }) => runtime.servers.now !== null,
      inputArrives: ({ runtime, prompt }) => runtime.servers.now !== null && namesServerPrompt(prompt),
      messageArrives: ({ runtime }) => runtime.servers.now !== null,
      modelIsAsked: ({ run }) => run.runtime.servers.now !== null,
      turnBegins: ({ run }) => run.runtime.servers.now?.hasNews === true,
    },
    parts: async () => (await DOORS.servers()).servers,
  },
  // The session came to mode plan while it lasts.
  {
    at: {
      toolsAreOffered: ({ session, runtime }) => lacksPlanTool(session, runtime),
      turnBegins: ({ run }) => lacksPlanTool(run.session, run.runtime),
    },
    parts: async () => (await DOORS.prompt()).planTool,
  },
  // There are so many tools that requests leave some out until they are searched for.
  {
    at: { toolsAreOffered: ({ session, runtime }) => mayDeferTools(session, runtime) },
    parts: async () => (await DOORS.tools()).toolSearch,
  },
  // Code mode: the model calls tools out of scripts, one of which may have been cut short before the session was resumed.
  {
    at: {
      toolsAreOffered: ({ session }) => Boolean(session.config.codeMode),
      tellBeside: ({ session: { config, memory } }) =>
        Boolean(config.codeMode) && config.resumedFrom != null && memory.areScriptsTold !== true,
    },
    parts: async () => (await DOORS.tools()).codeMode,
  },
];

function isSet(variable: string | undefined): boolean {
  return variable === '1' || variable?.toLowerCase() === 'true';
}

/** What the core of a session asks for by name, and where it stands. */
const ASKED_FOR: AskedForDoors = {
  prepareDecisions: DOORS.prompt,
  answerDecisions: DOORS.prompt,
  withdrawCalls: DOORS.prompt,
  deferCall: DOORS.prompt,
  waitingCalls: DOORS.prompt,
  answerAfterOrphan: DOORS.prompt,
  answerWithoutModel: DOORS.prompt,
  clearConversation: DOORS.prompt,
  runCommandShell: DOORS.prompt,
  hearSwitched: DOORS.prompt,
  startSkillHooks: DOORS.ownHooks,
  resumeSkillHooks: DOORS.ownHooks,
  addOwnHooks: DOORS.ownHooks,
  serversOfAgent: DOORS.servers,
  takeSettingsChange: DOORS.prompt,
  takeAgentsChange: DOORS.prompt,
  takeSkills: DOORS.prompt,
  snipResumed: DOORS.prompt,
  replaceHistory: DOORS.prompt,
  titleByModel: DOORS.beside,
  createToolSummaries: DOORS.beside,
  decideWithJudge: DOORS.beside,
  askSmallModel: DOORS.beside,
  readAttachments: DOORS.prompt,
};

type AskedForDoors = {
  readonly [Name in keyof AskedFor]: () => Promise<{
    readonly [N in Name]: (
      ...given: Parameters<AskedFor[Name]>
    ) => ReturnType<AskedFor[Name]> | Awaited<ReturnType<AskedFor[Name]>>;
  }>;
};

/** The features of every session: they keep nothing themselves, what they remember is the session's. */
export function sessionFeatures(): Features {
  const asked = Object.entries(ASKED_FOR).map(([name, door]) => [
    name,
    async (...given: unknown[]) => {
      const room = (await door()) as Readonly<Record<string, (...given: unknown[]) => unknown>>;
      return room[name]?.(...given);
    },
  ]);
  const { worktrees, gitWatch } = DOORS;
  return { ...(Object.fromEntries(asked) as AskedFor), worktrees, gitWatch, at: letAct, first: letFirstAct };
}

/** What stands behind the door of a feature, if the configuration asks for it; else null, and nothing is loaded. */
export async function openIfNeeded<Room>(
  { isNeeded, door }: { isNeeded(config: QueryEngineConfig, env: Env): boolean; door(): Promise<Room> },
  config: QueryEngineConfig,
  env: Env,
): Promise<Room | null> {
  return isNeeded(config, env) ? door() : null;
}

function letAct<M extends keyof Moments>(moment: M, what: Moments[M]['at']): Promise<Moments[M]['gives'][]> | null {
  const first = next(moment, what, 0);
  if (first === -1) return null;
  return (async () => {
    const given: Moments[M]['gives'][] = [];
    // What one does may give the next something to do.
    for (let at = first; at !== -1; at = next(moment, what, at + 1)) given.push(await act(at, moment, what));
    return given;
  })();
}

function letFirstAct<M extends keyof Moments>(moment: M, what: Moments[M]['at']): Promise<Moments[M]['gives']> | null {
  const first = next(moment, what, 0);
  return first === -1 ? null : act(first, moment, what);
}

/** The place in the list of the next feature that has something to do; -1 if none has. */
function next<M extends keyof Moments>(moment: M, what: Moments[M]['at'], from: number): number {
  for (let at = from; at < TAKING_PART.length; at++) if (TAKING_PART[at]?.at[moment]?.(what) === true) return at;
  return -1;
}

async function act<M extends keyof Moments>(
  at: number,
  moment: M,
  what: Moments[M]['at'],
): Promise<Moments[M]['gives']> {
  const parts = await TAKING_PART[at]?.parts();
  return (await parts?.[moment]?.(what)) as Moments[M]['gives'];
}
