import { expect, it } from 'vitest';
import { localStorageFault } from '../../../../../agent/rules/eviction/local-storage.ts';
import { rankedForEviction } from '../../../../../agent/rules/eviction/rank.ts';
import { unmeasuredPods } from '../../../../../agent/rules/eviction/unmeasured.ts';
import type { PodStats } from '../../../../../agent/rules/stats/summary.ts';
import type { Pod } from '../../../../../shared/kube/types/core.ts';

const LAYOUT = { hasImageFs: false, hasContainerFs: false };

const aPod = (spec: object, name = 'p'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: { containers: [{ name: 'c' }], ...spec },
});

const statsOf = (more: Partial<PodStats>, name = 'p'): PodStats => ({
  podRef: { name, namespace: 'default', uid: name },
  containers: [{ name: 'c' }],
  volume: [],
  ...more,
});

const LIMITED = { containers: [{ name: 'c', resources: { limits: { 'ephemeral-storage': '1Gi' } } }] };
const VOLUME = { volumes: [{ name: 'e', emptyDir: { sizeLimit: '10Mi' } }] };

it.each([
  ['a limit of a container', LIMITED, 1, undefined],
  ['a limit of a container', LIMITED, 2, undefined],
  ['a limit of a container', LIMITED, 3, 'ephemeralpodfs.limit'],
  ['a limit of a volume', VOLUME, 2, undefined],
  ['a limit of a volume', VOLUME, 3, 'emptydirfs.limit'],
  ['a limit of a volume', VOLUME, 4, 'emptydirfs.limit'],
  [
    'a limit of memory',
    { containers: [{ name: 'c', resources: { limits: { memory: '1Gi' } } }] },
    9,
    undefined,
  ],
  ['a volume without a limit', { volumes: [{ name: 'e', emptyDir: {} }] }, 9, undefined],
  [
    'a volume with a limit of nothing',
    { volumes: [{ name: 'e', emptyDir: { sizeLimit: '0' } }] },
    9,
    undefined,
  ],
])('a pod with %s (%o) that could not be measured %i times: %s', (_, spec, unmeasured, signal) => {
  expect(localStorageFault(aPod(spec), statsOf({ unmeasured }), LAYOUT)?.signal).toBe(signal);
});

it('a pod says why it is evicted; one that was not measured yet is not evicted', () => {
  expect(localStorageFault(aPod(VOLUME), statsOf({ unmeasured: 3 }), LAYOUT)?.message).toBe(
    'Usage of local storage, which has a limit, could not be measured 3 times in a row. ',
  );
  expect(localStorageFault(aPod(VOLUME), statsOf({}), LAYOUT)).toBeUndefined();
});

it('a pod whose storage is unknown goes first where the disk is short, and not where memory is', () => {
  const [hidden, large] = [aPod({}, 'hidden'), aPod({}, 'large')];
  const stats = new Map([
    ['hidden', statsOf({ unmeasured: 1, memory: { workingSetBytes: 1 } }, 'hidden')],
    ['large', statsOf({ volume: [{ name: 'e', usedBytes: 10 }], memory: { workingSetBytes: 2 } }, 'large')],
  ]);
  const first = (signal: Parameters<typeof rankedForEviction>[2]) =>
    rankedForEviction([large, hidden], ({ metadata }) => stats.get(metadata.name ?? ''), signal, LAYOUT)[0]
      ?.metadata.name;
  expect(first('nodefs.available')).toBe('hidden');
  expect(first('nodefs.inodesFree')).toBe('hidden');
  expect(first('memory.available')).toBe('large');
});

it('a pod is told of once, until it was measured again', () => {
  const [a, b] = [statsOf({ unmeasured: 1 }, 'a'), statsOf({}, 'b')];
  const first = unmeasuredPods([a, b], new Set());
  expect([...first.toTell]).toEqual(['a']);
  const second = unmeasuredPods(
    [statsOf({ unmeasured: 2 }, 'a'), statsOf({ unmeasured: 1 }, 'b')],
    first.uids,
  );
  expect([...second.toTell]).toEqual(['b']);
  const third = unmeasuredPods([statsOf({}, 'a')], second.uids);
  expect([...third.toTell, ...third.uids]).toEqual([]);
});
