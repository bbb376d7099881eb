/** Keeps what a shutdown decides of pods until the API knows it, so that no pod runs again after the machine's restart. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { DecidedEndsStore, Log, PodEnding } from '../ports/machine/shutdown.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { isStaticPod } from '../rules/pods/pod-kind.ts';
import { type DecidedEnd, unsettledEnds } from '../rules/shutdown/decided-ends.ts';
import { endedStatus } from '../rules/shutdown/ended-pod.ts';

export interface DecidedEndsDeps {
  readonly store: DecidedEndsStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

export interface DecidedEnds {
  /** These pods are about to be ended. It is on the disk when this resolves; what cannot be written is told. Static pods run again. */
  decide(pods: readonly Pod[]): Promise<void>;
  /** What the API knows of is forgotten. `pods` are all of the node as the API has them. Before the first call nothing is known of former runs. */
  settle(pods: readonly AgentPod[]): Promise<void>;
  /** How the pod ends, if a run of the agent before this one has decided so, and the API did not know when it was last asked. */
  endingOf(pod: AgentPod): Pick<PodEnding, 'status'> | undefined;
}

/** Of this run of the agent, and of those before. */
interface Ends {
  readonly own: readonly DecidedEnd[];
  readonly former: readonly DecidedEnd[];
}

const NONE: Ends = { own: [], former: [] };

export const createDecidedEnds = ({ store, clock, log }: DecidedEndsDeps): DecidedEnds => {
  let ends = NONE;
  const load = async (): Promise<void> => {
    ends = { own: [], former: await store.load() };
  };
  let last: Promise<void> | undefined;
  /** One change after the other, the first after the file was read. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const safely = (): Promise<void> =>
      work().catch((error: unknown) => log('the pods that a shutdown has ended are not on the disk', error));
    last ??= load().catch((error: unknown) =>
      log('the pods that a shutdown has ended cannot be read', error),
    );
    last = last.then(safely);
    return last;
  };
  const replace = async (next: Ends): Promise<void> => {
    ends = next;
    await store.store([...next.former, ...next.own]);
  };
  const settle = async (pods: readonly AgentPod[]): Promise<void> => {
    const next = { own: unsettledEnds(ends.own, pods), former: unsettledEnds(ends.former, pods) };
    const isNews = next.own.length < ends.own.length || next.former.length < ends.former.length;
    if (isNews) await replace(next);
  };
  return {
    decide: (pods) =>
      inTurn(async () => {
        const ended = pods.filter((pod) => !isStaticPod(pod));
        const uids = new Set(ended.map(({ metadata }) => metadata.uid ?? ''));
        const added = [...uids].map((uid) => ({ uid, at: clock.now() }));
        await replace({ ...ends, own: [...ends.own.filter(({ uid }) => !uids.has(uid)), ...added] });
      }),
    settle: (pods) => inTurn(() => settle(pods)),
    endingOf: (pod) => {
      const end = ends.former.find(({ uid }) => uid === pod.metadata.uid);
      return end && { status: (status) => endedStatus(pod, status, end.at) };
    },
  };
};
