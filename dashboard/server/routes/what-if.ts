/** `/data/what-if`: a recorded outage under other settings. The query has the changed ones, and `as.NAME` for those that hold. */
import {
  NODE_LIFECYCLE_DEFAULTS,
  type NodeLifecycleConfig,
} from '../../../shared/settings/node-lifecycle.ts';
import { WhatIfProblem } from '../history/what-if.ts';
import type { DashboardAnswer, DashboardRequest, DataRoute, RouteDeps } from './route.ts';

/** What may be changed, with the least and the greatest value. */
const RANGES = {
  nodeMonitorGracePeriodMs: [500, 3_600_000],
  nodeEvictionRate: [0, 1_000],
  secondaryNodeEvictionRate: [0, 1_000],
  unhealthyZoneThreshold: [0.01, 1],
  largeClusterSizeThreshold: [0, 1_000_000],
} as const satisfies Partial<Record<keyof NodeLifecycleConfig, readonly [number, number]>>;

type Changed = Partial<NodeLifecycleConfig>;

const readSettings = (query: URLSearchParams, prefix: string): Changed => {
  const given = Object.entries(RANGES).flatMap(([name, [least, most]]) => {
    const text = query.get(`${prefix}${name}`);
    if (text === null) return [];
    const value = Number(text);
    if (text.trim() === '' || !(value >= least && value <= most))
      throw new WhatIfProblem(`${name}: give a number from ${least} to ${most}`);
    return [[name, value] as const];
  });
  return Object.fromEntries(given);
};

const answer = async (
  { query, signal }: DashboardRequest,
  { whatIf, nodeLifecycle }: RouteDeps,
): Promise<DashboardAnswer> => {
  try {
    const settings = { ...(nodeLifecycle ?? NODE_LIFECYCLE_DEFAULTS), ...readSettings(query, 'as.') };
    const changed = readSettings(query, '');
    const result = await whatIf(settings, changed, signal);
    return { status: 200, body: { ...result, settings, changed, isAssumed: nodeLifecycle === undefined } };
  } catch (error) {
    if (!(error instanceof WhatIfProblem)) throw error;
    return { status: 409, body: { message: error.message } };
  }
};

export const whatIfRoute: DataRoute = (request, deps) =>
  request.path === '/what-if' ? answer(request, deps) : undefined;
