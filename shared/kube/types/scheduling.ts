/** The parts of `scheduling.k8s.io/v1` that Rollcall reads or writes. */
import type { ApiObject } from './meta.ts';

export interface PriorityClass extends ApiObject {
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly description?: string;
  readonly preemptionPolicy?: string;
}
