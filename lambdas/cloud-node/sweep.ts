/** Finds what a lost message left. */

import { TAINT_OUT_OF_SERVICE } from '../../shared/kube/types/well-known.ts';
import { chunksOf } from '../../shared/kube/values/chunks-of.ts';
import type { NodeHealthRow } from '../../shared/rules/nodes/node-health.ts';
import type { CloudNodeDeps } from './deps.ts';
import { CLOUD_NODE_QUEUE } from './queue.ts';
import { NODES_OF_MESSAGE } from './routing.ts';

/** Milliseconds between two sweeps of all Nodes. Those that are not ready are looked at by each sweep. */
const FULL_MS = 60 * 60_000;

const FULL_SWEEP = { topic: 'cloud-sweep', name: '' } as const;

export interface SweepReport {
  /** Nodes that are not ready. */
  readonly notReady: number;
  /** Nodes that the sweep has queued a look at. */
  readonly queued: number;
}

const isFullDue = async ({ clock, control }: CloudNodeDeps): Promise<boolean> => {
  const last = await control.sighting(FULL_SWEEP);
  const now = clock.now();
  if (last && last.since <= now && now - last.since < FULL_MS) return false;
  return control.replaceSighting(FULL_SWEEP, last, { ...FULL_SWEEP, uid: '', since: now });
};

const sendAll = async ({ queues }: CloudNodeDeps, names: readonly string[]): Promise<void> => {
  await queues.send(
    CLOUD_NODE_QUEUE.name,
    chunksOf(names, NODES_OF_MESSAGE).map((some) => ({
      body: { v: 1, kind: 'nodes', names: some, isSwept: true },
    })),
  );
};

/** Proofs of nodes that are down, and ends of those that are back. */
const sendProofs = async (
  { queues }: CloudNodeDeps,
  silent: readonly string[],
  back: readonly string[],
): Promise<void> => {
  const proofs = chunksOf(silent, NODES_OF_MESSAGE).map((names) => ({ kind: 'proofs', names }));
  const ends = back.map((name) => ({ kind: 'back', name }));
  await queues.send(
    CLOUD_NODE_QUEUE.name,
    [...proofs, ...ends].map((message) => ({ body: { v: 1, ...message, isSwept: true } })),
  );
};

const isTainted = ({ noExecute }: NodeHealthRow): boolean =>
  noExecute.some(({ key }) => key === TAINT_OUT_OF_SERVICE);

/** Drains that clouds have announced, and that are due. */
const sendDue = async ({ clock, control, queues }: CloudNodeDeps): Promise<void> => {
  const planned = await control.sightings('planned-drain');
  const due = planned.filter(({ since }) => since <= clock.now());
  await queues.send(
    CLOUD_NODE_QUEUE.name,
    due.map(({ name }) => ({ body: { v: 1, kind: 'due', name } })),
  );
};

/** Queues looks at the Nodes that are not ready, and once an hour at all Nodes; and drains that are due. */
export const sweep = async (deps: CloudNodeDeps): Promise<SweepReport> => {
  if (deps.cloud) await sendDue(deps);
  const isFull = await isFullDue(deps);
  let [notReady, queued] = [0, 0];
  for await (const { value } of deps.objects.nodeHealth()) {
    const silent = value.filter(({ ready }) => ready !== 'True');
    const due = isFull ? value : silent;
    if (deps.cloud)
      await sendAll(
        deps,
        due.map(({ name }) => name),
      );
    const wantsProofs = isFull || deps.fencing || deps.config.outOfService.policy === 'proven';
    await sendProofs(
      deps,
      (wantsProofs ? silent : []).filter((row) => !isTainted(row)).map(({ name }) => name),
      value.filter((row) => row.ready === 'True' && isTainted(row)).map(({ name }) => name),
    );
    notReady += silent.length;
    queued += due.length;
  }
  return { notReady, queued };
};
