// query() and startup() of the Qoder Agent SDK, and its messages. One rule: an abort ends the iteration without a word, and a result that
// failed is a message and no error.
import { createNodeHost } from '../../../host/node-host.js';
import type { ModelUsage, SDKMessage as OurMessage } from '../../../protocol/messages.js';
import type { ModelPolicyResult } from '../../../protocol/model.js';
import { DOORS } from '../../features.js';
import type { Options as OurOptions } from '../../options/index.js';
import { query as ourQuery } from '../../query.js';
import { type Prompt, type WarmQuery, warm } from '../../startup.js';
import { type ChangedArtifact, createArtifactList } from '../../wire/index.js';
import { dialectPlace, QODER_FOLDER } from '../folders.js';
import { type Controls, withControls } from '../session.js';
import { type AnyAuthOptions, ourAuth } from './auth.js';
import type { HookEvent } from './constants.js';
import type { PluginDetails } from './plugins-and-daemons.js';
import type { CheckByokConfigInput, CreateByokConfigInput, UpdateByokConfigInput } from './told-types.js';
import { transportOptions } from './transports.js';
import type * as Types from './types.js';
import type { SDKMessage } from './types.js';

interface Differing {
  agents?: Record<string, Types.AgentDefinition>;
  canUseTool?: Types.CanUseTool;
  hooks?: Partial<Record<HookEvent, Types.HookCallbackMatcher[]>>;
  resolveModel?: Types.ModelPolicyProvider;
  settings?: string | Types.Settings;
  modelRequestPatches?: Types.ModelPromptPatches;
  memory?: Types.MemoryOptions;
  evolution?: Types.EvolutionOptions;
  transport?: Types.QueryTransportOptions;
  resolveSessionArtifacts?: Types.ResolveSessionArtifacts;
  /** Replaces the environment of the process. */
  env?: Record<string, string | undefined>;
  /** Absent: the keys that Turnwright finds. A token is sent only to a server whose address you set. */
  auth?: AnyAuthOptions;
}

export type Options = Omit<OurOptions, keyof Differing> & Differing;
type Ours = Omit<
  Controls,
  | 'close'
  | 'mcpServerStatus'
  | 'reloadPlugins'
  | 'listByokProviders'
  | 'getContextUsage'
  | 'rewind'
  | 'rewindFiles'
  | 'streamInput'
  | 'createByokConfig'
  | 'updateByokConfig'
  | 'checkByokConfig'
  | 'getAvailableModels'
  | 'listPlugins'
>;
export interface Query extends AsyncGenerator<SDKMessage, void>, Ours {
  close(): Promise<void>;
  streamInput(stream: AsyncIterable<Types.SDKUserMessage>): Promise<void>;
  mcpServerStatus(): Promise<Types.McpServerStatus[]>;
  reloadPlugins(): Promise<Types.SDKControlReloadPluginsResponse>;
  listPlugins(): Promise<PluginDetails[]>;
  listByokProviders(): Promise<Types.BYOKProviderInfo[] | null>;
  createByokConfig(input: CreateByokConfigInput): ReturnType<Controls['createByokConfig']>;
  updateByokConfig(input: UpdateByokConfigInput): Promise<void>;
  checkByokConfig(input: CheckByokConfigInput): ReturnType<Controls['checkByokConfig']>;
  getAvailableModels(...given: Parameters<Controls['getAvailableModels']>): Promise<Types.ModelInfo[]>;
  getContextUsage(...given: Parameters<Controls['getContextUsage']>): Promise<Types.SDKControlGetContextUsageResponse>;
  rewind(...given: Parameters<Controls['rewind']>): Promise<Types.RewindResult>;
  rewindFiles(...given: Parameters<Controls['rewindFiles']>): Promise<Types.RewindFilesResult>;
}
export type { WarmQuery };

export interface StartupParams {
  options?: Options;
  initializeTimeoutMs?: number;
}

/** Runs a session as the Qoder Agent SDK does. @throws ConfigError from the first `next()` if it cannot be started */
export function query(params: { prompt: Prompt; options?: Options }): Query {
  const { prompt, options = {} } = params ?? {};
  return start(prompt, () => ourOptions(options), options.abortController?.signal);
}

