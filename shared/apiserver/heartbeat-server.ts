import { noSuchPath } from '../kube/errors/status-error.ts';
import { NODE_LEASE_NAMESPACE } from '../kube/types/well-known.ts';
import { TOGETHER } from '../rules/relays/batch-versions.ts';
import { checkBodySize, HEARTBEAT_BODY_LIMIT } from './body/body.ts';
import type { Handle } from './contract/call.ts';
import type { HeartbeatServerDeps } from './contract/deps.ts';
import { ok } from './contract/http.ts';
import type { RequestInfo } from './contract/request-info.ts';
import { healthText } from './discovery/health.ts';
import { askedFor, beatHandle } from './leases/beat-handles.ts';
import { relayBatch } from './relays/relay-batch.ts';
import type { Serve } from './serve.ts';
import { createServe } from './serve.ts';

const BATCH = 'create rollcall.dev/v1/heartbeats';

const handleOf = (info: RequestInfo): Handle<HeartbeatServerDeps> | undefined =>
  askedFor(info) === BATCH ? relayBatch : beatHandle(info);

/** Whether a request keeps nodes alive: a heartbeat, a batch of a relay, or a read or write of a node's Lease. */
export const isBeat = (info: RequestInfo): boolean =>
  handleOf(info) !== undefined &&
  info.kind === 'resource' &&
  (info.resource !== 'leases' || info.namespace === NODE_LEASE_NAMESPACE);

const elsewhere = () =>
  noSuchPath(
    'this address takes heartbeats and lease renewals only; send everything else to the URL of the API (stack output ApiUrl)',
  );

/**
 * A server for heartbeats and Leases only, so that other requests never slow them down. Of objects it reads Nodes only: a token of a service account
 * is refused.
 */
export const createHeartbeatServer = (deps: HeartbeatServerDeps): Serve =>
  createServe(
    async (request, info, user) => {
      const health = healthText(request.path, request.query);
      if (health !== undefined) return ok(health);
      const handle = handleOf(info);
      if (!handle || info.kind === 'path') throw elsewhere();
      checkBodySize(request, info.resource === 'heartbeats' ? TOGETHER.bytes : HEARTBEAT_BODY_LIMIT);
      return handle({ request, info, user }, deps);
    },
    { ...deps, boundKinds: ['own node'] },
    undefined,
    beatHandle,
  );
