// What a session may have beside its core: every feature, with when it is needed and the door to what does it. One rule:
// nothing else in `session/` loads a feature, so whoever asks what is loaded when reads this list from top to bottom.
import { loadOnce } from '../util/load-once.js';
import type { QueryEngineConfig } from './config/index.js';
import type { AskedFor, FeatureParts, FeatureQuestions, Features, Moments } from './core/index.js';
import { canAsk } from './permission/index.js';
import { lacksPlanTool, mayDeferTools, mayJoin, namesServerPrompt } from './prompt/index.js';

/** Variables of the session. */
type Env = Readonly<Record<string, string | undefined>>;

/**
 * What `door` loads is loaded
 * - if `isNeeded` says so of the configuration: when the session is put together (`assemble.ts`), in the order of this list;
 *   what is opened is closed in reverse;
 * - if a question of `at` is answered by true: at that moment of a prompt, in the order of this list. Then `parts` of what was
 *   loaded acts;
 * - else when it is first called for, as its line says.
 */
type Feature =
  | TakingPart
  | { readonly at?: never; isNeeded?(config: QueryEngineConfig, env: Env): boolean; door(): Promise<unknown> };

interface TakingPart {
  readonly at: FeatureQuestions;
  door(): Promise<{ readonly parts: FeatureParts }>;
}