/** Opens a session whose prompt comes later. @throws what opening it throws */
export async function startup(params: StartupParams = {}): Promise<WarmQuery<Query>> {
  const options = ourOptions(params.options ?? {});
  const { host = createNodeHost(), abortController } = options;
  return warm((prompt) => start(prompt, () => options, abortController?.signal), host, params.initializeTimeoutMs);
}

/** @throws if a variable of `auth` is not set */
function ourOptions({ env, host, auth, resolveModel, transport, ...given }: Options): OurOptions {
  const rest = { ...given, ...transportOptions(transport, given) };
  const place = dialectPlace(QODER_FOLDER, { ...rest, ...(host && { host }), ...(env && { env }) });
  return {
    // Its types are narrower than ours, and what it has beside them is told by name.
    ...(rest as Omit<OurOptions, 'resolveModel'>),
    ...(resolveModel === undefined ? {} : { resolveModel: ourPolicy(resolveModel) }),
    ...place,
    ...(auth === undefined ? {} : { auth: ourAuth(auth, place.host?.env ?? place.env ?? {}) }),
  };
}

/** A policy that names no model keeps the one that the session has. */
function ourPolicy(resolve: NonNullable<Options['resolveModel']>): NonNullable<OurOptions['resolveModel']> {
  if (typeof resolve !== 'function') return resolve;
  return async (context) => {
    const told = context as Types.ModelPolicyContext;
    const { model = told.resolvedModel, parameters } = (await resolve(told)) ?? {};
    return { model, ...(parameters === undefined ? {} : { parameters }) } as ModelPolicyResult;
  };
}

function start(prompt: Prompt, options: () => OurOptions, signal: AbortSignal | undefined): Query {
  let isClosed = false;
  const isOver = () => isClosed || signal?.aborted === true;
  const session = withControls(ourQuery({ prompt, options: options() }), (messages) => quietly(messages, isOver));
  const { close, listByokProviders, listPlugins } = session;
  return Object.assign(session, {
    async close() {
      isClosed = true;
      close();
    },
    /** That SDK says of each where it is and what a key of it needs beside. */
    listByokProviders: async () =>
      (await listByokProviders())?.map((each) => ({ url: '', fields: [], ...each })) ?? null,
    async listPlugins() {
      const { describeAll } = await DOORS.qoderPlugins();
      return describeAll(await listPlugins());
    },
  }) as unknown as Query;
}

async function* quietly(messages: AsyncIterable<OurMessage>, isOver: () => boolean): AsyncGenerator<SDKMessage, void> {
  const artifactsAfter = createArtifactList();
  try {
    for await (const message of messages) {
      const artifacts = artifactsAfter(message);
      if (!isOver()) yield qoderMessage(message);
      if (artifacts !== null && !isOver()) yield artifactsUpdate(artifacts, message);
    }
  } catch (error) {
    if (!isOver()) throw error;
  }
}

/** What its types say is always there, is there. */
function qoderMessage(message: OurMessage): SDKMessage {
  if (message.type !== 'result') return message as unknown as SDKMessage;
  const { usage, modelUsage } = message;
  return {
    ...message,
    usage: {
      inference_geo: '',
      service_tier: 'standard',
      speed: 'standard',
      iterations: [],
      server_tool_use: { web_fetch_requests: 0, web_search_requests: 0 },
      cache_creation: {
        ephemeral_1h_input_tokens: 0,
        ephemeral_5m_input_tokens: usage.cache_creation_input_tokens,
      },
      ...usage,
    },
    modelUsage: Object.fromEntries(Object.entries(modelUsage).map(([model, used]) => [model, counted(used)])),
  } as unknown as SDKMessage;
}

/** @param after the message that it follows */
function artifactsUpdate(artifacts: readonly ChangedArtifact[], { session_id }: OurMessage): SDKMessage {
  const uuid = createNodeHost().ids.uuid();
  return { type: 'system', subtype: 'artifacts_update', artifacts, uuid, session_id } as unknown as SDKMessage;
}

/** What is not known of a model counts as none. */
function counted(used: ModelUsage): ModelUsage {
  const { costUSD, contextWindow, maxOutputTokens } = used;
  return {
    ...used,
    costUSD: costUSD ?? 0,
    contextWindow: contextWindow ?? 0,
    maxOutputTokens: maxOutputTokens ?? 0,
  };
}
