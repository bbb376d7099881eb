import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { createPodWorld, podOf } from '../../../support/agent/pods/pod-world.ts';

/** What happens to the pods while agents come and go. */
type Step =
  | { readonly do: 'create' | 'delete' | 'remove' | 'evict'; readonly pod: number }
  | { readonly do: 'exit'; readonly pod: number; readonly container: string; readonly code: number }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'reboot' }
  | { readonly do: 'newAgent'; readonly atCall: number; readonly isAfter: boolean };

const POLICIES = ['Always', 'OnFailure', 'Never', 'Always'] as const;

/** Four pods: plain, with an init container, with a sidecar, with two containers. */
const podNumber = (place: number, version: number) => {
  const extra = [
    {},
    { initContainers: [{ name: 'i', image: 'host' }] },
    { initContainers: [{ name: 's', image: 'host', restartPolicy: 'Always' }] },
    {
      containers: [
        { name: 'c', image: 'host' },
        { name: 'd', image: 'host' },
      ],
    },
  ][place];
  const pod = podOf(`p${place}`, { restartPolicy: POLICIES[place] ?? 'Always', ...extra });
  return { ...pod, metadata: { ...pod.metadata, uid: `uid-${place}-${version}` } };
};

const place = fc.integer({ min: 0, max: 3 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), pod: place }) },
  fc.record({ do: fc.constantFrom('delete' as const, 'remove' as const, 'evict' as const), pod: place }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('exit' as const),
      pod: place,
      container: fc.constantFrom('c', 'd', 'i', 's'),
      code: fc.constantFrom(0, 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.oneof(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 30 }).map((hundredths) => hundredths / 100),
      ),
    }),
  },
  fc.record({ do: fc.constant('reboot' as const) }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('newAgent' as const),
      atCall: fc.integer({ min: 1, max: 60 }),
      isAfter: fc.boolean(),
    }),
  },
);

type World = ReturnType<typeof createPodWorld>;

const evict = (world: World, name: string): void => {
  const pod = world
    .pods()
    .onNode.active()
    .find(({ metadata }) => metadata.name === name);
  const status = (before: object) => ({ ...before, phase: 'Failed' as const, reason: 'Evicted' });
  if (pod)
    void world
      .pods()
      .onNode.end(pod, { isEvicted: true, graceSeconds: 1, status })
      .catch(() => undefined);
};

const play = async (world: World, versions: number[], one: Step): Promise<void> => {
  if (one.do === 'wait') await world.seconds(one.seconds);
  else if (one.do === 'newAgent') {
    world.kill();
    world.startAgent(one);
  } else if (one.do === 'reboot') world.runtime.reboot();
  else if (one.do === 'exit') world.runtime.exit(`p${one.pod}`, one.container, one.code);
  else if (one.do === 'delete') world.api.markDeleted(`p${one.pod}`);
  else if (one.do === 'remove') world.api.remove(`p${one.pod}`);
  else if (one.do === 'evict') evict(world, `p${one.pod}`);
  else if (!world.api.pod(`p${one.pod}`)) {
    versions[one.pod] = (versions[one.pod] ?? 0) + 1;
    world.api.create(podNumber(one.pod, versions[one.pod] ?? 0));
  }
};

const isOver = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Containers of the pod that have ended and are not to run again. */
const endedFor = ({ spec, status }: AgentPod): ReadonlySet<string> =>
  new Set(
    (status?.containerStatuses ?? [])
      .filter(({ state }) => spec.restartPolicy !== 'Always' && state?.terminated)
      .map(({ name }) => name),
  );

/** What has to run of the pod; its status has to say the same. */
const wantedOf = (pod: AgentPod): readonly string[] => {
  const { metadata, spec, status } = pod;
  // As with a kubelet: a pod that must not begin again, and whose sandbox was lost before its main container began, stays Pending.
  const isStuck = spec.restartPolicy === 'Never' && status?.phase === 'Pending';
  if (isOver(status?.phase) || isStuck) return [];
  const ended = endedFor(pod);
  const sidecars = (spec.initContainers ?? []).filter((one) => one.restartPolicy === 'Always');
  const said = (status?.containerStatuses ?? [])
    .filter(({ state }) => state?.running)
    .map(({ name }) => name);
  expect(said).toEqual(spec.containers.map(({ name }) => name).filter((name) => !ended.has(name)));
  return [...sidecars.map(({ name }) => name), ...said].map((name) => `${metadata.name}/${name}`);
};

/** When all waits are over and the init container has ended. */
const quiet = async (world: World): Promise<void> => {
  for (let round = 0; round < 4; round += 1) {
    world.runtime.exit('p1', 'i', 0);
    await world.seconds(400);
  }
};

const expectWanted = (world: World): void => {
  const pods = world.api.all();
  expect(pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
  expect(world.runtime.running()).toEqual(pods.flatMap(wantedOf).toSorted());
  expect(world.runtime.violations).toEqual([]);
  const live = pods.filter(({ status }) => !isOver(status?.phase));
  expect(new Set(world.volumesOf)).toEqual(new Set(live.map(({ metadata }) => metadata.uid)));
};

describe('an agent that is killed at any step', () => {
  it('runs exactly the wanted containers in the end, none twice, and says so', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const world = createPodWorld();
        world.runtime.onStop = () => ({ ms: 700, exitCode: 143 });
        const versions: number[] = [];
        world.startAgent();
        for (const one of steps) await play(world, versions, one);
        world.kill();
        world.startAgent();
        await quiet(world);
        expectWanted(world);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
