// A session as Markdown. Prompts and replies stand in quotes, inputs and results in code blocks, so nothing in them can
// be taken for a part of the document.
import { codeBlock, codeInline, plainInline, quoted } from './safe-markdown.js';
import { fold, visible } from './safe-text.js';
import type { CallPart, DocumentItem, DocumentPart, SessionDocument } from './session-document.js';
import { headRows, ITEM_TITLES, itemTime, mediaText, titleOf } from './words.js';

/** @param maxChars characters of an input or a result that are shown */
export function toMarkdown(document: SessionDocument, maxChars: number): string {
  const sections = [
    `# ${plainInline(titleOf(document.head))}`,
    headRows(document)
      .map(([label, value]) => `- ${plainInline(label)}: ${codeInline(value)}`)
      .join('\n'),
    ...document.items.map((item) => itemText(item, '##', maxChars)),
  ];
  for (const { agentId, items } of document.subagents) {
    sections.push(`## Subagent ${codeInline(agentId)}`, ...items.map((item) => itemText(item, '###', maxChars)));
  }
  return `${sections.join('\n\n')}\n`;
}

function itemText({ kind, at, model, parts }: DocumentItem, level: string, maxChars: number): string {
  const details = [itemTime(at), model ?? ''].filter((detail) => detail !== '').map(plainInline);
  const heading = `${level} ${ITEM_TITLES[kind]}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
  return [heading, ...parts.map((part) => partText(part, maxChars))].join('\n\n');
}

function partText(part: DocumentPart, maxChars: number): string {
  switch (part.kind) {
    case 'text':
      return quoted(part.text);
    case 'thinking':
      return `Thinking:\n\n${quoted(part.text)}`;
    case 'media':
      return plainInline(mediaText(part));
    case 'call':
      return callText(part, maxChars);
    default:
      throw new Error(`unknown part ${JSON.stringify(part satisfies never)}`);
  }
}

function callText({ tool, input, result }: CallPart, maxChars: number): string {
  const lines = [`**Call: ${plainInline(tool)}**`, codeBlock(shown(input, maxChars))];
  if (result === null) return [...lines, 'No result.'].join('\n\n');
  lines.push(result.isError ? '**Failed**' : '**Result**');
  for (const part of result.parts) {
    lines.push(part.kind === 'text' ? codeBlock(shown(part.text, maxChars)) : plainInline(mediaText(part)));
  }
  return (result.parts.length === 0 ? [...lines, 'Empty.'] : lines).join('\n\n');
}

function shown(text: string, maxChars: number): string {
  return visible(fold(text, maxChars));
}
