/** What is used in a month, what AWS gives of it for nothing, and what the rest costs. Pure. */
import type { Prices } from './prices.ts';

/** The price of a unit, how many units the price is for, and how many of them are free each month, for ever and for the whole account. */
interface Unit {
  readonly price: keyof Prices;
  readonly of: number;
  readonly free: number;
}

/** Source of the free amounts: https://aws.amazon.com/free, "Always Free". */
const UNITS = {
  lambdaRequests: { price: 'lambdaMillionRequests', of: 1e6, free: 1e6 },
  lambdaGbSeconds: { price: 'lambdaGbSecond', of: 1, free: 400_000 },
  writes: { price: 'dynamodbMillionWrites', of: 1e6, free: 0 },
  reads: { price: 'dynamodbMillionReads', of: 1e6, free: 0 },
  // 25 units of each are free.
  writeHours: { price: 'provisionedWriteHour', of: 1, free: 18_250 },
  readHours: { price: 'provisionedReadHour', of: 1, free: 18_250 },
  sqsRequests: { price: 'sqsMillionRequests', of: 1e6, free: 1e6 },
  groupedMessages: { price: 'sqsMillionGrouped', of: 1e6, free: 0 },
  metrics: { price: 'metricMonth', of: 1, free: 10 },
  alarms: { price: 'alarmMetricMonth', of: 1, free: 10 },
  dashboards: { price: 'dashboardMonth', of: 1, free: 3 },
  logGb: { price: 'logGb', of: 1, free: 5 },
  secrets: { price: 'secretMonth', of: 1, free: 0 },
  egressGb: { price: 'egressGb', of: 1, free: 100 },
} as const satisfies Readonly<Record<string, Unit>>;

type UnitName = keyof typeof UNITS;

/** Units of a month. */
export type Usage = { readonly [name in UnitName]?: number };

const NAMES = Object.keys(UNITS) as readonly UnitName[];

/** As often as `times`. */
export const multiplied = (usage: Usage, times: number): Usage =>
  Object.fromEntries(Object.entries(usage).map(([name, amount]) => [name, amount * times]));

/** The sum of several. */
export const summed = (usages: readonly Usage[]): Usage =>
  Object.fromEntries(NAMES.map((name) => [name, usages.reduce((sum, usage) => sum + (usage[name] ?? 0), 0)]));

const dollarsOfUnit = (name: UnitName, amount: number, prices: Prices): number => {
  const { price, of } = UNITS[name];
  return (amount * prices[price]) / of;
};

/** What it costs at list prices. */
export const listDollars = (usage: Usage, prices: Prices): number =>
  NAMES.reduce((sum, name) => sum + dollarsOfUnit(name, usage[name] ?? 0, prices), 0);

/** What a part of `whole` costs if the account has nothing else. Parts share a free amount by what they use. */
export const dollarsAfterFree = (usage: Usage, whole: Usage, prices: Prices): number =>
  NAMES.reduce((sum, name) => {
    const used = whole[name] ?? 0;
    const share = used === 0 ? 0 : Math.max(0, used - UNITS[name].free) / used;
    return sum + dollarsOfUnit(name, (usage[name] ?? 0) * share, prices);
  }, 0);
