/** The drain of a node as a policy requests it. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { WHOLE_NODE } from '../drain/drain-request.ts';
import { withDrainRequest } from '../drain/node-drain.ts';
import type { NodeSettings } from '../nodes/policy-settings.ts';
import { type DrainFacts, drainOccasion } from './drain-before-lost.ts';

/** Annotation of a node: the occasion of the last drain that a policy requested, so that an uncordon is not undone. */
export const OCCASION_ANNOTATION = 'rollcall.dev/drain-occasion';

/**
 * The node with the request of a drain by its policy at `now` (ms); the same object if there is no occasion, or if the drain was requested for
 * this one already: whoever has taken it back meanwhile wins.
 */
export const withPolicyDrain = (
  node: Node,
  facts: DrainFacts,
  settings: NodeSettings,
  now: EpochMs,
): Node => {
  const occasion = drainOccasion(node, facts, settings, now);
  if (!occasion || !settings.drain) return node;
  const { policy } = settings.drain;
  const told = `${occasion.kind} ${new Date(occasion.since).toISOString()}`;
  if (ownMember(node.metadata.annotations, OCCASION_ANNOTATION) === told) return node;
  const next = withDrainRequest(node, {
    id: `${policy} ${told}`,
    requestedAt: now,
    by: `NodeLifecyclePolicy ${policy}`,
    reason: occasion.reason,
    // A machine that shuts down takes everything with it.
    ...(occasion.kind === 'shutdown' ? WHOLE_NODE : { ignoreDaemonSets: true }),
  });
  return { ...next, metadata: withAnnotation(next.metadata, OCCASION_ANNOTATION, told) };
};
