import { describe, expect, it } from 'vitest';
import { validatePod, validatePodUpdate } from '../../../../shared/kinds/pods/validate-pod.ts';
import { validatePodStatusUpdate } from '../../../../shared/kinds/pods/validate-pod-status.ts';
import { defaultPod } from '../../../../shared/kube/defaults/pod.ts';
import type { FieldError } from '../../../../shared/kube/errors/field-error.ts';
import type { Pod, PodSpec, PodStatus } from '../../../../shared/kube/types/core.ts';
import { compareQuantities } from '../../../../shared/kube/values/quantity.ts';

const CONTAINER = { name: 'c', image: 'i' };

const pod = (spec: PodSpec = {}, status: PodStatus = {}): Pod =>
  defaultPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [CONTAINER], ...spec },
    status,
  });
const withContainer = (rest: object): PodSpec => ({ containers: [{ ...CONTAINER, ...rest }] });
const lines = (errors: readonly FieldError[]): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

const C = 'spec.containers[0]';
const RANGE = 'must be between 1 and 65535, inclusive';

describe('a new Pod', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    ['is valid with one container', {}, []],
    [
      'needs a port number',
      withContainer({ ports: [{ name: 'p' }] }),
      [`${C}.ports[0].containerPort: Required value`],
    ],
    [
      'has port numbers up to 65535',
      withContainer({ ports: [{ containerPort: 70_000, hostPort: -1 }] }),
      [
        `${C}.ports[0].containerPort: Invalid value: 70000: ${RANGE}`,
        `${C}.ports[0].hostPort: Invalid value: -1: ${RANGE}`,
      ],
    ],
    [
      'supports three protocols',
      withContainer({ ports: [{ containerPort: 80, protocol: 'ICMP' }] }),
      [`${C}.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"`],
    ],
    [
      'has valid and unique port names',
      withContainer({
        ports: [
          { containerPort: 1, name: 'a--' },
          { containerPort: 2, name: 'b' },
          { containerPort: 3, name: 'b' },
        ],
      }),
      [
        `${C}.ports[0].name: Invalid value: "a--": must not contain consecutive hyphens`,
        `${C}.ports[0].name: Invalid value: "a--": must not begin or end with a hyphen`,
        `${C}.ports[2].name: Duplicate value: "b"`,
      ],
    ],
    [
      'has the same ports on the host network',
      { hostNetwork: true, ...withContainer({ ports: [{ containerPort: 80, hostPort: 81 }] }) },
      [
        `${C}.ports[0].hostPort: Invalid value: 81: must match \`containerPort\` when \`hostNetwork\` is true`,
      ],
    ],
    [
      'has named variables with one source each',
      withContainer({
        env: [
          { value: 'x' },
          { name: 'B', value: 'x', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        ],
      }),
      [
        `${C}.env[0].name: Required value`,
        `${C}.env[1].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
      ],
    ],
    [
      'mounts its own volumes, each at another path',
      {
        volumes: [{ name: 'v' }],
        ...withContainer({
          volumeMounts: [{ name: 'v', mountPath: '/a' }, { name: 'w', mountPath: '/a' }, { name: 'v' }],
        }),
      },
      [
        `${C}.volumeMounts[1].name: Not found: "w"`,
        `${C}.volumeMounts[1].mountPath: Invalid value: "/a": must be unique`,
        `${C}.volumeMounts[2].mountPath: Required value`,
      ],
    ],
    [
      'has unique volume names',
      { volumes: [{ name: 'v' }, { name: 'v' }, { name: 'V_v' }] },
      [
        'spec.volumes[1].name: Duplicate value: "v"',
        expect.stringContaining('spec.volumes[2].name: Invalid value: "V_v": a lowercase RFC 1123 label'),
      ],
    ],
    [
      'supports three pull policies',
      withContainer({ imagePullPolicy: 'Sometimes' }),
      [
        `${C}.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
      ],
    ],
    [
      'requests at most its limits, and no negative amounts',
      withContainer({
        resources: {
          requests: { cpu: '2', memory: '1Gi' },
          limits: { cpu: '1500m', memory: '1024Mi', 'kubernetes.io/x': '-1' },
        },
      }),
      [
        `${C}.resources.limits[kubernetes.io/x]: Invalid value: "-1": must be greater than or equal to 0`,
        `${C}.resources.requests[kubernetes.io/x]: Invalid value: "-1": must be greater than or equal to 0`,
        `${C}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1500m`,
      ],
    ],
    [
      'has container names that are unique across both lists',
      { initContainers: [CONTAINER] },
      ['spec.initContainers[0].name: Duplicate value: "c"'],
    ],
    [
      'has a deadline of at least one second',
      { activeDeadlineSeconds: 0 },
      ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ],
    [
      'has a node selector of valid labels',
      { nodeSelector: { a: 'b c' } },
      [
        expect.stringContaining(
          'spec.nodeSelector: Invalid value: "b c": a valid label must be an empty string',
        ),
      ],
    ],
    [
      'has unique scheduling gates, and none with a node name',
      { nodeName: 'n1', schedulingGates: [{ name: 'g' }, { name: 'g' }] },
      [
        'spec.schedulingGates[1]: Duplicate value: "g"',
        'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
      ],
    ],
    [
      'has spread constraints with a skew, a key and an action',
      { topologySpreadConstraints: [{ whenUnsatisfiable: 'Odd' }] },
      [
        'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
        'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
        'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Odd": supported values: "DoNotSchedule", "ScheduleAnyway"',
      ],
    ],
  ])('%s', (_name, spec, expected) => {
    expect(lines(validatePod(pod(spec)))).toEqual(expected);
  });
});

