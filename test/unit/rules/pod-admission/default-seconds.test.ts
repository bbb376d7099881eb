import { expect, it } from 'vitest';
import type { Namespace, Toleration } from '../../../../shared/kube/types/core.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../../../shared/kube/types/well-known.ts';
import {
  defaultSecondsFaults,
  defaultSecondsOf,
  storedSecondsOf,
} from '../../../../shared/rules/pod-admission/default-seconds.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';

const NOT_READY = 'rollcall.dev/default-not-ready-toleration-seconds';
const UNREACHABLE = 'rollcall.dev/default-unreachable-toleration-seconds';
const aNamespace = (annotations: Readonly<Record<string, string>>): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ns1', annotations },
});

it.each(['0', '30', '2592000'])('%s are seconds that a namespace can have (A-27)', (text) => {
  const namespace = aNamespace({ [NOT_READY]: text, [UNREACHABLE]: text });
  expect(defaultSecondsFaults(namespace.metadata)).toEqual([]);
  expect(defaultSecondsOf(namespace, 300)).toEqual({ notReady: Number(text), unreachable: Number(text) });
});

it.each(['', '-1', '1.5', '30s', ' 5', '2592001', '9'.repeat(400)])(
  '%s is refused, and not used if it is stored (A-27)',
  (text) => {
    const namespace = aNamespace({ [NOT_READY]: '5', [UNREACHABLE]: text });
    expect(defaultSecondsFaults(namespace.metadata)).toMatchObject([
      {
        field: `metadata.annotations[${UNREACHABLE}]`,
        reason: 'FieldValueInvalid',
        message: expect.stringContaining('must be whole seconds from 0 to 2592000 (30 days), such as 60'),
      },
    ]);
    expect(defaultSecondsOf(namespace, 300)).toEqual({ notReady: 5, unreachable: 300 });
  },
);

it('a namespace without the annotations, or none, has the seconds of the settings (A-27)', () => {
  for (const namespace of [aNamespace({}), undefined])
    expect(defaultSecondsOf(namespace, 60)).toEqual({ notReady: 60, unreachable: 60 });
});

const on = (key: string, rest: Toleration): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...rest,
});

it.each<[string, readonly Toleration[], number]>([
  ['what is stored', [on(TAINT_UNREACHABLE, { tolerationSeconds: 7 })], 7],
  ['the settings, where it is for ever', [on(TAINT_UNREACHABLE, {})], 300],
  [
    'the settings, where it is of all effects',
    [{ key: TAINT_UNREACHABLE, operator: 'Exists', tolerationSeconds: 7 }],
    300,
  ],
  ['the settings, where it is of another taint', [on(TAINT_NOT_READY, { tolerationSeconds: 300 })], 300],
])('an update takes the seconds from %s (A-28)', (_name, tolerations, unreachable) => {
  expect(storedSecondsOf(aPod({ tolerations }), 300)).toEqual({ notReady: 300, unreachable });
});
