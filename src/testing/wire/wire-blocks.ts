// Checks of one message, its content blocks and images, and the facts that checks across messages need. Reads nothing but the
// message, so the outcome can be kept by the message's identity.
import type { ContentBlock } from '../../protocol/content.js';
import { isSealed } from '../../providers/contract/index.js';
import { type CacheMark, checkCacheControl } from './wire-tools.js';
import {
  checkFields,
  checkJson,
  createReport,
  isRecord,
  type JsonRecord,
  join,
  type Report,
  type WireViolation,
} from './wire-violation.js';

/** What is known of one message. Paths are relative to it and empty for the message itself. */
export interface MessageFacts {
  readonly role: 'user' | 'assistant' | null;
  readonly toolUseIds: readonly string[];
  readonly toolResultIds: readonly string[];
  /** True if the first block is thinking. */
  readonly opensWithThinking: boolean;
  readonly hasThinking: boolean;
  readonly images: readonly { readonly path: string; readonly side: number }[];
  /** Pages of its PDFs, as far as they say. */
  readonly pages: number;
  readonly cacheMarks: readonly CacheMark[];
  /** The last block's text, or null if the last block is not text. */
  readonly lastText: string | null;
  /** Estimate of the serialised size, characters. */
  readonly size: number;
  readonly violations: readonly WireViolation[];
}

/** `MessageFacts` while the blocks are read. */
interface Gathering {
  readonly role: 'user' | 'assistant' | null;
  readonly toolUseIds: string[];
  readonly toolResultIds: string[];
  opensWithThinking: boolean;
  hasThinking: boolean;
  readonly images: { path: string; side: number }[];
  pages: number;
  readonly cacheMarks: CacheMark[];
  lastText: string | null;
  size: number;
}

const MESSAGE_FIELDS = new Set(['role', 'content']);

