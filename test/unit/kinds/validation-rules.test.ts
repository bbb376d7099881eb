import { describe, expect, it } from 'vitest';
import { validateNode } from '../../../shared/kinds/nodes/validate-node.ts';
import { validatePod } from '../../../shared/kinds/pods/validate-pod.ts';
import { defaultPod } from '../../../shared/kube/defaults/pod.ts';
import type { FieldError } from '../../../shared/kube/errors/field-error.ts';
import { decode } from '../../../shared/kube/schema/decode.ts';
import { kindSchema } from '../../../shared/kube/schema/schema-of.ts';
import type { Node, Pod, PodSpec } from '../../../shared/kube/types/core.ts';
import type { ObjectMeta } from '../../../shared/kube/types/meta.ts';

const lines = (errors: readonly FieldError[]): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

const node = (rest: object): Node => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, ...rest });

const FAMILY = 'may specify no more than one CIDR for each IP family';

describe('a new Node', () => {
  it.each<[string, object, readonly string[]]>([
    ['has one CIDR of each family', { spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] } }, []],
    [
      'has no two CIDRs of one family',
      { spec: { podCIDRs: ['10.0.0.0/24', '10.1.0.0/24'] } },
      [`spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: ${FAMILY}`],
    ],
    [
      'gets three messages about an invalid CIDR of two',
      { spec: { podCIDRs: ['10.0.0.0/24', 'x'] } },
      [
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
        `spec.podCIDRs: Invalid value: ["10.0.0.0/24","x"]: ${FAMILY}`,
      ],
    ],
    [
      'has no negative amounts of a resource',
      { status: { capacity: { cpu: '-1' }, allocatable: { 'example.com/gpu': '1500m', memory: '100m' } } },
      [
        'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
        'status.allocatable.example.com/gpu: Invalid value: "1500m": must be an integer',
      ],
    ],
  ])('%s', (_name, rest, expected) => {
    expect(lines(validateNode(node(rest)))).toEqual(expected);
  });
});

describe('metadata of a new object', () => {
  const OWNER = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
  const EVENT = { ...OWNER, kind: 'Event' };
  const TWO = [OWNER, OWNER].map((owner) => ({ ...owner, controller: true }));
  it.each<[string, Partial<ObjectMeta>, readonly string[]]>([
    [
      'has at most one controller',
      { ownerReferences: TWO },
      [
        `metadata.ownerReferences: Invalid value: ${JSON.stringify(TWO)}: Only one reference can have Controller set to true. Found "true" in references for Pod/p and Pod/p`,
      ],
    ],
    [
      'is not owned by an Event',
      { ownerReferences: [EVENT] },
      [
        `metadata.ownerReferences: Invalid value: ${JSON.stringify(EVENT)}: /v1, Kind=Event is disallowed from being an owner`,
      ],
    ],
    [
      'has owners with a valid apiVersion',
      {
        ownerReferences: [
          { ...OWNER, apiVersion: 'a/b/c' },
          { ...OWNER, apiVersion: 'apps/v1' },
        ],
      },
      ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
    ],
    [
      'has at most 32 owners',
      { ownerReferences: Array.from({ length: 33 }, (_, n) => ({ ...OWNER, uid: `u${n}` })) },
      ['metadata.ownerReferences: Too many: 33: must have at most 32 items'],
    ],
    [
      'has owners whose uids fit into a stored key',
      { ownerReferences: [{ ...OWNER, uid: 'u'.repeat(129) }] },
      ['metadata.ownerReferences.uid: Too long: may not be more than 128 characters'],
    ],
    [
      'may not both orphan and delete its dependents',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'has a generation of at least 0',
      { generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])('%s', (_name, metadata, expected) => {
    expect(lines(validateNode(node({ metadata: { name: 'n', ...metadata } })))).toEqual(expected);
  });
});

const CONTAINER = { name: 'c', image: 'i' };
const C = 'spec.containers[0]';
const pod = (spec: PodSpec, rest: Partial<ObjectMeta> = {}): Pod =>
  defaultPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', ...rest },
    spec: { containers: [CONTAINER], ...spec },
    status: {},
  });
const withContainer = (rest: object): PodSpec => ({ containers: [{ ...CONTAINER, ...rest }] });
const exec = { command: ['true'] };

describe('parts of a new Pod', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    [
      'request valid resources',
      withContainer({ resources: { requests: { foo: '1' } } }),
      [`${C}.resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers`],
    ],
    [
      'request exactly the limit of an extended resource',
      withContainer({ resources: { requests: { 'a.b/h': '1', 'a.b/g': '1' }, limits: { 'a.b/h': '2' } } }),
      [
        `${C}.resources.requests: Invalid value: "1": must be equal to a.b/h limit of 2`,
        `${C}.resources.limits: Required value: Limit must be set for non overcommitable resources`,
      ],
    ],
    [
      'have variables with valid names and one source each',
      withContainer({ env: [{ name: 'A=B' }, { name: 'c', valueFrom: {} }] }),
      [
        `${C}.env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '='`,
        `${C}.env[1].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
      ],
    ],
    [
      'need a source in each entry of envFrom',
      withContainer({ envFrom: [{}] }),
      [`${C}.envFrom[0]: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``],
    ],
    [
      'have probes with one action',
      withContainer({
        livenessProbe: { exec, successThreshold: 2 },
        readinessProbe: {},
        startupProbe: { exec, httpGet: { port: 1 } },
      }),
      [
        `${C}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
        `${C}.readinessProbe: Required value: must specify a handler type`,
        `${C}.startupProbe.httpGet: Forbidden: may not specify more than 1 handler type`,
      ],
    ],
    [
      'have probes with valid ports and no negative times',
      withContainer({ readinessProbe: { httpGet: { port: 0 }, timeoutSeconds: -1 } }),
      [
        `${C}.readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
        `${C}.readinessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0`,
      ],
    ],
    [
      'have hooks with an action',
      withContainer({ lifecycle: { preStop: {} } }),
      [`${C}.lifecycle.preStop: Required value: must specify a handler type`],
    ],
    [
      'have volumes with one source each',
      { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }, { name: 'w' }] },
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'have volume paths without ..',
      { volumes: [{ name: 'v', hostPath: { path: 'a/../b' } }] },
      [`spec.volumes[0].hostPath.path: Invalid value: "a/../b": must not contain '..'`],
    ],
    [
      'have node affinity with known operators',
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'Foo' }] } },
            ],
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
          },
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator',
      ],
    ],
    [
      'have no ephemeral containers yet',
      { ephemeralContainers: [CONTAINER] },
      ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
  ])('%s', (_name, spec, expected) => {
    expect(lines(validatePod(pod(spec)))).toEqual(expected);
  });

  it('need a node name if they are mirror pods', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    expect(lines(validatePod(pod({}, { annotations })))).toEqual([
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set',
    ]);
    expect(validatePod(pod({ nodeName: 'n' }, { annotations }))).toEqual([]);
  });
});

it('conditions and addresses of a Node are complete', () => {
  const status = { conditions: [{ status: 'True' }], addresses: [{ type: 'Hostname' }] };
  expect(decode({ status }, kindSchema('core.v1.Node'))['status']).toEqual({
    conditions: [{ type: '', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null }],
    addresses: [{ type: 'Hostname', address: '' }],
  });
});
