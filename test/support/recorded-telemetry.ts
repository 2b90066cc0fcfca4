// An OpenTelemetry SDK as a program would register one, which keeps what it is told in memory.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  createNoopMeter,
  type Meter,
  metrics,
  ROOT_CONTEXT,
  type Span,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { onTestFinished } from 'vitest';

export interface RecordedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly attributes: Attributes;
  readonly events: { readonly name: string; readonly attributes: Attributes }[];
  status: SpanStatus;
  /** How often it was ended. */
  ends: number;
}

export interface RecordedTelemetry {
  /** In the order in which they began. */
  readonly spans: readonly RecordedSpan[];
  readonly figures: readonly { readonly name: string; readonly value: number; readonly attributes: Attributes }[];
  /** Names with those below them, two spaces for each level. */
  tree(): string[];
}

/** Registered until the test ends. @param onEnd may throw, as an SDK may */
export function recordTelemetry(onEnd: () => void = () => undefined): RecordedTelemetry {
  const spans: RecordedSpan[] = [];
  const figures: { name: string; value: number; attributes: Attributes }[] = [];
  const tracer = {
    startSpan(name, options = {}, parent = context.active()) {
      const above = trace.getSpanContext(parent);
      const spanId = (spans.length + 1).toString(16).padStart(16, '0');
      const recorded: RecordedSpan = {
        name,
        traceId: above?.traceId ?? spanId.repeat(2),
        spanId,
        parentId: above?.spanId ?? null,
        attributes: { ...options.attributes },
        events: [],
        status: { code: SpanStatusCode.UNSET },
        ends: 0,
      };
      spans.push(recorded);
      const traceState = above?.traceState;
      const own = { traceId: recorded.traceId, spanId, traceFlags: TraceFlags.SAMPLED };
      const span = {
        spanContext: () => ({ ...own, ...(traceState === undefined ? {} : { traceState }) }),
        setAttribute: (key: string, value: string) => Object.assign(recorded.attributes, { [key]: value }),
        setAttributes: (more: Attributes) => Object.assign(recorded.attributes, more),
        addEvent: (event: string, attributes: Attributes = {}) => recorded.events.push({ name: event, attributes }),
        setStatus: (status: SpanStatus) => Object.assign(recorded, { status }),
        isRecording: () => recorded.ends === 0,
        end() {
          recorded.ends += 1;
          onEnd();
        },
      };
      return span as unknown as Span;
    },
  } as Tracer;
  const instrument = (name: string) => {
    const keep = (value: number, attributes: Attributes = {}) => void figures.push({ name, value, attributes });
    return { record: keep, add: keep };
  };
  const meter: Meter = Object.assign(Object.create(createNoopMeter()), {
    createHistogram: instrument,
    createCounter: instrument,
  });
  const active = new AsyncLocalStorage<Context>();
  const unregister = () => {
    trace.disable();
    metrics.disable();
    context.disable();
  };
  unregister();
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  metrics.setGlobalMeterProvider({ getMeter: () => meter });
  context.setGlobalContextManager({
    active: () => active.getStore() ?? ROOT_CONTEXT,
    with: (own, work, self, ...given) => active.run(own, () => work.apply(self as never, given)),
    bind: (_own, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  onTestFinished(unregister);
  const below = (parentId: string | null, indent: string): string[] =>
    spans
      .filter((span) => span.parentId === parentId)
      .flatMap((span) => [`${indent}${span.name}`, ...below(span.spanId, `${indent}  `)]);
  return {
    spans,
    figures,
    tree: () => {
      const known = new Set(spans.map(({ spanId }) => spanId));
      const roots = spans.filter(({ parentId }) => parentId === null || !known.has(parentId));
      return roots.flatMap((root) => [root.name, ...below(root.spanId, '  ')]);
    },
  };
}
