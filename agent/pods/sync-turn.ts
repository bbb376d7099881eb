/** One turn of a pod that is to run: reads what runs, does what is next, and tells its status. Source: kubernetes v1.34 pkg/kubelet `SyncPod`. */

import type { PodEvent } from '../ports/api/pod-events.ts';
import type { RuntimePod } from '../ports/machine/runtime.ts';
import { isTerminalPhase } from '../rules/containers/agent-pod.ts';
import { RESTART_LIMITS } from '../rules/containers/back-off.ts';
import { backOffEvent, backOffMessage } from '../rules/containers/back-off-text.ts';
import { isSidecar } from '../rules/containers/container.ts';
import { NOT_ISOLATED } from '../rules/plain/plain-mode.ts';
import type { ActionFacts, ContainerStart, PodActions } from '../rules/pod-actions/action-facts.ts';
import { podActions } from '../rules/pod-actions/pod-actions.ts';
import { isByRuntime } from '../rules/pods/isolation.ts';
import { podBounds } from '../rules/pods/resource-bounds.ts';
import { podLogFolder } from '../rules/runtime/pod-log-folder.ts';
import { identityOf } from './containers/container-spec.ts';
import { holdBack, isHeldBack, RETRY_MS } from './containers/delay-retry.ts';
import { mayRun } from './containers/running-containers.ts';
import { runtimeHandlerOf } from './containers/runtime-handler.ts';
import { startContainer } from './containers/start-container.ts';
import { type StopResult, stopContainer, stopContainers } from './containers/stop-containers.ts';
import { stopDeps } from './containers/stop-deps.ts';
import { volumesReady } from './containers/volumes-ready.ts';
import { deadlineAt, publishStatus, tellDeadline } from './publish-status.ts';
import { unlessInterrupted } from './worker/interrupt.ts';
import type { PodDeps } from './worker/worker-deps.ts';
import { type PodState, uidOf } from './worker/worker-state.ts';

/** When a pod is looked at again though nothing has happened: volumes may have changed. */
export const RESYNC_MS = 60_000;

const sandboxOf = (there: RuntimePod | undefined): ActionFacts['sandbox'] => {
  if (!there) return 'none';
  return there.sandboxCreatedAt === undefined ? 'lost' : { createdAt: there.sandboxCreatedAt };
};

const actionsFor = (deps: PodDeps, state: PodState, there: RuntimePod | undefined): PodActions => {
  const { pod, backOffs } = state;
  const lookup = deps.probes.lookup(pod);
  const runtime = there?.containers ?? [];
  const names = new Map(runtime.map(({ id, name }) => [id, name]));
  return podActions({
    pod,
    runtime,
    sandbox: sandboxOf(there),
    isEnding: false,
    backOffs,
    probeResult: (kind, id) => {
      const finding = lookup(kind, {
        name: names.get(id) ?? '',
        containerID: id,
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
      });
      return finding !== 'no probe' && finding.isKnown ? finding.value : undefined;
    },
    limits: RESTART_LIMITS,
    now: deps.clock.now(),
  });
};

/** A wait is told once. */
const tellWaits = (
  { events }: PodDeps,
  { pod, startErrors, toldWaits }: PodState,
  { wait }: PodActions,
): void => {
  for (const { container, waitMs, untilAt } of wait) {
    const { name } = container;
    startErrors.set(name, { reason: 'CrashLoopBackOff', message: backOffMessage(pod, name, waitMs) });
    if (toldWaits.get(name) === untilAt) continue;
    toldWaits.set(name, untilAt);
    events.record(pod, {
      type: 'Warning',
      reason: 'BackOff',
      message: backOffEvent(pod, name),
      container: name,
    });
  }
};

const failures = (results: readonly StopResult[]): readonly string[] =>
  results.flatMap(({ error }) => error ?? []);

const stopAll = async (deps: PodDeps, state: PodState, there: RuntimePod | undefined): Promise<void> => {
  const { pod } = state;
  const running = mayRun(pod, there);
  const stopping = stopContainers(stopDeps(deps), pod, running).then((results) => {
    const [first] = failures(results);
    if (first !== undefined) throw new Error(first);
  });
  await unlessInterrupted(state, stopping);
};

const createSandbox = async (deps: PodDeps, { pod }: PodState): Promise<void> => {
  const { runtime, node, resources, view } = deps;
  const bounds = podBounds(pod, node.podPidsLimit);
  const hostname = pod.spec['hostname'];
  const identity = identityOf(pod);
  await runtime.createSandbox({
    pod: identity,
    hostname: typeof hostname === 'string' && hostname !== '' ? hostname : identity.name,
    bounds: resources?.podBounds(pod, bounds) ?? bounds,
    logFolder: podLogFolder(node.logFolder, identity),
    ...runtimeHandlerOf(deps, pod),
    ...(isByRuntime(runtime.isolation) && { source: pod }),
  });
  // The containers are told the pod's addresses.
  if (isByRuntime(runtime.isolation)) await view.readPod(uidOf(pod));
};

