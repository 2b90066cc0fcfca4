// What a session is made of: `QueryEngineConfig` of spec 000, and what Turnwright adds to it.

import type { FlagChanges } from '../../context/effective-settings.js';
import type { ChangingFacts } from '../../context/environment.js';
import type { FoundAgents } from '../../context/find-agents.js';
import type { InstructionSources } from '../../context/instructions/index.js';
import type { SettingScope } from '../../context/settings/index.js';
import type { Command } from '../../context/slash-commands.js';
import type { Attribution, SystemPromptSection } from '../../context/system-prompt.js';
import type { Budget, CompactionState, ParseOutput, RequestRecord } from '../../engine/state/index.js';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { HookMatchers } from '../../hooks/run-hooks.js';
import type { Host } from '../../host/host.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import type { ServerLists } from '../../mcp/server-lists.js';
import type { Confinement, PermissionContext } from '../../permissions/permission-call.js';
import type { PermissionRule } from '../../permissions/rule.js';
import type { SDKGoalSnapshot } from '../../protocol/goals.js';
import type { MCPServerConnection, McpTokenStore } from '../../protocol/mcp.js';
import type { ModelInfo } from '../../protocol/model.js';
import type { AuthOptions, ModelTiers, ProviderKeyOptions, ProviderOptions } from '../../protocol/model-options.js';
import type {
  AgentDefinition,
  ContentSource,
  SandboxSettings,
  SdkPluginConfig,
  ThinkingConfig,
} from '../../protocol/options.js';
import type { CanUseTool, OnElicitation, PermissionUpdate } from '../../protocol/permissions.js';
import type { PassedOptions } from '../../protocol/query-options.generated.js';
import type { SessionStore, SessionStoreFlush } from '../../protocol/session-store.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import type {
  ApiKeySource,
  LoadedPart,
  RejectedPart,
  SDKCompactBoundaryMessage,
  SDKNoticeMessage,
  SDKSystemMessage,
} from '../../protocol/system-messages.js';
import type { AiSdkLanguageModel } from '../../providers/ai-sdk/index.js';
import type { ModelObjects } from '../../providers/choice/index.js';
import type { Provider } from '../../providers/contract/index.js';
import type { FileStateCache } from '../../tools/file-state-cache.js';
import type { SkillLibrary } from '../../tools/skill.js';
import type { SkillHooks, TodoItem, Tools } from '../../tools/tool.js';
import { listSome } from '../../util/text.js';
import type { Message } from '../messages/index.js';
import type { LedgerState } from '../spending/index.js';

/** Where a session is in its life, told to `setSDKStatus`. */
export type SessionStatus = 'running' | 'awaiting_input' | 'completed' | 'failed' | 'aborted';

/** A permission request that an earlier session did not get answered. */
export interface OrphanedPermission {
  readonly toolUseID: string;
  readonly toolName: string;
  /** As the call has it in the conversation; another one is told by a notice and not used. */
  readonly input: Record<string, unknown>;
}

