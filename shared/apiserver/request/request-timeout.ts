/** The query parameter `timeout` of requests. Source: apiserver v1.34 `WithRequestDeadline`. */
import { parseGoDuration } from '../../api/go-duration.ts';
import { badRequest } from '../../api/status-error.ts';
import type { RequestInfo } from './request-info.ts';

/** Throws 400 for a `timeout` that is not a duration. Watches do not have this parameter. */
export const checkTimeout = (query: URLSearchParams, info: RequestInfo): void => {
  const timeout = query.get('timeout') ?? '';
  if (timeout === '' || (info.kind === 'resource' && info.verb === 'watch')) return;
  const parsed = parseGoDuration(timeout);
  if (typeof parsed === 'object')
    throw badRequest(`invalid timeout specified in the request URL - ${parsed.error}`);
};
