import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import type { Container } from '../../../../../agent/rules/containers/container.ts';
import { type AgentUser, plainRefusals } from '../../../../../agent/rules/plain/refusals.ts';
import { fieldsIn, refusalIn } from '../../../../../agent/rules/pods/asked-fields.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const refusing =
  (user: AgentUser) =>
  (pod: AgentPod, container: Container): string | undefined =>
    refusalIn(plainRefusals(user), pod, container);
const root = refusing({ uid: 0, gid: 0 });
const user = refusing({ uid: 1500, gid: 1500 });
const FIELDS = fieldsIn(plainRefusals({ uid: 0, gid: 0 }));

const LIMITS = { resources: { limits: { cpu: '1', memory: '64Mi' } } };

const OF_EITHER: readonly (readonly [string, object, string])[] = [
  ['securityContext.runAsUser', { runAsUser: 1500 }, '1500'],
  ['securityContext.runAsGroup', { runAsGroup: 1500 }, '1500'],
  ['securityContext.runAsNonRoot', { runAsNonRoot: true }, 'true'],
  ['securityContext.seccompProfile', { seccompProfile: { type: 'RuntimeDefault' } }, 'RuntimeDefault'],
].map(([field, securityContext, asked]) => [field as string, { securityContext }, asked as string]);

const OF_THE_POD: readonly (readonly [string, object, string])[] = [
  ['volumes', { volumes: [{ name: 'data', emptyDir: {} }] }, 'data (emptyDir)'],
  ['shareProcessNamespace', { shareProcessNamespace: true }, 'true'],
  ['resources.limits', LIMITS, 'cpu, memory'],
  ['securityContext.fsGroup', { securityContext: { fsGroup: 0 } }, '0'],
  ['securityContext.supplementalGroups', { securityContext: { supplementalGroups: [7] } }, '1'],
  ...OF_EITHER,
];

const OF_THE_CONTAINER: readonly (readonly [string, object, string])[] = [
  ['image', { image: 'nginx' }, 'nginx'],
  ['tty', { tty: true }, 'true'],
  ['resources.limits', LIMITS, 'cpu, memory'],
  ['securityContext.capabilities', { securityContext: { capabilities: { drop: ['ALL'] } } }, 'drop'],
  [
    'securityContext.allowPrivilegeEscalation',
    { securityContext: { allowPrivilegeEscalation: false } },
    'false',
  ],
  ['securityContext.readOnlyRootFilesystem', { securityContext: { readOnlyRootFilesystem: true } }, 'true'],
  ['securityContext.privileged', { securityContext: { privileged: true } }, 'true'],
  ['securityContext.procMount', { securityContext: { procMount: 'Unmasked' } }, 'Unmasked'],
  ...OF_EITHER,
];

const TOKEN = { name: 'kube-api-access-x7k2p', projected: { sources: [{ serviceAccountToken: {} }] } };

describe('a pod for plain mode', () => {
  it.each(OF_THE_POD)('is refused for %s', (field, spec, asked) => {
    expect(root(podOf('p', spec), { name: 'c' })).toMatch(`spec.${field}: ${asked} is not supported: `);
  });

  it.each(OF_THE_CONTAINER)('is refused for %s of its container', (field, more, asked) => {
    expect(root(podOf('p'), { name: 'c', ...more })).toMatch(
      `spec.containers[c].${field}: ${asked} is not supported: `,
    );
  });

  it('is tried with each field', () => {
    expect(OF_THE_POD.map(([field]) => field)).toEqual(FIELDS.pod);
    expect(OF_THE_CONTAINER.map(([field]) => field)).toEqual(FIELDS.container);
  });

  it.each([
    ['a folder as image', {}, { image: '/srv/image' }],
    ['another volume beside the token', { volumes: [TOKEN, { name: 'v', hostPath: { path: '/' } }] }, {}],
    ['a Secret of the name of the token', { volumes: [{ name: 'kube-api-access-a', secret: {} }] }, {}],
    ['a Localhost profile', { securityContext: { seccompProfile: { type: 'Localhost' } } }, {}],
    ['capabilities to add', {}, { securityContext: { capabilities: { add: ['NET_ADMIN'] } } }],
    ['a group of its container', {}, { securityContext: { runAsGroup: 3 } }],
  ])('is refused for %s', (_, spec, container) => {
    expect(root(podOf('p', spec), { name: 'c', ...container })).toContain('is not supported');
  });

  it.each([
    ['the token that the API adds', { volumes: [TOKEN] }, {}],
    ['no volumes', { volumes: [] }, { image: 'host' }],
    [
      'what is as it is here',
      { hostNetwork: true, hostPID: true, shareProcessNamespace: false },
      { tty: false, resources: { requests: { cpu: '1' }, limits: {} } },
    ],
    [
      'a container that says otherwise',
      { securityContext: { seccompProfile: { type: 'RuntimeDefault' }, runAsUser: 3, runAsNonRoot: true } },
      {
        securityContext: { seccompProfile: { type: 'Unconfined' }, runAsUser: 0, runAsNonRoot: false },
      },
    ],
    [
      'rights that nothing takes away',
      {},
      {
        securityContext: {
          allowPrivilegeEscalation: true,
          privileged: false,
          procMount: 'Default',
          capabilities: { add: [] },
          readOnlyRootFilesystem: false,
        },
      },
    ],
  ])('is not refused for %s', (_, spec, container) => {
    expect(root(podOf('p', spec), { name: 'c', ...container })).toBeUndefined();
  });

  it('may name the user whom the agent runs as', () => {
    const pod = podOf('p', { securityContext: { runAsUser: 1500, runAsGroup: 1500, runAsNonRoot: true } });
    expect(user(pod, { name: 'c' })).toBeUndefined();
    expect(root(pod, { name: 'c' })).toContain('spec.securityContext.runAsUser: 1500 is not supported');
  });
});