describe('a changed Pod', () => {
  it.each<[string, PodSpec, PodSpec, readonly string[]]>([
    [
      'gets no new scheduling gates',
      { schedulingGates: [{ name: 'g' }] },
      { schedulingGates: [{ name: 'h' }] },
      [
        "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'h'",
      ],
    ],
    ['may lose its scheduling gates', { schedulingGates: [{ name: 'g' }] }, {}, []],
    ['may lose the empty subdomain with which an earlier version has stored it', { subdomain: '' }, {}, []],
    [
      'keeps its number of containers',
      {},
      { containers: [CONTAINER, { name: 'd', image: 'i' }] },
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    [
      'may only shorten its deadline',
      { activeDeadlineSeconds: 5 },
      { activeDeadlineSeconds: 6 },
      ['spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value'],
    ],
    [
      'needs an image',
      {},
      withContainer({ image: '', imagePullPolicy: 'Always' }),
      [`${C}.image: Required value`],
    ],
  ])('%s', (_name, before, after, expected) => {
    expect(lines(validatePodUpdate(pod(after), pod(before)))).toEqual(expected);
  });
});

describe('the message about a refused change', () => {
  const refusal = (after: PodSpec, before: PodSpec): string => {
    const [fault] = validatePodUpdate(pod(after), pod(before));
    return (fault?.message ?? '').split('previously negative)\n')[1] ?? '';
  };

  it.each<[string, PodSpec, PodSpec, string]>([
    [
      'a changed variable',
      withContainer({ env: [{ name: 'E', value: '1' }], ports: [{ containerPort: 80 }] }),
      withContainer({ env: [{ name: 'E', value: '2' }], ports: [{ containerPort: 80 }] }),
      '@@ -21,7 +21,7 @@\n    "Env": [\n     {\n      "Name": "E",\n-     "Value": "1",\n+     "Value": "2",\n      "ValueFrom": null\n     }\n    ],\n',
    ],
    [
      'a changed node name of a Pod with a volume and two containers',
      { nodeName: 'a', volumes: [{ name: 'v' }], containers: [CONTAINER, { name: 'd', image: 'i' }] },
      { nodeName: 'b', volumes: [{ name: 'v' }], containers: [CONTAINER, { name: 'd', image: 'i' }] },
      '@@ -110,7 +110,7 @@\n  "NodeSelector": null,\n  "ServiceAccountName": "",\n  "AutomountServiceAccountToken": null,\n- "NodeName": "a",\n+ "NodeName": "b",\n  "SecurityContext": {\n   "HostNetwork": false,\n   "HostPID": false,\n',
    ],
    [
      'a change that adds lines in two places',
      {},
      { ...withContainer({ command: ['x'] }), hostNetwork: true },
      '@@ -5,7 +5,9 @@\n   {\n    "Name": "c",\n    "Image": "i",\n-   "Command": null,\n+   "Command": [\n+    "x"\n+   ],\n    "Args": null,\n    "WorkingDir": "",\n    "Ports": null,\n@@ -44,7 +46,7 @@\n  "AutomountServiceAccountToken": null,\n  "NodeName": "",\n  "SecurityContext": {\n-  "HostNetwork": false,\n+  "HostNetwork": true,\n   "HostPID": false,\n   "HostIPC": false,\n   "ShareProcessNamespace": null,\n',
    ],
  ])('shows %s in the internal form', (_name, before, after, expected) => {
    expect(refusal(after, before)).toBe(expected);
  });

  it('does not show fields that may change', () => {
    const gone = refusal(withContainer({ image: 'j', stdin: true }), withContainer({ image: 'i' }));
    expect(gone).toContain('+   "Stdin": true');
    expect(gone).not.toContain('"j"');
  });
});

describe('a written status', () => {
  const ended = (exitCode: number) => ({
    containerStatuses: [{ name: 'c', state: { terminated: { exitCode } } }],
  });
  const runs = { containerStatuses: [{ name: 'c', state: { running: {} } }] };
  const REVIVED =
    'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state';

  it.each<[string, string, PodStatus, PodStatus, readonly string[]]>([
    ['Always may restart', 'Always', ended(0), runs, []],
    ['Never stays ended', 'Never', ended(1), runs, [REVIVED]],
    ['OnFailure may restart after a failure', 'OnFailure', ended(1), runs, []],
    ['OnFailure stays ended after success', 'OnFailure', ended(0), runs, [REVIVED]],
    [
      'the QoS class is immutable',
      'Always',
      { qosClass: 'BestEffort' },
      { qosClass: 'Burstable' },
      ['status.qosClass: Invalid value: "Burstable": field is immutable'],
    ],
    [
      'the nominated node is a valid name',
      'Always',
      {},
      { nominatedNodeName: 'N_1' },
      [expect.stringContaining('status.nominatedNodeName: Invalid value: "N_1"')],
    ],
  ])('%s', (_name, restartPolicy, before, after, expected) => {
    const faults = validatePodStatusUpdate(pod({ restartPolicy }, after), pod({ restartPolicy }, before));
    expect(lines(faults)).toEqual(expected);
  });

  it('has the fields that Go prints, and podIP equals the first of podIPs', () => {
    const { status } = pod(
      {},
      { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }], ...runs },
    );
    expect(status).toEqual({
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }],
      containerStatuses: [
        {
          name: 'c',
          state: { running: {} },
          lastState: {},
          ready: false,
          restartCount: 0,
          image: '',
          imageID: '',
        },
      ],
    });
    expect(pod({}, { podIPs: [{ ip: '10.0.0.2' }] }).status).toMatchObject({ podIP: '10.0.0.2' });
  });
});

it.each([
  ['1', '1000m', 0],
  ['1Gi', '1024Mi', 0],
  ['1Gi', '1G', 1],
  ['-1', '0', -1],
])('compareQuantities(%s, %s) is %s', (a, b, expected) => {
  expect(compareQuantities(a, b)).toBe(expected);
});
