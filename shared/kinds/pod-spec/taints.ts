import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, invalidValue, notSupported, required, tooMany } from '../../kube/errors/field-error.ts';
import type { Taint } from '../../kube/types/core.ts';
import { TAINT_EFFECTS } from '../../kube/types/well-known.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../kube/values/names.ts';

/** Limit of the taints of a Node: each is compared with each toleration of the pods on it. */
const MAX_TAINTS = 250;

const isEffect = (effect: string): boolean => (TAINT_EFFECTS as readonly string[]).includes(effect);

const validateEffect = (effect: string | undefined, field: string): readonly FieldError[] => {
  if (!effect) return [required(field)];
  return isEffect(effect) ? [] : [notSupported(field, effect, TAINT_EFFECTS)];
};

const printed = ({ key, value, effect, timeAdded }: Taint): unknown => ({
  Key: key,
  Value: value ?? '',
  Effect: effect,
  TimeAdded: timeAdded ?? null,
});

const validateTaint = (taint: Partial<Taint>, field: string): readonly FieldError[] => [
  ...qualifiedNameFaults(taint.key ?? '').map((fault) =>
    invalidValue(`${field}.key`, taint.key ?? '', fault),
  ),
  ...labelValueFaults(taint.value ?? '').map((fault) =>
    invalidValue(`${field}.value`, taint.value ?? '', fault),
  ),
  ...validateEffect(taint.effect, `${field}.effect`),
];

/**
 * Rules for the taints of a Node. Key and effect together must be unique. Source: core validation v1.34
 * `validateNodeTaints`.
 */
export const validateTaints = (
  taints: readonly Taint[] = [],
  field = 'metadata.taints',
): readonly FieldError[] => {
  if (taints.length > MAX_TAINTS) return [tooMany(field, taints.length, MAX_TAINTS)];
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const at = `${field}[${index}]`;
    const id = `${taint.effect ?? ''}\n${taint.key ?? ''}`;
    const twice = Boolean(taint.effect) && seen.has(id);
    seen.add(id);
    return [
      ...validateTaint(taint, at),
      ...(twice ? [duplicate(at, printed(taint), 'taints must be unique by key and effect pair')] : []),
    ];
  });
};
