import { describe, expect, it } from 'vitest';
import type { PodSpec, Toleration } from '../../../../shared/kube/types/core.ts';
import {
  whitelistFault,
  withNamespaceTolerations,
} from '../../../../shared/rules/pod-admission/toleration-restriction.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const MEMORY: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};
const equal = (value: string): Toleration => ({
  key: 'testKey',
  operator: 'Equal',
  value,
  effect: 'NoSchedule',
});
const [A, B] = [equal('a'), equal('b')];
const WIDE: Toleration = { key: 'testKey', operator: 'Exists' };
const OTHER: Toleration = { key: 'x', operator: 'Exists' };
const ALL: Toleration = { operator: 'Exists' };
const evicting = (tolerationSeconds: number): Toleration => ({
  key: 'k',
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
});
const BURSTABLE: PodSpec = { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] };
const amounts = { cpu: '1', memory: '1Gi' };
const GUARANTEED: PodSpec = {
  containers: [{ name: 'c', resources: { requests: amounts, limits: amounts } }],
};

const podWith = (spec: PodSpec) => ({ ...aPod(), spec });
const annotation = (
  name: string,
  list: readonly Toleration[] | undefined,
): Readonly<Record<string, string>> => (list ? { [name]: JSON.stringify(list) } : {});

describe('the default tolerations of a namespace (A-25)', () => {
  it.each<[string, readonly Toleration[] | undefined, PodSpec, readonly Toleration[] | undefined]>([
    ['none anywhere', undefined, {}, undefined],
    ['an empty list', [], {}, undefined],
    ['go to a pod without any', [A], {}, [A]],
    ['come after those of the pod', [A], { tolerations: [OTHER] }, [OTHER, A]],
    ['stand beside another one of the key', [A], { tolerations: [B] }, [B, A]],
    ['are not doubled', [A], { tolerations: [A] }, [A]],
    ['are left out where the pod has a wider one', [A], { tolerations: [WIDE] }, [WIDE]],
    ['take the place of a narrower one', [ALL], { tolerations: [A, B] }, [ALL]],
    ['bring one of memory pressure to a Burstable pod', [A], BURSTABLE, [A, MEMORY]],
    ['bring one of memory pressure to a Guaranteed pod', undefined, GUARANTEED, [MEMORY]],
    ['leave a longer time', [evicting(5)], { tolerations: [evicting(9)] }, [evicting(9)]],
    ['lengthen a shorter time', [evicting(9)], { tolerations: [evicting(5)] }, [evicting(9)]],
  ])('%s', (_name, given, spec, expected) => {
    const restricted = withNamespaceTolerations(podWith(spec), true, annotation(DEFAULTS, given));
    expect('pod' in restricted && restricted.pod.spec.tolerations).toEqual(expected);
  });

  it('are for new pods only, the one of memory pressure for all', () => {
    expect(withNamespaceTolerations(podWith(BURSTABLE), false, annotation(DEFAULTS, [A]))).toEqual({
      pod: podWith({ ...BURSTABLE, tolerations: [MEMORY] }),
    });
  });
});

describe('the whitelist of a namespace (A-26)', () => {
  const CONFLICT =
    'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist';

  it.each<[string, readonly Toleration[] | undefined, readonly Toleration[] | undefined, string | undefined]>(
    [
      ['none', undefined, [A], undefined],
      ['an empty one allows everything', [], [A], undefined],
      ['a pod without tolerations', [A], undefined, undefined],
      ['the same toleration', [A], [A], undefined],
      ['a wider one', [WIDE], [A, B], undefined],
      ['one of everything', [ALL], [A, WIDE, evicting(5)], undefined],
      ['another value', [A], [B], CONFLICT],
      ['one of two', [A], [A, B], CONFLICT],
      ['a narrower one', [A], [WIDE], CONFLICT],
      ['a longer time', [evicting(9)], [evicting(5)], undefined],
      ['a shorter time', [evicting(5)], [evicting(9)], CONFLICT],
    ],
  )('%s', (_name, allowed, own, fault) => {
    const pod = podWith(own ? { tolerations: own } : {});
    expect(whitelistFault(pod, annotation(WHITELIST, allowed))).toBe(fault);
  });
});

it.each([
  ['', undefined],
  ['null', undefined],
  ['nope', "invalid character 'o' in literal null (expecting 'u')"],
  ['[{', 'unexpected end of JSON input'],
  ['{"key":"a"}', 'json: cannot unmarshal object into Go value of type []v1.Toleration'],
  ['[1]', 'json: cannot unmarshal number into Go value of type v1.Toleration'],
  ['[{"key":1}]', 'json: cannot unmarshal number into Go struct field Toleration.key of type string'],
])('an annotation %j is judged as by Kubernetes (A-25, A-26)', (text, fault) => {
  const restricted = withNamespaceTolerations(podWith({}), true, { [DEFAULTS]: text });
  expect('fault' in restricted ? restricted.fault : undefined).toBe(fault);
  expect(whitelistFault(podWith({ tolerations: [A] }), { [WHITELIST]: text })).toBe(fault);
});
