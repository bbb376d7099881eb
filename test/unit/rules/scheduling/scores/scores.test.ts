import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import { nodeInfo } from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import type { ScorePlugin } from '../../../../../shared/rules/scheduling/cluster/framework.ts';
import { normalized, normalizedReverse } from '../../../../../shared/rules/scheduling/cluster/framework.ts';
import { nodeAffinityScore } from '../../../../../shared/rules/scheduling/filters/node-affinity.ts';
import { taintTolerationScore } from '../../../../../shared/rules/scheduling/filters/taint-toleration.ts';
import { imageLocalityScore } from '../../../../../shared/rules/scheduling/scores/image-locality.ts';
import {
  balancedAllocationScore,
  nodeResourcesFitScore,
} from '../../../../../shared/rules/scheduling/scores/resources-score.ts';
import type { CasePod } from '../../../../support/scheduling/recorded-cases.ts';
import { nodeOf, podOf } from '../../../../support/scheduling/recorded-cases.ts';
import { clusterOf } from '../../../../support/scheduling/scheduling-objects.ts';

type ShortNode = Omit<Parameters<typeof nodeOf>[0], 'name'>;

const clusterWith = (shorts: readonly ShortNode[], bound: readonly CasePod[] = []): Cluster =>
  clusterOf(
    shorts.map((short, index) =>
      nodeInfo(
        nodeOf({ name: `n${index}`, ...short }),
        bound.filter(({ on }) => on === `n${index}`).map(podOf),
      ),
    ),
  );

const scoresBy = (plugin: ScorePlugin, pod: Omit<CasePod, 'name'>, cluster: Cluster) =>
  plugin.score(podOf({ name: 'p', ...pod }), cluster.nodes, cluster);

describe('normalized', () => {
  it('makes the largest count 100 and rounds down (P-06)', () => {
    expect(normalized([1, 2, 3])).toEqual([33, 66, 100]);
    expect(normalizedReverse([1, 2, 3])).toEqual([67, 34, 0]);
  });

  it('leaves zeros, or turns them all into the best (P-06)', () => {
    expect(normalized([0, 0])).toEqual([0, 0]);
    expect(normalizedReverse([0, 0])).toEqual([100, 100]);
  });
});

describe('the score TaintToleration (P-01)', () => {
  const prefer = (...keys: readonly string[]) => ({
    taints: keys.map((key) => ({ key, effect: 'PreferNoSchedule' as const })),
  });

  it('counts untolerated PreferNoSchedule taints; fewer are better', () => {
    const cluster = clusterWith([{}, prefer('a'), prefer('a', 'b')]);
    expect(taintTolerationScore.weight).toBe(3);
    expect(scoresBy(taintTolerationScore, {}, cluster)).toEqual([100, 50, 0]);
  });

  it('is not helped by a toleration of another effect', () => {
    const tolerations = [
      { key: 'a', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'b', operator: 'Exists' },
    ];
    const cluster = clusterWith([prefer('a'), prefer('b')]);
    expect(scoresBy(taintTolerationScore, { spec: { tolerations } }, cluster)).toEqual([0, 100]);
  });
});

describe('the score NodeAffinity (P-02)', () => {
  const preferring = (...terms: readonly (readonly [number, object])[]) => ({
    spec: {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, preference]) => ({
            weight,
            preference,
          })),
        },
      },
    },
  });
  const has = (key: string) => ({ matchExpressions: [{ key, operator: 'Exists' }] });

  it('adds the weights of matching terms', () => {
    const cluster = clusterWith([{ labels: { a: '1' } }, { labels: { b: '1', c: '1' } }, {}]);
    expect(nodeAffinityScore.weight).toBe(2);
    expect(
      scoresBy(nodeAffinityScore, preferring([50, has('a')], [30, has('b')], [30, has('c')]), cluster),
    ).toEqual([83, 100, 0]);
  });

  it('lets an empty term count nothing', () => {
    expect(
      scoresBy(
        nodeAffinityScore,
        preferring([50, {}], [1, has('a')]),
        clusterWith([{ labels: { a: '1' } }, {}]),
      ),
    ).toEqual([100, 0]);
  });

  it('has no say for a pod without preferred terms', () => {
    expect(scoresBy(nodeAffinityScore, {}, clusterWith([{}, {}]))).toBeUndefined();
  });
});

