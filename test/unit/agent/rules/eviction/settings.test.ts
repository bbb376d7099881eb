import { describe, expect, it } from 'vitest';
import { decodeKubeletConfig } from '../../../../../agent/rules/config/kubelet-config.ts';
import { evictionSettings } from '../../../../../agent/rules/eviction/settings.ts';

const ONE_DISK = { hasImageFs: false, hasContainerFs: false };

const settingsOf = (fields: Readonly<Record<string, unknown>>) =>
  evictionSettings(
    decodeKubeletConfig({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      ...fields,
    }),
    'linux',
    ONE_DISK,
  );

describe('the settings of eviction', () => {
  it('have Kubernetes defaults', () => {
    const found = settingsOf({});
    if ('error' in found) throw new Error(found.error);
    expect(found.settings).toMatchObject({
      limitsLocalStorage: true,
      maxPodGracePeriodSeconds: 0,
      pressureTransitionMs: 300_000,
    });
    expect(found.settings.thresholds.map(({ signal }) => signal)).toEqual([
      'memory.available',
      'nodefs.available',
      'imagefs.available',
      'nodefs.inodesFree',
      'imagefs.inodesFree',
      'allocatableMemory.available',
      'containerfs.available',
      'containerfs.inodesFree',
    ]);
  });

  it('say which threshold of the user does not hold', () => {
    expect(settingsOf({ evictionHard: { 'containerfs.available': '5%' } })).toMatchObject({
      ignored: 'found containerfs.available for hard eviction. ignoring',
    });
  });

  it.each([
    [
      { evictionHard: { 'mem.available': '1Gi' } },
      'evictionHard: unsupported eviction signal mem.available; give signals such as memory.available a quantity such as 100Mi or a percentage such as 10%',
    ],
    [
      { evictionSoft: { 'memory.available': '1Gi' } },
      'evictionSoftGracePeriod: grace period must be specified for the soft eviction threshold memory.available; give each signal of evictionSoft a duration such as 1m30s',
    ],
    [
      { evictionMinimumReclaim: { 'memory.available': '-1Gi' } },
      'evictionMinimumReclaim: negative eviction minimum reclaim specified for memory.available; give signals such as memory.available a quantity such as 100Mi or a percentage such as 10%',
    ],
  ])('name the field that is wrong: %j', (fields, error) => {
    expect(settingsOf(fields)).toEqual({ error });
  });
});
