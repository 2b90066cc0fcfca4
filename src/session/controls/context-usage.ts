// How full the context window is, and with what. One rule: every token is in exactly one part, and the parts add up to
// the window.
import { createTokenEstimator, type TokenEstimator } from '../../engine/tokens/index.js';
import type { ContentBlock, MessageParam, Usage } from '../../protocol/content.js';
import type { ContextUsageCategory, SDKControlGetContextUsageResponse } from '../../protocol/control.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { agentLines, describeAgents } from '../../tools/agent.js';
import { describeSkills, SKILL_TOOL } from '../../tools/skill.js';
import {
  combine,
  countConversation,
  NOTHING_COUNTED,
  type Session,
  type SessionRuntime,
  skillsOf,
} from '../core/index.js';
import { type NextRequest, nextRequest } from './effective-parts.js';

type UsedId = Exclude<ContextUsageCategory['id'], 'autocompact_buffer' | 'free_space'>;

/** The smallest thing that is counted. */
interface Part {
  readonly id: UsedId;
  readonly name: string;
  readonly weight: number;
  /** Of a message: what it is a part of. */
  readonly kind?: MessageKind;
}

type MessageKind = 'call' | 'result' | 'attachment' | 'assistant' | 'user' | 'frame';

type Look = Pick<ContextUsageCategory, 'name' | 'color' | 'kind' | 'type'>;

const LOOKS: Readonly<Record<ContextUsageCategory['id'], Look>> = {
  system_prompt: { name: 'System prompt', color: 'promptBorder', kind: 'used', type: 'system_prompt' },
  system_tools: { name: 'System tools', color: 'inactive', kind: 'used', type: 'system_tools' },
  mcp_tools: { name: 'MCP tools', color: 'cyan', kind: 'used', type: 'other' },
  custom_agents: { name: 'Custom agents', color: 'permission', kind: 'used', type: 'other' },
  memory_files: { name: 'Memory files', color: 'claude', kind: 'used', type: 'other' },
  skills: { name: 'Skills', color: 'warning', kind: 'used', type: 'skills' },
  messages: { name: 'Messages', color: 'purple', kind: 'used', type: 'messages' },
  autocompact_buffer: { name: 'Autocompact buffer', color: 'inactive', kind: 'buffer', type: 'auto_compact' },
  free_space: { name: 'Free space', color: 'subtle', kind: 'free', type: 'free_space' },
};

/** In the order they are shown. */
const USED = Object.keys(LOOKS).filter((id) => LOOKS[id as UsedId].kind === 'used') as UsedId[];
/** Shown also if there is nothing of it. */
const ALWAYS: readonly string[] = ['system_prompt', 'messages', 'free_space'];

/** Squares of the picture. */
const COLUMNS = 10;
const ROWS = 10;
const LARGE_WINDOW = 1_000_000;
const LARGE_ROWS = 20;

const READING: ReadonlySet<string> = new Set(['Read']);
const MCP_PREFIX = 'mcp__';

