// The Chat Completions API of OpenAI and of every server that speaks it, as a Provider. In what they differ is data.
import type { HostClock } from '../../host/host.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { ChatQuirks } from '../../protocol/model-options.js';
import type { Provider } from '../contract/index.js';
import { createConnections, streamEvents, type TransportChoice } from '../http/index.js';
import {
  blameWhatWasAsked,
  classifyResponse,
  createCallIds,
  createWireNames,
  type EndpointConfig,
  endpointHeaders,
  endpointUrl,
  requestIdOf,
  secretsOf,
  takesOutputSchema,
  toStrictSchema,
} from '../openai/index.js';
import { type ToolCallProfile, toolCallProfile, withToolCallText } from '../text-calls/index.js';
import { createChatDecoder } from './decode-chunks.js';
import { createChatBodyBuilder } from './request-body.js';

export interface OpenAIChatConfig extends EndpointConfig {
  /** Default: none, which is OpenAI's own behaviour. `CHAT_QUIRKS` has those of known servers. */
  readonly quirks?: ChatQuirks | undefined;
  readonly clock: HostClock;
  /** Forces how requests travel, or which way they take; absent: the best there is, straight. */
  readonly transport?: TransportChoice | undefined;
}

const DEFAULT_TOOL_NAME_LENGTH = 64;

/**
 * A provider with connections of its own, opened when the first request is sent.
 * Contract: `close` ends its connections, also those in use; a later request opens new ones.
 * Throws `ConfigError` on a base URL, key or header that cannot be used.
 */
export function createOpenAIChatProvider(config: OpenAIChatConfig): Provider & { close(): void } {
  const { id: server, clock, quirks = {} } = config;
  const url = endpointUrl(config, '/chat/completions');
  const headers = endpointHeaders(config);
  const failures = { secrets: secretsOf(config), keyAdvice: `Check the key of the provider "${server}".` };
  const ids = createCallIds();
  const names = createWireNames(quirks.maxToolNameLength ?? DEFAULT_TOOL_NAME_LENGTH);
  const bodies = createChatBodyBuilder({ server, quirks, ids, names });
  const connections = createConnections(url, clock, config.transport);

  const provider: Provider & { close(): void } = {
    id: server,
    outputSchema: (model, schema) => outputSchema(model, schema, quirks),
    stream(request, limits, signal) {
      const decoder = createChatDecoder({ server, model: request.model, quirks, ids, names, failures });
      return streamEvents({
        transport: connections.open,
        request: () => ({ url, headers, body: bodies.build(request) }),
        limits,
        clock,
        signal,
        decode: (data, event, push) => decoder.decode(data, event, push),
        atEnd: (push) => decoder.atEnd(push),
        classify: (response) => blameWhatWasAsked(classifyResponse(response, clock, failures), request),
        onHead: (header) => decoder.setRequestId(requestIdOf(header, failures.secrets)),
      });
    },
    close: connections.close,
  };
  return withProfile(provider, quirks);
}

/** Of models that may write calls as text, the replies are read for them. */
function withProfile(
  provider: Provider & { close(): void },
  { toolCalls, toolCallsOf }: ChatQuirks,
): Provider & { close(): void } {
  const readers = new Map<ToolCallProfile, Provider>();
  const readerFor = (profile: ToolCallProfile): Provider => {
    const known = readers.get(profile);
    if (known !== undefined) return known;
    const made = withToolCallText(provider, profile);
    readers.set(profile, made);
    return made;
  };
  return {
    ...provider,
    stream(request, limits, signal) {
      const { model } = request;
      const single = toolCallsOf !== undefined && Object.hasOwn(toolCallsOf, model) ? toolCallsOf[model] : undefined;
      return readerFor(single ?? toolCallProfile(model, toolCalls)).stream(request, limits, signal);
    },
  };
}

function outputSchema(model: string, schema: JsonSchema, quirks: ChatQuirks): JsonSchema | null {
  const which = quirks.outputSchema ?? 'known';
  const isTaken = which === 'all' || (which === 'known' && takesOutputSchema(model));
  return isTaken ? toStrictSchema(schema) : null;
}
