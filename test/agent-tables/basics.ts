import { goDurationText, parseGoDuration } from '../../shared/kube/text/go-duration.ts';
import {
  addQuantities,
  compareQuantities,
  milliQuantityOf,
  milliUnits,
  quantityOf,
  quantityText,
  subtractQuantities,
  wholeUnits,
} from '../../shared/kube/values/quantity.ts';
import { parseQuantity, type Quantity } from '../../shared/kube/values/quantity-parse.ts';
import { type Replays, replay } from './replay.ts';

const signOf = (nano: bigint): number => {
  if (nano === 0n) return 0;
  return nano < 0n ? -1 : 1;
};

const validQuantity = (text: string): Quantity => {
  const parsed = parseQuantity(text);
  if ('error' in parsed) throw new Error(parsed.error);
  return parsed;
};

export const TABLES: Replays = {
  'quantity-parse': replay((text: string) => {
    const parsed = parseQuantity(text);
    if ('error' in parsed) return { error: parsed.error };
    return {
      string: quantityText(parsed),
      value: `${wholeUnits(parsed)}`,
      milliValue: `${milliUnits(parsed)}`,
      format: parsed.format,
      sign: signOf(parsed.nano),
    };
  }),
  'quantity-format': replay((value: number) => ({
    BinarySI: quantityText(quantityOf(value, 'BinarySI')),
    DecimalSI: quantityText(quantityOf(value, 'DecimalSI')),
    milliDecimalSI: quantityText(milliQuantityOf(value, 'DecimalSI')),
  })),
  'quantity-arithmetic': replay(([a, b]: readonly [string, string]) => {
    const [left, right] = [validQuantity(a), validQuantity(b)];
    return {
      cmp: compareQuantities(a, b),
      sum: quantityText(addQuantities(left, right)),
      difference: quantityText(subtractQuantities(left, right)),
    };
  }),
  'duration-parse': replay((text: string) => {
    const parsed = parseGoDuration(text);
    return typeof parsed === 'object' ? parsed : { ns: `${parsed}`, string: goDurationText(parsed) };
  }),
};
