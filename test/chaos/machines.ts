/** The machines of a run: most send heartbeats without a pause, some fall silent for a while again and again. */
import { createMachine, type Machine } from '../../host/fleet/machine.ts';
import { templateOf } from '../../host/fleet/objects.ts';
import type { PlannedMachine } from '../../host/fleet/plan.ts';
import { expectOk } from '../../shared/client/api-client.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import { type Loop, startLoop } from '../../shared/serving/machine/loop.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { Ledger } from './ledger.ts';
import type { Link } from './link.ts';

const BEAT_MS = 1_000;
const BEATS_PER_REPORT = 3;
/** Length of a silence, and time from the beginning of one to that of the next, ms. */
const SILENT_MS = 20_000;
const CYCLE_MS = 30_000;
/** Seconds for which pods tolerate a silent machine. */
const TOLERATIONS = [0, 1, 4, 9];

interface ZonePlan {
  readonly zone: string;
  readonly steady: number;
  /** Machines that fall silent: all of zone b; in zone c too few for a disruption. */
  readonly moody: number;
}

const ZONES: readonly ZonePlan[] = [
  { zone: 'a', steady: 5, moody: 0 },
  { zone: 'b', steady: 0, moody: 3 },
  { zone: 'c', steady: 4, moody: 3 },
];

const isMoody = ({ name }: PlannedMachine): boolean => name.includes('moody');

const planOf = (zone: string, mood: string, index: number, count: number): PlannedMachine => ({
  name: `${zone}-${mood}-${index}`,
  zone,
  kind: index % 2 === 0 ? 'kubelet' : 'plain',
  phase: index / count,
});

const podsOf = (plan: PlannedMachine): readonly Pod[] =>
  isMoody(plan)
    ? TOLERATIONS.map((tolerationSeconds) => {
        const { metadata, spec = {} } = templateOf('web', tolerationSeconds);
        const name = `${plan.name}-${tolerationSeconds}`;
        return {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { ...metadata, name, namespace: 'default' },
          spec: { ...spec, nodeName: plan.name },
        };
      })
    : [];

/** Makes the pods again that were evicted, once the machine has no NoExecute taint. */
const makePods = async ({ link, token }: MachinesDeps, plan: PlannedMachine): Promise<void> => {
  const path = `/api/v1/nodes/${plan.name}`;
  const { spec } = await expectOk<Node>(link.client.call('GET', path, token));
  if (spec?.taints?.some(({ effect }) => effect === 'NoExecute')) return;
  for (const pod of podsOf(plan))
    await expectOk(link.client.call('POST', '/api/v1/namespaces/default/pods', token, pod), [409]);
};

export const PLANS: readonly PlannedMachine[] = ZONES.flatMap(({ zone, steady, moody }) => [
  ...Array.from({ length: steady }, (_, index) => planOf(zone, 'steady', index, steady)),
  ...Array.from({ length: moody }, (_, index) => planOf(zone, 'moody', index, moody)),
]);

export const STEADY: ReadonlySet<string> = new Set(
  PLANS.filter((plan) => !isMoody(plan)).map(({ name }) => name),
);

export interface Machines {
  /** The longest time (ms) between two acknowledged heartbeats of a machine. */
  longestGapMs(name: string): number;
  stop(): Promise<void>;
}

export interface MachinesDeps {
  readonly link: Link;
  readonly ledger: Ledger;
  readonly token: string;
}

interface Beating {
  readonly name: string;
  readonly loop: Loop;
  readonly gapMs: () => number;
}

/** Whether the host answered with an error. A killed host gives no answer, which is no violation. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && error.message.startsWith('the API answered');

const reportAll = async (machine: Machine, deps: MachinesDeps): Promise<void> => {
  await machine.report();
  if (isMoody(machine.plan)) await makePods(deps, machine.plan);
};

const startBeating = (machine: Machine, deps: MachinesDeps): Beating => {
  const { link, ledger } = deps;
  const startedAt = performance.now();
  let [last, longest, beats] = [startedAt, 0, 0];
  const { plan } = machine;
  const isSilent = (): boolean => isMoody(plan) && (performance.now() - startedAt) % CYCLE_MS < SILENT_MS;
  const work = async (): Promise<void> => {
    if (isSilent() || !link.isUp()) return;
    await machine.beat();
    ledger.counts.beats += 1;
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    beats += 1;
    if (beats % BEATS_PER_REPORT === 0) await reportAll(machine, deps);
  };
  const onError = (error: unknown): void => {
    if (isRefusal(error)) ledger.violate(`${plan.name}: ${error.message}`);
  };
  const loop = startLoop({ everyMs: BEAT_MS, firstMs: plan.phase * BEAT_MS, work, onError });
  return { name: plan.name, loop, gapMs: () => longest };
};

/** Registers all machines with their pods, and starts their heartbeats. */
export const startMachines = async (deps: MachinesDeps): Promise<Machines> => {
  const { link, token } = deps;
  const common = { client: link.client, now: () => Date.now(), adminToken: () => token, intervalSeconds: 1 };
  const machines = PLANS.map((plan) => createMachine(plan, common));
  await inParallel(machines, 4, async (machine) => {
    await machine.join();
    await machine.beat();
    await reportAll(machine, deps);
  });
  const beating = machines.map((machine) => startBeating(machine, deps));
  return {
    longestGapMs: (name) => beating.find((one) => one.name === name)?.gapMs() ?? 0,
    stop: async () => void (await Promise.all(beating.map(({ loop }) => loop.stop()))),
  };
};
