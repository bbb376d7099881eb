import { describe, expect, it } from 'vitest';
import { decodeKubeletConfig } from '../../../../agent/rules/config/kubelet-config.ts';
import { boundingField } from '../../../../agent/rules/config/unbounded.ts';

describe('a setting that bounds pods', () => {
  it.each<[string, object]>([
    ['cgroupRoot', { cgroupRoot: '/pods' }],
    ['cpuManagerPolicy', { cpuManagerPolicy: 'static' }],
    ['memoryManagerPolicy', { memoryManagerPolicy: 'Static' }],
    ['podPidsLimit', { podPidsLimit: 100 }],
  ])('is named: %s', (field, given) => {
    expect(boundingField({ ...decodeKubeletConfig({}), ...given })).toBe(field);
  });

  it.each<[string, object]>([
    ['the usual ones', {}],
    ['the group of the machine', { cgroupRoot: '/' }],
    ['no limit', { podPidsLimit: -1 }],
    ['no owner of CPUs', { cpuManagerPolicy: 'none', memoryManagerPolicy: 'None' }],
  ])('is not among %s', (_what, given) => {
    expect(boundingField({ ...decodeKubeletConfig({}), ...given })).toBeUndefined();
  });
});
