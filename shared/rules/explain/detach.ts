/** Why is a volume still attached to a node, and when does it leave? */
import type { Node } from '../../kube/types/core.ts';
import type { VolumeAttachment } from '../../kube/types/storage.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';
import { type AttachableVolume, uniqueNameOf } from '../attachments/attachable.ts';
import { type DetachVerdict, judgeDetach } from '../attachments/detach.ts';
import { readyStatusOf } from '../nodes/node-conditions.ts';
import type { Answer, Change, Fact, Next, Verdict } from './explanation.ts';
import { finalizerFacts } from './finalizer-facts.ts';

/** What is known of a VolumeAttachment. */
export interface KnownAttachment {
  readonly attachment: VolumeAttachment;
  /** The node that it is for; `undefined`: there is no such Node. */
  readonly node: Node | undefined;
  /** `undefined`: its PersistentVolume is gone, or is none of a CSI driver. */
  readonly volume: AttachableVolume | undefined;
  /** The stored instant since which nobody wants it. */
  readonly unwantedSince: EpochMs | undefined;
}

/** A look at the node, and the delay of a message. */
const SOON_MS = 60_000;

const nodeNameOf = ({ spec }: VolumeAttachment): string => spec?.nodeName ?? '';

const attachmentFact = ({ metadata: { name }, spec }: VolumeAttachment): Fact => {
  const { nodeName: node = '', attacher = '', source } = spec ?? {};
  const values = { name, volume: source?.persistentVolumeName ?? '', node, attacher };
  return { fact: 'Attachment', values, source: `volumeattachment ${name} spec`, rule: 'J-43' };
};

const answer = (
  { attachment }: KnownAttachment,
  verdict: Verdict,
  because: readonly Fact[],
  wouldChange: readonly Change[],
  more: Pick<Answer, 'since' | 'next'> = {},
): Answer => ({
  question: 'detach',
  about: attachment.metadata.name,
  verdict,
  ...more,
  because: [attachmentFact(attachment), ...because],
  wouldChange,
});

const detaching = (known: KnownAttachment, at: EpochMs | undefined): Answer => {
  const { attachment } = known;
  const { message, time = '' } = attachment.status?.detachError ?? {};
  const source = `volumeattachment ${attachment.metadata.name}`;
  const began: Fact = {
    fact: 'DeletionBegan',
    ...optional('at', at),
    source: `${source} metadata`,
    rule: 'A-08',
  };
  const failed: Fact = {
    fact: 'DetachError',
    ...optional('at', parseTime(time)),
    values: { message: message ?? '' },
    source: `${source} status.detachError`,
  };
  const because = [began, ...finalizerFacts(attachment), ...(message === undefined ? [] : [failed])];
  return answer(known, 'Detaching', because, ['AttacherActs', 'FinalizersRemoved'], optional('since', at));
};

/** Why only the word of the node, or time, can end it. */
const holdFacts = ({ attachment, node }: KnownAttachment, mayForce: boolean): readonly Fact[] => {
  const name = nodeNameOf(attachment);
  if (!node) return [{ fact: 'NodeGone', values: { node: name }, source: 'nodes', rule: 'J-41' }];
  const ready = readyStatusOf(node) ?? 'Unknown';
  const inUse: Fact = { fact: 'VolumeInUse', source: `node ${name} status.volumesInUse`, rule: 'J-39' };
  const answers: Fact = {
    fact: 'NodeAnswers',
    values: { node: name },
    source: `node ${name} status.conditions[Ready]`,
    rule: 'J-41',
  };
  const setting = 'setting disableForceDetachOnTimeout';
  const kept: Fact = { fact: 'NeverTaken', source: setting, rule: 'J-41' };
  return [inUse, ...(ready === 'True' ? [answers] : []), ...(mayForce ? [] : [kept])];
};

const WAITS: readonly Change[] = [
  'Unmount',
  'OutOfServiceTaint',
  'ReadyCondition',
  'NodeDeleted',
  'PodsOfNode',
];

const ended = ({ attachment }: KnownAttachment, at: EpochMs): Next => ({
  verdict: (attachment.metadata.finalizers ?? []).length > 0 ? 'Detaching' : 'Detached',
  at,
  withinMs: SOON_MS,
});

const unwanted = (
  known: KnownAttachment,
  judged: DetachVerdict,
  since: EpochMs,
  now: EpochMs,
  mayForce: boolean,
): Answer => {
  const source = 'stored instant of the node';
  const fact: Fact = { fact: 'VolumeUnwanted', at: since, source, rule: 'J-40' };
  if (judged.verdict === 'detach')
    return answer(known, 'DetachDue', [fact], WAITS, { since, next: ended(known, now) });
  const { until } = judged;
  const end: readonly Fact[] =
    until === undefined ? [] : [{ fact: 'UnmountWait', at: until, source, rule: 'J-41' }];
  const because = [fact, ...holdFacts(known, mayForce), ...end];
  const changes: readonly Change[] = known.node ? WAITS : [...WAITS, 'NodeComesBack'];
  const next = until === undefined ? undefined : ended(known, until);
  return answer(known, 'DetachWaits', because, changes, { since, ...optional('next', next) });
};

/**
 * Explains a VolumeAttachment at `now` (ms). `mayForce`: volumes are taken after a time from a node that does not answer.
 */
export const explainDetach = (known: KnownAttachment, now: EpochMs, mayForce: boolean): Answer => {
  const { attachment, node, volume, unwantedSince } = known;
  const { deletionTimestamp } = attachment.metadata;
  if (deletionTimestamp !== undefined) return detaching(known, parseTime(deletionTimestamp));
  if (!volume) {
    const gone: Fact = { fact: 'VolumeGone', source: 'persistentvolumes', rule: 'J-120' };
    return answer(known, 'DetachWaits', [gone], ['Deletion']);
  }
  if (unwantedSince === undefined) {
    const wanted: Fact = { fact: 'VolumeWanted', source: 'stored instants of the node', rule: 'J-40' };
    return answer(known, 'Wanted', [wanted], ['PodsOfNode', 'Deletion']);
  }
  const judged = judgeDetach(node, uniqueNameOf(volume), unwantedSince, now, mayForce);
  return unwanted(known, judged, unwantedSince, now, mayForce);
};
