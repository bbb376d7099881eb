/** The probes of all pods. Source: kubernetes v1.34 pkg/kubelet/prober `manager`. */

import type { Clock } from '../ports/machine/clock.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { type Container, isSidecar } from '../rules/containers/container.ts';
import { known, NOT_KNOWN } from '../rules/known.ts';
import type { ProbeKind, ProbeResult } from '../rules/probes/probe-kind.ts';
import type { ProbeSubject, ProbeView } from '../rules/probes/probe-state.ts';
import type { ProbeFinding, ProbeLookup } from '../rules/probes/probed-status.ts';
import type { AskDeps } from './ask.ts';
import { type ProbeWorker, periodMsOf, startProbeWorker } from './probe-worker.ts';

export interface ProbeUpdate {
  readonly uid: string;
  readonly container: string;
  readonly kind: ProbeKind;
  readonly result: ProbeResult;
}

export interface WorkersDeps extends AskDeps {
  readonly clock: Clock;
  readonly view: (uid: string, container: string) => ProbeView;
  /** The pod has to be looked at again. */
  readonly onUpdate: (update: ProbeUpdate) => void;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

export interface ProbeWorkers {
  /** Begins the probes of a pod; those that are made already go on. */
  add(pod: AgentPod): void;
  /** A pod that ends is asked only for its readiness. */
  stopAliveChecks(uid: string): void;
  remove(uid: string): void;
  /** What the probes of the pod know. Before they are made, and after they have ended, that is nothing. */
  lookup(pod: AgentPod): ProbeLookup;
  /** Asks for the readiness of these containers at once. */
  askReadiness(uid: string, containers: readonly string[]): void;
  /** Ends all probes; none begins any more. Nobody sleeps when the agent stops, so probes that went on would follow one another without a pause. */
  close(): void;
}

const FIELDS = {
  Liveness: 'livenessProbe',
  Readiness: 'readinessProbe',
  Startup: 'startupProbe',
} as const;

const KINDS = ['Startup', 'Readiness', 'Liveness'] as const;

interface Subject extends ProbeSubject {
  readonly pod: AgentPod;
  readonly container: Container;
}

/** The containers whose probes are made. */
const probedContainers = ({ spec }: AgentPod): readonly Container[] => [
  ...spec.containers,
  ...(spec.initContainers ?? []).filter(isSidecar),
];

const subjectsOf = (pod: AgentPod): readonly Subject[] =>
  probedContainers(pod).flatMap((container) =>
    KINDS.flatMap((kind) => {
      const probe = container[FIELDS[kind]];
      const canRestart = pod.spec.restartPolicy !== 'Never' || isSidecar(container);
      return probe ? [{ kind, probe, canRestart, pod, container }] : [];
    }),
  );

/** By kind and container. */
type PodWorkers = Map<string, ProbeWorker>;

const keyOf = (kind: ProbeKind, container: string): string => `${kind} ${container}`;

/** What one probe of a container has found out. */
const findingOf = (worker: ProbeWorker | undefined, containerId: string | undefined): ProbeFinding => {
  if (!worker) return NOT_KNOWN;
  const { result, isJudged, containerId: seen } = worker.state();
  return isJudged && result !== undefined && seen === containerId ? known(result) : NOT_KNOWN;
};

/** Probes that begin within their first period after the agent's start are spread over it: all pods of a machine begin then. */
const startDelay = ({ clock, random }: WorkersDeps, beganAt: number, subject: Subject): number => {
  const periodMs = periodMsOf(subject);
  return clock.uptime() - beganAt < periodMs ? random() * periodMs : 0;
};

/** Makes no probe yet. */
export const createProbeWorkers = (deps: WorkersDeps): ProbeWorkers => {
  const pods = new Map<string, PodWorkers>();
  const beganAt = deps.clock.uptime();
  let isClosed = false;
  const start = (uid: string, workers: PodWorkers, subject: Subject): void => {
    const [{ kind }, { name }] = [subject, subject.container];
    const key = keyOf(kind, name);
    if (workers.has(key)) return;
    const worker = startProbeWorker(
      {
        ...deps,
        view: () => deps.view(uid, name),
        onResult: (result) => deps.onUpdate({ uid, container: name, kind, result }),
      },
      subject,
      startDelay(deps, beganAt, subject),
    );
    workers.set(key, worker);
    // A worker that was started anew under this key stays.
    const forget = (): unknown => workers.get(key) === worker && workers.delete(key);
    void worker.ended.then(forget);
  };
  const stop = (uid: string, doesStop: (key: string) => boolean): void => {
    const workers = pods.get(uid);
    for (const [key, worker] of workers ?? []) {
      if (!doesStop(key)) continue;
      worker.stop();
      workers?.delete(key);
    }
  };
  return {
    add: (pod) => {
      if (isClosed) return;
      const { uid = '' } = pod.metadata;
      const workers = pods.get(uid) ?? new Map<string, ProbeWorker>();
      pods.set(uid, workers);
      for (const subject of subjectsOf(pod)) start(uid, workers, subject);
    },
    stopAliveChecks: (uid) => stop(uid, (key) => !key.startsWith('Readiness ')),
    remove: (uid) => {
      stop(uid, () => true);
      pods.delete(uid);
    },
    lookup: (pod) => {
      const workers = pods.get(pod.metadata.uid ?? '');
      const containers = new Map(probedContainers(pod).map((one) => [one.name, one]));
      return (kind, { name, containerID }) =>
        containers.get(name)?.[FIELDS[kind]]
          ? findingOf(workers?.get(keyOf(kind, name)), containerID)
          : 'no probe';
    },
    askReadiness: (uid, containers) => {
      for (const name of containers) pods.get(uid)?.get(keyOf('Readiness', name))?.askNow();
    },
    close: () => {
      isClosed = true;
      for (const uid of pods.keys()) stop(uid, () => true);
      pods.clear();
    },
  };
};
