// The W3C trace context: what comes in by a variable, and what goes out to programs and servers.
import type { Context, SpanContext } from '@opentelemetry/api';
import type { TraceContext } from '../../tools/tool.js';

type Api = typeof import('@opentelemetry/api');

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
/** Characters; what is longer is no state of a trace. */
const MAX_STATE = 512;

/** What TRACEPARENT and TRACESTATE say of the program that started this one; where they say nothing, a trace begins. */
export function inboundContext(api: Api, env: Readonly<Record<string, string | undefined>>): Context {
  const { ROOT_CONTEXT, trace } = api;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(env['TRACEPARENT']?.trim() ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const state = env['TRACESTATE'] ?? '';
  const parent: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(state === '' || state.length > MAX_STATE ? {} : { traceState: api.createTraceState(state) }),
  };
  return api.isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** Null where no SDK made the span. */
export function toTraceContext(api: Api, span: SpanContext): TraceContext | null {
  if (!api.isSpanContextValid(span)) return null;
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
  const tracestate = span.traceState?.serialize() ?? '';
  return {
    traceparent: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate === '' ? {} : { tracestate }),
  };
}

/** A state that is there and not ours would belong to another trace, so it is emptied. */
export function toVariables(context: TraceContext | null): Readonly<Record<string, string>> {
  return context === null ? {} : { TRACEPARENT: context.traceparent, TRACESTATE: context.tracestate ?? '' };
}
