// What a session is while it lives: its state, what its agents need, and the moments at which its features act.

import type { ChangingFacts, GitSnapshot } from '../../context/environment.js';
import type { createLookAround, Instructions } from '../../context/instructions/index.js';
import type { Command } from '../../context/slash-commands.js';
import type { createDefaultPrompt, SystemPromptSection } from '../../context/system-prompt.js';
import type {
  AgentCall,
  AgentOutcome,
  Budget,
  Draft,
  GateAnswer,
  GateCall,
  HistoryReplaced,
  LoopDeps,
  LoopState,
  MessageDraft,
  ModelChain,
  ShownMessage,
} from '../../engine/state/index.js';
import type { ToolSummaries } from '../../engine/tool-summaries.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { HookPowers } from '../../hooks/declared-hooks.js';
import type { Host } from '../../host/host.js';
import type { MessageParam, UserBlock, UserMessageParam } from '../../protocol/content.js';
import type { AgentMcpServerSpec } from '../../protocol/mcp.js';
import type { SDKDeferredToolUse, SDKMessage } from '../../protocol/messages.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { DeferredDecision } from '../../protocol/permissions.js';
import type { ApiKeySource } from '../../protocol/system-messages.js';
import type { Provider } from '../../providers/contract/index.js';
import type { Secrets } from '../../providers/keys/index.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import type { AgentType } from '../../subagents/definition.js';
import type { OfferedSkill } from '../../tools/skill.js';
import type { AgentRequest, SkillHooks, Tools } from '../../tools/tool.js';
import type { ModelQuestion } from '../../tools/web-access.js';
import type { Checkpoints } from '../checkpoints/index.js';
import type {
  AgentFiles,
  LiveSettings,
  OfferedChange,
  OrphanedPermission,
  PendingNotice,
  PluginFacts,
  PreloadedSkill,
  QueryEngineConfig,
  ReloadedSkills,
  SessionSkills,
  SettingsMoment,
  WaitingCall,
} from '../config/index.js';
import type { SessionGoals } from '../goals/index.js';
import type { LiveHooks, PromptFacts, SessionHooks, WatchedFiles } from '../hooks/index.js';
import type { MessageQueue, ProcessedInput, PromptInput } from '../input/index.js';
import type { LaterInstructions } from '../instructions/index.js';
import type { History, Message, Stamp } from '../messages/index.js';
import type { ModelPolicy, SessionModels } from '../models/index.js';
import type { AgentGate, PermissionGate, Provenance } from '../permission/index.js';
import type { SessionPlan } from '../plan/index.js';
import type { openGitWatch } from '../sandbox/index.js';
import type { Prices, UsageLedger } from '../spending/index.js';
import type { AnnotationLine, Retention, Transcript } from '../store/index.js';
import type { SessionTasks } from '../tasks/index.js';
import type { SessionTelemetry } from '../telemetry/index.js';
import type {
  AgentParts,
  AgentSetup,
  DeferredTools,
  OfferedScripts,
  Sampler,
  ServersAccess,
  SessionAgents,
  SharedParts,
} from '../tools/index.js';
import type { Workplace } from '../workplace/index.js';
import type { ConversationCounts } from './count-conversation.js';
import type { PromptEnding } from './prompt-ending.js';

/** The file of a folder of notes that says what is in the others. */
export const MEMORY_INDEX = 'MEMORY.md';

