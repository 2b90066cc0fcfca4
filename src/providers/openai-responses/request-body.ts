// The body of a Responses request. Stateless: nothing is stored there, the conversation is sent whole, and reasoning goes
// back encrypted. Each message and tool is serialised once and then found by identity.

import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  MessageParam,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/content.js';
import {
  type ModelRequest,
  openReasoning,
  type RequestedSearch,
  sealReasoning,
  type ToolDefinition,
} from '../contract/index.js';
import {
  type CallIds,
  cacheKeyOf,
  createKeptTexts,
  documentText,
  effortOf,
  isPdf,
  isReasoningModel,
  leastEffort,
  leftOut,
  pdfName,
  SCHEMA_NAME,
  uniqueTools,
  type WireNames,
  wireId,
  withProperties,
  writeSystemText,
} from '../openai/index.js';

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

/** How the API is told to think. Nothing if the request leaves it to the model. */
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

// One canonical message as input items of the Responses API. Rule: every call has its output, and a reasoning item is
// never the last of its reply.

// A reasoning item of the Responses API as the payload of sealed thinking. Rule: it goes back to the server and the model it
// came from, as it came, and to nobody else; without its encrypted content it does not go back at all, because nothing of
// a response is stored there.

const API = 'openai-responses';

interface CarriedItem {
  /** Which server, by the provider's id, and which model. */
  readonly server: string;
  readonly model: string;
  readonly id?: string;
  readonly encrypted?: string;
  /** Lengths of the parts of the summary, if there are several. Between them stands an empty line. */
  readonly parts?: readonly number[];
}

/** Between two parts of a summary. */
export const PART_BREAK = '\n\n';

export function sealItem(item: CarriedItem): string {
  return sealReasoning(API, JSON.stringify(item));
}

/** The item as the API wants it back; null for thinking of another API, server or model, or without content. */
export function openItem(
  thinking: string,
  signature: string | undefined,
  server: string,
  model: string,
): Readonly<Record<string, unknown>> | null {
  const payload = openReasoning(API, signature);
  const item = payload === null ? null : parse(payload);
  if (item === null || item.server !== server || item.model !== model || typeof item.encrypted !== 'string')
    return null;
  return {
    type: 'reasoning',
    ...(typeof item.id === 'string' ? { id: item.id } : {}),
    summary: splitSummary(thinking, item.parts).map((text) => ({ type: 'summary_text', text })),
    encrypted_content: item.encrypted,
  };
}

function splitSummary(thinking: string, lengths: readonly number[] | undefined): string[] {
  if (thinking === '') return [];
  const known = Array.isArray(lengths) ? lengths : [];
  const whole = known.reduce((sum, length) => sum + length, 0) + PART_BREAK.length * Math.max(0, known.length - 1);
  if (known.length < 2 || whole !== thinking.length) return [thinking];
  let at = 0;
  return known.map((length) => {
    const part = thinking.slice(at, at + length);
    at += length + PART_BREAK.length;
    return part;
  });
}

function parse(payload: string): CarriedItem | null {
  try {
    return JSON.parse(payload) as CarriedItem | null;
  } catch {
    return null; // a signature that only looks like ours: nothing of it is sent
  }
}

type Item = Readonly<Record<string, unknown>>;

interface ResponsesWriting {
  readonly server: string;
  readonly model: string;
  readonly ids: CallIds;
  readonly names: WireNames;
}

const MAX_ID_LENGTH = 64;

function writeItems(message: MessageParam, writing: ResponsesWriting): Item[] {
  if (message.role === 'assistant') return writeReply(message.content, writing);
  const blocks: readonly UserBlock[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const outputs = blocks.filter((block) => block.type === 'tool_result').map(writeOutput);
  const parts = blocks.flatMap((block) => (block.type === 'tool_result' ? [] : [writePart(block)]));
  return parts.length === 0 ? outputs : [...outputs, { type: 'message', role: 'user', content: parts }];
}

function writeReply(blocks: readonly AssistantBlock[], { server, model, ids, names }: ResponsesWriting): Item[] {
  const items: Item[] = [];
  for (const block of blocks) {
    if (block.type === 'text' && block.text !== '') {
      items.push({ type: 'message', role: 'assistant', content: block.text });
    } else if (block.type === 'thinking') {
      const item = openItem(block.thinking, block.signature, server, model);
      if (item !== null) items.push(item);
    } else if (block.type === 'tool_use') {
      ids.note(block.id);
      items.push({
        type: 'function_call',
        call_id: wireId(block.id, MAX_ID_LENGTH),
        name: names.toWire(block.name),
        arguments: JSON.stringify(block.input ?? {}),
      });
    }
  }
  // The API refuses reasoning that nothing follows; it led to nothing that is here.
  return items.slice(0, items.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

function writeOutput(result: ToolResultBlock): Item {
  const head = result.is_error === true ? 'The call failed.' : '';
  const call = { type: 'function_call_output', call_id: wireId(result.tool_use_id, MAX_ID_LENGTH) };
  const { content } = result;
  if (typeof content === 'string' || content.every((block) => block.type === 'text')) {
    const texts =
      typeof content === 'string' ? [content] : content.map((block) => (block.type === 'text' ? block.text : ''));
    const whole = [head, ...texts].filter((text) => text !== '').join('\n');
    return { ...call, output: whole === '' ? '(no output)' : whole };
  }
  const parts = content.map(writePart);
  return { ...call, output: head === '' ? parts : [textPart(head), ...parts] };
}

function writePart(block: Exclude<UserBlock, ToolResultBlock>): Item {
  if (block.type === 'text') return textPart(block.text);
  return block.type === 'image' ? writeImage(block) : writeDocument(block);
}

function writeImage({ source }: ImageBlock): Item {
  const url = source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

function writeDocument(block: DocumentBlock): Item {
  const text = documentText(block);
  if (text !== null) return textPart(text);
  if (block.source.type === 'url') return { type: 'input_file', file_url: block.source.url };
  if (!isPdf(block)) return textPart(leftOut(block, "the model's API takes no documents of this type."));
  const data = `data:application/pdf;base64,${block.source.data}`;
  return { type: 'input_file', filename: pdfName(block), file_data: data };
}

function textPart(text: string): Item {
  return { type: 'input_text', text };
}
