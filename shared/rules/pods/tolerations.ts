import type { Taint, Toleration } from '../../kube/types/core.ts';
import { TAINT_SHUTTING_DOWN, TAINT_UNSCHEDULABLE } from '../../kube/types/well-known.ts';

/** Feature gates that change how tolerations match. */
export interface TolerationOptions {
  /** Kubernetes' gate `TaintTolerationComparisonOperators` (`Gt`, `Lt`), off by default there and here. */
  readonly comparisonOperators?: boolean;
}

type TaintToMatch = Pick<Taint, 'key' | 'value' | 'effect'>;

/** A decimal signed 64-bit integer without leading zeros, plus sign or spaces; `undefined` for anything else. */
const parseInt64 = (text: string): bigint | undefined => {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
};

/**
 * Whether the taint's number lies above (`Gt`) or below (`Lt`) the toleration's; any other operator never matches.
 * Source: kubernetes v1.35 component-helpers `compareNumericValues`.
 */
export const matchesNumber = (operator: string, tolerationValue: string, taintValue: string): boolean => {
  const bound = parseInt64(tolerationValue);
  const value = parseInt64(taintValue);
  if (bound === undefined || value === undefined) return false;
  if (operator === 'Gt') return value > bound;
  return operator === 'Lt' && value < bound;
};

const matchesValue = (toleration: Toleration, taint: TaintToMatch, options: TolerationOptions): boolean => {
  const operator = toleration.operator ?? '';
  if (operator === 'Exists') return true;
  const value = toleration.value ?? '';
  if (operator === '' || operator === 'Equal') return value === (taint.value ?? '');
  return options.comparisonOperators === true && matchesNumber(operator, value, taint.value ?? '');
};

const matchesIfSet = (wanted: string | undefined, actual: string): boolean =>
  wanted === undefined || wanted === '' || wanted === actual;

/** A pod that tolerates every taint would be bound to a node that refuses all pods, so this taint has to be named. */
const isNamedIfNeeded = ({ key }: Toleration, taint: TaintToMatch): boolean =>
  taint.key !== TAINT_SHUTTING_DOWN || key === TAINT_SHUTTING_DOWN;

/** Whether the toleration covers the taint. Source: kubernetes v1.34 core/v1 `Toleration.ToleratesTaint`, apart from Rollcall's own taint. */
export const tolerates = (
  toleration: Toleration,
  taint: TaintToMatch,
  options: TolerationOptions = {},
): boolean =>
  matchesIfSet(toleration.effect, taint.effect) &&
  matchesIfSet(toleration.key, taint.key) &&
  isNamedIfNeeded(toleration, taint) &&
  matchesValue(toleration, taint, options);

/** The first toleration in list order that covers the taint: later, longer or shorter ones do not count. */
export const firstTolerating = (
  tolerations: readonly Toleration[],
  taint: TaintToMatch,
  options: TolerationOptions = {},
): Toleration | undefined => tolerations.find((toleration) => tolerates(toleration, taint, options));

const CORDON_TAINT = { key: TAINT_UNSCHEDULABLE, effect: 'NoSchedule' } as const;

/** Whether a pod with these tolerations may be scheduled to a cordoned node. Source: kubernetes v1.34 scheduler plugin `nodeunschedulable`. */
export const toleratesCordon = (tolerations: readonly Toleration[]): boolean =>
  firstTolerating(tolerations, CORDON_TAINT) !== undefined;

/**
 * The toleration used for each taint, in the order of the taints; `undefined` when some taint is not tolerated.
 * Source: kubernetes v1.34 component-helpers `GetMatchingTolerations`.
 */
export const usedTolerations = (
  tolerations: readonly Toleration[],
  taints: readonly TaintToMatch[],
  options: TolerationOptions = {},
): readonly Toleration[] | undefined => {
  const used = taints.map((taint) => firstTolerating(tolerations, taint, options));
  return used.every((toleration) => toleration !== undefined) ? used : undefined;
};

/**
 * The least toleration: the shortest `tolerationSeconds` of the used tolerations. `undefined`: for ever. 0 if none is used or the
 * shortest is negative.
 * Source: kubernetes v1.34 tainteviction `getMinTolerationTime`.
 */
export const minTolerationSeconds = (used: readonly Toleration[]): number | undefined => {
  if (used.length === 0) return 0;
  const finite = used.map(({ tolerationSeconds }) => tolerationSeconds).filter((s) => s !== undefined);
  return finite.length === 0 ? undefined : Math.max(0, Math.min(...finite));
};