describe('the score NodeResourcesFit (P-03)', () => {
  it.each([
    ['half used', { cpu: '1', memory: '4Gi' }, { cpu: '1', memory: '0' }, 50],
    [
      'rounded down for each resource, then for the mean',
      { cpu: '3', memory: '3Gi' },
      { cpu: '1', memory: '1Gi' },
      66,
    ],
    ['asked for more than there is', { cpu: '1', memory: '1Gi' }, { cpu: '2', memory: '1Gi' }, 0],
    ['nothing asked for', {}, undefined, 97],
    ['a node without cpu', { cpu: '0', memory: '400Mi' }, undefined, 50],
    ['a node with neither', { cpu: '0', memory: '0' }, undefined, 0],
  ])('%s', (_name, alloc, req, score) => {
    expect(scoresBy(nodeResourcesFitScore, req ? { req } : {}, clusterWith([{ alloc }]))).toEqual([score]);
  });

  it('counts bound pods without requests as small ones', () => {
    const cluster = clusterWith([{}], [{ name: 'b', on: 'n0' }]);
    expect(scoresBy(nodeResourcesFitScore, { req: { cpu: '0', memory: '0' } }, cluster)).toEqual([97]);
  });
});

describe('the score NodeResourcesBalancedAllocation (P-04)', () => {
  it.each([
    ['used alike', {}, { cpu: '1', memory: '2Gi' }, 100],
    ['one half, the other not at all', {}, { cpu: '2', memory: '0' }, 75],
    ['more than all counts as all', { cpu: '1' }, { cpu: '4', memory: '8Gi' }, 100],
    ['a node with memory only', { cpu: '0' }, { cpu: '1', memory: '1Gi' }, 100],
  ])('%s', (_name, alloc, req, score) => {
    expect(scoresBy(balancedAllocationScore, { req }, clusterWith([{ alloc }]))).toEqual([score]);
  });

  it('has no say for a pod that asks for neither', () => {
    expect(
      scoresBy(balancedAllocationScore, { req: { 'example.com/gpu': '1' } }, clusterWith([{}])),
    ).toBeUndefined();
  });

  it('does not count bound pods without requests', () => {
    const cluster = clusterWith([{}], [{ name: 'b', on: 'n0' }]);
    expect(scoresBy(balancedAllocationScore, { req: { cpu: '1', memory: '2Gi' } }, cluster)).toEqual([100]);
  });
});

describe('the score ImageLocality (P-05)', () => {
  const image = (name: string, mebibytes: number) => ({
    images: [{ names: [name], sizeBytes: mebibytes * 1024 * 1024 }],
  });

  it.each([
    ['half of the nodes have it', 'img', [image('img:latest', 1000), {}], [48, 0]],
    ['all have it', 'img', [image('img:latest', 1000), image('img:latest', 1000)], [100, 100]],
    ['too small', 'img', [image('img:latest', 40), {}], [0, 0]],
    ['larger than what counts', 'img', [image('img:latest', 9000), {}], [100, 0]],
    ['another tag', 'img:1', [image('img:latest', 1000), {}], [0, 0]],
    ['a registry with a port', 'host:5000/img', [image('host:5000/img:latest', 1000), {}], [48, 0]],
    [
      'other sizes of one image: the first counts',
      'img',
      [image('img:latest', 500), image('img:latest', 1000)],
      [48, 48],
    ],
  ])('%s', (_name, wanted, nodes, scores) => {
    expect(scoresBy(imageLocalityScore, { image: wanted }, clusterWith(nodes))).toEqual(scores);
  });

  it('shares the limit among containers and init containers', () => {
    const spec = {
      containers: [{ name: 'a', image: 'img' }],
      initContainers: [{ name: 'i', image: 'none' }],
    };
    expect(scoresBy(imageLocalityScore, { spec }, clusterWith([image('img:latest', 1000), {}]))).toEqual([
      24, 0,
    ]);
  });
});
