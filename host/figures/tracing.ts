/** Where traces touch a host. Without a collector none of it is loaded. */
import type { FlowControl } from '../../shared/apiserver/contract/flow-control.ts';
import { RESOURCES } from '../../shared/apiserver/resources/resources.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { FeedChange } from '../../shared/ports/store/change-feed.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import type { HostConfiguration } from '../../shared/settings/host/host-configuration.ts';
import { SPANS_DROPPED, SPANS_EXPORTED } from './host-metrics.ts';

type Route = (changes: readonly FeedChange[]) => Promise<void>;

/** Adds spans to the parts of a host. */
export interface HostTracing {
  serve(serve: Serve): Serve;
  flow<T extends FlowControl>(flow: T): T;
  objects(objects: ObjectStore): ObjectStore;
  queues<T extends WorkQueues>(queues: T): T;
  route(route: Route): Route;
  handle(queue: string, trace: string | undefined, work: () => Promise<void>): Promise<void>;
  /** Sends the last spans. */
  stop(): Promise<void>;
}

/** `undefined` if the configuration names no collector. */
export const startHostTracing = async (
  { trace, cluster }: Pick<HostConfiguration, 'trace' | 'cluster'>,
  metrics: MetricsRegistry,
): Promise<HostTracing | undefined> => {
  if (!trace) return undefined;
  const [{ startTracing }, requests, work] = await Promise.all([
    import('../tracing/start.ts'),
    import('../tracing/traced-requests.ts'),
    import('../tracing/traced-work.ts'),
  ]);
  const { tracer, stop } = startTracing(trace, cluster.clusterId, {
    onExported: (spans) => metrics.add(SPANS_EXPORTED, {}, spans),
    onDropped: (spans, reason) => metrics.add(SPANS_DROPPED, { reason }, spans),
  });
  const served = new Set(RESOURCES.map(({ resource }) => resource));
  return {
    serve: (serve) => requests.tracedServe(serve, tracer, ({ resource }) => served.has(resource)),
    flow: (flow) => requests.tracedFlow(flow, tracer),
    objects: (objects) => work.tracedObjects(objects, tracer),
    queues: (queues) => work.tracedQueues(queues, tracer),
    route: (route) => work.tracedRoute(tracer, route),
    handle: work.tracedHandle(tracer),
    stop,
  };
};
