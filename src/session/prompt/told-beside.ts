// What the model is told beside the user's words: one list of who may have something to say, in the order of their texts. One
// rule: whoever has nothing loads nothing, and what was said counts as told once there is the message that takes it along.
import { goalNote, PLAN_MODE_OVER, resourceUpdatedNote } from '../../engine/state/index.js';
import type { News, TellingMoment } from '../core/index.js';
import { fromHook } from './hear-message.js';
import { environmentChange } from './told-environment.js';
import { instructionsChange } from './told-instructions.js';

/** One who may have something to say. Null: nothing. */
type Teller = (moment: TellingMoment) => News | null | Promise<News | null>;

const TELLERS: readonly Teller[] = [
  changedEnvironment,
  changedInstructions,
  features,
  whatHooksLeft,
  planMode,
  goal,
  updatedResources,
  environmentInFirstMessage,
];

/** Everything there is to tell, and one `told` for all of it. */
export async function tellBeside(moment: TellingMoment): Promise<News> {
  const heard: (News | null)[] = [];
  for (const teller of TELLERS) {
    const said = teller(moment);
    // Most have nothing to wait for.
    heard.push(said instanceof Promise ? await said : said);
  }
  // Whoever had something to say of tasks has said it.
  moment.session.memory.areTasksTold = true;
  return together(heard);
}

function together(heard: readonly (News | null)[]): News {
  return {
    texts: heard.flatMap((news) => news?.texts ?? []),
    told(by) {
      for (const news of heard) news?.told?.(by);
    },
  };
}

function changedEnvironment({ session, now }: TellingMoment): News | null {
  const change = environmentChange(session, now);
  return change === null ? null : { texts: [change.text], told: change.told };
}

function changedInstructions({ session, instructions }: TellingMoment): News | null {
  const change = instructionsChange(session, instructions);
  return change === null ? null : { texts: [change.text], told: change.told };
}

/** Of features that only some sessions use. */
function features(moment: TellingMoment): Promise<News> | null {
  return moment.session.features.at('tellBeside', moment)?.then(together) ?? null;
}

/** What hooks said between two prompts, and what those said that nothing waited for. */
function whatHooksLeft({ session: { memory }, runtime }: TellingMoment): News | null {
  const texts = [...(memory.toTell ?? []), ...runtime.laterContext.splice(0).map(fromHook)];
  return texts.length === 0 ? null : { texts, told: () => void delete memory.toTell };
}

/** Few sessions plan. */
function planMode({ session: { memory }, runtime: { gate, openPlan } }: TellingMoment): Promise<News | null> | null {
  const wasTold = memory.isPlanTold === true;
  memory.isPlanTold = gate.mode === 'plan';
  if (!memory.isPlanTold && !wasTold) return null;
  return openPlan().then((plan) => {
    if (memory.isPlanTold === true) return { texts: [plan.workflow] };
    return plan.takeApproved() ? null : { texts: [PLAN_MODE_OVER] };
  });
}

/** The goal's own prompts say it themselves. */
function goal({ session: { memory }, maxTurns }: TellingMoment): News | null {
  if (memory.goals?.isActive !== true || maxTurns !== undefined) return null;
  return { texts: [goalNote(memory.goals.current?.objective ?? '')] };
}

/** What changed of what MCP servers showed before. */
function updatedResources({ runtime }: TellingMoment): News | null {
  const updates = runtime.servers.now?.takeUpdates() ?? [];
  return updates.length === 0 ? null : { texts: updates.map(({ server, uri }) => resourceUpdatedNote(server, uri)) };
}

/** For a system prompt that many machines share. */
function environmentInFirstMessage({ session: { config, history }, machine }: TellingMoment): News | null {
  return config.environmentBeside === true && history.messages.length === 0 ? { texts: machine } : null;
}
