/** The drain of a Node: asked for, looked up and taken back. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { DRAIN_ANNOTATION, isCordoned } from './drain-annotations.ts';
import { withoutDrainConditions } from './drain-progress.ts';
import { type DrainRequest, drainFrom, drainText, joined } from './drain-request.ts';

/** The request in force; `undefined` if there is none, if it cannot be read, and as soon as the node is schedulable. */
export const drainRequestOf = (node: Node): DrainRequest | undefined => {
  const text = ownMember(node.metadata.annotations, DRAIN_ANNOTATION);
  return text === undefined || !isCordoned(node) ? undefined : drainFrom(text);
};

const requestIn = (node: Node, asked: DrainRequest): DrainRequest => {
  const present = drainRequestOf(node);
  if (present) return joined(present, asked);
  return isCordoned(node) ? { ...asked, foundCordoned: true } : asked;
};

/**
 * The node with the request, unschedulable, and without the conditions of an earlier one. A node that drains already does from now on what either request asks for. The same object
 * if the request is in force already, so that a message may be delivered twice.
 */
export const withDrainRequest = (node: Node, asked: DrainRequest): Node => {
  if (drainRequestOf(node)?.id === asked.id) return node;
  const metadata = withAnnotation(node.metadata, DRAIN_ANNOTATION, drainText(requestIn(node, asked)));
  return withoutDrainConditions({ ...node, metadata, spec: { ...node.spec, unschedulable: true } });
};

/** The node without the request, and schedulable unless it was cordoned before. The same object if it has no request. */
export const withoutDrainRequest = (node: Node): Node => {
  const present = drainRequestOf(node);
  if (!present) return node;
  const { unschedulable: _, ...spec } = node.spec ?? {};
  const metadata = withAnnotation(node.metadata, DRAIN_ANNOTATION, undefined);
  return { ...node, metadata, spec: present.foundCordoned ? { ...spec, unschedulable: true } : spec };
};