/** Fields of spec 000, section 9.2. */
export interface QueryEngineConfig extends EngineExtensions {
  readonly cwd: string;
  readonly tools: Tools;
  readonly commands: readonly Command[];
  readonly mcpClients: readonly MCPServerConnection[];
  /** MCP servers that are programs: the session starts them with its first prompt, watches them, and ends them. */
  readonly mcpServers?: readonly McpServerDefinition[];
  /** Which MCP servers there may be, as settings say. */
  readonly mcpServerLists?: ServerLists;
  /** Keeps what signing in to MCP servers gives. Default: the file of `turnwright login`. */
  readonly mcpTokenStore?: McpTokenStore;
  readonly agents: readonly (AgentDefinition & { readonly name?: string })[];
  /** Tools that the main agent does not have: only an agent of `agents` whose `tools` name one has it. */
  readonly agentTools?: Tools;
  /** Agents in files of the project and of the user. */
  readonly agentFiles?: AgentFiles;
  /** Asked before each prompt but the first: what files say now, if they are others by now; else null. */
  readonly reopenAgents?: (isAsked?: boolean) => Promise<AgentFiles | null>;
  /** Asked before every call that `permissions` does not decide; without `permissions`, before every call. */
  readonly canUseTool: CanUseTool | undefined;
  /** Names that the model may call, and the tool that is meant. One step, no chain. */
  readonly toolAliases?: Readonly<Record<string, string>>;
  readonly getAppState: () => AppState;
  readonly setAppState: (change: (previous: AppState) => AppState) => void;
  readonly initialMessages?: readonly Message[];
  readonly readFileCache: FileStateCache;
  readonly customSystemPrompt?: string | readonly string[];
  readonly appendSystemPrompt?: string;
  /**
   * True: the system prompt of the first request is that of every later one, also once the session is resumed, until its
   * conversation is compacted. False: it is made anew with each prompt. Absent: it stays, and the model is told of changes.
   */
  readonly systemPromptSnapshot?: boolean;
  /** True: what the machine is like goes along with the first message, so that the system prompt is the same elsewhere. */
  readonly environmentBeside?: boolean;
  readonly userSpecifiedModel?: string;
  readonly fallbackModel?: string;
  readonly thinkingConfig?: ThinkingConfig;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly taskBudget?: { readonly total: number };
  readonly jsonSchema?: Record<string, unknown>;
  /** Has the last word on a value that fits `jsonSchema`, and makes of it what the result has. */
  readonly parseOutput?: ParseOutput;
  readonly verbose?: boolean;
  readonly replayUserMessages?: boolean;
  /** Answers the model's questions. With it the model has the tool AskUserQuestion. */
  readonly handleElicitation?: OnElicitation;
  readonly includePartialMessages?: boolean;
  /** True: a resumed session begins with what the user said before, marked as a replay. */
  readonly replayHistory?: boolean;
  /** True: messages say whether the session works, waits for an answer, or is idle. */
  readonly includeSessionState?: boolean;
  readonly setSDKStatus?: (status: SessionStatus) => void;
  readonly abortController?: AbortController;
  readonly orphanedPermission?: OrphanedPermission;
  /**
   * Called after a compaction, with the message that marks its boundary and the conversation as it was before: gives
   * the one to go on with in place of the summary, or nothing. Called too before the first prompt of a resumed session
   * whose conversation begins with a summary, which is then its first message.
   */
  readonly snipReplay?: (
    yieldedSystemMsg: SDKCompactBoundaryMessage,
    store: Message[],
  ) => { messages: Message[]; executed: boolean } | undefined;
}

/** A notice known before the first prompt; told right after `system/init`. */
export interface PendingNotice
  extends Pick<SDKNoticeMessage, 'code' | 'message' | 'remedy' | 'setting' | 'settings' | 'data'> {
  /** Default `warning`. */
  readonly level?: SDKNoticeMessage['level'];
}

/** One notice about all of the items; none if there are none. */
export function told(items: readonly string[], notice: (listed: string) => PendingNotice): PendingNotice[] {
  return items.length === 0 ? [] : [notice(listSome(items))];
}

/** What to do about extensions of a project that nobody vouches for. */
export const HOW_TO_TRUST =
  'Look at them, then name project in settingSources, run with --trust, or start turnwright in that folder and answer its question.';

/** The prompt as `prefetch` sees it. */
export interface PrefetchedPrompt {
  readonly text: string;
  readonly cwd: string;
  /** Aborted with the prompt: its answer is no longer waited for. */
  readonly signal: AbortSignal;
}

/** When settings are looked at again: before a prompt, or between two turns of one. */
export type SettingsMoment = 'prompt' | 'turn';

/** What the settings come to after a change. */
export interface SettingsChange {
  readonly files: readonly { readonly scope: SettingScope; readonly file: string }[];
  /** Keys whose values are others now. */
  readonly keys: readonly string[];
  /** In place of what the session began with. */
  readonly base: Pick<PermissionContext, 'deny' | 'ask' | 'allow' | 'roots'> &
    Required<Pick<PermissionContext, 'disableBypass' | 'isTrusted'>> &
    Confinement;
  readonly live: LiveSettings;
  readonly commandHooks: readonly CommandHook[];
  /** True: hooks of plugins do not run. */
  readonly onlyManagedHooks?: boolean;
  /** What is to be told of the new settings themselves. */
  readonly notices: readonly PendingNotice[];
}

/** A change that may still be refused in part. */
export interface OfferedChange extends SettingsChange {
  /** What is left of it if these files count as before, until they change again. Null: nothing. @throws ConfigError */
  without(files: SettingsChange['files']): Promise<SettingsChange | null>;
}