const stopSome = async (deps: PodDeps, state: PodState, { stop }: PodActions): Promise<void> => {
  const stops = stop.map(async ({ container, id, message, reason }) => {
    await stopContainer(stopDeps(deps), state.pod, { id, container }, { message, reason });
  });
  await unlessInterrupted(state, Promise.all(stops));
};

type Started = 'all' | 'some' | 'cut';

/** Starts one after the other; `cut`: one failed without which no other may start, or the pod is to be ended. */
const startAll = async (
  deps: PodDeps,
  state: PodState,
  starts: readonly ContainerStart[],
  isNeeded: (start: ContainerStart) => boolean,
): Promise<Started> => {
  let started: Started = 'all';
  for (const start of starts) {
    if (state.interrupt.signal.aborted) return 'cut';
    if (await startContainer(deps, state, start)) continue;
    if (isNeeded(start)) return 'cut';
    started = 'some';
  }
  return started;
};

const makeSandbox = async (
  deps: PodDeps,
  state: PodState,
  there: RuntimePod | undefined,
  { createsSandbox }: PodActions,
): Promise<void> => {
  if (!createsSandbox) return;
  const record = (type: PodEvent['type'], reason: string, message: string): void =>
    deps.events.record(state.pod, { type, reason, message });
  if (there) record('Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
  try {
    await createSandbox(deps, state);
    const { plain } = deps.runtime;
    if (plain && !there) record('Warning', NOT_ISOLATED, plain.warning);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    holdBack(deps, state, '');
    record('Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${text}`);
    throw error;
  }
};

/** Returns whether all of it was done. */
const act = async (
  deps: PodDeps,
  state: PodState,
  there: RuntimePod | undefined,
  actions: PodActions,
): Promise<boolean> => {
  if (actions.createsSandbox && isHeldBack(deps, state, '')) return false;
  if (actions.endsAll) await stopAll(deps, state, there);
  await stopSome(deps, state, actions);
  if (state.interrupt.signal.aborted) return false;
  await makeSandbox(deps, state, there, actions);
  const ephemeral = await startAll(deps, state, actions.startEphemeral, () => false);
  const inits = await startAll(deps, state, actions.startInit, ({ container }) => !isSidecar(container));
  if (inits === 'cut') return false;
  const mains = await startAll(deps, state, actions.startMain, () => false);
  return [ephemeral, inits, mains].every((started) => started === 'all');
};

const hasWork = (actions: PodActions, there: RuntimePod | undefined, state: PodState): boolean =>
  (actions.endsAll && mayRun(state.pod, there).length > 0) ||
  actions.createsSandbox ||
  [actions.stop, actions.startEphemeral, actions.startInit, actions.startMain].some(
    ({ length }) => length > 0,
  );

/** How long nothing is to be done unless something happens. */
const pauseOf = (deps: PodDeps, state: PodState, { wait }: PodActions): number => {
  const deadline = deadlineAt(deps, state) ?? Number.POSITIVE_INFINITY;
  const next = Math.min(deadline, ...wait.map(({ untilAt }) => untilAt)) - deps.clock.now();
  return Math.min(RESYNC_MS, Math.max(0, next));
};

const readPod = ({ view }: PodDeps, { pod }: PodState): Promise<RuntimePod | undefined> =>
  view.readPod(uidOf(pod));

/** Does the work of a turn, and tells the status after it. */
const work = async (
  deps: PodDeps,
  state: PodState,
  there: RuntimePod | undefined,
  actions: PodActions,
): Promise<number> => {
  try {
    const isDone = await act(deps, state, there, actions);
    return isDone ? 0 : RETRY_MS;
  } finally {
    publishStatus(deps, state, await readPod(deps, state));
  }
};

/** Returns after how many milliseconds the next turn is due, unless the pod is woken before. */
export const syncTurn = async (deps: PodDeps, state: PodState): Promise<number> => {
  const there = await readPod(deps, state);
  tellDeadline(deps, state);
  const { phase } = publishStatus(deps, state, there);
  if (isTerminalPhase(phase)) {
    state.stage = 'ending';
    return 0;
  }
  deps.probes.add(state.pod);
  if (!(await volumesReady(deps, state))) return RETRY_MS;
  const actions = actionsFor(deps, state, there);
  tellWaits(deps, state, actions);
  if (hasWork(actions, there, state)) return await work(deps, state, there, actions);
  if (actions.wait.length > 0) publishStatus(deps, state, there);
  return pauseOf(deps, state, actions);
};