export const FEATURES = {
  // ---- Opened as the session is put together, if its configuration asks for it.

  /** The option `web`; without it, the first call of a tool for the web, or of a hook that sends something. */
  web: {
    isNeeded: ({ web }) => web !== undefined,
    door: loadOnce(() => import('./web/index.js')),
  },
  /** Commands are confined. */
  sandbox: {
    isNeeded: ({ sandbox }) => sandbox?.enabled === true,
    door: loadOnce(() => import('./sandbox/session-sandbox.js')),
  },
  /** MCP servers; without them in the configuration, the first that is added. */
  servers: {
    isNeeded: ({ mcpClients, mcpServers = [] }) => mcpClients.length + mcpServers.length > 0,
    door: loadOnce(() => import('./tools/open-server-tools.js')),
  },
  /** A tool answers permission questions. */
  promptTool: {
    isNeeded: ({ permissionPromptToolName }) => permissionPromptToolName !== undefined,
    door: loadOnce(() => import('./permission/prompt-tool.js')),
  },
  /** Files are kept as they were, or a session that kept them goes on without. */
  checkpoints: { door: loadOnce(() => import('./checkpoints/checkpoints.js')) },
  /** OpenTelemetry. The option counts before our variable, and that before the one of the published SDKs. */
  telemetry: {
    isNeeded: ({ telemetry }, env) =>
      (telemetry ?? isSet(env['TURNWRIGHT_TELEMETRY'] ?? env['CLAUDE_CODE_ENABLE_TELEMETRY'])) !== false,
    door: loadOnce(() => import('./telemetry/index.js')),
  },
  /** Somebody can be asked, other than for permission. */
  elicitation: { isNeeded: canAsk, door: loadOnce(() => import('./permission/elicitation.js')) },
  /** A policy on untrusted content. */
  provenance: {
    isNeeded: ({ untrustedContent }) => untrustedContent !== undefined,
    door: loadOnce(() => import('./permission/provenance.js')),
  },
  /** The host names the model of each request. */
  modelPolicy: {
    isNeeded: ({ resolveModel }) => resolveModel !== undefined,
    door: loadOnce(() => import('./models/model-policy.js')),
  },
  /** Another model may answer; a host that names models names that one too. */
  fallback: {
    isNeeded: ({ fallback, fallbackModel, resolveModel }) =>
      resolveModel === undefined && (fallback !== undefined || fallbackModel !== undefined),
    door: loadOnce(() => import('./models/model-chain.js')),
  },
  /** What may be spent is limited. */
  budget: {
    isNeeded: ({ budget, maxBudgetUsd }) => budget !== undefined || maxBudgetUsd !== undefined,
    door: loadOnce(() => import('./models/session-budget.js')),
  },

  // ---- Taking part in prompts.

  /** Folders that the agent comes to bring instructions, rules and skills along. */
  laterInstructions: {
    at: {
      tellBeside: ({ attached }) => attached.length > 0,
      betweenTurns: ({ touched }) => touched.length > 0,
    },
    door: loadOnce(() => import('./prompt/added-instructions.js')),
  },
  /** Something works in the background, or did so before the session was resumed. */
  tasks: {
    at: {
      tellBeside: ({ session: { config, memory }, runtime: { tasks } }) =>
        tasks.registry !== null || (config.resumedFrom != null && memory.areTasksTold !== true),
      betweenTurns: ({ run }) => (run.runtime.tasks.registry?.untold(run.agentId).length ?? 0) > 0,
    },
    door: loadOnce(() => import('./prompt/tell-tasks.js')),
  },
  /** A session in code mode was resumed: a script may have been cut short. */
  scripts: {
    at: {
      tellBeside: ({ session: { config, memory } }) =>
        Boolean(config.codeMode) && config.resumedFrom != null && memory.areScriptsTold !== true,
    },
    door: loadOnce(() => import('./prompt/tell-scripts.js')),
  },
  /** The user said something while the prompt runs, or something for the next one. */
  queuedMessages: {
    at: { betweenTurns: ({ run }) => mayJoin(run) },
    door: loadOnce(() => import('./prompt/join-prompt.js')),
  },
  /** MCP servers at a prompt. */
  serversAtPrompt: {
    at: {
      promptBegins: ({ runtime }) => runtime.servers.now !== null,
      inputArrives: ({ runtime, prompt }) => runtime.servers.now !== null && namesServerPrompt(prompt),
      messageArrives: ({ runtime }) => runtime.servers.now !== null,
      modelIsAsked: ({ run }) => run.runtime.servers.now !== null,
      turnBegins: ({ run }) => run.runtime.servers.now?.hasNews === true,
    },
    door: loadOnce(() => import('./prompt/join-servers.js')),
  },
  /** The session came to mode plan while it lasts. */
  planTool: {
    at: {
      toolsAreOffered: ({ session, runtime }) => lacksPlanTool(session, runtime),
      turnBegins: ({ run }) => lacksPlanTool(run.session, run.runtime),
    },
    door: loadOnce(() => import('./prompt/offer-plan-tool.js')),
  },
  /** There are so many tools that requests leave some out until they are searched for. */
  toolSearch: {
    at: { toolsAreOffered: ({ session, runtime }) => mayDeferTools(session, runtime) },
    door: loadOnce(() => import('./tools/defer-tools.js')),
  },
  /** Code mode: the model calls tools out of scripts. */
  codeMode: {
    at: { toolsAreOffered: ({ session }) => Boolean(session.config.codeMode) },
    door: loadOnce(() => import('./tools/offer-scripts.js')),
  },

  // ---- Called for.

  /** The first subagent, or the first hook that an agent answers. */
  agents: { door: loadOnce(() => import('./agents/index.js')) },
  /** An agent brings hooks or MCP servers of its own. */
  agentParts: { door: loadOnce(() => import('./agents/own-parts.js')) },
  /** An agent's place in the queue of those that work. */
  agentRoster: { door: loadOnce(() => import('./tasks/agent-roster.js')) },
  /** The first command or agent in the background. */
  taskRegistry: { door: loadOnce(() => import('./tasks/task-registry.js')) },
  /** Somebody asks or changes something of a session that lives. */
  controls: { door: loadOnce(() => import('./controls/index.js')) },
  /** The session, or its files, is set back. */
  rewind: { door: loadOnce(() => import('./rewind/index.js')) },
  /** Mode plan. */
  plan: { door: loadOnce(() => import('./plan/session-plan.js')) },
  /** A checkout of its own, for the session or an agent; also if sessions left some behind. */
  worktrees: { door: loadOnce(() => import('./worktrees/index.js')) },
  /** The first call that writes, or that starts git. */
  gitWatch: { door: loadOnce(() => import('./sandbox/open-git-watch.js')) },
  /** A hook calls a tool of an MCP server. */
  hookTools: { door: loadOnce(() => import('./hooks/command-hooks.js')) },
  /** A hook listens to FileChanged. */
  watchedFiles: { door: loadOnce(() => import('./hooks/watched-files.js')) },
  /** A model asks or is asked beside the loop: a tool about a text, a hook about an event. */
  smallModel: { door: loadOnce(() => import('./prompt/ask-small-model.js')) },
  /** Calls wait for a decision, or waited when an earlier session ended. */
  openCalls: { door: loadOnce(() => import('./prompt/open-calls.js')) },
  /** A command that no model answers, and a hook that ends a prompt. */
  localCommands: { door: loadOnce(() => import('./prompt/local-commands.js')) },
  /** A hook hears which model answers. */
  modelSwitches: { door: loadOnce(() => import('./prompt/switch-model.js')) },
  /** A skill brings hooks along. */
  skillHooks: { door: loadOnce(() => import('./prompt/skill-hooks.js')) },
  /** Settings, files of agents, or skills are others than before. */
  changes: { door: loadOnce(() => import('./prompt/take-changes.js')) },
  /** A conversation is compacted, or cut; a host that takes part in compaction is asked about a resumed one. */
  otherHistory: { door: loadOnce(() => import('./core/replace-history.js')) },
  /** A call makes calls, as a script does. */
  nestedCalls: { door: loadOnce(() => import('./core/keep-nested.js')) },
  /** The model gives the session its title. */
  title: { door: loadOnce(() => import('./prompt/session-title.js')) },
  /** Rounds of tools are summed up in a line. */
  toolSummaries: { door: loadOnce(() => import('../engine/tool-summaries.js')) },
  /** Mode `auto` has a judge. */
  judge: { door: loadOnce(() => import('./prompt/permission-judge.js')) },
  /** A conversation was there before: files that the model saw. */
  seenFiles: { door: loadOnce(() => import('./core/remember-files.js')) },
  /** A prompt names files. */
  attachments: { door: loadOnce(() => import('./prompt/attachments.js')) },
  /** The session, or an agent, has a folder of notes. */
  memoryIndex: { door: loadOnce(() => import('./prompt/memory-index.js')) },
} as const satisfies Readonly<Record<string, Feature>>;

