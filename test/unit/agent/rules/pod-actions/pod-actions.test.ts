import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import { type BackOff, RESTART_LIMITS } from '../../../../../agent/rules/containers/back-off.ts';
import type { Container } from '../../../../../agent/rules/containers/container.ts';
import type { RuntimeContainer } from '../../../../../agent/rules/containers/runtime-status.ts';
import { type ActionFacts, backOffKey } from '../../../../../agent/rules/pod-actions/action-facts.ts';
import { podActions } from '../../../../../agent/rules/pod-actions/pod-actions.ts';
import type { ProbeResult } from '../../../../../agent/rules/probes/probe-kind.ts';

const NOW = 1_000_000;
const SANDBOX = { createdAt: 500_000 };

type State = 'created' | 'running' | 'unknown' | `exit ${number}`;

interface Case {
  readonly name: string;
  readonly policy?: 'Always' | 'OnFailure' | 'Never';
  /** Names; `s…` are sidecars. */
  readonly inits?: readonly string[];
  readonly mains?: readonly string[];
  readonly ephemeral?: readonly string[];
  readonly there?: Readonly<Record<string, State>>;
  /** In the sandbox before. */
  readonly earlier?: Readonly<Record<string, State>>;
  readonly sandbox?: ActionFacts['sandbox'];
  readonly isEnding?: boolean;
  readonly probes?: Readonly<Record<string, ProbeResult>>;
  readonly specs?: Readonly<Record<string, Partial<Container>>>;
  readonly backOffs?: Readonly<Record<string, BackOff>>;
  /** What is done, in words. */
  readonly does: readonly string[];
}

const containerOf = (state: State, name: string, createdAt: number): RuntimeContainer => {
  const common = {
    id: name,
    name,
    createdAt,
    startedAt: createdAt,
    restartCount: 0,
    image: 'i',
    imageId: '',
    wantedImage: 'i',
  };
  const [, code] = state.split(' ');
  if (code === undefined) return { ...common, state: state as 'created' | 'running' | 'unknown' };
  return { ...common, state: 'exited', exitCode: Number(code), finishedAt: NOW - 1000 };
};

const runtimeOf = ({ there = {}, earlier = {} }: Case): readonly RuntimeContainer[] => [
  ...Object.entries(there).map(([name, state]) => containerOf(state, name, SANDBOX.createdAt + 1)),
  ...Object.entries(earlier).map(([name, state]) => containerOf(state, name, SANDBOX.createdAt - 1)),
];

const specOf = ({
  inits = [],
  mains = ['c0', 'c1'],
  ephemeral = [],
  specs = {},
  policy = 'Always',
}: Case): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: {
    restartPolicy: policy,
    containers: mains.map((name) => ({ name, image: 'i', ...specs[name] })),
    ephemeralContainers: ephemeral.map((name) => ({ name, image: 'i' })),
    initContainers: inits.map((name) => ({
      name,
      image: 'i',
      ...(name.startsWith('s') && { restartPolicy: 'Always' }),
      ...specs[name],
    })),
  },
});

const doneFor = (row: Case): readonly string[] => {
  const pod = specOf(row);
  const { backOffs = {} } = row;
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const actions = podActions({
    pod,
    now: NOW,
    limits: RESTART_LIMITS,
    sandbox: row.sandbox ?? SANDBOX,
    runtime: runtimeOf(row),
    isEnding: row.isEnding ?? false,
    probeResult: (kind, id) => row.probes?.[`${kind} ${id}`],
    backOffs: new Map(
      all.flatMap((one) => (backOffs[one.name] ? [[backOffKey(one), backOffs[one.name]] as const] : [])),
    ) as ReadonlyMap<string, BackOff>,
  });
  return [
    ...(actions.endsAll ? ['end all'] : []),
    ...(actions.createsSandbox ? ['create sandbox'] : []),
    ...actions.stop.map(({ container, message }) => `stop ${container.name}: ${message}`),
    ...[...actions.startEphemeral, ...actions.startInit, ...actions.startMain].map(
      ({ container, restartCount }) => `start ${container.name} #${restartCount}`,
    ),
    ...actions.wait.map(({ container, untilAt }) => `${container.name} waits ${untilAt - NOW} ms`),
  ];
};