/** Values of a session that a change of its settings changes. Undefined: as without a setting. */
export interface LiveSettings
  extends Pick<QueryEngineConfig, 'thinkingConfig' | 'effort' | 'language' | 'attribution'> {
  /** The model, if it was not named in another way. */
  readonly model?: string;
}

/** What Turnwright adds: all optional, so that a plain spec 000 configuration is complete. */
export interface EngineExtensions extends PassedOptions {
  /** The machine. Default: this one. */
  readonly host?: Host;
  /** Answers the requests; a model object of the AI SDK will do. Default: chosen by `userSpecifiedModel` and the environment. */
  readonly provider?: Provider | AiSdkLanguageModel;
  readonly apiKeySource?: ApiKeySource;
  /** Keys, providers of one's own, tiers, proxies: how models are reached. */
  readonly models?: ModelOptions;
  /** What `resolveModel` is shown as `availableModels`. Default: nothing. */
  readonly listModels?: () => Promise<ModelInfo[]>;
  /** Rules, mode and workspace. Absent: `canUseTool` decides every call. */
  readonly permissions?: PermissionContext;
  /** True if the host vouches for the folder: what its own repository starts counts as it stood. Default false. */
  readonly isFolderGranted?: boolean;
  /**
   * Keeps permission updates beyond the session, as far as their destination is a settings file. Gives what is to be
   * told; a rejection denies the call that was answered with them. Absent: they hold for the session alone.
   */
  readonly saveUpdates?: (updates: readonly PermissionUpdate[]) => Promise<readonly PendingNotice[]>;
  /** The settings files that were read, for `system/init`. */
  readonly settingsFiles?: SDKSystemMessage['settings_files'];
  /**
   * Asked before each prompt, and between turns: what the settings come to, if a file of theirs changed since; else
   * null. Contract: between turns null at once if the session has no settings.
   */
  readonly reopenSettings?: (moment: SettingsMoment) => Promise<OfferedChange | null> | null;
  /** The settings that the host gave, and changes while the session runs; read by `reopenSettings`. */
  readonly flagSettings?: {
    /** Fields in place of those of before; null takes one away. */
    change(fields: FlagChanges): void;
    /** What was changed so far. */
    readonly changes: FlagChanges;
  };
  readonly additionalDirectories?: readonly string[];
  /** What commands may do. Default: commands run as they are. */
  readonly sandbox?: SandboxSettings;
  /** What the model adds to commits and pull requests. Default: nothing. */
  readonly attribution?: Attribution;
  /** The language the model answers in, such as `German`. Default: the user's own. */
  readonly language?: string;
  /** UUID of the session. Default: a new one. */
  readonly sessionId?: string;
  /** Title of a new session. A resumed session keeps its own. */
  readonly title?: string;
  /**
   * Who gives a new session a title: its first prompt, which costs nothing, or the model, by one small request more.
   * Default `prompt`.
   */
  readonly titles?: 'prompt' | 'model';
  /** Sessions of the same home that were not written for so many days are deleted. Absent: none is. */
  readonly cleanupPeriodDays?: number;
  /** Gets every entry of the transcript as well; with `persistSession: false`, alone. */
  readonly sessionStore?: SessionStore;
  /** Default `batched`. */
  readonly sessionStoreFlush?: SessionStoreFlush;
  /** True: the session goes on as a copy of another. */
  readonly isFork?: boolean;
  /** Transcript uuid that the next message follows, for a resumed session. */
  readonly resumedFrom?: string | null;
  /** What an earlier process used and decided in a resumed session. Its todos belong in the application state. */
  readonly resumedState?: SessionState;
  /** Replies that `resumedState` does not count yet. */
  readonly resumedReplies?: readonly RequestRecord[];
  /** Why no prompt of this session may start; each ends with this as its error. */
  readonly cannotStart?: string;
  /** True: what calls change in files can be undone, see `rewindFiles`. Default false. */
  readonly enableFileCheckpointing?: boolean;
  /** True: a session that comes to mode plan later offers the tool ExitPlanMode from then on. Default false. */
  readonly offersPlanLater?: boolean;
  /**
   * True: git may be run once, to tell the model how the repository stands, and nothing of the folder waits for trust.
   * False: something does, and the model is told that it was not run. Absent: nothing is told of it.
   */
  readonly mayRunGit?: boolean;
  /** Milliseconds after which a command of Bash goes on in the background. Absent: only if somebody wants that. */
  readonly backgroundAfterMs?: number;
  /** True: a command that reaches its timeout goes on in the background. Default: it is stopped. */
  readonly backgroundOnTimeout?: boolean;
  /** False: no instruction files are read. Default true. */
  readonly readInstructionFiles?: boolean;
  /** Whose instruction files are read. Default: those of the project. */
  readonly instructionSources?: InstructionSources;
  /** The skills there are, for agents that work by some and for who asks; the tool and the commands stand beside it. */
  readonly skills?: SessionSkills;
  /**
   * Looks for skills again, on the disk; from now on also in these folders. @throws ConfigError
   * @param folders absolute, each of which may hold skills
   */
  readonly reloadSkills?: (folders?: readonly string[]) => Promise<ReloadedSkills>;
  /** Asked before each prompt but the first, behind `reopenAgents`: true if skills are others than at the last look. */
  readonly areSkillsOthers?: () => Promise<boolean>;
  /** Looks for plugins again, with these beside those of before. @throws ConfigError */
  readonly reloadPlugins?: (added: readonly SdkPluginConfig[]) => Promise<ReloadedPlugins>;
  /** The only models that may be named, of settings. Absent: any. */
  readonly allowedModels?: { readonly names: readonly string[]; readonly isForDefault: boolean };
  /** What the judge of mode `auto` goes by beside its own rules, in words. */
  readonly autoRules?: NonNullable<Settings['autoMode']>;
  /** What of files and plugins there is now, and what is not, for who looks at the session. Absent: nothing was found. */
  readonly loaded?: () => { readonly loaded: readonly LoadedPart[]; readonly rejected: readonly RejectedPart[] };
  /** What hooks of the type http may reach and send along, of agents too. Absent: settings say nothing of it. */
  readonly httpHookRules?: {
    readonly urls?: readonly string[] | undefined;
    readonly variables?: readonly string[] | undefined;
  };
  /** Hooks given as code, by event. */
  readonly hooks?: HookMatchers;
  /** Hooks of settings. A change of settings replaces them. */
  readonly commandHooks?: readonly CommandHook[];
  /** How the model writes, in place of what the default prompt says of it. */
  readonly outputStyle?: { readonly name: string; readonly text: string; readonly keepsCoding: boolean };
  /** Hooks of plugins: they stay when settings change. */
  readonly pluginHooks?: readonly CommandHook[];
  /** The plugins there are. */
  readonly plugins?: readonly PluginFacts[];
  /** True: settings let no hooks run but managed ones, so those of agents do not either. */
  readonly onlyManagedHooks?: boolean;
  /** A budget shared with other sessions; this one's `maxBudgetUsd` is a part of it. */
  readonly budget?: Budget;
  /**
   * Begun with each prompt for the model, beside everything else that prepares it, and waited for when its message is
   * made, a minute at most: gives texts that go along with it, such as the skills that fit it. A failure is logged; then nothing goes along.
   */
  readonly prefetch?: (prompt: PrefetchedPrompt) => Promise<readonly string[]>;
  readonly notices?: readonly PendingNotice[];
  /** Told of faults that nobody else is told of. Default: nobody. */
  readonly log?: (event: string, detail: unknown) => void;
}

