/** List prices in dollars. Others than these come from a file: prices differ by region, and by contract. */
import { CommandError, reasonOf } from '../shell/command.ts';

/** List prices of us-east-1, of 2026. Lambda on arm64, DynamoDB on demand. */
export const LIST_PRICES = {
  lambdaMillionRequests: 0.2,
  lambdaGbSecond: 0.0000133334,
  dynamodbMillionWrites: 0.625,
  dynamodbMillionReads: 0.125,
  /** A provisioned write or read unit, an hour. */
  provisionedWriteHour: 0.00065,
  provisionedReadHour: 0.00013,
  egressGb: 0.09,
  /** One custom metric of CloudWatch, a month. */
  metricMonth: 0.3,
  /** One metric in an alarm, and one dashboard, a month. */
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
  logGb: 0.5,
  sqsMillionRequests: 0.4,
  /** What SQS takes besides for messages that name a group. */
  sqsMillionGrouped: 0.1,
  secretMonth: 0.4,
  /** An hour of an EKS control plane: the standard one, the tier XL with it, the tier 8XL with it. */
  eksHour: 0.1,
  eksXlHour: 1.75,
  eks8XlHour: 14,
};

export type Prices = { readonly [name in keyof typeof LIST_PRICES]: number };

const isPrice = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;

const checkPrice = (path: string, [name, value]: readonly [string, unknown]): void => {
  if (!Object.hasOwn(LIST_PRICES, name))
    throw new CommandError(
      `${path}: there is no price "${name}"; the prices are ${Object.keys(LIST_PRICES).join(', ')}`,
      2,
    );
  if (!isPrice(value)) throw new CommandError(`${path}: ${name} is no price in dollars`, 2);
};

const parsed = (text: string, path: string): object => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${path} is no JSON: ${reasonOf(error)}`, 2);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new CommandError(`${path} is no object with prices`, 2);
};

/** The list prices with those of a JSON file in their place. Throws a `CommandError` for a name that is no price, and for a value that is none. */
export const pricesFrom = (text: string, path: string): Prices => {
  const given = parsed(text, path);
  for (const entry of Object.entries(given)) checkPrice(path, entry);
  return { ...LIST_PRICES, ...given };
};
