import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import { cliToken, must } from '../support/deployment.ts';
import { changesAfter } from '../support/inspection.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { tolerating } from '../support/tolerations.ts';
import { eventually } from '../support/wait.ts';

const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const WORK = { app: 'work-comes-back' };
const REPLICAS = 4;
const LOST = ['lost-1', 'lost-2'];
const LEFT = ['left-1', 'left-2'];
/** For everything that happens here: an emulator may take seconds for each step. */
const WITHIN_MS = 120_000;

const admin = cliToken('--admin');
const machines: Machine[] = [];

const IN_MY_ZONES = {
  matchExpressions: [
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-lost', 'zone-left'] },
  ],
};

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: WORK.app },
  spec: {
    replicas: REPLICAS,
    selector: { matchLabels: WORK },
    template: {
      metadata: { labels: WORK },
      spec: {
        schedulerName: 'rollcall',
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [IN_MY_ZONES] },
          },
        },
        tolerations: tolerating(2),
        containers: [{ name: 'c', image: 'i' }],
      },
    },
  },
};

const podsOf = async (): Promise<readonly Pod[]> => {
  const path = `${PODS}?labelSelector=app%3D${WORK.app}`;
  return (await must<ApiList<Pod>>({ method: 'GET', path, token: admin })).items;
};

const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** The nodes of the pods that are to stay, when all of them have one. */
const placesOf = async (): Promise<readonly string[] | undefined> => {
  const staying = (await podsOf()).filter((pod) => !isLeaving(pod));
  const places = staying.flatMap(({ spec }) => spec.nodeName ?? []);
  return places.length === REPLICAS ? places.toSorted() : undefined;
};

/** From the creation of each pod to its binding, ms, in the order in which the pods were made. */
const timesToBind = async (revision: number): Promise<readonly number[]> => {
  const createdAt = new Map<string, number>();
  const times = new Map<string, number>();
  const changes = await changesAfter('pods', revision);
  for (const { key, at, object } of changes.filter(({ key: { name } }) => name.startsWith(WORK.app))) {
    const since = createdAt.get(key.name) ?? at;
    createdAt.set(key.name, since);
    if ((object as Pod).spec.nodeName !== undefined && !times.has(key.name)) times.set(key.name, at - since);
  }
  return [...createdAt.keys()].flatMap((name) => times.get(name) ?? []);
};

const start = (names: readonly string[], zone: string): Promise<readonly Machine[]> =>
  Promise.all(names.map((name) => startMachine(admin, name, zone, 'lease')));

beforeAll(async () => {
  machines.push(...(await start(LOST, 'zone-lost')), ...(await start(LEFT, 'zone-left')));
});

afterAll(async () => {
  await must({ method: 'DELETE', path: `${DEPLOYMENTS}/${WORK.app}`, token: admin });
  await Promise.all(machines.map((machine) => machine.leave()));
});

it('the replicas of a lost zone stand in another one, and never more of them than were asked for', async () => {
  const { metadata } = await must<ApiList>({ method: 'GET', path: PODS, token: admin });
  await must({ method: 'POST', path: DEPLOYMENTS, token: admin, body: deployment });
  const first = await eventually('all replicas are bound', WITHIN_MS, placesOf);
  expect(
    first.filter((name) => LOST.includes(name)),
    'replicas in the zone that will be lost',
  ).not.toEqual([]);

  for (const machine of machines) if (LOST.includes(machine.name)) machine.silence();
  const last = await eventually('all replicas are bound in the other zone', WITHIN_MS, async () => {
    const places = await placesOf();
    return places?.every((name) => LEFT.includes(name)) ? places : undefined;
  });
  expect(new Set(last)).toEqual(new Set(LEFT));

  const times = await timesToBind(Number(metadata.resourceVersion));
  expect(times).toHaveLength(REPLICAS + first.filter((name) => LOST.includes(name)).length);
  process.stdout.write(
    `successors on LocalStack, created to bound, ms: ${times.slice(REPLICAS).join(' ')}\n`,
  );
});
