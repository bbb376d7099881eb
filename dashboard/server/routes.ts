/** The data that the page may ask for. */

import { actionsRoute } from './routes/actions.ts';
import { detailRoute } from './routes/detail.ts';
import { historyRoute } from './routes/history.ts';
import { liveRoute } from './routes/live.ts';
import { readRoute } from './routes/read.ts';
import type { DataRoute } from './routes/route.ts';
import { whatIfRoute } from './routes/what-if.ts';

/** In this order. */
export const ROUTES: readonly DataRoute[] = [
  ...[liveRoute, detailRoute, readRoute, historyRoute, whatIfRoute],
  actionsRoute,
];
