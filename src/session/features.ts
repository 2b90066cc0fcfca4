// What a session may have beside its core: every feature, with when it is needed and the door to what does it. One rule:
// nothing else in `session/` loads a feature, so whoever asks what is loaded when reads this file from top to bottom.
import { loadOnce } from '../util/load-once.js';
import type { AskedFor, FeatureParts, FeatureQuestions, Features, Moments } from './core/index.js';
import { lacksPlanTool, mayDeferTools, mayJoin, namesServerPrompt } from './prompt/index.js';

/**
 * What takes part in prompts, in the order in which it acts. `at` says at which moments, and when it has something to do there:
 * only then its door is opened, and what stands behind it as `parts` acts.
 */
const TAKING_PART: Readonly<Record<string, TakingPart>> = {
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
  /** The user said something while the prompt runs. */
  queuedMessages: {
    at: { betweenTurns: ({ run }) => mayJoin(run) },
    door: loadOnce(() => import('./prompt/join-prompt.js')),
  },
  /** There are MCP servers. */
  servers: {
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
};

/** Calls that wait for a decision, or waited when an earlier session ended. */
const openCalls = loadOnce(() => import('./prompt/open-calls.js'));
/** Commands that no model answers. */
const localCommands = loadOnce(() => import('./prompt/local-commands.js'));
/** A skill brings hooks along. */
const skillHooks = loadOnce(() => import('./prompt/skill-hooks.js'));
/** A hook hears which model answers. */
const modelSwitches = loadOnce(() => import('./prompt/switch-model.js'));

/** What the core of a session asks for by name, each with its door. */
const ASKED_FOR: AskedForDoors = {
  prepareDecisions: openCalls,
  answerDecisions: openCalls,
  withdrawCalls: openCalls,
  deferCall: openCalls,
  waitingCalls: openCalls,
  answerAfterOrphan: openCalls,
  answerWithoutModel: localCommands,
  clearConversation: localCommands,
  runCommandShell: localCommands,
  hearSwitched: modelSwitches,
  /** Settings, agents or skills are found to be others than before. */
  takeSettingsChange: loadOnce(() => import('./prompt/settings-change.js')),
  takeAgentsChange: loadOnce(() => import('./prompt/agents-change.js')),
  takeSkills: loadOnce(() => import('./prompt/skills-change.js')),
  startSkillHooks: skillHooks,
  resumeSkillHooks: skillHooks,
  /** The host takes part in compaction. */
  snipResumed: loadOnce(() => import('./core/snip-resumed.js')),
  /** A conversation is compacted, or cut. */
  replaceHistory: loadOnce(() => import('./core/replace-history.js')),
  /** A hook listens to MessageDisplay. */
  displayedText: loadOnce(() => import('./core/display-message.js')),
  /** A call makes calls, as a script does. */
  keepNested: loadOnce(() => import('./core/keep-nested.js')),
  /** The model gives the session its title. */
  titleByModel: loadOnce(() => import('./prompt/session-title.js')),
  /** A request failed for good. */
  failureDrafts: loadOnce(() => import('./prompt/tell-failure.js')),
  /** Rounds of tools are summed up in a line. */
  createToolSummaries: loadOnce(() => import('../engine/tool-summaries.js')),
  /** Mode `auto` has a judge. */
  decideWithJudge: loadOnce(() => import('./prompt/permission-judge.js')),
  /** A tool asks a small model about a text, as WebFetch does. */
  askSmallModel: loadOnce(() => import('./prompt/ask-small-model.js')),
  /** A prompt names files. */
  readAttachments: loadOnce(() => import('./prompt/attachments.js')),
  /** The session has a folder of notes. */
  readMemoryIndex: loadOnce(() => import('./prompt/memory-index.js')),
  /** A secret was found. */
  secretsNotice: loadOnce(() => import('./secrets/secrets-notice.js')),
};

interface TakingPart {
  readonly at: FeatureQuestions;
  readonly door: () => Promise<{ readonly parts: FeatureParts }>;
}

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
  return { ...(Object.fromEntries(asked) as AskedFor), at: letAct, first: letFirstAct };
}

const ALL = Object.values(TAKING_PART);

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
  for (let at = from; at < ALL.length; at++) if (ALL[at]?.at[moment]?.(what) === true) return at;
  return -1;
}

async function act<M extends keyof Moments>(
  at: number,
  moment: M,
  what: Moments[M]['at'],
): Promise<Moments[M]['gives']> {
  const { parts } = (await ALL[at]?.door()) ?? { parts: {} as FeatureParts };
  return (await parts[moment]?.(what)) as Moments[M]['gives'];
}
