import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec, Toleration } from '../../../../shared/kube/types/core.ts';
import { type RuntimeClass, withRuntimeClass } from '../../../../shared/rules/pod-admission/runtime-class.ts';

const pod = (spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [], ...spec },
});
const ofClass = (spec: Partial<PodSpec> = {}): Pod => pod({ runtimeClassName: 'kata', ...spec });
const runtimeClass = (parts: Partial<RuntimeClass> = {}): RuntimeClass => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata' },
  handler: 'kata',
  ...parts,
});
const OVERHEAD = { overhead: { podFixed: { cpu: '250m', memory: '120Mi' } } };
const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const ALONE = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

describe('the overhead of a new pod (A-18)', () => {
  it.each<[string, Pod, RuntimeClass | undefined, object]>([
    ['nothing without a class', pod(), undefined, { pod: pod() }],
    [
      'that of its class',
      ofClass(),
      runtimeClass(OVERHEAD),
      { pod: ofClass({ overhead: OVERHEAD.overhead.podFixed }) },
    ],
    ['nothing of a class without one', ofClass(), runtimeClass(), { pod: ofClass() }],
    ['nothing of an empty one', ofClass(), runtimeClass({ overhead: {} }), { pod: ofClass() }],
    [
      'the same in other words, as it was sent',
      ofClass({ overhead: { memory: '120Mi', cpu: '0.25' } }),
      runtimeClass(OVERHEAD),
      { pod: ofClass({ overhead: { memory: '120Mi', cpu: '0.25' } }) },
    ],
    [
      'refused: another one',
      ofClass({ overhead: { cpu: '1', memory: '120Mi' } }),
      runtimeClass(OVERHEAD),
      { fault: MISMATCH },
    ],
    [
      'refused: a part of it',
      ofClass({ overhead: { cpu: '250m' } }),
      runtimeClass(OVERHEAD),
      { fault: MISMATCH },
    ],
    ['refused: one without a class', pod({ overhead: { cpu: '1' } }), undefined, { fault: ALONE }],
    [
      'refused: one of a class without one',
      ofClass({ overhead: { cpu: '1' } }),
      runtimeClass(),
      { fault: ALONE },
    ],
    [
      'refused: no such class',
      ofClass(),
      undefined,
      { fault: 'pod rejected: RuntimeClass "kata" not found' },
    ],
  ])('is %s', (_, given, its, expected) => {
    expect(withRuntimeClass(given, its)).toEqual(expected);
  });
});

describe('the place of a new pod (A-19)', () => {
  const placed = (spec: Partial<PodSpec>, scheduling: NonNullable<RuntimeClass['scheduling']>) =>
    withRuntimeClass(ofClass(spec), runtimeClass({ scheduling }));
  const EXISTS: Toleration = { key: 'kata', operator: 'Exists' };
  const EQUAL: Toleration = { key: 'kata', operator: 'Equal', value: 'yes', effect: 'NoSchedule' };
  const evicting = (tolerationSeconds?: number): Toleration => ({
    ...EXISTS,
    effect: 'NoExecute',
    ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
  });

  it.each([
    ['the selector of its class', {}, { a: 'b' }, { a: 'b' }],
    ['both selectors', { nodeSelector: { c: 'd', a: 'b' } }, { a: 'b' }, { c: 'd', a: 'b' }],
    ['its own selector', { nodeSelector: { c: 'd' } }, undefined, { c: 'd' }],
  ])('is that of %s', (_, own, nodeSelector, expected) => {
    expect(placed(own, nodeSelector ? { nodeSelector } : {})).toMatchObject({
      pod: { spec: { nodeSelector: expected } },
    });
  });

  it('is refused where both selectors contradict each other', () => {
    expect(placed({ nodeSelector: { a: 'x' } }, { nodeSelector: { a: 'b' } })).toEqual({
      fault: 'conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = x',
    });
  });

  it.each<[string, readonly Toleration[], readonly Toleration[], readonly Toleration[]]>([
    [
      'both',
      [EXISTS],
      [{ key: 'other', operator: 'Exists' }],
      [EXISTS, { key: 'other', operator: 'Exists' }],
    ],
    ['one of two equal ones', [EQUAL], [EQUAL], [EQUAL]],
    ['the wider one of the class', [EQUAL], [EXISTS], [EXISTS]],
    ['the wider one of the pod', [EXISTS], [EQUAL], [EXISTS]],
    ['the one of all keys', [EQUAL], [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
    ['both of two values', [EQUAL], [{ ...EQUAL, value: 'no' }], [EQUAL, { ...EQUAL, value: 'no' }]],
    ['the longer one', [evicting(10)], [evicting(20)], [evicting(20)]],
    ['the one for ever', [evicting()], [evicting(20)], [evicting()]],
    ['both of two effects', [evicting()], [EQUAL], [evicting(), EQUAL]],
  ])('has the tolerations of pod and class: %s', (_, own, its, expected) => {
    expect(placed({ tolerations: own }, { tolerations: its })).toMatchObject({
      pod: { spec: { tolerations: expected } },
    });
  });
});
