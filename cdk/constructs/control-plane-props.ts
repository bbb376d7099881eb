import type { Configuration } from '../../shared/config/configuration.ts';
import type { Monitoring } from './monitoring.ts';
import type { StateTables } from './state-tables.ts';

/** What every function of the control plane is given. */
export interface ControlPlaneProps {
  readonly configuration: Configuration;
  readonly tables: StateTables;
  readonly monitoring: Monitoring;
}
