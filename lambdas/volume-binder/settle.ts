/** Writes what the rules decide about a claim or a volume. Each write requires both as they were read. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../shared/kube/types/storage.ts';
import {
  claimKey,
  type LiveRow,
  liveRow,
  type ObjectKey,
  type Row,
  type RowCheck,
  volumeKey,
} from '../../shared/ports/store/rows.ts';
import { boundClaim, boundVolume } from '../../shared/rules/storage/binding.ts';
import { claimStep, type StorageView } from '../../shared/rules/storage/claim-step.ts';
import type { StorageEvent } from '../../shared/rules/storage/storage-events.ts';
import { mayBind } from '../../shared/rules/storage/volume-fit.ts';
import { volumeStep } from '../../shared/rules/storage/volume-step.ts';
import { sameJson } from '../../shared/store/commit/object-diff.ts';
import type { WriteResult } from '../../shared/store/writer/object-writer.ts';
import { type BinderDeps, targetOf } from './deps.ts';

/** `again`: something has changed since it was read; look once more. */
export type Settled = 'bound' | 'done' | 'again';

const component = 'persistentvolume-controller';

const record = async (
  { recorder }: BinderDeps,
  object: PersistentVolume | PersistentVolumeClaim,
  event: StorageEvent | undefined,
): Promise<void> => {
  const kind = object.kind === 'PersistentVolume' ? object.kind : 'PersistentVolumeClaim';
  if (event) await recorder.record(targetOf(kind, object), { ...event, component }, event.message);
};

/** The row stays as it was read. */
const checkOf = (key: ObjectKey, row: Row | undefined): RowCheck =>
  row?.state === 'live' ? { key, revision: row.revision } : { key, isGone: true };

/** The row after a write that was not refused. */
const revisionAfter = (result: WriteResult): number | undefined => {
  if (result.outcome === 'written') return Number(result.object.metadata.resourceVersion);
  return result.outcome === 'unchanged' ? result.row?.revision : undefined;
};

/** Whether both are bound to each other already. */
export const areBound = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  boundVolume(volume, claim, 0) === volume && sameJson(boundClaim(claim, volume), claim);

/** Writes the reference to the claim. Resolves to the volume; `undefined`: the two may not be bound to each other as they are. */
const bindVolume = async (
  { writer }: BinderDeps,
  name: string,
  claim: LiveRow,
): Promise<{ readonly volume: PersistentVolume; readonly check: RowCheck } | undefined> => {
  const key = volumeKey(name);
  let volume: PersistentVolume | undefined;
  const result = await writer.write(key, (row, now) => {
    const stored: PersistentVolume | undefined = liveRow(row)?.object;
    volume = stored && mayBind(stored, claim.object) ? boundVolume(stored, claim.object, now) : undefined;
    return volume && { next: volume, writer: 'controller', rows: [checkOf(claim.key, claim)] };
  });
  const revision = revisionAfter(result);
  return volume && revision !== undefined ? { volume, check: { key, revision } } : undefined;
};

/**
 * Binds a claim to a volume: the volume first. If the process dies before the claim is written, the next one finds a volume that
 * is reserved for the claim.
 */
export const bind = async (
  deps: BinderDeps,
  volume: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): Promise<Settled> => {
  const key = claimKey(metadata.namespace, metadata.name);
  const claim = liveRow(await deps.objects.read(key));
  if (!claim || claim.uid !== metadata.uid) return 'again';
  const bound = await bindVolume(deps, volume.metadata.name, claim);
  if (!bound) return 'again';
  const result = await deps.writer.write(
    key,
    (row) =>
      row?.state === 'live' && row.revision === claim.revision
        ? { next: boundClaim(row.object, bound.volume), writer: 'controller', rows: [bound.check] }
        : undefined,
    claim,
  );
  if (result.outcome === 'written') return 'bound';
  return revisionAfter(result) === claim.revision ? 'done' : 'again';
};

/** The volume that the claim names, as it is stored right now. */
const readNamed = async (
  { objects }: BinderDeps,
  { spec }: PersistentVolumeClaim,
): Promise<{ readonly row: Row | undefined; readonly checks: readonly RowCheck[] }> => {
  if (!spec?.volumeName) return { row: undefined, checks: [] };
  const key = volumeKey(spec.volumeName);
  const row = await objects.read(key);
  return { row, checks: [checkOf(key, row)] };
};

/** Writes what becomes of a claim that is not bound now. */
export const settleClaim = async (
  deps: BinderDeps,
  claim: PersistentVolumeClaim,
  known: StorageView,
): Promise<Settled> => {
  const { row: named, checks } = await readNamed(deps, claim);
  const view = { ...known, volume: () => liveRow(named)?.object };
  let event: StorageEvent | undefined;
  let isStale = false;
  const { outcome } = await deps.writer.write(
    claimKey(claim.metadata.namespace, claim.metadata.name),
    (row) => {
      const stored: PersistentVolumeClaim | undefined = liveRow(row)?.object;
      const isSame = stored?.metadata.uid === claim.metadata.uid && sameJson(stored?.spec, claim.spec);
      const step = stored && isSame ? claimStep(stored, view) : undefined;
      isStale = stored !== undefined && (!step || 'bindTo' in step);
      if (!step || 'bindTo' in step) return undefined;
      event = step.event;
      return { next: step.next, writer: 'controller', rows: checks };
    },
  );
  if (isStale || outcome === 'checkFailed') return 'again';
  await record(deps, claim, event);
  return 'done';
};

/** The claim that the volume refers to, as it is stored right now. */
const readReferred = async (
  { objects }: BinderDeps,
  { spec }: PersistentVolume,
): Promise<{ readonly claim: LiveRow | undefined; readonly check: RowCheck } | undefined> => {
  const { namespace, name, uid = '' } = spec?.claimRef ?? {};
  if (uid === '') return undefined;
  const key = claimKey(namespace, name);
  const claim = liveRow(await objects.read(key));
  return { claim, check: claim?.uid === uid ? checkOf(key, claim) : { key, goneUid: uid } };
};

/** Writes the phase of a volume, and takes it from a claim that does not want it. */
export const settleVolume = async (deps: BinderDeps, volume: PersistentVolume): Promise<Settled> => {
  const referred = await readReferred(deps, volume);
  let event: StorageEvent | undefined;
  let isStale = false;
  const { outcome } = await deps.writer.write(volumeKey(volume.metadata.name), (row, now) => {
    const stored: PersistentVolume | undefined = liveRow(row)?.object;
    isStale = stored !== undefined && !sameJson(stored.spec, volume.spec);
    if (!stored || isStale) return undefined;
    const step = volumeStep(stored, referred?.claim?.object, now);
    event = step.event;
    return { next: step.next, writer: 'controller', rows: referred ? [referred.check] : [] };
  });
  if (isStale || outcome === 'checkFailed') return 'again';
  await record(deps, volume, event);
  return 'done';
};
