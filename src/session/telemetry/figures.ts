// The metrics of a session. Those of model requests have the names of the GenAI conventions.
import type { Meter } from '@opentelemetry/api';
import type { Usage } from '../../protocol/content.js';
import { isRecord } from '../../util/is-record.js';
import { inputTokens } from './gen-ai.js';

/** What tells one series of model requests from another. */
interface RequestSeries {
  readonly provider: string;
  readonly requested: string;
  readonly model: string;
  /** Null for a whole reply. */
  readonly error: string | null;
}

export interface Figures {
  request(series: RequestSeries, usage: Usage, seconds: number): void;
  cost(usd: number): void;
  /** @param data what a tool gave back; counts where that describes changed lines */
  lines(data: unknown): void;
}

/** As the conventions want them. */
const TOKEN_BOUNDARIES = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const SECOND_BOUNDARIES = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

export function createFigures(meter: Meter): Figures {
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of one model request',
    advice: { explicitBucketBoundaries: TOKEN_BOUNDARIES },
  });
  const durations = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    description: 'Duration of one model request',
    advice: { explicitBucketBoundaries: SECOND_BOUNDARIES },
  });
  const cost = meter.createCounter('turnwright.cost.usage', { unit: 'USD', description: 'Price of what models did' });
  const lines = meter.createCounter('turnwright.lines_of_code.count', {
    unit: '{line}',
    description: 'Lines that Edit and Write added and removed',
  });
  return {
    request({ provider, requested, model, error }, usage, seconds) {
      const attributes = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': requested,
        'gen_ai.response.model': model,
      };
      const [input, output] = [inputTokens(usage), usage.output_tokens];
      if (input > 0) tokens.record(input, { ...attributes, 'gen_ai.token.type': 'input' });
      if (output > 0) tokens.record(output, { ...attributes, 'gen_ai.token.type': 'output' });
      durations.record(seconds, { ...attributes, ...(error === null ? {} : { 'error.type': error }) });
    },
    cost(usd) {
      if (usd > 0) cost.add(usd);
    },
    lines(data) {
      if (!isRecord(data)) return;
      const changed = changedLines(data);
      for (const [type, mark] of [
        ['added', '+'],
        ['removed', '-'],
      ] as const) {
        const count = changed.filter((line) => line.startsWith(mark)).length;
        if (count > 0) lines.add(count, { type });
      }
    },
  };
}

/** Each with its mark; what a tool that made a new file gives back has none. */
function changedLines({ structuredPatch }: Record<string, unknown>): readonly string[] {
  if (!Array.isArray(structuredPatch)) return [];
  return structuredPatch.flatMap((hunk: { readonly lines?: readonly string[] }) => hunk.lines ?? []);
}
