import { describe, expect, it } from 'vitest';
import { REFUSED_FIELDS, refusedField } from '../../../../../agent/rules/pods/refused-fields.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const OF_THE_POD: readonly (readonly [string, object])[] = [
  ['hostUsers', { hostUsers: false }],
  ['runtimeClassName', { runtimeClassName: 'gvisor' }],
  ['securityContext.sysctls', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }],
  ['resourceClaims', { resourceClaims: [{ name: 'gpu' }] }],
  ['dnsPolicy', { dnsPolicy: 'None' }],
  ['dnsConfig', { dnsConfig: { nameservers: ['192.0.2.1'] } }],
  ['hostAliases', { hostAliases: [{ ip: '192.0.2.1', hostnames: ['a'] }] }],
  ['shareProcessNamespace', { shareProcessNamespace: true }],
  ['setHostnameAsFQDN', { setHostnameAsFQDN: true }],
  ['securityContext.seLinuxOptions', { securityContext: { seLinuxOptions: { level: 's0' } } }],
];

const OF_THE_CONTAINER: readonly (readonly [string, object])[] = [
  ['volumeDevices', { volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] }],
  ['volumeMounts.recursiveReadOnly', { volumeMounts: [{ name: 'v', recursiveReadOnly: 'Enabled' }] }],
  ['resources.claims', { resources: { claims: [{ name: 'gpu' }] } }],
  ['restartPolicyRules', { restartPolicyRules: [{ action: 'Restart' }] }],
  ['env.valueFrom.fileKeyRef', { env: [{ name: 'A', valueFrom: { fileKeyRef: { key: 'a', path: 'f' } } }] }],
  ['securityContext.procMount', { securityContext: { procMount: 'Unmasked' } }],
  ['securityContext.seLinuxOptions', { securityContext: { seLinuxOptions: { type: 't' } } }],
];

describe('J-152: a pod that asks for what cannot be had here', () => {
  it.each(OF_THE_POD)('is refused for %s', (field, spec) => {
    expect(refusedField(podOf('p', spec), { name: 'c' }, 'oci')).toMatch(`spec.${field}: `);
  });

  it.each(OF_THE_CONTAINER)('is refused for %s of its container', (field, more) => {
    expect(refusedField(podOf('p'), { name: 'c', ...more }, 'oci')).toMatch(`spec.containers[c].${field}: `);
  });

  it('is tried with each field', () => {
    expect(OF_THE_POD.map(([field]) => field)).toEqual(REFUSED_FIELDS.pod);
    expect(OF_THE_CONTAINER.map(([field]) => field)).toEqual(REFUSED_FIELDS.container);
  });

  it('is refused less by a runtime whose containers have images and namespaces', () => {
    const left = (all: typeof OF_THE_POD, ask: (fields: object) => string | undefined) =>
      all.flatMap(([field, fields]) => (ask(fields) === undefined ? [] : [field]));
    expect(left(OF_THE_POD, (spec) => refusedField(podOf('p', spec), { name: 'c' }, 'cri'))).toEqual([
      'hostUsers',
      'resourceClaims',
      'setHostnameAsFQDN',
    ]);
    expect(left(OF_THE_CONTAINER, (more) => refusedField(podOf('p'), { name: 'c', ...more }, 'cri'))).toEqual(
      [
        'volumeDevices',
        'volumeMounts.recursiveReadOnly',
        'resources.claims',
        'restartPolicyRules',
        'env.valueFrom.fileKeyRef',
        'securityContext.procMount',
      ],
    );
  });

  it.each([
    [{ securityContext: { seccompProfile: { type: 'Localhost' } } }, 'securityContext.seccompProfile'],
    [{ volumeMounts: [{ name: 'v', mountPropagation: 'Bidirectional' }] }, 'volumeMounts.mountPropagation'],
  ])('is refused more without isolation: %j', (more, field) => {
    const asked = { name: 'c', ...more };
    expect(refusedField(podOf('p'), asked, 'none')).toMatch(`spec.containers[c].${field}: `);
    expect(refusedField(podOf('p'), asked, 'oci')).toBeUndefined();
  });

  it('says which value it asked for, and why not', () => {
    expect(refusedField(podOf('p', { runtimeClassName: 'gvisor' }), { name: 'c' }, 'oci')).toBe(
      'spec.runtimeClassName: gvisor is not supported: there is one runtime here, which has no classes',
    );
  });

  it('J-176: a runtime with classes has the one that the pod names', () => {
    expect(refusedField(podOf('p', { runtimeClassName: 'gvisor' }), { name: 'c' }, 'cri')).toBeUndefined();
  });

  it.each([
    [
      'what is as it is here',
      { hostUsers: true, dnsPolicy: 'ClusterFirst', dnsConfig: {}, hostAliases: [] },
      {},
    ],
    [
      'its container says otherwise',
      { securityContext: { seccompProfile: { type: 'Localhost' } } },
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
    ],
    ['it sees the kernel as others do', {}, { securityContext: { procMount: 'Default' } }],
    [
      'it may do all, so that nothing is hidden from it',
      {},
      { securityContext: { privileged: true, procMount: 'Unmasked' } },
    ],
    [
      'nothing is in the lists',
      { securityContext: { sysctls: [] } },
      { volumeDevices: [], env: [{ name: 'A' }] },
    ],
  ])('is not refused if %s', (_, spec, container) => {
    expect(refusedField(podOf('p', spec), { name: 'c', ...container }, 'oci')).toBeUndefined();
  });
});
