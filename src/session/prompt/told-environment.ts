// Date, branch and git status stand in the system prompt as they were when the session began, so that a prompt cache can
// hold it. One rule: what changed since is told in the user's next message, and stays where it was first sent; the status
// changes with each call, and is said to be old.
import { type ChangingFacts, describeChanges, type GitSnapshot, readGitState } from '../../context/environment.js';
import { CWD_NOTE } from '../../engine/state/index.js';
import type { ContentBlock, MessageParam, UserMessageParam } from '../../protocol/content.js';
import { linkAbort } from '../../util/abort.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { Session, ToldEnvironment } from '../core/index.js';
import { DOORS } from '../features.js';

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
export function environmentChange(
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
