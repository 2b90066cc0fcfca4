// What fills the context window, part by part.

import type { SDKControlGetContextUsageResponse } from '../../protocol/control.js';
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import type { Pager } from '../face.js';
import { openText, type PanelParts } from './pager-window.js';
import type { PagerLine } from './scroll-view.js';

const BAR = 24;

export function openContext(parts: PanelParts): Pager {
  return openText(parts, 'Context', async () => usageLines(await parts.query.getContextUsage()));
}

function usageLines(usage: SDKControlGetContextUsageResponse): PagerLine[] {
  const { categories, totalTokens, rawMaxTokens, percentage, model, memoryFiles, agents, skills, mcpTools } = usage;
  const { systemTools = [], systemPromptSections = [] } = usage;
  const width = Math.max(0, ...categories.map(({ name }) => name.length));
  return [
    {
      text: `${formatCount(totalTokens)} of ${formatCount(rawMaxTokens)} tokens (${percentage} %) of ${escapeHidden(model)}`,
      tone: 'strong',
    },
    { text: '' },
    ...categories.map(({ name, tokens }): PagerLine => {
      const part = rawMaxTokens === 0 ? 0 : tokens / rawMaxTokens;
      const bar = '#'.repeat(Math.ceil(part * BAR)).padEnd(BAR, '.');
      return {
        text: `${name.padEnd(width)}  ${formatCount(tokens).padStart(9)}  ${(part * 100).toFixed(1).padStart(5)} %`,
        tail: `  ${bar}`,
      };
    }),
    { text: '' },
    {
      text:
        usage.isAutoCompactEnabled && usage.autoCompactThreshold !== undefined
          ? `From ${formatCount(usage.autoCompactThreshold)} tokens on the conversation is compacted; /compact does it now.`
          : 'The conversation is not compacted by itself; /compact does it.',
      tone: 'dim',
    },
    ...section(
      'System prompt',
      systemPromptSections.map(({ name, tokens }) => [name, tokens]),
    ),
    ...section(
      'Instruction files',
      memoryFiles.map(({ path, type, tokens }) => [`${path} (${type.toLowerCase()})`, tokens]),
    ),
    ...section(
      'Tools',
      systemTools.map(({ name, tokens }) => [name, tokens]),
    ),
    ...section(
      'MCP tools',
      mcpTools.map(({ name, tokens, isLoaded }) => [
        isLoaded === false ? `${name} (waits for a search)` : name,
        tokens,
      ]),
    ),
    ...section(
      'Agents',
      agents.map(({ agentType, source, tokens }) => [`${agentType} (${source})`, tokens]),
    ),
    ...section(
      'Skills',
      skills.skillFrontmatter.map(({ name, source, tokens }) => [`${name} (${source})`, tokens]),
    ),
    ...section(
      'Files read more than once',
      usage.duplicateFileReads.map(({ path, count }) => [path, count]),
    ),
  ];
}

function section(title: string, rows: readonly (readonly [string, number])[]): PagerLine[] {
  if (rows.length === 0) return [];
  return [
    { text: '' },
    { text: title, tone: 'heading' },
    ...rows.map(
      ([name, figure]): PagerLine => ({ text: `${formatCount(figure).padStart(9)}  ${escapeHidden(name)}`, indent: 0 }),
    ),
  ];
}
