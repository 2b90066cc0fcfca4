// query(), startup() and prewarm() of the Claude Agent SDK.
import { createNodeHost } from '../../../host/node-host.js';
import type { Options as OurOptions } from '../../options/index.js';
import { query as ourQuery } from '../../query.js';
import {
  type ClaimOptions as OurClaim,
  type Prompt,
  type SpareProcess,
  spare,
  type WarmQuery,
  warm,
} from '../../startup.js';
import { type Controls, withControls } from '../session.js';
import { claudeMessages } from './messages.js';
import { modelName, ourOptions } from './options.js';
import type { Options } from './options-types.js';
import type {
  AgentDefinition,
  McpServerStatus,
  ModelInfo,
  SDKControlReloadPluginsResponse,
  SDKMessage,
  Settings,
} from './types.js';

type Ours = Omit<Controls, 'mcpServerStatus' | 'reloadPlugins' | 'supportedModels'>;
export interface Query extends AsyncGenerator<SDKMessage, void>, Ours {
  mcpServerStatus(): Promise<McpServerStatus[]>;
  reloadPlugins(...given: Parameters<Controls['reloadPlugins']>): Promise<SDKControlReloadPluginsResponse>;
  supportedModels(): Promise<ModelInfo[]>;
}

/**
 * Runs a session as the Claude Agent SDK does.
 * @throws Error behind the last message if the last prompt failed; AbortError if `abortController` was aborted
 */
export function query(params: { prompt: Prompt; options?: Options }): Query {
  const { prompt, options = {} } = params ?? {};
  return start(prompt, ourOptions(options));
}

function start(prompt: Prompt, options: OurOptions): Query {
  let isClosed = false;
  const facts = {
    signal: options.abortController?.signal,
    maxTurns: options.maxTurns,
    resume: options.resume,
    isClosed: () => isClosed,
  };
  const session = withControls(ourQuery({ prompt, options }), (messages) => claudeMessages(messages, facts));
  const { setModel, close } = session;
  session.setModel = (model) => setModel(model === undefined ? undefined : modelName(model));
  session.close = () => {
    isClosed = true;
    close();
  };
  return session as unknown as Query;
}

/** Opens a session whose prompt comes later. @throws what opening it throws */
export async function startup(
  params: { options?: Options; initializeTimeoutMs?: number } = {},
): Promise<WarmQuery<Query>> {
  const options = ourOptions(params.options ?? {});
  return warm((prompt) => start(prompt, options), options.host ?? createNodeHost(), params.initializeTimeoutMs);
}

/** Checks options and loads what sessions need; the folder comes later. @throws if the options cannot be used */
export async function prewarm(
  params: { options?: Options; initializeTimeoutMs?: number } = {},
): Promise<SpareProcess<Query>> {
  const options = ourOptions(params.options ?? {});
  return spare(options, start, options.host ?? createNodeHost(), params.initializeTimeoutMs);
}

export type { SpareProcess, WarmQuery };
export type ClaimOptions = Omit<OurClaim, 'settings' | 'agents'> & {
  agents?: Record<string, AgentDefinition>;
  settings?: { [Key in keyof Settings]?: Settings[Key] | null };
};
