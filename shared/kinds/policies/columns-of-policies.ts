/** Printers of PodDisruptionBudgets, PriorityClasses and RuntimeClasses. */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN } from '../fields/column.ts';

interface PodDisruptionBudget extends ApiObject {
  readonly spec?: { readonly minAvailable?: number | string; readonly maxUnavailable?: number | string };
  readonly status?: { readonly disruptionsAllowed?: number };
}

const NOT_APPLICABLE = 'N/A';

/** The table of `kubectl get poddisruptionbudgets`. */
export const disruptionBudgetPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Min Available', 'How many pods must stay available.'),
    column('Max Unavailable', 'How many pods may be unavailable.'),
    column('Allowed Disruptions', 'How many pods may be disrupted now.', { type: 'integer' }),
    AGE_COLUMN,
  ],
  cells: ({ metadata, spec, status }: PodDisruptionBudget, now) => [
    metadata.name,
    String(spec?.minAvailable ?? NOT_APPLICABLE),
    String(spec?.maxUnavailable ?? NOT_APPLICABLE),
    status?.disruptionsAllowed ?? 0,
    ageOf(metadata.creationTimestamp, now),
  ],
};

interface PriorityClass extends ApiObject {
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

/** The table of `kubectl get priorityclasses`. */
export const priorityClassPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Value', 'The priority that pods of this class get.', { type: 'integer' }),
    column('Global-Default', 'Whether this is the class of pods that name none.', { type: 'boolean' }),
    AGE_COLUMN,
    column('PreemptionPolicy', 'Whether pods of this class preempt others.'),
  ],
  cells: ({ metadata, value, globalDefault, preemptionPolicy }: PriorityClass, now) => [
    metadata.name,
    value ?? 0,
    globalDefault ?? false,
    ageOf(metadata.creationTimestamp, now),
    preemptionPolicy ?? '',
  ],
};

/** The table of `kubectl get runtimeclasses`. */
export const runtimeClassPrinter: Printer = {
  columns: [NAME_COLUMN, column('Handler', 'The runtime that pods of this class get.'), AGE_COLUMN],
  cells: (runtime: ApiObject & { readonly handler?: string }, now) => [
    runtime.metadata.name,
    runtime.handler ?? '',
    ageOf(runtime.metadata.creationTimestamp, now),
  ],
};
