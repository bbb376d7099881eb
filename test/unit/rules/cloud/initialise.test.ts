import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { cloudStep } from '../../../../shared/rules/cloud/cloud-step.ts';
import { initialised } from '../../../../shared/rules/cloud/initialise.ts';
import type { Instance } from '../../../../shared/rules/cloud/instance.ts';
import { aNode, taint } from '../../../support/objects/domain-objects.ts';

const WAITS = 'node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule';
const INSTANCE: Instance = {
  providerId: 'aws:///eu-west-1a/i-0123',
  state: 'running',
  instanceType: 'm7g.large',
  zone: 'eu-west-1a',
  region: 'eu-west-1',
  addresses: [
    { type: 'InternalIP', address: '10.0.0.7' },
    { type: 'InternalIP', address: '10.0.0.8' },
    { type: 'ExternalIP', address: '203.0.113.7' },
  ],
};

const node = (annotations: Readonly<Record<string, string>> = {}, labels = {}): Node => {
  const made = aNode({ taints: [taint(WAITS), taint('a=b:NoExecute')], labels });
  return {
    ...made,
    metadata: { ...made.metadata, annotations },
    status: { addresses: [{ type: 'Hostname', address: 'node0' }] },
  };
};

describe('a Node that waits for its cloud (J-74)', () => {
  it('gets providerID, labels and addresses, and loses the taint, in one write', () => {
    const step = cloudStep(node(), INSTANCE, 0);
    expect(step).toMatchObject({ does: 'write', isInitialised: true });
    expect(initialised(node(), INSTANCE)).toMatchObject({
      metadata: {
        labels: {
          'node.kubernetes.io/instance-type': 'm7g.large',
          'beta.kubernetes.io/instance-type': 'm7g.large',
          'topology.kubernetes.io/zone': 'eu-west-1a',
          'failure-domain.beta.kubernetes.io/zone': 'eu-west-1a',
          'topology.kubernetes.io/region': 'eu-west-1',
          'failure-domain.beta.kubernetes.io/region': 'eu-west-1',
        },
      },
      spec: {
        providerID: 'aws:///eu-west-1a/i-0123',
        taints: [{ key: 'a', value: 'b', effect: 'NoExecute' }],
      },
      status: { addresses: [...(INSTANCE.addresses ?? []), { type: 'Hostname', address: 'node0' }] },
    });
  });

  it('keeps its own labels, and gets none of Kubernetes from the provider', () => {
    const labels = { rack: 'r7', 'a.k8s.io/b': 'c', 'kubernetes.io/d': 'e', row: '1' };
    const next = initialised(node({}, { row: '0' }), { ...INSTANCE, labels });
    expect(next?.metadata.labels).toMatchObject({ rack: 'r7', row: '0' });
    expect(next?.metadata.labels).not.toHaveProperty(['a.k8s.io/b']);
    expect(next?.metadata.labels).not.toHaveProperty(['kubernetes.io/d']);
  });

  it('has of a type only the address that its kubelet was given', () => {
    const next = initialised(node({ 'alpha.kubernetes.io/provided-node-ip': '10.0.0.8' }), INSTANCE);
    expect(next?.status?.addresses?.map(({ address }) => address)).toEqual([
      '10.0.0.8',
      '203.0.113.7',
      'node0',
    ]);
  });

  it('goes on to wait if its cloud does not know that address', () => {
    const lost = node({ 'alpha.kubernetes.io/provided-node-ip': '10.9.9.9' });
    expect(initialised(lost, INSTANCE)).toBeUndefined();
    expect(cloudStep(lost, INSTANCE, 0)).toEqual({ does: 'nothing' });
  });

  it('keeps its addresses if the cloud names none', () => {
    const { addresses: _, ...silent } = INSTANCE;
    expect(initialised(node(), silent)?.status?.addresses).toEqual(node().status?.addresses);
  });
});
