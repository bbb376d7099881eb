/** The batches of a relay: what it sends of each part, and what it learns from the answer. */

import { optional } from '../shared/kube/values/optional.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';
import type { Members } from './members.ts';
import type { SiteNode } from './site-node.ts';

/** One part of the relay. */
export interface SitePart {
  readonly number: number;
  /** Of the last batch that was accepted. */
  readonly sequence: number;
  readonly workChanges?: number;
  /** When the work of all nodes was last told. */
  readonly toldAt?: EpochMs;
  /** When the last accepted batch was sent. */
  readonly acceptedAt?: EpochMs;
}

/** What each answer says, whatever the number of parts in the batch. */
export interface ReceiptHead {
  readonly graceSeconds: number;
  readonly nextBatchSeconds: number;
  /** The versions that the API serves; absent: only the first. */
  readonly batchVersions?: readonly number[];
}

/** The answer to one part. */
export interface Receipt extends ReceiptHead {
  readonly sequence: number;
  readonly workChanges: number;
  readonly work?: Readonly<Record<string, string>>;
  readonly refused?: readonly Refusal[];
}

interface Refusal {
  readonly name: string;
  readonly uid?: string;
  readonly reason: string;
}

/** What is sent of a part at `at`. */
export interface SiteBatch {
  readonly at: EpochMs;
  /** The nodes that join. */
  readonly enrolled: readonly SiteNode[];
  /** Without the name of the relay. */
  readonly body: object;
}

/** Milliseconds after which the relay asks for the work of all nodes, and so learns which of them are gone. */
const TELL_ALL_MS = 300_000;
const MOST_ENROLMENTS = 40;

const ageOf = ({ name, uid, leaseAt, plainAt }: SiteNode, at: EpochMs): readonly object[] => {
  const heardAt = leaseAt ?? plainAt;
  if (heardAt === undefined) return [];
  const plain = leaseAt === undefined ? { plain: true } : {};
  return [{ name, uid, ageMs: Math.max(0, at - heardAt), ...plain }];
};

/** What to send of a part, with ages as of `at`. */
export const batchOf = (part: SitePart, members: readonly SiteNode[], at: EpochMs): SiteBatch => {
  const enrolled = members.filter(({ isEnrolled }) => !isEnrolled).slice(0, MOST_ENROLMENTS);
  const told = members.filter((node) => node.isEnrolled || enrolled.includes(node));
  const { number, sequence, toldAt, workChanges } = part;
  const isAsking = toldAt === undefined || at - toldAt >= TELL_ALL_MS || enrolled.length > 0;
  const body = {
    part: number,
    sequence: sequence + 1,
    ...(isAsking || workChanges === undefined ? {} : { workChanges }),
    enrol: enrolled.map(({ name, token }) => ({ name, token })),
    nodes: told.flatMap((node) => ageOf(node, at)),
  };
  return { at, enrolled, body };
};

/** The part after a batch was accepted. */
export const partAfter = (
  part: SitePart | undefined,
  number: number,
  { at }: SiteBatch,
  { sequence, workChanges, work }: Receipt,
): SitePart => {
  const toldAt = work ? at : part?.toldAt;
  return {
    number,
    sequence,
    workChanges,
    acceptedAt: at,
    ...optional('toldAt', toldAt),
  };
};

const refuse = (members: Members, part: number, { name, uid, reason }: Refusal): void => {
  const node = members.get(name);
  if (reason !== 'full') members.forget(name, uid);
  else if (node) members.put({ ...node, isEnrolled: false, part: members.firstFree(part + 1) });
};

/** Tells the nodes what the answer says: who is on the roster, and whose work is new. */
export const tellNodes = (
  members: Members,
  part: number,
  { enrolled }: SiteBatch,
  { work = {}, refused = [] }: Receipt,
): void => {
  for (const { name, token } of enrolled) {
    const node = members.get(name);
    if (node?.token === token) members.put({ ...node, isEnrolled: true });
  }
  for (const [name, workRevision] of Object.entries(work)) {
    const node = members.get(name);
    if (node) members.put({ ...node, workRevision });
  }
  for (const one of refused) refuse(members, part, one);
};
