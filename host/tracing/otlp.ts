/** Spans in the JSON encoding of OTLP 1.x. Source: opentelemetry-proto `trace/v1/trace.proto`, "JSON Protobuf Encoding". */
import type { Attributes, EndedSpan, SpanContext, SpanKind } from './span.ts';

const KINDS: Readonly<Record<SpanKind, number>> = {
  ...{ internal: 1, server: 2, client: 3, producer: 4, consumer: 5 },
};
const FAILED = 2;

const anyValue = (value: string | number | boolean) => {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

/** Nanoseconds do not fit into a number; a microsecond is what is known. */
const nanosOf = (ms: number): string => `${Math.round(ms * 1_000)}000`;

const linkOf = ({ traceId, spanId }: SpanContext) => ({ traceId, spanId });

const spanOf = (span: EndedSpan) => ({
  ...{ traceId: span.context.traceId, spanId: span.context.spanId },
  ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
  ...{ name: span.name, kind: KINDS[span.kind] },
  ...{ startTimeUnixNano: nanosOf(span.startedAt), endTimeUnixNano: nanosOf(span.endedAt) },
  attributes: attributesOf(span.attributes),
  links: span.links.map(linkOf),
  status: span.error === undefined ? {} : { code: FAILED, message: span.error },
});

/** The body of an export request. `resource`: what describes this process. */
export const exportRequest = (spans: readonly EndedSpan[], resource: Attributes) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: 'rollcall' }, spans: spans.map(spanOf) }],
    },
  ],
});
