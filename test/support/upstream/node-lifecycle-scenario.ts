import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { reconcileConditionTaints } from '../../../shared/rules/nodes/condition-taints.ts';
import { decideNoExecute, stripNoExecute, swapNoExecute } from '../../../shared/rules/nodes/no-execute.ts';
import {
  markPodNotReady,
  markReadyByHeartbeat,
  markUnknown,
  readyOf,
} from '../../../shared/rules/nodes/node-conditions.ts';
import {
  decideNodeHealth,
  type Heartbeats,
  hearingAt,
  type NodeHealthRow,
  readyAfter,
} from '../../../shared/rules/nodes/node-health.ts';
import { carrySince, noExecuteTaints, taintsOf } from '../../../shared/rules/nodes/taints.ts';
import { isSilencedBy, isUnready } from '../../../shared/rules/pods/pod-readiness.ts';
import type { StoredZone } from '../../../shared/rules/zones/eviction-rate.ts';
import { isExcludedFromDisruption } from '../../../shared/rules/zones/excluded-nodes.ts';
import { changeRate, type Limiter, newLimiter, takeToken } from '../../../shared/rules/zones/rate-limiter.ts';
import { decideDisruption } from '../../../shared/rules/zones/zone-disruption.ts';
import { zoneKeyOf } from '../../../shared/rules/zones/zone-names.ts';
import type { NodeLifecycleConfig } from '../../../shared/settings/node-lifecycle.ts';
import { at } from '../objects/domain-objects.ts';

/** How long one round of the tainter may wait for tokens; upstream runs it every 100 ms. */
const TAINTER_ROUND_MS = 100;

interface Member {
  node: Node;
  row: NodeHealthRow;
  beats: Heartbeats;
  pods: readonly Pod[];
}

export type PodFault = 'none' | 'update' | 'list';

/**
 * A cluster in memory on a virtual clock: composes the rules as the node monitor and the tainter do, without I/O.
 * Counts what upstream's tests count: node writes, pod status updates, NodeNotReady events.
 */
export class NodeLifecycleScenario {
  readonly config: NodeLifecycleConfig;
  now: EpochMs;
  clockFloor: EpochMs = 0;
  nodeWrites = 0;
  podUpdates = 0;
  readonly events: string[] = [];
  readonly #members = new Map<string, Member>();
  readonly #zones = new Map<string, StoredZone & { readonly limiter: Limiter }>();
  readonly #podsToMark = new Set<string>();
  #fault: PodFault;

  constructor(config: NodeLifecycleConfig, now: EpochMs, fault: PodFault = 'none') {
    this.config = config;
    this.now = now;
    this.#fault = fault;
  }

  /** Registers a node; conditions it carries count as a status that arrives now. */
  add(node: Node, pods: readonly Pod[] = []): void {
    const row: NodeHealthRow = {
      name: node.metadata.name,
      uid: node.metadata.uid ?? '',
      zone: zoneKeyOf(node.metadata.labels),
      createdAt: at(node.metadata.creationTimestamp ?? ''),
      excludeDisruption: isExcludedFromDisruption(node.metadata.labels),
      clientReady: false,
      noExecute: [],
    };
    this.#members.set(row.name, { node, row, beats: { hasLease: false }, pods });
    this.post(row.name, node.status?.conditions ?? []);
  }

  remove(name: string): void {
    this.#members.delete(name);
  }

  /** A client's status write: a Ready whose heartbeat time changed is a sign of life. */
  post(name: string, conditions: readonly Condition[]): void {
    const member = this.#member(name);
    const before = member.row.clientReady ? readyOf(member.node)?.lastHeartbeatTime : undefined;
    this.#write(member, { ...member.node, status: { ...member.node.status, conditions } });
    const after = readyOf(member.node);
    if (after === undefined) return;
    member.row = { ...member.row, clientReady: true };
    if (after.lastHeartbeatTime !== before) member.beats = { ...member.beats, statusAt: this.now };
  }

  renewLease(name: string): void {
    const member = this.#member(name);
    member.beats = { ...member.beats, hasLease: true, leaseAt: this.now };
  }

  beat(name: string): void {
    const member = this.#member(name);
    member.beats = { ...member.beats, plainAt: this.now };
  }

  advance(ms: number): void {
    this.now += ms;
  }

  node(name: string): Node {
    return this.#member(name).node;
  }

  pods(name: string): readonly Pod[] {
    return this.#member(name).pods;
  }

  rate(zone: string): number | undefined {
    return this.#zones.get(zone)?.rate;
  }

  zoneStates(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#zones].map(([zone, { state }]) => [zone, state]));
  }

