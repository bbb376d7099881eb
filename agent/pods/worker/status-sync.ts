/** Sends the statuses of pods, and confirms deletions. Source: kubernetes v1.34 pkg/kubelet/status `manager`. */
import { toTime } from '../../../shared/kube/values/time.ts';
import { createLane, type Lane } from '../../lane.ts';
import type { KnownPods, PodApi } from '../../ports/api/pod-api.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { AgentPod, AgentPodStatus } from '../../rules/containers/agent-pod.ts';
import { type KeptStatus, keptAfter } from '../../rules/pod-actions/kept-status.ts';
import { isSameStatus } from '../../rules/pod-status/status-equality.ts';
import { statusForm } from '../../rules/pod-status/status-form.ts';
import { mergedStatus } from '../../rules/pod-status/status-merge.ts';
import { statusPatch } from '../../rules/pod-status/status-patch.ts';
import { terminatedStatus } from '../../rules/pod-status/terminated-status.ts';
import { canBeDeleted } from '../../rules/pods/deletion-confirmed.ts';
import { isStaticPod } from '../../rules/pods/pod-kind.ts';

export interface StatusSyncDeps {
  readonly api: PodApi;
  readonly pods: KnownPods;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes what went wrong with a pod. The next pass tries again. */
  readonly onFault: (pod: string, fault: string) => void;
}

/** `changed`: statuses that were not sent. `all`: those that differ from what the API says, too, and deletions to confirm. */
export type Pass = 'changed' | 'all';

export interface StatusSync {
  /** The last status that was set for the pod. */
  status(uid: string): AgentPodStatus | undefined;
  /** Keeps the status as it was computed. A pod that is deleted is sent again even if nothing has changed. */
  set(pod: AgentPod, status: AgentPodStatus): void;
  /** Marks the pod as ended: its containers, volumes and cgroup are gone. */
  finish(pod: AgentPod): void;
  /** Forgets the statuses of all pods but these. */
  keepOnly(uids: ReadonlySet<string>): void;
  /** Sends what is to be sent, eight pods at a time, and of each pod one status after the other. Resolves when nothing is being sent. */
  sync(pass: Pass): Promise<void>;
  /** Whether the API has answered the last status that was set for the pod, or there is nothing to send it to. */
  isAnswered(uid: string): boolean;
}

/** A slow API must not keep the last statuses of a machine that goes down from one another. */
const AT_ONCE = 8;

interface State {
  readonly kept: Map<string, KeptStatus>;
  /** The version that was sent last, by uid of the API's pod. */
  readonly sent: Map<string, number>;
  /** What the API answered last, by the same uid. Work that was read before does not show it. */
  readonly answered: Map<string, Answered>;
  /** The version that the API answered last, whatever it said, by uid of the pod. */
  readonly told: Map<string, number>;
  /** Pods of the API that were found to show a status, by that status: neither changes, so they are not compared again. */
  readonly same: WeakMap<AgentPodStatus, AgentPod>;
  /** The pods of which a status is being sent, or waits for its turn. */
  readonly underWay: Set<string>;
  readonly lane: Lane;
}

interface Answered {
  readonly pod: AgentPod;
  /** The `resourceVersion` of the pod as it was known then. */
  readonly knownVersion: string | undefined;
}

/** The pod of the API that shows the status; `undefined`: a static pod without a mirror. */
const shownUid = ({ pods }: StatusSyncDeps, uid: string): string | undefined => {
  const pod = pods.byUid(uid);
  return pod && isStaticPod(pod) ? pods.mirrorOf(uid)?.metadata.uid : uid;
};

/** The pod of the API as it was known or answered last. */
const shownPod = ({ pods }: StatusSyncDeps, { answered }: State, uid: string): AgentPod | undefined => {
  const known = pods.mirrorOf(uid) ?? pods.byUid(uid);
  const answer = answered.get(known?.metadata.uid ?? '');
  return answer && answer.knownVersion === known?.metadata.resourceVersion ? answer.pod : known;
};

/** Whether the API shows another status than the one that is kept: someone else has written it. */
const isForeign = (deps: StatusSyncDeps, state: State, uid: string, { status }: KeptStatus): boolean => {
  const shown = shownPod(deps, state, uid);
  if (!shown || state.same.get(status) === shown) return false;
  if (!isSameStatus(statusForm(shown.spec, shown.status ?? {}), status)) return true;
  state.same.set(status, shown);
  return false;
};

type Due = 'no' | 'unsent' | 'deletable' | 'foreign';

const dueOf = (deps: StatusSyncDeps, state: State, uid: string, kept: KeptStatus, pass: Pass): Due => {
  const shown = shownUid(deps, uid);
  if (shown === undefined) return 'no';
  if ((state.sent.get(shown) ?? 0) < kept.version) return 'unsent';
  if (pass === 'changed') return 'no';
  const pod = deps.pods.byUid(shown);
  if (pod && canBeDeleted(pod, kept.isFinished)) return 'deletable';
  return isForeign(deps, state, uid, kept) ? 'foreign' : 'no';
};

