import { defaultNode } from '../../kube/defaults/node.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { Node } from '../../kube/types/core.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { withoutCancelledDrain } from '../../rules/drain/drain-annotations.ts';
import { withShutdownRecordOf } from '../../rules/shutdown/shutdown-report.ts';
import { admitNode } from '../admission/admission.ts';
import { TOKEN_EXPIRY_ANNOTATION } from '../admission/node-annotations.ts';
import type { Strategy } from '../contract/strategy.ts';
import { validateNode, validateNodeUpdate } from './validate-node.ts';
import { nodeWarnings } from './warn-node.ts';

const keepExpiry = (after: Node, before: Node | undefined): Node => ({
  ...after,
  metadata: withAnnotation(
    after.metadata,
    TOKEN_EXPIRY_ANNOTATION,
    before?.metadata.annotations?.[TOKEN_EXPIRY_ANNOTATION],
  ),
});

/** Annotations that subresources write stay as they are. */
const keepOwn = (after: Node, before: Node | undefined): Node =>
  withShutdownRecordOf(keepExpiry(after, before), before);

const withoutConfigSource = (node: Node): Node => {
  const { configSource: _dropped, ...spec } = (node.spec ?? {}) as Readonly<Record<string, unknown>>;
  return { ...node, spec };
};

// `spec.configSource` is dropped: Kubernetes removed kubelet configuration by the API.
const withoutConfig = (node: Node): Node => {
  const { config: _dropped, ...status } = (node.status ?? {}) as Readonly<Record<string, unknown>>;
  return { ...node, status };
};

/** How Nodes behave. */
export const nodeStrategy: Strategy<Node> = {
  kind: { group: '', version: 'v1', kind: 'Node', resource: 'nodes', namespaced: false },
  schema: kindSchema('core.v1.Node'),
  defaults: defaultNode,
  forCreate: (node) => withoutConfig(withoutConfigSource(keepOwn(node, undefined))),
  forUpdate: (after, before) =>
    withoutConfigSource(
      keepOwn(withoutCancelledDrain({ ...after, status: before.status ?? {} }, before), before),
    ),
  forStatusUpdate: (after, before) => withoutConfig(keepOwn({ ...after, spec: before.spec ?? {} }, before)),
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  warnings: nodeWarnings,
  updateWarnings: nodeWarnings,
  admit: admitNode,
  fields: ({ spec }) => ({ 'spec.unschedulable': String(spec?.unschedulable === true) }),
};
