/** From where on the machine is short of something. Source: kubernetes v1.34 pkg/kubelet/eviction/api `types.go`. */
import { quantityOf } from '../../../../shared/kube/values/quantity.ts';
import type { Quantity } from '../../../../shared/kube/values/quantity-parse.ts';
import type { Signal } from './signals.ts';

/** An amount, or a part of the capacity as a float32 from 0 to 1. */
export type ThresholdValue = { readonly quantity: Quantity } | { readonly percentage: number };

/** It is met while less than `value` is available. */
export interface Threshold {
  readonly signal: Signal;
  readonly value: ThresholdValue;
  /** How long it has to be met before pods are ended: 0 for a hard threshold. */
  readonly graceMs: number;
  /** How much more than `value` has to be available before the pressure ends. */
  readonly minReclaim?: ThresholdValue;
}

export const isHard = ({ graceMs }: Pick<Threshold, 'graceMs'>): boolean => graceMs === 0;

/** What amd64 makes of a float that no int64 holds. */
const LEAST_INT64 = -(2n ** 63n);

/** The amount that a value is of `capacity`, which has the unit of the signal. A NaN is no amount. */
export const amountOf = (value: ThresholdValue, capacity: number): Quantity => {
  if ('quantity' in value) return value.quantity;
  const amount = Math.trunc(capacity * value.percentage);
  return quantityOf(Number.isFinite(amount) ? amount : LEAST_INT64, 'BinarySI');
};
