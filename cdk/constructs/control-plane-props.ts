import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import type { Monitoring } from './monitoring.ts';
import type { StateTables } from './state-tables.ts';

/** Properties of every function construct of the control plane. */
export interface ControlPlaneProps {
  readonly configuration: Configuration;
  readonly tables: StateTables;
  readonly monitoring: Monitoring;
  /** Gets what no function could do. */
  readonly deadLetters: IQueue;
}
