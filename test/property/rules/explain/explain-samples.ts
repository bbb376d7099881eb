/** What explanations say about all objects of a world at an instant. */

import type { ExplainDeps } from '../../../../shared/apiserver/explain/explain-deps.ts';
import { explainNode } from '../../../../shared/apiserver/explain/explain-node.ts';
import { explainPod } from '../../../../shared/apiserver/explain/explain-pod.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import type { Answer } from '../../../../shared/rules/explain/explanation.ts';
import { DEFAULT_SCHEDULER } from '../../../../shared/rules/scheduling/pending.ts';
import type { BadDay } from '../../../support/planes/bad-day.ts';
import * as fleet from '../../../support/planes/fleet.ts';

/** The answers about one object at one instant. */
export interface Sample {
  readonly at: number;
  readonly answers: ReadonlyMap<string, Answer>;
  /** For a node itself, for a pod that of its node. */
  readonly node: string;
  /** The latest beat of the node. */
  readonly beatAt: number;
  /** States and rates of all zones. */
  readonly zones: string;
  /** The object is gone. */
  readonly isEnd?: true;
}

const explainDeps = ({ plane }: BadDay): ExplainDeps => ({
  ...plane.state,
  clock: plane.clock,
  config: { nodeLifecycle: plane.config, schedulerName: DEFAULT_SCHEDULER },
  mayRead: async () => true,
});

const rowsOf = async ({ plane }: BadDay, resource: string): Promise<readonly LiveRow[]> =>
  (await plane.state.objects.page({ resource, namespace: '' })).rows;

const beatOf = async ({ plane }: BadDay, name: string): Promise<number> =>
  (await plane.state.heartbeats.read(fleet.leaseKey(name)))?.observedAt ?? 0;

const zonesOf = async ({ plane }: BadDay): Promise<string> =>
  JSON.stringify(
    (await plane.state.control.zones()).map(({ id, state, limiter }) => [id, state, limiter.rate]),
  );

const sampleOf = async (
  day: BadDay,
  row: LiveRow,
  explain: (deps: ExplainDeps, row: LiveRow) => Promise<readonly Answer[]>,
): Promise<Sample> => {
  const node = row.key.resource === 'nodes' ? row.key.name : ((row.object as Pod).spec.nodeName ?? '');
  const answers = await explain(explainDeps(day), row);
  const byQuestion = new Map(
    answers.map((answer) => [`${answer.question} ${answer.about ?? ''}`.trimEnd(), answer]),
  );
  return {
    at: day.plane.clock.now(),
    answers: byQuestion,
    node,
    beatAt: await beatOf(day, node),
    zones: await zonesOf(day),
  };
};

/** Explains all nodes and pods, and keeps the answers by uid. */
export const look = async (day: BadDay, samples: Map<string, Sample[]>): Promise<void> => {
  const [nodes, pods] = [await rowsOf(day, 'nodes'), await rowsOf(day, 'pods')];
  const keep = (uid: string, sample: Sample): void => {
    samples.set(uid, [...(samples.get(uid) ?? []), sample]);
  };
  for (const row of nodes) keep(row.uid, await sampleOf(day, row, explainNode));
  for (const row of pods) keep(row.uid, await sampleOf(day, row, explainPod));
};
