/** Stands in for the kubelets of nodes: pods that are bound run at once, and those to be deleted are gone at once. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Pod } from '../../shared/kube/types/core.ts';
import { runningStatus } from './objects.ts';

/** Sends a request to the API, and gives the body of an answer that is no error. */
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

const PERIOD_MS = 200;

/** A pod with this label is left alone. */
const UNATTENDED = 'unattended';

const pathOf = ({ metadata }: Pod): string =>
  `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;

const containersOf = ({ spec }: Pod): readonly string[] =>
  (spec['containers'] as readonly { readonly name: string }[]).map(({ name }) => name);

/** Whether a node is one that is stood in for. */
type Attends = (node: string) => boolean;

const isAttended = ({ metadata, spec }: Pod, attends: Attends): boolean =>
  spec.nodeName !== undefined && attends(spec.nodeName) && metadata.labels?.[UNATTENDED] === undefined;

const attend = async (call: Call, pod: Pod): Promise<void> => {
  if (pod.metadata.deletionTimestamp !== undefined) {
    const preconditions = { uid: pod.metadata.uid };
    await call('DELETE', pathOf(pod), { gracePeriodSeconds: 0, preconditions });
  } else if (pod.status?.phase === 'Pending') {
    const status = runningStatus(containersOf(pod), new Date());
    await call('PATCH', `${pathOf(pod)}/status`, { metadata: { uid: pod.metadata.uid }, status });
  }
};

const attendAll = async (call: Call, attends: Attends): Promise<void> => {
  const { items } = await call<{ readonly items: readonly Pod[] }>('GET', '/api/v1/pods');
  const attended = items.filter((pod) => isAttended(pod, attends));
  await Promise.allSettled(attended.map((pod) => attend(call, pod)));
};

interface Kubelets {
  /** Between two looks. */
  readonly periodMs?: number;
  /** All nodes by default. */
  readonly attends?: Attends;
}

/** Looks again and again until it is stopped; a host that is being restarted is waited for. */
export const startKubelets = (call: Call, { periodMs = PERIOD_MS, attends = () => true }: Kubelets = {}) => {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await attendAll(call, attends).catch(() => {});
      await wait(periodMs);
    }
  };
  const running = run();
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
};