const PLAIN: readonly Case[] = [
  {
    name: 'begins in a sandbox',
    sandbox: 'none',
    does: ['end all', 'create sandbox', 'start c0 #0', 'start c1 #0'],
  },
  { name: 'starts what is missing', there: { c0: 'running' }, does: ['start c1 #0'] },
  { name: 'leaves what runs', there: { c0: 'running', c1: 'running' }, does: [] },
  {
    name: 'starts what has failed',
    there: { c0: 'running', c1: 'exit 1' },
    policy: 'OnFailure',
    does: ['start c1 #1'],
  },
  {
    name: 'leaves what has succeeded',
    there: { c0: 'running', c1: 'exit 0' },
    policy: 'OnFailure',
    does: [],
  },
  { name: 'leaves what must not restart', there: { c0: 'running', c1: 'exit 1' }, policy: 'Never', does: [] },
  {
    name: 'ends a pod that is done',
    there: { c0: 'exit 0', c1: 'exit 0' },
    policy: 'OnFailure',
    does: ['end all'],
  },
  {
    name: 'ends a pod that has failed',
    there: { c0: 'exit 0', c1: 'exit 1' },
    policy: 'Never',
    does: ['end all'],
  },
  {
    name: 'ends what is to be ended',
    there: { c0: 'running', c1: 'exit 1' },
    isEnding: true,
    does: ['end all'],
  },
  {
    name: 'ends what may run before it starts it again',
    there: { c0: 'running', c1: 'unknown' },
    does: ['stop c1: Container is in "unknown" state, try killing it before restart', 'start c1 #1'],
  },
  {
    name: 'starts again what was created and not started',
    there: { c0: 'running', c1: 'created' },
    does: ['start c1 #0'],
  },
  {
    name: 'restarts for another image, whatever the policy is',
    there: { c0: 'running', c1: 'running' },
    policy: 'Never',
    specs: { c1: { image: 'j' } },
    does: ['stop c1: Container c1 definition changed, will be restarted', 'start c1 #1'],
  },
];

const PROBED: readonly Case[] = [
  {
    name: 'restarts what is not alive',
    there: { c0: 'running', c1: 'running' },
    probes: { 'Liveness c1': 'Failure' },
    does: ['stop c1: Container c1 failed liveness probe, will be restarted', 'start c1 #1'],
  },
  {
    name: 'stops what has not started',
    there: { c0: 'running', c1: 'running' },
    policy: 'Never',
    probes: { 'Startup c1': 'Failure' },
    does: ['stop c1: Container c1 failed startup probe'],
  },
  {
    name: 'ends the pod whose last container is not alive and must not restart',
    there: { c0: 'exit 0', c1: 'running' },
    policy: 'Never',
    probes: { 'Liveness c1': 'Failure' },
    does: ['end all'],
  },
];

const BACK_OFF: readonly Case[] = [
  {
    name: 'makes a container wait after its second end',
    there: { c0: 'running', c1: 'exit 1' },
    backOffs: { c1: { waitMs: 10_000, decidedAt: NOW - 5000 } },
    does: ['c1 waits 9000 ms'],
  },
  {
    name: 'does not make it wait when it ran for long',
    there: { c0: 'running', c1: 'exit 1' },
    backOffs: { c1: { waitMs: 300_000, decidedAt: NOW - 700_000 } },
    does: ['start c1 #1'],
  },
];

const NEW_SANDBOX: readonly Case[] = [
  {
    name: 'begins again where the sandbox was lost',
    sandbox: 'lost',
    inits: ['i0', 'i1'],
    earlier: { i0: 'exit 0', i1: 'exit 0', c0: 'exit 1', c1: 'exit 0' },
    does: ['end all', 'create sandbox', 'start i0 #1'],
  },
  {
    name: 'does not begin again under Never',
    sandbox: 'lost',
    policy: 'Never',
    earlier: { c0: 'exit 1' },
    does: ['end all'],
  },
  {
    name: 'runs only the containers that have not succeeded under OnFailure',
    sandbox: 'lost',
    policy: 'OnFailure',
    earlier: { c0: 'exit 1', c1: 'exit 0' },
    does: ['end all', 'create sandbox', 'start c0 #1'],
  },
  {
    name: 'ends the pod that was done under OnFailure',
    sandbox: 'lost',
    policy: 'OnFailure',
    earlier: { c0: 'exit 0', c1: 'exit 0' },
    does: ['end all'],
  },
  {
    name: 'does not count init containers of the sandbox before',
    inits: ['i0', 'i1'],
    earlier: { i0: 'exit 0', i1: 'exit 0', c0: 'exit 1' },
    does: ['start i0 #1'],
  },
];