/** What an agent of a session needs once it runs: the session's own from its first prompt on, or a subagent. */
export interface Runtime extends Pick<AgentParts, 'requests' | 'compactor' | 'spending'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: EngineLimits;
  readonly provider: Provider;
  readonly models: Pick<SessionModels, 'admit' | 'locate' | 'setProxy'>;
  readonly secrets: Secrets;
  /** Null if the host does not name the model of each request. */
  readonly policy: ModelPolicy | null;
  /** The models that may answer in place of `primary`, asked for with each; null if none may. */
  chain(primary: () => string): ModelChain | null;
  /** The model of the agent; `setModel` overrides the session's. */
  readonly model: string;
  readonly apiKeySource: ApiKeySource;
  readonly transcript: Transcript;
  /** Null if secrets are left as they are. */
  readonly vault: SecretVault | null;
  /** Null for a session whose files cannot be set back. */
  readonly checkpoints: Checkpoints | null;
  /** Where files of the session go, beside its transcript; null if it keeps none. */
  readonly sessionFolder: string | null;
  readonly gate: AgentGate;
  /** The sources of untrusted texts of the session and its agents; null if no policy asks. */
  readonly provenance: Provenance | null;
  readonly hooks: SessionHooks;
  /** May change between two prompts. */
  agents: SessionAgents;
  /** Folders of the workspace that came or went since the session began. */
  readonly changedRoots: PermissionGate['changedRoots'];
  /** Null if commands run as they are. */
  readonly sandbox: CommandSandbox | null;
  /** May change between two requests. */
  setup: AgentSetup;
  readonly servers: ServersAccess;
  /** Who asks the model for MCP servers, if that is allowed. */
  setSampler(sampler: Sampler): void;
  /** Who asks the model for hooks of settings. */
  setHookModels(ask: Pick<HookPowers, 'askModel' | 'askAgent'>): void;
  readonly budget: Budget | null;
  readonly limitSpending: SharedParts['limitSpending'];
  readonly prices: Prices;
  readonly hiddenFiles: SharedParts['hiddenFiles'];
  /** Its plan; from then on mode plan may write the file of it. */
  readonly openPlan: () => Promise<SessionPlan>;
  /** Asked for if hooks listen to FileChanged. */
  readonly watchedFiles: () => Promise<WatchedFiles>;
  /** What hooks have to say to the session's own agent, and it was not told yet. Told between two turns, or with a prompt. */
  readonly laterContext: string[];
  /** Of the session and all its agents. */
  readonly openWeb: SharedParts['openWeb'];
  /** What the session has to tell, once. */
  takeNotices(): readonly PendingNotice[];
  readonly retention: Retention;
  /** What the user typed for the model since the session was opened, the last of it; for the judge of mode `auto`. */
  readonly typed: string[];
  /** What runs in the background; of the session and all its agents. */
  readonly tasks: SessionTasks;
  /** What OpenTelemetry is told; null if nothing is. */
  readonly telemetry: SessionTelemetry | null;
  /** Where the agent works. */
  readonly workplace: Workplace;
  /** Shows a message beside those of the loop. */
  tell(draft: MessageDraft): void;
  /** Messages that hooks and `tell` gave rise to since the last call. */
  takeDrafts(): readonly (MessageDraft | ShownMessage)[];
  /** Calls `listener` once something is told, until another takes its place; at once if something waits. */
  onTold(listener: () => void): void;
  /** The running prompt, for hooks: its signal, and what their inputs say of it. */
  setPrompt(signal: AbortSignal, facts: PromptFacts): void;
  promptFacts(): PromptFacts;
  readonly loop: Pick<
    LoopDeps,
    | 'validateJson'
    | 'limitWatch'
    | 'toolContext'
    | 'lostPlace'
    | 'gitWatch'
    | 'beforeSideEffect'
    | 'recordRequest'
    | 'log'
    | 'maxOutputTokens'
    | 'learnOutputLimit'
    | 'contextWindow'
  >;
  close(): Promise<void>;
}

/** That of the session's own agent. */
export interface SessionRuntime extends Runtime {
  readonly gate: PermissionGate;
  readonly hooks: LiveHooks;
}

/** One agent at work on a prompt. */
export interface AgentRun {
  /** Null: the session's own agent. */
  readonly agentId: string | null;
  readonly session: Session;
  readonly runtime: Runtime;
  /** The model it has if `setModel` names none. */
  readonly model: string;
  /** True if `setModel` does not change the model: it was named for this run. */
  readonly isModelNamed: boolean;
  /** Tokens of all agents of the prompt. */
  readonly tokens: { total: number };
  /** Ids of the user messages that were delivered meanwhile. */
  readonly answered: string[];
}

/** What the model was told of instruction files: texts by the names of the files. */
export interface ToldInstructions {
  /** As they stand in the system prompt. */
  readonly texts: Readonly<Record<string, string>>;
  /** What they said when a change was told last, and the message that told it. */
  readonly since: { readonly texts: Readonly<Record<string, string>>; readonly by: MessageParam } | null;
}

