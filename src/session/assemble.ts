// Puts a session together: the one place where defaults become real things.

import { readGitState } from '../context/environment.js';
import { createRequestBuilder, type RequestBuilder } from '../engine/build-request.js';
import type { LoopDeps } from '../engine/loop-state.js';
import { createJsonValidator } from '../engine/validate-json.js';
import type { Host } from '../host/host.js';
import type { EngineLimits } from '../protocol/options.js';
import type { ApiKeySource } from '../protocol/system-messages.js';
import type { Provider } from '../providers/provider.js';
import { resolveProvider } from '../providers/registry.js';
import type { TodoStore, ToolContext } from '../tools/tool.js';
import { childEnvironment } from './child-env.js';
import type { PendingNotice, QueryEngineConfig } from './config.js';
import { resolveLimits } from './limits.js';
import { createPermissionGate, type PermissionGate } from './permission-gate.js';
import { homeFolder, projectFolder, transcriptPath } from './store-path.js';
import { createFileTranscript, createNullTranscript, type Transcript } from './transcript.js';
import type { UsageLedger } from './usage-ledger.js';

/** What a session needs once its first prompt comes. */
export interface Runtime {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: EngineLimits;
  readonly provider: Provider;
  /** The model of the session; `setModel` overrides it. */
  readonly model: string;
  readonly apiKeySource: ApiKeySource;
  readonly transcript: Transcript;
  readonly gate: PermissionGate;
  readonly requests: RequestBuilder;
  /** What the session has to tell, once. */
  takeNotices(): readonly PendingNotice[];
  readonly loop: Pick<LoopDeps, 'validateJson' | 'toolContext' | 'beforeSideEffect' | 'recordRequest' | 'log'>;
  close(): Promise<void>;
}

/** @throws ConfigError where the configuration cannot be used. */
export async function assembleRuntime(
  config: QueryEngineConfig,
  host: Host,
  sessionId: string,
  ledger: UsageLedger,
): Promise<Runtime> {
  const env = sessionEnvironment(host, config.env);
  const limits = resolveLimits(env, config.limits);
  const model = await resolveModel(config, { ...host, env });
  const gate = createPermissionGate({ context: config.permissions ?? null, canUseTool: announceWaiting(config) });
  const transcript = await openTranscript(config, host, env, sessionId);
  const { provider } = model;
  let notices: readonly PendingNotice[] = [...(config.notices ?? []), ...model.notices];
  return {
    env,
    limits,
    provider,
    model: model.model,
    apiKeySource: model.apiKeySource,
    transcript,
    gate,
    requests: createRequestBuilder(),
    takeNotices() {
      const told = notices;
      notices = [];
      return told;
    },
    loop: {
      validateJson: createJsonValidator(),
      toolContext: toolContexts(config, host, env, limits, transcript),
      beforeSideEffect: () => transcript.sync(),
      recordRequest: (record) => ledger.add(record, provider.free ?? false),
      log: (event, detail) => config.log?.(event, detail),
    },
    async close() {
      await transcript.close();
      model.close();
    },
  };
}

function sessionEnvironment(host: Host, own: QueryEngineConfig['env']): Record<string, string | undefined> {
  return { ...host.env, ...own };
}

interface ResolvedModel {
  readonly provider: Provider;
  readonly model: string;
  readonly apiKeySource: ApiKeySource;
  readonly notices: readonly PendingNotice[];
  close(): void;
}

async function resolveModel(config: QueryEngineConfig, host: Host): Promise<ResolvedModel> {
  const { provider, userSpecifiedModel } = config;
  if (provider !== undefined) {
    const model = userSpecifiedModel ?? provider.id;
    return { provider, model, apiKeySource: config.apiKeySource ?? 'none', notices: [], close: () => undefined };
  }
  const resolved = await resolveProvider(userSpecifiedModel, host);
  const notices: PendingNotice[] =
    resolved.reason === 'no_key'
      ? [
          {
            code: 'offline_model',
            message:
              'No model key is configured, so the offline model answers. It is a deterministic planner, not a language model.',
            remedy: 'Set ANTHROPIC_API_KEY for a real model.',
          },
        ]
      : [];
  return { ...resolved, notices };
}

/** While the host decides, the session waits for input. */
function announceWaiting(config: QueryEngineConfig): QueryEngineConfig['canUseTool'] {
  const { canUseTool, setSDKStatus } = config;
  if (canUseTool === undefined || setSDKStatus === undefined) return canUseTool;
  return async (toolName, input, options) => {
    setSDKStatus('awaiting_input');
    try {
      return await canUseTool(toolName, input, options);
    } finally {
      setSDKStatus('running');
    }
  };
}

async function openTranscript(
  config: QueryEngineConfig,
  host: Host,
  env: Record<string, string | undefined>,
  sessionId: string,
): Promise<Transcript> {
  if (config.persistSession === false) return createNullTranscript();
  const folder = await projectFolder(host, homeFolder(host, env), config.cwd);
  const git = await readGitState(host, config.cwd);
  return createFileTranscript({
    host,
    path: transcriptPath(folder, sessionId),
    sessionId,
    cwd: config.cwd,
    gitBranch: git?.branch ?? '',
    lastUuid: config.resumedFrom ?? null,
  });
}

function toolContexts(
  config: QueryEngineConfig,
  host: Host,
  env: Record<string, string | undefined>,
  limits: EngineLimits,
  transcript: Transcript,
): LoopDeps['toolContext'] {
  const childEnv = childEnvironment(env);
  const todos: TodoStore = {
    get: () => config.getAppState().todos ?? [],
    set: (next) => config.setAppState((previous) => ({ ...previous, todos: next })),
  };
  const spoolDirectory = transcript.path === null ? null : `${transcript.path.slice(0, -'.jsonl'.length)}/tool-results`;
  return (toolUseId, signal): ToolContext => ({
    host,
    cwd: config.cwd,
    childEnv,
    signal,
    toolUseId,
    readFileCache: config.readFileCache,
    spoolDirectory,
    toolTimeoutMs: limits.toolTimeoutMs,
    todos,
    onProgress: () => undefined,
  });
}
