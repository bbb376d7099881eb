/** Spans of what follows a request: commits, the routing of changes, messages to controllers. Attributes are those of OpenTelemetry's semantic conventions for databases and messaging. */

import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { FeedChange } from '../../shared/ports/store/change-feed.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { parseTraceparent, type SpanContext, traceparentOf } from './span.ts';
import type { Tracer } from './tracer.ts';

/** A store whose commits carry the trace of their work into the log of changes. */
export const tracedObjects = (objects: ObjectStore, tracer: Tracer): ObjectStore => ({
  ...objects,
  commit: (commit) => {
    const { resource } = commit.key;
    const attributes = {
      'db.system.name': 'sqlite',
      'db.operation.name': 'commit',
      'db.collection.name': resource,
    };
    return tracer.within({ name: `commit ${resource}`, kind: 'client', attributes }, async (span) => {
      if (!span) return objects.commit(commit);
      const result = await objects.commit({ ...commit, trace: traceparentOf(span.context) });
      span.tell({ 'rollcall.commit.outcome': result.outcome });
      return result;
    });
  },
});

/** Queues whose messages carry the trace of the work that sent them. */
export const tracedQueues = <T extends WorkQueues>(queues: T, tracer: Tracer): T => ({
  ...queues,
  send: (queue, messages) => {
    const current = tracer.current();
    if (!current) return queues.send(queue, messages);
    const trace = traceparentOf(current);
    return queues.send(
      queue,
      messages.map((message) => ({ ...message, trace })),
    );
  },
});

const contextsOf = (traces: readonly (string | undefined)[]): readonly SpanContext[] =>
  [...new Set(traces)].flatMap((trace) => parseTraceparent(trace) ?? []);

const messagingOf = (destination: string) => ({
  'messaging.system': 'rollcall',
  'messaging.destination.name': destination,
  'messaging.operation.type': 'process',
  'messaging.operation.name': 'process',
});

/** Routes changes in a span that is linked with the commits that have a trace; without one, only routes. */
export const tracedRoute =
  (tracer: Tracer, route: (changes: readonly FeedChange[]) => Promise<void>) =>
  (changes: readonly FeedChange[]): Promise<void> => {
    const links = contextsOf(changes.map(({ trace }) => trace));
    if (links.length === 0) return route(changes);
    const attributes = { ...messagingOf('changes'), 'messaging.batch.message_count': changes.length };
    return tracer.inSpan({ name: 'process changes', kind: 'consumer', attributes, links }, () =>
      route(changes),
    );
  };

/** Handles a message in a span that is linked with the work that sent it. It is a trace of its own: hours may lie between. */
export const tracedHandle =
  (tracer: Tracer) =>
  (queue: string, trace: string | undefined, work: () => Promise<void>): Promise<void> => {
    const start = { name: `process ${queue}`, kind: 'consumer' as const, attributes: messagingOf(queue) };
    return tracer.inSpan({ ...start, links: contextsOf([trace]) }, work);
  };