const INITS: readonly Case[] = [
  { name: 'starts the first init container', inits: ['i0', 'i1'], does: ['start i0 #0'] },
  { name: 'waits for an init container', inits: ['i0', 'i1'], there: { i0: 'running' }, does: [] },
  {
    name: 'starts the next init container',
    inits: ['i0', 'i1'],
    there: { i0: 'exit 0' },
    does: ['start i1 #0'],
  },
  {
    name: 'starts the main containers after the last one',
    inits: ['i0', 'i1'],
    there: { i1: 'exit 0' },
    does: ['start c0 #0', 'start c1 #0'],
  },
  { name: 'starts a failed one again', inits: ['i0', 'i1'], there: { i0: 'exit 1' }, does: ['start i0 #1'] },
  {
    name: 'fails the pod with a failed one under Never',
    inits: ['i0', 'i1'],
    policy: 'Never',
    there: { i0: 'exit 1' },
    does: ['end all'],
  },
  {
    name: 'knows from a main container that init containers were done',
    inits: ['i0', 'i1'],
    there: { c0: 'running' },
    does: ['start c1 #0'],
  },
];

const SIDECARS: readonly Case[] = [
  {
    name: 'goes on once a sidecar runs',
    inits: ['s0', 'i1'],
    there: { s0: 'running' },
    does: ['start i1 #0'],
  },
  {
    name: 'waits until a sidecar has started',
    inits: ['s0', 'i1'],
    there: { s0: 'running' },
    specs: { s0: { startupProbe: {} } },
    does: [],
  },
  {
    name: 'goes on once its start-up probe says so',
    inits: ['s0', 'i1'],
    there: { s0: 'running' },
    specs: { s0: { startupProbe: {} } },
    probes: { 'Startup s0': 'Success' },
    does: ['start i1 #0'],
  },
  {
    name: 'restarts a sidecar that does not start',
    inits: ['s0', 'i1'],
    policy: 'Never',
    there: { s0: 'running' },
    specs: { s0: { startupProbe: {} } },
    probes: { 'Startup s0': 'Failure' },
    does: ['stop s0: Init container s0 failed startup probe', 'start s0 #1'],
  },
  {
    name: 'restarts a sidecar that has ended, beside the others',
    inits: ['s0', 'i1'],
    policy: 'Never',
    there: { s0: 'exit 0', i1: 'exit 0', c0: 'running', c1: 'running' },
    does: ['start s0 #1'],
  },
  {
    name: 'restarts a sidecar that is not alive, and goes on',
    inits: ['s0', 'i1'],
    there: { s0: 'running' },
    specs: { s0: { livenessProbe: {} } },
    probes: { 'Liveness s0': 'Failure' },
    does: ['stop s0: Init container s0 failed liveness probe', 'start s0 #1', 'start i1 #0'],
  },
  {
    name: 'does not keep a pod alive for its sidecars',
    inits: ['s0'],
    policy: 'OnFailure',
    there: { s0: 'running', c0: 'exit 0', c1: 'exit 0' },
    does: ['end all'],
  },
];

const EPHEMERAL: readonly Case[] = [
  {
    name: 'J-231: starts an ephemeral container beside the others',
    ephemeral: ['e0'],
    there: { c0: 'running', c1: 'running' },
    does: ['start e0 #0'],
  },
  {
    name: 'J-231: starts an ephemeral container before the init containers are done',
    ephemeral: ['e0'],
    inits: ['i0'],
    there: { i0: 'running' },
    does: ['start e0 #0'],
  },
  {
    name: 'J-231: starts an ephemeral container once, whatever became of it',
    ephemeral: ['e0', 'e1', 'e2'],
    there: { c0: 'running', c1: 'running', e0: 'exit 1', e1: 'running', e2: 'created' },
    does: ['start e2 #0'],
  },
  {
    name: 'J-231: does not start an ephemeral container again in a new sandbox',
    ephemeral: ['e0'],
    there: { c0: 'running', c1: 'running' },
    earlier: { e0: 'exit 0' },
    does: [],
  },
  {
    name: 'J-231: starts no ephemeral container in a pod that is over, nor keeps it alive for one',
    ephemeral: ['e0', 'e1'],
    policy: 'Never',
    there: { c0: 'exit 0', c1: 'exit 0', e0: 'running' },
    does: ['end all'],
  },
];

describe('podActions', () => {
  it.each([...EPHEMERAL, ...PLAIN, ...PROBED, ...BACK_OFF, ...NEW_SANDBOX, ...INITS, ...SIDECARS])(
    '$name',
    (row) => {
      expect(doneFor(row)).toEqual(row.does);
    },
  );

  it('remembers a restart, so that the next end waits', () => {
    const pod = specOf({ name: '', mains: ['c0'], does: [] });
    const { startMain } = podActions({
      pod,
      now: NOW,
      limits: RESTART_LIMITS,
      sandbox: SANDBOX,
      isEnding: false,
      runtime: [containerOf('exit 1', 'c0', SANDBOX.createdAt + 1)],
      probeResult: () => undefined,
      backOffs: new Map(),
    });
    expect(startMain.map(({ backOff }) => backOff)).toEqual([{ waitMs: 10_000, decidedAt: NOW }]);
  });
});
