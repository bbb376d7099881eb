/** Warns of a taint that says that a machine is off, while the machine speaks. */
import type { Node } from '../../shared/kube/types/core.ts';
import { TAINT_OUT_OF_SERVICE } from '../../shared/kube/types/well-known.ts';
import { type EventText, nodeTarget } from '../../shared/ports/process/event-recorder.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { hasOutOfServiceTaint, outOfServiceDoubt } from '../../shared/rules/nodes/out-of-service.ts';
import { readHeard } from '../../shared/store/beats/relayed-items.ts';
import type { PodGcDeps } from './deps.ts';

const warning = (reason: string, message: string): EventText => ({
  ...{ type: 'Warning', reason, message, component: 'pod-garbage-collector' },
});

const TEXTS = {
  ready: (node: string): EventText =>
    warning(
      'OutOfServiceNodeReady',
      `Node ${node} has the taint ${TAINT_OUT_OF_SERVICE} but is ready: its pods are not deleted by force while it is`,
    ),
  heard: (node: string): EventText =>
    warning(
      'OutOfServiceNodeAlive',
      `Node ${node} has the taint ${TAINT_OUT_OF_SERVICE} but still sends heartbeats: its terminating pods are deleted by force although their containers may run`,
    ),
} as const;

/** The taint was set once: each reason is told once of it. */
const occasionOf = ({ spec }: Node): string =>
  (spec?.taints ?? []).find(({ key }) => key === TAINT_OUT_OF_SERVICE)?.timeAdded ?? '';

/** Records an Event on a node that has the taint although its machine seems to be on. */
export const warnOfLivingNode = async (
  { clock, heartbeats, recorder, config }: PodGcDeps,
  { key: { name }, uid, object }: LiveRow,
): Promise<void> => {
  if (!hasOutOfServiceTaint(object)) return;
  const { item: beats } = await readHeard(heartbeats, name, clock.now());
  const doubt = outOfServiceDoubt(object, beats?.observedAt, clock.now(), config.nodeMonitorGracePeriodMs);
  if (!doubt) return;
  await recorder.record(nodeTarget(name, uid), TEXTS[doubt](name), occasionOf(object));
};
