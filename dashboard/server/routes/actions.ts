/** `/data/actions`: what may be done; POST to `/data/actions/preview` and `/data/actions/perform`: what would follow, and the action. */

import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import { ACTIONS } from '../../wire/actions.ts';
import type { DashboardAnswer, DashboardRequest, DataRoute, RouteDeps } from './route.ts';

const READ_ONLY = 'this dashboard may only read; start it with: rollcall dashboard --allow-actions';

const refused = (status: number, message: string): DashboardAnswer => ({ status, body: { message } });

const answer = async (
  { method, path, body }: DashboardRequest,
  { actions }: RouteDeps,
): Promise<DashboardAnswer> => {
  if (path === '/actions' && method !== 'POST')
    return { status: 200, body: { actions: actions ? ACTIONS : [] } };
  if (!actions) return refused(403, READ_ONLY);
  if (method !== 'POST') return refused(405, 'an action is a POST');
  if (path === '/actions/preview') return { status: 200, body: await actions.preview(body) };
  if (path === '/actions/perform') return actions.perform(body);
  return refused(
    404,
    'there is no such action: POST to /data/actions/preview, then to /data/actions/perform',
  );
};

export const actionsRoute: DataRoute = (request, deps) => {
  if (request.path !== '/actions' && !request.path.startsWith('/actions/')) return undefined;
  return answer(request, deps).catch((error: unknown) => {
    if (error instanceof StatusError) return refused(error.code, error.message);
    throw error;
  });
};
