/** Tells the control plane of a shutdown of this machine. */
import type { ShutdownApi } from '../../ports/api/shutdown-api.ts';
import { ApiRefusal, type ApiSession } from './session.ts';

/** Refusals that another try does not change. */
const isFinal = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 401 && status !== 429;

export const createShutdownApi = (
  { request }: Pick<ApiSession, 'request'>,
  nodeName: string,
): ShutdownApi => {
  const path = `/apis/rollcall.dev/v1/nodes/${encodeURIComponent(nodeName)}/shutdown`;
  const send = async (method: 'POST' | 'DELETE', options: { readonly body?: object }): Promise<boolean> => {
    const answer = await request(method, path, options);
    if (answer.status < 300) return true;
    if (isFinal(answer.status)) return false;
    throw new ApiRefusal(answer);
  };
  return { report: (report) => send('POST', { body: report }), end: () => send('DELETE', {}) };
};
