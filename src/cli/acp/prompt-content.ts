// What a client sends as a prompt, as content of a user message. One rule: nothing of it is left out in silence.
import type { ContentBlock, EmbeddedResource, ImageContent, ResourceLink } from '@agentclientprotocol/sdk';
import type { DocumentBlock, ImageBlock, TextBlock } from '../../protocol/content.js';
import { invalidParams } from './request-errors.js';

type Block = TextBlock | ImageBlock | DocumentBlock;

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * Text and links are one text, in their order, so that a slash command at its start is one; what is embedded follows.
 * @throws RequestError for what the capabilities do not offer, and for an empty prompt
 */
export function promptContent(prompt: readonly ContentBlock[]): string | Block[] {
  let text = '';
  const others: Block[] = [];
  for (const block of prompt) {
    switch (block.type) {
      case 'text':
        text += block.text;
        break;
      case 'resource_link':
        text += linkText(block);
        break;
      case 'image':
        others.push(imageBlock(block));
        break;
      case 'resource': {
        const { link, content } = embedded(block);
        text += link;
        if (content !== null) others.push(content);
        break;
      }
      case 'audio':
        throw invalidParams('Audio cannot be read. Send text, images, links or embedded files.');
      default:
        throw invalidParams(`A prompt cannot have content of type "${String((block as { type?: unknown }).type)}".`);
    }
  }
  if (text.trim() === '' && others.length === 0) throw invalidParams('The prompt is empty.');
  if (others.length === 0) return text;
  return text === '' ? others : [{ type: 'text', text }, ...others];
}

/** As a stored prompt is shown again. */
export function shownPrompt(content: unknown): ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return (content as readonly (Block | { readonly type: 'tool_result' })[]).flatMap((block): ContentBlock[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    if (block.type === 'image') return shownImage(block);
    if (block.type === 'document')
      return [{ type: 'text', text: `[document${block.title ? `: ${block.title}` : ''}]` }];
    return [];
  });
}

export function shownImage({ source }: ImageBlock): ContentBlock[] {
  if (source.type === 'base64') return [{ type: 'image', data: source.data, mimeType: source.media_type }];
  return [{ type: 'text', text: `[image: ${source.url}]` }];
}

function linkText({ name, uri }: Pick<ResourceLink, 'name' | 'uri'>): string {
  return `[${name}](${pathOf(uri)})`;
}

/** The path of a file on this machine; any other address as it is. */
function pathOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri;
  try {
    const { pathname, hash } = new URL(uri);
    return `${decodeURIComponent(pathname)}${hash}`;
  } catch {
    return uri; // no address after all: the model reads what the user sent
  }
}

/** @throws RequestError for a kind of image that no model reads */
function imageBlock({ data, mimeType, uri }: ImageContent): ImageBlock {
  if (data !== '' && IMAGE_TYPES.includes(mimeType))
    return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
  if (data === '' && uri != null && /^https?:/.test(uri)) return { type: 'image', source: { type: 'url', url: uri } };
  throw invalidParams(`An image of type "${mimeType}" cannot be read. Send ${IMAGE_TYPES.join(', ')}.`);
}

function embedded({ resource }: EmbeddedResource): { readonly link: string; readonly content: Block | null } {
  const { uri, mimeType } = resource;
  const link = linkText({ name: uri.slice(uri.lastIndexOf('/') + 1), uri });
  if ('text' in resource) {
    const text = `<context ref=${JSON.stringify(pathOf(uri))}>\n${resource.text}\n</context>`;
    return { link, content: { type: 'text', text } };
  }
  if (mimeType != null && IMAGE_TYPES.includes(mimeType))
    return { link, content: { type: 'image', source: { type: 'base64', media_type: mimeType, data: resource.blob } } };
  if (mimeType === 'application/pdf') {
    const source = { type: 'base64', media_type: mimeType, data: resource.blob } as const;
    return { link, content: { type: 'document', source } };
  }
  return { link, content: { type: 'text', text: `[${pathOf(uri)} is ${mimeType ?? 'binary'} and is not shown here]` } };
}
