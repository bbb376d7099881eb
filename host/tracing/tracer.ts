/** Makes spans around work, and knows which one is around the work that runs now. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, EndedSpan, SpanContext, SpanStart } from './span.ts';

/** A span whose work runs. */
export interface OpenSpan {
  readonly context: SpanContext;
  /** Adds attributes that are known later; `error` marks the span as failed. */
  tell(attributes: Attributes, error?: string): void;
}

export interface Tracer {
  /** The sampled span around the work that runs now. */
  current(): SpanContext | undefined;
  /**
   * Runs work in a span. Its parent is the current one; without one, `parent` (of another process), and without that it is the
   * root of a new trace, which is sampled if a linked span is, or else by the share.
   */
  inSpan<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>, parent?: SpanContext): Promise<T>;
  /** The same if there is a current span; else only the work. */
  within<T>(start: SpanStart, work: (span?: OpenSpan) => Promise<T>): Promise<T>;
}

export interface TracerDeps {
  /** Share of the new traces that are sampled, 0 to 1. */
  readonly share: number;
  /** So many random bytes as hexadecimal digits. */
  readonly randomHex: (bytes: number) => string;
  /** Ms since 1970, with fractions. */
  readonly now: () => number;
  readonly onEnd: (span: EndedSpan) => void;
}

const HIGHEST = 2 ** 52;

/** Decides by the id, so that all processes of a trace decide alike. Source: OpenTelemetry `TraceIdRatioBased`. */
export const isInShare = (traceId: string, share: number): boolean =>
  Number.parseInt(traceId.slice(-13), 16) < share * HIGHEST;

type Parent = Pick<SpanContext, 'traceId' | 'isSampled'> & { readonly spanId: string | undefined };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const createTracer = ({ share, randomHex, now, onEnd }: TracerDeps): Tracer => {
  const running = new AsyncLocalStorage<OpenSpan>();
  const rootFor = (links: readonly SpanContext[]): Parent => {
    const traceId = randomHex(16);
    const isSampled = links.length > 0 ? links.some((link) => link.isSampled) : isInShare(traceId, share);
    return { traceId, spanId: undefined, isSampled };
  };
  const record = async <T>(start: SpanStart, parent: Parent, work: (span: OpenSpan) => Promise<T>) => {
    const { traceId, isSampled, spanId: parentSpanId } = parent;
    const context = { traceId, spanId: randomHex(8), isSampled };
    let told: Attributes = start.attributes ?? {};
    let failed: string | undefined;
    const tell = (attributes: Attributes, error?: string): void => {
      told = { ...told, ...attributes };
      failed = error ?? failed;
    };
    const startedAt = now();
    const end = (): void => {
      const { name, kind = 'internal', links = [] } = start;
      const error = failed === undefined ? {} : { error: failed };
      if (isSampled)
        onEnd({
          name,
          kind,
          links,
          attributes: told,
          context,
          parentSpanId,
          startedAt,
          endedAt: now(),
          ...error,
        });
    };
    const span = { context, tell };
    try {
      return await running.run(span, () => work(span));
    } catch (error) {
      tell({ 'error.type': error instanceof Error ? error.name : 'Error' }, messageOf(error));
      throw error;
    } finally {
      end();
    }
  };
  const current = (): SpanContext | undefined => {
    const context = running.getStore()?.context;
    return context?.isSampled ? context : undefined;
  };
  return {
    current,
    inSpan: (start, work, parent) =>
      record(start, running.getStore()?.context ?? parent ?? rootFor(start.links ?? []), work),
    within: (start, work) => {
      const context = current();
      return context ? record(start, context, work) : work();
    },
  };
};
