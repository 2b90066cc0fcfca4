// What RunScript does: runs the script, makes its calls, and tells what came of it. One rule: nothing of a call's result
// reaches the model but through what the script says.

import { runScript, type ScriptAnswer, type ScriptEnd } from '../../host/scripts/index.js';
import { AbortError, ToolError } from '../../protocol/errors.js';
import type { RunScriptInput, RunScriptOutput } from '../../protocol/tool-io.js';
import { isRecord } from '../../util/json.js';
import { count } from '../../util/text.js';
import type { NestedResult, ToolContext, ToolOutcome, Tools } from '../tool.js';
import { indexTools } from '../tool-search/index.js';
import { declareTool } from './declare-tools.js';

export interface ScriptSetting {
  /** What a script can call. */
  readonly tools: Tools;
  /** What the model is told of them. */
  readonly declarations: string;
  readonly limits: { readonly runMs: number; readonly memoryBytes: number; readonly outputBytes: number };
}

type Answer = Omit<ScriptAnswer, 'id'>;

/** Of one result that a script is given, characters. */
const MAX_RESULT = 8_000_000;
const MAX_FOUND = 20;

/** @throws ToolError if the call was interrupted: what had been done by then */
export async function executeScript(
  { code }: RunScriptInput,
  context: ToolContext,
  setting: ScriptSetting,
): Promise<ToolOutcome<RunScriptOutput>> {
  const { callTool } = context;
  if (callTool === undefined)
    throw new ToolError('Scripts cannot run here: this session has no way to make their calls.');
  const tally = createTally();
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const names = setting.tools.map(({ name }) => name);
  const answer = async ({ name, input }: { readonly name: string; readonly input: string }): Promise<Answer> => {
    const given: unknown = JSON.parse(input);
    if (name === '') return { ok: true, text: JSON.stringify(await findTools(given, setting)) };
    const result = await callTool(name, given);
    tally.add(name, result);
    if (result.endsPrompt) stop.abort();
    return toAnswer(name, result);
  };
  try {
    const end = await runScript({ code, tools: names, limits: setting.limits }, answer, context.host.clock, signal);
    return toOutcome(end, tally.calls());
  } catch (error) {
    if (!(error instanceof AbortError)) throw error;
    const data: RunScriptOutput = { printed: '', error: 'interrupted', calls: tally.calls(), run_ms: 0 };
    throw new ToolError(`The script was stopped. Before that, it made ${describeCalls(tally.calls())}.`, data);
  }
}

/** What a script gets: typed output, else what a model would read. */
function toAnswer(name: string, { isError, isRefused, text, data }: NestedResult): Answer {
  // A command that fails has an output all the same.
  const isResult = !isError || (!isRefused && isRecord(data) && data['exitCode'] !== undefined);
  if (!isResult) return { ok: false, text, name: isRefused ? 'DeniedError' : 'ToolError' };
  const json = jsonOf(name.startsWith('mcp__') ? contentOf(data, text) : (data ?? text)) ?? JSON.stringify(text);
  if (json.length <= MAX_RESULT) return { ok: true, text: json };
  const why = `The result of ${name} has ${json.length} characters, more than the ${MAX_RESULT} that a script can take. Ask for less.`;
  return { ok: false, text: why, name: 'ToolError' };
}

/** Null for what JSON has no form for: a tool of the host's own may give anything. */
function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null; // a cycle, or a number that is too large: then there is the text
  }
}

function contentOf(data: unknown, text: string): unknown {
  return isRecord(data) && data['structuredContent'] !== undefined ? data['structuredContent'] : text;
}

/** What `searchTools` gives. */
async function findTools(given: unknown, { tools }: ScriptSetting) {
  const { query = '', most = 5 } = isRecord(given) ? given : {};
  const limit = typeof most === 'number' && most >= 1 ? Math.min(MAX_FOUND, Math.floor(most)) : 5;
  return indexTools(tools)
    .search(String(query).slice(0, 500), limit)
    .flatMap((name) => tools.filter((tool) => tool.name === name))
    .map((tool) => ({ name: tool.name, description: tool.description, declaration: declareTool(tool, false) }));
}

function createTally() {
  const byTool = new Map<string, { count: number; failed: number; denied: number }>();
  return {
    add(tool: string, { isError, isRefused }: NestedResult): void {
      const before = byTool.get(tool) ?? { count: 0, failed: 0, denied: 0 };
      byTool.set(tool, {
        count: before.count + 1,
        failed: before.failed + (isError && !isRefused ? 1 : 0),
        denied: before.denied + (isRefused ? 1 : 0),
      });
    },
    calls: (): RunScriptOutput['calls'] => [...byTool].map(([tool, counts]) => ({ tool, ...counts })),
  };
}

function toOutcome(end: ScriptEnd, calls: RunScriptOutput['calls']): ToolOutcome<RunScriptOutput> {
  const { printed, dropped, value, error, runMs } = end;
  const data: RunScriptOutput = {
    ...(value === null ? {} : { value }),
    printed,
    ...(error === null ? {} : { error: error.message }),
    calls,
    run_ms: runMs,
  };
  const parts = [
    printed.trimEnd(),
    ...(dropped === 0 ? [] : [`[It printed ${count(dropped, 'character')} more, which are not kept.]`]),
    ...(value === null ? [] : [printed === '' ? value : `Value: ${value}`]),
    // What was done is done, however it ended.
    ...(error === null ? [] : [`The script failed. ${error.message}`, `Before that, it made ${describeCalls(calls)}.`]),
  ].filter((part) => part !== '');
  const model = parts.length === 0 ? 'The script ended. It printed and returned nothing.' : parts.join('\n');
  return { model, data, isError: error !== null };
}

function describeCalls(calls: RunScriptOutput['calls']): string {
  if (calls.length === 0) return 'no calls';
  const lines = calls.map(({ tool, count: made, failed, denied }) => {
    const bad = [...(failed === 0 ? [] : [`${failed} failed`]), ...(denied === 0 ? [] : [`${denied} denied`])];
    return `${made} × ${tool}${bad.length === 0 ? '' : ` (${bad.join(', ')})`}`;
  });
  return `these calls: ${lines.join(', ')}`;
}
