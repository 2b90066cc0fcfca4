// Turns the conversation into a request that the API accepts. Nothing leaves the engine any other way.
import type { TextBlock } from '../protocol/content.js';
import type { JsonSchema } from '../protocol/json.js';
import type { EffortLevel, ThinkingConfig } from '../protocol/options.js';
import type { ModelRequest, ToolDefinition } from '../providers/provider.js';
import type { Tools } from '../tools/tool.js';
import { toWellFormed } from '../util/text.js';
import type { HistoryRepair, LoopState } from './loop-state.js';
import { createHistoryRepairer, type HistoryRepairer } from './repair-history.js';
import { structuredOutputTool } from './structured-output.js';

/** What stays the same through a prompt. */
export interface RequestSettings {
  /** Prompt parts in order; empty ones are left out. */
  readonly system: readonly string[];
  readonly tools: Tools;
  readonly maxTokens: number;
  readonly thinking?: ThinkingConfig | undefined;
  readonly effort?: EffortLevel | undefined;
  readonly outputSchema?: JsonSchema | undefined;
}

export interface RequestBuilder {
  /** Sets what the following requests share. Definitions keep their identity while nothing changed. */
  configure(settings: RequestSettings): void;
  /** Contract: the request is valid whatever the history holds; each repair is listed once per session. */
  build(state: LoopState): { readonly request: ModelRequest; readonly repairs: readonly HistoryRepair[] };
}

/** One per session: it remembers what it has prepared, so that work per turn does not grow with the history. */
export function createRequestBuilder(): RequestBuilder {
  const repairer: HistoryRepairer = createHistoryRepairer();
  const reported = new Set<string>();
  let settings: RequestSettings | null = null;
  let system: readonly TextBlock[] = [];
  let tools: readonly ToolDefinition[] = [];

  return {
    configure(next) {
      if (!sameStrings(settings?.system, next.system)) system = systemBlocks(next.system);
      if (!sameTools(settings, next)) tools = toolDefinitions(next);
      settings = next;
    },
    build(state) {
      if (settings === null) throw new Error('The request builder was used before it was configured.');
      const { messages, repairs } = repairer.prepare(state.messages);
      const news = repairs.filter((repair) => !reported.has(`${repair.kind} ${repair.detail}`));
      for (const repair of news) reported.add(`${repair.kind} ${repair.detail}`);
      const { maxTokens, thinking, effort } = settings;
      return { request: { model: state.model, system, tools, messages, maxTokens, thinking, effort }, repairs: news };
    },
  };
}

function systemBlocks(parts: readonly string[]): TextBlock[] {
  return parts.filter((part) => part.trim() !== '').map((part) => ({ type: 'text', text: toWellFormed(part) }));
}

/** Sorted by name, so that the prefix a prompt cache sees does not depend on the order of registration. */
function toolDefinitions(settings: RequestSettings): ToolDefinition[] {
  const definitions = settings.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.inputSchema,
  }));
  if (settings.outputSchema !== undefined) definitions.push(structuredOutputTool(settings.outputSchema));
  return definitions.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function sameStrings(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a !== undefined && a.length === b.length && a.every((item, index) => item === b[index]);
}

function sameTools(a: RequestSettings | null, b: RequestSettings): boolean {
  return (
    a !== null &&
    a.outputSchema === b.outputSchema &&
    a.tools.length === b.tools.length &&
    a.tools.every((tool, index) => tool === b.tools[index])
  );
}
