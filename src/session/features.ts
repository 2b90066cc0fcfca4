// What a session may have beside its core: the doors to it, and what opens them. One rule: nothing else in `session/` loads on
// demand, so whoever asks what is loaded when reads these lists from top to bottom. At which moments of a prompt a feature
// acts is in `acting-features.ts`.
import { loadOnce } from '../util/load-once.js';
import type { QueryEngineConfig } from './config/index.js';

/** What is loaded when it is first needed: rooms, doors to what a room does not always need, and files that are needed alone. */
export const DOORS = {
  /** What only some prompts do. */
  prompt: loadOnce(() => import('./prompt/on-demand.js')),
  /** Models that are asked beside the loop: for a title, a hook, a tool, a judge. */
  beside: loadOnce(() => import('./prompt/beside-on-demand.js')),
  /** A command is typed, or what looks like one. */
  typedCommands: loadOnce(() => import('./input/run-command.js')),
  /** The first call of a tool, or change of rules. */
  calls: loadOnce(() => import('./permission/gate-on-demand.js')),
  /** Answers to permission questions and others that come from elsewhere than the host's callback. */
  permission: loadOnce(() => import('./permission/on-demand.js')),
  /** Who decides which model answers, and what it may cost. */
  models: loadOnce(() => import('./models/on-demand.js')),
  /** Keys that `turnwright login` and hosts keep for the user. */
  credentials: loadOnce(() => import('./models/credentials-file.js')),
  /** Proxies, programs and callbacks that give keys, files of models and authorities. */
  access: loadOnce(() => import('./models/access-on-demand.js')),
  /** What models cost and hold: with the first reply, as it is large. */
  catalogue: loadOnce(() => import('../providers/models/catalogue.js')),
  /** Something says something of settings. */
  settings: loadOnce(() => import('./settings/open-settings.js')),
  /** Settings have examples of rules, and what reads those is large. */
  ruleExamples: loadOnce(() => import('./settings/rule-examples.js')),
  /** Tools that are found by a search, code mode, schemas in old words, and what a compaction keeps. */
  tools: loadOnce(() => import('./tools/on-demand.js')),
  /** MCP servers. */
  servers: loadOnce(() => import('./prompt/servers-on-demand.js')),
  /** Somebody can answer questions of the model. */
  questions: loadOnce(() => import('../tools/ask-user-question.js')),
  /** Agents of files or of the host, or one that the session itself is. */
  definedAgents: loadOnce(() => import('./tools/defined-agents.js')),
  /** The first subagent, or the first hook that an agent answers. */
  agents: loadOnce(() => import('./agents/index.js')),
  /** The first command or agent in the background, and an agent's place in the queue of those that work. */
  tasks: loadOnce(() => import('./tasks/on-demand.js')),
  /** The first hook; also what calls tools of MCP servers, or listens to FileChanged. */
  hooks: loadOnce(() => import('./hooks/on-demand.js')),
  /** A skill or an agent brings hooks along. */
  ownHooks: loadOnce(() => import('./prompt/own-hooks.js')),
  /** The first call of a tool for the web, or of a hook that sends something. */
  web: loadOnce(() => import('./web/index.js')),
  /** Large content goes into files, old sessions go, a new transcript has a file already, or the folder is a store for programs. */
  store: loadOnce(() => import('./store/on-demand.js')),
  /** The session begins in a repository. */
  repository: loadOnce(() => import('../context/git/git-snapshot.js')),
  /** Commands are confined. */
  sandbox: loadOnce(() => import('./sandbox/session-sandbox.js')),
  /** The first call that writes, or that starts git. */
  gitWatch: loadOnce(() => import('./sandbox/open-git-watch.js')),
  /** Files are kept as they were, or a session that kept them goes on without. */
  checkpoints: loadOnce(() => import('./checkpoints/checkpoints.js')),
  /** The session, or its files, is set back. */
  rewind: loadOnce(() => import('./rewind/index.js')),
  /** Somebody asks or changes something of a session that lives. */
  controls: loadOnce(() => import('./controls/index.js')),
  /** A checkout of its own, for the session or an agent; also if sessions left some behind. */
  worktrees: loadOnce(() => import('./worktrees/index.js')),
  /** OpenTelemetry. */
  telemetry: loadOnce(() => import('./telemetry/index.js')),
  /** The user's own package, which may not be there. */
  openTelemetry: loadOnce(() => import('@opentelemetry/api')),
} as const;

