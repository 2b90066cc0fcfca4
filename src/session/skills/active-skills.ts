// The skills in use, so that a compaction keeps them. One rule: the conversation alone says which they are, so it is the
// same after a resume.
import { skillOfText } from '../../context/skills/index.js';
import type { PinRoom } from '../../engine/compaction/index.js';
import { blocksOf } from '../../engine/history/index.js';
import type { MessageParam, ToolResultBlock } from '../../protocol/content.js';
import { SKILL_TOOL } from '../../tools/skill.js';

/**
 * The text of each skill that was called, by the model or the user, or kept by an earlier compaction: as it was called
 * last, in that order. If they are longer than fits, those that were called last stay, and the others are named.
 */
export function activeSkills(conversation: readonly MessageParam[], { maxTokens, estimator }: PinRoom): string[] {
  const texts = [...skillTexts(conversation)];
  const kept: string[] = [];
  const left: string[] = [];
  let room = maxTokens;
  for (const [name, { text }] of texts.reverse()) {
    const tokens = estimator.text(text);
    if (tokens <= room) kept.unshift(text);
    else left.unshift(name);
    if (tokens <= room) room -= tokens;
  }
  if (left.length === 0) return kept;
  const names = left.join(', ');
  return [
    ...kept,
    `Skills that were in use, and whose texts are too long to be kept: ${names}. Where one still matters, call it again before going on.`,
  ];
}

/** The skills that the conversation has texts of, with their folders as they were then. */
export function skillsInUse(
  conversation: readonly MessageParam[],
): readonly { readonly name: string; readonly folder: string }[] {
  return [...skillTexts(conversation)].map(([name, { folder }]) => ({ name, folder }));
}

interface TextOfSkill {
  readonly text: string;
  readonly folder: string;
}

function skillTexts(conversation: readonly MessageParam[]): ReadonlyMap<string, TextOfSkill> {
  const found = new Map<string, TextOfSkill>();
  const add = (text: string) => {
    const skill = skillOfText(text);
    if (skill === null) return;
    found.delete(skill.name); // called again, it is the newest
    found.set(skill.name, { text, folder: skill.folder });
  };
  const calls = new Set<string>();
  for (const message of conversation) {
    for (const block of blocksOf(message)) {
      if (block.type === 'tool_use' && block.name === SKILL_TOOL) calls.add(block.id);
      else if (block.type === 'text' && message.role === 'user') add(String(block.text));
      else if (block.type === 'tool_result' && calls.has(block.tool_use_id) && block.is_error !== true)
        add(textOf(block));
    }
  }
  return found;
}

function textOf({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  // A transcript may hold anything there.
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part?.type === 'text' ? String(part.text) : '')).join('');
}
