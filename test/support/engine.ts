// A QueryEngine over the scripted model and this machine's disk, with what a test wants to change.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { QueryEngineConfig } from '../../src/session/config/config.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import type { ScriptedModel } from '../../src/testing/model/scripted-model.js';
import { type AnyTool, defineTool, type ToolContext } from '../../src/tools/tool.js';
import { lastingHost } from './lasting-host.js';
import { plainConfig } from './plain-config.js';

/** A private folder, removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'turnwright-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export interface TestEngine {
  readonly engine: QueryEngine;
  readonly folder: string;
  /** TURNWRIGHT_HOME of this engine. */
  readonly home: string;
}

/** Everything is allowed unless the test says otherwise; retries do not wait. */
export async function testEngine(
  model: ScriptedModel,
  overrides: Partial<QueryEngineConfig> = {},
): Promise<TestEngine> {
  const folder = overrides.cwd ?? (await temporaryFolder());
  const home = await temporaryFolder();
  const engine = new QueryEngine({
    ...plainConfig(),
    cwd: folder,
    provider: model,
    host: lastingHost(),
    env: { TURNWRIGHT_HOME: home },
    ...overrides,
  });
  onTestFinished(() => engine.close());
  return { engine, folder, home };
}

export interface ProbeOptions {
  readonly name?: string;
  readonly readOnly?: boolean;
  readonly concurrencySafe?: boolean;
  readonly run?: (input: { value?: string }, signal: AbortSignal, context: ToolContext) => Promise<string>;
}

/** A tool that records its runs. */
export function probeTool(options: ProbeOptions = {}): AnyTool & { readonly runs: { value?: string }[] } {
  const runs: { value?: string }[] = [];
  const tool = defineTool<{ value?: string }, string>({
    name: options.name ?? 'Probe',
    description: 'Records its input.',
    inputSchema: { type: 'object', properties: { value: { type: 'string' } }, additionalProperties: false },
    readOnly: options.readOnly ?? false,
    concurrencySafe: options.concurrencySafe ?? false,
    title: () => 'probe',
    subject: () => ({ kind: 'none' }),
    async run(input, context) {
      runs.push(input);
      const model = (await options.run?.(input, context.signal, context)) ?? `ran ${input.value ?? ''}`;
      return { model, data: model };
    },
  });
  return Object.assign(tool as AnyTool, { runs });
}
