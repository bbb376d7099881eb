/** What a host does for traces. It is loaded only if a collector is set. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { TraceConfig } from '../../shared/settings/host/trace.ts';
import { createExporter, type ExporterDeps } from './exporter.ts';
import { createPost } from './post-spans.ts';
import { createTracer, type Tracer } from './tracer.ts';

/** A tracer whose spans are exported. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the last spans. */
  stop(): Promise<void>;
}

const later = (ms: number, work: () => void): (() => void) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

const resourceOf = (clusterId: string) => ({
  ...{
    'service.name': 'rollcall',
    'service.namespace': clusterId,
    'service.instance.id': `${hostname()}:${process.pid}`,
  },
  ...{ 'host.name': hostname(), 'process.pid': process.pid, 'telemetry.sdk.language': 'nodejs' },
});

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
