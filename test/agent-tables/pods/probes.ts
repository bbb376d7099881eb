import type { PodEvent } from '../../../agent/ports/api/pod-events.ts';
import { probeRound } from '../../../agent/probes/probe-worker.ts';
import type { ContainerState, ContainerStatus } from '../../../agent/rules/containers/container-status.ts';
import { known, NOT_KNOWN } from '../../../agent/rules/known.ts';
import type { ProbeKind, ProbeResult } from '../../../agent/rules/probes/probe-kind.ts';
import { NEW_PROBE, type ProbeState, type ProbeView } from '../../../agent/rules/probes/probe-state.ts';
import {
  type ProbeFinding,
  type ProbeLookup,
  probedStatus,
  unansweredContainers,
} from '../../../agent/rules/probes/probed-status.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { type Replays, replay } from '../replay.ts';

interface Tick {
  readonly noStatus?: boolean;
  readonly containerID?: string;
  readonly phase?: string;
  readonly state?: 'running' | 'waiting' | 'terminated';
  readonly started?: boolean | null;
  readonly probe?: readonly ('success' | 'warning' | 'failure' | 'unknown' | 'error')[];
}

interface WorkerRow {
  readonly type: ProbeKind;
  readonly deleting: boolean;
  readonly restartPolicy: string;
  readonly sidecar: boolean;
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
  readonly ticks: readonly Tick[];
}

const OUTPUTS: Readonly<Record<string, string>> = { failure: 'out', warning: 'warn' };

/** The table writes the unknown result in capitals. */
const inTable = (result: ProbeResult | undefined): string | null =>
  result === 'Unknown' ? 'UNKNOWN' : (result ?? null);

const stateOf = (tick: Tick, startedAt: string): ContainerState => {
  if (tick.state === 'running') return { running: { startedAt } };
  return tick.state === 'terminated' ? { terminated: { exitCode: 1 } } : { waiting: {} };
};

const viewOf = (tick: Tick, isPodDeleting: boolean, startedAt: string): ProbeView => {
  if (tick.noStatus) return { hasPodEnded: false, isPodDeleting };
  return {
    hasPodEnded: tick.phase === 'Failed' || tick.phase === 'Succeeded',
    isPodDeleting,
    status: {
      name: 'c',
      image: '',
      imageID: '',
      ready: false,
      restartCount: 0,
      containerID: tick.containerID ?? '',
      state: stateOf(tick, startedAt),
      ...(typeof tick.started === 'boolean' && { started: tick.started }),
    },
  };
};

const answering = (tick: Tick) => {
  const { probe: answers = [] } = tick;
  let asked = 0;
  const probe = (): Promise<{ kind: 'success' | 'warning' | 'failure' | 'unknown'; output: string }> => {
    const kind = answers[Math.min(asked, answers.length - 1)] ?? 'unknown';
    asked += 1;
    if (kind === 'error') return Promise.reject(new Error('exec failed'));
    return Promise.resolve({ kind, output: OUTPUTS[kind] ?? '' });
  };
  return { probe, asked: () => asked };
};

const worker = async (row: WorkerRow) => {
  const container = { name: 'c' };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [container] } };
  const canRestart = row.sidecar || row.restartPolicy !== 'Never';
  const subject = { kind: row.type, probe: { ...row }, canRestart, pod, container };
  const startedAt = new Map<string, string>();
  let state: ProbeState = NEW_PROBE;
  const out: unknown[] = [];
  for (const [place, tick] of row.ticks.entries()) {
    const now = place * row.periodSeconds * 1000;
    const id = tick.containerID ?? '';
    if (id !== '' && !startedAt.has(id)) startedAt.set(id, toTime(now));
    const events: string[] = [];
    const prober = answering(tick);
    const record = (_pod: unknown, { type, reason, message }: PodEvent): void => {
      events.push(`${type} ${reason} ${message}`);
    };
    const view = viewOf(tick, row.deleting, startedAt.get(id) ?? '');
    const step = await probeRound({ prober, events: { record } }, subject, state, view, now);
    ({ state } = step);
    const keepGoing = step.next !== 'stop';
    out.push({
      events,
      keepGoing,
      onHold: state.isOnHold,
      probes: prober.asked(),
      result: inTable(state.result),
      updates: step.updates.map((result) => `${state.containerId}=${inTable(result)}`),
    });
    if (!keepGoing) break;
  }
  return out;
};

interface TableProbe {
  readonly result: ProbeResult | 'UNKNOWN' | null;
  readonly workerExists: boolean;
}

interface TableContainer {
  readonly name: string;
  readonly init: boolean;
  readonly restartable: boolean;
  readonly readyBefore: boolean;
  readonly state: string;
  readonly Readiness: TableProbe;
  readonly Startup: TableProbe;
}

/** A kubelet that makes no probe takes the container for ready, and for started unless the last result says otherwise. */
const findingOf = (kind: 'Readiness' | 'Startup', { result, workerExists }: TableProbe): ProbeFinding => {
  if (!workerExists && (kind === 'Readiness' || result === null)) return 'no probe';
  return result === null || result === 'UNKNOWN' ? NOT_KNOWN : known(result);
};

const statusOf = ({ name, readyBefore, state }: TableContainer): ContainerStatus => {
  const [kind, code] = state.split('-');
  return {
    name,
    image: '',
    imageID: '',
    restartCount: 0,
    ready: readyBefore,
    state: kind === 'terminated' ? { terminated: { exitCode: Number(code) } } : { [state]: {} },
  };
};

const podStatus = ({ containers }: { readonly containers: readonly TableContainer[] }) => {
  const [inits, main] = [containers.filter(({ init }) => init), containers.filter(({ init }) => !init)];
  const spec = {
    containers: main.map(({ name }) => ({ name })),
    initContainers: inits.map(({ name, restartable }) => ({
      name,
      ...(restartable && { restartPolicy: 'Always' }),
    })),
  };
  const byName = new Map(containers.map((one) => [one.name, one]));
  const lookup: ProbeLookup = (kind, { name }) => {
    const found = byName.get(name);
    return found && kind !== 'Liveness' ? findingOf(kind, found[kind]) : 'no probe';
  };
  const before = { containerStatuses: main.map(statusOf), initContainerStatuses: inits.map(statusOf) };
  const { containerStatuses = [], initContainerStatuses = [] } = probedStatus(spec, before, lookup, {});
  const unanswered = unansweredContainers(spec, before, lookup);
  return Object.fromEntries(
    [...initContainerStatuses, ...containerStatuses].map((status) => [
      status.name,
      {
        started: status.started,
        ready: status.ready,
        readinessTriggered: unanswered.includes(status.name),
      },
    ]),
  );
};

export const TABLES: Replays = {
  'probe-worker': replay(worker),
  'probe-pod-status': replay(podStatus),
};
