import type { Node, Pod, Taint, Toleration } from '../../../shared/kube/types/core.ts';
import type { LifecyclePolicy, LifecyclePolicySpec } from '../../../shared/kube/types/lifecycle-policy.ts';
import type { Condition, ConditionStatus } from '../../../shared/kube/types/meta.ts';
import {
  LABEL_ZONE,
  NODE_LEASE_NAMESPACE,
  READY,
  TAINT_NOT_READY,
  TAINT_UNREACHABLE,
} from '../../../shared/kube/types/well-known.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import type { LiveRow } from '../../../shared/ports/store/rows.ts';
import { liveRow, nodeKey } from '../../../shared/ports/store/rows.ts';
import { markUnknown } from '../../../shared/rules/nodes/node-conditions.ts';
import { LIFECYCLE_POLICIES } from '../../../shared/rules/policies/policy-order.ts';
import type { ControlPlane } from '../../../simulation/plane/control-plane-types.ts';

const DAY_MS = 86_400_000;

let created = 0;

const freshUid = (name: string): string => {
  created += 1;
  return `${name}-${created}`;
};

const readyCondition = (status: ConditionStatus, now: number): Condition => ({
  type: READY,
  status,
  lastHeartbeatTime: toTime(now),
  lastTransitionTime: toTime(now),
  reason: 'KubeletReady',
});

const podKey = (name: string) => ({ resource: 'pods', namespace: 'default', name });

export interface NewNode {
  readonly zone?: string;
  /** Ready as its kubelet reports it; absent for a node that has never reported. */
  readonly ready?: ConditionStatus;
  readonly taints?: readonly Taint[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Of its status, which it has if it has `ready`. */
  readonly bootID?: string;
}

export const addNode = async (plane: ControlPlane, name: string, given: NewNode = {}): Promise<string> => {
  const uid = freshUid(name);
  await plane.writer.write(nodeKey(name), (_, now) => {
    const labels = { ...given.labels, ...(given.zone === undefined ? {} : { [LABEL_ZONE]: given.zone }) };
    const next: Node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, uid, creationTimestamp: toTime(now), labels },
      spec: { taints: given.taints ?? [] },
      ...(given.ready
        ? {
            status: {
              conditions: [readyCondition(given.ready, now)],
              ...optional('nodeInfo', given.bootID === undefined ? undefined : { bootID: given.bootID }),
            },
          }
        : {}),
    };
    return { next, writer: 'client' };
  });
  return uid;
};

/** Writes what the monitor writes for a node whose grace period is over. */
export const silence = async (plane: ControlPlane, name: string): Promise<void> => {
  await plane.writer.write(nodeKey(name), (row, now) => {
    if (row?.state !== 'live') return undefined;
    return { next: markUnknown(row.object, now), writer: 'controller' };
  });
};

export const removeNode = async (plane: ControlPlane, name: string): Promise<void> => {
  await plane.writer.write(nodeKey(name), () => ({ next: 'delete', writer: 'client' }));
};

export const changeNode = async (
  plane: ControlPlane,
  name: string,
  change: (node: Node) => Node,
): Promise<void> => {
  await plane.writer.write(nodeKey(name), (row) =>
    row?.state === 'live' ? { next: change(row.object), writer: 'client' } : undefined,
  );
};

/** Writes the status with this Ready as a kubelet does, which also counts as a heartbeat. */
export const postReady = async (
  plane: ControlPlane,
  name: string,
  status: ConditionStatus,
): Promise<void> => {
  const now = plane.clock.now();
  await changeNode(plane, name, (node) => ({
    ...node,
    status: {
      ...node.status,
      conditions: [
        ...(node.status?.conditions ?? []).filter(({ type }) => type !== READY),
        readyCondition(status, now),
      ],
    },
  }));
  await beat(plane, name);
};

export const beat = async (
  plane: Pick<ControlPlane, 'clock' | 'state'>,
  node: string,
  source: 'plain' | 'status' = 'status',
): Promise<void> => {
  const at = plane.clock.now();
  await plane.state.heartbeats.beat({ node, source, at, expiresAt: at + DAY_MS });
};

/** Sends a heartbeat every ten seconds for each name in the set. */
export const keepBeating = (
  plane: ControlPlane,
  alive: ReadonlySet<string>,
  source: 'plain' | 'status' = 'status',
): void => {
  const loop = async (): Promise<void> => {
    for (;;) {
      for (const name of alive) await beat(plane, name, source);
      await plane.clock.sleep(10_000);
    }
  };
  void loop();
};

export interface NewPod {
  readonly node?: string;
  readonly tolerations?: readonly Toleration[];
  readonly graceSeconds?: number;
  readonly phase?: 'Running' | 'Succeeded';
}

/** Tolerations of the not-ready and unreachable taints, for this many seconds or without an end. */
export const staying = (seconds?: number): readonly Toleration[] =>
  [TAINT_NOT_READY, TAINT_UNREACHABLE].map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
  }));