/** Contract: sends nothing and changes nothing. */
export async function contextUsage(
  session: Session,
  runtime: SessionRuntime,
  { detail = 'full' }: { readonly detail?: 'summary' | 'full' } = {},
): Promise<SDKControlGetContextUsageResponse> {
  const next = await nextRequest(session, runtime);
  const { model } = next.request;
  const { counted } = runtime.compactor;
  const estimator = createTokenEstimator(counted?.ratio ?? undefined);
  const parts = partsOf(next, session, runtime, estimator);
  const estimated = estimator.request({ ...next.request, messages: next.state.messages });
  const known = runtime.loop.contextWindow(model);
  const window = Number.isFinite(known) && known > 0 ? Math.round(known) : estimated;
  // What does not fit is not sent: it would be compacted first.
  const total = parts.every(({ weight }) => weight === 0) ? 0 : Math.min(estimated, window);
  const shares = shareOut(
    parts.map(({ weight }) => weight),
    total,
  );
  const measured = parts.map((part, at) => ({ ...part, tokens: shares[at] ?? 0 }));
  const threshold = runtime.compactor.threshold(model);
  const reserve = threshold === null ? 0 : Math.max(0, window - Math.floor(threshold));
  const buffer = Math.min(reserve, window - total);
  const categories = categoriesOf(measured, buffer, window - total - buffer, window);
  const isFull = detail === 'full';
  const files = session.memory.loadedInstructions?.files ?? [];
  return {
    categories,
    totalTokens: total,
    maxTokens: window - reserve,
    rawMaxTokens: window,
    percentage: Math.round(percent(total, window)),
    gridRows: isFull ? gridOf(categories, window) : [],
    model,
    memoryFiles: isFull
      ? ofPart(measured, 'memory_files').map(({ name, tokens }) => ({
          path: name,
          type: files.find(({ source }) => source === name)?.type ?? 'Project',
          tokens,
        }))
      : [],
    mcpTools: isFull
      ? [
          ...ofPart(measured, 'mcp_tools').map(({ name, tokens }) => serverTool(name, tokens, true)),
          ...unloadedTools(next, session, runtime, estimator),
        ]
      : [],
    ...(isFull
      ? {
          systemTools: ofPart(measured, 'system_tools').map(({ name, tokens }) => ({ name, tokens })),
          systemPromptSections: ofPart(measured, 'system_prompt').map(({ name, tokens }) => ({ name, tokens })),
          messageBreakdown: breakdownOf(measured),
        }
      : {}),
    agents: isFull
      ? ofPart(measured, 'custom_agents').map(({ name, tokens }) => ({
          agentType: name,
          source: sourceOf(name, runtime),
          tokens,
        }))
      : [],
    skills: skillUsage(session, measured, window, isFull),
    ...(threshold === null ? {} : { autoCompactThreshold: Math.floor(threshold) }),
    isAutoCompactEnabled: threshold !== null,
    apiUsage: apiUsageOf(counted?.usage ?? lastUsage(session)),
    contextWindow: { usedPercentage: percent(total, window) },
    autoCompact: {
      enabled: threshold !== null,
      thresholdPercentage: threshold === null ? 100 : percent(threshold, window),
    },
    duplicateFileReads: isFull ? duplicateReads(next.state.messages) : [],
    session: countsOf(session),
  };
}

type Measured = Part & { readonly tokens: number };

function partsOf(
  { request, sections, state }: NextRequest,
  session: Session,
  runtime: SessionRuntime,
  estimator: TokenEstimator,
): readonly Part[] {
  const ofPrompt = sections
    .filter(({ text }) => text.trim() !== '')
    .map(({ name, file, text }): Part => {
      const weight = estimator.block({ type: 'text', text });
      return file === null ? { id: 'system_prompt', name, weight } : { id: 'memory_files', name: file, weight };
    });
  const aroundTools =
    estimator.frame({ ...request, system: [] }) - sum(request.tools.map((tool) => estimator.tool(tool)));
  return [
    ...ofPrompt,
    ...request.tools.flatMap((tool) => toolParts(tool, session, runtime, estimator)),
    ...(aroundTools > 0 ? [{ id: 'system_tools', name: 'Around the tools', weight: aroundTools } as const] : []),
    ...messageParts(state.messages, estimator),
  ];
}

/** As published clients know it. */
function sourceOf(agent: string, { agents }: SessionRuntime): string {
  const scope = agents.types.find(({ name }) => name === agent)?.source.scope ?? 'option';
  return AGENT_SOURCES[scope];
}

const AGENT_SOURCES = {
  option: 'options',
  project: 'projectSettings',
  user: 'userSettings',
  plugin: 'plugin',
  'built-in': 'built-in',
} as const;

function serverTool(name: string, tokens: number, isLoaded: boolean) {
  return { name, serverName: name.split('__')[1] ?? '', tokens, isLoaded };
}

/** Tools of servers that no request defines yet, with what they would take: they are in no part. */
function unloadedTools(
  { request }: NextRequest,
  { memory }: Session,
  { setup }: SessionRuntime,
  estimator: TokenEstimator,
): SDKControlGetContextUsageResponse['mcpTools'] {
  const names = memory.deferral?.names;
  if (names === undefined) return [];
  const defined = new Set(request.tools.map(({ name }) => name));
  return setup.tools
    .filter(({ name }) => name.startsWith(MCP_PREFIX) && names.has(name) && !defined.has(name))
    .map(({ name, description, inputSchema: input_schema }) =>
      serverTool(name, estimator.tool({ name, description, input_schema }), false),
    );
}