/** A status that someone else has overwritten counts as not sent, so that each pass tries to send it. */
const takeDue = (deps: StatusSyncDeps, state: State, pass: Pass): readonly string[] =>
  [...state.kept].flatMap(([uid, kept]) => {
    const due = dueOf(deps, state, uid, kept, pass);
    if (due === 'foreign') state.sent.delete(shownUid(deps, uid) ?? '');
    return due === 'no' ? [] : [uid];
  });

const written = async (deps: StatusSyncDeps, pod: AgentPod, kept: KeptStatus): Promise<AgentPod> => {
  const next = mergedStatus(pod, {
    old: pod.status ?? {},
    next: kept.status,
    mayRun: deps.pods.mayRun(pod),
    now: toTime(deps.clock.now()),
  });
  const patch = statusPatch(pod, next);
  return patch ? await deps.api.patchStatus(kept.namespace, kept.name, patch) : pod;
};

/** A pod that is not there needs no status; one of another uid is another pod. */
const syncPod = async (deps: StatusSyncDeps, state: State, uid: string, kept: KeptStatus): Promise<void> => {
  const { namespace, name } = kept;
  const found = await deps.api.get(namespace, name);
  if (!found) {
    state.told.set(uid, kept.version);
    return;
  }
  const foundUid = found.metadata.uid ?? '';
  if (foundUid !== shownUid(deps, uid)) {
    state.kept.delete(uid);
    return;
  }
  const known = deps.pods.mirrorOf(uid) ?? deps.pods.byUid(uid);
  const pod = await written(deps, found, kept);
  state.answered.set(foundUid, { pod, knownVersion: known?.metadata.resourceVersion });
  state.sent.set(foundUid, kept.version);
  if (!canBeDeleted(pod, kept.isFinished)) {
    state.told.set(uid, kept.version);
    return;
  }
  await deps.api.delete(namespace, name, foundUid);
  state.kept.delete(uid);
};

/** Versions of pods that are gone are forgotten. */
const clean = (deps: StatusSyncDeps, { kept, sent, answered, told }: State): void => {
  const shown = new Set([...kept.keys()].map((uid) => shownUid(deps, uid)));
  for (const uid of sent.keys()) if (!shown.has(uid)) sent.delete(uid);
  for (const uid of answered.keys()) if (!shown.has(uid)) answered.delete(uid);
  for (const uid of told.keys()) if (!kept.has(uid)) told.delete(uid);
};

/** Sends the status that the pod has when its turn comes, and those that are set meanwhile. What fails is left to the next pass. */
const sendLatest = async (deps: StatusSyncDeps, state: State, uid: string): Promise<void> => {
  let last: KeptStatus | undefined;
  for (let kept = state.kept.get(uid); kept && kept !== last; kept = state.kept.get(uid)) {
    last = kept;
    try {
      await syncPod(deps, state, uid, kept);
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      deps.onFault(`${kept.namespace}/${kept.name}`, fault);
      return;
    }
  }
};

const send = (deps: StatusSyncDeps, state: State, uid: string): void => {
  if (state.underWay.has(uid)) return;
  state.underWay.add(uid);
  state.lane.add(async () => {
    await sendLatest(deps, state, uid);
    state.underWay.delete(uid);
  });
};

const syncDue = async (deps: StatusSyncDeps, state: State, pass: Pass): Promise<void> => {
  if (pass === 'all') clean(deps, state);
  for (const uid of takeDue(deps, state, pass)) send(deps, state, uid);
  await state.lane.idle();
};

const newState = (): State => ({
  kept: new Map(),
  sent: new Map(),
  answered: new Map(),
  told: new Map(),
  same: new WeakMap(),
  underWay: new Set(),
  lane: createLane(AT_ONCE),
});

/** Keeps statuses of pods and sends them. */
export const createStatusSync = (deps: StatusSyncDeps): StatusSync => {
  const state = newState();
  const keep = (pod: AgentPod, status: AgentPodStatus, isFinished: boolean): void => {
    const uid = pod.metadata.uid ?? '';
    const after = keptAfter(pod, state.kept.get(uid), {
      status,
      isFinished,
      isForced: isFinished || pod.metadata.deletionTimestamp !== undefined,
      api: (deps.pods.mirrorOf(uid) ?? pod).status ?? {},
      now: toTime(deps.clock.now()),
    });
    if (typeof after === 'string') deps.onFault(`${pod.metadata.namespace}/${pod.metadata.name}`, after);
    else state.kept.set(uid, after);
  };
  return {
    status: (uid) => state.kept.get(uid)?.status,
    set: (pod, status) => {
      const { generation = 0 } = pod.metadata;
      keep(pod, { ...status, observedGeneration: generation }, false);
    },
    finish: (pod) => {
      const before = state.kept.get(pod.metadata.uid ?? '')?.status ?? pod.status ?? {};
      keep(pod, terminatedStatus(pod, before), true);
    },
    keepOnly: (uids) => {
      for (const uid of state.kept.keys()) if (!uids.has(uid)) state.kept.delete(uid);
    },
    sync: async (pass) => await syncDue(deps, state, pass),
    isAnswered: (uid) => {
      const kept = state.kept.get(uid);
      const isShown = shownUid(deps, uid) !== undefined;
      return !kept || !isShown || (state.told.get(uid) ?? 0) >= kept.version;
    },
  };
};