export const addPod = async (plane: ControlPlane, name: string, given: NewPod = {}): Promise<string> => {
  const uid = freshUid(name);
  await plane.writer.write(podKey(name), (_, now) => {
    const next: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', uid, generation: 1, creationTimestamp: toTime(now) },
      spec: {
        tolerations: given.tolerations ?? staying(300),
        terminationGracePeriodSeconds: given.graceSeconds ?? 30,
        ...(given.node === undefined ? {} : { nodeName: given.node }),
      },
      status: { phase: given.phase ?? 'Running', conditions: [readyCondition('True', now)] },
    };
    return { next, writer: 'client' };
  });
  return uid;
};

export const changePod = async (
  plane: ControlPlane,
  name: string,
  change: (pod: Pod) => Pod | 'delete',
): Promise<void> => {
  await plane.writer.write(podKey(name), (row) =>
    row?.state === 'live' ? { next: change(row.object as Pod), writer: 'client' } : undefined,
  );
};

const live = async (plane: ControlPlane, key: ReturnType<typeof nodeKey>): Promise<LiveRow | undefined> => {
  const row = await plane.state.objects.read(key);
  return row?.state === 'live' ? row : undefined;
};

export const nodeRow = (plane: ControlPlane, name: string) => live(plane, nodeKey(name));

export const readNode = async (plane: ControlPlane, name: string): Promise<Node> => {
  const row = await nodeRow(plane, name);
  if (!row) throw new Error(`no node ${name}`);
  return row.object;
};

export const readPod = async (plane: ControlPlane, name: string): Promise<Pod | undefined> =>
  (await live(plane, podKey(name)))?.object as Pod | undefined;

export const readyOf = async (plane: ControlPlane, name: string): Promise<string | undefined> =>
  (await readNode(plane, name)).status?.conditions?.find(({ type }) => type === READY)?.status;

/** `key:Effect` of each taint, without the common prefix. */
export const taintsOf = async (plane: ControlPlane, name: string): Promise<readonly string[]> =>
  ((await readNode(plane, name)).spec?.taints ?? []).map(
    ({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`,
  );

export const deadlineOf = async (plane: ControlPlane, pod: string) =>
  (await plane.state.control.deadlines([{ namespace: 'default', name: pod }]))[0];

export const leaseKey = (name: string) => ({ namespace: NODE_LEASE_NAMESPACE, name });

/** `reason: message` of every Event, in the order in which they were written. */
export const eventsOf = (plane: ControlPlane): readonly string[] =>
  plane.commits.flatMap(({ change: { after } }) => {
    if (after?.state !== 'live' || after.key.resource !== 'events') return [];
    const { reason, message } = after.object as { reason?: string; message?: string } & LiveRow['object'];
    return [`${reason}: ${message}`];
  });

/** Instants (ms since the start of the plane's commits) at which nodes got their NoExecute taint. */
export const taintInstants = (
  plane: ControlPlane,
): readonly { readonly node: string; readonly at: number }[] =>
  plane.commits.flatMap(({ at, change: { before, after } }) => {
    const had = before?.state === 'live' ? (before.facts.node?.noExecute.length ?? 0) : 0;
    const has = after?.state === 'live' ? (after.facts.node?.noExecute.length ?? 0) : 0;
    return has > had && after ? [{ node: after.key.name, at }] : [];
  });

/** Stores a policy, or replaces its spec as a client does. */
export const setPolicy = async (
  plane: Pick<ControlPlane, 'writer'>,
  name: string,
  spec: LifecyclePolicySpec,
): Promise<void> => {
  await plane.writer.write({ resource: LIFECYCLE_POLICIES, namespace: '', name }, (row, now) => {
    const metadata = liveRow(row)?.object.metadata ?? {
      name,
      uid: freshUid(name),
      generation: 0,
      creationTimestamp: toTime(now),
    };
    const generation = (metadata.generation ?? 0) + 1;
    const stored: LifecyclePolicy | undefined = liveRow(row)?.object;
    const next: LifecyclePolicy = {
      kind: 'NodeLifecyclePolicy',
      apiVersion: 'rollcall.dev/v1',
      metadata: { ...metadata, generation },
      spec,
      status: stored?.status ?? {},
    };
    return { next, writer: 'client' };
  });
};

export const removePolicy = async (plane: Pick<ControlPlane, 'writer'>, name: string): Promise<void> => {
  const key = { resource: LIFECYCLE_POLICIES, namespace: '', name };
  await plane.writer.write(key, () => ({ next: 'delete', writer: 'client' }));
};

export const policyOf = async (
  { state }: Pick<ControlPlane, 'state'>,
  name: string,
): Promise<LifecyclePolicy | undefined> =>
  liveRow(await state.objects.read({ resource: LIFECYCLE_POLICIES, namespace: '', name }))?.object;
