/**
 * Who has the cluster IP of a Service: a row for each address, which names its Service. It counts only as long as that Service has the address, so nothing
 * has to be cleaned up for it to be given again, whoever deletes the Service.
 */
import type { ApiObject } from '../../kube/types/meta.ts';
import { KUBERNETES_ADDRESS } from '../../kube/types/well-known.ts';
import { addressText, parseAddress } from '../../kube/values/ip.ts';
import { toTime } from '../../kube/values/time.ts';
import { type LiveRow, liveRow, type ObjectKey, type Row, type RowCheck } from '../../ports/store/rows.ts';
import type { ApiServerDeps } from '../contract/deps.ts';

/** The Service that claims. */
export interface Claimant {
  readonly namespace: string;
  readonly name: string;
}

/** An address that is claimed, and the condition that it still is. */
export interface Claim {
  readonly address: string;
  readonly check: RowCheck & { readonly revision: number };
}

interface AddressRow extends ApiObject {
  readonly spec: { readonly parentRef: Claimant & { readonly group: ''; readonly resource: 'services' } };
}

type ClaimDeps = Pick<ApiServerDeps, 'objects' | 'writer' | 'ids' | 'clock'>;

/** The one text of an address that can be written in several ways, such as `010.96.0.7` or `FD00::A`. */
const canonical = (address: string): string => {
  const parsed = parseAddress(address);
  return parsed ? addressText(parsed) : address;
};

/** As the names of Kubernetes' IPAddresses. */
const keyOf = (address: string): ObjectKey => ({
  resource: 'ipaddresses',
  namespace: '',
  name: canonical(address),
});

// The Service `kubernetes` exists without a request that claims its address.
const isReserved = (address: string, { namespace, name }: Claimant): boolean =>
  canonical(address) === KUBERNETES_ADDRESS && !(namespace === 'default' && name === 'kubernetes');

const serviceKey = ({ namespace, name }: Claimant): ObjectKey => ({ resource: 'services', namespace, name });

const rowFor = (address: string, { namespace, name }: Claimant, { ids, clock }: ClaimDeps): AddressRow => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: { name: canonical(address), uid: ids.uuid(), creationTimestamp: toTime(clock.now()) },
  spec: { parentRef: { group: '', resource: 'services', namespace, name } },
});

/** The condition that the Service of this row still does not have the address; `taken`: it has it. */
const unheld = async (object: ApiObject, { objects }: ClaimDeps): Promise<RowCheck | 'taken'> => {
  const key = serviceKey((object as AddressRow).spec.parentRef);
  const service = liveRow(await objects.read(key));
  if (!service) return { key, isGone: true };
  const { clusterIPs = [] } = (service.object as { spec?: { clusterIPs?: readonly string[] } }).spec ?? {};
  return clusterIPs.map(canonical).includes(object.metadata.name)
    ? 'taken'
    : { key, revision: service.revision };
};

/** Whether the address is free, and what must still be so when it is claimed. */
const look = async (
  row: Row | undefined,
  deps: ClaimDeps,
): Promise<{ readonly isFree: boolean; readonly rows: readonly RowCheck[] }> => {
  const live = liveRow(row);
  const held = live && (await unheld(live.object, deps));
  return { isFree: held !== 'taken', rows: held && held !== 'taken' ? [held] : [] };
};

/** Whether the claimant could claim the address. */
export const isFree = async (address: string, claimant: Claimant, deps: ClaimDeps): Promise<boolean> =>
  !isReserved(address, claimant) && (await look(await deps.objects.read(keyOf(address)), deps)).isFree;

/** `undefined`: a Service has the address, or another request was faster. */
export const claimAddress = async (
  address: string,
  claimant: Claimant,
  deps: ClaimDeps,
): Promise<Claim | undefined> => {
  if (isReserved(address, claimant)) return undefined;
  const key = keyOf(address);
  const seen = await deps.objects.read(key);
  const { isFree: mayTake, rows } = await look(seen, deps);
  if (!mayTake) return undefined;
  const next = rowFor(address, claimant, deps);
  const result = await deps.writer.write(key, (row) =>
    liveRow(row)?.revision === liveRow(seen)?.revision ? { next, rows, writer: 'controller' } : undefined,
  );
  if (result.outcome !== 'written') return undefined;
  const own = liveRow(await deps.objects.read(key));
  return own && own.object.metadata.uid === next.metadata.uid
    ? { address, check: { key, revision: own.revision } }
    : undefined;
};

/** Claims an address that the Service has had since before Services claimed theirs, unless another Service has it, too. */
export const claimHeld = async (address: string, claimant: Claimant, deps: ClaimDeps): Promise<void> => {
  const row = liveRow(await deps.objects.read(keyOf(address)));
  const { namespace, name } = row ? (row.object as AddressRow).spec.parentRef : {};
  if (namespace !== claimant.namespace || name !== claimant.name) await claimAddress(address, claimant, deps);
};

/** Whether the claim is still the one that was made. */
export const isOwn = async ({ check }: Claim, { objects }: Pick<ClaimDeps, 'objects'>): Promise<boolean> =>
  liveRow(await objects.read(check.key))?.revision === check.revision;

const removeUnheld = async (row: LiveRow | undefined, deps: ClaimDeps): Promise<void> => {
  const { isFree: isLeft, rows } = await look(row, deps);
  if (!isLeft || !row) return;
  await deps.writer.write(keyOf(row.object.metadata.name), (now) =>
    liveRow(now)?.revision === row.revision ? { next: 'delete', rows, writer: 'controller' } : undefined,
  );
};

/** Gives a claim up, unless its Service has the address: a change of unknown outcome may have been stored. */
export const giveUp = async ({ check }: Claim, deps: ClaimDeps): Promise<void> => {
  const row = liveRow(await deps.objects.read(check.key));
  if (row?.revision === check.revision) await removeUnheld(row, deps);
};

/** Removes the row of an address whose Service is gone. */
export const release = async (address: string, deps: ClaimDeps): Promise<void> =>
  removeUnheld(liveRow(await deps.objects.read(keyOf(address))), deps);
