// What the model is told beside the user's words: one list of who may have something to say, in the order of their texts. One
// rule: whoever has nothing loads nothing, and what was said counts as told once there is the message that takes it along.
import type { ChangingFacts } from '../../context/environment.js';
import { goalNote, PLAN_MODE_OVER, resourceUpdatedNote } from '../../engine/state/index.js';
import type { UserMessageParam } from '../../protocol/content.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { fromHook } from './hear-message.js';
import { environmentChange } from './told-environment.js';
import { instructionsChange } from './told-instructions.js';

/** What the prompt is, and how things are as it begins. */
export interface PromptMoment {
  readonly session: Session;
  readonly runtime: SessionRuntime;
  /** What of the environment may change, as it is. */
  readonly now: ChangingFacts;
  /** What instruction files say, by their names. */
  readonly instructions: Readonly<Record<string, string>>;
  /** The environment as the system prompt would say it. */
  readonly machine: readonly string[];
  /** Files that the prompt brings along, absolute, links resolved. */
  readonly attached: readonly string[];
  /** Replies that the prompt may have; absent: no limit of its own. */
  readonly maxTurns?: number | undefined;
}

/** Texts for the coming message. */
export interface News {
  readonly texts: readonly string[];
  /** Called with the message that takes them along. */
  told?(by: UserMessageParam): void;
}

/** One who may have something to say. Null: nothing. */
type Teller = (moment: PromptMoment) => News | null | Promise<News | null>;

const TELLERS: readonly Teller[] = [
  changedEnvironment,
  changedInstructions,
  instructionsOfAttached,
  tasks,
  scripts,
  whatHooksLeft,
  planMode,
  goal,
  updatedResources,
  environmentInFirstMessage,
];

/** Everything there is to tell, and one `told` for all of it. */
export async function tellBeside(moment: PromptMoment): Promise<News> {
  const heard: News[] = [];
  for (const teller of TELLERS) {
    const said = teller(moment);
    // Most have nothing to wait for.
    const news = said instanceof Promise ? await said : said;
    if (news !== null) heard.push(news);
  }
  return {
    texts: heard.flatMap(({ texts }) => texts),
    told(by) {
      for (const { told } of heard) told?.(by);
    },
  };
}

function changedEnvironment({ session, now }: PromptMoment): News | null {
  const change = environmentChange(session, now);
  return change === null ? null : { texts: [change.text], told: change.told };
}

function changedInstructions({ session, instructions }: PromptMoment): News | null {
  const change = instructionsChange(session, instructions);
  return change === null ? null : { texts: [change.text], told: change.told };
}

/** Those of folders that attached files lie in, and of rules for them. */
function instructionsOfAttached({ session, runtime, attached }: PromptMoment): Promise<News | null> | null {
  if (attached.length === 0) return null;
  return import('./added-instructions.js').then(({ findAdded }) => findAdded(session, runtime, attached));
}

/** Few sessions have tasks, or had some before they were resumed. */
function tasks({ session: { config, memory, history }, runtime }: PromptMoment): Promise<News | null> | null {
  const mayHaveSome = runtime.tasks.registry !== null || config.resumedFrom != null;
  const isSure = memory.areTasksTold === true;
  memory.areTasksTold = true;
  if (!mayHaveSome || (isSure && runtime.tasks.registry === null)) return null;
  return import('./tell-tasks.js').then(async ({ putTasksRight, taskNews }) => {
    const put = isSure ? [] : await putTasksRight(history.params, runtime);
    const { registry } = runtime.tasks;
    if (registry === null) return { texts: put };
    const { texts, told } = taskNews(registry, null);
    return { texts: [...put, ...texts], told };
  });
}

/** Few sessions run scripts, and fewer were ended in one. */
function scripts({ session, runtime }: PromptMoment): Promise<News | null> | null {
  const { config, memory, history, host } = session;
  if (!config.codeMode || config.resumedFrom == null || memory.areScriptsTold === true) return null;
  memory.areScriptsTold = true;
  return import('./tell-scripts.js').then(async ({ scriptsCutShort }) => ({
    texts: await scriptsCutShort(history.params, host, runtime),
  }));
}

/** What hooks said between two prompts, and what those said that nothing waited for. */
function whatHooksLeft({ session: { memory }, runtime }: PromptMoment): News | null {
  const texts = [...(memory.toTell ?? []), ...runtime.laterContext.splice(0).map(fromHook)];
  return texts.length === 0 ? null : { texts, told: () => void delete memory.toTell };
}

/** Few sessions plan. */
function planMode({ session: { memory }, runtime: { gate, openPlan } }: PromptMoment): Promise<News | null> | null {
  const wasTold = memory.isPlanTold === true;
  memory.isPlanTold = gate.mode === 'plan';
  if (!memory.isPlanTold && !wasTold) return null;
  return openPlan().then((plan) => {
    if (memory.isPlanTold === true) return { texts: [plan.workflow] };
    return plan.takeApproved() ? null : { texts: [PLAN_MODE_OVER] };
  });
}

/** The goal's own prompts say it themselves. */
function goal({ session: { memory }, maxTurns }: PromptMoment): News | null {
  if (memory.goals?.isActive !== true || maxTurns !== undefined) return null;
  return { texts: [goalNote(memory.goals.current?.objective ?? '')] };
}

/** What changed of what MCP servers showed before. */
function updatedResources({ runtime }: PromptMoment): News | null {
  const updates = runtime.servers.now?.takeUpdates() ?? [];
  return updates.length === 0 ? null : { texts: updates.map(({ server, uri }) => resourceUpdatedNote(server, uri)) };
}

/** For a system prompt that many machines share. */
function environmentInFirstMessage({ session: { config, history }, machine }: PromptMoment): News | null {
  return config.environmentBeside === true && history.messages.length === 0 ? { texts: machine } : null;
}
