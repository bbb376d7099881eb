/** Lists of resources and their amounts, for calculations. Source: kubernetes v1.34 `core/v1` `ResourceList`. */
import { quantityText, subtractQuantities } from '../../../shared/kube/values/quantity.ts';
import { parseQuantity, type Quantity } from '../../../shared/kube/values/quantity-parse.ts';

/** As it is written in the API: quantities by the resource's name. */
export type AmountTexts = Readonly<Record<string, string>>;

export type Amounts = ReadonlyMap<string, Quantity>;

/** Amounts that are no quantities are left out. */
export const readAmounts = (texts: AmountTexts = {}): Map<string, Quantity> =>
  new Map(
    Object.entries(texts).flatMap(([name, text]) => {
      const parsed = parseQuantity(text);
      return 'error' in parsed ? [] : [[name, parsed] as const];
    }),
  );

export const writeAmounts = (amounts: Amounts): AmountTexts =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, quantityText(amount)]));

/** Zero in the format of this amount. */
export const zeroOf = ({ format, kept }: Quantity): Quantity => ({ nano: 0n, format, kept });

/** What is left of the amount: 0 if more is taken than there is, also of a negative amount. */
export const leftOf = (amount: Quantity, taken: Quantity | undefined): Quantity => {
  const rest = taken ? subtractQuantities(amount, taken) : amount;
  return rest.nano < 0n ? zeroOf(rest) : rest;
};
