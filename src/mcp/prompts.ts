// Prompts of MCP servers: what a user types behind one as its arguments, and what the server makes of it as content of a
// message.
import type { UserBlock } from '../protocol/content.js';
import type { McpListedPrompt } from '../protocol/mcp.js';
import { isRecord } from '../util/json.js';
import { toWellFormed } from '../util/text.js';
import { readToolResult } from './result-content.js';

const MAX_PROMPT_CHARACTERS = 200_000;

/** Names that the protocol requires to be there. */
function argumentsOf({ arguments: listed }: McpListedPrompt) {
  return Array.isArray(listed) ? listed.filter((each) => typeof each?.name === 'string') : [];
}

/** `<file> [line]` */
export function argumentHint(prompt: McpListedPrompt): string {
  return argumentsOf(prompt)
    .map(({ name, required }) => (required === true ? `<${name}>` : `[${name}]`))
    .join(' ');
}

/**
 * Words in their order, or `name=value`; quotes keep a value with spaces together, and the last argument takes what is
 * left.
 * @throws Error for an argument that is missing, in words for the user
 */
export function readArguments(prompt: McpListedPrompt, typed: string): Record<string, string> {
  const declared = argumentsOf(prompt);
  const given: Record<string, string> = Object.create(null);
  const rest: string[] = [];
  for (const word of wordsOf(typed)) {
    const named = declared.find(({ name }) => word.startsWith(`${name}=`) && given[name] === undefined);
    if (named === undefined) rest.push(word);
    else given[named.name] = word.slice(named.name.length + 1);
  }
  const open = declared.filter(({ name }) => given[name] === undefined);
  for (const [at, { name }] of open.entries()) {
    const value = at === open.length - 1 ? rest.slice(at).join(' ') : rest[at];
    if (value !== undefined && value !== '') given[name] = value;
  }
  const missing = declared.filter(({ name, required }) => required === true && given[name] === undefined);
  if (missing.length === 0) return { ...given };
  throw new Error(`It needs ${missing.map(({ name }) => name).join(', ')}. Usage: ${argumentHint(prompt)}`);
}

function wordsOf(text: string): string[] {
  const words = text.matchAll(/(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*'|["'])+/g);
  return [...words].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double, single) => single ?? double.replace(/\\(.)/g, '$1')),
  );
}

/**
 * What the server answered as blocks of one message of the user.
 * @throws Error for what is no prompt
 */
export function promptBlocks(server: string, name: string, answer: unknown): UserBlock[] {
  const { messages } = isRecord(answer) ? answer : {};
  if (!Array.isArray(messages)) throw new Error('its answer to prompts/get has no messages');
  const text = (words: string): UserBlock => ({ type: 'text', text: toWellFormed(words) });
  const blocks: UserBlock[] = [text(`<mcp-prompt server="${plain(server)}" name="${plain(name)}">`)];
  let left = MAX_PROMPT_CHARACTERS;
  for (const message of messages) {
    const { role, content } = isRecord(message) ? message : {};
    const parts = readToolResult({ content: Array.isArray(content) ? content : [content] })?.content ?? [];
    if (role === 'assistant') blocks.push(text('[An example of an answer:]'));
    for (const part of parts) {
      if (part.type !== 'text') {
        blocks.push(part as UserBlock);
        continue;
      }
      blocks.push(text(part.text.slice(0, left)));
      if (part.text.length > left) blocks.push(text('[The rest of the prompt is too long, and was left out.]'));
      left = Math.max(0, left - part.text.length);
    }
  }
  if (blocks.length === 1) throw new Error('its prompt is empty');
  return [...blocks.filter((block) => block.type !== 'text' || block.text !== ''), text('</mcp-prompt>')];
}

function plain(name: string): string {
  return name.replace(/["<>\n]/g, '_');
}
