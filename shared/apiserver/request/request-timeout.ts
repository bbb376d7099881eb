/** The query parameter `timeout` of requests. Source: apiserver v1.34 `WithRequestDeadline`. */

import { badRequest } from '../../kube/errors/status-error.ts';
import { parseGoDuration } from '../../kube/text/go-duration.ts';
import type { RequestInfo } from '../contract/request-info.ts';

/** Throws 400 for a `timeout` that is not a duration. Watches do not have this parameter. */
export const checkTimeout = (query: URLSearchParams, info: RequestInfo): void => {
  const timeout = query.get('timeout') ?? '';
  if (timeout === '' || (info.kind === 'resource' && info.verb === 'watch')) return;
  const parsed = parseGoDuration(timeout);
  if (typeof parsed === 'object')
    throw badRequest(`invalid timeout specified in the request URL - ${parsed.error}`);
};