/** The fields each block may have, and who may send it. */
const BLOCKS: ReadonlyMap<string, { readonly roles: string; readonly fields: ReadonlySet<string> }> = new Map([
  ['text', { roles: 'user assistant', fields: new Set(['type', 'text', 'cache_control', 'citations']) }],
  ['image', { roles: 'user', fields: new Set(['type', 'source', 'cache_control']) }],
  [
    'document',
    { roles: 'user', fields: new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control']) },
  ],
  ['tool_result', { roles: 'user', fields: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']) }],
  ['tool_use', { roles: 'assistant', fields: new Set(['type', 'id', 'name', 'input', 'cache_control']) }],
  ['thinking', { roles: 'assistant', fields: new Set(['type', 'thinking', 'signature', 'cache_control']) }],
  ['redacted_thinking', { roles: 'assistant', fields: new Set(['type', 'data', 'cache_control']) }],
]);

const RESULT_BLOCKS: ReadonlySet<string> = new Set(['text', 'image', 'document']);
const TOOL_USE_ID = /^[a-zA-Z0-9_-]{1,128}$/;
/** Wider than the rule for offered tools: the history may hold calls of tools that are gone. */
const TOOL_USE_NAME = /^[a-zA-Z0-9_-]{1,200}$/;

/** Checks one message by itself. Contract: pure; never throws. */
export function inspectMessage(message: unknown): MessageFacts {
  const { violations, report } = createReport();
  const role =
    isRecord(message) && (message['role'] === 'user' || message['role'] === 'assistant') ? message['role'] : null;
  const facts: Gathering = {
    role,
    toolUseIds: [],
    toolResultIds: [],
    opensWithThinking: false,
    hasThinking: false,
    images: [],
    pages: 0,
    cacheMarks: [],
    lastText: null,
    size: 24,
  };
  if (!isRecord(message)) report('content_invalid', '', 'A message must be an object');
  else {
    if (role === null)
      report('role_invalid', 'role', `Role must be user or assistant, not ${JSON.stringify(message['role'])}`);
    checkFields(message, MESSAGE_FIELDS, '', report);
    checkContent(message['content'], facts, report);
  }
  return { ...facts, violations };
}

function checkContent(content: unknown, facts: Gathering, report: Report): void {
  if (typeof content === 'string') {
    facts.size += checkJson(content, 'content', report);
    facts.lastText = content;
    checkText(content, 'content', report);
    return;
  }
  if (!Array.isArray(content)) {
    report('content_invalid', 'content', 'Content must be a string or an array of blocks');
    return;
  }
  if (content.length === 0) report('content_empty', 'content', 'All messages must have non-empty content');
  let sawOther = false;
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index];
    const path = `content.${index}`;
    const type = checkBlock(block, path, facts, report);
    if (type === 'tool_result' && sawOther) {
      report('tool_result_order', path, 'tool_result blocks must come before all other content of their message');
    }
    if (type !== 'tool_result') sawOther = true;
    if (index === 0 && isThinking(type)) facts.opensWithThinking = true;
  }
  checkThinkingPlace(content, facts, report);
}

/** Checks one block of a message. @returns its type, or null if it is none we know */
function checkBlock(block: unknown, path: string, facts: Gathering, report: Report): string | null {
  const type = isRecord(block) && typeof block['type'] === 'string' ? block['type'] : '';
  const known = BLOCKS.get(type);
  if (!isRecord(block) || known === undefined) {
    report('block_unknown', join(path, 'type'), `Unknown block type ${JSON.stringify(type)}`);
    return null;
  }
  if (facts.role !== null && !known.roles.includes(facts.role)) {
    report('block_role', path, `A ${type} block cannot stand in a message of the ${facts.role}`);
  }
  checkCacheControl(block, path, facts.cacheMarks, report);
  checkFields(block, known.fields, path, report);
  if (isThinking(type)) {
    // Opaque and signed: its text is not ours to judge, only to carry.
    facts.hasThinking ||= !isSealed(block as unknown as ContentBlock);
    facts.size += checkThinking(block, path, report);
    return type;
  }
  facts.size += checkJson(block, path, report);
  if (type === 'text') checkText(block['text'], `${path}.text`, report);
  else if (type === 'tool_use') checkToolUse(block, path, facts, report);
  else if (type === 'tool_result') checkToolResult(block, path, facts, report);
  else checkMedia(type, block, path, facts, report);
  return type;
}

function isThinking(type: unknown): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function checkText(text: unknown, path: string, report: Report): void {
  if (typeof text !== 'string') report('text_invalid', path, 'Text must be a string');
  else if (text === '') report('text_empty', path, 'Text content blocks must be non-empty');
  else if (isBlank(text)) report('text_blank', path, 'Text content blocks must contain non-whitespace text');
}

function isBlank(text: string): boolean {
  // The first character decides almost always; only blank ones go on to the whole text.
  return text.charCodeAt(0) <= 32 || text.charCodeAt(0) > 127 ? text.trim() === '' : false;
}

function checkThinking(block: JsonRecord, path: string, report: Report): number {
  if (block['type'] === 'redacted_thinking') {
    const data = block['data'];
    if (typeof data === 'string' && data !== '') return data.length + 40;
    report('thinking_invalid', `${path}.data`, 'Redacted thinking needs its data');
    return 0;
  }
  const { thinking, signature } = block;
  if (typeof thinking !== 'string') report('thinking_invalid', `${path}.thinking`, 'Thinking must be a string');
  if (typeof signature !== 'string' || signature === '') {
    report('thinking_unsigned', `${path}.signature`, 'A thinking block must have its signature');
  }
  return String(thinking).length + String(signature).length + 48;
}

function checkToolUse(block: JsonRecord, path: string, facts: Gathering, report: Report): void {
  const { id, name, input } = block;
  if (typeof id === 'string' && TOOL_USE_ID.test(id)) facts.toolUseIds.push(id);
  else report('tool_use_invalid', `${path}.id`, `String should match pattern ${TOOL_USE_ID.source}`);
  if (typeof name !== 'string' || !TOOL_USE_NAME.test(name)) {
    report('tool_use_invalid', `${path}.name`, `String should match pattern ${TOOL_USE_NAME.source}`);
  }
  if (!isRecord(input)) report('tool_use_invalid', `${path}.input`, 'Input must be an object');
}

function checkToolResult(block: JsonRecord, path: string, facts: Gathering, report: Report): void {
  const { tool_use_id: id, content, is_error: isError } = block;
  if (typeof id === 'string' && TOOL_USE_ID.test(id)) facts.toolResultIds.push(id);
  else report('tool_result_invalid', `${path}.tool_use_id`, `String should match pattern ${TOOL_USE_ID.source}`);
  if (isError !== undefined && typeof isError !== 'boolean') {
    report('tool_result_invalid', `${path}.is_error`, 'is_error must be a boolean');
  }
  if (content === undefined || typeof content === 'string') return;
  if (!Array.isArray(content)) {
    report('tool_result_invalid', `${path}.content`, 'Content must be a string or an array of blocks');
    return;
  }
  if (content.length === 0)
    report('content_empty', `${path}.content`, 'A content array must not be empty; leave it out');
  for (let index = 0; index < content.length; index++) {
    checkResultBlock(content[index], `${path}.content.${index}`, isError === true, facts, report);
  }
}

function checkResultBlock(block: unknown, path: string, isError: boolean, facts: Gathering, report: Report): void {
  const type = isRecord(block) ? block['type'] : undefined;
  if (!isRecord(block) || typeof type !== 'string' || !RESULT_BLOCKS.has(type)) {
    report('tool_result_content', `${path}.type`, `A tool_result cannot hold a block of type ${JSON.stringify(type)}`);
    return;
  }
  checkCacheControl(block, path, facts.cacheMarks, report);
  checkFields(block, BLOCKS.get(type)?.fields ?? new Set(), path, report);
  if (type !== 'text') {
    if (isError) report('tool_result_content', path, 'All content must be type "text" if "is_error" is true');
    checkMedia(type, block, path, facts, report);
    return;
  }
  // Blank output is legal here, no output is not.
  if (typeof block['text'] !== 'string') report('text_invalid', `${path}.text`, 'Text must be a string');
  else if (block['text'] === '') report('text_empty', `${path}.text`, 'Text content blocks must be non-empty');
}

function checkMedia(type: string, block: JsonRecord, path: string, facts: Gathering, report: Report): void {
  const { source } = block;
  if (type === 'image') {
    facts.images.push({ path, side: checkImageSource(source, `${path}.source`, report) });
    return;
  }
  facts.pages += checkDocumentSource(source, `${path}.source`, report);
}

function checkThinkingPlace(content: readonly unknown[], facts: Gathering, report: Report): void {
  const last: unknown = content[content.length - 1];
  if (!isRecord(last)) return;
  if (last['type'] === 'text' && typeof last['text'] === 'string') facts.lastText = last['text'];
  if (!facts.hasThinking) return;
  if (!facts.opensWithThinking) {
    report('thinking_order', 'content.0', 'If a message contains thinking blocks, the first block must be one');
  }
  if (isThinking(last['type']) && !isSealed(last as unknown as ContentBlock)) {
    report(
      'thinking_last',
      `content.${content.length - 1}`,
      'The final block in an assistant message cannot be thinking',
    );
  }
}

// Checks of one document source: a PDF by its beginning, its password and its page tree, or text, or an address.

/** Pages of all PDFs of a request. */
export const MAX_PAGES = 100;

/**
 * Checks `document.source`.
 * @returns the pages of a PDF, as far as the file says without being unpacked; else 0
 */
function checkDocumentSource(source: unknown, path: string, report: Report): number {
  const problem = isRecord(source) ? findProblem(source) : 'A document needs a source object';
  if (problem !== null) {
    report('document_invalid', path, problem);
    return 0;
  }
  if (!isRecord(source) || source['type'] !== 'base64') return 0;
  const bytes = Buffer.from(String(source['data']), 'base64').toString('latin1');
  if (!bytes.slice(0, 1024).includes('%PDF-')) {
    report('document_invalid', `${path}.data`, 'The PDF specified was not valid');
    return 0;
  }
  if (/\/Encrypt\s*(\d|<<)/.test(bytes)) report('document_encrypted', `${path}.data`, 'The PDF is password protected');
  return countPages(bytes);
}

function findProblem(source: JsonRecord): string | null {
  const { type, media_type: mediaType, data, url } = source;
  if (type === 'base64') {
    if (mediaType !== 'application/pdf') return 'A base64 document must be application/pdf';
    return checkBase64(data) ? null : 'Not valid base64';
  }
  if (type === 'text') {
    const isText = mediaType === 'text/plain' && typeof data === 'string' && data !== '';
    return isText ? null : 'A text document must be non-empty text/plain';
  }
  if (type === 'url' && typeof url === 'string' && /^https?:\/\//.test(url)) return null;
  return 'A document source must be base64, text or an http(s) URL';
}

/** The largest count that a node of the page tree gives; if none is readable, the pages that are. */
function countPages(bytes: string): number {
  let most = 0;
  for (const dictionary of bytes.split('<<')) {
    const end = dictionary.indexOf('>>');
    const text = end === -1 ? dictionary : dictionary.slice(0, end);
    if (/\/Type\s*\/Pages/.test(text)) most = Math.max(most, Number(/\/Count\s+(\d+)/.exec(text)?.[1] ?? 0));
  }
  return most;
}

/** Media types the API takes. */
const IMAGE_MEDIA_TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
/** Decoded bytes of one image. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** Images of one request. */
export const MAX_IMAGES = 100;
/** Longest side, pixels. */
export const MAX_IMAGE_SIDE = 8000;
/** Longest side once a request holds more than `MANY_IMAGES` images. */
export const MAX_IMAGE_SIDE_OF_MANY = 2000;
export const MANY_IMAGES = 20;

/** A whole PNG of one pixel, base64: the smallest image the validator takes. */
export const ONE_PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Base64 characters decoded to look for the dimensions; a JPEG may carry a thumbnail before them. */
const HEADER_CHARACTERS = 256 * 1024;

/**
 * Checks `image.source`.
 * @returns the longest side in pixels; 0 if it is not known
 */
function checkImageSource(source: unknown, path: string, report: Report): number {
  if (!isRecord(source)) {
    report('image_invalid', path, 'An image needs a source object');
    return 0;
  }
  if (source['type'] === 'url') {
    const url = source['url'];
    if (typeof url !== 'string' || !/^https?:\/\//.test(url))
      report('image_invalid', `${path}.url`, 'Not an http(s) URL');
    return 0;
  }
  if (source['type'] !== 'base64') {
    report('image_invalid', `${path}.type`, `Unknown image source type ${JSON.stringify(source['type'])}`);
    return 0;
  }
  const mediaType = source['media_type'];
  if (typeof mediaType !== 'string' || !IMAGE_MEDIA_TYPES.includes(mediaType)) {
    report('image_invalid', `${path}.media_type`, `Media type must be one of ${IMAGE_MEDIA_TYPES.join(', ')}`);
    return 0;
  }
  const data = source['data'];
  if (!checkBase64(data)) {
    report('image_invalid', `${path}.data`, 'Not valid base64');
    return 0;
  }
  if (decodedLength(data) > MAX_IMAGE_BYTES) {
    report('image_too_large', `${path}.data`, `Image exceeds 5 MB maximum: ${decodedLength(data)} bytes`);
  }
  return checkImageBytes(data, mediaType, path, report);
}

/** True for non-empty standard base64 with its padding, without line breaks. */
function checkBase64(data: unknown): data is string {
  if (typeof data !== 'string' || data === '' || data.length % 4 !== 0) return false;
  const body = data.endsWith('==') ? data.length - 2 : data.endsWith('=') ? data.length - 1 : data.length;
  return data.slice(0, body).search(/[^A-Za-z0-9+/]/) === -1;
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

interface ImageHeader {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

function checkImageBytes(data: string, mediaType: string, path: string, report: Report): number {
  const header = readImageHeader(Buffer.from(data.slice(0, HEADER_CHARACTERS), 'base64'));
  if (header === undefined) {
    report('image_unreadable', `${path}.data`, 'Could not process image: the bytes are not PNG, JPEG, GIF or WebP');
    return 0;
  }
  if (header.mediaType !== mediaType) {
    report('image_type_mismatch', `${path}.media_type`, `Declared ${mediaType}, but the bytes are ${header.mediaType}`);
  }
  if (!hasEnd(header.mediaType, Buffer.from(data, 'base64')))
    report('image_unreadable', `${path}.data`, 'Could not process image: its end is missing');
  return Math.max(header.width, header.height);
}

function readImageHeader(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47 && bytes.readUInt32BE(4) === 0x0d0a1a0a) {
    return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) {
    return { mediaType: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return readJpegHeader(bytes);
  if (bytes.length >= 25 && bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') {
    return readWebpHeader(bytes);
  }
  return undefined;
}

/** A decoder reads to the end of the image, so a file that was cut is refused. */
function hasEnd(mediaType: string, bytes: Buffer): boolean {
  if (mediaType === 'image/png') return bytes.lastIndexOf('IEND') !== -1;
  if (mediaType === 'image/jpeg') return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) !== -1;
  if (mediaType === 'image/gif') return bytes.subarray(-16).includes(0x3b);
  return bytes.readUInt32LE(4) + 8 <= bytes.length;
}

/** Walks the segments to the start of frame, which holds the dimensions. */
function readJpegHeader(bytes: Buffer): ImageHeader {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      return { mediaType: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return { mediaType: 'image/jpeg', width: 0, height: 0 };
}

function readWebpHeader(bytes: Buffer): ImageHeader | undefined {
  const mediaType = 'image/webp';
  const form = bytes.toString('latin1', 12, 16);
  // The lossless form is the only one whose smallest images are shorter than this.
  if (form !== 'VP8L' && bytes.length < 30) return undefined;
  if (form === 'VP8X') return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { mediaType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
