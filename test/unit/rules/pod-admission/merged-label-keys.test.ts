/** Source: kubernetes v1.34 `pkg/registry/core/pod/strategy.go`, seen with a real kube-scheduler, which reads selectors only. */
import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../../../shared/kube/types/core.ts';
import { withMergedLabelKeys } from '../../../../shared/rules/pod-admission/merged-label-keys.ts';

const pod = (spec: PodSpec): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', labels: { rev: '7', tenant: 't' } },
  spec,
});

const SELECTOR = { matchLabels: { app: 'a' } };
const IN = { key: 'rev', operator: 'In', values: ['7'] };
const NOT_IN = { key: 'tenant', operator: 'NotIn', values: ['t'] };
const given = { labelSelector: SELECTOR, matchLabelKeys: ['rev'], mismatchLabelKeys: ['tenant'] };
const merged = { ...given, labelSelector: { ...SELECTOR, matchExpressions: [IN, NOT_IN] } };

describe('label keys of a new pod (A-30)', () => {
  it.each([
    ['podAffinity', 'required', { requiredDuringSchedulingIgnoredDuringExecution: [given] }, [merged]],
    ['podAntiAffinity', 'required', { requiredDuringSchedulingIgnoredDuringExecution: [given] }, [merged]],
    [
      'podAffinity',
      'preferred',
      { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: given }] },
      [{ weight: 3, podAffinityTerm: merged }],
    ],
  ])('%s, %s: are in the selector', (kind, name, terms, expected) => {
    const { spec } = withMergedLabelKeys(pod({ affinity: { nodeAffinity: {}, [kind]: terms } }));
    const field = `${name}DuringSchedulingIgnoredDuringExecution`;
    expect(spec['affinity']).toEqual({ nodeAffinity: {}, [kind]: { [field]: expected } });
  });

  it('spread constraints: are in the selector', () => {
    const { mismatchLabelKeys: _none, ...spread } = given;
    const { spec } = withMergedLabelKeys(pod({ topologySpreadConstraints: [spread] }));
    expect(spec['topologySpreadConstraints']).toEqual([
      { ...spread, labelSelector: { ...SELECTOR, matchExpressions: [IN] } },
    ]);
  });

  it.each([
    [
      'a key that the pod does not have',
      { labelSelector: SELECTOR, matchLabelKeys: ['none', 'constructor'] },
    ],
    ['no selector', { matchLabelKeys: ['rev'] }],
    ['no keys', { labelSelector: SELECTOR }],
  ])('%s: the selector stays', (_what, spread) => {
    const { spec } = withMergedLabelKeys(pod({ topologySpreadConstraints: [spread] }));
    expect(spec['topologySpreadConstraints']).toEqual([spread]);
  });

  it('a pod without selectors stays as it is', () => {
    const plain = pod({ containers: [] });
    expect(withMergedLabelKeys(plain)).toBe(plain);
  });
});
