import { describe, expect, it } from 'vitest';
import { ignoredFields } from '../../../../agent/domain/pods/ignored-fields.ts';
import { REFUSED_FIELDS, refusedField } from '../../../../agent/domain/pods/refused-fields.ts';
import { podOf } from '../../../support/agent/pod-world.ts';

const OF_THE_POD: readonly (readonly [string, object])[] = [
  ['hostUsers', { hostUsers: false }],
  ['runtimeClassName', { runtimeClassName: 'gvisor' }],
  ['securityContext.sysctls', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }],
  ['resourceClaims', { resourceClaims: [{ name: 'gpu' }] }],
  ['dnsPolicy', { dnsPolicy: 'None' }],
  ['dnsConfig', { dnsConfig: { nameservers: ['192.0.2.1'] } }],
  ['hostAliases', { hostAliases: [{ ip: '192.0.2.1', hostnames: ['a'] }] }],
  ['setHostnameAsFQDN', { setHostnameAsFQDN: true }],
  ['securityContext.seccompProfile', { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }],
  ['securityContext.seLinuxOptions', { securityContext: { seLinuxOptions: { level: 's0' } } }],
];

const OF_THE_CONTAINER: readonly (readonly [string, object])[] = [
  ['volumeDevices', { volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] }],
  ['volumeMounts.mountPropagation', { volumeMounts: [{ name: 'v', mountPropagation: 'Bidirectional' }] }],
  ['volumeMounts.recursiveReadOnly', { volumeMounts: [{ name: 'v', recursiveReadOnly: 'Enabled' }] }],
  ['resources.claims', { resources: { claims: [{ name: 'gpu' }] } }],
  ['restartPolicyRules', { restartPolicyRules: [{ action: 'Restart' }] }],
  ['env.valueFrom.fileKeyRef', { env: [{ name: 'A', valueFrom: { fileKeyRef: { key: 'a', path: 'f' } } }] }],
  ['securityContext.seccompProfile', { securityContext: { seccompProfile: { type: 'Localhost' } } }],
  ['securityContext.seLinuxOptions', { securityContext: { seLinuxOptions: { type: 't' } } }],
];

describe('J-152: a pod that asks for what cannot be had here', () => {
  it.each(OF_THE_POD)('is refused for %s', (field, spec) => {
    expect(refusedField(podOf('p', spec), { name: 'c' })).toMatch(`spec.${field}: `);
  });

  it.each(OF_THE_CONTAINER)('is refused for %s of its container', (field, more) => {
    expect(refusedField(podOf('p'), { name: 'c', ...more })).toMatch(`spec.containers[c].${field}: `);
  });

  it('is tried with each field', () => {
    expect(OF_THE_POD.map(([field]) => field)).toEqual(REFUSED_FIELDS.pod);
    expect(OF_THE_CONTAINER.map(([field]) => field)).toEqual(REFUSED_FIELDS.container);
  });

  it('says which value it asked for, and why not', () => {
    expect(refusedField(podOf('p', { runtimeClassName: 'gvisor' }), { name: 'c' })).toBe(
      'spec.runtimeClassName: gvisor is not supported: there is one runtime here, which has no classes',
    );
  });

  it.each([
    [
      'what is as it is here',
      { hostUsers: true, dnsPolicy: 'ClusterFirst', dnsConfig: {}, hostAliases: [] },
      {},
    ],
    [
      'its container says otherwise',
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
    ],
    [
      'nothing is in the lists',
      { securityContext: { sysctls: [] } },
      { volumeDevices: [], env: [{ name: 'A' }] },
    ],
  ])('is not refused if %s', (_, spec, container) => {
    expect(refusedField(podOf('p', spec), { name: 'c', ...container })).toBeUndefined();
  });
});

it('J-153: names what has no effect', () => {
  const containers = [
    { name: 'a', stdin: true, tty: true },
    { name: 'b', tty: false },
  ];
  expect(ignoredFields(podOf('p', { containers, initContainers: [{ name: 'i', stdinOnce: true }] }))).toEqual(
    ['spec.containers[i].stdinOnce', 'spec.containers[a].stdin', 'spec.containers[a].tty'],
  );
});
