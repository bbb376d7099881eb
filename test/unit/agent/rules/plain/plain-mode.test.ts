import { describe, expect, it } from 'vitest';
import { decodeKubeletConfig } from '../../../../../agent/rules/config/kubelet-config.ts';
import { notIsolated, unheldSetting } from '../../../../../agent/rules/plain/plain-mode.ts';

describe('plain mode', () => {
  it('says what its pods can do', () => {
    expect(notIsolated('worker')).toBe(
      "pods are not isolated: they can do what user worker can, and read this agent's token",
    );
  });

  it.each([
    ['cgroupRoot', { cgroupRoot: '/pods' }],
    ['cpuManagerPolicy', { cpuManagerPolicy: 'static' }],
    ['memoryManagerPolicy', { memoryManagerPolicy: 'Static' }],
    ['podPidsLimit', { podPidsLimit: 100 }],
    ['seccompDefault', { seccompDefault: true }],
  ])('does not hold the setting %s', (field, settings) => {
    const fault = unheldSetting({ ...decodeKubeletConfig({}), ...settings });
    expect(fault).toMatch(new RegExp(`^${field}: not with --unisolated, as nothing `));
  });

  it('holds the settings of a kubelet that says nothing', () => {
    expect(unheldSetting(decodeKubeletConfig({}))).toBeUndefined();
    expect(unheldSetting({ ...decodeKubeletConfig({}), cgroupRoot: '/' })).toBeUndefined();
  });
});
