import type { AdmissionConfig } from '../config/admission-plugins.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { ObjectStore } from '../ports/object-store.ts';

/** What the making of a new object needs, by a request or by a controller. */
export interface CreateDeps {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly config: AdmissionConfig;
  /** `none`: namespaces have no default objects unless a client creates them. */
  readonly controllers?: 'all' | 'none';
}
