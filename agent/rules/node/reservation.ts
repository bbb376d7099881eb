/** What a node keeps back from pods, for the system and so that evictions come in time. Source: kubernetes v1.34 pkg/kubelet/cm. */
import { addQuantities, quantityOf, quantityText, wholeUnits } from '../../../shared/kube/values/quantity.ts';
import type { Quantity } from '../../../shared/kube/values/quantity-parse.ts';
import { amountOf, isHard, type Threshold } from '../eviction/thresholds/threshold.ts';
import { type Amounts, type AmountTexts, leftOf, readAmounts, writeAmounts } from './amounts.ts';

export interface Reserved {
  readonly systemReserved: AmountTexts;
  readonly kubeReserved: AmountTexts;
}

const NOTHING = quantityOf(0, 'DecimalSI');

/** The resource whose capacity a hard threshold takes a part of. */
const RESERVED_BY: Readonly<Record<string, string>> = {
  'memory.available': 'memory',
  'nodefs.available': 'ephemeral-storage',
};

/** Below its hard thresholds a node evicts pods, so it cannot promise that part. */
const evictionReserve = (thresholds: readonly Threshold[], capacity: Amounts): Amounts =>
  new Map(
    thresholds.filter(isHard).flatMap(({ signal, value }) => {
      const name = RESERVED_BY[signal];
      if (name === undefined) return [];
      return [[name, amountOf(value, Number(wholeUnits(capacity.get(name) ?? NOTHING)))] as const];
    }),
  );

const reservationOf = (
  capacity: Amounts,
  { systemReserved, kubeReserved }: Reserved,
  thresholds: readonly Threshold[],
): Amounts => {
  const shares = [
    readAmounts(systemReserved),
    readAmounts(kubeReserved),
    evictionReserve(thresholds, capacity),
  ];
  const sums = [...capacity.keys()].map((name): [string, Quantity] => [
    name,
    shares.reduce((sum, share) => addQuantities(sum, share.get(name) ?? NOTHING), NOTHING),
  ]);
  return new Map(sums.filter(([, sum]) => sum.nano !== 0n));
};

/** What the Node's allocatable is less than its capacity, by resource; only resources of the capacity, and no zeros. */
export const allocatableReservation = (
  capacity: Amounts,
  reserved: Reserved,
  thresholds: readonly Threshold[],
): AmountTexts => writeAmounts(reservationOf(capacity, reserved, thresholds));

/**
 * What all pods together may use: the limits of their cgroup. Thresholds of evictions are not taken off, so that the agent acts before
 * the kernel does. With `pid` in the capacity, reserved process ids count, too.
 */
export const podsLimit = (capacity: Amounts, { systemReserved, kubeReserved }: Reserved): AmountTexts => {
  const [system, kube] = [readAmounts(systemReserved), readAmounts(kubeReserved)];
  const limits = [...capacity].map(([name, amount]): [string, Quantity] => [
    name,
    leftOf(amount, addQuantities(system.get(name) ?? NOTHING, kube.get(name) ?? NOTHING)),
  ]);
  return writeAmounts(new Map(limits));
};

/** A resource of which more is kept back than the machine has. The agent must not start with it. */
export interface OverReserved {
  readonly resource: string;
  readonly message: string;
}

export const overReserved = (
  capacity: Amounts,
  reserved: Reserved,
  thresholds: readonly Threshold[],
): readonly OverReserved[] =>
  [...reservationOf(capacity, reserved, thresholds)].flatMap(([resource, taken]) => {
    const whole = capacity.get(resource) ?? NOTHING;
    if (taken.nano <= whole.nano) return [];
    const message = `systemReserved, kubeReserved and evictionHard keep back ${quantityText(taken)} of "${resource}", and the machine has ${quantityText(whole)}: reserve less`;
    return [{ resource, message }];
  });
