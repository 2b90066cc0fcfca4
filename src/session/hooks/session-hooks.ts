// The hooks of a session: those of its configuration opened and run, and the files that those of FileChanged watch. Loaded
// with the first hook.
import path from 'node:path';
import type { LoopHooks, MessageDraft } from '../../engine/state/index.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { HookFailure } from '../../hooks/hook-result.js';
import {
  createHookRunner,
  EMPTY_HOOK_RESULT,
  type HookMatchers,
  type HookResult,
  type HookRunner,
} from '../../hooks/run-hooks.js';
import type { Host } from '../../host/host.js';
import type { BaseHookInput, HookEvent, HookInput } from '../../protocol/hooks.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import { type SharedSignal, shareSignal } from '../../util/abort.js';
import { type CommandHookPlace, openCommandHooks } from './command-hooks.js';

/** What a firing says of the place in which it happens. */
interface HookFacts {
  readonly transcriptPath: string;
  readonly permissionMode: string;
  /** Where the agent works. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly prompt: PromptFacts;
}

/** What inputs say of the prompt that runs, or ran last. */
export type PromptFacts = Pick<BaseHookInput, 'prompt_id' | 'effort' | 'model'>;

/** The subagent that hooks are fired in. */
export interface HookAgent {
  readonly agentId: string;
  readonly agentType: string;
  /** '' if it keeps none. */
  readonly agentTranscriptPath: string;
  /** Read at each firing. */
  facts(): HookFacts & { readonly lastText: string };
  onDraft(draft: MessageDraft): void;
}

export interface SessionHooks extends LoopHooks {
  /** The same hooks as they fire inside a subagent, whose end is SubagentStop in place of Stop. */
  forAgent(agent: HookAgent): SessionHooks;
  /** Hooks that run from now on beside the others, in place of those of that key. @throws ConfigError */
  add?(key: string, more: readonly CommandHook[]): Promise<void>;
  /** True once a hook went on that nobody waits for: it may have something to tell between two prompts. */
  mayTellLater(): boolean;
  /** Ends commands that still run. Contract: afterwards none is alive. */
  close(): Promise<void>;
}

export interface SessionHooksOptions extends CommandHookPlace {
  readonly matchers: HookMatchers;
  /** Of settings, in the order their answers are merged. */
  readonly commands: readonly CommandHook[];
  readonly sessionId: string;
  readonly includeEvents: boolean;
  /** Hides secrets in what is told of hooks. */
  readonly vault: SecretVault | null;
  /** Read at each firing. */
  facts(): HookFacts;
  /** Files that a hook wants watched. Contract: cheap, never throws. */
  onWatchPaths(paths: readonly string[]): void;
  /** Texts for the model of hooks that nobody waited for. Contract: cheap, never throws. */
  onLateContext(texts: readonly string[]): void;
  /** What hooks give rise to, in order. Contract: cheap, never throws. */
  onDraft(draft: MessageDraft): void;
}

/** @throws ConfigError for an unknown event, a matcher that cannot be used, or a hook that is not a function. */
export async function createSessionHooks(options: SessionHooksOptions): Promise<SessionHooks> {
  const { matchers, host, sessionId } = options;
  // Hooks given as code need nothing of what runs commands.
  const commands = options.commands.length === 0 ? null : openCommandHooks(options.commands, options);
  let isAnyAside = false;
  const ending = new AbortController();
  // What nobody waits for may last longer than the prompt: it ends by its own time, or with the session.
  const lasting = shareSignal(ending.signal);
  const close = async () => {
    ending.abort();
    await commands?.close();
  };
  // Reports of hooks carry no session or agent; whoever fires takes them, so the runner asks who that is.
  const runnerFor = (onDraft: SessionHooksOptions['onDraft']): ToldRunner => {
    const told = createTeller(onDraft, options.vault);
    const runner = createHookRunner(
      matchers,
      {
        clock: host.clock,
        ids: host.ids,
        ...(options.includeEvents
          ? { onReport: (report) => told.tell({ type: 'system', ...report } as MessageDraft) }
          : {}),
        onAside() {
          isAnyAside = true;
        },
        onLateFailure: (failure) => told.tell(failureNotice(failure)),
        onLateWord({ systemMessages, additionalContext }) {
          for (const message of systemMessages) told.tell(notice('hook_message', 'info', message));
          if (additionalContext.length > 0) options.onLateContext(additionalContext);
        },
      },
      commands?.declared,
    );
    return { ...runner, ...told };
  };
  // Hooks of calls that run side by side hear of an abort by one listener.
  let latest: { readonly parent: AbortSignal; readonly shared: SharedSignal } | null = null;
  const shared = (parent: AbortSignal): SharedSignal => {
    if (latest?.parent !== parent) latest = { parent, shared: shareSignal(parent) };
    return latest.shared;
  };
  const fire = async (runner: ToldRunner, firing: Firing): Promise<HookResult> => {
    const { event, fields, toolUseId, facts } = firing;
    if (!runner.has(event)) return EMPTY_HOOK_RESULT;
    const base = {
      hook_event_name: event,
      session_id: sessionId,
      transcript_path: facts.transcriptPath,
      cwd: facts.cwd,
      permission_mode: facts.permissionMode,
      ...facts.prompt,
    };
    const input = { ...base, ...fields } as HookInput;
    const run = (signal: AbortSignal) => runner.run(input, toolUseId, signal);
    if (UNWAITED.includes(event)) isAnyAside = true;
    // What is told after an abort is told all the same: the end of a call, of a prompt, of the session.
    const result = UNWAITED.includes(event)
      ? await lasting.use(run)
      : facts.signal.aborted
        ? await run(new AbortController().signal)
        : await shared(facts.signal).use(run);
    if (result.watchPaths.length > 0) options.onWatchPaths(result.watchPaths);
    for (const failure of result.failures) runner.tell(failureNotice(failure));
    for (const message of result.systemMessages) runner.tell(notice('hook_message', 'info', message));
    if (!result.continue) runner.tell(stopped(result.stopReason, toolUseId));
    await runner.isTold();
    return result;
  };

  const mayTellLater = () => isAnyAside;
  const runner = runnerFor(options.onDraft);
  const forAgent = (agent: HookAgent): SessionHooks => {
    const { agentId, agentType, agentTranscriptPath, onDraft } = agent;
    const own = runnerFor(onDraft);
    return {
      has: (event) => own.has(inAgent(event)),
      run(event, fields, toolUseId) {
        const facts = agent.facts();
        const more = { ...fields, agent_id: agentId, agent_type: agentType };
        if (event !== 'Stop') return fire(own, { event, fields: more, toolUseId, facts });
        const stop = { ...more, agent_transcript_path: agentTranscriptPath, last_assistant_message: facts.lastText };
        return fire(own, { event: 'SubagentStop', fields: stop, toolUseId, facts });
      },
      forAgent,
      mayTellLater,
      close,
    };
  };
  return {
    has: (event) => runner.has(event),
    run: (event, fields, toolUseId) => fire(runner, { event, fields, toolUseId, facts: options.facts() }),
    forAgent,
    mayTellLater,
    close,
  };
}

/** Events that are fired and not waited for. */
const UNWAITED: readonly HookEvent[] = ['Notification', 'TaskCompleted'];

interface Firing {
  readonly event: HookEvent;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly toolUseId: string | undefined;
  readonly facts: HookFacts;
}

interface Teller {
  tell(draft: MessageDraft): void;
  /** Resolves once all that was told so far is passed on. */
  isTold(): Promise<void> | null;
}

type ToldRunner = HookRunner & Teller;

/** Passes drafts on in order, without secrets: at once, but behind one that has some. */
function createTeller(onDraft: SessionHooksOptions['onDraft'], vault: SecretVault | null): Teller {
  let waiting: Promise<void> | null = null;
  return {
    isTold: () => waiting,
    tell(draft) {
      const hidden = vault === null ? draft : vault.hide(draft, 'found', false);
      if (waiting === null && !(hidden instanceof Promise)) return onDraft(hidden);
      const turn: Promise<void> = Promise.all([hidden, waiting])
        .then(
          ([shown]) => onDraft(shown),
          () => undefined, // what cannot be looked through for secrets is not told
        )
        .then(() => {
          if (waiting === turn) waiting = null;
        });
      waiting = turn;
    },
  };
}

function inAgent(event: HookEvent): HookEvent {
  return event === 'Stop' ? 'SubagentStop' : event;
}

function failureNotice({ hook, error }: HookFailure): MessageDraft {
  return notice('hook_failed', 'warning', `The hook ${hook} failed: ${error}`);
}

function stopped(reason: string | null, toolUseId: string | undefined): MessageDraft {
  return {
    type: 'system',
    subtype: 'informational',
    content: reason ?? 'A hook ended the prompt.',
    level: 'warning',
    ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
    prevent_continuation: true,
  };
}

function notice(code: 'hook_failed' | 'hook_message', level: 'info' | 'warning', message: string): MessageDraft {
  return { type: 'system', subtype: 'notice', code, level, message };
}

export interface WatchedFiles {
  /** Fires FileChanged for each that changed since the last look. A file that is new among them was not looked at before. */
  look(): Promise<void>;
}

/** More than these are not looked at before each request. */
const MAX_FILES = 1_000;
/** A matcher that is a list of names also says which files of the working directory are watched. */
const NAMES = /^[\w.@+-]+(?:[|,][\w.@+-]+)*$/;

/**
 * @param added the list that hooks' answers add paths to
 * @param cwd of the session, from which relative paths count
 */
export function createWatchedFiles(
  added: readonly string[],
  hooks: Pick<SessionHooks, 'has' | 'run'>,
  declared: { readonly matchers: HookMatchers; readonly commands: readonly CommandHook[] },
  host: Pick<Host, 'fs'>,
  cwd: string,
): WatchedFiles {
  const named = namesIn(declared).map((name) => path.join(cwd, name));
  const known = new Map<string, string | null>();
  return {
    async look() {
      const files = [...new Set([...named, ...added.map((file) => path.resolve(cwd, file))])].slice(0, MAX_FILES);
      const stats = await host.fs.lstatAll(files);
      for (const [at, file] of files.entries()) {
        const stat = stats[at] ?? null;
        const now = stat === null ? null : `${stat.kind} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`;
        const before = known.get(file);
        known.set(file, now);
        if (before === undefined || before === now) continue;
        const event = now === null ? 'unlink' : before === null ? 'add' : 'change';
        await hooks.run('FileChanged', { file_path: file, event });
      }
    },
  };
}

function namesIn({ matchers, commands }: { matchers: HookMatchers; commands: readonly CommandHook[] }): string[] {
  const all = [
    ...(matchers.FileChanged ?? []).map(({ matcher }) => matcher),
    ...commands.filter(({ event }) => event === 'FileChanged').map(({ matcher }) => matcher),
  ];
  return all.flatMap((matcher) => (matcher !== undefined && NAMES.test(matcher) ? matcher.split(/[|,]/) : []));
}