/** A plugin of a session. */
export interface PluginFacts {
  readonly name: string;
  /** Its folder, absolute. */
  readonly path: string;
  readonly version: string;
  /** `name@marketplace`; `name@local` for a folder. */
  readonly id: string;
  /** The marketplace, or `local`. */
  readonly source: string;
  /** Whose settings name it; `session` for an option. */
  readonly scope: string;
}

/** Options about reaching models, as the host gives them. */
export interface ModelOptions {
  readonly auth?: AuthOptions | ProviderKeyOptions;
  readonly providers?: Readonly<Record<string, ProviderOptions>>;
  readonly modelTiers?: ModelTiers;
  readonly modelObjects?: ModelObjects;
  /** Asked of the API of Anthropic. */
  readonly betas?: readonly string[];
  /** Absolute. */
  readonly modelsFile?: string;
  readonly proxy?: string;
  /** Absolute. */
  readonly caFile?: string;
}

/** What a configuration has of agents in files. */
export interface AgentFiles extends FoundAgents {
  /** The folder that trust is about. */
  readonly root: string;
}

/** What a configuration has of skills. */
export interface SessionSkills extends SkillLibrary {
  /** Of all. */
  readonly names: readonly string[];
  /** Those that can be called with these tools: by the model, or by the user. */
  usableWith(tools: Tools | undefined): readonly string[];
  /**
   * Texts for an agent that works by these; in place of one that cannot be had, why. Names of none are left out.
   * @param kept rules that deny or ask: nobody is asked here, so what one of them means is not had
   */
  preload(names: readonly string[], kept: readonly PermissionRule[]): Promise<readonly PreloadedSkill[]>;
  /** True if one of them brings hooks along, as it was found. */
  readonly hasHooks: boolean;
  /** The hooks of a skill as the user loaded it last; null if there are none. */
  hooksOfTyped(name: string): SkillHooks | null;
}

