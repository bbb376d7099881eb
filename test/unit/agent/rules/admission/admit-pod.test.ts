import { describe, expect, it } from 'vitest';
import { type Admission, admissionOrder, admitPod } from '../../../../../agent/rules/admission/admit-pod.ts';
import { sysctlAllowlist } from '../../../../../agent/rules/admission/sysctls.ts';
import { known, NOT_KNOWN } from '../../../../../agent/rules/known.ts';
import { SHUTDOWN_REJECTION } from '../../../../../agent/rules/shutdown/shutting-down.ts';
import type { Node, Pod, PodSpec, PodStatus } from '../../../../../shared/kube/types/core.ts';

const CRITICAL = 2_000_000_000;

const podOf = (name: string, spec: PodSpec = {}, status: PodStatus = { phase: 'Pending' }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: { nodeName: 'n1', containers: [{ name: 'c' }], ...spec },
  status,
});

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { 'kubernetes.io/os': 'linux' } },
  status: { allocatable: { cpu: '1', memory: '1Gi', pods: '2' } },
};

const sysctls = sysctlAllowlist([]);
if ('error' in sysctls) throw new Error(sysctls.error);

/** What a node decides that is known. */
const decided = (given: Admission) => {
  const decision = admitPod(given);
  if (!decision.isKnown) throw new Error('the node is not known');
  return decision.value;
};

const QUIET: Omit<Admission, 'pod'> = {
  node: known(node),
  others: [],
  os: 'linux',
  pressure: [],
  sysctls,
  hasAppArmor: true,
  shutdown: { admit: true },
};

const WRONG_SYSCTL = { securityContext: { sysctls: [{ name: 'kernel.panic', value: '1' }] } };
const CONFINED = { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } };

describe('a pod that is given to the node', () => {
  it('runs when nothing speaks against it', () => {
    expect(decided({ ...QUIET, pod: podOf('a') })).toEqual({ verdict: { admit: true }, preempt: [] });
  });

  it('waits, whatever speaks against it, until its node is known, and takes nothing meanwhile', () => {
    let asked = 0;
    const admitResources = () => {
      asked += 1;
      return { admit: true } as const;
    };
    const given = { ...ALL_WRONG, pod: podOf('a', WRONG_SYSCTL), admitResources, node: NOT_KNOWN };
    expect(admitPod(given)).toEqual(NOT_KNOWN);
    expect(asked).toBe(0);
  });

  const ALL_WRONG = {
    ...QUIET,
    pressure: ['DiskPressure'],
    hasAppArmor: false,
    shutdown: SHUTDOWN_REJECTION,
  } as const;

  it.each([
    ['pressure', { ...WRONG_SYSCTL, nodeName: 'n2' }, ALL_WRONG, 'Evicted'],
    [
      'its kernel parameters',
      { ...WRONG_SYSCTL, nodeName: 'n2' },
      { ...ALL_WRONG, pressure: [] },
      'SysctlForbidden',
    ],
    ['the node', { ...CONFINED, nodeName: 'n2' }, { ...ALL_WRONG, pressure: [] }, 'NodeName'],
    ['AppArmor', CONFINED, { ...ALL_WRONG, pressure: [] }, 'AppArmor'],
    ['the shutdown', {}, { ...ALL_WRONG, pressure: [] }, 'NodeShutdown'],
  ] as const)('is refused for the first reason only: %s', (_, spec, given, reason) => {
    expect(decided({ ...given, pod: podOf('a', spec) }).verdict).toMatchObject({ admit: false, reason });
  });

  it('may have ended others when the node that shuts down refuses it', () => {
    const small = { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] };
    const other = podOf('other', small);
    const pod = podOf('critical', { ...small, priority: CRITICAL });
    expect(decided({ ...QUIET, pod, others: [other], shutdown: SHUTDOWN_REJECTION })).toEqual({
      verdict: SHUTDOWN_REJECTION,
      preempt: [other],
    });
  });

  it.each([
    ['asks for nothing', {}, {}, true],
    [
      'wants not to be confined',
      { containers: [{ securityContext: { appArmorProfile: { type: 'Unconfined' } } }] },
      {},
      true,
    ],
    [
      'has a container with a profile',
      { containers: [{ securityContext: { appArmorProfile: { type: 'Localhost' } } }] },
      {},
      false,
    ],
    ['has an init container with a profile', { initContainers: [CONFINED] }, {}, false],
    [
      'has a profile by annotation',
      {},
      { 'container.apparmor.security.beta.kubernetes.io/c': 'runtime/default' },
      false,
    ],
    [
      'is unconfined by annotation',
      {},
      { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' },
      true,
    ],
  ])('without AppArmor on the machine, when it %s', (_, spec, annotations, admit) => {
    const pod = podOf('a', spec);
    const given = {
      ...QUIET,
      hasAppArmor: false,
      pod: { ...pod, metadata: { ...pod.metadata, annotations } },
    };
    expect(decided(given).verdict.admit).toBe(admit);
  });

  it('goes on without AppArmor when it has been started', () => {
    const pod = podOf('a', CONFINED, { phase: 'Running' });
    expect(decided({ ...QUIET, hasAppArmor: false, pod }).verdict).toEqual({ admit: true });
  });
});

describe('several pods', () => {
  const at = (name: string, second: number, more: Partial<Pod['metadata']> = {}, status?: PodStatus): Pod => {
    const pod = podOf(name, {}, status);
    const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
    return { ...pod, metadata: { ...pod.metadata, creationTimestamp, ...more } };
  };

  it('are asked about in the order of their creation, but not if they end', () => {
    const pods = [
      at('young', 9),
      at('deleted', 1, { deletionTimestamp: '2026-01-01T00:00:10Z' }),
      at('old', 1),
      at('failed', 2, {}, { phase: 'Failed' }),
      at('succeeded', 3, {}, { phase: 'Succeeded' }),
      at('twin', 9),
    ];
    expect(admissionOrder(pods).map(({ metadata }) => metadata.name)).toEqual(['old', 'young', 'twin']);
  });
});