/** Contract: `facts` stay, so that the system prompt is the same in each request and a prompt cache can hold it. */
export interface ToldEnvironment {
  readonly facts: ChangingFacts;
  /** A later state, and the message that told it: it counts for as long as the model still sees that message. */
  readonly since: { readonly facts: ChangingFacts; readonly by: MessageParam } | null;
}

/** Owned by `QueryEngine`; a subagent has one of its own while it runs. */
export interface Session {
  readonly config: QueryEngineConfig;
  /** What it may have beside its core. */
  readonly features: Features;
  readonly host: Host;
  readonly sessionId: string;
  /** By the clock that only goes forward, milliseconds. */
  readonly startedAt: number;
  readonly stamp: Stamp;
  /** The message of the user that replies answer now. */
  readonly answering: { uuid?: string };
  /** Ids that hosts gave their messages. */
  readonly givenIds: Set<string>;
  readonly ledger: UsageLedger;
  readonly history: History;
  /** Messages that wait for the place between two turns, or to be prompts of their own. */
  readonly queue: MessageQueue;
  /** What the loop remembers from prompt to prompt. */
  readonly memory: {
    compaction: LoopState['compaction'];
    turns: number;
    isStarted: boolean;
    wasCleared: boolean;
    isOrphanAsked: boolean;
    /** True once `snipReplay` was asked about a resumed conversation. */
    isSnipped: boolean;
    /** True once the hooks of skills that a resumed conversation has run again. */
    areSkillsResumed?: boolean;
    /** What the system prompt says of what may change, and what the model was told since; null before the first prompt. */
    environment: ToldEnvironment | null;
    /** The repository as the session found it; waits a moment at most. Begun with the first prompt. */
    repository?: () => Promise<GitSnapshot | null>;
    /** What the system prompt says of instruction files, and what the model was told since; null before the first prompt. */
    instructions: ToldInstructions | null;
    /** Instruction files as they were looked at last. */
    loadedInstructions?: Instructions;
    /** What is known of instructions of folders that the agent came to later. */
    laterInstructions?: LaterInstructions;
    /** The model that the host named last, if it names the model of each request. */
    decidedModel?: string;
    /** What the caller must hear as a throw, beside the result. */
    toThrow?: Error | null;
    /** The model that the last prompt ended with, if that was not its own. */
    fellBackTo?: string | null;
    /** True once the history of a resumed session was shown. */
    isHistoryShown?: boolean;
    /** True if the session has a title of its own, or one was asked for. */
    isTitled: boolean;
    /** The line about the title that was given before there was a transcript. */
    title?: AnnotationLine;
    /** What the conversations held that were replaced by shorter ones. */
    earlier?: ConversationCounts;
    /** True once the conversation knows of the tasks what is so; false again once it was cleared or set back. */
    areTasksTold?: boolean;
    /** What the system prompt begins with, kept from prompt to prompt. */
    defaultPrompt?: ReturnType<typeof createDefaultPrompt>;
    /** Looks for instruction files, and knows what it saw the last time. */
    lookAround?: ReturnType<typeof createLookAround>;
    /** True once the first request was waited for, and what a reply needs was loaded meanwhile. */
    isPreloaded?: boolean;
    /** The last prompt told that the session is in mode plan. */
    isPlanTold?: boolean;
    /** True once the conversation knows of the working directory what is so; as `areTasksTold`. */
    isPlaceTold?: boolean;
    /** True if the last prompt ended in success, with no call that waits. */
    endedWell?: boolean;
    /** Length of the conversation when a next prompt was suggested last. */
    suggestedAfter?: number;
    /** What was said to a subagent and it was not told yet; absent for the session's own. */
    inbox?: string[];
    /** Prompts about background tasks since the user said something. */
    promptsOfOwn?: number;
    /** Calls that wait for a decision, by id, as long as they are open in the conversation. */
    readonly deferred: Map<string, SDKDeferredToolUse>;
    /** In code mode: the tools with the one that runs scripts. */
    scripts?: OfferedScripts;
    /** True once a resumed conversation knows what was done of a script that was cut short. */
    areScriptsTold?: boolean;
    /** The calls that a call makes, by the id of that call, while it runs. */
    nested?: Map<string, Transcript>;
    /** Tools that requests leave out until they are loaded; null, or absent: none. */
    deferral?: DeferredTools | null;
    /** The system prompt as it was recorded, if it is to stay so. */
    recordedPrompt?: readonly SystemPromptSection[] | undefined;
    /** What the session works towards, once somebody spoke of a goal. */
    goals?: SessionGoals;
    /** Replies that the running prompt may have at most; absent: as the options say. */
    turnsLeft?: number;
    isPromptRunning?: boolean;
    /** Texts that go along with the next message of the user. */
    toTell?: readonly string[];
    /** What changed settings say, since there was a change. */
    settings?: LiveSettings;
    /** Plugins as they were looked for again; until then the configuration's. */
    plugins?: readonly PluginFacts[];
    pluginHooks?: readonly CommandHook[];
    /** Hooks of settings, since those changed. */
    commandHooks?: readonly CommandHook[];
    /** The index of the memory folder as the system prompt has it; null: there is none. */
    memoryIndex?: string | null;
    /** What was told of skills at the last look. */
    toldOfSkills?: readonly string[];
    /** Folders that were looked into for skills. */
    skillFolders?: Set<string>;
    /** Commands and skills as they were looked for again; until then the configuration's. */
    reloaded?: Pick<ReloadedSkills, 'commands' | 'library'>;
    /** Where the transcript goes on, once something was written while the session did not run. */
    leafUuid?: string | null | undefined;
  };
  /** The model that `setModel` named since this one was chosen; else this one. */
  modelOverride(chosen: string): string;
  /** Null for a session whose files cannot be set back. @throws ConfigError */
  checkpoints(): Promise<Checkpoints | null>;
  /** Puts the session together at the first call. @throws ConfigError */
  runtime(): Promise<SessionRuntime>;
  /** The same without a wait; null before it was put together. */
  assembled(): SessionRuntime | null;
  /** Who listens left while a step of the loop was under way, which must not be waited for. */
  onAbandoned?(): void;
  /** A prompt has done all it does: only its result is still to be told. */
  onSettled?(): void;
  /** 0 for the session's own agent, 1 for the agents it starts. */
  readonly depth: number;
  /** Runs a subagent for a call of `parent`. */
  spawnAgent(parent: AgentRun, request: AgentRequest, call: AgentCall): AsyncGenerator<Draft, AgentOutcome>;
}