/** A tool whose description lists agents or skills is split: the list is counted as what it lists. */
function toolParts(
  tool: ModelRequest['tools'][number],
  session: Session,
  { agents }: SessionRuntime,
  estimator: TokenEstimator,
): readonly Part[] {
  const whole = estimator.tool(tool);
  if (tool.name.startsWith(MCP_PREFIX)) return [{ id: 'mcp_tools', name: tool.name, weight: whole }];
  const listed: { readonly id: UsedId; readonly name: string; readonly line: string }[] = [];
  const lineOf = (text: string) => text.slice(text.lastIndexOf('\n') + 1);
  if (tool.name === 'Agent' && tool.description.endsWith(describeAgents(agents.types)))
    for (const [at, line] of agentLines(agents.types).entries()) {
      const type = agents.types[at];
      if (type !== undefined && type.source.scope !== 'built-in')
        listed.push({ id: 'custom_agents', name: type.name, line });
    }
  if (tool.name === SKILL_TOOL)
    for (const skill of skillsOf(session)?.skills ?? [])
      if (skill.isForModel) listed.push({ id: 'skills', name: skill.name, line: lineOf(describeSkills([skill])) });
  const weights = listed.map(({ line }) => estimator.text(line));
  const most = sum(weights) === 0 ? 1 : Math.min(1, whole / sum(weights));
  const own = Math.max(0, whole - sum(weights));
  return [
    { id: 'system_tools', name: tool.name, weight: own },
    ...listed.map(({ id, name }, at): Part => ({ id, name, weight: (weights[at] ?? 0) * most })),
  ];
}

function messageParts(messages: readonly MessageParam[], estimator: TokenEstimator): readonly Part[] {
  const names = new Map<string, string>();
  return messages.flatMap((message): Part[] => {
    const blocks = blocksOf(message);
    const parts = blocks.map((block): Part => {
      const { kind, name } = kindOf(block, message.role, names);
      return { id: 'messages', name, kind, weight: estimator.block(block) };
    });
    const frame = Math.max(0, estimator.message(message) - sum(parts.map(({ weight }) => weight)));
    return [...parts, { id: 'messages', name: '', kind: 'frame', weight: frame }];
  });
}

/** @param names of calls by their ids; grows */
function kindOf(
  block: ContentBlock,
  role: MessageParam['role'],
  names: Map<string, string>,
): { readonly kind: MessageKind; readonly name: string } {
  switch (block.type) {
    case 'tool_use':
      names.set(block.id, block.name);
      return { kind: 'call', name: block.name };
    case 'tool_result':
      return { kind: 'result', name: names.get(block.tool_use_id) ?? '' };
    case 'image':
    case 'document':
      return { kind: 'attachment', name: block.type };
    default:
      return { kind: role === 'assistant' ? 'assistant' : 'user', name: '' };
  }
}

/** In a transcript, anything may stand in the place of a block. */
function blocksOf({ content }: MessageParam): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.filter((block): block is ContentBlock => typeof block === 'object' && block !== null);
}

function ofPart(parts: readonly Measured[], id: UsedId): readonly Measured[] {
  return parts.filter((part) => part.id === id);
}

function categoriesOf(
  parts: readonly Measured[],
  buffer: number,
  free: number,
  window: number,
): ContextUsageCategory[] {
  const used = USED.map((id) => ({ id, tokens: sum(ofPart(parts, id).map(({ tokens }) => tokens)) }));
  const all: { readonly id: ContextUsageCategory['id']; readonly tokens: number }[] = [
    ...used,
    { id: 'free_space', tokens: free },
    { id: 'autocompact_buffer', tokens: buffer },
  ];
  return all
    .filter(({ id, tokens }) => tokens > 0 || ALWAYS.includes(id))
    .map(({ id, tokens }) => ({ id, tokens, ...LOOKS[id], percentage: percent(tokens, window) }));
}

function gridOf(
  categories: readonly ContextUsageCategory[],
  window: number,
): SDKControlGetContextUsageResponse['gridRows'] {
  const rows = window >= LARGE_WINDOW ? LARGE_ROWS : ROWS;
  const squares = shareOut(
    categories.map(({ tokens }) => tokens),
    rows * COLUMNS,
  );
  const size = window / (rows * COLUMNS);
  const cells = categories.flatMap(({ name, color, kind, tokens, percentage }, at) =>
    Array.from({ length: squares[at] ?? 0 }, (_, index) => ({
      color,
      isFilled: kind === 'used',
      categoryName: name,
      tokens,
      percentage,
      squareFullness: Math.min(1, Math.max(0, tokens / size - index)),
    })),
  );
  return Array.from({ length: rows }, (_, row) => cells.slice(row * COLUMNS, (row + 1) * COLUMNS));
}

