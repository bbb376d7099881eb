/** What a relay knows of its nodes: when it last heard each of them, and what it has to tell them. */
import type { EpochMs } from '../shared/kube/values/time.ts';
import { DEFAULTS } from '../shared/settings/defaults.ts';
import { batchOf, partAfter, type Receipt, type SiteBatch, type SitePart, tellNodes } from './batches.ts';
import { createMembers } from './members.ts';
import type { ShownToken } from './shown-token.ts';
import type { SiteNode } from './site-node.ts';

/** What the API has told about a node. */
export type Told = Pick<SiteNode, 'workRevision' | 'lease'>;

export interface SiteOptions {
  /** In which part each node was before a restart, by name. */
  readonly parts: Map<string, number>;
  /** The relay's clock: it goes on evenly, also while the machine sleeps, whatever the machine's clock is set to. */
  readonly now: () => EpochMs;
  /** The machine's clock, by which tokens expire. */
  readonly wall: () => EpochMs;
}

const SECOND_MS = 1_000;

/** The node after the API has accepted a beat with this token. Another Node of the name begins anew. */
const nodeAfter = (known: SiteNode | undefined, shown: ShownToken, told: Told, home: number): SiteNode => {
  if (known?.uid !== shown.uid) return { ...shown, ...told, part: home, isEnrolled: false };
  return { ...known, ...shown, ...told, isEnrolled: known.isEnrolled && known.token === shown.token };
};

/** Creates a site without nodes. */
export const createSite = ({ parts: homes, now, wall }: SiteOptions) => {
  const members = createMembers(homes);
  const parts = new Map<number, SitePart>();
  // Until the first answer says it.
  let graceMs: number = DEFAULTS.nodeLifecycle.nodeMonitorGracePeriodMs;
  let intervalMs = DEFAULTS.heartbeatIntervalSeconds * SECOND_MS;

  return {
    /** The node that has shown this token, if the relay may answer it. */
    find: ({ name, token }: ShownToken): SiteNode | undefined => {
      const node = members.get(name);
      return node?.isEnrolled && node.token === token && node.untilAt > wall() ? node : undefined;
    },
    /** A beat of this node went through to the API and was accepted: the token is valid. */
    accepted: (shown: ShownToken, told: Told): void => {
      const node = nodeAfter(members.get(shown.name), shown, told, members.homeOf(shown.name));
      members.put(node);
      if (!parts.has(node.part)) parts.set(node.part, { number: node.part, sequence: 0 });
    },
    /** The node was heard now. */
    heard: (name: string, isPlain: boolean): void => {
      const node = members.get(name);
      if (node) members.put({ ...node, [isPlain ? 'plainAt' : 'leaseAt']: now() });
    },
    /** Whether the API has heard nothing of this part for so long that its nodes count as silent there. */
    isCutOff: ({ part }: SiteNode): boolean => {
      const acceptedAt = parts.get(part)?.acceptedAt;
      return acceptedAt !== undefined && now() - acceptedAt > graceMs;
    },
    graceMs: () => graceMs,
    intervalMs: () => intervalMs,
    parts: (): readonly SitePart[] => [...parts.values()],
    /** The parts with nodes that wait to be enrolled. */
    waiting: members.waiting,
    /** What to send of a part, with ages as of now. */
    batch: (part: SitePart): SiteBatch => {
      for (const { name, uid, untilAt } of members.inPart(part.number))
        if (untilAt <= wall()) members.forget(name, uid);
      return batchOf(part, members.inPart(part.number), now());
    },
    /** The API has accepted what was sent of a part. */
    receive: (number: number, batch: SiteBatch, receipt: Receipt): void => {
      graceMs = receipt.graceSeconds * SECOND_MS;
      intervalMs = receipt.nextBatchSeconds * SECOND_MS;
      parts.set(number, partAfter(parts.get(number), number, batch, receipt));
      tellNodes(members, number, batch, receipt);
      for (const { part } of batch.enrolled.flatMap(({ name }) => members.get(name) ?? []))
        if (!parts.has(part)) parts.set(part, { number: part, sequence: 0 });
    },
    /** The API has stored another batch: go on from its sequence. */
    resume: (number: number, sequence: number): void => {
      const part = parts.get(number);
      if (part) parts.set(number, { ...part, sequence });
    },
  };
};

/** See `createSite`. */
export type Site = ReturnType<typeof createSite>;
