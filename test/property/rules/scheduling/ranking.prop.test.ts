/** Pods that share a ranking go where an attempt of each of them, by the same nodes, might have sent them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPicture } from '../../../../lambdas/scheduler/picture/picture.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import {
  type Attempt,
  decidePlacement,
  type Placement,
  scoreNodes,
} from '../../../../shared/rules/scheduling/decide-placement.ts';
import { prepare } from '../../../../shared/rules/scheduling/feasible-nodes.ts';
import { DEFAULT_PROFILE } from '../../../../shared/rules/scheduling/plugins.ts';
import { placeByRanking, rankingAfter } from '../../../../shared/rules/scheduling/ranking.ts';
import { placedPod, zoned } from '../../../support/scheduling/scheduling-objects.ts';

const IMAGES = ['web:1', 'db:1'];
const HUNDRED_MIB = 104_857_600;
const ZONE = 'topology.kubernetes.io/zone';

const node = fc.record({
  zone: fc.constantFrom('a', 'b', 'c'),
  cpu: fc.constantFrom('1', '2', '4'),
  memory: fc.constantFrom('1Gi', '4Gi'),
  images: fc.subarray(IMAGES),
  hasTaint: fc.boolean(),
  isFast: fc.boolean(),
});
type NodeParts = typeof node extends fc.Arbitrary<infer T> ? T : never;

const nodeOf = ({ zone, cpu, memory, images, hasTaint, isFast }: NodeParts, index: number): Node => {
  const base = zoned(`${zone}${index}`, isFast ? { disk: 'fast' } : {});
  const taints = hasTaint ? [{ key: 'old', effect: 'PreferNoSchedule' as const }] : [];
  return {
    ...base,
    kind: 'Node',
    spec: { taints },
    status: {
      allocatable: { cpu, memory, pods: '6' },
      images: images.map((name) => ({ names: [name], sizeBytes: HUNDRED_MIB })),
    },
  };
};

const labelSelector = { matchLabels: { app: 'web' } };
const affinityTerm = { topologyKey: ZONE, labelSelector };
/** What a template may ask for besides cpu and memory. */
const SPECS = {
  nothing: {},
  'a fast disk rather': {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 5, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } },
        ],
      },
    },
  },
  'a port of the host': { hostPort: 80 },
  'to be alone in a zone': {
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm] } },
  },
  'to be together in a zone': {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm] } },
  },
  'even zones': {
    topologySpreadConstraints: [
      { topologyKey: ZONE, labelSelector, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
    ],
  },
  'a claim': { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'own' } }] },
} as const;

const template = fc.record({
  asks: fc.constantFrom(...(Object.keys(SPECS) as (keyof typeof SPECS)[])),
  cpu: fc.constantFrom('100m', '700m', undefined),
  image: fc.constantFrom(...IMAGES, 'other:1'),
});
type Template = typeof template extends fc.Arbitrary<infer T> ? T : never;

const podOf = ({ asks, cpu, image }: Template, name: string, nodeName?: string): Pod => {
  const { hostPort, ...spec } = { hostPort: undefined, ...SPECS[asks] };
  const ports = hostPort === undefined ? {} : { ports: [{ hostPort, containerPort: hostPort }] };
  const requests = cpu === undefined ? {} : { resources: { requests: { cpu, memory: '64Mi' } } };
  const pod = placedPod({
    name,
    spec: {
      containers: [{ name: 'c', image, ...requests, ...ports }],
      ...spec,
      ...(nodeName && { nodeName }),
    },
  });
  return { ...pod, kind: 'Pod', metadata: { ...pod.metadata, uid: name } };
};

const aService = (): ApiObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', uid: 'service' },
    spec: { selector: { app: 'web' } },
  }) as ApiObject;

const world = fc.record({
  nodes: fc.array(node, { minLength: 2, maxLength: 8 }),
  others: fc.array(fc.record({ template, place: fc.nat(7) }), { maxLength: 4 }),
  hasService: fc.boolean(),
  template,
  chances: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 2, maxLength: 10 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const pictureOf = ({ nodes, others, hasService }: World) => {
  const picture = createPicture();
  const made = nodes.map(nodeOf);
  for (const after of made) picture.apply({ after });
  for (const [index, { template: own, place }] of others.entries()) {
    const nodeName = made[place % made.length]?.metadata.name ?? '';
    picture.apply({ after: podOf(own, `other-${index}`, nodeName) });
  }
  if (hasService) picture.apply({ after: aService() });
  return picture;
};

/** What an attempt finds: it looks at all nodes of a small cluster. */
const expectAsFull = (pod: Pod, { cluster }: Attempt, { scores, feasible, nodeName }: Placement): void => {
  const infos = feasible.flatMap((name) => cluster.byName.get(name) ?? []);
  const readiness = prepare(pod, cluster, DEFAULT_PROFILE.filters);
  if ('fault' in readiness) throw new Error(readiness.fault);
  const { judge } = readiness;
  const taking = cluster.nodes.filter((info) => judge(info) === undefined);
  expect(new Set(taking.map((info) => info.node.metadata.name))).toEqual(new Set(feasible));
  const full = scoreNodes(pod, infos, cluster, DEFAULT_PROFILE.scores);
  expect(scores.map(({ total }) => total)).toEqual(full.map(({ total }) => total));
  expect(scores.map(({ byPlugin }) => byPlugin)).toEqual(full.map(({ byPlugin }) => byPlugin));
  const best = Math.max(...full.map(({ total }) => total));
  expect(full.find((one) => one.nodeName === nodeName)?.total).toBe(best);
};

it('a ranking gives the scores of a full attempt at the same nodes, as long as it holds (N-11)', () => {
  let shared = 0;
  fc.assert(
    fc.property(world, (given) => {
      const picture = pictureOf(given);
      const [first = 0, ...more] = given.chances;
      const attempt = (chance: number): Attempt => ({ cluster: picture.cluster(), chance });
      const assume = (pod: Pod, nodeName: string): void =>
        picture.assume({ ...pod, spec: { ...pod.spec, nodeName } });
      const begin = podOf(given.template, 'pod');
      const found = decidePlacement(begin, attempt(first));
      if (!('nodeName' in found)) return;
      assume(begin, found.nodeName);
      let ranking = rankingAfter(begin, found);
      for (const [index, chance] of more.entries()) {
        if (!ranking) return;
        const pod = podOf(given.template, `pod-${index}`);
        const now = attempt(chance);
        const ranked = placeByRanking(pod, ranking, now);
        if (!ranked) return;
        shared += 1;
        expectAsFull(pod, now, ranked.placement);
        assume(pod, ranked.placement.nodeName);
        ranking = ranked.ranking;
      }
    }),
    { numRuns: 2_000 },
  );
  expect(shared).toBeGreaterThan(200);
});
