/** Sends ended spans to a collector. Spans wait in a queue of limited length, and nobody waits for the collector. */
import { type BackOffDelays, backOff } from '../../shared/kube/values/back-off.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { Attributes, EndedSpan, SpanContext, SpanKind } from './span.ts';

/** Source: OpenTelemetry specification, `BatchSpanProcessor`. */
const MOST_WAITING = 2_048;
const BATCH = 512;
/** Between two batches, and longer while the collector does not answer. */
const PAUSE: BackOffDelays = { firstMs: 1_000, mostMs: 30_000 };

/** `sent`; `refused`: it would be refused again; `unanswered`: it may be sent again. */
export type Sent = 'sent' | 'refused' | 'unanswered';
export type DropReason = 'queue-full' | 'refused' | 'stopped';

export interface ExporterDeps {
  readonly resource: Attributes;
  /** Posts a body of JSON. Never rejects. */
  readonly post: (body: string) => Promise<Sent>;
  /** Runs work after so many ms, and returns what prevents that. */
  readonly later: (ms: number, work: () => void) => () => void;
  readonly onExported: (spans: number) => void;
  readonly onDropped: (spans: number, reason: DropReason) => void;
}

export interface Exporter {
  add(span: EndedSpan): void;
  /** Sends what waits; once, and drops what is refused. */
  stop(): Promise<void>;
}

const KINDS: Readonly<Record<SpanKind, number>> = {
  internal: 1,
  server: 2,
  client: 3,
  producer: 4,
  consumer: 5,
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
  traceId: span.context.traceId,
  spanId: span.context.spanId,
  ...optional('parentSpanId', span.parentSpanId),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nanosOf(span.startedAt),
  endTimeUnixNano: nanosOf(span.endedAt),
  attributes: attributesOf(span.attributes),
  links: span.links.map(linkOf),
  status: span.error === undefined ? {} : { code: FAILED, message: span.error },
});

/**
 * The body of an export request. `resource`: what describes this process. Source: opentelemetry-proto `trace/v1/trace.proto`,
 * "JSON Protobuf Encoding".
 */
export const exportRequest = (spans: readonly EndedSpan[], resource: Attributes) => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: 'rollcall' }, spans: spans.map(spanOf) }],
    },
  ],
});

export const createExporter = ({ resource, post, later, onExported, onDropped }: ExporterDeps): Exporter => {
  const waiting: EndedSpan[] = [];
  /** Batches in a row that the collector did not answer. */
  let unanswered = 0;
  let cancel: (() => void) | undefined;
  let isStopped = false;
  const sendBatch = async (): Promise<Sent> => {
    const batch = waiting.slice(0, BATCH);
    const sent = await post(JSON.stringify(exportRequest(batch, resource)));
    if (sent === 'unanswered') return sent;
    waiting.splice(0, batch.length);
    if (sent === 'sent') onExported(batch.length);
    else onDropped(batch.length, 'refused');
    return sent;
  };
  const flush = async (): Promise<void> => {
    cancel = undefined;
    const sent = await sendBatch();
    unanswered = sent === 'unanswered' ? unanswered + 1 : 0;
    sending = undefined;
    plan(waiting.length >= BATCH && unanswered === 0 ? 0 : backOff(PAUSE, unanswered));
  };
  let sending: Promise<void> | undefined;
  const plan = (ms: number): void => {
    if (isStopped || cancel || sending || waiting.length === 0) return;
    cancel = later(ms, () => {
      sending = flush();
    });
  };
  return {
    add: (span) => {
      if (waiting.length >= MOST_WAITING) return onDropped(1, 'queue-full');
      waiting.push(span);
      // A full batch waits for no timer, unless the collector did not answer.
      const isDue = waiting.length >= BATCH && unanswered === 0;
      if (isDue && waiting.length === BATCH) {
        cancel?.();
        cancel = undefined;
      }
      plan(isDue ? 0 : backOff(PAUSE, unanswered));
    },
    stop: async () => {
      isStopped = true;
      cancel?.();
      await sending;
      while (waiting.length > 0 && (await sendBatch()) !== 'unanswered');
      if (waiting.length > 0) onDropped(waiting.length, 'stopped');
    },
  };
};
