/** Finds what a lost message left. */

import { nodeKey } from '../../shared/ports/store/rows.ts';
import { isOutOfService } from '../../shared/rules/nodes/out-of-service.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { PodGcDeps } from './deps.ts';
import type { PodGcMessage } from './message.ts';
import { POD_GC_QUEUE } from './queue.ts';

/** Nodes that are read at the same time. */
const CONCURRENCY = 16;

export interface SweepReport {
  /** Nodes that are gone and that pods name, or have named. */
  readonly absentNodes: number;
  /** Nodes out of service. */
  readonly outOfService: number;
}

/** Every bound pod has a claim, also one whose node is gone, and counters without a digest have no Node. */
const absentNodes = async ({ capacitySweep, control }: PodGcDeps): Promise<ReadonlySet<string>> => {
  const names = new Set((await control.sightings('absent-node')).map(({ name }) => name));
  let after: string | undefined;
  do {
    const { nodes, next } = await capacitySweep.allCounters(after);
    for (const { node, digest } of nodes) if (digest === undefined) names.add(node);
    after = next;
  } while (after !== undefined);
  return names;
};

const isOut = async ({ objects }: PodGcDeps, name: string): Promise<boolean> => {
  const row = await objects.read(nodeKey(name));
  return row?.state === 'live' && isOutOfService(row.object);
};

/** Of all nodes only those are read that are not ready. */
const nodesOutOfService = async (deps: PodGcDeps): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const { value } of deps.objects.nodeHealth()) {
    const names = value.flatMap(({ name, ready }) => (ready === 'True' ? [] : [name]));
    const areOut = await inParallel(names, CONCURRENCY, (name) => isOut(deps, name));
    found.push(...names.filter((_, index) => areOut[index]));
  }
  return found;
};

const sendAll = (deps: PodGcDeps, messages: readonly PodGcMessage[]): Promise<void> =>
  deps.queues.send(
    POD_GC_QUEUE.name,
    messages.map((body) => ({ body })),
  );

const queueUnscheduled = async (deps: PodGcDeps): Promise<void> => {
  for await (const { value } of deps.objects.unboundPods()) {
    const due = value.filter(({ object }) => object.metadata.deletionTimestamp !== undefined);
    const messages = due.map(
      ({ key: { namespace, name }, uid }): PodGcMessage => ({ v: 1, kind: 'pod', namespace, name, uid }),
    );
    if (messages.length > 0) await sendAll(deps, messages);
  }
};

/** Queues everything that pod-gc may have something to do about, as if it had just changed. */
export const sweep = async (deps: PodGcDeps): Promise<SweepReport> => {
  const absent = await absentNodes(deps);
  const out = await nodesOutOfService(deps);
  const former = (await deps.control.sightings('former-node')).map(({ name }) => name);
  const nodes = [...new Set([...absent, ...out, ...former])].map(
    (name): PodGcMessage => ({ v: 1, kind: 'node', name }),
  );
  await sendAll(deps, [...nodes, { v: 1, kind: 'terminated' }]);
  await queueUnscheduled(deps);
  return { absentNodes: absent.size, outOfService: out.length };
};
