// What the model is told beside the user's words: a list of tellers, and the two that every session has. Instruction files and
// the environment stand in the system prompt as they were when the session began, so that a prompt cache can hold it. One
// rule: what changed since is told in the user's next message, and stays where it was first sent.
import { type ChangingFacts, describeChanges, type GitSnapshot, readGitState } from '../../context/environment.js';
import { CWD_NOTE, goalNote, PLAN_MODE_OVER, resourceUpdatedNote } from '../../engine/state/index.js';
import type { ContentBlock, MessageParam, UserMessageParam } from '../../protocol/content.js';
import { linkAbort } from '../../util/abort.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { News, Session, TellingMoment, ToldEnvironment } from '../core/index.js';
import { DOORS } from '../features.js';
import { fromHook } from './hear-message.js';

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

/** Texts by the names of their files. */
type Instructions = Readonly<Record<string, string>>;

/** The texts for the system prompt: those of before, unless nothing is left in the conversation of what changed since. */
export function keptInstructions(session: Session, now: Instructions): Instructions {
  const texts = instructionsNow(session, now);
  if (texts !== session.memory.instructions?.texts) session.memory.instructions = { texts, since: null };
  return texts;
}

/** As `keptInstructions`, for a look alone. */
export function instructionsNow({ memory, history }: Session, now: Instructions): Instructions {
  const before = memory.instructions;
  const isSeen = before !== null && (before.since === null || history.params.includes(before.since.by));
  return isSeen ? before.texts : now;
}

/**
 * A text for the coming message, if files no longer say what the model was told; call `told` once the message is there.
 */
function instructionsChange(
  { memory }: Session,
  now: Instructions,
): { readonly text: string; readonly told: (by: UserMessageParam) => void } | null {
  const before = memory.instructions;
  if (before === null) return null;
  const known = before.since?.texts ?? before.texts;
  const changed = Object.entries(now).filter(([name, text]) => known[name] !== text);
  const gone = Object.keys(known).filter((name) => !Object.hasOwn(now, name));
  if (changed.length === 0 && gone.length === 0) return null;
  const parts = [
    ...changed.map(([name, text]) =>
      element(name, `${name} has changed. From now on follow this version, and no longer the one before:\n${text}`),
    ),
    ...gone.map((name) => element(name, `${name} is gone. Do not follow what it said any longer.`)),
  ];
  const told = (by: UserMessageParam) => {
    memory.instructions = { texts: before.texts, since: { texts: now, by } };
  };
  return { text: parts.join('\n'), told };
}

function element(source: string, text: string): string {
  return `<instructions-changed source="${source}">\n${text}\n</instructions-changed>`;
}

/** What a resumed session goes on with. */
export function toldBefore({ resumedState, cwd, untrustedContent }: QueryEngineConfig): ToldEnvironment | null {
  const facts = resumedState?.environment ?? null;
  if (facts === null) return null;
  return { facts: { ...facts, cwd, ...shownSnapshot(facts.snapshot ?? null, untrustedContent) }, since: null };
}

/** What others wrote into commits is not part of a prompt that untrusted texts are to be told apart from. */
function shownSnapshot(
  snapshot: GitSnapshot | null,
  policy: QueryEngineConfig['untrustedContent'],
): { readonly snapshot?: GitSnapshot } {
  if (snapshot === null) return {};
  return {
    snapshot: policy === undefined || snapshot.commits === undefined ? snapshot : { ...snapshot, commits: null },
  };
}

/** How long a prompt waits for git once everything else is there. */
const WAIT_MS = 60;
const UNREAD: GitSnapshot = { mainBranch: null, missing: 'not shown, because it could not be read' };
const TOO_LATE: GitSnapshot = { mainBranch: null, missing: 'not shown, because git took too long' };

/**
 * Begins to look at the repository, for the first prompt of a session.
 * @returns null if there is nothing to look for. `end` stops git if it still runs
 */
export function lookAtRepository(session: Session, signal: AbortSignal): { end(): void } | null {
  const { config, memory, host, depth } = session;
  const isTold = memory.environment !== null || memory.repository !== undefined || depth > 0;
  if (isTold || config.mayRunGit === undefined || config.customSystemPrompt !== undefined) return null;
  const { controller, release } = linkAbort(signal);
  let found: Promise<GitSnapshot | null> | null = null;
  let soFar = TOO_LATE;
  const end = () => {
    controller.abort();
    release();
    if (found === null) delete memory.repository; // a command came first, which asks no model
  };
  const { cwd, mayRunGit, untrustedContent } = config;
  const env = { ...host.env, ...config.env };
  const taking = readGitState(host, cwd).then(async (git) => {
    if (git === null) return null;
    const { takeGitSnapshot } = await DOORS.repository();
    const onPart = (part: GitSnapshot) => {
      soFar = part;
    };
    return takeGitSnapshot({ host, env, cwd, mayRunGit, signal: controller.signal, onPart });
  });
  taking.catch(() => undefined); // told by the code that waits for it
  memory.repository = () => {
    found ??= new Promise<GitSnapshot | null>((resolve) => {
      const cancel = host.clock.after(WAIT_MS, () => {
        resolve(soFar);
        controller.abort(); // nobody would hear of what it still finds
      });
      void taking.then(resolve, () => resolve(UNREAD)).finally(cancel);
    }).then((snapshot) => shownSnapshot(snapshot, untrustedContent).snapshot ?? null);
    return found;
  };
  return { end };
}

/** A text for the coming message, if something is not as the model was told; call `told` once the message is there. */
function environmentChange(
  { config, memory, history }: Session,
  now: ChangingFacts,
): { readonly text: string; readonly told: (by: UserMessageParam) => void } | null {
  // A system prompt of the caller's own says nothing of the environment.
  if (config.customSystemPrompt !== undefined || memory.environment === null) return null;
  const { facts, since } = memory.environment;
  const isSeen = since !== null && history.params.includes(since.by);
  const text = describeChanges(
    isSeen ? since.facts : facts,
    now,
    memory.isPlaceTold === true || !saysMoved(history.params),
  );
  memory.isPlaceTold = true;
  if (text === null) return null;
  const told = (by: UserMessageParam) => {
    memory.environment = { facts, since: { facts: now, by } };
  };
  return { text, told };
}

/** True if a result of the conversation told of another working directory, which may not be that of now. */
function saysMoved(conversation: readonly MessageParam[]): boolean {
  return conversation.some(({ content }) => typeof content !== 'string' && content.some(hasCwdNote));
}

/** What a resumed conversation holds may have any shape. */
function hasCwdNote(block: ContentBlock | null): boolean {
  if (block?.type !== 'tool_result') return false;
  const { content } = block;
  if (typeof content === 'string') return content.includes(CWD_NOTE);
  return Array.isArray(content) && content.some((part) => String(part?.text).includes(CWD_NOTE));
}
