/** Maintenance of a machine that its cloud announces, often weeks ahead: what the Node remembers of it, and when the node is drained. */

import { isObject } from '../../kube/json/json-object.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, earliest, parseTime } from '../../kube/values/time.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { drainRequestOf, withDrainRequest, withoutDrainRequest } from '../drain/node-drain.ts';
import type { CloudWord } from './cloud-notice.ts';
import { drainFor } from './notice-drain.ts';

/** A word about maintenance that is announced, moved, over or cancelled. */
export type ScheduledWord = Extract<CloudWord, { readonly says: 'scheduled' }>;

/** The annotation of a Node with what its cloud has announced, as JSON. */
export const SCHEDULED_ANNOTATION = 'rollcall.dev/scheduled-maintenance';

/** One announcement, with the instant (ms) at which the drain is requested. */
export interface ScheduledMaintenance {
  readonly id: string;
  /** When the cloud said so, by its clock. */
  readonly saidAt: EpochMs;
  readonly drainAt: EpochMs;
  /** Absent: nobody knows. */
  readonly startsAt?: EpochMs;
  /** The drain was requested at this instant. If somebody takes it back, it is not requested again. */
  readonly requestedAt?: EpochMs;
  /** It is over or cancelled. It is remembered, because an older word may arrive later. */
  readonly isOver?: true;
}

/** Announcements that a Node remembers. */
const MOST = 5;

const INSTANTS = ['saidAt', 'drainAt', 'startsAt', 'requestedAt'] as const;

const entryFrom = (value: unknown): readonly ScheduledMaintenance[] => {
  if (!isObject(value) || typeof value['id'] !== 'string') return [];
  const instants = INSTANTS.flatMap((name) => {
    const given = value[name];
    const at = typeof given === 'string' ? parseTime(given) : undefined;
    return at === undefined ? [] : [[name, at] as const];
  });
  const { saidAt, drainAt, ...others } = Object.fromEntries(instants) as Partial<ScheduledMaintenance>;
  if (saidAt === undefined || drainAt === undefined) return [];
  return [
    { id: value['id'], saidAt, drainAt, ...others, ...(value['isOver'] === true ? { isOver: true } : {}) },
  ];
};

/** What the Node remembers; nothing if its annotation cannot be read. */
export const scheduledOf = ({ metadata }: Node): readonly ScheduledMaintenance[] => {
  try {
    const value: unknown = JSON.parse(ownMember(metadata.annotations, SCHEDULED_ANNOTATION) ?? '[]');
    return Array.isArray(value) ? value.flatMap(entryFrom) : [];
  } catch {
    return [];
  }
};

/** The members have one order, so that the same announcements have the same text. */
const toText = (entry: ScheduledMaintenance): object => {
  const instants = INSTANTS.flatMap((name) => {
    const at = entry[name];
    return at === undefined ? [] : [[name, new Date(at).toISOString()]];
  });
  return { id: entry.id, ...Object.fromEntries(instants), ...(entry.isOver ? { isOver: true } : {}) };
};

const remembering = (node: Node, entries: readonly ScheduledMaintenance[]): Node => {
  const last = entries.toSorted((a, b) => b.saidAt - a.saidAt).slice(0, MOST);
  const text = last.length === 0 ? undefined : JSON.stringify(last.map(toText));
  const metadata = withAnnotation(node.metadata, SCHEDULED_ANNOTATION, text);
  return metadata === node.metadata ? node : { ...node, metadata };
};

const drainIdOf = ({ id }: ScheduledMaintenance): string => `maintenance-${id}`;

/** A drain that somebody else has asked for, too, stays. */
const takenBack = (node: Node, entry: ScheduledMaintenance): Node => {
  const request = drainRequestOf(node);
  const isOurs = request?.id === drainIdOf(entry) && request.requestedAt === entry.requestedAt;
  return isOurs ? withoutDrainRequest(node) : node;
};

const isPending = ({ isOver, requestedAt }: ScheduledMaintenance): boolean =>
  isOver !== true && requestedAt === undefined;

/** What is announced, and has no drain yet. */
export const pendingOf = (node: Node): readonly ScheduledMaintenance[] => scheduledOf(node).filter(isPending);

/** When (ms) the next drain is due that nobody has requested yet; `undefined`: none is to come. */
export const nextDrainAt = (node: Node): EpochMs | undefined =>
  earliest(pendingOf(node).map(({ drainAt }) => drainAt));

/** The node with the drains requested that are due at `now` (ms); the same object if none is. */
export const withDueDrains = (node: Node, instance: string, now: EpochMs): Node => {
  const entries = scheduledOf(node);
  const due = entries.filter((entry) => isPending(entry) && entry.drainAt <= now);
  const asked = due.reduce((given, { id, startsAt }) => {
    const goesAt = startsAt === undefined ? {} : { goesAt: startsAt };
    const request = drainFor({ says: 'leaves', instance, notice: 'maintenance', id, ...goesAt }, now);
    return request ? withDrainRequest(given, request) : given;
  }, node);
  const isDue = new Set(due);
  if (due.length === 0) return node;
  return remembering(
    asked,
    entries.map((entry) => (isDue.has(entry) ? { ...entry, requestedAt: now } : entry)),
  );
};

const entryOf = (
  { id, saidAt, startsAt, isOver }: ScheduledWord,
  before: ScheduledMaintenance | undefined,
  now: EpochMs,
  leadMs: number,
): ScheduledMaintenance => {
  const isSame = before !== undefined && before.startsAt === startsAt;
  const drainAt = isSame ? before.drainAt : startsAt === undefined ? now : startsAt - leadMs;
  const requested = isSame && before.requestedAt !== undefined ? { requestedAt: before.requestedAt } : {};
  return {
    id,
    saidAt,
    drainAt,
    ...requested,
    ...optional('startsAt', startsAt),
    ...(isOver ? { isOver } : {}),
  };
};

/**
 * The node after a word at `now` (ms): the drain is requested `leadMs` milliseconds before the maintenance begins, or at once if nobody knows
 * when. A word that moves the maintenance moves the drain, and takes one back that was requested too early; a word that it is over or cancelled
 * takes it back, too. The same object if the word is an older one, or says nothing new.
 */
export const withScheduled = (node: Node, word: ScheduledWord, now: EpochMs, leadMs: number): Node => {
  const entries = scheduledOf(node);
  const before = entries.find(({ id }) => id === word.id);
  if (before && before.saidAt > word.saidAt) return node;
  const entry = entryOf(word, before, now, leadMs);
  const isEarly = before?.requestedAt !== undefined && isPending(entry) && entry.drainAt > now;
  const freed = before && (word.isOver || isEarly) ? takenBack(node, before) : node;
  const others = entries.filter(({ id }) => id !== word.id);
  return withDueDrains(remembering(freed, [...others, entry]), word.instance, now);
};
