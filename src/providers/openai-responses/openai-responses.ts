// The Responses API of OpenAI, used without state, as a Provider.
import type { HostClock } from '../../host/host.js';
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
import { createResponsesDecoder } from './decode-events.js';
import { createResponsesBodyBuilder } from './request-body.js';

export interface OpenAIResponsesConfig extends EndpointConfig {
  readonly clock: HostClock;
  /** Forces how requests travel, or which way they take; absent: the best there is, straight. */
  readonly transport?: TransportChoice | undefined;
}

const TOOL_NAME_LENGTH = 64;

/**
 * A provider with connections of its own, opened when the first request is sent.
 * Contract: `close` ends its connections, also those in use; a later request opens new ones. Nothing is stored at the
 * server. Throws `ConfigError` on a base URL, key or header that cannot be used.
 */
export function createOpenAIResponsesProvider(config: OpenAIResponsesConfig): Provider & { close(): void } {
  const { id: server, clock } = config;
  const url = endpointUrl(config, '/responses');
  const headers = endpointHeaders(config);
  const failures = { secrets: secretsOf(config), keyAdvice: `Check the key of the provider "${server}".` };
  const ids = createCallIds();
  const names = createWireNames(TOOL_NAME_LENGTH);
  const bodies = createResponsesBodyBuilder({ server, ids, names });
  const connections = createConnections(url, clock, config.transport);

  return {
    id: server,
    outputSchema: (model, schema) => (takesOutputSchema(model) ? toStrictSchema(schema) : null),
    searchesWeb: () => true,
    stream(request, limits, signal) {
      const decoder = createResponsesDecoder({
        server,
        model: request.model,
        ids,
        names,
        failures,
        onOther: request.webSearch?.onPart,
      });
      return streamEvents({
        transport: connections.open,
        request: () => ({ url, headers, body: bodies.build(request) }),
        limits,
        clock,
        signal,
        decode: decoder.decode,
        classify: (response) => blameWhatWasAsked(classifyResponse(response, clock, failures), request),
        onHead: (header) => decoder.setRequestId(requestIdOf(header, failures.secrets)),
      });
    },
    close: connections.close,
  };
}
