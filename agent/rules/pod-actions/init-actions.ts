/** What is to be done for the init containers of a pod. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `computeInitContainerActions`. */
import { type Container, isSidecar } from '../containers/container.ts';
import type { RuntimeContainer } from '../containers/runtime-status.ts';
import { type ActionFacts, type ContainerStop, isChanged } from './action-facts.ts';

export interface InitActions {
  /** Whether main containers may run. */
  readonly isInitialized: boolean;
  /** Whether an init container has failed for good: the pod has failed. */
  readonly hasFailed: boolean;
  /** In the order of the specification. */
  readonly start: readonly Container[];
  readonly stop: readonly ContainerStop[];
}

type Latest = ReadonlyMap<string, RuntimeContainer>;

/** What follows from one init container. `next`: the one after it may begin. */
interface Verdict {
  readonly next?: true;
  readonly failed?: true;
  readonly restart?: true;
  readonly stop?: Omit<ContainerStop, 'container' | 'id'>;
}

const stopAs = (message: string, reason: ContainerStop['reason'] = 'other'): Verdict => ({
  restart: true,
  stop: { message, reason },
});

const NOT_KNOWN = 'Init container is in "unknown" state, try killing it before restart';

/** A sidecar counts as done once it has started; it is started again whatever the pod's policy is. */
const runningSidecar = (
  container: Container,
  there: RuntimeContainer,
  { probeResult }: ActionFacts,
): Verdict => {
  const startup = container.startupProbe ? probeResult('Startup', there.id) : 'Success';
  if (startup === 'Failure')
    return stopAs(`Init container ${container.name} failed startup probe`, 'startupProbe');
  if (startup !== 'Success') return {};
  if (isChanged(container, there))
    return { next: true, ...stopAs(`Init container ${container.name} definition changed`) };
  const isAlive = !container.livenessProbe || probeResult('Liveness', there.id) !== 'Failure';
  if (isAlive) return { next: true };
  return {
    next: true,
    ...stopAs(`Init container ${container.name} failed liveness probe`, 'livenessProbe'),
  };
};

const afterFailure = ({ pod }: ActionFacts, verdict: Verdict): Verdict =>
  pod.spec.restartPolicy === 'Never' ? { failed: true } : verdict;

const verdictOn = (container: Container, there: RuntimeContainer, facts: ActionFacts): Verdict => {
  const sidecar = isSidecar(container);
  if (there.state === 'created') return { restart: true };
  if (there.state === 'running') return sidecar ? runningSidecar(container, there, facts) : {};
  if (there.state === 'exited') {
    if (sidecar) return { restart: true };
    return there.exitCode === 0 ? { next: true } : afterFailure(facts, { restart: true });
  }
  return sidecar ? stopAs(NOT_KNOWN) : afterFailure(facts, stopAs(NOT_KNOWN));
};

/** A main container of this sandbox says that all init containers were done, even if the runtime has them no more. */
const hasMainBegun = ({ pod }: ActionFacts, latest: Latest): boolean =>
  pod.spec.containers.some(({ name }) => {
    const state = latest.get(name)?.state;
    return state === 'created' || state === 'running';
  });

/** An init container and what follows from it. */
interface Judged extends Verdict {
  readonly container: Container;
  readonly id: string;
}

/** A sidecar that the runtime has no more is started again. */
const judged = (facts: ActionFacts, latest: Latest, container: Container): Judged => {
  const there = latest.get(container.name);
  const verdict: Verdict = there ? verdictOn(container, there, facts) : { restart: true };
  return { ...verdict, container, id: there?.id ?? '' };
};

/**
 * The last init container that the runtime has tells how far the pod is, for earlier ones may have been removed. The ones before it
 * are done, and only their sidecars have to run.
 */
export const initActions = (facts: ActionFacts, latest: Latest): InitActions => {
  const inits = facts.pod.spec.initContainers ?? [];
  const isDone = inits.length === 0 || hasMainBegun(facts, latest);
  const reached = isDone ? inits.length : inits.findLastIndex(({ name }) => latest.has(name));
  const all = inits
    .filter((one, place) => place === reached || (place < reached && isSidecar(one)))
    .map((one) => judged(facts, latest, one));
  const mayGoOn = reached < 0 || all.at(-1)?.next === true;
  const follower = mayGoOn && !isDone ? inits.slice(reached + 1, reached + 2) : [];
  return {
    isInitialized: isDone || (mayGoOn && reached === inits.length - 1),
    hasFailed: all.some(({ failed }) => failed),
    start: [...all.filter(({ restart }) => restart).map(({ container }) => container), ...follower],
    stop: all.flatMap(({ stop, container, id }) => (stop ? [{ ...stop, container, id }] : [])),
  };
};
