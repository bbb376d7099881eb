/** Tries the pods of a node that drains, and counts what is left. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import { type EpochMs, earliest } from '../../../shared/kube/values/time.ts';
import type { LiveRow } from '../../../shared/ports/store/rows.ts';
import { drainStep } from '../../../shared/rules/drain/drain-pods.ts';
import type { BlockedPod, DrainProgress } from '../../../shared/rules/drain/drain-progress.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { DrainDeps, DrainReport } from '../deps.ts';
import { type EvictDeps, type SharedNode, type TriedPod, tryPod } from './evict-pod.ts';
import { knownBudgets } from './known-budgets.ts';

/** Pods that are tried at the same time: their transactions all check the row of the node, and get into each other's way. */
const CONCURRENCY = 8;

interface TriedRow {
  readonly pod: LiveRow;
  /** `undefined`: the time of the run, or that of the drain, was over. */
  readonly tried: TriedPod | undefined;
}

/** What became of the pods of a node. */
export interface EvictedPods {
  readonly progress: DrainProgress;
  readonly counts: Pick<DrainReport, 'evicted' | 'deleted' | 'refused' | 'failed'> & {
    readonly error?: unknown;
  };
}

const nameOf = ({ key: { namespace, name } }: LiveRow): string => `${namespace}/${name}`;

const evictDeps = ({ objects, clock, ids, writer, holds }: DrainDeps): EvictDeps => {
  const lister = createLister({ objects, clock, ids });
  const deps = { objects, clock, ids, writer, lister, config: { computeBudgets: true } };
  return { ...deps, holds, budgets: knownBudgets(deps) };
};

const tryAll = (
  deps: DrainDeps,
  pods: readonly LiveRow[],
  shared: SharedNode,
  until: EpochMs,
): Promise<readonly TriedRow[]> => {
  const evicting = evictDeps(deps);
  return inParallel(pods, CONCURRENCY, async (pod) => ({
    pod,
    tried: deps.clock.now() < until ? await tryPod(pod, shared, evicting) : undefined,
  }));
};

const waitingOf = (rows: readonly TriedRow[]): readonly BlockedPod[] =>
  rows.flatMap(({ pod, tried }) => (tried && 'why' in tried ? [{ pod: nameOf(pod), why: tried.why }] : []));

/** Until when (ms) holds keep the pods that they keep; the earliest counts. */
const heldUntil = (rows: readonly TriedRow[]): EpochMs | undefined =>
  earliest(rows.map(({ tried }) => (tried?.outcome === 'held' ? tried.until : undefined)));

const isStopping = ({ tried }: TriedRow): boolean => !!tried && 'isStopping' in tried && tried.isStopping;

const countsOf = (rows: readonly TriedRow[]): EvictedPods['counts'] => {
  const count = (outcome: TriedPod['outcome']): number =>
    rows.filter(({ tried }) => tried?.outcome === outcome).length;
  const failed = rows.find(({ tried }) => tried?.outcome === 'failed')?.tried;
  return {
    evicted: count('evicted'),
    deleted: count('deleted'),
    refused: count('waits'),
    failed: count('failed'),
    ...(failed?.outcome === 'failed' ? { error: failed.error } : {}),
  };
};

/** Tries the pods that may go of the request, but begins with none at or after `until` (ms), and lets none go once its deadline is over. Never throws. */
export const evictPods = async (
  deps: DrainDeps,
  pods: readonly LiveRow[],
  shared: SharedNode,
  until: EpochMs,
): Promise<EvictedPods> => {
  const { request } = shared.node ?? {};
  const now = deps.clock.now();
  const judged = request
    ? pods.map((pod) => ({ pod, decision: drainStep(pod.object as Pod, request, now) }))
    : [];
  const due = judged.filter(({ decision: { step } }) => step === 'evict' || step === 'delete');
  const rows = await tryAll(
    deps,
    due.map(({ pod }) => pod),
    shared,
    until,
  );
  const waits = judged.filter(({ decision: { step } }) => step === 'wait').length;
  const progress = {
    terminating: waits + rows.filter(isStopping).length,
    untried: rows.filter(({ tried }) => tried === undefined).length,
    waiting: waitingOf(rows),
    ...optional('heldUntil', heldUntil(rows)),
    refused: judged.flatMap(({ pod, decision }) =>
      decision.step === 'refuse' ? [{ pod: nameOf(pod), why: decision.refusals }] : [],
    ),
  };
  return { progress, counts: countsOf(rows) };
};
