import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import type { Row } from '../../../shared/ports/store/rows.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { decideNoExecute, stripNoExecute, swapNoExecute } from '../../../shared/rules/nodes/no-execute.ts';
import { markReadyByHeartbeat, markUnknown } from '../../../shared/rules/nodes/node-conditions.ts';
import { beatsFor } from '../../../shared/store/beats/node-beats.ts';
import { type Heard, readHeard } from '../../../shared/store/beats/relayed-items.ts';
import type { ObjectWrite, ObjectWriter, WriteResult } from '../../../shared/store/writer/object-writer.ts';
import type { Judgement, Viewpoint } from '../judge/judgement.ts';
import { judge, needsWrite, withoutFlip } from '../judge/judgement.ts';

export interface WriteNodeDeps {
  readonly heartbeats: Pick<HeartbeatStore, 'read' | 'readRelay'>;
  readonly writer: ObjectWriter;
}

/** The outcome for one node that needed a write. `judgement` is based on consistent reads. */
export type NodeOutcome =
  | { readonly outcome: 'written'; readonly judgement: Judgement; readonly revision: string }
  | { readonly outcome: 'unchanged'; readonly judgement: Judgement }
  /** A heartbeat arrived between the read and the commit: the node keeps its Ready, in `judgement` too. */
  | { readonly outcome: 'refused'; readonly judgement: Judgement }
  | { readonly outcome: 'gone' }
  | Failure;

/** `conflict`: other writers kept changing the node, or the store throttled the write. The next pass decides again. */
export type Failure =
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'failed'; readonly error: unknown };

const withHealth = (node: Node, { health }: Judgement, at: EpochMs): Node => {
  if (health.action === 'markUnknown') return markUnknown(node, at);
  return health.action === 'markReady' ? markReadyByHeartbeat(node, at) : node;
};

/** Swaps and removals of NoExecute taints need no token, so they are part of the same write. */
const withNoExecute = (node: Node, { noExecute }: Judgement, at: EpochMs): Node => {
  if (noExecute.action === 'none') return node;
  const decision = decideNoExecute(node);
  if (decision.action === 'swap') return swapNoExecute(node, decision.add, at);
  return decision.action === 'remove' ? stripNoExecute(node) : node;
};

const judgeRow = (
  row: Row | undefined,
  item: HeartbeatItem | undefined,
  view: Viewpoint,
): Judgement | undefined => {
  if (row?.state !== 'live' || !row.facts.node) return undefined;
  const health = { name: row.key.name, uid: row.uid, ...row.facts.node };
  return judge(health, beatsFor(item, row.uid), view, row.object.metadata.labels);
};

const changeOf = (
  node: Node,
  judgement: Judgement,
  { stored, relays }: Heard,
  at: EpochMs,
): ObjectWrite | undefined => {
  if (!needsWrite(judgement)) return undefined;
  const next = withNoExecute(withHealth(node, judgement, at), judgement, at);
  if (judgement.health.action !== 'markUnknown') return { next, writer: 'controller' };
  // A heartbeat that arrives between the read and the commit refuses the flip.
  const heartbeat = {
    effect: 'unmoved',
    node: node.metadata.name,
    observedAt: stored?.observedAt,
    ...(relays.length === 0 ? {} : { relays }),
  } as const;
  return { next, writer: 'controller', heartbeat };
};

const outcomeOf = (result: WriteResult, judgement: Judgement | undefined): NodeOutcome => {
  if (judgement === undefined) return { outcome: 'gone' };
  if (result.outcome === 'checkFailed') return { outcome: 'refused', judgement: withoutFlip(judgement) };
  if (result.outcome === 'unchanged') return { outcome: 'unchanged', judgement };
  return { outcome: 'written', judgement, revision: result.object.metadata.resourceVersion ?? '' };
};

/** A conflict or throttling is not an error. */
const failure = (error: unknown): Failure =>
  error instanceof StatusError && (error.code === 409 || error.code === 429)
    ? { outcome: 'conflict' }
    : { outcome: 'failed', error };

/** Reads one node consistently, decides, and makes all changes in one write. */
const tryCandidate = async (
  { heartbeats, writer }: WriteNodeDeps,
  name: string,
  view: Viewpoint,
): Promise<NodeOutcome> => {
  const heard = await readHeard(heartbeats, name, view.now);
  let judgement: Judgement | undefined;
  const result = await writer.write(nodeKey(name), (row, at) => {
    judgement = judgeRow(row, heard.item, view);
    return row?.state === 'live' && judgement ? changeOf(row.object, judgement, heard, at) : undefined;
  });
  return outcomeOf(result, judgement);
};

/**
 * Decides about one node by fresh reads and writes the result. Decides once more if the flip was refused: the heartbeat that
 * refused it may not count for this node. Never throws.
 */
export const writeCandidate = async (
  deps: WriteNodeDeps,
  name: string,
  view: Viewpoint,
): Promise<NodeOutcome> => {
  try {
    const first = await tryCandidate(deps, name, view);
    if (first.outcome !== 'refused') return first;
    const second = await tryCandidate(deps, name, view);
    return second.outcome === 'unchanged' ? { ...second, outcome: 'refused' } : second;
  } catch (error) {
    return failure(error);
  }
};

/** Removes both NoExecute health taints from a node, because full disruption evicts no pods. Never throws. */
export const stripNode = async (
  { writer }: Pick<WriteNodeDeps, 'writer'>,
  name: string,
): Promise<{ readonly outcome: 'stripped' | 'unchanged' } | Failure> => {
  try {
    const result = await writer.write(nodeKey(name), (row) => {
      const node = row?.state === 'live' ? (row.object as Node) : undefined;
      const next = node && stripNoExecute(node);
      return next && next !== node ? { next, writer: 'controller' } : undefined;
    });
    return { outcome: result.outcome === 'written' ? 'stripped' : 'unchanged' };
  } catch (error) {
    return failure(error);
  }
};