function breakdownOf(parts: readonly Measured[]): NonNullable<SDKControlGetContextUsageResponse['messageBreakdown']> {
  const messages = ofPart(parts, 'messages');
  const tokensOf = (kind: MessageKind, name?: string) =>
    sum(
      messages
        .filter((part) => part.kind === kind && (name === undefined || part.name === name))
        .map(({ tokens }) => tokens),
    );
  const namesOf = (...kinds: MessageKind[]) => [
    ...new Set(messages.flatMap(({ kind, name }) => (kind !== undefined && kinds.includes(kind) ? [name] : []))),
  ];
  return {
    toolCallTokens: tokensOf('call'),
    toolResultTokens: tokensOf('result'),
    attachmentTokens: tokensOf('attachment'),
    assistantMessageTokens: tokensOf('assistant'),
    userMessageTokens: tokensOf('user'),
    redirectedContextTokens: 0,
    unattributedTokens: tokensOf('frame'),
    toolCallsByType: namesOf('call', 'result').map((name) => ({
      name,
      callTokens: tokensOf('call', name),
      resultTokens: tokensOf('result', name),
    })),
    attachmentsByType: namesOf('attachment').map((name) => ({ name, tokens: tokensOf('attachment', name) })),
  };
}

function skillUsage(
  session: Session,
  parts: readonly Measured[],
  window: number,
  isFull: boolean,
): SDKControlGetContextUsageResponse['skills'] {
  const listed = ofPart(parts, 'skills');
  const tokens = sum(listed.map((part) => part.tokens));
  const all = skillsOf(session)?.skills ?? [];
  const shown = isFull ? listed : [];
  const sourceOf = (name: string) => all.find((skill) => skill.name === name)?.scope ?? 'project';
  return {
    totalSkills: all.length,
    includedSkills: listed.length,
    tokens,
    skillFrontmatter: shown.map((part) => ({ name: part.name, source: sourceOf(part.name), tokens: part.tokens })),
    count: all.length,
    percentageOfContext: percent(tokens, window),
    items: shown.map((part) => ({
      name: part.name,
      source: sourceOf(part.name),
      percentageOfContext: percent(part.tokens, window),
    })),
  };
}

/** A resumed session has sent nothing yet; its last reply says what it was billed. */
function lastUsage({ history }: Session): Usage | null {
  const last = history.messages.findLast((message) => message.type === 'assistant');
  if (last?.type !== 'assistant' || last.message.model === '<synthetic>') return null;
  return last.message.usage ?? null;
}

function apiUsageOf(usage: Usage | null): SDKControlGetContextUsageResponse['apiUsage'] {
  if (usage === null) return null;
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  return { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens };
}

/** Files that were read more than once, the most read first. */
function duplicateReads(messages: readonly MessageParam[]): { readonly path: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const message of messages)
    for (const block of blocksOf(message)) {
      if (block.type !== 'tool_use' || !READING.has(block.name)) continue;
      const { file_path: file } = (block.input ?? {}) as { readonly file_path?: unknown };
      if (typeof file === 'string') counts.set(file, (counts.get(file) ?? 0) + 1);
    }
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([path, count]) => ({ path, count }))
    .sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1));
}

function countsOf({ history, memory }: Session): SDKControlGetContextUsageResponse['session'] {
  const counts = combine(memory.earlier ?? NOTHING_COUNTED, countConversation(history.messages), 1);
  return {
    messageCount: counts.messages,
    promptCount: counts.prompts,
    toolCalls: { total: counts.calls, succeeded: counts.succeeded, failed: counts.failed },
    linesChanged: { added: counts.linesAdded, removed: counts.linesRemoved },
  };
}

/** 0 to 100, with one decimal place. */
function percent(part: number, whole: number): number {
  return whole > 0 ? Math.round((part / whole) * 1_000) / 10 : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

// Shares a whole number out, so that the parts add up to it. Pure.

/**
 * Whole numbers in proportion to the weights, with this sum: each is its share, rounded up or down.
 * Contract: a weight of 0 gets 0, unless all are 0; then all are 0.
 */

function shareOut(weights: readonly number[], total: number): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (!(sum > 0)) return weights.map(() => 0);
  const exact = weights.map((weight) => (weight / sum) * total);
  const shares = exact.map(Math.floor);
  const order = exact
    .map((share, at) => ({ at, rest: share - Math.floor(share) }))
    .filter(({ at }) => (weights[at] ?? 0) > 0)
    .sort((a, b) => b.rest - a.rest || a.at - b.at);
  let left = Math.round(total) - shares.reduce((all, share) => all + share, 0);
  for (const { at } of order) {
    if (left <= 0) break;
    shares[at] = (shares[at] ?? 0) + 1;
    left -= 1;
  }
  return shares;
}
