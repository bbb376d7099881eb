/**
 * The query parameter `timeout` of requests. Source: apiserver v1.34 `WithRequestDeadline`; Go
 * `time.ParseDuration`.
 */
import { badRequest } from '../../api/status-error.ts';
import type { RequestInfo } from './request-info.ts';

const STEP = /(?:\d+\.?\d*|\.\d+)([^\d.]*)/y;
const UNITS: readonly string[] = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];

const durationFault = (text: string): string | undefined => {
  const printed = JSON.stringify(text);
  const amount = text.replace(/^[+-]/, '');
  if (amount === '0') return undefined;
  if (amount === '') return `time: invalid duration ${printed}`;
  for (STEP.lastIndex = 0; STEP.lastIndex < amount.length; ) {
    const match = STEP.exec(amount);
    if (!match) return `time: invalid duration ${printed}`;
    const [, unit = ''] = match;
    if (unit === '') return `time: missing unit in duration ${printed}`;
    if (!UNITS.includes(unit)) return `time: unknown unit ${JSON.stringify(unit)} in duration ${printed}`;
  }
  return undefined;
};

/** Throws 400 for a `timeout` that is not a duration. Watches do not have this parameter. */
export const checkTimeout = (query: URLSearchParams, info: RequestInfo): void => {
  const timeout = query.get('timeout') ?? '';
  if (timeout === '' || (info.kind === 'resource' && info.verb === 'watch')) return;
  const fault = durationFault(timeout);
  if (fault !== undefined) throw badRequest(`invalid timeout specified in the request URL - ${fault}`);
};
