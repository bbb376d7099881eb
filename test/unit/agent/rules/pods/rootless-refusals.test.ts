import { describe, expect, it } from 'vitest';
import { fieldsIn } from '../../../../../agent/rules/pods/asked-fields.ts';
import { refusedField } from '../../../../../agent/rules/pods/refused-fields.ts';
import { ROOTLESS_REFUSALS } from '../../../../../agent/rules/pods/rootless-refusals.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const LIMITED = { resources: { limits: { cpu: '1', memory: '1Gi' } } };
const mounted = (more: object): object => ({
  volumeMounts: [
    { name: 'a', mountPath: '/a' },
    { name: 'v', mountPath: '/v', ...more },
  ],
});

const OF_PODS: readonly (readonly [string, object])[] = [
  ['hostPID', { hostPID: true }],
  ['resources.limits', LIMITED],
];

const OF_CONTAINERS: readonly (readonly [string, object])[] = [
  ['resources.limits', LIMITED],
  ['volumeMounts.subPath', mounted({ subPath: 'a/b' })],
  ['volumeMounts.subPathExpr', mounted({ subPathExpr: '$(NAME)' })],
  ['volumeMounts.mountPropagation', mounted({ mountPropagation: 'Bidirectional' })],
];

describe('a pod of an agent that is not root', () => {
  it.each(OF_PODS)('is refused %s', (field, spec) => {
    expect(refusedField(podOf('p', spec), { name: 'c' }, 'oci-rootless')).toMatch(`spec.${field}: `);
    expect(refusedField(podOf('p', spec), { name: 'c' }, 'oci')).toBeUndefined();
  });

  it.each(OF_CONTAINERS)('is refused %s of its container', (field, more) => {
    const container = { name: 'c', ...more };
    expect(refusedField(podOf('p'), container, 'oci-rootless')).toMatch(`spec.containers[c].${field}: `);
    expect(refusedField(podOf('p'), container, 'oci')).toBeUndefined();
  });

  it('is tried with each field', () => {
    const { pod, container } = fieldsIn(ROOTLESS_REFUSALS);
    expect(OF_PODS.map(([field]) => field)).toEqual(pod);
    expect(OF_CONTAINERS.map(([field]) => field)).toEqual(container);
  });

  it.each<[string, object, object]>([
    ['requests, which only place it', { resources: { requests: { cpu: '1' } } }, {}],
    ['limits of nothing', { resources: { limits: {} } }, { resources: { limits: {} } }],
    ['whole volumes', {}, mounted({ mountPropagation: 'HostToContainer', subPath: '' })],
    ['hostPID: false', { hostPID: false }, {}],
  ])('may have %s', (_what, spec, more) => {
    expect(refusedField(podOf('p', spec), { name: 'c', ...more }, 'oci-rootless')).toBeUndefined();
  });

  it('is refused what every OCI runtime is', () => {
    const pod = podOf('p', { shareProcessNamespace: true });
    expect(refusedField(pod, { name: 'c' }, 'oci-rootless')).toMatch('spec.shareProcessNamespace');
  });
});
