import { describe, expect, it } from 'vitest';
import { validateEphemeralContainersUpdate } from '../../../../shared/kinds/pods/validate-ephemeral-containers.ts';
import { defaultPod } from '../../../../shared/kube/defaults/pod.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';

const podOf = (ephemeralContainers: readonly object[], annotations?: Record<string, string>): Pod =>
  defaultPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', ...(annotations && { annotations }) },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      initContainers: [{ name: 'i', image: 'i' }],
      volumes: [{ name: 'v', emptyDir: {} }],
      ephemeralContainers,
    },
  });

const faults = (after: Pod, before = podOf([])): readonly string[] =>
  validateEphemeralContainersUpdate(after, before).map(({ field, message }) => `${field}: ${message}`);

const E = { name: 'e', image: 'i' };

describe('J-231: ephemeral containers', () => {
  it.each([
    ['one', [E]],
    ['with a target', [{ ...E, targetContainerName: 'c' }]],
    ['with an init container as target', [{ ...E, targetContainerName: 'i' }]],
    ['with a volume', [{ ...E, volumeMounts: [{ name: 'v', mountPath: '/v' }] }]],
    ['with a terminal', [{ ...E, stdin: true, tty: true, securityContext: { privileged: true } }]],
  ])('may be added: %s', (_, containers) => {
    expect(faults(podOf(containers))).toEqual([]);
  });

  it.each<readonly [string, readonly object[], string]>([
    ['of a name that is taken', [{ ...E, name: 'c' }], 'spec.ephemeralContainers[0].name: Duplicate value'],
    ['twice', [E, E], 'spec.ephemeralContainers[1].name: Duplicate value'],
    ['without a name', [{ image: 'i' }], 'spec.ephemeralContainers[0].name: Required value'],
    ['without an image', [{ name: 'e' }], 'spec.ephemeralContainers[0].image: Required value'],
    [
      'of a target that is not there',
      [{ ...E, targetContainerName: 'x' }],
      'spec.ephemeralContainers[0].targetContainerName: Not found: "x"',
    ],
    [
      'with a part of a volume',
      [{ ...E, volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }] }],
      'spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container',
    ],
    ...['ports', 'resources', 'lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'].map(
      (field) =>
        [
          `with ${field}`,
          [{ ...E, [field]: field === 'ports' ? [{ containerPort: 1 }] : { requests: { cpu: '1' } } }],
          `spec.ephemeralContainers[0].${field}: Forbidden: cannot be set for an Ephemeral Container`,
        ] as const,
    ),
  ])('may not be added: %s', (_, containers, fault) => {
    expect(faults(podOf(containers))).toEqual(expect.arrayContaining([expect.stringContaining(fault)]));
  });

  it.each([
    ['changed', [{ ...E, image: 'j' }]],
    ['removed', [{ ...E, name: 'f' }]],
  ])('may not be %s', (what, containers) => {
    expect(faults(podOf(containers), podOf([E]))).toEqual([
      `spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be ${what}\n`,
    ]);
  });

  it('may stand in another order', () => {
    const other = { ...E, name: 'f' };
    expect(faults(podOf([other, E]), podOf([E, other]))).toEqual([]);
  });

  it('are not for copies of static pods', () => {
    const mirror = podOf([], { 'kubernetes.io/config.mirror': 'x' });
    expect(faults(podOf([E], { 'kubernetes.io/config.mirror': 'x' }), mirror)[0]).toMatch(
      'static pods do not support ephemeral containers',
    );
  });
});
