/** Records evictions from the log of Pods, and what the monitor says of zones. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { DISRUPTION_TARGET } from '../../../shared/kube/types/well-known.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';
import { zoneKeyOf, zoneNameOf } from '../../../shared/rules/zones/zone-names.ts';
import { PODS, ZONES } from '../requests/paths.ts';
import { floorOf, isExpired, listAll, newestVersion } from './collection-log.ts';
import type { FollowDeps } from './follow-nodes.ts';

/** A pod whose deletion was ordered and that has a reason for it. Instants are of the control plane's clock. */
const takePod = ({ recorder, clock }: FollowDeps, { metadata, spec, status }: Pod): void => {
  const target = status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET);
  if (metadata.deletionTimestamp === undefined || target?.status !== 'True' || metadata.uid === undefined)
    return;
  const at = parseTime(target.lastTransitionTime ?? '') ?? clock.now();
  const pod = `${metadata.namespace ?? ''}/${metadata.name}`;
  recorder.evict(metadata.uid, { at, node: spec.nodeName ?? '', pod, reason: target.reason ?? '' });
};

/** Where the log of Pods was read up to. */
export interface PodPosition {
  after?: string;
}

/** Records evictions until `signal` or the API ends the watch. */
export const followEvictions = async (
  deps: FollowDeps,
  position: PodPosition,
  signal: AbortSignal,
): Promise<void> => {
  const { api } = deps;
  position.after ??= (await floorOf(api, PODS)) ?? String(await newestVersion(api, PODS));
  try {
    for await (const { type, object } of api.watch(PODS, position.after, signal)) {
      if (type !== 'BOOKMARK') takePod(deps, object as unknown as Pod);
      position.after = object.metadata.resourceVersion ?? position.after;
    }
  } catch (error) {
    if (!isExpired(error)) throw error;
    delete position.after;
  }
};

interface ZoneObject extends ApiObject {
  readonly spec?: { readonly region?: string; readonly zone?: string };
  readonly status?: {
    readonly state?: string;
    readonly evictionRate?: number;
    readonly lastChangeTime?: string;
    readonly updateTime?: string;
  };
}

const nameOf = ({ spec: { region = '', zone = '' } = {} }: ZoneObject): string =>
  zoneNameOf(
    zoneKeyOf({
      ...(region === '' ? {} : { 'topology.kubernetes.io/region': region }),
      ...(zone === '' ? {} : { 'topology.kubernetes.io/zone': zone }),
    }),
  );

const takeZone = ({ recorder, clock }: FollowDeps, object: ZoneObject): void => {
  const { state, evictionRate = 0, lastChangeTime, updateTime } = object.status ?? {};
  if (state === undefined) return;
  const at = parseTime(lastChangeTime ?? '') ?? parseTime(updateTime ?? '') ?? clock.now();
  recorder.zone({ at, zone: nameOf(object), state, rate: evictionRate });
};

/** Records what the monitor says of zones until `signal` or the API ends the watch. */
export const followZones = async (deps: FollowDeps, signal: AbortSignal): Promise<void> => {
  const { revision, items } = await listAll(deps.api, ZONES);
  for (const item of items) takeZone(deps, item);
  for await (const { type, object } of deps.api.watch(ZONES, String(revision), signal))
    if (type !== 'BOOKMARK' && type !== 'DELETED') takeZone(deps, object);
};