// The features of a session, and what its core knows of them. Which there are, `session/features.ts` lists.

export interface PromptMoment {
  readonly session: Session;
  readonly runtime: SessionRuntime;
}

/** Of the session's own agent, or of a subagent. */
export interface AgentMoment {
  readonly session: Session;
  readonly runtime: Runtime;
}

/** What the prompt is, and how things are as it begins. */
export interface TellingMoment extends PromptMoment {
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

interface Moment<At, Gives> {
  readonly at: At;
  readonly gives: Gives;
}

/** The moments of a prompt, in their order: what a feature is told at each, and what it gives. */
export interface Moments {
  /** A prompt begins; nothing of it was read yet. Gives what is to be told. */
  promptBegins: Moment<PromptMoment, readonly PendingNotice[]>;
  /** Before it is looked whether the prompt is a command, and which. */
  inputArrives: Moment<PromptMoment & { readonly prompt: PromptInput; readonly signal: AbortSignal }, void>;
  /** The message of the user may name something that goes along with it. */
  messageArrives: Moment<
    PromptMoment & { readonly message: UserMessageParam; readonly signal: AbortSignal },
    { readonly blocks: readonly UserBlock[]; readonly notices: readonly PendingNotice[] }
  >;
  /** Requests are about to be told the tools of the agent: `runtime.setup` may get others. */
  toolsAreOffered: Moment<AgentMoment, void>;
  /** The model may be told something beside the words of the user. */
  tellBeside: Moment<TellingMoment, News | null>;
  /** `system/init` was shown; the model is about to be asked. */
  modelIsAsked: Moment<{ readonly run: AgentRun; readonly signal: AbortSignal }, void>;
  /** A turn begins, of the session's own agent. */
  turnBegins: Moment<{ readonly run: AgentRun }, void>;
  /** Between two turns, when a message may join the prompt. The first feature that has one gives it. */
  betweenTurns: Moment<
    {
      readonly run: AgentRun;
      readonly signal: AbortSignal;
      /** Files that the agent came to since the last such moment; told once. */
      readonly touched: readonly string[];
    },
    readonly Draft[]
  >;
}

/** What a feature does at the moments it takes part in. Contract: asked only if its question of that moment was answered by true. */
export type FeatureParts = {
  readonly [M in keyof Moments]?: (at: Moments[M]['at']) => Moments[M]['gives'] | Promise<Moments[M]['gives']>;
};

/**
 * Whether a feature has something to do at a moment.
 * Contract: changes nothing, waits for nothing, and is false in a session that does not use the feature.
 */
export type FeatureQuestions = { readonly [M in keyof Moments]?: (at: Moments[M]['at']) => boolean };

/** The features of a session, as its core sees them. */
export interface Features extends AskedFor {
  /** Loads what makes checkouts of git. */
  worktrees(): Promise<typeof import('../worktrees/index.js')>;
  /** Loads what looks at git's configuration. */
  gitWatch(): Promise<{ readonly openGitWatch: typeof openGitWatch }>;
  /**
   * Lets every feature act that has something to do, one after the other in the order of the list.
   * @returns what they gave; null, at once, if none has
   */
  at<M extends keyof Moments>(moment: M, what: Moments[M]['at']): Promise<readonly Moments[M]['gives'][]> | null;
  /** As `at`, but the first feature that has something to do is the only one that acts. */
  first<M extends keyof Moments>(moment: M, what: Moments[M]['at']): Promise<Moments[M]['gives']> | null;
}

/** What the core asks for by name, and most prompts never need: each is loaded with its first call. */
export interface AskedFor {
  /** As the first stages of a prompt, for one that consists of decisions. Contract: never throws. */
  prepareDecisions(session: Session, signal: AbortSignal): Promise<Prepared>;
  answerDecisions(
    run: AgentRun,
    decisions: readonly DeferredDecision[],
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Answering>;
  /** The user goes on without deciding. */
  withdrawCalls(session: Session, runtime: Runtime): Promise<readonly PendingNotice[]>;
  deferCall(run: AgentRun, call: SDKDeferredToolUse): Promise<void>;
  /** Those of a resumed session that are still open. */
  waitingCalls(
    kept: readonly WaitingCall[],
    history: readonly MessageParam[],
    expiryMs: number | undefined,
  ): Promise<Map<string, SDKDeferredToolUse>>;
  answerAfterOrphan(run: AgentRun, orphan: OrphanedPermission, signal: AbortSignal): Promise<Answering>;
  answerWithoutModel(run: AgentRun, prepared: ReadyPrompt, signal: AbortSignal): Promise<Answering>;
  clearConversation(session: Session, runtime: SessionRuntime): Promise<void>;
  runCommandShell(
    run: AgentRun,
    line: string,
    by: { readonly command: string; readonly allowedTools: readonly string[] },
    signal: AbortSignal,
  ): Promise<string>;
  /** A change of settings that was found. */
  takeSettingsChange(
    session: Session,
    runtime: SessionRuntime,
    offered: OfferedChange,
    moment: SettingsMoment,
  ): Promise<readonly PendingNotice[]>;
  takeAgentsChange(runtime: SessionRuntime, files: AgentFiles): Promise<readonly PendingNotice[]>;
  /** @param folders further ones that may hold skills. @throws ConfigError */
  takeSkills(
    session: Session,
    runtime: SessionRuntime,
    folders?: readonly string[],
  ): Promise<{ readonly skills: readonly TakenSkill[] }>;
  /** The hooks of a skill run from now on. */
  startSkillHooks(at: AgentMoment, skill: SkillHooks): Promise<void>;
  /** Those of the skills that a resumed conversation is worked by. */
  resumeSkillHooks(session: Session, runtime: SessionRuntime): Promise<void>;
  /** The hooks that an agent has for itself. What of them cannot be used is told. @throws ConfigError */
  addOwnHooks(run: AgentRun, type: AgentType, skills: readonly PreloadedSkill[], tell: Runtime['tell']): Promise<void>;
  /** The tools of an agent whose definition speaks of MCP servers. @throws ToolError */
  serversOfAgent(
    agent: string,
    specs: readonly AgentMcpServerSpec[],
    tools: Tools,
    servers: ServersAccess,
    signal: AbortSignal,
  ): Promise<Tools>;
  /** Once, before the first prompt of a conversation that begins with a summary. */
  snipResumed(session: Session): Promise<readonly PendingNotice[]>;
  /** A title for the session, kept in its transcript; null if none could be had. */
  titleByModel(run: AgentRun, typed: string, reply: string, signal: AbortSignal): Promise<string | null>;
  hearSwitched(session: Session, runtime: Runtime, from: string, to: string): Promise<void>;
  createToolSummaries(deps: LoopDeps, model: string | undefined): Promise<ToolSummaries>;
  decideWithJudge(
    setting: { readonly run: AgentRun; readonly signal: AbortSignal; depsUntil(signal: AbortSignal): LoopDeps },
    call: GateCall,
  ): Promise<GateAnswer>;
  askSmallModel(run: AgentRun, question: ModelQuestion, deps: LoopDeps): Promise<string | null>;
  replaceHistory(session: Session, runtime: Runtime, draft: HistoryReplaced): Promise<AsyncGenerator<SDKMessage>>;
  readAttachments(prompt: string, place: AttachmentPlace): Promise<Attachments>;
}

type Answering = AsyncGenerator<SDKMessage, PromptEnding>;

/** A skill as it counts from now on. */
export interface TakenSkill extends Pick<OfferedSkill, 'name' | 'description' | 'isForModel'> {
  readonly argumentHint: string;
}

/** Which files a prompt may name with `@path`. */
export interface AttachmentPlace {
  readonly host: Host;
  /** Of names that are relative. */
  readonly cwd: string;
  /** Workspace folders, absolute, symbolic links resolved. */
  readonly roots: readonly string[];
  /** True for a file that rules keep from being read, by one of its names. */
  isKept(file: string): boolean;
}

/** What a prompt names with `@path`. */
export interface Attachments {
  /** In the order they are named: a text for each file, and behind it what it names, if that is an image or a PDF. */
  readonly blocks: readonly UserBlock[];
  /** The files that go along: absolute, links resolved. */
  readonly files: readonly string[];
  /** Files that were named and left out, and why. */
  readonly leftOut: readonly string[];
}

/** A prompt that can be answered. */
export interface ReadyPrompt {
  readonly kind: 'ready';
  readonly runtime: SessionRuntime;
  readonly input: Pick<ProcessedInput, 'shouldQuery' | 'compaction' | 'resultText' | 'model'>;
  /** Null if decisions about deferred calls take its place. */
  readonly message: Extract<Message, { type: 'user' }> | null;
  /** What goes to the model without a message of the user. */
  readonly texts: readonly string[];
  /** The model it starts with. */
  readonly model: string;
  /** The model it has if `setModel` names none. */
  readonly ownModel: string;
  readonly notices: readonly PendingNotice[];
  /** Set if a hook ended the prompt before it reached the model: what to tell the user. */
  readonly stoppedByHook: string | null;
}

export type Prepared =
  | ReadyPrompt
  | { readonly kind: 'failed'; readonly runtime: SessionRuntime | null; readonly error: string };

/** The slash commands there are, with the prompts of MCP servers. */
export function commandsOf(
  { config, memory }: Pick<Session, 'config' | 'memory'>,
  runtime: Pick<Runtime, 'servers'> | null,
): readonly Command[] {
  const own = memory.reloaded?.commands ?? config.commands;
  const ofServers = runtime?.servers.now?.commands ?? [];
  return ofServers.length === 0 ? own : [...own, ...ofServers];
}

/** The plugins there are. */
export function pluginsOf({ config, memory }: Pick<Session, 'config' | 'memory'>): readonly PluginFacts[] {
  return memory.plugins ?? config.plugins ?? [];
}

/** The skills there are. */
export function skillsOf({ config, memory }: Pick<Session, 'config' | 'memory'>): SessionSkills | undefined {
  return memory.reloaded?.library ?? config.skills;
}

/** A reply that no model gave in this form: the text of a command, or a reply that was cut. */
export function syntheticAssistant(id: string, content: Extract<MessageParam, { role: 'assistant' }>['content']) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  } as const;
}
