// At which moments of a prompt the features of a session act, and what its core asks of them by name. One rule: what does it
// stands behind a door of `features.ts`, and is loaded when it first has something to do.
import type { AskedFor, FeatureParts, FeatureQuestions, Features, Moments } from './core/index.js';
import { DOORS } from './features.js';
import { lacksPlanTool, mayDeferTools, mayJoin, namesServerPrompt } from './prompt/index.js';

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
