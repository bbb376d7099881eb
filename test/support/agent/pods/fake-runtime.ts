/** A runtime in memory. It stays while agents come and go, as containers do. */

import type { Clock } from '../../../../agent/ports/machine/clock.ts';
import type {
  ContainerSpec,
  PodIdentity,
  Runtime,
  RuntimePod,
  SandboxSpec,
} from '../../../../agent/ports/machine/runtime.ts';
import type { RuntimeContainer } from '../../../../agent/rules/containers/runtime-status.ts';

interface FakePod {
  readonly pod: PodIdentity;
  sandboxCreatedAt: number | undefined;
  containers: RuntimeContainer[];
}

export interface FakeRuntime extends Runtime {
  /** All starts, as `pod/container #restartCount`. */
  readonly starts: string[];
  readonly specs: ContainerSpec[];
  /** Those that were made. */
  readonly sandboxes: SandboxSpec[];
  /** What must never happen. */
  readonly violations: string[];
  /** Ends a container that runs. */
  exit(pod: string, container: string, exitCode: number): void;
  /** Names of what runs, as `pod/container`. */
  running(): readonly string[];
  /** The machine was started again. */
  reboot(): void;
  /** How a container takes its stop signal: how long it takes, and with which code it ends. */
  onStop: (container: string) => { readonly ms: number; readonly exitCode: number };
  /** Why a sandbox cannot be made. */
  sandboxFault: () => Error | undefined;
  /** Why the start of a container fails. */
  startFault: (spec: ContainerSpec) => Error | undefined;
  execs: (command: readonly string[]) => { readonly exitCode?: number; readonly output: string };
}

/** A start goes on without the agent that asked for it. */
const START_MS = 20;

export const createFakeRuntime = (clock: Pick<Clock, 'now' | 'sleep'>): FakeRuntime => {
  const pods = new Map<string, FakePod>();
  const listeners = new Set<(uid: string) => void>();
  const starts: string[] = [];
  const specs: ContainerSpec[] = [];
  const sandboxes: SandboxSpec[] = [];
  const violations: string[] = [];
  let last = 0;
  const find = (id: string): readonly [FakePod, RuntimeContainer] | undefined => {
    for (const pod of pods.values()) for (const one of pod.containers) if (one.id === id) return [pod, one];
    return undefined;
  };
  const change = (pod: FakePod, id: string, next: Partial<RuntimeContainer>): void => {
    pod.containers = pod.containers.map((one) => (one.id === id ? { ...one, ...next } : one));
    for (const call of listeners) call(pod.pod.uid);
  };
  const finish = (pod: FakePod, { id }: RuntimeContainer, exitCode: number): void =>
    change(pod, id, {
      state: 'exited',
      exitCode,
      finishedAt: clock.now(),
      reason: exitCode === 0 ? 'Completed' : 'Error',
    });
  const started = async (id: string): Promise<string> => {
    while (find(id)?.[1].state === 'created') await clock.sleep(START_MS);
    return id;
  };
  const viewOf = ({ pod, containers, sandboxCreatedAt }: FakePod): RuntimePod => ({
    pod,
    containers,
    measure: { cgroup: `/${pod.uid}`, containers: [] },
    ...(sandboxCreatedAt !== undefined && { sandboxCreatedAt }),
  });
  const fake: FakeRuntime = {
    isolation: 'oci',
    starts,
    specs,
    sandboxes,
    violations,
    onStop: () => ({ ms: 0, exitCode: 0 }),
    sandboxFault: () => undefined,
    startFault: () => undefined,
    execs: () => ({ exitCode: 0, output: '' }),
    facts: async () => ({ type: 'fake', handlers: [] }),
    missing: () => [],
    pods: async () => [...pods.values()].map(viewOf),
    pod: async (uid) => {
      const found = pods.get(uid);
      return found && viewOf(found);
    },
    createSandbox: async (spec) => {
      const { pod } = spec;
      const fault = fake.sandboxFault();
      if (fault) throw fault;
      const there = pods.get(pod.uid);
      if (there?.containers.some(({ state }) => state === 'running'))
        violations.push(`sandbox of ${pod.name} twice`);
      sandboxes.push(spec);
      pods.set(pod.uid, { pod, sandboxCreatedAt: clock.now(), containers: there?.containers ?? [] });
    },
    startContainer: async (spec) => {
      const pod = pods.get(spec.pod.uid);
      const name = `${spec.pod.name}/${spec.name}`;
      if (!pod) throw new Error(`${name} has no sandbox`);
      const fault = fake.startFault(spec);
      if (fault) throw fault;
      const same = pod.containers.filter((one) => one.name === spec.name);
      const again = same.find((one) => one.restartCount === spec.restartCount);
      if (again) return await started(again.id);
      if (same.some(({ state }) => state === 'running' || state === 'created'))
        violations.push(`${name} runs twice`);
      last += 1;
      starts.push(`${name} #${spec.restartCount}`);
      specs.push(spec);
      const id = `fake://${last}`;
      pod.containers.push({
        id,
        name: spec.name,
        state: 'created',
        createdAt: clock.now(),
        restartCount: spec.restartCount,
        image: spec.image,
        imageId: '',
        wantedImage: spec.image,
      });
      void clock.sleep(START_MS).then(() => {
        if (find(id)?.[1].state === 'created') change(pod, id, { state: 'running', startedAt: clock.now() });
      });
      return await started(id);
    },
    stopContainer: async (id, timeoutSeconds) => {
      const name = find(id)?.[1].name ?? '';
      const { ms, exitCode } = fake.onStop(name);
      await clock.sleep(Math.min(ms, timeoutSeconds * 1000));
      const there = find(id);
      if (there && there[1].state !== 'exited') finish(...there, ms > timeoutSeconds * 1000 ? 137 : exitCode);
    },
    removeContainer: async (id) => {
      const there = find(id);
      if (there) there[0].containers = there[0].containers.filter((one) => one.id !== id);
    },
    bindContainer: async () => undefined,
    removePod: async (uid) => {
      if (pods.get(uid)?.containers.some(({ state }) => state === 'running'))
        violations.push(`${uid} removed while it runs`);
      pods.delete(uid);
    },
    exec: async (_id, command) => fake.execs(command),
    onChange: (callback) => {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    exit: (name, container, exitCode) => {
      for (const pod of pods.values())
        for (const one of pod.containers)
          if (pod.pod.name === name && one.name === container && one.state === 'running')
            finish(pod, one, exitCode);
    },
    running: () =>
      [...pods.values()]
        .flatMap(({ pod, containers }) =>
          containers.filter(({ state }) => state === 'running').map((one) => `${pod.name}/${one.name}`),
        )
        .toSorted(),
    reboot: () => {
      for (const pod of pods.values()) {
        pod.sandboxCreatedAt = undefined;
        for (const one of pod.containers) if (one.state !== 'exited') finish(pod, one, 137);
      }
    },
  };
  return fake;
};
