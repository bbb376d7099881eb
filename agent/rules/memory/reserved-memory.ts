/** Memory of NUMA nodes that no container gets. Source: kubernetes v1.34 memorymanager `getSystemReservedMemory`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import { addQuantities, quantityOf, quantityText } from '../../../shared/kube/values/quantity.ts';
import { NANO, parseQuantity, type Quantity } from '../../../shared/kube/values/quantity-parse.ts';
import { type AmountTexts, readAmounts } from '../node/amounts.ts';
import { isMemory } from './memory-requests.ts';

export interface MemoryReservation {
  readonly numaNode: number;
  readonly limits?: Readonly<Record<string, string | undefined>> | undefined;
}

interface Fault {
  readonly error: string;
}

/** Bytes by kind of memory, by node. */
export interface ReservedByNode {
  readonly byNode: Readonly<Record<number, Readonly<Record<string, number>>>>;
}

const NOTHING = quantityOf(0, 'DecimalSI');

const amountsOf = ({ limits = {} }: MemoryReservation): readonly (readonly [string, Quantity])[] =>
  Object.entries(limits).flatMap(([type, text = '0']) => {
    const parsed = parseQuantity(text);
    return 'error' in parsed ? [] : [[type, parsed] as const];
  });

const totals = (reservations: readonly MemoryReservation[]): ReadonlyMap<string, Quantity> => {
  const sums = new Map<string, Quantity>();
  for (const [type, amount] of reservations.flatMap(amountsOf))
    sums.set(type, addQuantities(sums.get(type) ?? NOTHING, amount));
  return sums;
};

/** All nodes together must keep back as much as the node does. */
const totalFault = (
  reservations: readonly MemoryReservation[],
  reservation: AmountTexts,
): string | undefined => {
  const [asked, kept] = [totals(reservations), readAmounts(reservation)];
  const types = new Set([...asked.keys(), ...[...kept.keys()].filter(isMemory)]);
  for (const type of types) {
    const [has, should] = [asked.get(type) ?? NOTHING, kept.get(type) ?? NOTHING];
    if (has.nano !== should.nano)
      return `the total amount ${quote(quantityText(addQuantities(NOTHING, has)))} of type ${quote(type)} is not equal to the value ${quote(quantityText(addQuantities(NOTHING, should)))} determined by Node Allocatable feature`;
  }
  return undefined;
};

/** `reservation`: what is kept back from pods, with the hard thresholds of eviction. */
export const reservedByNode = (
  reservations: readonly MemoryReservation[],
  nodes: readonly number[],
  reservation: AmountTexts,
): ReservedByNode | Fault => {
  const unknown = reservations.find(({ numaNode }) => !nodes.includes(numaNode));
  if (unknown)
    return {
      error: `the reserved memory configuration references a NUMA node ${unknown.numaNode} that does not exist on this machine`,
    };
  const fault = totalFault(reservations, reservation);
  if (fault !== undefined) return { error: fault };
  if ((totals(reservations).get('memory')?.nano ?? 0n) <= 0n)
    return { error: '[memorymanager] you should specify the system reserved memory' };
  const byNode: Record<number, Record<string, number>> = {};
  for (const one of reservations)
    for (const [type, amount] of amountsOf(one))
      byNode[one.numaNode] = { ...byNode[one.numaNode], [type]: Number(amount.nano / NANO) };
  return { byNode };
};
