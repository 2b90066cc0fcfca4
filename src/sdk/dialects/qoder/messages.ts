// From our messages to those of the Qoder Agent SDK: what its types say is always there, is there.
import { createNodeHost } from '../../../host/node-host.js';
import type { ModelUsage, SDKMessage as OurMessage } from '../../../protocol/messages.js';
import type { ChangedArtifact } from '../../wire/index.js';
import type { SDKMessage } from './types.js';

export function qoderMessage(message: OurMessage): SDKMessage {
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
export function artifactsUpdate(artifacts: readonly ChangedArtifact[], { session_id }: OurMessage): SDKMessage {
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
