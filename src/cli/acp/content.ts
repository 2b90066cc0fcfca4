// What stands in the messages of a client: its prompts as content of a user message, of which nothing is left out in silence;
// what it is shown of a tool call; and what it is told if a request failed: one sentence that says what to do, never a stack.
import path from 'node:path';
import {
  type ContentBlock,
  type EmbeddedResource,
  type ImageContent,
  RequestError,
  type ResourceLink,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolKind,
} from '@agentclientprotocol/sdk';
import type { DocumentBlock, ImageBlock, TextBlock, ToolResultBlock } from '../../protocol/content.js';
import { isEngineError } from '../../protocol/errors.js';
import { isRecord } from '../../util/json.js';
import { IMAGE_TYPES } from '../../util/media-headers.js';
import { errorText } from '../../util/text.js';
import { describeInput, oneLine } from '../../view/escape-text.js';

type Block = TextBlock | ImageBlock | DocumentBlock;

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

function shownImage({ source }: ImageBlock): ContentBlock[] {
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

/** A call as the model made it. */
export interface CallFacts {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  Edit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Glob: 'search',
  Grep: 'search',
  Bash: 'execute',
  TaskOutput: 'execute',
  TaskStop: 'execute',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  Agent: 'think',
  Task: 'think',
  TodoWrite: 'think',
  ExitPlanMode: 'switch_mode',
};
/** Tools whose results are text as it stands on a screen, not Markdown. */
const VERBATIM = new Set(['Read', 'Glob', 'Grep', 'Bash', 'TaskOutput', 'TaskStop', 'NotebookEdit']);
const TITLE_COLUMNS = 160;
/** Characters of one result that are shown, and of the raw input and output that are sent. */
const MAX_SHOWN = 60_000;
const MAX_RAW = 200_000;

export function kindOf(name: string): ToolKind {
  return KINDS[name] ?? 'other';
}

/** One line, with nothing hidden in it. */
export function titleOf({ name, input }: CallFacts, cwd: string): string {
  const about = oneLine(within(describeInput(input), cwd), TITLE_COLUMNS);
  if (about === '') return name;
  return name === 'Bash' ? about : `${name} ${about}`;
}

export function locationsOf({ input }: CallFacts, cwd: string): ToolCallLocation[] {
  const file = fileOf(input, cwd);
  if (file === null) return [];
  const line = isRecord(input) && typeof input['offset'] === 'number' && input['offset'] > 0 ? input['offset'] : null;
  return [{ path: file, ...(line === null ? {} : { line: Math.floor(line) }) }];
}

/** What a call would do, before it did. `oldText`: what the file holds that a Write replaces, if that is known. */
export function contentOfCall({ name, input }: CallFacts, cwd: string, oldText: string | null): ToolCallContent[] {
  if (!isRecord(input)) return [];
  const file = fileOf(input, cwd);
  const { old_string: before, new_string: after, content, description, plan, new_source: source } = input;
  if (name === 'Edit' && file !== null && typeof before === 'string' && typeof after === 'string')
    return [{ type: 'diff', path: file, oldText: before === '' ? null : before, newText: after }];
  if (name === 'Write' && file !== null && typeof content === 'string')
    return [{ type: 'diff', path: file, oldText, newText: content }];
  if (name === 'NotebookEdit' && typeof source === 'string') return [textContent(fenced(source))];
  if (name === 'ExitPlanMode' && typeof plan === 'string') return [textContent(plan)];
  if (name === 'Bash' && typeof description === 'string' && description !== '') return [textContent(description)];
  return [];
}

/** What came of it. Null: what the call would do is shown on, since that is what it did. */
export function contentOfResult(
  { name, input }: CallFacts,
  { content, is_error: isError = false }: ToolResultBlock,
  output: unknown,
  cwd: string,
): ToolCallContent[] | null {
  if (!isError && name === 'Edit') return hunksOf(output, fileOf(input, cwd));
  if (!isError && name === 'Write') return null;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  return blocks.flatMap((block): ToolCallContent[] => {
    if (block.type === 'image') return shownImage(block).map((shown) => ({ type: 'content', content: shown }));
    if (block.type === 'document') return [textContent('[document]')];
    const text = bounded(block.text);
    return text === '' ? [] : [textContent(isError || VERBATIM.has(name) ? fenced(text) : text)];
  });
}

/** JSON that is sent along; if it is too much, only how much it is. */
export function rawJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined || text.length <= MAX_RAW) return value;
  return { omitted: `${text.length} characters` };
}

/** Absolute path of the file that a call names. */
export function fileOf(input: unknown, cwd: string): string | null {
  if (!isRecord(input)) return null;
  const { file_path: file, notebook_path: notebook } = input;
  const named = typeof file === 'string' && file !== '' ? file : notebook;
  return typeof named === 'string' && named !== '' ? path.resolve(cwd, named) : null;
}

/** The changed places of a unified diff, each with the lines around it, so that a large file is not sent whole. */
function hunksOf(output: unknown, file: string | null): ToolCallContent[] | null {
  const diff = isRecord(output) ? output['diff'] : undefined;
  if (typeof diff !== 'string' || file === null) return null;
  const hunks: { old: string[]; new: string[] }[] = [];
  for (const line of diff.split('\n')) {
    const hunk = hunks.at(-1);
    if (line.startsWith('@@')) hunks.push({ old: [], new: [] });
    else if (hunk === undefined || line.startsWith('\\')) continue;
    else if (line.startsWith('-')) hunk.old.push(line.slice(1));
    else if (line.startsWith('+')) hunk.new.push(line.slice(1));
    else if (line.startsWith(' ')) {
      hunk.old.push(line.slice(1));
      hunk.new.push(line.slice(1));
    }
  }
  if (hunks.length === 0) return null;
  return hunks.map((hunk) => ({
    type: 'diff',
    path: file,
    oldText: hunk.old.length === 0 ? null : hunk.old.join('\n'),
    newText: hunk.new.join('\n'),
  }));
}

function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** Between fences that are longer than any in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

function bounded(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  const half = MAX_SHOWN / 2;
  return `${text.slice(0, half)}\n… ${text.length - MAX_SHOWN} characters are not shown here …\n${text.slice(-half)}`;
}

/** Paths of the folder are shown without it. */
function within(text: string, cwd: string): string {
  return text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text;
}

const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;

const NO_KEY =
  'There is no key of a model provider. Run "turnwright login" in a terminal, or set ANTHROPIC_API_KEY or the key of another provider where the editor starts "turnwright acp"; or name a model that needs none, as "turnwright acp --model offline" does.';

/** Contract: what already is one stays as it is. */
export function requestError(error: unknown, sessionId?: string): RequestError {
  if (error instanceof RequestError) return error;
  const data = sessionId === undefined ? undefined : { sessionId };
  if (!isEngineError(error)) return new RequestError(INTERNAL, errorText(error), data);
  switch (error.code) {
    case 'session_not_found':
      return new RequestError(NOT_FOUND, error.message, data);
    case 'config_invalid':
    case 'rule_invalid':
    case 'not_supported':
    case 'session_invalid':
      return new RequestError(INVALID_PARAMS, error.message, data);
    default:
      return new RequestError(INTERNAL, error.message, data);
  }
}

export function invalidParams(message: string): RequestError {
  return new RequestError(INVALID_PARAMS, message);
}

export function failed(message: string): RequestError {
  return new RequestError(INTERNAL, message);
}

export function keyRequired(message = NO_KEY): RequestError {
  return new RequestError(AUTH_REQUIRED, message);
}
