/** What explanations read. They write nothing. */

import type { Clock } from '../../ports/process/clock.ts';
import type { ControlStore } from '../../ports/store/control-store.ts';
import type { HeartbeatStore } from '../../ports/store/heartbeats.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import type { ResourceAccess } from '../access/access.ts';

/** Settings of the controllers, as they decide by them. */
export interface ExplainConfig {
  readonly nodeLifecycle: NodeLifecycleConfig;
  /** The `schedulerName` of the pods that are placed here. */
  readonly schedulerName: string;
  /** Volumes stay with a node that does not answer. */
  readonly disableForceDetachOnTimeout?: boolean | undefined;
}

/** Whether the caller may read other objects than the one that is explained. */
export type MayRead = (
  access: Pick<ResourceAccess, 'group' | 'resource' | 'namespace' | 'name'>,
) => Promise<boolean>;

/** What an explanation asks for. */
export interface ExplainDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly objects: Pick<ObjectStore, 'read' | 'page' | 'podsByNode'>;
  readonly heartbeats: Pick<HeartbeatStore, 'read' | 'readRelay' | 'entries'>;
  readonly control: Pick<ControlStore, 'readPass' | 'zones' | 'deadlines' | 'sighting' | 'holdBook'>;
  readonly config: ExplainConfig;
  readonly mayRead: MayRead;
}