  /** One pass of the monitor: health, conditions, NoExecute swaps, pods, then the zones. */
  monitor(): void {
    for (const member of this.#members.values()) this.#judge(member);
    this.#storeZones();
  }

  /** One round of the tainter: every waiting node is read again and tainted while its zone has tokens. */
  taint(): void {
    const end = this.now + TAINTER_ROUND_MS;
    for (const member of this.#members.values()) {
      const decision = decideNoExecute(member.node);
      if (decision.action !== 'queue' || !this.#take(member.row.zone, end)) continue;
      this.#write(member, swapNoExecute(member.node, decision.add, this.now));
    }
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`no node ${name}`);
    return member;
  }

  #write(member: Member, next: Node): void {
    const { ready: _, ...row } = member.row;
    member.node = reconcileConditionTaints(next, this.now);
    const status = readyOf(member.node)?.status;
    const noExecute = carrySince(row.noExecute, taintsOf(member.node), this.now);
    member.row = { ...row, ...(status === undefined ? {} : { ready: status }), noExecute };
  }

  #judge(member: Member): void {
    const before = member.row.ready;
    const decision = decideNodeHealth(
      member.row,
      member.beats,
      hearingAt({ clockFloor: this.clockFloor }, this.now, this.config),
      this.now,
      this.config,
    );
    if (decision.action !== 'none') {
      const mark = decision.action === 'markUnknown' ? markUnknown : markReadyByHeartbeat;
      this.#write(member, mark(member.node, this.now));
      this.nodeWrites += 1;
    }
    this.#settleNoExecute(member);
    if (isSilencedBy(before, readyAfter(member.row, decision))) {
      this.events.push(`NodeNotReady ${member.row.name}`);
      this.#podsToMark.add(member.row.name);
    }
    this.#markPods(member);
  }

  #settleNoExecute(member: Member): void {
    const decision = decideNoExecute(member.node);
    if (decision.action === 'swap') this.#write(member, swapNoExecute(member.node, decision.add, this.now));
    if (decision.action === 'remove') this.#write(member, stripNoExecute(member.node));
  }

  #markPods(member: Member): void {
    if (!this.#podsToMark.delete(member.row.name) || !isUnready(member.row.ready)) return;
    if (this.#faultOnce('list')) {
      this.#podsToMark.add(member.row.name);
      return;
    }
    member.pods = member.pods.map((pod) => this.#markPod(member.row.name, pod));
  }

  #markPod(nodeName: string, pod: Pod): Pod {
    const marked = markPodNotReady(pod, this.now);
    if (marked === pod) return pod;
    this.podUpdates += 1;
    if (!this.#faultOnce('update')) return marked;
    this.#podsToMark.add(nodeName);
    return pod;
  }

  #faultOnce(kind: PodFault): boolean {
    if (this.#fault !== kind) return false;
    this.#fault = 'none';
    return true;
  }

  #storeZones(): void {
    const decision = decideDisruption(this.#zones, this.#count(), () => this.config, true);
    for (const zone of decision.dropped) this.#zones.delete(zone);
    for (const [zone, { state, rate }] of decision.zones) {
      const stored = this.#zones.get(zone);
      const limiter = stored ? changeRate(stored.limiter, rate, this.now) : newLimiter(rate, this.now);
      this.#zones.set(zone, { state, rate, limiter });
    }
    if (decision.mode === 'leaveFullDisruption') this.clockFloor = this.now;
    if (decision.mode === 'enterFullDisruption' || decision.mode === 'remainFullDisruption') this.#stripAll();
  }

  #count(): Map<string, { ready: number; notReady: number }> {
    const counts = new Map<string, { ready: number; notReady: number }>();
    for (const { row } of this.#members.values()) {
      const count = counts.get(row.zone) ?? { ready: 0, notReady: 0 };
      counts.set(row.zone, count);
      if (row.excludeDisruption) continue;
      if (row.ready === 'True') count.ready += 1;
      else count.notReady += 1;
    }
    return counts;
  }

  #stripAll(): void {
    for (const member of this.#members.values()) this.#write(member, stripNoExecute(member.node));
  }

  #take(zone: string, end: EpochMs): boolean {
    const stored = this.#zones.get(zone);
    if (stored === undefined) return false;
    const { retryAt } = { retryAt: undefined, ...takeToken(stored.limiter, this.now) };
    if (retryAt !== undefined && retryAt <= end) this.now = retryAt;
    const decision = takeToken(stored.limiter, this.now);
    if (decision.granted) this.#zones.set(zone, { ...stored, limiter: decision.limiter });
    return decision.granted;
  }
}

/** The texts of a node's NoExecute taints, sorted. */
export const noExecuteKeys = (node: Node): readonly string[] =>
  noExecuteTaints(taintsOf(node))
    .map(({ key }) => key)
    .toSorted((a, b) => (a < b ? -1 : 1));
