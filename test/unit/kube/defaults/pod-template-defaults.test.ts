import { describe, expect, it } from 'vitest';
import { defaultPod } from '../../../../shared/kube/defaults/pod.ts';
import { defaultPodTemplateSpec } from '../../../../shared/kube/defaults/pod-template.ts';

const containers = [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }];
const portsOf = (spec: Readonly<Record<string, unknown>> = {}) =>
  (spec['containers'] as readonly { readonly ports: unknown }[])[0]?.ports;

describe('the defaults of a template', () => {
  it('leave out those that only a Pod gets, because hashes of templates depend on them', () => {
    const spec = { containers, hostNetwork: true };
    const template = defaultPodTemplateSpec({ spec }).spec;
    expect(template).not.toHaveProperty('enableServiceLinks');
    expect(portsOf(template)).toEqual([{ containerPort: 80, protocol: 'TCP' }]);
    const pod = defaultPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    expect(pod.spec['enableServiceLinks']).toBe(true);
    expect(portsOf(pod.spec)).toEqual([{ containerPort: 80, hostPort: 80, protocol: 'TCP' }]);
  });

  it('keep what is given', () => {
    const given = { spec: { containers, enableServiceLinks: false } };
    expect(defaultPodTemplateSpec(given).spec).toHaveProperty('enableServiceLinks', false);
  });
});