/** The plugins of a session as they are now. */
export interface ReloadedPlugins {
  readonly plugins: readonly PluginFacts[];
  readonly hooks: readonly CommandHook[];
  /** All of the session that are no skills. */
  readonly commands: readonly Command[];
  readonly servers: {
    readonly gone: readonly string[];
    /** As `NewServer` of the room of servers. */
    readonly come: readonly {
      readonly given: McpServerDefinition | MCPServerConnection;
      readonly identity: null;
      readonly config?: unknown;
    }[];
  };
  readonly notices: readonly PendingNotice[];
  /** How many parts of them are left out. */
  readonly problems: number;
}

/** The skills of a session as they are now. */
export interface ReloadedSkills {
  readonly library: SessionSkills;
  /** The tool Skill, if the model may call one and nothing leaves it out. */
  readonly tools: Tools;
  /** Of the whole session. */
  readonly commands: readonly Command[];
  readonly notices: readonly PendingNotice[];
}

export interface PreloadedSkill {
  readonly text: string;
  /** That it brings along; null if it brings none. */
  readonly hooks: SkillHooks | null;
  /** Null if it was loaded. */
  readonly problem: string | null;
}

// Application state that tools and prompts share through a session: a small store, and what the engine keeps in it.

/** Open for the host's own keys. */
export interface AppState {
  readonly todos: readonly TodoItem[];
  readonly [key: string]: unknown;
}

export interface AppStateStore {
  getState(): AppState;
  /** Replaces the given keys, keeps the others. */
  setState(state: Partial<AppState> | ((previous: AppState) => Partial<AppState>)): void;
  /** Called after each change, with the state as it is then. The returned function ends it. */
  subscribe(listener: (state: AppState) => void): () => void;
}

/** A new store. */
export function createAppState(initial: Partial<AppState> = {}): AppStateStore {
  let state: AppState = { todos: [], ...initial };
  const listeners = new Set<(state: AppState) => void>();
  return {
    getState: () => state,
    setState(change) {
      state = { ...state, ...(typeof change === 'function' ? change(state) : change) };
      for (const listener of [...listeners]) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

// What a session goes on with after it was resumed: types only.

/** What a resumed session goes on with. Contract: nothing in it grants a permission. */
export interface SessionState {
  readonly ledger: LedgerState;
  /** Model replies so far in the session. */
  readonly turns: number;
  readonly compaction: CompactionState;
  readonly todos: readonly TodoItem[];
  /** The compaction that the conversation begins with. Read back from its own line; not part of this one. */
  readonly boundary?: SDKCompactBoundaryMessage['compact_metadata'];
  /** What the system prompt says of what may change. Absent: it is taken anew. */
  readonly environment?: ChangingFacts;
  /** The system prompt as it was recorded. */
  readonly systemPrompt?: readonly SystemPromptSection[];
  /** What the session works towards. */
  readonly goal?: SDKGoalSnapshot;
  /** The sources of texts that nobody vouches for. Absent: nobody kept them. */
  readonly untrusted?: readonly ContentSource[];
  /** Calls that wait for a decision. Read back from lines of their own; not part of this one. */
  readonly deferred?: readonly WaitingCall[];
}

export interface WaitingCall {
  readonly toolUseId: string;
  readonly reason: string;
  /** As the line says it. */
  readonly timestamp: unknown;
  /** The same; undefined if it was to wait for ever. */
  readonly expiresAt: unknown;
  /** Where it was decided about. Absent: in the folder of the session. */
  readonly cwd?: string;
  /** As a hook changed it. Absent: as the model gave it. */
  readonly input?: Record<string, unknown>;
}
