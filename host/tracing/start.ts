/** What a host does for traces. It is loaded only if a collector is set. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { TraceConfig } from '../../shared/settings/host/trace.ts';
import { createExporter, type ExporterDeps, type Sent } from './exporter.ts';
import { createTracer, type Tracer } from './tracer.ts';

/** A tracer whose spans are exported. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the last spans. */
  stop(): Promise<void>;
}

/** A collector that takes longer than this (ms) is asked again later. */
const TIMEOUT_MS = 5_000;
/** Source: OTLP specification, "Retryable Response Codes". */
const RETRYABLE = new Set([429, 502, 503, 504]);

const later = (ms: number, work: () => void): (() => void) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

const resourceOf = (clusterId: string) => ({
  'service.name': 'rollcall',
  'service.namespace': clusterId,
  'service.instance.id': `${hostname()}:${process.pid}`,
  'host.name': hostname(),
  'process.pid': process.pid,
  'telemetry.sdk.language': 'nodejs',
});

/** The address for traces of a base address. Source: OpenTelemetry specification, `OTEL_EXPORTER_OTLP_ENDPOINT`. */
export const tracesUrl = (base: string): string =>
  /\/v1\/traces\/?$/.test(base) ? base : `${base.replace(/\/+$/, '')}/v1/traces`;

const createPost =
  (base: string) =>
  async (body: string): Promise<Sent> => {
    try {
      const { status, body: answer } = await fetch(tracesUrl(base), {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer?.cancel();
      if (status < 300) return 'sent';
      return RETRYABLE.has(status) ? 'unanswered' : 'refused';
    } catch {
      return 'unanswered';
    }
  };

/** Starts to export spans to the collector. */
export const startTracing = (
  { url, share }: TraceConfig,
  clusterId: string,
  count: Pick<ExporterDeps, 'onExported' | 'onDropped'>,
): Tracing => {
  const exporter = createExporter({
    resource: resourceOf(clusterId),
    post: createPost(url),
    later,
    ...count,
  });
  const tracer = createTracer({
    share,
    randomHex: (bytes) => randomBytes(bytes).toString('hex'),
    now: () => performance.timeOrigin + performance.now(),
    onEnd: exporter.add,
  });
  return { tracer, stop: exporter.stop };
};
