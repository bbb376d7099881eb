/** Folds what a reader of the log sees into the history of a fleet. It does no I/O and reads no clock. */
import type { EpochMs } from '../../kube/values/time.ts';
import { type NamedNodes, NodeBook } from './node-book.ts';
import {
  type FleetRecord,
  type Gap,
  placeAfter,
  type RecordedEviction,
  type RecordedZone,
} from './record.ts';
import type { SeenNode } from './seen-node.ts';

/** How much is kept. What is older becomes part of the state that the record begins with. */
export interface HistoryLimits {
  readonly mostChanges: number;
  readonly mostEvictions: number;
  /** Milliseconds that are kept before the last instant. */
  readonly keepMs: number;
}

/** Four hours, and about 20 MB at most. */
export const HISTORY_LIMITS: HistoryLimits = {
  mostChanges: 200_000,
  mostEvictions: 50_000,
  keepMs: 4 * 3_600_000,
};

/** The beginning of a record moves by steps of this many milliseconds at least. */
const STEP_MS = 60_000;

/** A node after a change. `seen` absent: the Node is gone. */
export interface NodeChange {
  readonly revision: number;
  readonly at: EpochMs;
  readonly name: string;
  readonly seen: SeenNode | undefined;
}

/** All nodes, exact at a revision. */
export interface Snapshot {
  readonly revision: number;
  readonly at: EpochMs;
  readonly nodes: NamedNodes;
}

/** Inserts behind the members of the same instant. Returns whether the list has only grown at its end. */
const insertInOrder = <T extends { readonly at: EpochMs }>(
  members: T[],
  member: T,
  most: number,
): boolean => {
  const place = placeAfter(members, member.at);
  const isLast = place === members.length;
  members.splice(place, 0, member);
  if (members.length <= most) return isLast;
  members.shift();
  return false;
};

/** What was said from `at` on, and of each zone what held then. */
const zonesSince = (zones: readonly RecordedZone[], at: EpochMs): RecordedZone[] => {
  const place = placeAfter(zones, at);
  const held = new Map(zones.slice(0, place).map((zone) => [zone.zone, zone]));
  return [...[...held.values()].toSorted((a, b) => a.at - b.at), ...zones.slice(place)];
};

const isSame = (a: RecordedZone, b: RecordedZone): boolean => a.state === b.state && a.rate === b.rate;

/** Records a fleet. Instants of nodes never go back: what is told of an earlier one counts at the last one. */
export class HistoryRecorder {
  readonly #limits: HistoryLimits;
  readonly #book = new NodeBook();
  readonly #evictedUids = new Set<string>();
  readonly #zoneNow = new Map<string, RecordedZone>();
  #zones: RecordedZone[] = [];
  #evictions: RecordedEviction[] = [];
  #gaps: Gap[] = [];
  #revision: number | undefined;
  #epoch = 0;
  #since = 0;
  #until = 0;
  #lastAt = 0;

  constructor(limits: HistoryLimits = HISTORY_LIMITS) {
    this.#limits = limits;
  }

  /** The revision up to which changes of nodes are recorded; `undefined` before the first list. */
  get revision(): number | undefined {
    return this.#revision;
  }

  /** While it stays the same, lists of the record only grow at their ends. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The instant of the last change of a node, or of the last list. */
  get lastAt(): EpochMs {
    return this.#lastAt;
  }

  /** The state that the record begins with. A later list ends a time of which nothing is known: that becomes a gap. */
  begin({ revision, at, nodes }: Snapshot): void {
    const known = this.#revision;
    if (known !== undefined && revision <= known) return;
    this.#revision = revision;
    const from = this.#until;
    const now = this.#moveTo(at);
    if (known === undefined) {
      this.#book.start(nodes);
      this.#since = now;
      return;
    }
    if (now > from) this.#gaps.push({ from, to: now });
    this.#book.replace(now, nodes);
    this.#trim();
  }

  /** A change of a node. One whose revision is not above the last one is recorded already, and is left out. */
  change({ revision, at, name, seen }: NodeChange): void {
    if (this.#revision === undefined || revision <= this.#revision) return;
    this.#revision = revision;
    // A fleet begins with its first node.
    if (this.#book.isEmpty) this.#since = Math.max(this.#since, at);
    this.#book.put(this.#moveTo(at), name, seen);
    if (this.#book.size > 1.1 * this.#limits.mostChanges) this.#trim();
  }

  /** An eviction of the pod with this uid. A pod is evicted once. */
  evict(uid: string, eviction: RecordedEviction): void {
    if (this.#evictedUids.has(uid) || eviction.at < this.#since) return;
    this.#evictedUids.add(uid);
    this.#grow(insertInOrder(this.#evictions, eviction, this.#limits.mostEvictions));
    if (this.#evictedUids.size <= 2 * this.#limits.mostEvictions) return;
    for (const oldest of [...this.#evictedUids].slice(0, this.#limits.mostEvictions))
      this.#evictedUids.delete(oldest);
  }

  /** What the monitor says of a zone. */
  zone(zone: RecordedZone): void {
    const last = this.#zoneNow.get(zone.zone);
    if (last && (isSame(last, zone) || zone.at < last.at)) return;
    this.#zoneNow.set(zone.zone, zone);
    this.#grow(insertInOrder(this.#zones, zone, this.#limits.mostEvictions));
  }

  /** Everything up to `at` has been told. */
  seenUntil(at: EpochMs): void {
    this.#until = Math.max(this.#until, at);
    this.#trim();
  }

  record(): FleetRecord {
    return {
      since: this.#since,
      until: this.#until,
      gaps: [...this.#gaps],
      ...this.#book.parts(),
      evictions: [...this.#evictions],
      zones: [...this.#zones],
    };
  }

  #grow(onlyAtTheEnd: boolean): void {
    if (!onlyAtTheEnd) this.#epoch += 1;
  }

  #moveTo(at: EpochMs): EpochMs {
    this.#lastAt = Math.max(this.#lastAt, at);
    this.#until = Math.max(this.#until, this.#lastAt);
    return this.#lastAt;
  }

  #trim(): void {
    const old = this.#until - this.#limits.keepMs;
    const many = this.#book.lastBeyond(this.#limits.mostChanges);
    const beginsAt = Math.max(many, old - this.#since >= STEP_MS ? old : 0);
    if (many === 0 && beginsAt <= this.#since) return;
    this.#since = beginsAt;
    this.#book.beginAt(beginsAt);
    this.#gaps = this.#gaps.filter(({ to }) => to > beginsAt);
    this.#evictions = this.#evictions.filter(({ at }) => at >= beginsAt);
    this.#zones = zonesSince(this.#zones, beginsAt);
    this.#epoch += 1;
  }
}
