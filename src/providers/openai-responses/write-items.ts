// One canonical message as input items of the Responses API. Rule: every call has its output, and a reasoning item is
// never the last of its reply.
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  MessageParam,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/content.js';
import { type CallIds, documentText, isPdf, leftOut, pdfName, type WireNames, wireId } from '../openai/index.js';
import { openItem } from './carried.js';

type Item = Readonly<Record<string, unknown>>;

export interface ResponsesWriting {
  readonly server: string;
  readonly model: string;
  readonly ids: CallIds;
  readonly names: WireNames;
}

const MAX_ID_LENGTH = 64;

export function writeItems(message: MessageParam, writing: ResponsesWriting): Item[] {
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
