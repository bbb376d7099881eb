import { describe, expect, it } from 'vitest';
import { validateMetadata, validateMetadataUpdate } from '../../../shared/kinds/fields/metadata.ts';
import { validateTaints } from '../../../shared/kinds/pod-spec/taints.ts';
import {
  validateTolerations,
  validateTolerationsUpdate,
} from '../../../shared/kinds/pod-spec/tolerations.ts';
import type { FieldError } from '../../../shared/kube/errors/field-error.ts';
import {
  duplicate,
  invalidObject,
  invalidValue,
  notSupported,
  required,
  summarize,
} from '../../../shared/kube/errors/field-error.ts';
import type { Taint, Toleration } from '../../../shared/kube/types/core.ts';
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  labelValueFaults,
  qualifiedNameFaults,
} from '../../../shared/kube/values/names.ts';

const lines = (errors: readonly FieldError[]): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

describe('field errors', () => {
  it('print one error without brackets, several with brackets, and equal ones once', () => {
    const one = required('metadata.name');
    expect(summarize([one, one])).toBe('metadata.name: Required value');
    expect(summarize([one, duplicate('a', 'b')])).toBe(
      '[metadata.name: Required value, a: Duplicate value: "b"]',
    );
  });

  it('become a 422 with one cause each', () => {
    const errors = [invalidValue('spec.x', 0, 'too small'), notSupported('y', 'a', ['b', 'c'])];
    expect(
      invalidObject({ kind: 'Lease', group: 'coordination.k8s.io' }, 'l', errors).toStatus(),
    ).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'Lease.coordination.k8s.io "l" is invalid: [spec.x: Invalid value: 0: too small, y: Unsupported value: "a": supported values: "b", "c"]',
      details: {
        name: 'l',
        group: 'coordination.k8s.io',
        kind: 'Lease',
        causes: [
          { reason: 'FieldValueInvalid', message: 'Invalid value: 0: too small', field: 'spec.x' },
          { reason: 'FieldValueNotSupported', field: 'y' },
        ],
      },
    });
  });
});

describe('names', () => {
  it.each([
    [dnsSubdomainFaults, 'a.b-c', 0],
    [dnsSubdomainFaults, 'a'.repeat(253), 0],
    [dnsSubdomainFaults, 'a'.repeat(254), 1],
    [dnsSubdomainFaults, 'A', 1],
    [dnsSubdomainFaults, '', 1],
    [dnsLabelFaults, 'a-b', 0],
    [dnsLabelFaults, 'a.b', 1],
    [qualifiedNameFaults, 'example.com/Name_1', 0],
    [qualifiedNameFaults, '/x', 1],
    [qualifiedNameFaults, 'a/b/c', 1],
    [qualifiedNameFaults, 'a/', 2],
    [labelValueFaults, '', 0],
    [labelValueFaults, 'a b', 1],
    [labelValueFaults, 'a'.repeat(64), 1],
  ])('%# %o of %j: %i faults', (rule, value, count) => {
    expect(rule(value)).toHaveLength(count);
  });
});

describe('metadata', () => {
  it.each([
    ['no name', {}, ['metadata.name: Required value: name or generateName is required']],
    ['a prefix that ends with a dash', { name: 'a-x', generateName: 'a-' }, []],
    [
      'a namespace on a cluster-scoped kind',
      { name: 'a', namespace: 'n' },
      ['metadata.namespace: Forbidden: not allowed on this type'],
    ],
    ['upper case in an annotation key', { name: 'a', annotations: { 'Example.com/K': '' } }, []],
    [
      'a finalizer without a domain',
      { name: 'a', finalizers: ['keep'] },
      [
        'metadata.finalizers[0]: Invalid value: "keep": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    ['a standard finalizer', { name: 'a', finalizers: ['orphan'] }, []],
  ])('%s', (_name, metadata, expected) => {
    expect(lines(validateMetadata(metadata as never, { namespaced: false }))).toEqual(expected);
  });

  it('keeps its identity, and gets no new finalizers during a deletion', () => {
    const before = { name: 'a', uid: 'u', deletionTimestamp: 't', finalizers: ['x/y'] };
    expect(
      lines(validateMetadataUpdate({ ...before, uid: 'v', finalizers: ['x/y', 'x/z'] }, before)),
    ).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/z"}',
      'metadata.uid: Invalid value: "v": field is immutable',
    ]);
  });
});

describe('taints', () => {
  it.each<[string, readonly Partial<Taint>[], readonly string[]]>([
    ['a valid one', [{ key: 'example.com/x', value: 'v', effect: 'NoExecute' }], []],
    ['no effect', [{ key: 'a' }], ['metadata.taints[0].effect: Required value']],
    [
      'an unknown effect',
      [{ key: 'a', effect: 'No' as never }],
      [
        'metadata.taints[0].effect: Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
    [
      'one key with two effects',
      [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoExecute' },
      ],
      [],
    ],
    [
      'the same key and effect twice',
      [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', value: '2', effect: 'NoSchedule' },
      ],
      [
        'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"2","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      ],
    ],
  ])('%s', (_name, taints, expected) => {
    expect(lines(validateTaints(taints as readonly Taint[]))).toEqual(expected);
  });

  it('need a key', () => {
    expect(validateTaints([{ key: '', effect: 'NoSchedule' }])).toHaveLength(2);
    expect(validateTaints([{ key: 'a', value: 'b c', effect: 'NoSchedule' }])[0]?.field).toBe(
      'metadata.taints[0].value',
    );
  });
});

describe('tolerations', () => {
  it.each<[string, Toleration, readonly string[]]>([
    ['a valid one', { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }, []],
    ['everything', { operator: 'Exists' }, []],
    ['negative seconds', { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -1 }, []],
    [
      'an empty key without Exists',
      { operator: 'Equal', value: 'b' },
      [
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'seconds without NoExecute',
      { key: 'a', operator: 'Exists', tolerationSeconds: 5 },
      [
        'spec.tolerations[0].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
      ],
    ],
    [
      'Exists with a value',
      { key: 'a', operator: 'Exists', value: 'b' },
      ['spec.tolerations[0].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\''],
    ],
    [
      'another operator',
      { key: 'a', operator: 'In' },
      ['spec.tolerations[0].operator: Unsupported value: "In": supported values: "Equal", "Exists"'],
    ],
    [
      'another effect',
      { key: 'a', operator: 'Exists', effect: 'No' },
      [
        'spec.tolerations[0].effect: Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
  ])('%s', (_name, toleration, expected) => {
    expect(lines(validateTolerations([toleration]))).toEqual(expected);
  });

  it('may be added or get other seconds, but not be changed or removed', () => {
    const before = [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }];
    expect(
      validateTolerationsUpdate(
        [
          { ...before[0], tolerationSeconds: 9 },
          { key: 'b', operator: 'Exists' },
        ],
        before,
      ),
    ).toEqual([]);
    expect(validateTolerationsUpdate([], before)).toHaveLength(1);
    expect(validateTolerationsUpdate([{ ...before[0], key: 'c' }], before)).toHaveLength(1);
  });
});