/** Variables of the session. */
type Env = Readonly<Record<string, string | undefined>>;

/** Opened as the session is put together (`assemble.ts`), if its configuration asks for it, in the order of this list; closed in reverse. */
interface Opened {
  isNeeded(config: QueryEngineConfig, env: Env): boolean;
  door(): Promise<unknown>;
}

export const OPENED = {
  /** The option `web`; without it, the first call opens it. */
  web: { isNeeded: ({ web }) => web !== undefined, door: DOORS.web },
  sandbox: { isNeeded: ({ sandbox }) => sandbox?.enabled === true, door: DOORS.sandbox },
  /** Without servers in the configuration, the first that is added opens it. */
  servers: {
    isNeeded: ({ mcpClients, mcpServers = [] }) => mcpClients.length + mcpServers.length > 0,
    door: DOORS.servers,
  },
  /** A tool answers permission questions. */
  promptTool: {
    isNeeded: ({ permissionPromptToolName }) => permissionPromptToolName !== undefined,
    door: DOORS.permission,
  },
  /** The option counts before our variable, and that before the one of the published SDKs. */
  telemetry: {
    isNeeded: ({ telemetry }, env) =>
      (telemetry ?? isSet(env['TURNWRIGHT_TELEMETRY'] ?? env['CLAUDE_CODE_ENABLE_TELEMETRY'])) !== false,
    door: DOORS.telemetry,
  },
  /** Somebody can be asked, other than for permission. */
  elicitation: { isNeeded: canAsk, door: DOORS.permission },
  /** A policy on untrusted content. */
  provenance: { isNeeded: ({ untrustedContent }) => untrustedContent !== undefined, door: DOORS.permission },
  /** The host names the model of each request. */
  modelPolicy: { isNeeded: ({ resolveModel }) => resolveModel !== undefined, door: DOORS.models },
  /** Another model may answer; a host that names models names that one too. */
  fallback: {
    isNeeded: ({ fallback, fallbackModel, resolveModel }) =>
      resolveModel === undefined && (fallback !== undefined || fallbackModel !== undefined),
    door: DOORS.models,
  },
  /** What may be spent is limited. */
  budget: {
    isNeeded: ({ budget, maxBudgetUsd }) => budget !== undefined || maxBudgetUsd !== undefined,
    door: DOORS.models,
  },
} as const satisfies Readonly<Record<string, Opened>>;

/** What stands behind the door of a feature, if the configuration asks for it; else null, and nothing is loaded. */
export async function openIfNeeded<Room>(
  { isNeeded, door }: { isNeeded(config: QueryEngineConfig, env: Env): boolean; door(): Promise<Room> },
  config: QueryEngineConfig,
  env: Env,
): Promise<Room | null> {
  return isNeeded(config, env) ? door() : null;
}

function isSet(variable: string | undefined): boolean {
  return variable === '1' || variable?.toLowerCase() === 'true';
}

/** The fields that say whether anybody answers questions to the user: the host, or a hook. */
type Answering = Pick<QueryEngineConfig, 'handleElicitation' | 'hooks' | 'commandHooks' | 'pluginHooks'>;

/**
 * Asked before hooks are opened, since a server hears with its first message whether it may ask.
 * Contract: never throws; a list of hooks that cannot be used is told when hooks are opened.
 */
export function canAsk({ handleElicitation, hooks, commandHooks = [], pluginHooks = [] }: Answering): boolean {
  if (handleElicitation !== undefined) return true;
  const matchers: unknown = hooks?.Elicitation;
  const isHeard = Array.isArray(matchers) && matchers.some((matcher) => matcher?.hooks?.length > 0);
  return isHeard || [...commandHooks, ...pluginHooks].some(({ event }) => event === 'Elicitation');
}