function isSet(variable: string | undefined): boolean {
  return variable === '1' || variable?.toLowerCase() === 'true';
}

/** What the core of a session asks for by name, and where it stands. */
const ASKED_FOR: AskedForDoors = {
  prepareDecisions: FEATURES.openCalls.door,
  answerDecisions: FEATURES.openCalls.door,
  withdrawCalls: FEATURES.openCalls.door,
  deferCall: FEATURES.openCalls.door,
  waitingCalls: FEATURES.openCalls.door,
  answerAfterOrphan: FEATURES.openCalls.door,
  answerWithoutModel: FEATURES.localCommands.door,
  clearConversation: FEATURES.localCommands.door,
  runCommandShell: FEATURES.localCommands.door,
  hearSwitched: FEATURES.modelSwitches.door,
  startSkillHooks: FEATURES.skillHooks.door,
  resumeSkillHooks: FEATURES.skillHooks.door,
  addOwnHooks: FEATURES.agentParts.door,
  serversOfAgent: FEATURES.agentParts.door,
  takeSettingsChange: FEATURES.changes.door,
  takeAgentsChange: FEATURES.changes.door,
  takeSkills: FEATURES.changes.door,
  snipResumed: FEATURES.otherHistory.door,
  replaceHistory: FEATURES.otherHistory.door,
  keepNested: FEATURES.nestedCalls.door,
  titleByModel: FEATURES.title.door,
  createToolSummaries: FEATURES.toolSummaries.door,
  decideWithJudge: FEATURES.judge.door,
  askSmallModel: FEATURES.smallModel.door,
  readAttachments: FEATURES.attachments.door,
  readMemoryIndex: FEATURES.memoryIndex.door,
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
  const { worktrees, gitWatch } = FEATURES;
  const doors = { worktrees: worktrees.door, gitWatch: gitWatch.door };
  return { ...(Object.fromEntries(asked) as AskedFor), ...doors, at: letAct, first: letFirstAct };
}

/** What stands behind the door of a feature, if the configuration asks for it; else null, and nothing is loaded. */
export async function openIfNeeded<Room>(
  { isNeeded, door }: { isNeeded(config: QueryEngineConfig, env: Env): boolean; door(): Promise<Room> },
  config: QueryEngineConfig,
  env: Env,
): Promise<Room | null> {
  return isNeeded(config, env) ? door() : null;
}

const TAKING_PART = Object.values<Feature>(FEATURES).filter((feature) => feature.at !== undefined);

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
  const { parts } = (await TAKING_PART[at]?.door()) ?? { parts: {} as FeatureParts };
  return (await parts[moment]?.(what)) as Moments[M]['gives'];
}
