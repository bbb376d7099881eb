/** The pages of a node's work. */

import { optional } from '../../../shared/kube/values/optional.ts';
import type { WorkSource } from '../../ports/api/work-source.ts';
import { type ApiSession, bodyOf } from './session.ts';

export const createWorkSource = ({ request }: ApiSession, nodeName: string): WorkSource => {
  const path = `/apis/rollcall.dev/v1/nodes/${encodeURIComponent(nodeName)}/work`;
  return {
    page: async (from, etag) => {
      const query = from === undefined ? '' : `?continue=${encodeURIComponent(from)}`;
      const headers = etag === undefined ? {} : { headers: { 'if-none-match': etag } };
      const answer = await request('GET', `${path}${query}`, headers);
      if (answer.status === 304) return 'unchanged';
      const given = answer.headers.etag;
      return { body: bodyOf(answer), ...optional('etag', given) };
    },
  };
};
