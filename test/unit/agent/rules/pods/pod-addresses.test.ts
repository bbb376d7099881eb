import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import { addressesOf } from '../../../../../agent/rules/pods/pod-addresses.ts';

const podOf = (hostNetwork: boolean): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [], hostNetwork },
});

describe('addressesOf', () => {
  it.each([
    { pod: ['10.0.0.1', 'fd00::1'], host: ['fd00::9'], podIPs: ['fd00::1', '10.0.0.1'] },
    { pod: ['fd00::1', '10.0.0.1'], host: ['192.0.2.9'], podIPs: ['10.0.0.1', 'fd00::1'] },
    { pod: ['10.0.0.1', '10.0.0.2'], host: [], podIPs: ['10.0.0.1'] },
  ])('lists $pod as $podIPs on a node $host', ({ pod, host, podIPs }) => {
    expect(addressesOf(podOf(false), pod, host).podIPs?.map(({ ip }) => ip)).toEqual(podIPs);
  });

  it.each([
    { pod: [], podIPs: ['192.0.2.9', 'fd00::9'] },
    { pod: ['192.0.2.1'], podIPs: ['192.0.2.1', 'fd00::9'] },
  ])('gives a pod of the host network with $pod the addresses $podIPs', ({ pod, podIPs }) => {
    const status = addressesOf(podOf(true), pod, ['192.0.2.9', 'fd00::9']);
    expect(status.podIPs?.map(({ ip }) => ip)).toEqual(podIPs);
    expect(status.hostIP).toBe('192.0.2.9');
  });

  it('says nothing of addresses that are not known', () => {
    expect(addressesOf(podOf(false), [], [])).toEqual({});
  });
});
