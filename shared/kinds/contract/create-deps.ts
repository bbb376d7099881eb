import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { AdmissionConfig } from '../../settings/admission-plugins.ts';

/** What the making of a new object needs, by a request or by a controller. */
export interface CreateDeps {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly config: AdmissionConfig;
  /** `none`: namespaces have no default objects unless a client creates them. */
  readonly controllers?: 'all' | 'none';
}
