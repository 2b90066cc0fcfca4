// The body of a Responses request. Stateless: nothing is stored there, the conversation is sent whole, and reasoning goes
// back encrypted. Each message and tool is serialised once and then found by identity.

import type { ModelRequest, RequestedSearch, ToolDefinition } from '../contract/index.js';
import {
  cacheKeyOf,
  createKeptTexts,
  effortOf,
  isReasoningModel,
  leastEffort,
  SCHEMA_NAME,
  uniqueTools,
  withProperties,
  writeSystemText,
} from '../openai/index.js';
import { type ResponsesWriting, writeItems } from './write-items.js';

/** The API refuses less. */
const LEAST_OUTPUT_TOKENS = 16;

/** Builds bodies. Contract: keeps nothing of a message alive that its conversation has dropped. */
export interface ResponsesBodyBuilder {
  /** JSON text. Throws what `JSON.stringify` throws on a value that is no JSON, for example a cycle. */
  build(request: ModelRequest): string;
}

export function createResponsesBodyBuilder(writing: Omit<ResponsesWriting, 'model'>): ResponsesBodyBuilder {
  const messages = createKeptTexts();
  const tools = createKeptTexts();
  const system = createKeptTexts();
  const keys = createKeptTexts();

  const writeTool = ({ name, description, input_schema }: ToolDefinition): string => {
    const parameters = withProperties(input_schema);
    // Without `strict` the API takes it as true, which few schemas fit.
    return JSON.stringify({
      type: 'function',
      name: writing.names.toWire(name),
      description,
      parameters,
      strict: false,
    });
  };

  return {
    build(request) {
      const { model } = request;
      // What is kept of a message depends on the model: reasoning goes back to the one it came from.
      messages.forModel(model);
      const texts = request.messages.map((message) =>
        messages.keep(message, (plain) =>
          writeItems(plain, { ...writing, model })
            .map((item) => JSON.stringify(item))
            .join(','),
        ),
      );
      const instructions = writeSystemText(request.system, system);
      const offered = uniqueTools(request.tools).map((tool) => tools.keep(tool, writeTool));
      if (request.webSearch !== undefined) offered.push(writeSearch(request.webSearch));
      let body = `{"model":${JSON.stringify(model)}`;
      if (instructions !== null) body += `,"instructions":${instructions}`;
      body += `,"input":[${texts.filter((text) => text !== '').join(',')}]`;
      if (offered.length > 0) body += `,"tools":[${offered.join(',')}]`;
      if (offered.length > 0 && request.toolChoice === 'none') body += ',"tool_choice":"none"';
      const [opening] = request.messages;
      if (opening !== undefined) {
        const key = keys.keep(opening, () => cacheKeyOf(texts[0] ?? ''));
        body += `,"prompt_cache_key":"${key}"`;
      }
      return `${body},"store":false,"stream":true,${JSON.stringify(optionsOf(request)).slice(1, -1)}}`;
    },
  };
}

/** Of domains the API takes those that are allowed. */
function writeSearch({ allowedDomains }: RequestedSearch): string {
  const filters = allowedDomains.length === 0 ? {} : { filters: { allowed_domains: allowedDomains } };
  return JSON.stringify({ type: 'web_search', ...filters });
}

/** How the API is told to think. Nothing where the request leaves it to the model. */
export function reasoningFields({
  model,
  effort,
  thinking,
}: Pick<ModelRequest, 'model' | 'thinking' | 'effort'>): Record<string, unknown> {
  const byThinking = thinking?.type === 'disabled' ? leastEffort(model) : effortOf(model, effort, thinking);
  const word = effort === undefined ? byThinking : effortOf(model, effort, undefined);
  const mayReason = isReasoningModel(model) || effort !== undefined;
  const wantsSummary = thinking?.type === 'enabled' || thinking?.type === 'adaptive';
  const reasoning = {
    ...(word === null ? {} : { effort: word }),
    ...(wantsSummary ? { summary: 'auto' } : {}),
  };
  return mayReason && Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

function optionsOf(request: ModelRequest): Record<string, unknown> {
  const { model, outputSchema } = request;
  return {
    max_output_tokens: Math.max(LEAST_OUTPUT_TOKENS, request.maxTokens),
    // Other models refuse it.
    ...(isReasoningModel(model) ? { include: ['reasoning.encrypted_content'] } : {}),
    ...reasoningFields(request),
    ...(outputSchema === undefined
      ? {}
      : { text: { format: { type: 'json_schema', name: SCHEMA_NAME, schema: outputSchema, strict: true } } }),
  };
}
