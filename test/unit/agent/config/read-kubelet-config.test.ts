import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readKubeletConfig } from '../../../../agent/config/read-kubelet-config.ts';
import { KUBELET_CONFIGURATION } from '../../../../agent/rules/config/kubelet-fields.ts';
import { MEANINGS } from '../../../../agent/rules/config/meaning.ts';

const problems = (...lines: readonly string[]): readonly string[] => {
  const read = readKubeletConfig(lines.join('\n'), 'kubelet.yaml');
  return 'problems' in read ? read.problems : [];
};

it('reads a file with the type of Kubernetes', () => {
  expect(
    problems('apiVersion: kubelet.config.k8s.io/v1beta1', 'kind: KubeletConfiguration', 'maxPods: 7'),
  ).toEqual([]);
});

it('reads yes and no as YAML 1.1 does, and times as texts', () => {
  const read = readKubeletConfig('registerNode: no\nsyncFrequency: 1m30s\n', 'kubelet.yaml');
  expect(read).toMatchObject({ config: { registerNode: false, syncFrequency: 90_000_000_000n } });
});

const REMEDY = 'correct its name or take it out; names are those of Kubernetes 1.34';

it.each([
  [['maxPods: 7', 'maxpods: 8'], `kubelet.yaml:2: strict decoding error: unknown field "maxpods"; ${REMEDY}`],
  [
    ['memorySwap:', '  swapBehavior: NoSwap', '  other: 1'],
    `kubelet.yaml:3: strict decoding error: unknown field "memorySwap.other"; ${REMEDY}`,
  ],
  [
    ['registerWithTaints:', '- key: a', '  effekt: NoSchedule'],
    `kubelet.yaml:3: strict decoding error: unknown field "registerWithTaints[0].effekt"; ${REMEDY}`,
  ],
  [
    ['featureGates:', '  NoSuchGate: true'],
    `kubelet.yaml:2: unrecognized feature gate: NoSuchGate; ${REMEDY}`,
  ],
  [
    ['', 'nodeLeaseDurationSeconds: "40"'],
    'kubelet.yaml:2: json: cannot unmarshal string into Go struct field KubeletConfiguration.nodeLeaseDurationSeconds of type int32',
  ],
  [['', 'syncFrequency:'], 'kubelet.yaml:2: time: invalid duration ""'],
  [
    ['', 'crashLoopBackOff: {maxContainerRestartPeriod: soon}'],
    'kubelet.yaml:2: time: invalid duration "soon"',
  ],
  [
    ['# first', 'maxPods: -2'],
    'kubelet.yaml:2: invalid configuration: maxPods (--max-pods) -2 must not be a negative number',
  ],
  [
    ['memorySwap: LimitedSwap'],
    'kubelet.yaml:1: json: cannot unmarshal string into Go struct field KubeletConfiguration.memorySwap of type v1beta1.MemorySwapConfiguration',
  ],
  [['kind: Config'], 'kubelet.yaml:1: kind must be KubeletConfiguration'],
  [['maxPods: 1', 'maxPods: 2'], 'kubelet.yaml:2: Map keys must be unique'],
  [
    ['- maxPods'],
    'kubelet.yaml: json: cannot unmarshal array into Go value of type v1beta1.KubeletConfiguration',
  ],
])('names the line: %j', (lines, problem) => {
  expect(problems(...lines)).toEqual([problem]);
});

describe('J-154: a field without effect', () => {
  const notes = (...lines: readonly string[]): readonly string[] => {
    const read = readKubeletConfig(lines.join('\n'), 'kubelet.yaml');
    return 'notes' in read ? read.notes : [];
  };

  it('is told with its line and the reason', () => {
    expect(notes('maxPods: 7', 'clusterDNS:', '- 192.0.2.1', 'readOnlyPort: 1')).toEqual([
      'kubelet.yaml:2: clusterDNS has no effect: containers use the network and the name resolution of the machine',
      'kubelet.yaml:4: readOnlyPort has no effect: the server of the agent is for requests that the control plane has permitted, with a certificate of its own',
    ]);
  });

  it.each([
    ['staticPodURL: http://a', 'staticPodURL is not supported: static pods are read from staticPodPath only'],
  ])('is refused if it would be missed: %s', (line, problem) => {
    expect(problems('', line)).toContain(`kubelet.yaml:2: ${problem}; take it out`);
  });

  it.each(['seccompDefault: true', 'cpuManagerPolicy: none', 'staticPodURL: ""'])('may say %s', (line) => {
    expect(problems(line)).toEqual([]);
  });

  it('is known for what it is, as every other one', () => {
    const known = Object.values(MEANINGS).flat();
    expect(known.toSorted()).toEqual(Object.keys(KUBELET_CONFIGURATION.schema.fields).toSorted());
  });

  const isReader = (path: string): boolean =>
    !/rules\/config\/(kubelet-fields|meaning|validate|[a-z]+-rules)/.test(path);
  const sources = globSync(['agent/**/*.ts', 'cli/agent/*.ts'])
    .filter(isReader)
    .map((path) => readFileSync(path, 'utf8'));
  const isRead = (pattern: string): boolean => sources.some((text) => new RegExp(pattern).test(text));

  it.each(MEANINGS.honoured)('is another one than %s, which is read', (field) => {
    expect(isRead(`\\b${field}\\b`)).toBe(true);
  });

  it.each(MEANINGS.ignored)('is %s, which nobody reads', (field) => {
    expect(isRead(`config\\.${field}\\b`)).toBe(false);
  });
});
