/** What a route of the dashboard's data is: it answers a request whose session is checked. */
import type { NodeLifecycleConfig } from '../../../shared/settings/node-lifecycle.ts';
import type { NodeActions } from '../actions/node-actions.ts';
import type { HistoryService } from '../history/history-service.ts';
import type { WhatIf } from '../history/what-if.ts';
import type { DashboardApi } from '../live/api.ts';
import type { LiveFleet } from '../live/live-fleet.ts';

/** A request of the page, without secrets. */
export interface DashboardRequest {
  readonly method: string;
  /** Without `/data`: `/live`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body of a POST, parsed. */
  readonly body: unknown;
  /** Aborted when the page leaves, or the server stops. */
  readonly signal: AbortSignal;
}

/** JSON, or a stream of server-sent events. */
export interface DashboardAnswer {
  readonly status: number;
  readonly body?: object | string;
  readonly events?: AsyncIterable<string>;
}

export interface RouteDeps {
  readonly api: DashboardApi;
  readonly fleet: LiveFleet;
  readonly history: HistoryService;
  readonly whatIf: WhatIf;
  /** Absent: nothing may be done. */
  readonly actions?: NodeActions | undefined;
  /** The settings of the control plane; absent: nobody knows them here. */
  readonly nodeLifecycle?: NodeLifecycleConfig | undefined;
  readonly now: () => number;
  /** Differs from process to process. */
  readonly epoch: string;
}

/** Answers, or leaves the request to the next route. */
export type DataRoute = (request: DashboardRequest, deps: RouteDeps) => Promise<DashboardAnswer> | undefined;
