/** What answers a node that says of itself that it lives: by a heartbeat, or by a Lease. */
import type { Handle } from '../contract/call.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import type { RequestInfo } from '../contract/request-info.ts';
import { heartbeat } from './heartbeats.ts';
import { createLease, getLease, replaceLease } from './leases.ts';

const HANDLES: Readonly<Record<string, Handle<HeartbeatServerDeps>>> = {
  'get coordination.k8s.io/v1/leases': getLease,
  'create coordination.k8s.io/v1/leases': createLease,
  'update coordination.k8s.io/v1/leases': replaceLease,
  'create rollcall.dev/v1/nodes/heartbeat': heartbeat,
};

/** What a request asks for, such as `create rollcall.dev/v1/nodes/heartbeat`; `undefined`: it is about no resource. */
export const askedFor = (info: RequestInfo): string | undefined => {
  if (info.kind === 'path') return undefined;
  const { verb, group, version, resource, subresource } = info;
  return `${verb} ${[group, version, resource, subresource].filter((part) => part !== '').join('/')}`;
};

/** What answers such a request; `undefined`: it is another one. */
export const beatHandle = (info: RequestInfo): Handle<HeartbeatServerDeps> | undefined =>
  HANDLES[askedFor(info) ?? ''];
